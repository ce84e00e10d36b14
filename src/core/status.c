/* Status texts and the one place where error messages are put together. */
#include "core/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sst_version(void) { return SST_VERSION; }

const char *sst_status_text(enum sst_status status)
{
    switch (status) {
#define X(code, text, exit_code)                                                                                       \
    case code:                                                                                                         \
        return text;
        SST_STATUS_LIST(X)
#undef X
    }
    return "an unknown status";
}

int sst_status_exit_code(enum sst_status status)
{
    switch (status) {
#define X(code, text, exit_code)                                                                                       \
    case code:                                                                                                         \
        return exit_code;
        SST_STATUS_LIST(X)
#undef X
    }
    return 1;
}

enum sst_status sst_fail(struct sst_error *err, enum sst_status code, const char *format, ...)
{
    if (err && err->code == SST_OK) {
        va_list args;
        va_start(args, format);
        err->code = code;
        (void)vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return code;
}

void sst_error_prefix(struct sst_error *err, const char *format, ...)
{
    if (!err || err->code == SST_OK)
        return;
    char head[SST_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(head, sizeof head, format, args);
    va_end(args);
    char whole[2 * SST_ERROR_TEXT_SIZE + 4];
    (void)snprintf(whole, sizeof whole, "%s: %s", head, err->text);
    whole[sizeof err->text - 1] = '\0';
    memcpy(err->text, whole, sizeof err->text);
}

void sst_error_clear(struct sst_error *err)
{
    if (err) {
        err->code = SST_OK;
        err->text[0] = '\0';
    }
}
