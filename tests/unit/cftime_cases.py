"""Writes tests/unit/cftime_cases.h: what cftime says of days and of times.

    python3 -m venv venv && venv/bin/pip install cftime==1.6.6.1 numpy
    venv/bin/python tests/unit/cftime_cases.py > tests/unit/cftime_cases.h
"""
import datetime
import random

import cftime
import numpy as np

CALENDARS = ["standard", "proleptic_gregorian", "noleap", "all_leap", "360_day"]
KIND = {c: "SST_CALENDAR_" + c.upper() for c in CALENDARS}


def days_table():
    rng = random.Random(20240229)
    for c in CALENDARS:
        year_zero = c != "standard"
        epoch = cftime.datetime(1970, 1, 1, calendar=c, has_year_zero=year_zero)
        fixed = [(1, 1, 1), (4, 2, 28), (100, 3, 1), (1500, 2, 28), (1582, 10, 4), (1582, 10, 15),
                 (1582, 12, 30), (1583, 1, 1), (1700, 3, 1), (1900, 2, 28), (1900, 3, 1),
                 (1969, 12, 30), (1970, 1, 1), (1981, 9, 1), (2000, 3, 1), (2100, 3, 1), (9999, 12, 30)]
        if c in ("standard", "all_leap"):
            fixed += [(4, 2, 29), (1500, 2, 29)]
        if c in ("standard", "proleptic_gregorian", "all_leap"):
            fixed += [(2000, 2, 29), (2024, 2, 29), (2011, 12, 31)]
        if c == "360_day":
            fixed += [(2001, 2, 29), (2001, 2, 30)]
        fixed += [(rng.randint(1, 9999), rng.randint(1, 12), rng.randint(1, 28)) for _ in range(20)]
        for y, m, d in fixed:
            if c == "standard" and (y, m) == (1582, 10) and 4 < d < 15:
                continue
            day = cftime.datetime(y, m, d, calendar=c, has_year_zero=year_zero)
            print(f"    {{{KIND[c]}, {y}, {m}, {d}, {(day - epoch).days}}},")


def instant(units, c, value):
    # Half a second on, then cut, is the nearest second. (cftime drops zones like "-6" and "-6:00": none is asked here.)
    half_second = datetime.timedelta(microseconds=500000)
    at = cftime.num2date(value, units, calendar=c, only_use_cftime_datetimes=True) + half_second
    return at.year, at.month, at.day, at.hour * 3600 + at.minute * 60 + at.second


def times_table():
    f4 = lambda x: float(np.float32(x))
    rows = [(u, "standard", v) for u, v in [
        ("seconds since 1981-01-01 00:00:00", 757382400), ("seconds since 1981-01-01 00:00:00", 2147483646),
        ("seconds since 1981-01-01 00:00:00", -2147483646), ("seconds since 1981-01-01", 338040000),
        ("seconds since 1981-01-01 00:00:00 UTC", 1198659600), ("secs since 1970-01-01T00:00:00Z", 1456660800),
        ("s since 1970-01-01T00:00:00Z", 4107542399), ("sec since 1970-1-1 0:0:0", 951782400),
        ("days since 1978-01-01 12:00:00", f4(14600)), ("days since 1978-01-01 00:00:00", 14975),
        ("days since 1970-1-1", 11016), ("days since 1800-1-1", 73048), ("days since 1800-1-1 00:00:00", f4(73048.5)),
        ("days since 0001-01-01", 730120), ("days since 0001-01-01 00:00:00", 577737),
        ("days since 0001-01-01", 577736),
        ("days since 1-1-1 00:00:0.0", 693000), ("hours since 1-1-1 00:00:0.0", 17522904),
        ("hours since 1900-01-01 00:00:00.0", 1043135), ("hr since 1900-01-01 00:00:00.0", 876600),
        ("hrs since 1900-01-01", 876599), ("h since 1900-01-01 00:30", 24), ("min since 1980-01-06 23:59:59", 1),
        ("minutes since 1980-01-01 00:30:00", 20000000), ("d since 1582-10-04", 1), ("days since 1582-10-15", -1),
        ("Days since 1981-01-01 00:00:00 GMT", 365), ("days since 1981-01-01 00:00:00 +00:00", 59),
        ("days since 1981-01-01 00:00:00 +05:30", 59), ("days since 1981-01-01 00:00:00-10:00", 0),
        ("days since 1981-01-01T18:00:00-06:00", 0), ("hours since 1981-12-31 23:00:00 -01:00", 0),
        ("milliseconds since 1970-01-01", 1330473600123), ("msec since 1970-01-01", 1330473599600),
        ("microseconds since 1970-01-01 00:00:00", 1330473599499999), ("microsec since 1970-01-01", -1),
        ("microseconds since 1970-01-01 00:00:00", -500001), ("days since 2000-01-01", f4(0.9999999)),
        ("days since 2000-01-01", f4(58.9999990)), ("days since 2000-01-01", 0.1), ("days since 2000-01-01", 1 / 3),
        ("days since 2000-01-01", -1e-7), ("days since 2000-01-01", f4(8034.375)),
        ("hours since 2000-01-01", 0.1), ("hours since 1950-01-01", 569783.9999999),
        ("seconds since 1981-01-01 00:00:00", 1e9 - 1e-4), ("days since 1981-01-01 12:34:56.789", 0.25)]]
    for c in CALENDARS[1:]:
        rows += [("days since 1850-01-01", c, 54750.5), ("days since 2000-02-28 18:00:00", c, 1),
                 ("hours since 0001-01-01", c, 17520000), ("seconds since 2004-02-28", c, 86400),
                 ("days since 0000-01-01 00:00:00", c, 730000), ("days since 1999-12-30", c, 61)]
    rows.append(("days since 2000-02-30", "360_day", 1))
    for u, c, v in rows:
        y, m, d, s = instant(u, c, v)
        print(f"    {{\"{u}\", {KIND[c]}, {'true' if isinstance(v, int) else 'false'}, "
              f"{v if isinstance(v, int) else 0}, {repr(float(v))}, {y}, {m}, {d}, {s}}},")


print(f"/* What cftime {cftime.__version__} says of days and of times; cftime_cases.py wrote this and tells how. */")
print("#ifndef SST_TEST_CFTIME_CASES_H\n#define SST_TEST_CFTIME_CASES_H\n")
print('#include <stdbool.h>\n#include <stdint.h>\n\n#include "core/calendar.h"\n')
print("/* clang-format off */\n")
print("/* A date, and days from 1970-01-01 to it in its calendar. */")
print("static const struct {\n    enum sst_calendar_kind kind;\n    int year, month, day;\n"
      "    int64_t days_since_1970;\n} cftime_days[] = {")
days_table()
print("};\n\n/* A time coordinate, and its UTC day and second of the day. */")
print("static const struct {\n    const char *units;\n    enum sst_calendar_kind kind;\n    bool is_integer;\n"
      "    int64_t integer;\n"
      "    double real;\n    int year, month, day, second;\n} cftime_times[] = {")
times_table()
print("};\n\n/* clang-format on */\n\n#endif")
