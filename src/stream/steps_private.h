/*
 * What the parts of fetching share:
 *
 *   steps.c         entries: what is wanted, what is there, what a day takes and gives back
 *   steps_crew.c    reader processes: tasks given in the expected order, results taken as they come
 */
#ifndef SST_STREAM_STEPS_PRIVATE_H
#define SST_STREAM_STEPS_PRIVATE_H

#include "stream/serve.h"
#include "stream/steps.h"

/* A step that no entry of the catalog stands for. */
#define SST_NO_ENTRY UINT32_MAX

/* Ways of reading that are told apart; those that a run meets after so many are not told. */
enum { SST_STEPS_MAX_TOLD = 8 };

/* One task in hand: the entries of its steps, the one that is wanted first. */
struct sst_steps_task {
    uint32_t *entries;
    size_t n; /* 0: none is in hand */
};

struct sst_steps {
    const struct sst_catalog *catalog;
    const struct sst_domain *domain;
    const struct sst_reader_options *options;
    struct sst_step_files *files; /* NULL where there is a crew */
    uint8_t *is_done; /* by entry: will not be asked for again */
    uint8_t *is_in_hand; /* by entry: a reader has it */
    uint8_t *is_alone; /* by entry: it was in a task that harmed its reader, and is asked for by itself now */
    uint8_t *has_hung; /* by file: a step of it was not read in time */
    struct sst_step **ready; /* by entry: decoded and waiting, NULL where not */
    struct sst_error **failures; /* by entry: why there is none, NULL where not known */
    size_t *first_step; /* by file: where its steps begin in entry_of_step; only files whose chunks span steps */
    uint32_t *entry_of_step;
    int64_t cache_room; /* [bytes] left; below 0 where fields had to move there */
    struct sst_step *spare[SST_MAX_HELD_FIELDS]; /* of own memory, given back */
    size_t n_spare;
    char told[SST_STEPS_MAX_TOLD][SST_STEP_READING_SIZE]; /* how files are read, as far as it was said */
    size_t n_told;
    struct sst_steps_totals totals;

    /* With a crew: */
    struct sst_crew *crew;
    size_t keys_per_slot, n_slots;
    struct sst_steps_task *tasks; /* n_slots */
    uint32_t *expected; /* entries in order */
    size_t n_expected, next_expected;
    void *locked; /* the slots, page-locked for options->devices; NULL: they are not */
};

/* The catalog's file of an entry; memo: room for SST_FILE_MEMO_MAX. */
struct sst_step_file sst_steps_file(const struct sst_steps *steps, const struct sst_catalog_entry *entry, void *memo);
struct sst_step_key sst_steps_key(const struct sst_steps *steps, size_t entry);

/* The other entries of the chunk of an entry's step that are wanted and have room in the cache, soonest first; takes the room. */
size_t sst_steps_with(struct sst_steps *steps, size_t entry, uint32_t *others, size_t n_most);

/* Room for a field in memory of its own. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_steps_new(struct sst_steps *steps, struct sst_step **out, struct sst_error *err);

/* The values of a served step, copied into those of a step of own memory. */
void sst_steps_copy(const struct sst_steps *steps, const struct sst_step_values *from, struct sst_step *to);

/* Whether an entry is wanted, nobody has it yet, and it may wait in the cache. */
bool sst_steps_may_wait(const struct sst_steps *steps, size_t entry);

/* A field takes room of the cache, and leaves it. */
void sst_steps_take_room(struct sst_steps *steps);
void sst_steps_return_room(struct sst_steps *steps);

/* Whether steps of a file are stored together. */
static inline bool sst_steps_spans(const struct sst_catalog_file *file) { return file->steps_per_chunk > 1; }

/* Counts a decoded step, and tells how its file was read if that is new. */
void sst_steps_count(struct sst_steps *steps, size_t entry, const char *reading);

/* steps_crew.c */

/* Starts the readers. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_steps_start_crew(struct sst_steps *steps, struct sst_error *err);
void sst_steps_stop_crew(struct sst_steps *steps);

/* Has an entry fetched, and others behind it begun: it is ready then, or has failed. Errors: of the run. */
SST_MUST_CHECK enum sst_status sst_steps_await(struct sst_steps *steps, size_t entry, struct sst_error *err);

#endif
