#!/bin/sh
# SPDX-License-Identifier: MIT
# Build BUILD/lesson/lesson.html: one file with the text, style and scripts of lesson/page/ and the program's own C code
# as two WebAssembly modules (lesson/module.h).
#   scripts/lesson.sh "CLANG" "PREPROCESSOR" BUILD TALES
# CLANG compiles for --target=wasm32-wasi; the exit code is 77 if it cannot. PREPROCESSOR is the preprocessor of the
# native build, which finds the headers of zlib and jansson; TALES is the text of builtin:tales in C.
#
# lesson/page/page.html contains, each on a line of its own or inside one:
#   {{style}} {{scripts}} {{modules}}   the style sheet, the scripts in the order below, both modules
#   {{c FILE FUNCTION}}                 the C function, from its first line to its last
#   {{comment FILE FUNCTION}}           the comment above it, without slashes
#   {{line FILE FUNCTION}}              the number of its first line
#   {{file FILE}}                       a whole file
set -eu
export LC_ALL=C

clang=$1 preprocess=$2 build=$3 tales=$4
page=lesson/page
# Scripts of the page, in this order. worker.js runs in workers only.
scripts='wasm worker text draw numbers first clock back length distance torque layer recorded train inside slope own broken page'
# Functions that JavaScript calls: those of these headers whose names match $called.
float_headers='lesson/module.h'
double_headers='lesson/module.h posenc/rotation/rotate.h lab/lesson/pair.h'
called='(lesson|rope|rope_pair|pair|picture)_[a-z_]*'
# Files that need an operating system; lesson/wasi/ replaces what the modules need of them.
left_out='base/memory.c base/interrupt.c base/file/file.c data/bpe/splitter.c'

give_up() {
    echo "lesson.sh: $*" >&2
    exit 1
}

work=$build/lesson
rm -f "$work/lesson.html"
mkdir -p "$work/include"
printf '#include <math.h>\nint main(void) { return sin(1) > 1; }\n' |
    $clang --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null || {
    echo "lesson.sh: $clang cannot compile C for wasm32-wasi; \`make deps lesson\` installs what is missing, and" \
        "WASM_CC=... chooses another clang" >&2
    exit 77
}

# --- the modules ---

# The native build's headers of zlib and jansson: the modules need their declarations, but link none of their functions.
native_headers() {
    printf '#include <zlib.h>\n#include <jansson.h>\n' | $preprocess -x c - | sed -n 's/^# [0-9]* "\([^"]*\)".*/\1/p' |
        grep -E '/(zlib|zconf|jansson|jansson_config)\.h$' | sort -u
}

sources() { # FILE-OR-FOLDER...
    find base data num posenc model lesson/shared.c lesson/wasi "$@" -name '*.c' | sort |
        grep -v -x -F "$(printf '%s\n' $left_out)"
    echo "$tales"
}

# compile KIND FLAGS SOURCE...: objects whose names tell the path.
compile() {
    kind=$1 flags=$2
    shift 2
    rm -rf "${work:?}/$kind"
    mkdir -p "$work/$kind"
    printf '%s\n' "$@" | xargs -P "$(getconf _NPROCESSORS_ONLN)" -I '{}' sh -c '
        object=$(echo {} | sed "s|^$1/||; s|/|+|g; s|\.c$||")
        $2 --target=wasm32-wasi -msimd128 -ftls-model=local-exec -O3 -std=c11 -D_XOPEN_SOURCE=700 -DBLAS_NONE \
            -DVECTOR=16 -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-unknown-pragmas \
            -Wno-deprecated-declarations -Wno-implicit-function-declaration -Wno-pass-failed \
            $3 -I. -Ilesson/wasi -I"$4/include" -c {} -o "$4/$5/$object.o"' sh "$build" "$clang" "$flags" "$work" "$kind"
}

# Names of the functions that the headers declare for JavaScript, as options of the linker.
exports() { # HEADER...
    sed -nE "s/^[A-Za-z].*[ *]($called)\(.*/-Wl,--export-if-defined=\1/p" "$@"
}

# link KIND HEADER...: the linker leaves out what no function of the headers needs. Memory ends at 2 GiB, so that no
# address is negative in JavaScript.
link() {
    kind=$1
    shift
    # shellcheck disable=SC2046
    $clang --target=wasm32-wasi -mexec-model=reactor -Wl,--gc-sections,--strip-all,-z,stack-size=1048576 \
        -Wl,--max-memory=2147483648 $(exports "$@") -o "$work/$kind.wasm" "$work/$kind"/*.o
}

make_modules() {
    rm -f "$work"/include/*
    for header in $(native_headers); do ln -sf "$header" "$work/include/"; done
    # shellcheck disable=SC2046
    compile float '' $(sources lab/eval lab/lesson train lesson/train.c)
    # shellcheck disable=SC2046
    compile double -DREAL_DOUBLE $(sources lab/lesson lesson/check.c lesson/layer.c)
    # shellcheck disable=SC2086
    link float $float_headers
    # shellcheck disable=SC2086
    link double $double_headers
}

# They are made again only when the compiler, a source or this script has changed.
# shellcheck disable=SC2046
{ $clang --version && cksum $(find base data num posenc model train lab lesson -name '*.[ch]') "$tales" scripts/lesson.sh; } >"$work/inputs.new"
if ! cmp -s "$work/inputs" "$work/inputs.new"; then
    rm -f "$work/inputs"
    make_modules
    mv "$work/inputs.new" "$work/inputs"
fi

# --- the page ---

script_tags() {
    for name in $scripts; do
        file=$page/$name.js
        [ -f "$file" ] || continue
        ! grep -q '</script' "$file" || give_up "$file contains </script, which would end it inside the page"
        [ "$name" = worker ] && type=' type="text/plain"' || type=
        printf '<script id="%s.js"%s>\n' "$name" "$type"
        cat "$file"
        echo '</script>'
    done
}

module_tags() {
    for kind in float double; do
        printf '<script id="module-%s" type="application/octet-stream">\n' "$kind"
        gzip -9n <"$work/$kind.wasm" | base64 | fold -w 120
        echo '</script>'
    done
}

for file in "$page"/*.js; do
    case " $scripts " in
    *" $(basename "$file" .js) "*) ;;
    *) give_up "$file is not in the list of scripts at the top of scripts/lesson.sh; add it there" ;;
    esac
done
{ echo '<style>'; cat "$page/style.css"; echo '</style>'; } >"$work/style"
script_tags >"$work/scripts"
module_tags >"$work/modules"

# Fills in the double braces. A function begins in column 0 with a line that holds its name and a parenthesis and ends
# with a brace in column 0, as clang-format writes it.
awk -v work="$work" '
    function stop(why) { print "lesson.sh: page.html, line " NR ": " why | "cat >&2"; failed = 1; exit 1 }
    function whole(name,   line) { while ((getline line <(work "/" name)) > 0) print line; close(work "/" name) }
    function verbatim(name,   line) { while ((getline line <name) > 0) print escaped(line); close(name) }
    function escaped(text) {
        gsub(/&/, "\\&amp;", text)
        gsub(/</, "\\&lt;", text)
        gsub(/>/, "\\&gt;", text)
        return text
    }
    # body, comment, first: of the function.
    function find(file, name,   line, number, inside, found) {
        body = comment = ""
        number = 0
        while ((getline line <file) > 0) {
            number++
            if (!inside && line ~ "^[A-Za-z_].*[ *]" name "\\(") { inside = found = 1; first = number }
            if (inside) body = body (body == "" ? "" : "\n") line
            else if (line ~ /^\/\//) comment = comment (comment == "" ? "" : "\n") substr(line, 4)
            else comment = ""
            if (inside && line ~ /;$/ && line !~ /^ / && line !~ /^}/) { inside = found = 0; body = comment = "" }
            if (inside && line ~ /^}/) break
        }
        close(file)
        if (!found) stop("there is no function " name " in " file)
    }
    function expand(text,   head, tag, part) {
        while (match(text, /\{\{[a-z]+( [^ }]+)+\}\}/)) {
            tag = substr(text, RSTART + 2, RLENGTH - 4)
            head = substr(text, 1, RSTART - 1)
            text = substr(text, RSTART + RLENGTH)
            split(tag, part, " ")
            printf "%s", head
            if (part[1] == "file") { verbatim(part[2]); continue }
            find(part[2], part[3])
            if (part[1] == "c") printf "%s", escaped(body)
            else if (part[1] == "comment") printf "%s", escaped(comment)
            else if (part[1] == "line") printf "%s", first
            else stop("{{" part[1] " ...}} means nothing; write c, comment, line or file")
        }
        if (text ~ /\{\{/) stop("cannot read " text)
        print text
    }
    /^ *\{\{(style|scripts|modules)\}\} *$/ { gsub(/[ {}]/, ""); whole($0); next }
    { expand($0) }
    END { exit failed }' "$page/page.html" >"$work/page.html"
size=$(wc -c <"$work/page.html" | tr -d ' ')
[ "$size" -le 1500000 ] || give_up "the page has $size bytes, and may have at most 1500000"
mv "$work/page.html" "$work/lesson.html"
