/* The value of one option: read, checked against a range or a list, or refused in words. Errors of all: SST_ERR_USAGE. */
#ifndef SST_APP_OPTION_READ_H
#define SST_APP_OPTION_READ_H

#include "app/options.h"

/* "--option value: reason": the failure of one value. */
enum sst_status sst_option_refuse(struct sst_error *err, enum sst_option_id id, const char *text, const char *format,
                                  ...) SST_PRINTF(4, 5);

/* An option that may be given under two names, which then have to agree. */
SST_MUST_CHECK enum sst_status sst_option_agree(const struct sst_options *options, enum sst_option_id id,
                                                const char *text, enum sst_option_id other, bool is_same,
                                                struct sst_error *err);

/* Whole numbers from `low` to `high`. */
SST_MUST_CHECK enum sst_status sst_option_integer(enum sst_option_id id, const char *text, int64_t low, int64_t high,
                                                  int64_t *out, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_option_int(enum sst_option_id id, const char *text, int low, int high, int *out,
                                              struct sst_error *err);

/* The index of a word among those of the option's row. */
SST_MUST_CHECK enum sst_status sst_option_choice(enum sst_option_id id, const char *text, int *out,
                                                 struct sst_error *err);

/* A copy of a text that is not empty, in place of what `*out` held. Owner: the caller, sst_free. Errors: SST_ERR_NOMEM too. */
SST_MUST_CHECK enum sst_status sst_option_text(enum sst_option_id id, const char *text, char **out,
                                               struct sst_error *err);

/* The same for a file that is written, which "-" is none. */
SST_MUST_CHECK enum sst_status sst_option_output_path(enum sst_option_id id, const char *text, char **out,
                                                      struct sst_error *err);

#endif
