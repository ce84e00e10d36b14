/* Who reads: processes of their own, for scans and fields alike. */
#ifndef SST_STREAM_READER_CREW_H
#define SST_STREAM_READER_CREW_H

#include <stdbool.h>

struct sst_crew;

/* The processes that read in place of this one, and how. */
struct sst_reader_crew {
    struct sst_crew *crew; /* launched with sst_serve */
    int n_readers;
    bool is_short; /* a process for each task */
    double task_seconds; /* the most that a file may take */
    bool (*cancelled)(void *user); /* may be NULL; asked while readers are waited for */
    void *cancelled_user;
};

#endif
