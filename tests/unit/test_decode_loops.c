/* stream/decode_loops and decode_plain against plain arithmetic, value by value. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "plain_code.h"
#include "random.h"
#include "stream/decode_direct.h"
#include "test_main.h"

enum { N_SHORTS = 65536 };

/* As ck_assert_msg, which takes too long to be asked of each of a million values. */
#define must(condition, ...)                                                                                           \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            ck_abort_msg(__VA_ARGS__);                                                                                 \
    } while (0)

static const struct plain_packing packings[] = {
    {NC_SHORT, 0.01F, 0, 0, {-32767, -999}, 2, -300, 4500, NAN, SST_LATTICE_CENTI, true}, /* OISST */
    {NC_SHORT, 0.01, 0, 0, {-32767, -999}, 2, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, true},
    {NC_SHORT, 0.01, 273.15F, -273.15, {-32767, -32768}, 2, -300, 4500, NAN, SST_LATTICE_CENTI, true}, /* OSTIA */
    {NC_SHORT, 0.01, 273.15, -273.15, {-32767, 100, 101, 2000}, 4, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, true},
    {NC_SHORT, 0.01, 0, 0, {-32767, 100, 200, 300, 400, 500}, 6, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
    {NC_SHORT, 0.001, 298.15, -273.15, {-32767, -32768}, 2, PLAIN_ALL_VALID, NAN, SST_LATTICE_MILLI, true}, /* MUR */
    {NC_SHORT, 0.01, 25.0, 0, {-32767}, 1, -2700, 2000, NAN, SST_LATTICE_CENTI, true},
    {NC_SHORT, 0.01, 0.005, 0, {-32767}, 1, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
    {NC_SHORT, 0.02, 0, 0, {-32767}, 1, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
    {NC_SHORT, -0.01, 0, 0, {-32767}, 1, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
    {NC_SHORT, 0.01, 0, 0, {-32767}, 1, PLAIN_ALL_VALID, NAN, SST_LATTICE_MILLI, false},
    {NC_SHORT, 0.01, 0, 0, {-32767}, 1, 5000, -5000, NAN, SST_LATTICE_CENTI, false}, /* all missing */
    {NC_SHORT, 0.1, 0, 0, {-32767}, 1, PLAIN_ALL_VALID, -1000.0, SST_LATTICE_CENTI, false}, /* HadISST in tenths */
    {NC_SHORT, 0.01, -700, 0, {-32767}, 1, PLAIN_ALL_VALID, -1000.0, SST_LATTICE_CENTI, false},
    {NC_USHORT, 0.01, 0, -273.15, {65535}, 1, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, true},
    {NC_USHORT, 0.01, -5, 0, {65535, 0}, 2, 1, 5500, NAN, SST_LATTICE_CENTI, true},
    {NC_USHORT, 0.001, -5, 0, {65535, 40000}, 2, PLAIN_ALL_VALID, NAN, SST_LATTICE_MILLI, true},
    {NC_USHORT, 0.01, -300, 0, {65535}, 1, 32760, 32780, NAN, SST_LATTICE_CENTI, true},
};
enum { N_PACKINGS = sizeof packings / sizeof *packings };

static double number_of(nc_type type, uint16_t bits) { return type == NC_SHORT ? (double)(int16_t)bits : (double)bits; }

static struct sst_decode_variable variable_of(const struct plain_packing *packing)
{
    struct sst_decode_variable variable = {.type = packing->type,
                                           .scale = packing->scale,
                                           .offset = packing->offset,
                                           .n_fills = packing->n_fills,
                                           .valid_min = packing->valid_min,
                                           .valid_max = packing->valid_max};
    memcpy(variable.fills, packing->fills, sizeof packing->fills);
    return variable;
}

/* As much of a file as making tables looks at. */
static struct sst_file *file_of(const struct plain_packing *packing, struct sst_decode_scratch *scratch)
{
    static struct sst_file file;
    file = (struct sst_file){.scratch = scratch, .sst = variable_of(packing), .info = {.n_steps = 1}};
    file.to_degc = (struct sst_decode_conversion){.slope = 1.0, .intercept = packing->intercept};
    file.ice_code_degc = packing->ice_degc;
    file.ice_scale = 1.0;
    return &file;
}

static struct sst_decode_scratch *new_scratch(void)
{
    struct sst_decode_scratch *scratch = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_decode_scratch_create(&scratch, &err), SST_OK);
    return scratch;
}

static const struct sst_domain large = {.n_cells = 1 << 20}, small = {.n_cells = 100};

static const struct sst_decode_codes *find_codes(const struct plain_packing *packing,
                                                 struct sst_decode_scratch *scratch, const struct sst_domain *domain)
{
    const struct sst_decode_box box = {.domain = domain};
    const struct sst_decode_codes *kept = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_decode_find_codes(file_of(packing, scratch), packing->lattice, &box, &kept, &err), SST_OK);
    return kept;
}

static void expect_codes(const struct plain_packing *packing, const struct sst_decode_codes *kept,
                         const uint16_t *stored, size_t n)
{
    static int16_t codes[N_SHORTS + 1];
    struct sst_loop_range range = {INT32_MAX, INT32_MIN};
    double low = INFINITY, high = -INFINITY;
    codes[n] = 12345;
    sst_loop_short_codes(&kept->plain, kept->table, stored, n, codes, &range);
    ck_assert_int_eq(codes[n], 12345);
    for (size_t i = 0; i < n; ++i) {
        const double number = number_of(packing->type, stored[i]);
        const int16_t expected = plain_code(packing, number);
        must(codes[i] == expected, "packing %d: %g gives %d, not %d", (int)(packing - packings), number, codes[i],
             expected);
        low = expected != SST_CODE_MISSING && number < low ? number : low;
        high = expected != SST_CODE_MISSING && number > high ? number : high;
    }
    ck_assert_int_eq(range.low <= range.high, low <= high);
    if (low <= high) {
        ck_assert_double_eq(range.low, low);
        ck_assert_double_eq(range.high, high);
    }
}

static const size_t lengths[] = {1, 7, 15, 16, 31, 33, 100, 1440};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

START_TEST(every_16_bit_number_has_the_code_of_plain_arithmetic)
{
    static uint16_t stored[N_SHORTS];
    const struct plain_packing *packing = &packings[_i];
    struct sst_decode_scratch *scratch = new_scratch();
    struct test_random random = {7};
    const struct sst_decode_codes *kept = find_codes(packing, scratch, &large);
    ck_assert_msg(kept->plain.is_plain == packing->is_plain, "packing %d is%s plain", _i,
                  packing->is_plain ? " not" : "");
    for (size_t i = 0; i < N_SHORTS; ++i)
        stored[i] = (uint16_t)i;
    expect_codes(packing, kept, stored, N_SHORTS);
    for (int k = 0; k < 2000; ++k) {
        /* Rows about one number, as fields are, and of any numbers. */
        const int centre = test_random_below(&random, N_SHORTS), width = k % 2 ? 3000 : N_SHORTS;
        const size_t n = lengths[k % N_LENGTHS];
        for (size_t i = 0; i < n; ++i)
            stored[i] = (uint16_t)(centre + test_random_below(&random, width));
        if (k % 3 == 0)
            stored[n / 2] = (uint16_t)(int)packing->fills[0];
        expect_codes(packing, kept, stored, n);
    }
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

START_TEST(tables_are_kept_for_one_packing_and_made_anew_for_another)
{
    static uint16_t stored[N_SHORTS];
    struct sst_decode_scratch *scratch = new_scratch();
    for (size_t i = 0; i < N_SHORTS; ++i)
        stored[i] = (uint16_t)i;
    ck_assert_ptr_null(find_codes(&packings[0], scratch, &small));
    for (int k = 0; k < 3 * N_PACKINGS; ++k) {
        const struct plain_packing *packing = &packings[k * 7 % N_PACKINGS];
        const struct sst_decode_codes *kept = find_codes(packing, scratch, &large);
        expect_codes(packing, kept, stored, N_SHORTS);
        /* Once made they serve few cells too; a mark put there shows that they are not made again. */
        kept->table[5] ^= 1;
        const int16_t marked = kept->table[5];
        ck_assert_ptr_eq(find_codes(packing, scratch, &small), kept);
        ck_assert_int_eq(kept->table[5], marked);
        struct plain_packing other = *packing;
        other.ice_degc = 77.0;
        ck_assert_ptr_null(find_codes(&other, scratch, &small));
        other = *packing;
        other.fills[0] = 3.0;
        ck_assert_ptr_null(find_codes(&other, scratch, &small));
        other = *packing;
        other.lattice = packing->lattice == SST_LATTICE_CENTI ? SST_LATTICE_MILLI : SST_LATTICE_CENTI;
        ck_assert_ptr_null(find_codes(&other, scratch, &small));
    }
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

/* Numbers as doubles, those of a packing and all kinds of others. */
static double odd_number(struct test_random *random, const struct plain_packing *packing)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, DBL_MIN / 8, 1e20, -1e300, 0.005, 9.96921e36F};
    const int kind = test_random_below(random, 12);
    if (kind == 0)
        return odd[test_random_below(random, sizeof odd / sizeof *odd)];
    if (kind == 1)
        return packing->fills[test_random_below(random, (int)packing->n_fills)];
    if (kind == 2)
        return (double)test_random_below(random, 60000) / 997.0;
    const double hundredths = (double)(test_random_below(random, 3600) - 180);
    return packing->scale == 1.0 ? hundredths / 100.0 : hundredths;
}

static const struct plain_packing wide[] = {
    {NC_FLOAT, 1.0, 0, 0, {9.96921e36F, -9.99e8F, 1e20F}, 3, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
    {NC_FLOAT, 1.0, 0, -273.15, {9.96921e36F, 1, 2, 3, 4, 5}, 6, 0.0, 400.0, NAN, SST_LATTICE_MILLI, false},
    {NC_DOUBLE, 1.0, 0, 0, {9.96921e36}, 1, PLAIN_ALL_VALID, -1000.0, SST_LATTICE_CENTI, false},
    {NC_DOUBLE, 1.0, 0, 0, {9.96921e36}, 1, PLAIN_ALL_VALID, 1e20, SST_LATTICE_MILLI, false},
    {NC_INT, 0.01, 0, 0, {-2147483647, -999}, 2, -300, 4500, NAN, SST_LATTICE_CENTI, false},
    {NC_INT, 0.001, 0, 0, {-2147483647, 500, 501, 502, 503}, 5, PLAIN_ALL_VALID, NAN, SST_LATTICE_MILLI, false},
    {NC_UINT, 0.01, 0, 0, {4294967295.0}, 1, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
};
enum { N_WIDE = sizeof wide / sizeof *wide, LONGEST = 1440 };

/* Stores a number in the variable's type and tells what is then there. */
static double put(nc_type type, double number, unsigned char *at)
{
    const bool fits = isfinite(number) && fabs(number) < 2e9;
    const int32_t whole = fits ? (int32_t)number : -2147483647;
    const uint32_t natural = fits && number >= 0 ? (uint32_t)number : UINT32_MAX;
    const float single = (float)number;
    switch (type) {
    case NC_INT:
        memcpy(at, &whole, sizeof whole);
        return whole;
    case NC_UINT:
        memcpy(at, &natural, sizeof natural);
        return natural;
    case NC_FLOAT:
        memcpy(at, &single, sizeof single);
        return (double)single;
    default:
        memcpy(at, &number, sizeof number);
        return number;
    }
}

START_TEST(wider_numbers_have_the_codes_of_plain_arithmetic)
{
    static _Alignas(8) unsigned char stored[LONGEST * 8];
    static double numbers[LONGEST], values[LONGEST];
    int16_t codes[LONGEST];
    const struct plain_packing *packing = &wide[_i];
    const struct sst_decode_variable variable = variable_of(packing);
    const struct sst_decode_conversion to_degc = {1.0, packing->intercept};
    const struct sst_loop_rule rule = {&variable, &to_degc, sst_lattice_of(packing->lattice), packing->ice_degc};
    struct test_random random = {11};
    for (int k = 0; k < 3000; ++k) {
        const size_t n = lengths[k % N_LENGTHS];
        size_t n_off = 0;
        double low = INFINITY, high = -INFINITY, least = INFINITY, greatest = -INFINITY;
        for (size_t i = 0; i < n; ++i)
            numbers[i] =
                put(packing->type, odd_number(&random, packing), stored + i * sst_decode_type_size(packing->type));
        sst_loop_widen(&variable, stored, n, values);
        const size_t seen_off = sst_loop_codes_off_lattice(&rule, values, n, codes);
        sst_loop_widen_range(values, n, &least, &greatest);
        for (size_t i = 0; i < n; ++i) {
            const int16_t expected = plain_code(packing, numbers[i]);
            must(codes[i] == expected, "%.17g gives %d, not %d", numbers[i], codes[i], expected);
            must(expected == SST_CODE_MISSING ? isnan(values[i]) : values[i] == numbers[i], "widened to %g", values[i]);
            n_off += expected >= SST_DECODE_LOWEST_CODE && plain_is_off(packing, numbers[i]);
            low = expected != SST_CODE_MISSING ? fmin(low, numbers[i]) : low;
            high = expected != SST_CODE_MISSING ? fmax(high, numbers[i]) : high;
        }
        ck_assert_uint_eq(seen_off, n_off);
        ck_assert(least == low && greatest == high);
        sst_loop_codes(&rule, values, n, codes);
        for (size_t i = 0; i < n; ++i)
            must(codes[i] == plain_code(packing, numbers[i]), "%.17g gives %d", numbers[i], codes[i]);
    }
}
END_TEST

START_TEST(classes_are_those_of_the_table_plain_or_not)
{
    static uint8_t table[N_SHORTS], classes[N_SHORTS];
    static uint16_t shorts[N_SHORTS];
    static uint8_t bytes[N_SHORTS];
    const bool is_signed = _i & 1, is_byte = (_i & 2) != 0, has_many = (_i & 4) != 0;
    const int n = is_byte ? 256 : N_SHORTS;
    struct test_random random = {(uint64_t)_i};
    for (int bits = 0; bits < n; ++bits) {
        const int number = !is_signed ? bits : is_byte ? (int8_t)bits : (int16_t)bits;
        table[bits] = number >= 15 && number <= 101 && number != 99 && number != 20 && number != 21 && number != 50;
        if (has_many)
            table[bits] = (uint8_t)(bits % 5);
    }
    const struct sst_plain_classes plain = sst_plain_classes_of(table, is_byte ? 8 : 16, is_signed);
    ck_assert_int_eq(plain.is_plain, !has_many);
    for (int k = 0; k < 300; ++k) {
        const size_t length = k == 0 ? N_SHORTS : lengths[k % N_LENGTHS];
        for (size_t i = 0; i < length; ++i) {
            shorts[i] = k == 0 ? (uint16_t)i
                               : (uint16_t)(i > 0 && test_random_below(&random, 9) ? shorts[i - 1]
                                                                                   : test_random_below(&random, 130));
            bytes[i] = (uint8_t)shorts[i];
        }
        if (is_byte)
            sst_loop_byte_classes(&plain, table, bytes, length, classes);
        else
            sst_loop_short_classes(&plain, table, shorts, length, classes);
        for (size_t i = 0; i < length; ++i)
            must(classes[i] == table[is_byte ? bytes[i] : shorts[i]], "cell %zu of %zu", i, length);
    }
}
END_TEST

START_TEST(classes_with_five_gaps_are_not_plain)
{
    uint8_t table[256];
    for (int bits = 0; bits < 256; ++bits)
        table[bits] = bits >= 10 && bits <= 60 && bits % 10 != 5;
    ck_assert(!sst_plain_classes_of(table, 8, false).is_plain);
    memset(table, 0, sizeof table);
    ck_assert(sst_plain_classes_of(table, 8, false).is_plain);
    memset(table, 1, sizeof table);
    ck_assert(!sst_plain_classes_of(table, 8, true).is_plain);
}
END_TEST

START_TEST(land_lakes_ice_and_marks_are_counted_cell_by_cell)
{
    static int16_t codes[10000], cleared[10000];
    static uint8_t mask[10000], ice[10000], of_mask[10000];
    struct test_random random = {5};
    for (int k = 0; k < 50; ++k) {
        const size_t n = k == 0 ? 10000 : lengths[k % N_LENGTHS];
        struct sst_loop_tally expected = {0}, tally = {0};
        for (size_t i = 0; i < n; ++i) {
            codes[i] = (int16_t)(SST_CODE_MISSING + test_random_below(&random, 8));
            mask[i] = (uint8_t)test_random_below(&random, 8);
            ice[i] = (uint8_t)test_random_below(&random, 2);
            const bool is_land = codes[i] != SST_CODE_MISSING && (mask[i] & SST_MASK_LAND);
            const bool is_lake = codes[i] != SST_CODE_MISSING && !is_land && (mask[i] & SST_MASK_LAKE);
            cleared[i] = is_land || is_lake ? SST_CODE_MISSING : codes[i];
            expected.n_land += is_land;
            expected.n_lake += is_lake;
            expected.n_values += cleared[i] >= SST_DECODE_LOWEST_CODE;
            expected.n_marks += cleared[i] < SST_DECODE_LOWEST_CODE && cleared[i] != SST_CODE_MISSING;
            expected.n_ice += cleared[i] >= SST_DECODE_LOWEST_CODE && ice[i];
        }
        sst_loop_leave_out_land(mask, n, codes, &tally);
        sst_loop_count(codes, ice, n, &tally);
        ck_assert_int_eq(memcmp(codes, cleared, n * sizeof *codes), 0);
        ck_assert_int_eq(memcmp(&tally, &expected, sizeof tally), 0);
        sst_loop_ice_of_mask(mask, n, of_mask);
        for (size_t i = 0; i < n; ++i)
            must(of_mask[i] == ((mask[i] & SST_MASK_ICE) ? 1 : 0), "cell %zu", i);
    }
}
END_TEST

START_TEST(hundredths_of_every_code_are_the_nearest_and_even_of_two)
{
    static int16_t codes[N_SHORTS], hundredths[N_SHORTS];
    for (int i = 0; i < N_SHORTS; ++i)
        codes[i] = (int16_t)(i + INT16_MIN);
    sst_loop_hundredths(sst_lattice_of(SST_LATTICE_MILLI), codes, N_SHORTS, hundredths);
    ck_assert_int_eq(hundredths[0], SST_CODE_MISSING);
    for (int i = 1; i < N_SHORTS; ++i)
        must(hundredths[i] == (int)nearbyint((codes[i] + 15000) / 10.0), "code %d gives %d", codes[i], hundredths[i]);
}
END_TEST

START_TEST(unshuffled_bytes_are_each_in_their_place)
{
    static unsigned char in[8 * 300 + 8], out[8 * 300 + 8];
    static const size_t items[] = {1, 2, 4, 8};
    struct test_random random = {3};
    for (size_t i = 0; i < sizeof in; ++i)
        in[i] = (unsigned char)test_random_below(&random, 256);
    for (size_t n_bytes = 0; n_bytes < 8 * 300; n_bytes += n_bytes < 400 ? 1 : 97) {
        for (size_t k = 0; k < 8; ++k) {
            const size_t item = items[k / 2], n = n_bytes / item;
            const bool swaps = k % 2;
            memset(out, 0xA5, sizeof out);
            sst_direct_unshuffle(in, n_bytes, item, swaps, out);
            for (size_t i = 0; i < n * item; ++i) {
                const size_t byte = swaps ? item - 1 - i % item : i % item;
                must(out[i] == in[byte * n + i / item], "byte %zu of %zu", i, n_bytes);
            }
            ck_assert_int_eq(memcmp(out + n * item, in + n * item, n_bytes - n * item), 0);
            ck_assert_int_eq(out[n_bytes], 0xA5);
        }
    }
}
END_TEST

static uint32_t add_and_carry(uint32_t sum, uint32_t more)
{
    sum += more;
    return (sum & 0xFFFF) + (sum >> 16);
}

START_TEST(checksums_are_those_of_word_by_word_sums)
{
    enum { SIZE = 400001 };
    static unsigned char bytes[SIZE];
    struct test_random random = {9};
    for (size_t i = 0; i < SIZE; ++i)
        bytes[i] = (unsigned char)(_i == 0 ? test_random_below(&random, 256) : _i == 1 ? 0xFF : 0);
    for (size_t n = 0; n <= SIZE; n += n < 600 ? 1 : 133133) {
        uint32_t sum = 0, sums = 0;
        for (size_t i = 0; i < n; i += 2) {
            sum = add_and_carry(sum, (uint32_t)bytes[i] << 8 | (i + 1 < n ? bytes[i + 1] : 0U));
            sums = add_and_carry(sums, sum);
        }
        ck_assert_uint_eq(sst_direct_fletcher32(bytes, n), sums << 16 | sum);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_loops");
    TCase *tc = tcase_create("loops");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, every_16_bit_number_has_the_code_of_plain_arithmetic, 0, N_PACKINGS);
    tcase_add_test(tc, tables_are_kept_for_one_packing_and_made_anew_for_another);
    tcase_add_loop_test(tc, wider_numbers_have_the_codes_of_plain_arithmetic, 0, N_WIDE);
    tcase_add_loop_test(tc, classes_are_those_of_the_table_plain_or_not, 0, 8);
    tcase_add_test(tc, classes_with_five_gaps_are_not_plain);
    tcase_add_test(tc, land_lakes_ice_and_marks_are_counted_cell_by_cell);
    tcase_add_test(tc, hundredths_of_every_code_are_the_nearest_and_even_of_two);
    tcase_add_test(tc, unshuffled_bytes_are_each_in_their_place);
    tcase_add_loop_test(tc, checksums_are_those_of_word_by_word_sums, 0, 3);
    suite_add_tcase(suite, tc);
    return suite;
}
