/* `sststream report`: draws the page of a JSON report. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/options.h"
#include "app/page.h"
#include "app/signals.h"
#include "write/place.h"

/* A report of a million files has some 300 MB. What is larger is no report, and would take many times its size. [bytes] */
static const size_t largest_report_bytes = (size_t)1 << 30;

struct source {
    int fd;
    size_t n_bytes;
    bool is_cancelled, is_too_large;
    int reason; /* errno of a failed read */
};

/* In the form of json_load_callback_t. */
static size_t read_some(void *buffer, size_t size, void *user)
{
    struct source *source = user;
    ssize_t n = -1;
    do {
        source->is_cancelled = sst_signals_cancelled(NULL);
        if (source->is_cancelled)
            return (size_t)-1;
        n = read(source->fd, buffer, size);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        source->reason = errno;
        return (size_t)-1;
    }
    source->n_bytes += (size_t)n;
    source->is_too_large = source->n_bytes > largest_report_bytes;
    return source->is_too_large ? (size_t)-1 : (size_t)n;
}

static enum sst_status fail_to_read(const char *path, const struct source *source, const json_error_t *found,
                                    struct sst_error *err)
{
    if (source->is_cancelled)
        return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted");
    if (source->reason)
        return sst_fail(err, SST_ERR_INPUT, "%s: cannot be read: %s", path, strerror(source->reason));
    if (source->is_too_large)
        return sst_fail(err, SST_ERR_INPUT, "%s: has more than %zu MB, so this is no report of sststream", path,
                        largest_report_bytes >> 20);
    if (json_error_code(found) == json_error_out_of_memory)
        return sst_fail(err, SST_ERR_NOMEM, "%s: no memory for it", path);
    if (source->n_bytes == 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: is empty. Give the JSON that 'sststream run --report FILE.json' wrote",
                        path);
    return sst_fail(err, SST_ERR_INPUT,
                    "%s: line %d, column %d: not JSON: %s. Give the JSON that 'sststream run --report FILE.json' wrote",
                    path, found->line, found->column, found->text);
}

/* status: of the file, to tell it from the output. */
static enum sst_status load(const char *path, struct stat *status, json_t **report, struct sst_error *err)
{
    json_error_t found;
    struct source source = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (source.fd < 0 || fstat(source.fd, status) != 0) {
        const int reason = errno;
        if (source.fd >= 0)
            (void)close(source.fd);
        return sst_fail(err, SST_ERR_INPUT, "%s: cannot be opened: %s", path, strerror(reason));
    }
    if (S_ISDIR(status->st_mode)) {
        (void)close(source.fd);
        return sst_fail(err, SST_ERR_INPUT, "%s: is a folder. Give the JSON file itself", path);
    }
    json_t *whole = json_load_callback(read_some, &source, 0, &found);
    (void)close(source.fd);
    if (!whole)
        return fail_to_read(path, &source, &found, err);
    *report = whole;
    return SST_OK;
}

static enum sst_status refuse_input_as_output(const char *output, const struct stat *input, struct sst_error *err)
{
    struct stat target;
    if (stat(output, &target) != 0 || target.st_dev != input->st_dev || target.st_ino != input->st_ino)
        return SST_OK;
    return sst_fail(err, SST_ERR_OUTPUT, "%s: is the report itself, so it is not replaced. Give another name", output);
}

static enum sst_status draw(const struct sst_options *options, const json_t *report, struct sst_text *page,
                            struct sst_error *err)
{
    SST_TRY(sst_page_write_noted(report, sst_log_note, options->log, page, err));
    return sst_log_check(options->log, SST_ERR_INPUT, err);
}

int cmd_report(const struct sst_options *options)
{
    const char *input = options->inputs[0], *output = options->output;
    struct sst_error err = {SST_OK, ""};
    struct sst_text page = {0};
    struct stat status = {0};
    json_t *report = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(load(input, &status, &report, &err));
    rc = sst_page_check_schema(report, &err);
    if (rc != SST_OK)
        sst_error_prefix(&err, "%s", input);
    if (rc == SST_OK)
        rc = refuse_input_as_output(output, &status, &err);
    SST_TRY_GOTO(rc);
    SST_TRY_GOTO(sst_place_check(output, options->overwrite, &err));
    SST_TRY_GOTO(draw(options, report, &page, &err));
    SST_TRY_GOTO(sst_page_put(&page, output, options->overwrite, &err));
    sst_log_info(options->log, "%s: written, %.1f kB", output, (double)page.size / 1e3);
done:
    sst_text_clear(&page);
    json_decref(report);
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    if (rc == SST_ERR_INTERRUPTED)
        sst_signals_die_if_cancelled();
    return sst_status_exit_code(rc);
}
