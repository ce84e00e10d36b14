/* Files of a feed that are made, and not put yet: in memory, until all that belong together are there. */
#ifndef SST_MONITOR_FEED_PRODUCTS_H
#define SST_MONITOR_FEED_PRODUCTS_H

#include "core/text.h"
#include "monitor/feed_file.h"

/* Of a path within a feed. */
enum { SST_FEED_PATH_SIZE = 128 };

struct sst_feed_product {
    char path[SST_FEED_PATH_SIZE];
    const void *bytes;
    size_t n_bytes;
    void *owned; /* the bytes, sst_free; NULL where they are borrowed */
};

/* Start from zeros. */
struct sst_feed_products {
    struct sst_feed_product *items;
    size_t n, capacity;
};

/* Forgets all of them; zeros again. */
void sst_feed_products_clear(struct sst_feed_products *products);

/* Adds n that are zeros, for the caller to fill; pointers to earlier ones go astray. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_products_add(struct sst_feed_products *products, size_t n,
                                                     struct sst_error *err);

/*
 * A text becomes the product's bytes, and is cleared in any case.
 *
 * made     what making the text came to
 * Errors   `made`, whose message stands in `err`; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_feed_product_take_text(struct sst_feed_product *product, struct sst_text *text,
                                                          enum sst_status made, struct sst_error *err);

/* The same for a product that is added. */
SST_MUST_CHECK enum sst_status sst_feed_products_add_text(struct sst_feed_products *products, const char *path,
                                                          struct sst_text *text, enum sst_status made,
                                                          struct sst_error *err);

/* Adds a text that is borrowed. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_products_add_constant(struct sst_feed_products *products, const char *path,
                                                              const char *text, struct sst_error *err);

/* Puts all of them, as sst_feed_put_all does, and clears them where that succeeds. Errors: those of sst_feed_put_all. */
SST_MUST_CHECK enum sst_status sst_feed_products_put(struct sst_feed_products *products, struct sst_feed_files *files,
                                                     const char *folder, struct sst_error *err);

#endif
