/* A small climatology of known values, written the way the engine does: slots 16 to the end, then 1 to 15. */
#ifndef SST_TEST_CLIM_FIXTURE_H
#define SST_TEST_CLIM_FIXTURE_H

#include "core/grid.h"
#include "write/clim_nc.h"

enum {
    CLIM_FIXTURE_ROWS = 5,
    CLIM_FIXTURE_COLS = 7,
    CLIM_FIXTURE_CELLS = CLIM_FIXTURE_ROWS * CLIM_FIXTURE_COLS,
    CLIM_FIXTURE_LAND = 3, /* the cell without values */
    CLIM_FIXTURE_FIRST_PUT = 16,
    CLIM_FIXTURE_MAX_COVERAGES = 2
};

struct clim_fixture {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_pool_rule pools;
    int slots[SST_N_SLOTS];
    struct sst_clim_spec spec;
};

/* All days of the year, 1991-2020, 11 days, hobday; percentiles 90, 10, 97.5. The spec may be changed before use. */
void clim_fixture_make(struct clim_fixture *fixture, const char *path);
void clim_fixture_clear(struct clim_fixture *fixture);

/* [degC] 10 + slot/64 + cell/1000, NaN on land; the percentiles are 1.25 above, 1.25 below and 2 above that. */
double clim_fixture_mean(int slot, size_t cell);
double clim_fixture_percentile(double percentile, int slot, size_t cell);

/* Bounds, for a spec that has them, lie this far below and above their percentile. [degC] */
#define CLIM_FIXTURE_BOUND 0.5

/* Bounds of the approximation, for a spec that has coverages, by their order in the file. [degC] */
double clim_fixture_approx_bound(size_t index, int slot, size_t cell);

/* 0 on land and on slot 60, else slot + cell; its flags. */
unsigned clim_fixture_n_obs(int slot, size_t cell);
unsigned clim_fixture_flags(int slot, size_t cell);

/* Puts one slot, or all in the engine's order. */
enum sst_status clim_fixture_put(const struct clim_fixture *fixture, struct sst_clim_file *file, int slot,
                                 struct sst_error *err);
enum sst_status clim_fixture_put_all(const struct clim_fixture *fixture, struct sst_clim_file *file,
                                     struct sst_error *err);

/* Creates, puts all and finishes with the attributes of a product. */
enum sst_status clim_fixture_write(const struct clim_fixture *fixture, struct sst_error *err);

#endif
