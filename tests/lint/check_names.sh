#!/usr/bin/env bash
# A file's name occurs once in the tree, those of stored states apart; no file tells of a machine it was written on or of work put off.
. "$(dirname "$0")/lib_lint.sh"

# Bracketed letters keep these patterns from finding themselves.
machine_paths='/[w]ork/|/[h]ome/[a-z]|/[r]oot/'
registry_hosts='[p]ypi\.org|[f]iles\.pythonhosted|[d]eb\.debian\.org|[a]rchive\.ubuntu|[c]rates\.io|[p]roxy\.golang|[c]onda\.anaconda'
put_off='\b([T]ODO|[F]IXME)\b'

# absent ROOT PATTERN WHAT: no text file of the tree matches.
absent() {
    local found
    found=$(cd "$1" && tree_files . ! -name LICENSE | xargs -d '\n' grep -nIE "$2" /dev/null) || return 0
    printf '%s\n%s\n' "$found" "above: $3"
    return 1
}

check_tree() {
    local root=$1 status=0 twice
    twice=$(tree_files "$root" ! -name CMakeLists.txt ! -name README.md ! -path '*/.ci/*' ! -path '*/golden/state-v*' | sed 's|.*/||' | sort | uniq -d)
    [ -z "$twice" ] || { echo "names that occur twice: $twice" && status=1; }
    absent "$root" "$machine_paths" 'paths of a machine' || status=1
    absent "$root" "$registry_hosts" 'hosts of a registry' || status=1
    absent "$root" "$put_off" 'work put off; finish it or file an issue' || status=1
    return "$status"
}

check_tree "$source_dir"

plant src/core/a.c <<<'/* a */'
plant_more src/stream/a.c <<<'/* a */'
must_fail 'occur twice: a.c' check_tree "$plant_dir"
plant a.md <<<"See /$(rev <<<krow)/a."
must_fail 'paths of a machine' check_tree "$plant_dir"
plant a.md <<<"From $(rev <<<gro.ipyp)."
must_fail 'hosts of a registry' check_tree "$plant_dir"
plant a.c <<<"/* $(rev <<<ODOT) */"
must_fail 'work put off' check_tree "$plant_dir"
plant CMakeLists.txt <<<'# one'
plant_more tests/CMakeLists.txt <<<'# two'
must_pass check_tree "$plant_dir"
echo "names are unique; $n_faults planted faults caught"
