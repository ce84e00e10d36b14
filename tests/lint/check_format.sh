#!/usr/bin/env bash
# C files stand as clang-format 14 with the tree's .clang-format leaves them.
. "$(dirname "$0")/lib_lint.sh"
need_tool clang-format-14

check_tree() (cd "$1" && tree_files . \( -name '*.[ch]' -o -name '*.cpp' \) | xargs -d '\n' clang-format-14 --dry-run -Werror)

check_tree "$source_dir"

plant a.c <<<'int  f( void ){return 1 ;}'
cp "$source_dir/.clang-format" "$plant_dir"
must_fail 'code should be clang-formatted' check_tree "$plant_dir"
plant a.c <<<'int f(void) { return 1; }'
cp "$source_dir/.clang-format" "$plant_dir"
must_pass check_tree "$plant_dir"
echo "formatted; $n_faults planted fault caught"
