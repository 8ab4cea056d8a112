# The sources keep to the picture: real.h, gemm, linear, arena, tensor, team <- posenc <- model <- cmd, train.c; data knows none of
# them; only cmd/ and train.c talk to the user or end the program.
. tests/support
cd "$repository" || exit 1

# Lines "FILE INCLUDED" for every #include "...".
find data posenc model cmd train.c -name '*.[ch]' -exec awk '
    /^#include "/ { split($0, part, "\""); print FILENAME, part[2] }' {} + >"$scratch/includes"
check "there are includes to look at" test "$(wc -l <"$scratch/includes")" -gt 50

# only FILES ALLOWED: extended regular expressions.
only() {
    awk -v files="^($1)" -v allowed="^($2)" '$1 ~ files && $2 !~ allowed { print $1 " includes " $2; bad = 1 }
        END { exit bad }' "$scratch/includes"
}
base='(real|gemm|linear|arena|tensor|team)\.[ch]$'
check "data includes data" only 'data/' 'data/'
check "the base of model includes data and itself" only "model/$base" "data/|model/$base"
check "posenc includes data, posenc and the base of model" only 'posenc/' "data/|posenc/|model/$base"
check "model does not include cmd" only 'model/' 'data/|posenc/|model/'
check "cmd does not include train.c" only 'cmd/' 'data/|posenc/|model/|cmd/'
check "every included file is there" awk '{ if ((getline line <$2) < 0) { print; bad = 1 } close($2) }
    END { exit bad }' "$scratch/includes"
acyclic() {
    grep -v '\.c ' "$scratch/includes" | tsort >/dev/null 2>"$scratch/cycles"
    cat "$scratch/cycles"
    [ ! -s "$scratch/cycles" ]
}
check "no header includes itself by a detour" acyclic

# calls WORDS: such calls, comments aside, in the libraries.
calls() {
    find data posenc model -name '*.[ch]' | while read -r file; do
        sed 's|//.*||' "$file" | grep -nE "$1" | sed "s|^|$file:|"
    done
}
none() {
    found=$(calls "$1")
    echo "$found"
    [ -z "$found" ]
}
word='(^|[^A-Za-z0-9_])'
check "libraries do not print" none "$word(v?printf|puts|putchar|perror) *\(|stdout|stderr"
check "libraries do not end the program" none "$word(exit|_exit|_Exit|quick_exit|abort|die) *\("
finish
