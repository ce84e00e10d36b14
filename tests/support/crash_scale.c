/* Sizes by the environment. */
#include "crash_scale.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { IS_SANITIZED = 1 };
#else
enum { IS_SANITIZED = 0 };
#endif

static const char *scale(void)
{
    const char *asked = getenv("SST_CRASH_SCALE");
    return asked && *asked ? asked : "push";
}

int crash_is_least(void) { return IS_SANITIZED && strcmp(scale(), "push") == 0; }

long crash_size(struct crash_sizes sizes)
{
    if (crash_is_least())
        return sizes.least;
    if (strcmp(scale(), "push") == 0)
        return sizes.push;
    if (strcmp(scale(), "nightly") == 0)
        return sizes.nightly;
    ck_assert_msg(strcmp(scale(), "release") == 0, "SST_CRASH_SCALE=%s: neither push, nightly nor release", scale());
    return sizes.release;
}

void crash_count(const char *test, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("crash %s: %s\n", test, text);
    (void)fflush(stdout); /* before anything forks */
}
