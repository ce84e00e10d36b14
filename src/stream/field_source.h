/*
 * Where the engine's day fields come from: files by way of the reader, or an earlier pass over them.
 *
 *   expect(days) ▸ ( get ... get ▸ give_back ) ...
 */
#ifndef SST_STREAM_FIELD_SOURCE_H
#define SST_STREAM_FIELD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/field.h"
#include "core/status.h"

struct sst_field_source {
    void *user;
    size_t n_most_held; /* fields that may be held at a time, at least 1 */

    /* Whether there may be a field of a day; one that turns out to be unusable is told by get. */
    bool (*has_day)(void *user, struct sst_day day);

    /* Which days will be asked for, each once, in this order: they may be fetched ahead. NULL: it does not matter. */
    enum sst_status (*expect)(void *user, const struct sst_day *days, size_t n_days, struct sst_error *err);

    /*
     * The field of a day, in domain order, valid until the next give_back; `*out` is NULL where the day has no usable field.
     * Errors: those of the source.
     */
    enum sst_status (*get)(void *user, struct sst_day day, const struct sst_field **out, struct sst_error *err);

    /* All fields got so far are used. */
    void (*give_back)(void *user);

    uint64_t (*bytes_read)(void *user); /* so far */
};

#endif
