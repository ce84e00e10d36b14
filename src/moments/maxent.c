/* Holds the tables that the build made. */
#include "moments/maxent.h"

#include <stddef.h>

#include "kernels/cell_maxent.h"

#include <maxent_table.inc>

const float *sst_maxent_table(double percentile)
{
#define X(percent)                                                                                                     \
    if (percentile == (double)(percent))                                                                               \
        return table_##percent;
    CELL_MAXENT_PERCENTILES(X)
#undef X
    return NULL;
}

const float *sst_maxent_v_limit(void) { return v_limit; }

const char *sst_maxent_percentiles(void)
{
    static const char list[] = ""
#define X(percent) ", " #percent
        CELL_MAXENT_PERCENTILES(X)
#undef X
        ;
    return list + 2;
}
