"""Whether a feed tells robust categories as a climatology's bounds say: FEED CLIM DAYS half-widths|limits."""
import glob, os, sys
import netCDF4, numpy
feed, clim, days, kind = sys.argv[1:]
c = netCDF4.Dataset(clim)
mean, p90 = (c[name][:].filled(numpy.nan) for name in ("sst_mean", "sst_p90"))
months = netCDF4.num2date(c["time"][:], c["time"].units, c["time"].calendar)
if kind == "half-widths":
    bound = c["sst_p90_approx_bound95"][:].filled(numpy.nan)
else:
    bound = numpy.maximum(c["sst_p90_upper"][:].filled(numpy.nan) - p90, p90 - c["sst_p90_lower"][:].filled(numpy.nan))
category = lambda severity: numpy.clip(numpy.floor(severity), 0, 4)
seen = numpy.zeros(3, int)
for path in sorted(glob.glob(feed + "/days/*/*/mhw.nc")):
    date = os.path.basename(os.path.dirname(path))
    d, day = netCDF4.Dataset(path), netCDF4.Dataset(glob.glob(f"{days}/*{date}.nc")[0])
    step = next(i for i, m in enumerate(months) if (m.month, m.day) == (int(date[4:6]), int(date[6:])))
    sst = numpy.squeeze(day["sst"][:].filled(numpy.nan))
    m, t, b = mean[step], p90[step], bound[step]
    told, robust = (numpy.squeeze(d[name][:].filled(-9)) for name in ("mhw_category", "category_robust_to_approximation"))
    with numpy.errstate(all="ignore"):
        ends = [category((sst - m) / (t + side * b - m)) for side in (-1, 1)]
    same = (ends[0] == told) & (ends[1] == told) & (t - b > m)
    wanted = numpy.where((told < 1) | numpy.isnan(b), 2, same)
    assert (wanted == robust)[told >= 0].all(), (date, numpy.argwhere((wanted != robust) & (told >= 0)))
    seen += [(robust[told >= 0] == k).sum() for k in range(3)]
assert seen.min() > 0, seen
