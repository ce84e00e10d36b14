#!/usr/bin/env bash
# codespell knows no misspelt word in the tree (drawn pages apart, which hold pictures as letters); units and typing errors of tests stand in $ours.
. "$(dirname "$0")/lib_lint.sh"
need_tool codespell

ours=degreee,nd,windwo,paln

check_tree() (cd "$1" && tree_files . ! -name LICENSE ! -path './docs/examples/*.html' | xargs -d '\n' codespell -L "$ours")

check_tree "$source_dir"

# The fault is written backwards here, so that this file itself is spelt well.
plant a.md <<<"The days were $(rev <<<deveicer) late."
must_fail received check_tree "$plant_dir"
plant a.md <<<"The days were received late."
must_pass check_tree "$plant_dir"
echo "spelt well; $n_faults planted fault caught"
