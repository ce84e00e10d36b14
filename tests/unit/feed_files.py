"""A feed's files, made by bench/feed_files.c, read by other libraries: json, csv, xml.etree, hashlib, netCDF4.

usage: feed_files.py FOLDER
"""

import csv
import hashlib
import json
import os
import re
import sys
import xml.etree.ElementTree as tree

import netCDF4
import numpy

ATOM = "{http://www.w3.org/2005/Atom}"
GEORSS = "{http://www.georss.org/georss}"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

folder = sys.argv[1]


def path(*names):
    return os.path.join(folder, *names)


def load(name):
    def refuse(word):
        raise ValueError(f"{name}: {word} is not JSON")

    def pairs(items):
        assert len({key for key, _ in items}) == len(items), f"{name}: a key twice"
        return dict(items)

    with open(path(name), encoding="utf-8") as file:
        return json.load(file, parse_constant=refuse, object_pairs_hook=pairs)


def check(is_so, what):
    if not is_so:
        sys.exit(f"feed_files.py: {what}")


def area(ring):
    """[degrees^2] anticlockwise positive."""
    return 0.5 * sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))


def check_geometry(geometry, what):
    """The rules of RFC 7946, 3.1.6, 3.1.9 and 4; the area in square degrees."""
    if geometry is None:
        return 0.0
    kind, coordinates = geometry["type"], geometry["coordinates"]
    check(kind in ("Polygon", "MultiPolygon"), f"{what}: a {kind}")
    whole = 0.0
    for polygon in [coordinates] if kind == "Polygon" else coordinates:
        for i, ring in enumerate(polygon):
            check(len(ring) >= 4 and ring[0] == ring[-1], f"{what}: a ring that is not closed")
            check(all(abs(lon) <= 180 and abs(lat) <= 90 for lon, lat in ring), f"{what}: a place that is none")
            check(all(round(value, 6) == value for place in ring for value in place), f"{what}: too many decimals")
            check((area(ring) > 0) == (i == 0), f"{what}: ring {i} turns the wrong way")
            whole += area(ring)
    return whole


def check_collection(name):
    whole = load(name)
    check(whole["type"] == "FeatureCollection" and "crs" not in whole, f"{name}: no collection")
    check(whole["metadata"]["count"] == len(whole["features"]), f"{name}: a wrong count")
    check(TIME.match(whole["metadata"]["generated"]), f"{name}: no time")
    check(len({feature["id"] for feature in whole["features"]}) == len(whole["features"]), f"{name}: an id twice")
    for feature in whole["features"]:
        check_geometry(feature["geometry"], f"{name}: {feature['id']}")
        west, south, east, north = feature["bbox"]
        check(south < north and west != east, f"{name}: {feature['id']}: no box")
    return whole


def read_csv(*names):
    with open(path(*names), newline="", encoding="utf-8") as file:
        text = file.read()
    check(text.endswith("\r\n") and text.count("\n") == text.count("\r\n"), f"{names}: lines do not end in CR LF")
    rows = list(csv.DictReader(text.splitlines(), strict=True))
    check(all(None not in row and None not in row.values() for row in rows), f"{names}: a line of another length")
    return rows


# --- index.json and latest.json: what they list is there, all of it

index, latest = load("index.json"), load("latest.json")
check(index["schema"] == "sststream-feed-index/1", "index.json: no schema")
check(latest["schema"] == "sststream-feed-latest/1", "latest.json: no schema")
for file in index["files"] + [latest["index"]] + latest["latest"]["files"]:
    with open(path(file["path"]), "rb") as opened:
        content = opened.read()
    check(len(content) == file["bytes"], f"{file['path']}: another size than listed")
    check(hashlib.sha256(content).hexdigest() == file["sha256"], f"{file['path']}: another sum than listed")
there = {
    os.path.relpath(os.path.join(base, name), folder) for base, _, names in os.walk(folder) for name in names
} - {"index.json", "latest.json"}
check(there == {file["path"] for file in index["files"]}, "index.json: does not list what is there")
check([day["input_status"] for day in index["days"]] == ["final", "missing", "preliminary"], "index.json: days")

# --- GeoJSON and CSV tell the same

events, areas = check_collection("events.geojson"), read_csv("areas.csv")
check(len(areas) == len(events["features"]) > 3, "areas.csv: another number of areas")
for feature, row in zip(events["features"], areas):
    told = feature["properties"]
    check(told["id"] == row["area_id"] == feature["id"], f"{row['area_id']}: not in the same order")
    for key, column in (("area_km2", "area_km2"), ("intensity_peak", "intensity_max"), ("lat", "lat"), ("lon", "lon")):
        check(abs(told[key] - float(row[column])) < 1e-9, f"{row['area_id']}: {key}")
    check((told["first"], told["last"]) == (row["date_start"], row["date_end"]), f"{row['area_id']}: days")

regions = check_collection("regions.geojson")
for feature, told in zip(regions["features"], latest["latest"]["regions"]):
    rows = read_csv("regions", feature["id"] + ".csv")
    check(feature["id"] == told["name"] == rows[-1]["region"], f"{told['name']}: not in the same order")
    check([row["date"] for row in rows] == sorted({row["date"] for row in rows}), f"{told['name']}: days not in order")
    check(rows[-1]["date"] == latest["latest"]["day"], f"{told['name']}: no line of the newest day")
    check(rows[-1]["input_status"] == "preliminary" and rows[-2]["input_status"] == "final", f"{told['name']}: status")
    for key in ("event_share", "unknown_share", "anomaly_mean", "known_km2"):
        text = rows[-1][key]
        check((told[key] is None) == (text == ""), f"{told['name']}: {key} known in one of two")
        check(text == "" or abs(told[key] - float(text)) < 1e-9, f"{told['name']}: {key}")
odd = regions["features"][-1]
check(odd["properties"]["title"] == '<Caf\u00e9> & "sea", ]]> \ufffd', "regions.geojson: an odd title")
check(abs(check_geometry(odd["geometry"], "odd") - (60 * 50 + 600)) < 1e-6, "regions.geojson: the odd region's size")
check(odd["bbox"] == [150, -30, -150, 40], "regions.geojson: the odd region's box")

# --- Atom and JSON Feed tell the same

feed, entries = tree.parse(path("feed.atom")).getroot(), load("feed.json")
check(feed.tag == ATOM + "feed", "feed.atom: no feed")
for name in ("id", "title", "updated", "author"):
    check(len(feed.findall(ATOM + name)) == 1, f"feed.atom: {name}")
check(entries["version"] == "https://jsonfeed.org/version/1.1", "feed.json: version")
check(feed.find(ATOM + "title").text == entries["title"] == 'Heatwaves & "friends" <here>', "feed.atom: title")
atoms = feed.findall(ATOM + "entry")
check(len(atoms) == len(entries["items"]) == 200, "feed.atom: another number of entries")
for atom, item in zip(atoms, entries["items"]):
    check(atom.find(ATOM + "id").text == item["id"], "feed.atom: ids differ")
    check(re.match(r"tag:[a-z.]+,2026:[\w%./~-]+$", item["id"]), f"{item['id']}: no tag URI")
    check(atom.find(ATOM + "content").text == item["content_text"], f"{item['id']}: texts differ")
    check(atom.find(ATOM + "updated").text == item["date_published"], f"{item['id']}: times differ")
    lat, lon = map(float, atom.find(GEORSS + "point").text.split())
    check((lat, lon) == (item["_sststream"]["lat"], item["_sststream"]["lon"]), f"{item['id']}: places differ")
check(len({item["id"] for item in entries["items"]}) == 200, "feed.json: an id twice")

# --- netCDF: values as scientists get them, and areas that agree with the lists

with netCDF4.Dataset(path(latest["latest"]["folder"], "mhw.nc")) as day:
    category, anomaly = day["mhw_category"][0], day["sst_anomaly"][0]
    surface, status = day["surface_type"][0], day["mhw_status"][0]
    check(day["mhw_category"].dtype == numpy.int8 and category.min() == 0 and 1 <= category.max() <= 4, "categories")
    check(bool((category.mask == (surface != 0)).all()), "mhw.nc: a category where there is no water")
    check(bool((anomaly.mask == (surface != 0)).all()), "mhw.nc: an anomaly where there is no value")
    check(0 <= float(anomaly.min()) and float(anomaly.max()) < 7, "mhw.nc: anomalies are not scaled")
    in_event = (status == 2) | (status == 3)
    check(bool((category[in_event] >= 0).all()) and not bool((category.filled(0)[~in_event] > 0).any()), "mhw.nc: status")
    check(day.revision == latest["latest"]["revision"] and day.input_status == "preliminary", "mhw.nc: revision")
    check(netCDF4.num2date(day["time"][0], day["time"].units).strftime("%Y-%m-%d") == latest["latest"]["day"], "time")
    step = numpy.radians(10)
    rows = 6371.0088**2 * step * 2 * numpy.sin(step / 2) * numpy.cos(numpy.radians(day["lat"][:]))
    covered = float((in_event * rows[:, None]).sum())
    listed = sum(float(row["area_km2"]) for row in areas)
    check(abs(covered - listed) < 1, f"mhw.nc: {covered} km2 in events, areas.csv has {listed}")
    flags = day["category_robust_to_approximation"]
    check(flags.flag_meanings.split() == ["not_robust", "robust", "no_bound"], "mhw.nc: flags")
    check(list(flags.flag_values) == [0, 1, 2], "mhw.nc: flag values")

print(f"{len(there) + 2} files read back: {len(areas)} areas, {len(regions['features'])} regions, 200 entries")
