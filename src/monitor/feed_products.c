/* See the header. */
#include "monitor/feed_products.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"

void sst_feed_products_clear(struct sst_feed_products *products)
{
    for (size_t i = 0; i < products->n; ++i)
        sst_free(products->items[i].owned);
    sst_free(products->items);
    *products = (struct sst_feed_products){0};
}

enum sst_status sst_feed_products_add(struct sst_feed_products *products, size_t n, struct sst_error *err)
{
    SST_TRY(
        sst_grow(&products->items, &products->capacity, products->n + n, sizeof *products->items, "files to put", err));
    memset(products->items + products->n, 0, n * sizeof *products->items);
    products->n += n;
    return SST_OK;
}

enum sst_status sst_feed_product_take_text(struct sst_feed_product *product, struct sst_text *text,
                                           enum sst_status made, struct sst_error *err)
{
    const enum sst_status rc = made == SST_OK ? sst_text_check(text, err) : made;
    if (rc == SST_OK) {
        product->bytes = product->owned = text->data;
        product->n_bytes = text->size;
        *text = (struct sst_text){0};
    }
    sst_text_clear(text);
    return rc;
}

static struct sst_feed_product *newest_of(const struct sst_feed_products *products, const char *path)
{
    struct sst_feed_product *product = &products->items[products->n - 1];
    (void)snprintf(product->path, sizeof product->path, "%s", path);
    return product;
}

enum sst_status sst_feed_products_add_text(struct sst_feed_products *products, const char *path, struct sst_text *text,
                                           enum sst_status made, struct sst_error *err)
{
    const enum sst_status rc = sst_feed_products_add(products, 1, err);
    if (rc == SST_OK)
        return sst_feed_product_take_text(newest_of(products, path), text, made, err);
    sst_text_clear(text);
    return rc;
}

enum sst_status sst_feed_products_add_constant(struct sst_feed_products *products, const char *path, const char *text,
                                               struct sst_error *err)
{
    SST_TRY(sst_feed_products_add(products, 1, err));
    struct sst_feed_product *product = newest_of(products, path);
    product->bytes = text;
    product->n_bytes = strlen(text);
    return SST_OK;
}

enum sst_status sst_feed_products_put(struct sst_feed_products *products, struct sst_feed_files *files,
                                      const char *folder, struct sst_error *err)
{
    struct sst_feed_piece *pieces = NULL;
    SST_TRY(sst_alloc(products->n, sizeof *pieces, "files to put", &pieces, err));
    for (size_t i = 0; i < products->n; ++i) {
        const struct sst_feed_product *product = &products->items[i];
        pieces[i] = (struct sst_feed_piece){product->path, product->bytes, product->n_bytes};
    }
    const enum sst_status rc = sst_feed_put_all(files, folder, pieces, products->n, err);
    sst_free(pieces);
    if (rc == SST_OK)
        sst_feed_products_clear(products);
    return rc;
}
