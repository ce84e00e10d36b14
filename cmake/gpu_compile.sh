#!/bin/sh
# gpu_compile.sh SAID COMMAND...: runs a device compiler and keeps what it says in the file SAID, where tests read what kernels
# take; shows warnings, or all that is of use if it fails.
said=$1
shift
status=0
"$@" >"$said" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then
    grep -vE 'remark: |ptxas info' "$said" >&2
else
    grep -iE -A 4 'warning( #[0-9-]+-D)?:' "$said" >&2
fi
exit "$status"
