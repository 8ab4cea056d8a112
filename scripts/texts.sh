#!/bin/sh
# SPDX-License-Identifier: MIT
# Five kinds of text for comparisons: sh scripts/texts.sh BITTER DIR
# Prepares DIR/book, DIR/source, DIR/russian, DIR/tales and DIR/dna, of at most 3 MB each, unless they are there:
#   book      War and Peace in English (TEXT; see book.sh)
#   source    this program's own C and shell code, with the files in an order that does not follow their names
#   russian   sayings and quotations in Cyrillic letters (RUSSIAN, or Debian's package fortunes-ru, which is fetched)
#   tales     the program's generated stories
#   dna       generated letters ACGT: copies, with errors, of the text 20 to 110 letters before
# Prints the directories of those that could be made. Texts that this machine lacks are named on stderr and left out.
set -eu
bitter=${1:?"usage: sh scripts/texts.sh BITTER DIR"}
dir=${2:?"usage: sh scripts/texts.sh BITTER DIR"}
most=3000000 # bytes
# shellcheck source=scripts/extend_runs.sh
. "$(dirname "$0")/extend_runs.sh"
mkdir -p "$dir"

# made NAME COMMAND...: prepare the output of the command.
made() {
    name=$1 && shift
    [ -f "$dir/$name/tokenizer.json" ] || {
        if ! "$@" >"$dir/$name.whole" || ! head -c "$most" "$dir/$name.whole" >"$dir/$name.txt" || ! [ -s "$dir/$name.txt" ]; then
            echo "texts.sh: the text $name is left out" >&2
            rm -f "$dir/$name.whole" "$dir/$name.txt"
            return
        fi
        "$bitter" prepare --out "$dir/$name" "$dir/$name.txt" >/dev/null
        rm -f "$dir/$name.whole" "$dir/$name.txt"
    }
    echo "$dir/$name"
}

book_text() {
    book=$(sh "$(dirname "$0")/book.sh") && gzip -dcf "$book"
}

source_text() {
    find base num data model posenc train exchange lab cmd lesson scripts tests -name '*.[ch]' -o -name '*.sh' | while read -r file; do
        echo "$(echo "$file" | cksum | cut -d ' ' -f 1) $file"
    done | LC_ALL=C sort | cut -d ' ' -f 2 | xargs cat
}

# Debian's package is unpacked, not installed. The sayings are separated by lines of a percent sign.
russian_text() {
    if [ -n "${RUSSIAN:-}" ]; then
        cat "$RUSSIAN"
        return
    fi
    mkdir -p "$dir/package"
    if ! (cd "$dir/package" && apt-get download -qq fortunes-ru && dpkg -x fortunes-ru_*.deb .) >/dev/null 2>&1; then
        echo "texts.sh: Debian's package fortunes-ru cannot be fetched; RUSSIAN=FILE names another text" >&2
        return 1
    fi
    find "$dir/package" -path '*/ru/*' -type f ! -name '*.dat' | LC_ALL=C sort | xargs cat | grep -v '^%$'
    rm -rf "$dir/package"
}

# Letters of a third-order chain, to which each of the three preceding letters contributes its own share. At half of the
# places a stretch of 20 to 120 letters from 20 to 110 letters before is repeated, with an error in every twentieth
# letter, as in genes.
dna_text() {
    awk -v count="$most" 'function draw(n) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * n) }
        BEGIN {
            state = 20251; past = 0; split("A C G T", letter, " ")
            for (i = 0; i < 12; i++) for (j = 0; j < 4; j++) part[i, j] = 2 ^ draw(4)
            for (i = 0; i < 64; i++) for (j = 0; j < 4; j++)
                weight[i, j] = part[i % 4, j] * part[4 + int(i / 4) % 4, j] * part[8 + int(i / 16), j]
            for (n = 0; n < count;) {
                again = n > 800 && draw(2); length_of = 20 + draw(101); back = 20 + draw(91)
                for (i = 0; i < length_of && n < count; i++) {
                    if (again && draw(20)) x = text[(n - back) % 1000]
                    else {
                        sum = 0; for (j = 0; j < 4; j++) sum += weight[past, j]
                        pick = draw(sum); x = 0
                        while (pick >= weight[past, x]) { pick -= weight[past, x]; x++ }
                    }
                    past = (past * 4 + x) % 64; text[n % 1000] = x; line = line letter[x + 1]
                    if (++n % 1000 == 0) { printf "%s", line; line = "" }
                }
            }
        }'
}

# Another book than before is not ignored.
if book=$(sh "$(dirname "$0")/book.sh" 2>/dev/null); then made_by "$dir/book" "$(gzip -dcf "$book" | cksum)"; fi
made book book_text
made source source_text
made russian russian_text
made dna dna_text
[ -f "$dir/tales/tokenizer.json" ] || "$bitter" prepare --out "$dir/tales" "builtin:tales:bytes=$most" >/dev/null
echo "$dir/tales"
