/* stream/decode reads the granules as distributed, with the counts and raw ranges that are known of them. */
#include <math.h>
#include <string.h>

#include "decoded.h"
#include "parity.h"
#include "test_main.h"

#define NCEI "20050101120000-NCEI-L4_GHRSST-SSTblend-AVHRR_OI-GLOB-v02.0-fv02.0.nc"
#define OSTIA "20170101120000-UKMO-L4_GHRSST-SSTfnd-OSTIAanom-GLOB-v02.0-fv02.0.nc"
#define MUR25 "20181231090000-JPL-L4_GHRSST-SSTfnd-MUR25-GLOB-v02.0-fv04.2.nc"
#define L3C "19910916120000-ESACCI-L3C_GHRSST-SSTskin-AVHRR12_G-CDR2.1_night-v02.0-fv01.0.nc"

/* netCDF-C 4.9.0 itself loses 49 bytes when it opens the L3C tile, whose _NCProperties is no text. */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

static const char *granule(const char *name) { return test_path("%s/granules/%s", test_data_dir(), name); }

static void check_day(const struct decoded *decoded, int year, int month, int day)
{
    ck_assert_uint_eq(decoded->info->n_steps, 1);
    ck_assert_int_eq(decoded->info->steps[0].at.day.year, year);
    ck_assert_int_eq(decoded->info->steps[0].at.day.slot, sst_calendar_slot(decoded->info->calendar, month, day));
}

START_TEST(ncei_oisst_has_its_codes_fills_and_ice)
{
    struct decoded d;
    decoded_read(&d, granule(NCEI), NULL);
    decoded_must_be_ok(&d);
    ck_assert_str_eq(d.info->variable, "analysed_sst");
    ck_assert_str_eq(d.info->format, "netCDF-4");
    ck_assert_int_eq(d.info->kind, SST_KIND_SURFACE);
    ck_assert_int_eq(d.info->lattice, SST_LATTICE_CENTI);
    ck_assert(d.info->lattice_is_exact && d.info->is_packed && !d.info->is_preliminary);
    ck_assert_uint_eq(d.info->steps_per_chunk, 1);
    ck_assert_str_eq(d.info->ice_source, "sea_ice_fraction");
    ck_assert_str_eq(d.info->mask_source, "mask");
    check_day(&d, 2005, 1, 1);
    ck_assert_uint_eq(d.stats.n_missing, 345650);
    ck_assert_uint_eq(d.stats.n_valid, 720 * 1440 - 345650);
    ck_assert_uint_eq(d.stats.n_land + d.stats.n_lake + d.stats.n_implausible + d.stats.n_off_lattice, 0);
    ck_assert_double_eq(d.stats.raw_min, -180);
    ck_assert_double_eq(d.stats.raw_max, 3202);
    /* All declared concentrations are 15 % and more; 907,598 cells have none. */
    size_t n_ice = 0;
    for (size_t cell = 0; cell < d.domain.n_cells; ++cell)
        n_ice += d.field.ice[cell];
    ck_assert(d.field.has_ice);
    ck_assert_uint_eq(n_ice, 720 * 1440 - 907598);
    ck_assert_str_eq(d.notes, "");
    decoded_clear(&d);
}
END_TEST

START_TEST(mur25_is_exact_in_thousandths)
{
    struct decoded d;
    decoded_read(&d, granule(MUR25), NULL);
    decoded_must_be_ok(&d);
    ck_assert_int_eq(d.info->lattice, SST_LATTICE_MILLI);
    ck_assert(d.info->lattice_is_exact);
    ck_assert_int_eq(d.info->kind, SST_KIND_FOUNDATION);
    check_day(&d, 2018, 12, 31);
    ck_assert_uint_eq(d.stats.n_missing, 344125);
    ck_assert_double_eq(d.stats.raw_min, -26800);
    ck_assert_double_eq(d.stats.raw_max, 7095);
    int16_t lowest = INT16_MAX, highest = INT16_MIN, highest_hundredths = INT16_MIN;
    for (size_t cell = 0; cell < d.domain.n_cells; ++cell) {
        if (d.field.codes[cell] == SST_CODE_MISSING)
            continue;
        lowest = d.field.codes[cell] < lowest ? d.field.codes[cell] : lowest;
        highest = d.field.codes[cell] > highest ? d.field.codes[cell] : highest;
        highest_hundredths =
            d.field.hundredths[cell] > highest_hundredths ? d.field.hundredths[cell] : highest_hundredths;
    }
    /* -26800 is -1.800 degC, 7095 is 32.095 degC; codes count from 15 degC. */
    ck_assert_int_eq(lowest, -16800);
    ck_assert_int_eq(highest, 17095);
    ck_assert_int_eq(highest_hundredths, 3210);
    decoded_clear(&d);
}
END_TEST

START_TEST(ostia_is_not_taken_for_its_anomaly)
{
    struct decoded d;
    decoded_read(&d, granule(OSTIA), NULL);
    decoded_must_be_ok(&d);
    ck_assert_str_eq(d.info->variable, "analysed_sst");
    ck_assert_str_eq(d.info->format, "netCDF-3 (CDF-1)");
    ck_assert_int_eq(d.info->kind, SST_KIND_FOUNDATION);
    ck_assert_int_eq(d.info->lattice, SST_LATTICE_CENTI);
    check_day(&d, 2017, 1, 1);
    ck_assert_uint_eq(d.stats.n_missing, 332995);
    ck_assert_double_eq(d.stats.raw_min, -200);
    ck_assert_double_eq(d.stats.raw_max, 3338);
    ck_assert(!d.field.has_ice);
    decoded_clear(&d);
}
END_TEST

START_TEST(the_grids_of_ostia_and_ncei_are_the_same_cells_half_a_turn_apart_and_their_kinds_differ)
{
    struct decoded ncei, ostia;
    struct sst_grid_map map;
    struct sst_error err = {0};
    decoded_open(&ncei, granule(NCEI), NULL);
    decoded_open(&ostia, granule(OSTIA), NULL);
    decoded_must_be_ok(&ncei);
    decoded_must_be_ok(&ostia);
    ck_assert_double_eq(ncei.info->grid->lon[0], -179.875);
    ck_assert_double_eq(ostia.info->grid->lon[0], 0.125);
    ck_assert_int_eq(sst_grid_match(ncei.info->grid, ostia.info->grid, &map, &err), SST_OK);
    ck_assert_uint_eq(map.shift_lon, 720);
    ck_assert(!map.flip_lat);
    ck_assert_int_ne(ncei.info->kind, ostia.info->kind);
    decoded_clear(&ncei);
    decoded_clear(&ostia);
}
END_TEST

START_TEST(the_classic_oisst_with_a_level_reads_like_its_numbers)
{
    struct decoded d;
    decoded_read(&d, granule("oisst-v2_19811231_2deg.nc"), NULL);
    decoded_must_be_ok(&d);
    ck_assert_str_eq(d.info->variable, "sst");
    ck_assert_int_eq(d.info->kind, SST_KIND_SURFACE);
    check_day(&d, 1981, 12, 31);
    ck_assert_uint_eq(d.stats.n_missing, 4448);
    ck_assert_double_eq(d.stats.raw_min, -180);
    ck_assert_double_eq(d.stats.raw_max, 3297);
    /* Its ice says percent and holds fractions: 1..100 times 0.01. */
    ck_assert_str_eq(d.info->ice_source, "ice");
    ck_assert_uint_gt(d.stats.n_ice, 1000);
    decoded_clear(&d);
}
END_TEST

START_TEST(tiles_without_and_with_values)
{
    struct decoded d;
    decoded_read(&d, granule("empty_mur.nc4"), NULL);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.stats.n_missing, 51 * 51);
    ck_assert_uint_eq(d.stats.n_valid, 0);
    ck_assert(isnan(d.stats.raw_min));
    ck_assert_str_eq(d.info->ice_source, "sea_ice_fraction");
    ck_assert_str_eq(d.info->mask_source, "mask");
    decoded_clear(&d);
    decoded_read(&d, granule("not_empty_avhrr.nc4"), NULL);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.stats.n_valid, 121);
    ck_assert_double_eq(d.stats.raw_min, 1655);
    ck_assert_double_eq(d.stats.raw_max, 1827);
    check_day(&d, 2016, 5, 1);
    decoded_clear(&d);
}
END_TEST

START_TEST(files_without_sst_are_refused_by_name)
{
    struct decoded d;
    decoded_read(&d, granule(L3C), NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, L3C, "no SST variable", "adjustment_alt, wind_speed", "--var NAME");
    decoded_clear(&d);
    decoded_read(&d, granule("era5_2t_1.nc"), NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "era5_2t_1.nc: no SST variable; candidates: t2m", "--var t2m");
    decoded_clear(&d);
}
END_TEST

/* 2 m temperature of the tropics is plausible; the poles are not, and the whole field is refused. */
static double tropical_mean(const char *name)
{
    const struct sst_decode_options options = {.variable = "t2m"};
    const struct sst_grid_map same = {0};
    struct decoded d;
    decoded_read(&d, granule(name), &options);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "t2m", "outside -5..50 degC", "latitude 80");
    sst_error_clear(&d.err);
    ck_assert(!d.info->lattice_is_exact);
    ck_assert_int_eq(d.info->lattice, SST_LATTICE_MILLI);
    ck_assert_int_eq(sst_domain_box(d.info->grid, 140, -1, 240, 1, &d.domain, &d.err), SST_OK);
    if (sst_file_decode(d.file, 0, &d.domain, &same, SST_LATTICE_MILLI, &d.field, &d.stats, &d.err) != SST_OK)
        ck_abort_msg("%s", d.err.text);
    ck_assert_uint_eq(d.stats.n_valid, d.domain.n_cells);
    double sum = 0.0;
    for (size_t cell = 0; cell < d.domain.n_cells; ++cell)
        sum += sst_lattice_degc(sst_lattice_of(SST_LATTICE_MILLI), d.field.codes[cell]);
    sum /= (double)d.domain.n_cells;
    decoded_clear(&d);
    return sum;
}

START_TEST(two_files_of_unlike_packing_give_like_temperatures)
{
    const double first = tropical_mean("era5_2t_1.nc"), second = tropical_mean("era5_2t_2.nc");
    ck_assert_double_gt(first, 20.0);
    ck_assert_double_lt(first, 32.0);
    ck_assert_double_eq_tol(first, second, 2.0);
}
END_TEST

START_TEST(the_packed_series_gives_every_day)
{
    struct decoded d;
    decoded_open(&d, test_path("%s/tasman/tasman_oisst_v2_1982-2016_packed.nc", test_data_dir()), NULL);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.info->n_steps, 12784);
    ck_assert_uint_eq(d.info->steps_per_chunk, 366);
    ck_assert_str_eq(d.info->units, "degree_Celsius");
    ck_assert_ptr_nonnull(strstr(d.notes, "units 'degrees C' taken as degree_Celsius"));
    size_t n_missing = 0;
    for (size_t step = 0; step < d.info->n_steps; ++step) {
        decoded_step(&d, step, SST_LATTICE_CENTI);
        decoded_must_be_ok(&d);
        n_missing += d.stats.n_missing;
    }
    ck_assert_uint_eq(n_missing, 83 * 12784);
    ck_assert_int_eq(d.info->steps[0].at.day.year, 1982);
    ck_assert_int_eq(d.info->steps[12783].at.day.slot, 366);
    decoded_clear(&d);
}
END_TEST

START_TEST(directly_and_by_the_library_they_are_the_same)
{
    static const struct {
        const char *name, *reading;
    } files[] = {
        {"granules/" NCEI, "chunks read directly: shuffle, deflate"},
        {"granules/" OSTIA, "read directly"},
        {"granules/" MUR25, "chunks read directly: shuffle, deflate"},
        {"granules/" L3C, "chunks read directly: shuffle, deflate"},
        {"granules/oisst-v2_19811231_2deg.nc", "read directly"},
        {"granules/not_empty_avhrr.nc4", NULL},
        {"granules/empty_mur.nc4", NULL},
        {"granules/era5_2t_1.nc", NULL},
        {"tasman/oisst_2003_2004.nc", NULL},
        {"tasman/tasman_oisst_v2_1982-2016_packed.nc", "chunks read directly: shuffle, deflate"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
        (void)parity_expect_own(test_path("%s/%s", test_data_dir(), files[i].name), files[i].reading);
}
END_TEST

Suite *test_suite(void)
{
    test_need_data();
    Suite *suite = suite_create("granules");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, ncei_oisst_has_its_codes_fills_and_ice);
    tcase_add_test(tc, mur25_is_exact_in_thousandths);
    tcase_add_test(tc, ostia_is_not_taken_for_its_anomaly);
    tcase_add_test(tc, the_grids_of_ostia_and_ncei_are_the_same_cells_half_a_turn_apart_and_their_kinds_differ);
    tcase_add_test(tc, the_classic_oisst_with_a_level_reads_like_its_numbers);
    tcase_add_test(tc, tiles_without_and_with_values);
    tcase_add_test(tc, files_without_sst_are_refused_by_name);
    tcase_add_test(tc, two_files_of_unlike_packing_give_like_temperatures);
    tcase_add_test(tc, the_packed_series_gives_every_day);
    tcase_add_test(tc, directly_and_by_the_library_they_are_the_same);
    suite_add_tcase(suite, tc);
    return suite;
}
