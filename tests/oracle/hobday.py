"""The definition of marineHeatWaves once more, by numpy: climatology and events (Hobday et al. 2016), categories (2018).

Values may have any unit. Where they are multiples of WHOLE, every threshold is a whole number, so that whether a value is beyond it is
decided exactly: type 7 takes hundredths of the way between two values, a mean of 31 days and that for 29 February do the rest.
"""
import datetime
import numpy as np

WHOLE = 100 * 31 * 2
HALF_WIDTH, MIN_DURATION, MAX_GAP = 5, 5, 2
FEB_29 = 59  # day of a leap year, from 0
CATEGORIES = ("Moderate", "Strong", "Severe", "Extreme")
CALM = ("rate_onset", "rate_decline", "intensity_var", "intensity_var_relThresh", "intensity_var_abs")  # no sign to turn


class Days:
    """Days one after the other from `first` on."""

    def __init__(self, first, n):
        self.first = first
        dates = [first + datetime.timedelta(i) for i in range(n)]
        self.of_year = np.array([(datetime.date(2000, d.month, d.day) - datetime.date(2000, 1, 1)).days for d in dates])
        self.year = np.array([d.year for d in dates])

    def text(self, index):
        return (self.first + datetime.timedelta(int(index))).isoformat()


def quantile(pool, percent):
    """Type 7 of each column."""
    pool = np.sort(pool, axis=0)
    whole, hundredths = divmod((len(pool) - 1) * percent, 100)
    low, high = pool[whole], pool[min(whole + 1, len(pool) - 1)]
    return low + (high - low) * hundredths / 100


def smoothed(year, width):
    half = width // 2
    padded = np.concatenate([year[len(year) - half:], year, year[:half]])
    return sum(padded[i:i + len(year)] for i in range(width)) / width


def climatology(values, days, baseline, percent, width):
    """Mean and threshold of [day, cell] for the 366 days of a year; width 0 leaves them as they are."""
    mean, threshold = (np.empty((366,) + values.shape[1:]) for _ in range(2))
    within = (days.year >= baseline[0]) & (days.year <= baseline[1])
    for day in range(366):
        centres = np.flatnonzero(within & (days.of_year == day))
        window = (centres + np.arange(-HALF_WIDTH, HALF_WIDTH + 1)[:, None]).ravel()
        pool = values[window[(window >= 0) & (window < len(values))]]
        mean[day], threshold[day] = pool.mean(axis=0), quantile(pool, percent)
    for field in (mean, threshold):
        field[FEB_29] = (field[FEB_29 - 1] + field[FEB_29 + 1]) / 2
    return (smoothed(mean, width), smoothed(threshold, width)) if width else (mean, threshold)


def runs_of(beyond):
    """[first, last] of each event: runs that are long enough, joined across short gaps."""
    edges = np.diff(np.concatenate([[0], beyond.astype(int), [0]]))
    events = []
    for first, last in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1):
        if last - first + 1 < MIN_DURATION:
            continue
        if events and first - events[-1][1] - 1 <= MAX_GAP:
            events[-1][1] = last
        else:
            events.append([first, last])
    return events


def rate(anomaly, peak, edge, step):
    """From half a day outside the edge, or from the edge at an end of the series, to the peak."""
    away = abs(int(peak) - int(edge))
    if 0 <= edge + step < len(anomaly):
        return (anomaly[peak] - (anomaly[edge] + anomaly[edge + step]) / 2) / (away + 0.5)
    return (anomaly[peak] - anomaly[edge]) / max(away, 1)


def event(value, mean, threshold, first, last, unit):
    part = slice(first, last + 1)
    anomaly = value - mean
    peak = first + int(np.argmax(anomaly[part]))
    severity = (value[part] - threshold[part]) / (threshold[part] - mean[part])
    level = np.minimum(np.floor(1 + severity), 4)
    out = {"first": first, "peak": peak, "last": last, "duration": last - first + 1,
           "category": CATEGORIES[int(level.max()) - 1], "at_threshold": int(np.sum(value[part] == threshold[part]))}
    for i, name in enumerate(("moderate", "strong", "severe", "extreme"), 1):
        out[f"duration_{name}"] = int(np.sum(level == i))
    for suffix, series in (("", anomaly), ("_relThresh", value - threshold), ("_abs", value)):
        out[f"intensity_max{suffix}"] = series[peak] / unit
        out[f"intensity_mean{suffix}"] = series[part].mean() / unit
        out[f"intensity_var{suffix}"] = series[part].std() / unit
        out[f"intensity_cumulative{suffix}"] = series[part].sum() / unit
    out["rate_onset"] = rate(anomaly, peak, first, -1) / unit
    out["rate_decline"] = rate(anomaly, peak, last, +1) / unit
    return out


def detect(values, days, baseline, width, is_cold, unit=1.0):
    """Events of each column of [day, cell], figures in `unit` of the values: names are those of marineHeatWaves' tables."""
    values = -values if is_cold else values
    mean, threshold = (field[days.of_year] for field in climatology(values, days, baseline, 90, width))
    cells = []
    for cell in range(values.shape[1]):
        columns = values[:, cell], mean[:, cell], threshold[:, cell]
        events = [event(*columns, first, last, unit) for first, last in runs_of(columns[0] > columns[2])]
        for one in events:
            for name in ("first", "peak", "last"):
                one[f"date_{name.replace('first', 'start').replace('last', 'end')}"] = days.text(one.pop(name))
            if is_cold:
                one.update({name: -one[name] for name in one if name.startswith("intensity") and name not in CALM})
        cells.append(events)
    return cells
