/* main() of all Check programs. */
#include "test_main.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[64];

const char *test_data_dir(void)
{
    static char found[4096];
    const char *named = getenv("SST_DATA_DIR");
    const char *source = getenv("SST_SOURCE_DIR");
    struct stat status;
    if (named)
        (void)snprintf(found, sizeof found, "%s", named);
    else if (source)
        (void)snprintf(found, sizeof found, "%s/../shared/data", source);
    else
        return NULL;
    return stat(found, &status) == 0 && S_ISDIR(status.st_mode) ? found : NULL;
}

void test_need_data(void)
{
    if (test_data_dir())
        return;
    printf("skipped: no real data; set SST_DATA_DIR to the folder that holds tasman/ and granules/\n");
    exit(77);
}

const char *test_scratch_dir(void)
{
    if (!scratch[0]) {
        (void)snprintf(scratch, sizeof scratch, "/tmp/sst_test_XXXXXX");
        if (!mkdtemp(scratch)) {
            perror("mkdtemp");
            exit(1);
        }
    }
    return scratch;
}

const char *test_path(const char *format, ...)
{
    static char ring[8][4096];
    static unsigned next;
    char *buffer = ring[next++ % 8];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(buffer, sizeof ring[0], format, args);
    va_end(args);
    return buffer;
}

int main(void)
{
    SRunner *runner = srunner_create(test_suite());
    srunner_run_all(runner, CK_ENV);
    const int n_failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    if (scratch[0] && n_failed == 0) {
        char command[128];
        (void)snprintf(command, sizeof command, "rm -rf '%s'", scratch);
        if (system(command) != 0)
            (void)fprintf(stderr, "left behind: %s\n", scratch);
    }
    return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
