#!/bin/sh
# SPDX-License-Identifier: MIT
# Two large texts for the ladder: sh scripts/linux.sh BITTER DIR
# Prepares DIR/source and DIR/english from Debian's package linux-source-6.1, of one version, unless they are there:
#   source    all .c files of the kernel (some 617 MB)
#   english   its documentation (.rst) and the comments of these files
# Validation has directories of its own: those whose name has a checksum divisible by 40. Files come in the order of
# their checksums, so that any beginning of the text is a mixture of the whole. The package is fetched by apt-get and
# unpacked, but not installed; LINUX=FILE names it if it was fetched by other means. Prints the directories.
set -eu
bitter=${1:?"usage: sh scripts/linux.sh BITTER DIR"}
dir=${2:?"usage: sh scripts/linux.sh BITTER DIR"}
version=6.1.192-2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

complain() {
    echo "linux.sh: $1" >&2
    exit 2
}

# The tree below DIR/tree, and DIR/tree.files: "PART CHECKSUM FILE" a line, sorted; PART is 0 for training, 1 for validation.
unpack() {
    [ -f "$dir/tree.files" ] && return
    package=${LINUX:-$dir/linux-source-6.1_${version}_all.deb}
    [ -f "$package" ] || (cd "$dir" && apt-get download -qq "linux-source-6.1=$version") ||
        complain "Debian's package linux-source-6.1, version $version, cannot be fetched; LINUX=FILE names it"
    mkdir -p "$dir/package" "$dir/tree"
    dpkg -x "$package" "$dir/package"
    echo "unpack $package" >&2
    xz -dc "$dir/package/usr/src/linux-source-6.1.tar.xz" | tar -xf - -C "$dir/tree" --strip-components=1 --wildcards '*.c' '*.rst'
    rm -rf "$dir/package"
    (cd "$dir/tree" && find . -type f) | LC_ALL=C sort | awk '
        function checksum(text,    i, sum) { # of the letters, as a hash that is spread well enough to shuffle by
            sum = 5381
            for (i = 1; i <= length(text); i++) sum = (sum * 33 + code[substr(text, i, 1)]) % 4294967291
            return sum
        }
        BEGIN { for (i = 1; i < 256; i++) code[sprintf("%c", i)] = i }
        {
            directory = $0
            sub("/[^/]*$", "", directory)
            printf "%d %010.0f %s\n", checksum(directory) % 40 == 0, checksum($0), $0
        }' | LC_ALL=C sort >"$dir/tree.files.new"
    mv "$dir/tree.files.new" "$dir/tree.files"
}

# files PART PATTERN: the text of the matching files, one after another.
files() {
    (cd "$dir/tree" && awk -v part="$1" -v pattern="$2" '$1 == part && $3 ~ pattern { print $3 }' ../tree.files | xargs cat)
}

source_text() { # PART
    files "$1" '\.c$'
}

# The comments of the C files without their stars, and the documentation unchanged.
english_text() { # PART
    files "$1" '\.rst$'
    files "$1" '\.c$' | awk '
        !inside && /^[ \t]*\/\*/ { inside = 1; sub(/^[ \t]*\/\*+/, "") }
        inside {
            ends = sub(/\*+\/.*/, "")
            sub(/^[ \t]*\*?[ \t]?/, "")
            if ($0 ~ /[a-z]/) print
            if (ends) { inside = 0; print "" }
        }'
}

# made NAME CKSUM BYTES: make the shards of DIR/NAME from NAME_text, validation after training. Recorded results were
# trained on the text with this checksum.
made() {
    [ -f "$dir/$1/tokenizer.json" ] || {
        unpack
        "$1_text" 0 >"$dir/$1.txt"
        training=$(wc -c <"$dir/$1.txt")
        "$1_text" 1 >>"$dir/$1.txt"
        all=$(wc -c <"$dir/$1.txt")
        sum=$(cksum <"$dir/$1.txt")
        [ "$sum" = "$2 $3" ] || complain "$dir/$1.txt differs from the text of the recorded results (its cksum is $sum, not $2 $3); \
another awk or sort may help"
        echo "$1: $training bytes to train on, $((all - training)) to validate" >&2
        "$bitter" prepare --out "$dir/$1" --val "$(awk -v a="$all" -v t="$training" 'BEGIN { printf "%.12f", (a - t) / a }')" \
            "$dir/$1.txt" >&2
        rm -f "$dir/$1.txt"
    }
    echo "$dir/$1"
}

made source 3696094795 617408953
made english 98337105 104485972
rm -rf "$dir/tree" "$dir/tree.files"
