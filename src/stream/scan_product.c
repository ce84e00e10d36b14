/*
 * What products call themselves. OSTIA and MUR on one grid are both foundation SST and join; whether that is meant only
 * the user knows, who is told.
 */
#include <ctype.h>
#include <string.h>

#include "core/mem.h"
#include "stream/scan_private.h"

/* More unlike names than a mixture of products has: they change in every file and tell nothing. */
enum { MAX_PRODUCTS = 16 };

/* [digits] Shorter numbers are versions and resolutions ("4.2", "0.25"), not dates. */
enum { LEAST_DATE_DIGITS = 6 };

/* Length of the date at `text` ("20170101", "2017-01-01", "20170101T120000Z"), 0 where there is none. */
static size_t date_length(const char *text)
{
    size_t length = 0, n_digits = 0;
    while (isdigit((unsigned char)text[length]) || (n_digits > 0 && text[length] && strchr("-:TZ", text[length]))) {
        n_digits += isdigit((unsigned char)text[length]) != 0;
        ++length;
    }
    return n_digits >= LEAST_DATE_DIGITS ? length : 0;
}

static void drop_dates(char *text)
{
    char *out = text;
    bool in_number = false;
    while (*text) {
        const size_t skipped = in_number ? 0 : date_length(text);
        in_number = isdigit((unsigned char)*text) != 0;
        text += skipped;
        if (skipped == 0)
            *out++ = *text++;
    }
    *out = '\0';
}

static enum sst_status add_product(struct sst_scan *scan, const char *name, const char *bare, struct sst_error *err)
{
    SST_TRY(sst_grow(&scan->products, &scan->products_capacity, scan->n_products + 1, sizeof *scan->products,
                     "the list of products", err));
    struct sst_scan_product *product = &scan->products[scan->n_products++];
    *product = (struct sst_scan_product){NULL, NULL};
    SST_TRY(sst_strdup(name, &product->name, err));
    return sst_strdup(bare, &product->bare, err);
}

enum sst_status sst_scan_find_product(struct sst_scan *scan, const struct sst_file_info *info, size_t *found,
                                      struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char *bare = NULL;
    size_t at = 0;
    *found = SST_NO_PRODUCT;
    SST_TRY_GOTO(sst_strdup(info->product, &bare, err));
    drop_dates(bare);
    if (info->is_preliminary || bare[0] == '\0')
        goto done;
    while (at < scan->n_products && strcmp(scan->products[at].bare, bare) != 0)
        ++at;
    if (at == MAX_PRODUCTS) {
        scan->products_tell_nothing = true;
        goto done;
    }
    if (at == scan->n_products)
        SST_TRY_GOTO(add_product(scan, info->product, bare, err));
    *found = at;
done:
    sst_free(bare);
    return rc;
}

enum sst_status sst_scan_find_sensor(struct sst_catalog *catalog, const struct sst_file_info *info, size_t *found,
                                     struct sst_error *err)
{
    size_t at = 0;
    *found = SST_NO_SENSOR;
    if (!info->sensor[0])
        return SST_OK;
    if (!catalog->sensors)
        SST_TRY(sst_alloc(SST_MAX_SENSORS, sizeof *catalog->sensors, "the list of sensors", &catalog->sensors, err));
    while (at < catalog->n_sensors && strcmp(catalog->sensors[at], info->sensor) != 0)
        ++at;
    if (at == SST_MAX_SENSORS)
        return SST_OK;
    if (at == catalog->n_sensors) {
        SST_TRY(sst_strdup(info->sensor, &catalog->sensors[at], err));
        ++catalog->n_sensors;
    }
    *found = at;
    return SST_OK;
}

static size_t product_of(const struct sst_scan_record *record) { return record->product; }

enum sst_status sst_scan_note_products(const struct sst_scan *scan, struct sst_error *err)
{
    struct sst_scan_use uses[MAX_PRODUCTS] = {{0, 0}};
    if (!scan->options->notes || scan->products_tell_nothing)
        return SST_OK;
    sst_scan_count_uses(scan, product_of, uses);
    const size_t most = sst_scan_most_used(uses, scan->n_products);
    struct sst_scan_use others[MAX_PRODUCTS];
    memcpy(others, uses, sizeof others);
    others[most].n_files = 0;
    const size_t next = sst_scan_most_used(others, scan->n_products);
    if (others[next].n_files == 0)
        return SST_OK;
    char *text = NULL;
    SST_TRY(sst_asprintf(&text, err,
                         "%s: its product is '%s' (%zu %s), that of %s is '%s' (%zu). They are joined; if that is not "
                         "meant, run them apart",
                         scan->catalog->files[uses[next].first_file].path, scan->products[next].name,
                         uses[next].n_files, uses[next].n_files == 1 ? "file" : "files",
                         scan->catalog->files[uses[most].first_file].path, scan->products[most].name,
                         uses[most].n_files));
    scan->options->notes(scan->options->notes_user, text);
    sst_free(text);
    return SST_OK;
}

enum sst_status sst_scan_keep_products(struct sst_scan *scan, struct sst_error *err)
{
    struct sst_catalog *catalog = scan->catalog;
    const size_t n = scan->products_tell_nothing ? 0 : scan->n_products;
    SST_TRY(sst_alloc(n, sizeof *catalog->products, "the list of products", &catalog->products, err));
    for (; catalog->n_products < n; ++catalog->n_products) {
        catalog->products[catalog->n_products] = scan->products[catalog->n_products].bare;
        scan->products[catalog->n_products].bare = NULL;
    }
    for (size_t i = 0; i < catalog->n_files; ++i)
        catalog->files[i].product = n > 0 ? scan->records[i].product : SST_NO_PRODUCT;
    return SST_OK;
}
