/*
 * How much the tests of label `crash` do, and what they say that they did; with a sanitizer long tests of other labels ask too.
 *
 *   SST_CRASH_SCALE   push (also where it is not set) | nightly | release
 *
 * With a sanitizer they do the least that passes every call once: it looks for errors of memory, not for lost days.
 */
#ifndef SST_CRASH_SCALE_H
#define SST_CRASH_SCALE_H

struct crash_sizes {
    long least, push, nightly, release;
};

/* The size for this run. A scale of another name ends the test. */
long crash_size(struct crash_sizes sizes);

/* Whether the run is of the least size. */
int crash_is_least(void);

/* One line on standard output, "crash T5: ...", which script/crash gathers. */
void crash_count(const char *test, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
