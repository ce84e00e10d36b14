/*
 * A state's policy: what follows from its members, how two differ, and its blocks.
 *
 *   MEMB   layout, calendar, leap rule, first and last year, half window, lattice, kind, moments, greatest, smallest, keep: u32 each;
 *          share f64, seed u64; digest of coordinates and probes u64 x 2
 *   PROD   the product's name         LATS, LONS   coordinates as the product has them, f64         PROB   canonical cells, u64
 */
#include "state/state_policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/digest.h"
#include "core/mem.h"
#include "state/state_wire.h"

enum { LAYOUT = 1, MAX_PRODUCT = 1024, DIFFERENCE_SIZE = 256 };

enum tag {
    TAG_MEMBERS = SST_BLOCKS_TAG('M', 'E', 'M', 'B'),
    TAG_PRODUCT = SST_BLOCKS_TAG('P', 'R', 'O', 'D'),
    TAG_LATITUDES = SST_BLOCKS_TAG('L', 'A', 'T', 'S'),
    TAG_LONGITUDES = SST_BLOCKS_TAG('L', 'O', 'N', 'S'),
    TAG_PROBES = SST_BLOCKS_TAG('P', 'R', 'O', 'B')
};

const char *sst_keep_name(enum sst_keep keep)
{
    static const char *const names[] = {[SST_KEEP_NONE] = "none", [SST_KEEP_PROBES] = "probes", [SST_KEEP_ALL] = "all"};
    return names[keep];
}

static const char *lattice_name(enum sst_lattice_kind lattice)
{
    return lattice == SST_LATTICE_CENTI ? "0.01 degC" : "0.001 degC about 15 degC";
}

/* --- what follows -------------------------------------------------------------------------------------------------- */

/* Whether a value of an enum, which may come from a file, is one of 0 .. n - 1. */
static bool is_of(int64_t value, int n) { return value >= 0 && value < n; }

static enum sst_status check_pools(const struct sst_pool_rule *pools, struct sst_error *err)
{
    const int64_t years = (int64_t)pools->last_year - pools->first_year + 1;
    if (!is_of(pools->kind, SST_CALENDAR_360_DAY + 1) || !is_of(pools->leap, SST_LEAP_OWN + 1))
        return sst_fail(err, SST_ERR_USAGE, "calendar %d, leap rule %d: not known", (int)pools->kind, (int)pools->leap);
    if (years < 1)
        return sst_fail(err, SST_ERR_USAGE, "baseline %d-%d: the last year comes before the first", pools->first_year,
                        pools->last_year);
    if (!is_of(pools->half_window_days, SST_MAX_HALF_WINDOW + 1))
        return sst_fail(err, SST_ERR_USAGE, "largest window of %d days either side: at most %d",
                        pools->half_window_days, SST_MAX_HALF_WINDOW);
    if (years * (2 * pools->half_window_days + 1) > SST_MAX_POOL)
        return sst_fail(err, SST_ERR_USAGE, "%lld years x %d days: at most %d values a pool keep the sums exact",
                        (long long)years, 2 * pools->half_window_days + 1, SST_MAX_POOL);
    return SST_OK;
}

static enum sst_status check(const struct sst_state_policy *policy, struct sst_error *err)
{
    SST_TRY(check_pools(&policy->pools, err));
    if (!is_of(policy->lattice, SST_LATTICE_MILLI + 1) || !is_of(policy->kind, SST_KIND_DEPTH + 1))
        return sst_fail(err, SST_ERR_USAGE, "lattice %d, kind of temperature %d: not known", (int)policy->lattice,
                        (int)policy->kind);
    if (!policy->product || strlen(policy->product) > MAX_PRODUCT)
        return sst_fail(err, SST_ERR_USAGE, "the product's name is none or longer than %d bytes", MAX_PRODUCT);
    if (!is_of(policy->tail.top, SST_TAIL_MAX_K + 1) || !is_of(policy->tail.bottom, SST_TAIL_MAX_K + 1))
        return sst_fail(err, SST_ERR_USAGE, "lists of %d greatest and %d smallest values: 0 to %d", policy->tail.top,
                        policy->tail.bottom, SST_TAIL_MAX_K);
    if (!is_of(policy->keep, SST_KEEP_ALL + 1))
        return sst_fail(err, SST_ERR_USAGE, "what to keep, %d: not known", (int)policy->keep);
    if (!policy->has_moments && policy->tail.top == 0 && policy->tail.bottom == 0 && policy->keep != SST_KEEP_ALL)
        return sst_fail(err, SST_ERR_USAGE, "a state without moments and lists has to keep all values");
    if (!(policy->probe_share >= 0.0 && policy->probe_share <= 1.0))
        return sst_fail(err, SST_ERR_USAGE, "share of probes %g: 0 to 1", policy->probe_share);
    if (policy->grid->n_lat > UINT32_MAX / policy->grid->n_lon)
        return sst_fail(err, SST_ERR_USAGE, "grid of %zu x %zu cells: too many for a state", policy->grid->n_lat,
                        policy->grid->n_lon);
    return SST_OK;
}

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void put_members(struct sst_text *text, const struct sst_state_policy *policy)
{
    sst_put_u32(text, LAYOUT);
    sst_put_u32(text, (uint32_t)policy->pools.kind);
    sst_put_u32(text, (uint32_t)policy->pools.leap);
    sst_put_u32(text, (uint32_t)policy->pools.first_year);
    sst_put_u32(text, (uint32_t)policy->pools.last_year);
    sst_put_u32(text, (uint32_t)policy->pools.half_window_days);
    sst_put_u32(text, (uint32_t)policy->lattice);
    sst_put_u32(text, (uint32_t)policy->kind);
    sst_put_u32(text, policy->has_moments);
    sst_put_u32(text, (uint32_t)policy->tail.top);
    sst_put_u32(text, (uint32_t)policy->tail.bottom);
    sst_put_u32(text, (uint32_t)policy->keep);
    sst_put_u64(text, bits_of(policy->probe_share));
    sst_put_u64(text, policy->seed);
}

/* Of the members, the product and the grid, whichever way up it is; probes follow from these. */
static enum sst_status find_identity(const struct sst_state_policy *policy, struct sst_identity *out,
                                     struct sst_error *err)
{
    const uint64_t grid = sst_grid_digest(policy->grid);
    struct sst_digest_chain chain = {0, 0};
    struct sst_text members = {0};
    put_members(&members, policy);
    const enum sst_status rc = sst_text_check(&members, err);
    if (rc == SST_OK) {
        sst_digest_fold(&chain, members.data, members.size);
        sst_digest_fold(&chain, policy->product, strlen(policy->product));
        sst_digest_fold(&chain, &grid, sizeof grid);
        *out = (struct sst_identity){chain.low, chain.high};
    }
    sst_text_clear(&members);
    return rc;
}

/* Of what the identity rounds or leaves out: coordinates to the last bit, and probes. */
static struct sst_digest_chain exact_digest(const struct sst_state_policy *policy)
{
    struct sst_digest_chain chain = {0, 0};
    sst_digest_fold(&chain, policy->grid->lat, policy->grid->n_lat * sizeof *policy->grid->lat);
    sst_digest_fold(&chain, policy->grid->lon, policy->grid->n_lon * sizeof *policy->grid->lon);
    sst_digest_fold(&chain, policy->probes ? (const void *)policy->probes : "",
                    policy->n_probes * sizeof *policy->probes);
    return chain;
}

/* Canonical cells of the probes, ascending. */
static enum sst_status choose_probes(struct sst_state_policy *policy, sst_choose_probes_fn *choose,
                                     struct sst_error *err)
{
    const size_t n_cells = policy->n_cells;
    struct sst_domain domain;
    size_t *chosen = NULL, n_chosen = 0;
    uint8_t *is_probe = NULL;
    enum sst_status rc = SST_OK;
    sst_domain_all(policy->grid, &domain);
    SST_TRY_GOTO(choose(&domain, policy->seed, policy->probe_share, &chosen, &n_chosen, err));
    SST_TRY_GOTO(sst_alloc(n_cells, sizeof *is_probe, "probes", &is_probe, err));
    SST_TRY_GOTO(sst_alloc(n_chosen, sizeof *policy->probes, "probes", &policy->probes, err));
    for (size_t i = 0; i < n_chosen; ++i)
        is_probe[sst_domain_canonical(&domain, chosen[i])] = 1;
    for (size_t cell = 0; cell < n_cells; ++cell)
        if (is_probe[cell])
            policy->probes[policy->n_probes++] = cell;
done:
    sst_free(chosen);
    sst_free(is_probe);
    return rc;
}

enum sst_status sst_state_policy_complete(struct sst_state_policy *policy, sst_choose_probes_fn *choose,
                                          struct sst_error *err)
{
    SST_TRY(check(policy, err));
    policy->n_cells = policy->grid->n_lat * policy->grid->n_lon;
    sst_free(policy->probes);
    policy->probes = NULL;
    policy->n_probes = 0;
    if (policy->keep != SST_KEEP_NONE)
        SST_TRY(choose_probes(policy, choose, err));
    return find_identity(policy, &policy->identity, err);
}

void sst_state_policy_clear(struct sst_state_policy *policy)
{
    sst_grid_destroy(&policy->grid);
    sst_free(policy->product);
    sst_free(policy->probes);
    *policy = (struct sst_state_policy){0};
}

/* --- differences --------------------------------------------------------------------------------------------------- */

/* "what: a and b", where the two texts differ. */
static bool texts_differ(char *text, const char *what, const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return false;
    (void)snprintf(text, DIFFERENCE_SIZE, "%s: %.100s and %.100s", what, a, b);
    return true;
}

static bool numbers_differ(char *text, const char *what, int64_t a, int64_t b)
{
    if (a == b)
        return false;
    (void)snprintf(text, DIFFERENCE_SIZE, "%s: %lld and %lld", what, (long long)a, (long long)b);
    return true;
}

static bool grids_differ(char *text, const struct sst_grid *a, const struct sst_grid *b)
{
    struct sst_grid_map map;
    struct sst_error why = {0};
    if (sst_grid_digest(a) == sst_grid_digest(b))
        return false;
    if (a->n_lat != b->n_lat || a->n_lon != b->n_lon)
        (void)snprintf(text, DIFFERENCE_SIZE, "grid: %zu x %zu and %zu x %zu cells", a->n_lat, a->n_lon, b->n_lat,
                       b->n_lon);
    else if (sst_grid_match(a, b, &map, &why) != SST_OK)
        (void)snprintf(text, DIFFERENCE_SIZE, "grid: %.200s", why.text);
    else
        (void)snprintf(text, DIFFERENCE_SIZE, "grid: coordinates that are not quite the same");
    return true;
}

static bool pools_differ(char *text, const struct sst_pool_rule *a, const struct sst_pool_rule *b)
{
    if (texts_differ(text, "calendar", sst_calendar_name(a->kind), sst_calendar_name(b->kind)) ||
        texts_differ(text, "leap rule", sst_leap_rule_name(a->leap), sst_leap_rule_name(b->leap)))
        return true;
    if (a->first_year != b->first_year || a->last_year != b->last_year) {
        (void)snprintf(text, DIFFERENCE_SIZE, "baseline: %d-%d and %d-%d", a->first_year, a->last_year, b->first_year,
                       b->last_year);
        return true;
    }
    return numbers_differ(text, "largest window [days]", 2 * a->half_window_days + 1, 2 * b->half_window_days + 1);
}

bool sst_state_policy_differs(const struct sst_state_policy *a, const struct sst_state_policy *b, char *text)
{
    text[0] = '\0';
    if (grids_differ(text, a->grid, b->grid) || texts_differ(text, "product", a->product, b->product) ||
        texts_differ(text, "kind of temperature", sst_sst_kind_name(a->kind), sst_sst_kind_name(b->kind)) ||
        texts_differ(text, "lattice", lattice_name(a->lattice), lattice_name(b->lattice)) ||
        pools_differ(text, &a->pools, &b->pools) ||
        texts_differ(text, "moments", a->has_moments ? "kept" : "not kept", b->has_moments ? "kept" : "not kept") ||
        numbers_differ(text, "greatest values kept", a->tail.top, b->tail.top) ||
        numbers_differ(text, "smallest values kept", a->tail.bottom, b->tail.bottom) ||
        texts_differ(text, "values kept", sst_keep_name(a->keep), sst_keep_name(b->keep)))
        return true;
    if (bits_of(a->probe_share) != bits_of(b->probe_share)) {
        (void)snprintf(text, DIFFERENCE_SIZE, "share of probes: %.17g and %.17g", a->probe_share, b->probe_share);
        return true;
    }
    if (a->seed == b->seed)
        return false;
    (void)snprintf(text, DIFFERENCE_SIZE, "seed: %llu and %llu", (unsigned long long)a->seed,
                   (unsigned long long)b->seed);
    return true;
}

/* --- blocks -------------------------------------------------------------------------------------------------------- */

enum sst_status sst_state_policy_encode(const struct sst_state_policy *policy, struct sst_block_writer *writer,
                                        struct sst_error *err)
{
    const struct sst_grid *grid = policy->grid;
    const struct sst_digest_chain exact = exact_digest(policy);
    struct sst_text members = {0};
    enum sst_status rc = SST_OK;
    put_members(&members, policy);
    sst_put_u64(&members, exact.low);
    sst_put_u64(&members, exact.high);
    SST_TRY_GOTO(sst_text_check(&members, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, TAG_MEMBERS, 0, members.data, members.size, false, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, TAG_PRODUCT, 0, policy->product, strlen(policy->product), false, err));
    SST_TRY_GOTO(
        sst_block_writer_add(writer, TAG_LATITUDES, 0, grid->lat, grid->n_lat * sizeof *grid->lat, false, err));
    SST_TRY_GOTO(
        sst_block_writer_add(writer, TAG_LONGITUDES, 0, grid->lon, grid->n_lon * sizeof *grid->lon, false, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, TAG_PROBES, 0, policy->probes ? (const void *)policy->probes : "",
                                      policy->n_probes * sizeof *policy->probes, true, err));
done:
    sst_text_clear(&members);
    return rc;
}

static enum sst_status wrong(const char *what, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "policy: %s", what);
}

static enum sst_status read_members(const struct sst_block_file *file, struct sst_state_policy *out,
                                    struct sst_digest_chain *exact, struct sst_error *err)
{
    const struct sst_block block = sst_block_file_find(file, TAG_MEMBERS, 0);
    struct sst_taken from = {block.bytes, block.bytes ? block.n_bytes : 0, false};
    const uint32_t layout = sst_take_u32(&from);
    if (layout > LAYOUT)
        return wrong("written by a newer version of this program", err);
    out->pools.kind = (enum sst_calendar_kind)sst_take_u32(&from);
    out->pools.leap = (enum sst_leap_rule)sst_take_u32(&from);
    out->pools.first_year = (int)sst_take_u32(&from);
    out->pools.last_year = (int)sst_take_u32(&from);
    out->pools.half_window_days = (int)sst_take_u32(&from);
    out->lattice = (enum sst_lattice_kind)sst_take_u32(&from);
    out->kind = (enum sst_sst_kind)sst_take_u32(&from);
    const uint32_t has_moments = sst_take_u32(&from);
    out->has_moments = has_moments != 0;
    out->tail.top = (int)sst_take_u32(&from);
    out->tail.bottom = (int)sst_take_u32(&from);
    out->keep = (enum sst_keep)sst_take_u32(&from);
    const uint64_t share = sst_take_u64(&from);
    memcpy(&out->probe_share, &share, sizeof share);
    out->seed = sst_take_u64(&from);
    exact->low = sst_take_u64(&from);
    exact->high = sst_take_u64(&from);
    return sst_took_all(&from) && layout == LAYOUT && has_moments <= 1 ? SST_OK : wrong("its members are damaged", err);
}

static enum sst_status read_product(const struct sst_block_file *file, struct sst_state_policy *out,
                                    struct sst_error *err)
{
    const struct sst_block block = sst_block_file_find(file, TAG_PRODUCT, 0);
    if (!block.bytes || block.n_bytes > MAX_PRODUCT || memchr(block.bytes, 0, block.n_bytes))
        return wrong("the product's name is damaged", err);
    SST_TRY(sst_alloc(block.n_bytes + 1, 1, "the product's name", &out->product, err));
    memcpy(out->product, block.bytes, block.n_bytes);
    return SST_OK;
}

/* A copy of an axis, since blocks need not lie where doubles may. */
static enum sst_status read_axis(const struct sst_block_file *file, uint32_t tag, double **axis, size_t *n,
                                 struct sst_error *err)
{
    const struct sst_block block = sst_block_file_find(file, tag, 0);
    if (!block.bytes || block.n_bytes % sizeof **axis != 0)
        return wrong("the grid is damaged", err);
    *n = block.n_bytes / sizeof **axis;
    SST_TRY(sst_alloc(*n, sizeof **axis, "the grid of a state", axis, err));
    memcpy(*axis, block.bytes, block.n_bytes);
    return SST_OK;
}

static enum sst_status read_grid(const struct sst_block_file *file, struct sst_state_policy *out, struct sst_error *err)
{
    double *lat = NULL, *lon = NULL;
    size_t n_lat = 0, n_lon = 0;
    struct sst_error why = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(read_axis(file, TAG_LATITUDES, &lat, &n_lat, err));
    SST_TRY_GOTO(read_axis(file, TAG_LONGITUDES, &lon, &n_lon, err));
    rc = sst_grid_create(lat, n_lat, lon, n_lon, &out->grid, &why);
    if (rc != SST_OK)
        rc = sst_fail(err, rc == SST_ERR_NOMEM ? rc : SST_ERR_STATE, "policy: %s", why.text);
done:
    sst_free(lat);
    sst_free(lon);
    return rc;
}

static enum sst_status read_probes(const struct sst_block_file *file, struct sst_state_policy *out,
                                   struct sst_error *err)
{
    const struct sst_block block = sst_block_file_find(file, TAG_PROBES, 0);
    const size_t n = block.n_bytes / sizeof *out->probes;
    if (!block.bytes || block.n_bytes % sizeof *out->probes != 0 || (n > 0 && out->keep == SST_KEEP_NONE))
        return wrong("the probes are damaged", err);
    SST_TRY(sst_alloc(n, sizeof *out->probes, "probes", &out->probes, err));
    memcpy(out->probes, block.bytes, block.n_bytes);
    out->n_probes = n;
    for (size_t i = 0; i < n; ++i)
        if (out->probes[i] >= out->n_cells || (i > 0 && out->probes[i] <= out->probes[i - 1]))
            return wrong("the probes are damaged", err);
    return SST_OK;
}

enum { N_BLOCKS = 5 };

enum sst_status sst_state_policy_decode(const struct sst_block_file *file, struct sst_state_policy *out,
                                        struct sst_error *err)
{
    const struct sst_identity known = sst_block_file_identity(file);
    struct sst_digest_chain exact = {0, 0};
    struct sst_state_policy made = {0};
    struct sst_error why = {0};
    enum sst_status rc = SST_OK;
    if (sst_block_file_n_blocks(file) != N_BLOCKS)
        return wrong("there are blocks that do not belong here, or some are not there", err);
    SST_TRY_GOTO(read_members(file, &made, &exact, err));
    SST_TRY_GOTO(read_product(file, &made, err));
    SST_TRY_GOTO(read_grid(file, &made, err));
    if (check(&made, &why) != SST_OK) {
        rc = wrong(why.text, err);
        goto done;
    }
    made.n_cells = made.grid->n_lat * made.grid->n_lon;
    SST_TRY_GOTO(read_probes(file, &made, err));
    SST_TRY_GOTO(find_identity(&made, &made.identity, err));
    const struct sst_digest_chain found = exact_digest(&made);
    if (!sst_identity_is(made.identity, known) || found.low != exact.low || found.high != exact.high) {
        rc = wrong("its members are not those that the file was made for", err);
        goto done;
    }
    *out = made;
    return SST_OK;
done:
    sst_state_policy_clear(&made);
    return rc;
}
