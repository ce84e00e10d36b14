/* Values of JSON reports, each a new reference, NULL without memory. jansson's own header stays out of ours. */
#ifndef SST_APP_JSON_VALUES_H
#define SST_APP_JSON_VALUES_H

#include <stdbool.h>
#include <stdint.h>

struct json_t;

/*
 * jansson goes on where memory ends, and leaves values out. Between these two calls it is watched: whole tells whether all
 * that was asked for could be had.
 */
void sst_json_watch(void);
bool sst_json_is_whole(void);

/* As it is; what JSON cannot hold (NaN) is null. */
struct json_t *sst_json_real(double value);

/* Rounded to six significant digits, so that texts are short and do not change with the last bits of a sum. */
struct json_t *sst_json_rounded(double value);

struct json_t *sst_json_integer(uint64_t value);

/* Paths and titles may be of an older encoding, which JSON cannot hold: then what is not ASCII is shown as \xNN. */
struct json_t *sst_json_text(const char *value);

#endif
