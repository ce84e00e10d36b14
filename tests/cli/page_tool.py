#!/usr/bin/env python3
"""Makes reports for tests of the page and looks at the pages that come out.

  make KIND FILE            full, minimal, exact, compare, evil, huge: a report as JSON
  set FILE PATH JSON OUT    the report with one value replaced: "bounds.sst_p90.levels" (list items by number)
  drop FILE PATH OUT        the report without one key
  check PAGE                well-formed, one h1, each link of the contents leads somewhere, nothing comes from outside;
                            prints the page's words, one line per element
  sections PAGE             the ids of its sections, in order
  figures PAGE              number of figures with a chart, and of those whose caption is empty
  labels PAGE CAPTION       what is written in the first picture whose caption begins so, with | between
  cells PAGE SECTION ROW    the cells of the first row of that name in a section, with | between them
"""
import json
import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

EVIL = '<script>alert(1)</script>"\'&amp;\x01\x1b[2J caf\\xe9 \u202e]]>--><!--\ufffe'


def row(n_cells, rmse):
    return {
        "cells": n_cells, "cell_days": 366 * n_cells, "bias": 0.0125, "rmse": rmse, "median_abs": 0.5 * rmse,
        "p95_abs": 2 * rmse, "p99_abs": 3 * rmse, "max_abs": 5 * rmse,
        "beyond_tolerance": {"share": 0.1329, "low": 0.0775, "high": 0.2077, "clusters": n_cells},
    }


def named(name, low, high, rmse):
    return dict(row(40, rmse), name=name, low=low, high=high)


def breakdown():
    return {
        "histogram": {"first_edge_degc": -0.2, "width_degc": 0.1, "share": [0.1, 0.35, 0.4, 0.15]},
        "cumulative": {"abs_error_degc": [0, 0.05, 0.1, 0.2], "share": [0, 0.6, 0.87, 1]},
        "by_slot": [named(str(slot), slot, slot, 0.07 + slot / 10000) for slot in range(50, 90)],
        "by_latitude": [named("50S-40S", -50, -40, 0.09), named("40S-30S", -40, -30, 0.07)],
        "by_region": [named("50S-40S 140E-150E", None, None, 0.08)],
        "by_skewness": [named("below -1", None, -1, 0.2), named("-1..1", -1, 1, 0.06), named("above 1", 1, None, 0.3)],
        "by_kurtosis": [named("-2..0", -2, 0, 0.09), named("0..2", 0, 2, 0.08)],
    }


def field(key, title, unit, is_signed, is_sparse):
    values = [None, 12, -7 if is_signed else 7, 30, 25, None, 18, 3]
    return {
        "key": key, "title": title, "variable": "sst_p90", "unit": unit, "is_signed": is_signed,
        "is_sparse": is_sparse, "rows": 2, "cols": 4, "north": -30, "south": -50, "west": 140, "east": 180,
        "step": 0.01, "values": values, "sea": ["0111", "1011"],
    }


def events(days, mean, low, high):
    return {"days_per_year": days, "events_per_year": 2.09, "mean_days": 11.6,
            "exceedance": {"mean": mean, "p05": low, "p95": high}}


def minimal():
    return {"schema": "sststream-run/1", "sststream_version": "0.1.0"}


def full():
    coverage = [{"stratum": s, "name": n, "cells": 90, "cell_days": 32940, "share": 0.951, "low": 0.942, "high": 0.959}
                for s, n in (("all", "all"), ("ice", "ice-free"), ("season", "Dec-Feb"), ("region", "50S-40S"))]
    level = {"level": 0.95, "variable": "sst_p90_approx_bound95", "available": True, "attainable": 0.99,
             "median_degc": 0.151, "mean_degc": 0.162, "cells_below_90": 0.112, "coverage": coverage}
    absent = {"level": 0.99, "variable": "sst_p90_approx_bound99", "available": False, "attainable": 0.983,
              "median_degc": None, "mean_degc": None, "cells_below_90": None, "coverage": []}
    rows = {key: row(90, 0.0816) for key in ("ice_free_area", "ice_free_count", "all_area", "all_count")}
    return {
        "schema": "sststream-run/1", "sststream_version": "0.1.0", "created": "2026-01-02T03:04:05Z",
        "parameters": "--approx cf --baseline 1991-2020", "climatology_id": "2582fe0fb800393db9f170550baee328",
        "output": "clim.nc",
        "policy": {"approx": "cf", "percentiles": [90, 97.5], "quantile_type": 7, "baseline_first_year": 1991,
                   "baseline_last_year": 2020, "window_days": 11, "leap": "hobday", "smooth_days": 31},
        "source": {"variable": "sst", "title": "A product", "unusable": [{"path": "bad.nc", "reason": "cut short"}]},
        "grid": {"n_lat": 12, "n_lon": 24, "first_lat": -82.5, "last_lat": 82.5, "first_lon": 7.5, "last_lon": 352.5},
        "days": {"expected": 10958, "present": 10953, "doubled": 1, "beside_baseline": 10,
                 "missing": ["1994-12-30", "1994-12-31", "1995-01-01", "2001-02-28", "2001-03-05"]},
        "read": {"days": 10963, "doubled": 1, "preliminary_replaced": 0, "unusable": 1, "values_implausible": 17,
                 "values_off_lattice": 0},
        "cells": 288, "sea_cells": 180,
        "verdict": {"pass": False, "worst_share": 0.1329, "tolerance_degc": 0.1, "variable": "sst_p90",
                    "max_share": 0.05, "text": "P90 is within 0.1 degC on 86.7 % of the cell-days."},
        "validation": {"probes": 90, "share_of_cells": 0.3125, "seed": 1, "tolerance_degc": 0.1, "sample_cells": 90,
                       "errors_degc": {"sst_p90": rows, "sst_p97p5": rows}, "breakdown": {"sst_p90": breakdown()}},
        "bounds": {"sst_p90": {
            "levels": [level, absent],
            "correction": {"applied": True, "rmse_before_degc": 0.0816, "rmse_after_degc": 0.0791},
            "likely": {"available": True, "threshold": 0.41, "base_rate": 0.199, "flagged": 0.24, "precision": 0.52,
                       "recall": 0.63}}},
        "repair": {"sst_p90": {"cell_days": 44537,
                               "coverage_of_rest": [{"level": 0.95, "share": 0.957, "low": 0.949, "high": 0.964}]}},
        "consequences": {"sst_p90": {
            "cells": 90, "years": 30, "is_cold": False, "exact": events(24.31, 0.0999, 0.097, 0.1005),
            "approx": events(25.12, 0.1034, 0.0889, 0.121), "missed": 0.041, "added": 0.0744, "jaccard": 0.892,
            "jaccard_p05": 0.781, "jaccard_median": 0.902}},
        "sampling": {"sst_p90": {"cells": 90, "cell_days": 1080, "resamples": 400, "se_median_degc": 0.142,
                                 "se_p05_degc": 0.081, "se_p95_degc": 0.277, "approx_rmse_degc": 0.0801,
                                 "share_within_one_se": 0.913}},
        "error_budget": [{"name": "approximation", "size_degc": 0.0816, "text": "RMSE at the probes"},
                         {"name": "float32", "size_degc": 5.5e-7, "text": "half a unit in the last place"},
                         {"name": "analysis", "size_degc": None, "text": "not known here"}],
        "maps": [field("probe_rmse", "RMSE of the probes", "degC", False, True),
                 field("probe_bias", "Bias of the probes", "degC", True, True),
                 field("bound", "Median bound", "degC", False, False),
                 field("flagged", "Share of days with a flag", "1", False, False)],
        "flags": {"any": {"cell_days": 161785, "area_share": 0.1375},
                  "ice_or_no_variance": {"cell_days": 130163, "area_share": 0.0738},
                  "uncertified": {"cell_days": 0, "area_share": 0}},
        "reproduce": {"command": "sststream --approx cf 'my data/' -o clim.nc", "version": "0.1.0", "compiler": "cc 1",
                      "libraries": {"netcdf": "4.9.0", "gsl": "2.7.1"}, "threads": 2, "device": "cpu", "cpu": "a cpu"},
        "seconds": 24.4, "peak_rss_bytes": 74000000, "inputs": [{"day": "1991-01-01", "path": "a.nc"}],
    }


def exact():
    report = full()
    for key in ("validation", "verdict", "bounds", "repair", "consequences", "sampling", "maps"):
        report[key] = None
    report["policy"]["approx"] = "none"
    return report


def compare():
    report = full()
    kept = ("verdict", "validation", "consequences", "maps", "reproduce", "created")
    validation = report["validation"]
    for key in ("probes", "share_of_cells", "seed", "sample_cells"):
        del validation[key]
    validation.update(a="new.nc", b="old.nc")
    return dict({key: report[key] for key in kept}, schema="sststream-compare/1")


def poisoned(value):
    """Every text and every name of the report made evil, but for the words that tell forms apart."""
    if isinstance(value, dict):
        return {key: poisoned(item) for key, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item) for item in value]
    return EVIL if isinstance(value, str) and not re.fullmatch("[01]+", value) else value


def evil():
    report = poisoned(full())
    report["schema"] = "sststream-run/1"
    for key in ("bounds", "consequences", "repair", "sampling", "flags"):
        report[key] = {EVIL: item for item in report[key].values()}
    for key in ("errors_degc", "breakdown"):
        report["validation"][key] = {EVIL: item for item in report["validation"][key].values()}
    report["reproduce"]["libraries"] = {EVIL: EVIL}
    report[EVIL] = 1
    report["verdict"] = {"pass": EVIL, "text": EVIL}
    return report


def huge():
    report = full()
    parts = report["validation"]["breakdown"]["sst_p90"]
    parts["by_slot"] = [named(str(i), i, i, 0.1) for i in range(20000)]
    parts["by_latitude"] = [named("x", -1e300, 1e300, 1e300)] * 3
    parts["by_region"] = parts["by_region"] * 20000
    parts["histogram"] = {"first_edge_degc": -1e308, "width_degc": 1e308, "share": [1e308] * 50000}
    parts["cumulative"] = {"abs_error_degc": [1e308] * 50000, "share": [-1e308] * 50000}
    report["maps"] = [dict(report["maps"][0], rows=1e9, cols=1e9), dict(report["maps"][0], rows=-1),
                      dict(report["maps"][0], values=[1e308] * 8), dict(report["maps"][0], step=0),
                      dict(report["maps"][0], north=1e300), dict(report["maps"][0], sea=["0"])] * 30
    report["days"]["missing"] = ["1994-12-30"] * 100000
    report["source"]["unusable"] = report["source"]["unusable"] * 100000
    report["flags"] = {str(i): {"cell_days": i, "area_share": 0} for i in range(5000)}
    report["sea_cells"] = 10 ** 18
    report["seconds"] = -1e300
    report["policy"]["percentiles"] = [1e308] * 5000
    report["policy"]["baseline_first_year"] = -1e300
    return report


def replaced(report, path, value=None, drop=False):
    at = report
    *way, last = path.split(".")
    for name in way:
        at = at[int(name)] if isinstance(at, list) else at[name]
    last = int(last) if isinstance(at, list) else last
    if drop:
        del at[last]
    else:
        at[last] = value
    return report


class Strict(HTMLParser):
    """What the page would take from elsewhere, or run."""

    def __init__(self):
        super().__init__()
        self.faults = []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "iframe", "object", "embed", "link", "base", "form"):
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or (name in ("src", "href", "xlink:href", "action") and
                                         not (value or "").startswith(("#", "data:image/png;base64,"))):
                self.faults.append(f"{tag} {name}={value!r:.60}")


def check(path):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    root = ET.fromstring(page)
    strict = Strict()
    strict.feed(page)
    faults = strict.faults + [f"url({found}" for found in re.findall(r"url\((?!#)(.{1,20})|@import", page)]
    if not page.startswith("<!DOCTYPE html>\n") or root.tag != "html" or root.get("lang") != "en":
        faults.append("no HTML5 page with a language")
    if len(root.findall(".//h1")) != 1:
        faults.append("not one h1")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    if len(ids) != len(set(ids)):
        faults.append(f"an id twice among {ids}")
    for link in root.findall(".//nav//a"):
        if link.get("href")[1:] not in ids:
            faults.append(f"{link.get('href')} leads nowhere")
    if len(root.findall(".//nav//a")) != len(root.findall(".//section")):
        faults.append("contents and sections differ")
    for word in (">nan", ">-nan", ">inf", "(nan", "(null)", " nan ", "-inf"):
        if word in page:
            faults.append(f"{word!r} is shown")
    for table in root.findall(".//table"):
        widths = {len(list(line)) for line in table.iter("tr")}
        if len(widths) != 1:
            faults.append(f"rows of {widths} cells in one table")
    return faults


def words(path):
    root = ET.parse(path).getroot()
    return [" ".join("".join(element.itertext()).split())
            for element in root.iter() if element.tag in
            ("title", "h1", "h2", "h3", "h4", "p", "li", "figcaption", "td", "th", "dt", "dd", "code")]


def cells(path, section, name):
    root = ET.parse(path).getroot()
    for line in root.findall(f".//section[@id='{section}']//tr"):
        row_cells = ["".join(cell.itertext()) for cell in line]
        if row_cells[0] == name:
            return "|".join(row_cells[1:]).replace("\u00a0", " ")
    return ""


def labels(path, caption):
    for figure in ET.parse(path).getroot().iter("figure"):
        if "".join(figure.find("figcaption").itertext()).strip().startswith(caption):
            return "|".join(e.text or "" for e in figure.iter() if e.tag.rpartition("}")[2] == "text")
    return ""


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def store(report, path):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(report, file)


def main(command, *arguments):
    if command == "make":
        makers = {"full": full, "minimal": minimal, "exact": exact, "compare": compare, "evil": evil, "huge": huge}
        store(makers[arguments[0]](), arguments[1])
    elif command == "set":
        store(replaced(load(arguments[0]), arguments[1], json.loads(arguments[2])), arguments[3])
    elif command == "drop":
        store(replaced(load(arguments[0]), arguments[1], drop=True), arguments[2])
    elif command == "check":
        faults = check(arguments[0])
        if faults:
            sys.exit("; ".join(faults))
        print("\n".join(words(arguments[0])))
    elif command == "sections":
        print(*(section.get("id") for section in ET.parse(arguments[0]).getroot().iter("section")))
    elif command == "figures":
        figures = [f for f in ET.parse(arguments[0]).getroot().iter("figure") if f.get("class") != "table"]
        print(len(figures), sum(not "".join(f.find("figcaption").itertext()).strip() for f in figures))
    elif command == "labels":
        print(labels(*arguments))
    elif command == "cells":
        print(cells(*arguments))
    else:
        sys.exit(f"unknown command {command}")


main(*sys.argv[1:])
