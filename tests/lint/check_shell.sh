#!/usr/bin/env bash
# No script gives shellcheck anything to say.
. "$(dirname "$0")/lib_lint.sh"
need_tool shellcheck

check_tree() (cd "$1" && tree_files . \( -path './script/*' -o -path ./.ci/run -o -name '*.sh' \) |
    xargs -d '\n' shellcheck -s bash -x -P SCRIPTDIR)

check_tree "$source_dir"

plant script/a <<'SH'
#!/bin/bash
rm $1
SH
must_fail SC2086 check_tree "$plant_dir"
plant script/a <<'SH'
#!/bin/bash
rm "$1"
SH
must_pass check_tree "$plant_dir"
echo "scripts are clean; $n_faults planted fault caught"
