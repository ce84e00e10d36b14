/* What area*.c share. */
#ifndef SST_MONITOR_AREA_PRIVATE_H
#define SST_MONITOR_AREA_PRIVATE_H

#include "monitor/area.h"

struct sst_area_tracker {
    const struct sst_domain *domain; /* borrowed */
    enum sst_calendar_kind calendar;
    bool wraps; /* the domain's columns go once round the globe */
    double *row_km2;
    struct sst_day day; /* of the last step; slot 0: none */
    struct sst_area *areas; /* present, then gone */
    size_t n_present, n_gone;
    struct sst_area_rows {
        size_t first, last;
    } * rows; /* of the domain, that those present have cells in */
    uint32_t *labels, *next; /* by cell, of the last step; scratch of the next one */
};

/* Finds the rows of n areas by the labels. Owner: the caller, sst_free. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_area_find_rows(const struct sst_area_tracker *tracker, const uint32_t *labels,
                                                  size_t n, struct sst_area_rows **out, struct sst_error *err);

#endif
