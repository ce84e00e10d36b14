# What the lint tests share: the tree to check, and planted faults. Sourced, never run.
set -euo pipefail

source_dir=${SST_SOURCE_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
export source_dir
plant_dir=$(mktemp -d)
trap 'rm -rf "$plant_dir"' EXIT
n_faults=0

# Leaves with "skipped" if a tool is absent.
need_tool() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null && continue
        echo "skipped: $tool is not installed; script/install-deps does that"
        exit 77
    done
}

# tree_files ROOT FIND-TEST...: files of a tree, builds and git's own apart, one path a line relative to ROOT.
tree_files() {
    local root=$1
    shift
    (cd "$root" && find . \( -path ./.git -o -path ./build -o -path './build-*' \) -prune -o -type f "$@" -print) |
        sed 's|^\./||' | LC_ALL=C sort
}

# plant PATH: writes standard input to PATH in an empty tree; `checked` then looks at that tree.
plant() {
    rm -rf "${plant_dir:?}"/* "${plant_dir:?}"/.[!.]*
    plant_more "$1"
}

plant_more() {
    mkdir -p "$plant_dir/$(dirname "$1")"
    cat >"$plant_dir/$1"
}

# must_fail WORD COMMAND...: the checker has to refuse the planted tree, in words that contain WORD.
must_fail() {
    local word=$1 said
    shift
    n_faults=$((n_faults + 1))
    if said=$("$@" 2>&1); then
        echo "the checker missed a planted fault ($word): $*"
        exit 1
    fi
    grep -qF -- "$word" <<<"$said" && return
    echo "the checker refused a planted fault, but not for '$word': $said"
    exit 1
}

# must_pass COMMAND...: the checker has to accept the planted tree.
must_pass() {
    local said
    said=$("$@" 2>&1) && return
    echo "the checker refuses what is right: $said"
    exit 1
}
