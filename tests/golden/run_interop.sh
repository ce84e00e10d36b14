#!/bin/bash
# Other programs read what the program writes: xarray, CDO, and a checker of the CF conventions where one is installed.
. "$(dirname "$0")/../cli/lib_archive.sh"
need_python
golden=$(cd "$(dirname "$0")" && pwd)
if ! command -v cdo >/dev/null || ! "$python" -c 'import xarray' 2>/dev/null; then
    echo "skipped: cdo, or xarray for $python, is absent"
    exit 77
fi

archive leap --years 2000-2004 --days 0220-0308
program -q --approx cf --validate 20% --baseline 2000-2004 --days 0226-0302 --smooth 0 --leap hobday -o clim.nc leap
exits 0
export shown="xarray and CDO"
"$python" "$golden/run_interop.py" "$work/clim.nc" "$work/leap" "$work" >"$work/out" 2>"$work/err"
exit_code=$?
exits 0

program -q --percentile "90,97.5" --baseline 2000-2004 --days 0226-0302 --smooth 0 --leap own --split -o split leap
exits 0
export shown="the checker of the CF conventions"
"$golden/../../script/check_cf" --installed-only "$work/clim.nc" "$work/split/sst_clim_0229.nc" >"$work/out" 2>"$work/err"
exit_code=$?
if [ "$exit_code" -eq 77 ]; then
    cat "$work/out"
else
    exits 0
fi
finish
