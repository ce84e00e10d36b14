/*
 * Day fields that wait on the scratch disk for the passes of later tiles.
 *
 *   record of a day    [ starts of its pieces | piece of tile 2 | piece of tile 3 | ... ]     in the order of pass 1
 *   piece              [ head | mask of valid cells | ice, where the file has it | codes of valid cells ]     a bit, 2 bytes
 *
 * A piece is read whole and in the order in which it was written; land and missing cells cost a bit.
 */
#ifndef SST_STREAM_SCRATCH_FIELDS_H
#define SST_STREAM_SCRATCH_FIELDS_H

#include "core/calendar.h"
#include "core/field.h"
#include "stream/tiles_private.h"

struct sst_scratch_fields;

/*
 * No day is in it. Tiles are counted from 0; the first one is never kept.
 *
 * about    how messages name the file, with its folder; copied.
 * Owner    the caller; sst_scratch_fields_destroy. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_scratch_fields_create(const char *folder, const char *about,
                                                         const struct sst_tile_cuts *cuts,
                                                         const struct sst_pool_rule *pools,
                                                         struct sst_scratch_fields **out, struct sst_error *err);
void sst_scratch_fields_destroy(struct sst_scratch_fields **fields);

/* Keeps a day's whole field, or that it has none (NULL). Errors: SST_ERR_OUTPUT (disk full). */
SST_MUST_CHECK enum sst_status sst_scratch_fields_put(struct sst_scratch_fields *fields, struct sst_day day,
                                                      const struct sst_field *field, struct sst_error *err);

/* Whether the day was put, with or without a field. */
bool sst_scratch_fields_has(const struct sst_scratch_fields *fields, struct sst_day day);

/*
 * A tile's part of a day.
 *
 * out      its arrays codes and ice are filled, as many items as the tile has cells; hundredths are left alone.
 * is_there set to whether the day has a field.
 * Errors   SST_ERR_OUTPUT where the file cannot be read back.
 */
SST_MUST_CHECK enum sst_status sst_scratch_fields_get(struct sst_scratch_fields *fields, struct sst_day day,
                                                      size_t tile, struct sst_field *out, bool *is_there,
                                                      struct sst_error *err);

/* The most bytes on the disk for so many days of so many valid cells beyond the first tile, and in memory. */
uint64_t sst_scratch_fields_disk_bytes(const struct sst_tile_cuts *cuts, size_t n_days, size_t n_valid, bool has_ice);
uint64_t sst_scratch_fields_memory_bytes(const struct sst_tile_cuts *cuts, const struct sst_pool_rule *pools);

#endif
