/* A store of kept values of made fields: terms of up to 30 members, which come in batches. */
#ifndef SST_TEST_KEPT_FIXTURE_H
#define SST_TEST_KEPT_FIXTURE_H

#include "backend/backend.h"
#include "core/calendar.h"
#include "exact/raw.h"

enum { KEPT_TERM_MEMBERS = 30, KEPT_MAX_TERMS = 16 };

struct kept_fixture {
    struct sst_cells cells;
    struct sst_raw *raw;
    struct sst_kept kept[KEPT_MAX_TERMS];
    size_t n_kept;
};

/* Member m of a pool is of this term. */
struct sst_term kept_fixture_term(size_t m);

/* Adds members m .. m + n - 1 (at most SST_MAX_BATCH, of one term), in domain order, to a store; stops on failure. */
void kept_fixture_add(struct sst_raw *raw, const struct sst_cells *cells, const int16_t *const *members, size_t m,
                      size_t n, size_t n_most);

/* Keeps all members, each of n_cells codes, of cells in their order. Owner: the caller; kept_fixture_close. */
void kept_fixture_open(struct kept_fixture *fixture, const int16_t *const *members, size_t n_members, size_t n_cells);
void kept_fixture_close(struct kept_fixture *fixture);

#endif
