#!/bin/bash
# What the program says, to the byte, where its command line is wrong.
. "$(dirname "$0")/lib_app.sh"

refused "no files. Name files or directories of daily SST, as in: sststream --baseline 1991-2020 -o clim.nc oisst/ (no data at hand? sststream synth -o DIR makes some; sststream --help tells the rest)"
refused "no files. Name files or directories of daily SST, as in: sststream plan --baseline 1991-2020 oisst/ (no data at hand? sststream synth -o DIR makes some; sststream --help tells the rest)" plan
refused "plam: neither a command nor a file. Did you mean 'plan'?" plam data
refused "--windw: no such option. Did you mean --window?" --windw=5 data
refused "--frobnicate: no such option. 'sststream --help' lists all; a file of that name is ./--frobnicate" --frobnicate
refused "--window 12: an even number of days has none in its middle. Accepted: odd numbers, as 11 or 13" --window 12 data
refused "--validate 0: an approximation is never left unchecked. Accepted: more than 0 and at most 100 percent; use --approx none for exact values, which need no check" --approx cf --validate 0 x.nc
refused "--exact: --approx cf says otherwise. Give one of the two" --approx cf --exact x.nc
refused "--percentile 99: --approx maxent has tables for 5, 10, 90, 95 only. Use --approx cf, or --approx none for exact values" --approx maxent --percentile 90,99 x.nc
refused "--bbox 0,50,10,40: its south is north of its north. Did you mean 0,40,10,50?" x.nc --bbox 0,50,10,40
refused "--output: its argument is missing, for '--split' is an option. Give --output FILE" -o --split x.nc
refused "--output clim.nc: --split writes a directory of files, and this is a file's name. Give a directory, or leave --split out" x.nc --split -o clim.nc
refused "--readers 9: out of range. Accepted: 0 to 8" --readers 9 x.nc
refused "--readers-short: with --readers 0 no process reads for the program. Give --readers 1 to 8, or leave one of the two out" --readers-short --readers 0 x.nc
refused "--read-timeout 1m: not a number of seconds. Accepted: 1 to 86400, as 60" --read-timeout 1m x.nc
refused "--memory 4X: not a size. Accepted: bytes, as 4G, 1.5GiB (powers of 1024) or 500MB (of 1000), or a share of what the process may use, as 50%" --memory 4X x.nc
refused "--memory 15M: too little for any run. Accepted: at least 16M" --memory 15M x.nc
refused "--memory 200%: no share of the memory. Accepted: more than 0% and at most 100%, as 50%" --memory 200% x.nc
refused "--compress best: not one of its choices. Accepted: none|1|2|3|4|5|6|7|8|9" --compress best x.nc
refused "--bbox: not an option of 'synth', but of 'run', 'plan', 'compare', 'detect'. Leave it out" synth -o dir --bbox 0,0,1,1
refused "synth: no directory to write to. Name one, as in: sststream synth -o oisst" synth
refused "'': an empty file name. Is a shell variable unset?" x.nc ''
refused "--var evil\\x1b[2J\\x0a: no such option. 'sststream --help' lists all; a file of that name is ./--var evil\\x1b[2J\\x0a" $'--var evil\e[2J\n'

# A warning of the options is an error with --strict, before anything is read.
program x.nc --validate 1% --strict
exits 2
out_is ''
err_is "sststream: warning: --validate: nothing to validate, since all values are exact with --approx none. Did you mean --approx cf?
sststream: --strict: 1 warning above ends the run. Mend what is warned of, or leave --strict out"

# What the surroundings say is heeded, or warned of; what is given goes before it.
SLURM_CPUS_PER_TASK=all program x.nc --strict
exits 2
err_is "sststream: warning: SLURM_CPUS_PER_TASK: not a number of processors, so it is not heeded. Unset it, or give --threads and --readers
sststream: --strict: 1 warning above ends the run. Mend what is warned of, or leave --strict out"
SLURM_CPUS_PER_TASK=all program x.nc --strict --threads 1 --readers 1
exits 3
program x.nc --memory 99999G
exits 3
err_has "warning: --memory: more than this process may use, so the system may end the run."

# Nothing was made along the way.
[ "$(ls "$work")" = "$(printf 'err\nout')" ] || fail "files were left behind: $(ls "$work")"
finish
