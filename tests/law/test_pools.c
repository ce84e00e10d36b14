/*
 * Pools by terms hold the days that the rule's own words give, each once.
 *
 * The plain side knows nothing of core/calendar: it writes out all days of a few years one after the other and takes H
 * days either side by position.
 * ctest-labels: figures
 */
#include <stdlib.h>
#include <string.h>

#include "core/calendar.h"
#include "test_main.h"

enum { MAX_YEARS = 36, MAX_DAYS = MAX_YEARS * 366, N_RULES = 3 };

/* Years beside the baseline that are written out. */
enum { MARGIN_YEARS = 2 };

/* How often a pool holds the day of each year (from the first year written out) and slot. */
struct pool {
    unsigned char times[MAX_YEARS][SST_N_SLOTS + 1];
};

/* All days, in order of time. */
struct days {
    int n_days, n_slots, first_year, n_years;
    struct sst_day day[MAX_DAYS];
};

static bool plain_leap(enum sst_calendar_kind kind, int year)
{
    if (kind == SST_CALENDAR_NOLEAP)
        return false;
    return kind == SST_CALENDAR_ALL_LEAP || (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

static void write_out(const struct sst_pool_rule *rule, struct days *days)
{
    days->n_days = 0;
    days->n_slots = rule->kind == SST_CALENDAR_360_DAY ? 360 : 366;
    days->first_year = rule->first_year - MARGIN_YEARS;
    days->n_years = rule->last_year - rule->first_year + 1 + 2 * MARGIN_YEARS;
    ck_assert_int_le(days->n_years, MAX_YEARS);
    for (int year = days->first_year; year < days->first_year + days->n_years; ++year)
        for (int slot = 1; slot <= days->n_slots; ++slot)
            if (days->n_slots == 360 || slot != 60 || plain_leap(rule->kind, year))
                days->day[days->n_days++] = (struct sst_day){year, slot};
}

static bool plain_in_baseline(const struct sst_pool_rule *rule, int year)
{
    return year >= rule->first_year && year <= rule->last_year;
}

static void pool_add(struct pool *pool, const struct days *days, struct sst_day day)
{
    ++pool->times[day.year - days->first_year][day.slot];
}

/* H days by date round each occurrence of the centre in the baseline. */
static void plain_hobday(const struct sst_pool_rule *rule, const struct days *days, int centre, struct pool *pool)
{
    for (int at = 0; at < days->n_days; ++at) {
        if (days->day[at].slot != centre || !plain_in_baseline(rule, days->day[at].year))
            continue;
        for (int other = at - rule->half_window_days; other <= at + rule->half_window_days; ++other)
            pool_add(pool, days, days->day[other]);
    }
}

/* Baseline days of the slots within H places of the centre in a ring of slots, which has 29 February or not. */
static void plain_ring(const struct sst_pool_rule *rule, const struct days *days, int centre, bool has_feb29,
                       struct pool *pool)
{
    int ring[SST_N_SLOTS], n_ring = 0, place = -1;
    for (int slot = 1; slot <= days->n_slots; ++slot) {
        if (slot == 60 && !has_feb29)
            continue;
        if (slot == centre)
            place = n_ring;
        ring[n_ring++] = slot;
    }
    bool wanted[SST_N_SLOTS + 1] = {false};
    for (int step = -rule->half_window_days; step <= rule->half_window_days; ++step)
        wanted[ring[(place + step + n_ring) % n_ring]] = true;
    for (int at = 0; at < days->n_days; ++at)
        if (wanted[days->day[at].slot] && plain_in_baseline(rule, days->day[at].year))
            pool_add(pool, days, days->day[at]);
}

static bool plain_derived(const struct sst_pool_rule *rule, int centre)
{
    return centre == 60 && rule->kind != SST_CALENDAR_360_DAY &&
           (rule->leap != SST_LEAP_OWN || rule->kind == SST_CALENDAR_NOLEAP);
}

static void plain_pool(const struct sst_pool_rule *rule, const struct days *days, int centre, struct pool *pool)
{
    memset(pool, 0, sizeof *pool);
    if (plain_derived(rule, centre))
        return;
    if (rule->leap == SST_LEAP_HOBDAY) {
        plain_hobday(rule, days, centre, pool);
        return;
    }
    const bool is_360 = rule->kind == SST_CALENDAR_360_DAY;
    const bool has_feb29 = is_360 || (rule->leap == SST_LEAP_OWN && rule->kind != SST_CALENDAR_NOLEAP);
    plain_ring(rule, days, centre, has_feb29, pool);
}

/* Each day is put into the pool once for every term that its slot and class are equal to. */
static void pool_of_terms(const struct sst_pool_rule *rule, const struct days *days, const struct sst_term *terms,
                          int n_terms, struct pool *pool)
{
    memset(pool, 0, sizeof *pool);
    for (int term = 0; term < n_terms; ++term) {
        for (int year = days->first_year; year < days->first_year + days->n_years; ++year) {
            const struct sst_day day = {year, terms[term].slot};
            if (sst_pool_class(rule, day) == terms[term].year_class)
                pool_add(pool, days, day);
        }
    }
}

static int n_differences(const struct pool *a, const struct pool *b)
{
    if (memcmp(a, b, sizeof *a) == 0)
        return 0;
    int n = 0;
    for (int year = 0; year < MAX_YEARS; ++year)
        for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
            n += a->times[year][slot] != b->times[year][slot];
    return n;
}

static int n_in_pool(const struct pool *pool)
{
    int n = 0;
    for (int year = 0; year < MAX_YEARS; ++year)
        for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
            n += pool->times[year][slot];
    return n;
}

static const struct {
    enum sst_calendar_kind kind;
    int first_year, last_year;
} baselines[] = {
    {SST_CALENDAR_STANDARD, 1982, 2011}, /* 30 years, none of the ends leap */
    {SST_CALENDAR_STANDARD, 1996, 2004}, /* both ends leap */
    {SST_CALENDAR_STANDARD, 2001, 2001}, /* one year, common, common years either side */
    {SST_CALENDAR_STANDARD, 2003, 2003}, /* one year before a leap year */
    {SST_CALENDAR_STANDARD, 2005, 2005}, /* one year after a leap year */
    {SST_CALENDAR_STANDARD, 2004, 2004}, /* one year, leap */
    {SST_CALENDAR_STANDARD, 2003, 2004}, /* last year leap */
    {SST_CALENDAR_STANDARD, 2004, 2005}, /* first year leap */
    {SST_CALENDAR_STANDARD, 2001, 2002}, /* no leap year */
    {SST_CALENDAR_STANDARD, 1899, 1901}, /* a century that is no leap year */
    {SST_CALENDAR_PROLEPTIC_GREGORIAN, 1999, 2001},
    {SST_CALENDAR_PROLEPTIC_GREGORIAN, 1580, 1584},
    {SST_CALENDAR_NOLEAP, 2003, 2005},
    {SST_CALENDAR_NOLEAP, 2004, 2004},
    {SST_CALENDAR_ALL_LEAP, 2003, 2005},
    {SST_CALENDAR_ALL_LEAP, 2003, 2003},
    {SST_CALENDAR_360_DAY, 2003, 2005},
    {SST_CALENDAR_360_DAY, 2004, 2004},
};

enum { N_BASELINES = sizeof baselines / sizeof *baselines };

static const int half_windows[] = {0, 1, 5, 17, 29};

enum { N_HALF_WINDOWS = sizeof half_windows / sizeof *half_windows };

static struct sst_pool_rule rule_of(int baseline, int leap, int half_window)
{
    return (struct sst_pool_rule){baselines[baseline].kind, (enum sst_leap_rule)leap, baselines[baseline].first_year,
                                  baselines[baseline].last_year, half_windows[half_window]};
}

/* In order of the ring, classes ascending, none twice, none empty. */
static bool is_in_order(const struct sst_pool_rule *rule, int centre, const struct sst_term *terms, int n_terms)
{
    const int n_slots = sst_calendar_n_slots(rule->kind);
    const int start = centre - rule->half_window_days - 1;
    int last = -1;
    for (int term = 0; term < n_terms; ++term) {
        const int place = (terms[term].slot - start + n_slots) % n_slots;
        const int key = place * SST_N_CLASSES + terms[term].year_class;
        if (terms[term].slot < 1 || terms[term].slot > n_slots || terms[term].year_class < 0 ||
            terms[term].year_class >= SST_N_CLASSES || place > 2 * rule->half_window_days + 2 || key <= last ||
            sst_pool_term_days(rule, terms[term]) <= 0)
            return false;
        last = key;
    }
    return true;
}

static void check_rule(const struct sst_pool_rule *rule)
{
    static struct days days;
    static struct pool plain, by_terms, held;
    memset(&held, 0, sizeof held);
    write_out(rule, &days);
    for (int centre = 1; centre <= days.n_slots; ++centre) {
        struct sst_term terms[SST_MAX_TERMS];
        const int n_terms = sst_pool_terms(rule, centre, terms);
        ck_assert_int_le(n_terms, SST_MAX_TERMS);
        ck_assert(is_in_order(rule, centre, terms, n_terms));
        plain_pool(rule, &days, centre, &plain);
        pool_of_terms(rule, &days, terms, n_terms, &by_terms);
        ck_assert_msg(n_differences(&plain, &by_terms) == 0, "%s %d-%d %s H %d centre %d: %d days differ",
                      sst_calendar_name(rule->kind), rule->first_year, rule->last_year, sst_leap_rule_name(rule->leap),
                      rule->half_window_days, centre, n_differences(&plain, &by_terms));
        ck_assert_int_eq(sst_pool_days(rule, centre), n_in_pool(&plain));
        ck_assert_int_eq(sst_pool_is_derived(rule, centre), plain_derived(rule, centre));
        for (int term = 0; term < n_terms; ++term)
            for (int year = 0; year < days.n_years; ++year)
                held.times[year][terms[term].slot] |= by_terms.times[year][terms[term].slot];
    }
    /* A day has a class if some pool holds it, and none otherwise. */
    for (int at = 0; at < days.n_days; ++at) {
        const struct sst_day day = days.day[at];
        const int year_class = sst_pool_class(rule, day);
        const bool is_held = held.times[day.year - days.first_year][day.slot] > 0;
        if (year_class < SST_NO_CLASS || year_class >= SST_N_CLASSES || (year_class != SST_NO_CLASS) != is_held ||
            sst_pool_in_baseline(rule, day) != plain_in_baseline(rule, day.year))
            ck_abort_msg("year %d slot %d has class %d", day.year, day.slot, year_class);
    }
}

START_TEST(pools_by_terms_are_the_pools_by_date)
{
    for (int leap = 0; leap < N_RULES; ++leap) {
        for (int half_window = 0; half_window < N_HALF_WINDOWS; ++half_window) {
            const struct sst_pool_rule rule = rule_of(_i, leap, half_window);
            check_rule(&rule);
        }
    }
}
END_TEST

START_TEST(each_day_of_a_slot_is_counted_in_one_class)
{
    for (int leap = 0; leap < N_RULES; ++leap) {
        for (int half_window = 0; half_window < N_HALF_WINDOWS; ++half_window) {
            const struct sst_pool_rule rule = rule_of(_i, leap, half_window);
            for (int slot = 1; slot <= sst_calendar_n_slots(rule.kind); ++slot) {
                int n_with_class = 0, n_of_terms = 0;
                for (int year = rule.first_year - 3; year <= rule.last_year + 3; ++year)
                    n_with_class += sst_pool_class(&rule, (struct sst_day){year, slot}) != SST_NO_CLASS;
                for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
                    n_of_terms += sst_pool_term_days(&rule, (struct sst_term){(int16_t)slot, (int16_t)year_class});
                ck_assert_int_eq(n_with_class, n_of_terms);
            }
        }
    }
}
END_TEST

START_TEST(the_comparison_sees_a_wrong_list_of_terms)
{
    static struct days days;
    static struct pool plain, wrong;
    static const int centres[] = {1, 5, 55, 59, 61, 65, 183, 362, 366};
    const struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1982, 2011, 5};
    write_out(&rule, &days);
    for (size_t i = 0; i < sizeof centres / sizeof *centres; ++i) {
        struct sst_term terms[SST_MAX_TERMS + 1];
        const int n_terms = sst_pool_terms(&rule, centres[i], terms);
        plain_pool(&rule, &days, centres[i], &plain);
        for (int term = 0; term < n_terms; ++term) {
            const struct sst_term kept = terms[term];
            const int n_days = sst_pool_term_days(&rule, kept);
            /* One term twice. */
            terms[n_terms] = kept;
            pool_of_terms(&rule, &days, terms, n_terms + 1, &wrong);
            ck_assert_int_eq(n_differences(&plain, &wrong), n_days);
            /* One term left out. */
            terms[term] = (struct sst_term){0, 0};
            pool_of_terms(&rule, &days, terms, n_terms, &wrong);
            ck_assert_int_eq(n_differences(&plain, &wrong), n_days);
            /* One term of another class. */
            terms[term] = (struct sst_term){kept.slot, (int16_t)((kept.year_class + 1) % SST_N_CLASSES)};
            pool_of_terms(&rule, &days, terms, n_terms, &wrong);
            ck_assert_int_ge(n_differences(&plain, &wrong), n_days);
            terms[term] = kept;
        }
        /* The right terms of the slot beside it. */
        const int n_beside = sst_pool_terms(&rule, centres[i] % 366 + 1, terms);
        if (n_beside > 0) {
            pool_of_terms(&rule, &days, terms, n_beside, &wrong);
            ck_assert_int_gt(n_differences(&plain, &wrong), 0);
        }
        /* The right terms under another rule: skip knows no days beyond the baseline and no 29 February. */
        struct sst_pool_rule skip = rule;
        skip.leap = SST_LEAP_SKIP;
        const int n_skip = sst_pool_terms(&skip, centres[i], terms);
        pool_of_terms(&skip, &days, terms, n_skip, &wrong);
        ck_assert_int_eq(n_differences(&plain, &wrong) == 0, centres[i] == 183);
    }
}
END_TEST

/* Days in each slot's pool of the 30 years 1982-2011, of which seven are leap. */
START_TEST(thirty_years_and_eleven_days_are_330_values)
{
    struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1982, 2011, 5};
    for (int slot = 1; slot <= 366; ++slot) {
        rule.leap = SST_LEAP_HOBDAY;
        ck_assert_int_eq(sst_pool_days(&rule, slot), slot == 60 ? 0 : 330);
        rule.leap = SST_LEAP_SKIP;
        ck_assert_int_eq(sst_pool_days(&rule, slot), slot == 60 ? 0 : 330);
        rule.leap = SST_LEAP_OWN;
        ck_assert_int_eq(sst_pool_days(&rule, slot), slot >= 55 && slot <= 65 ? 307 : 330);
    }
    ck_assert_int_eq(sst_pool_days(&rule, 0), 0);
    ck_assert_int_eq(sst_pool_days(&rule, 367), 0);
}
END_TEST

START_TEST(other_calendars_fill_their_pools_too)
{
    static const enum sst_calendar_kind kinds[] = {SST_CALENDAR_NOLEAP, SST_CALENDAR_ALL_LEAP, SST_CALENDAR_360_DAY};
    for (int kind = 0; kind < 3; ++kind) {
        for (int leap = 0; leap < N_RULES; ++leap) {
            const struct sst_pool_rule rule = {kinds[kind], (enum sst_leap_rule)leap, 1982, 2011, 5};
            for (int slot = 1; slot <= sst_calendar_n_slots(rule.kind); ++slot)
                ck_assert_int_eq(sst_pool_days(&rule, slot), sst_pool_is_derived(&rule, slot) ? 0 : 330);
        }
    }
    const struct sst_pool_rule rule = {SST_CALENDAR_360_DAY, SST_LEAP_HOBDAY, 1982, 2011, 5};
    ck_assert(!sst_pool_is_derived(&rule, 60));
    ck_assert_int_eq(sst_pool_days(&rule, 361), 0);
}
END_TEST

static void expect_terms(const struct sst_pool_rule *rule, int centre, const struct sst_term *expected, int n_expected)
{
    struct sst_term terms[SST_MAX_TERMS];
    ck_assert_int_eq(sst_pool_terms(rule, centre, terms), n_expected);
    for (int term = 0; term < n_expected; ++term) {
        ck_assert_int_eq(terms[term].slot, expected[term].slot);
        ck_assert_int_eq(terms[term].year_class, expected[term].year_class);
    }
}

START_TEST(terms_of_hobday_are_those_of_the_table)
{
    enum { COMMON = SST_CLASS_COMMON, LEAP = SST_CLASS_LEAP, FIRST = SST_CLASS_FIRST, LAST = SST_CLASS_LAST };
    const struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1982, 2011, 1};
    const struct sst_term jan1[] = {{366, COMMON}, {366, FIRST}, {1, COMMON}, {1, FIRST}, {2, COMMON}};
    expect_terms(&rule, 1, jan1, 5);
    const struct sst_term dec31[] = {{365, COMMON}, {366, COMMON}, {366, LAST}, {1, COMMON}, {1, LAST}};
    expect_terms(&rule, 366, dec31, 5);
    const struct sst_term feb28[] = {{58, COMMON}, {59, COMMON}, {59, LEAP}, {60, LEAP}, {61, COMMON}};
    expect_terms(&rule, 59, feb28, 5);
    const struct sst_term mar1[] = {{59, COMMON}, {60, LEAP}, {61, COMMON}, {61, LEAP}, {62, COMMON}};
    expect_terms(&rule, 61, mar1, 5);
    const struct sst_term july[] = {{199, COMMON}, {200, COMMON}, {201, COMMON}};
    expect_terms(&rule, 200, july, 3);
    const struct sst_pool_rule one_year = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2001, 2001, 1};
    const struct sst_term jan1_of_one_year[] = {{366, FIRST}, {1, FIRST}, {2, COMMON}};
    expect_terms(&one_year, 1, jan1_of_one_year, 3);
}
END_TEST

START_TEST(edge_days_of_hobday_have_their_classes)
{
    const struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1982, 2011, 5};
    static const struct {
        struct sst_day day;
        int year_class;
    } expected[] = {
        {{1981, 361}, SST_NO_CLASS},    {{1981, 362}, SST_CLASS_FIRST},  {{1981, 366}, SST_CLASS_FIRST},
        {{1982, 1}, SST_CLASS_FIRST},   {{1982, 5}, SST_CLASS_FIRST},    {{1982, 6}, SST_CLASS_COMMON},
        {{1983, 1}, SST_CLASS_COMMON},  {{2011, 1}, SST_CLASS_COMMON},   {{2011, 361}, SST_CLASS_COMMON},
        {{2011, 362}, SST_CLASS_LAST},  {{2010, 366}, SST_CLASS_COMMON}, {{2012, 1}, SST_CLASS_LAST},
        {{2012, 5}, SST_CLASS_LAST},    {{2012, 6}, SST_NO_CLASS},       {{1984, 54}, SST_CLASS_COMMON},
        {{1984, 55}, SST_CLASS_LEAP},   {{1984, 60}, SST_CLASS_LEAP},    {{1984, 65}, SST_CLASS_LEAP},
        {{1984, 66}, SST_CLASS_COMMON}, {{1985, 60}, SST_NO_CLASS},      {{1985, 61}, SST_CLASS_COMMON},
        {{1980, 60}, SST_NO_CLASS},     {{2012, 60}, SST_NO_CLASS},      {{1990, 0}, SST_NO_CLASS},
        {{1990, 367}, SST_NO_CLASS},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
        ck_assert_msg(sst_pool_class(&rule, expected[i].day) == expected[i].year_class, "%d slot %d",
                      expected[i].day.year, expected[i].day.slot);
    ck_assert(!sst_pool_in_baseline(&rule, (struct sst_day){1981, 366}));
    ck_assert(sst_pool_in_baseline(&rule, (struct sst_day){1982, 1}));
    ck_assert(!sst_pool_in_baseline(&rule, (struct sst_day){2012, 1}));
}
END_TEST

START_TEST(rules_have_their_names)
{
    ck_assert_str_eq(sst_leap_rule_name(SST_LEAP_HOBDAY), "hobday");
    ck_assert_str_eq(sst_leap_rule_name(SST_LEAP_SKIP), "skip");
    ck_assert_str_eq(sst_leap_rule_name(SST_LEAP_OWN), "own");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("pools");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, pools_by_terms_are_the_pools_by_date, 0, N_BASELINES);
    tcase_add_loop_test(tc, each_day_of_a_slot_is_counted_in_one_class, 0, N_BASELINES);
    tcase_add_test(tc, the_comparison_sees_a_wrong_list_of_terms);
    tcase_add_test(tc, thirty_years_and_eleven_days_are_330_values);
    tcase_add_test(tc, other_calendars_fill_their_pools_too);
    tcase_add_test(tc, terms_of_hobday_are_those_of_the_table);
    tcase_add_test(tc, edge_days_of_hobday_have_their_classes);
    tcase_add_test(tc, rules_have_their_names);
    suite_add_tcase(suite, tc);
    return suite;
}
