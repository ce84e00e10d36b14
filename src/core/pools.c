/* Which days are pooled for a slot; the rules stand at the head of core/calendar.h. */
#include <assert.h>
#include <stdlib.h>

#include "core/calendar.h"

const char *sst_leap_rule_name(enum sst_leap_rule rule)
{
    switch (rule) {
    case SST_LEAP_HOBDAY:
        return "hobday";
    case SST_LEAP_SKIP:
        return "skip";
    case SST_LEAP_OWN:
        return "own";
    }
    return "unknown";
}

/* Whether slot 60 is 29 February rather than 30 February. */
static bool has_feb29_slot(const struct sst_pool_rule *rule) { return rule->kind != SST_CALENDAR_360_DAY; }

bool sst_pool_is_derived(const struct sst_pool_rule *rule, int slot)
{
    return has_feb29_slot(rule) && slot == SST_SLOT_FEB29 &&
           (rule->leap != SST_LEAP_OWN || rule->kind == SST_CALENDAR_NOLEAP);
}

bool sst_pool_in_baseline(const struct sst_pool_rule *rule, struct sst_day day)
{
    return day.year >= rule->first_year && day.year <= rule->last_year;
}

static int class_in_first_slots(const struct sst_pool_rule *rule, int year)
{
    if (year == rule->first_year)
        return SST_CLASS_FIRST;
    if (year == rule->last_year + 1)
        return SST_CLASS_LAST;
    return year > rule->first_year && year <= rule->last_year ? SST_CLASS_COMMON : SST_NO_CLASS;
}

static int class_in_last_slots(const struct sst_pool_rule *rule, int year)
{
    if (year == rule->first_year - 1)
        return SST_CLASS_FIRST;
    if (year == rule->last_year)
        return SST_CLASS_LAST;
    return year >= rule->first_year && year < rule->last_year ? SST_CLASS_COMMON : SST_NO_CLASS;
}

static int class_by_date(const struct sst_pool_rule *rule, struct sst_day day)
{
    const int half = rule->half_window_days;
    if (day.slot <= half)
        return class_in_first_slots(rule, day.year);
    if (day.slot > sst_calendar_n_slots(rule->kind) - half)
        return class_in_last_slots(rule, day.year);
    if (!sst_pool_in_baseline(rule, day))
        return SST_NO_CLASS;
    if (!has_feb29_slot(rule) || abs(day.slot - SST_SLOT_FEB29) > half)
        return SST_CLASS_COMMON;
    /* With no neighbours in its pools, 29 February is only ever the centre of one, which is derived. */
    if (half == 0)
        return SST_NO_CLASS;
    return sst_calendar_is_leap(rule->kind, day.year) ? SST_CLASS_LEAP : SST_CLASS_COMMON;
}

int sst_pool_class(const struct sst_pool_rule *rule, struct sst_day day)
{
    assert(rule->half_window_days >= 0 && rule->half_window_days <= SST_MAX_HALF_WINDOW);
    if (!sst_calendar_has_day(rule->kind, day))
        return SST_NO_CLASS;
    if (rule->leap == SST_LEAP_HOBDAY)
        return class_by_date(rule, day);
    return sst_pool_in_baseline(rule, day) && !sst_pool_is_derived(rule, day.slot) ? SST_CLASS_COMMON : SST_NO_CLASS;
}

/* Whether days of a slot can be of a class at all; the years need not be looked at where they cannot. */
static bool has_class(const struct sst_pool_rule *rule, struct sst_term term)
{
    const int half = rule->half_window_days;
    if (term.year_class == SST_CLASS_COMMON || rule->leap != SST_LEAP_HOBDAY)
        return term.year_class == SST_CLASS_COMMON;
    if (term.slot <= half || term.slot > sst_calendar_n_slots(rule->kind) - half)
        return term.year_class != SST_CLASS_LEAP;
    return term.year_class == SST_CLASS_LEAP && has_feb29_slot(rule) && abs(term.slot - SST_SLOT_FEB29) <= half;
}

/* Days of a term in the years from..to, at most `enough`. */
static int count_days(const struct sst_pool_rule *rule, struct sst_term term, int enough)
{
    int n_days = 0;
    if (!has_class(rule, term))
        return 0;
    for (int year = rule->first_year - 1; year <= rule->last_year + 1 && n_days < enough; ++year)
        n_days += sst_pool_class(rule, (struct sst_day){year, term.slot}) == term.year_class;
    return n_days;
}

int sst_pool_term_days(const struct sst_pool_rule *rule, struct sst_term term)
{
    return term.year_class < 0 ? 0 : count_days(rule, term, rule->last_year - rule->first_year + 3);
}

/* Whether the pool round `centre` takes the class's days of the slot `offset` places further in the ring. */
static bool takes(const struct sst_pool_rule *rule, int centre, int offset, enum sst_class year_class)
{
    const bool is_first_half = centre <= sst_calendar_n_slots(rule->kind) / 2;
    if (year_class == SST_CLASS_FIRST && !is_first_half)
        return false;
    if (year_class == SST_CLASS_LAST && is_first_half)
        return false;
    int n_days_apart = abs(offset);
    const bool passes_feb29 = (centre < SST_SLOT_FEB29 && centre + offset > SST_SLOT_FEB29) ||
                              (centre > SST_SLOT_FEB29 && centre + offset < SST_SLOT_FEB29);
    if (passes_feb29 && year_class == SST_CLASS_COMMON && sst_pool_is_derived(rule, SST_SLOT_FEB29))
        --n_days_apart;
    return n_days_apart <= rule->half_window_days;
}

int sst_pool_terms(const struct sst_pool_rule *rule, int centre, struct sst_term *terms)
{
    const int n_slots = sst_calendar_n_slots(rule->kind);
    if (centre < 1 || centre > n_slots || sst_pool_is_derived(rule, centre))
        return 0;
    int n_terms = 0;
    const int reach = rule->half_window_days + 1;
    for (int offset = -reach; offset <= reach; ++offset) {
        const int slot = (centre + offset + n_slots - 1) % n_slots + 1;
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
            const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
            if (takes(rule, centre, offset, (enum sst_class)year_class) && count_days(rule, term, 1) > 0)
                terms[n_terms++] = term;
        }
    }
    return n_terms;
}

int sst_pool_days(const struct sst_pool_rule *rule, int centre)
{
    struct sst_term terms[SST_MAX_TERMS];
    const int n_terms = sst_pool_terms(rule, centre, terms);
    int n_days = 0;
    for (int term = 0; term < n_terms; ++term)
        n_days += sst_pool_term_days(rule, terms[term]);
    return n_days;
}
