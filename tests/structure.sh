# Every file is in a folder of the list below, and its includes and calls point to the same folder or to one below it;
# includes never form a circle. In the folders from base/ to model/, only the progress line prints to the user; only
# cmd/ and train.c end the program. The length of files and functions is not limited.
. tests/support/shell
cd "$repository" || exit 1

# From the bottom up.
folders='base base/file num data/made/tales data/made data/bpe data
    posenc/stretch posenc/formula posenc posenc/embedding posenc/rotation posenc/bias posenc/content model/ops model
    train exchange lab/stats lab/eval lab/lesson lab/extend lab/compare lab/report/page lab/report lesson/wasi lesson
    cmd/shared cmd lesson/exercises .'
most_subjects=20 # of a folder: a .c file and its header are one

# In a clone only the files that belong to it: a student's exercises may be beside them.
{ git ls-files '*.[ch]' 2>/dev/null | grep . || find . -name '*.[ch]' ! -path './build/*' | sed 's|^\./||'; } | sort >"$scratch/all"
grep -v '^tests/' "$scratch/all" >"$scratch/files"
check "there are files to look at" test "$(wc -l <"$scratch/files")" -gt 150
check "there are tests to look at" test "$(grep -c '^tests/' "$scratch/all")" -gt 80

# Lines "FILE INCLUDED" for every #include "...". The exercises for students stand alone, so they include from their own
# folder.
while read -r file; do
    own=
    case $file in lesson/exercises/*) own=lesson/exercises/ ;; esac
    sed -n 's|^#include "\([^"]*\)".*|'"$file $own"'\1|p' "$file"
done <"$scratch/files" >"$scratch/includes"
check "there are includes to look at" test "$(wc -l <"$scratch/includes")" -gt 300

# notices NAME COMMAND...: the check fails where it must.
notices() {
    name=$1
    shift
    if "$@" >/dev/null; then fail "noticed: $name" "the check did not notice it"; else pass "noticed: $name"; fi
}

# --- folders ---
in_a_folder() { # FILE-WITH-NAMES
    awk -v folders="$folders" 'BEGIN { n = split(folders, list); for (i = 1; i <= n; i++) known[list[i]] = 1 }
        { folder = $0; if (!sub("/[^/]*$", "", folder)) folder = "."
          if (!(folder in known) || (folder == "." && $0 != "train.c")) { print $0 " is in no known folder"; bad = 1 } }
        END { exit bad }' "$1"
}
check "every file is in a known folder" in_a_folder "$scratch/files"
echo 'attic/old.c' >"$scratch/lost"
notices "a file in no known folder" in_a_folder "$scratch/lost"
echo 'main2.c' >"$scratch/lost"
notices "a file beside train.c" in_a_folder "$scratch/lost"

# The tests of lab/stats/ are in tests/lab/stats/.
in_a_folder_of_tests() { # FILE-WITH-NAMES
    awk -v folders="$folders" 'BEGIN { n = split(folders, list); for (i = 1; i <= n; i++) known["tests/" list[i]] = 1
                                   known["tests/support"] = known["tests/lesson/solutions"] = 1
                                   known["tests/torture"] = known["tests/threads"] = known["tests/fuzz"] = known["tests/fuzz/targets"] = 1 }
        /^tests\// { folder = $0; sub("/[^/]*$", "", folder)
          if (!(folder in known)) { print folder " mirrors no folder: " $0; bad = 1 } }
        END { exit bad }' "$1"
}
check "every test is in a folder that mirrors one of the program" in_a_folder_of_tests "$scratch/all"
echo 'tests/test_everything.c' >"$scratch/lost"
notices "a test in no folder" in_a_folder_of_tests "$scratch/lost"
echo 'tests/attic/test_old.c' >"$scratch/lost"
notices "a test whose folder mirrors none" in_a_folder_of_tests "$scratch/lost"

# --- includes ---
downwards() { # FILE-WITH-INCLUDES
    awk -v folders="$folders" 'BEGIN { n = split(folders, list); for (i = 1; i <= n; i++) rank[list[i]] = i }
        function folder(file) { return sub("/[^/]*$", "", file) ? file : "." }
        rank[folder($2)] > rank[folder($1)] { print $1 " includes " $2 ", which is above it"; bad = 1 }
        END { exit bad }' "$1"
}
check "includes point downwards" downwards "$scratch/includes"
echo 'posenc/rotation/rope.c model/gpt.h' >"$scratch/upwards"
notices "an include upwards" downwards "$scratch/upwards"

are_there() { # FILE-WITH-INCLUDES
    awk '{ if ((getline line <$2) < 0) { print $1 " includes " $2 ", which is not there"; bad = 1 } close($2) }
        END { exit bad }' "$1"
}
check "every included file is there" are_there "$scratch/includes"
echo 'base/file/file.c base/gone.h' >"$scratch/gone"
notices "an include of a file that is gone" are_there "$scratch/gone"

# A .c file and its header are one subject: a.c -> b.h and b.c -> a.h are a circle.
acyclic() { # FILE-WITH-INCLUDES
    sed 's/\.[ch] / /; s/\.[ch]$//' "$1" | awk '$1 != $2' | sort -u | tsort >/dev/null 2>"$scratch/circles"
    cat "$scratch/circles"
    [ ! -s "$scratch/circles" ]
}
check "no file includes itself by a detour" acyclic "$scratch/includes"
printf '%s\n' 'base/a.h base/b.h' 'base/b.h base/a.h' >"$scratch/circle"
notices "a circle of headers" acyclic "$scratch/circle"
printf '%s\n' 'base/a.c base/a.h' 'base/a.c base/b.h' 'base/b.c base/b.h' 'base/b.c base/c.h' 'base/c.h base/a.h' \
    >"$scratch/circle"
notices "a circle of files" acyclic "$scratch/circle"

# --- calls ---
# Lines "OBJECT TYPE SYMBOL" of all objects, from nm -> complaints about functions called in a folder above. Hooks,
# which a lower folder calls through pointers, are rightly not seen.
calls_downwards() { # FILE-WITH-SYMBOLS
    awk -v folders="$folders" 'BEGIN { n = split(folders, list); for (i = 1; i <= n; i++) rank[list[i]] = i }
        function folder(object) { return sub("/[^/]*$", "", object) ? object : "." }
        folder($1) in rank { if ($2 == "T") where[$3] = $1; if ($2 == "U") uses[$1 " " $3] = 1 }
        END { for (use in uses) { split(use, pair, " "); there = where[pair[2]]
              if (there && rank[folder(there)] > rank[folder(pair[1])]) {
                  print pair[1] " calls " pair[2] " of " there ", which is above it"; bad = 1 } }
          exit bad }' "$1"
}
if command -v nm >/dev/null && [ -f "$BUILD/float/train.o" ]; then
    find "$BUILD/float" -name '*.o' ! -path '*/tests/*' -exec nm -gA {} + 2>/dev/null |
        awk -v root="$BUILD/float/" '{ object = $1; sub(":.*", "", object); print substr(object, length(root) + 1), $(NF - 1), $NF }' \
            >"$scratch/symbols"
    check "there are calls to look at" test "$(grep -c ' U ' "$scratch/symbols")" -gt 1000
    check "calls point downwards" calls_downwards "$scratch/symbols"
else
    skip "calls point downwards" "needs nm (Debian: binutils) and a build"
fi
printf '%s\n' 'base/error.o U command_train' 'cmd/train.o T command_train' >"$scratch/symbols"
notices "a call upwards" calls_downwards "$scratch/symbols"

# --- sizes ---
crowded() { # FILE-WITH-NAMES
    sed 's/\.[ch]$//' "$1" | sort -u | sed 's|/[^/]*$||' | uniq -c | awk -v most="$most_subjects" '
        $1 > most { print $2 " has " $1 " subjects"; bad = 1 } END { exit bad }'
}
check "no folder has more than $most_subjects subjects" crowded "$scratch/all"
seq -f 'base/%g.c' $((most_subjects + 1)) >"$scratch/crowd"
notices "a folder with one subject too many" crowded "$scratch/crowd"

# --- calls that only commands may make ---
# without FOLDERS WORDS FILE-WITH-NAMES: no such call in these folders, comments aside; progress.c is the progress line.
without() {
    grep -E "(^|/)($1)/" "$3" | grep -v '^base/progress\.' | while read -r file; do
        sed 's|//.*||' "$file" | grep -nE "$2" | sed "s|^|$file:|"
    done >"$scratch/calls"
    cat "$scratch/calls"
    [ ! -s "$scratch/calls" ]
}
word='(^|[^A-Za-z0-9_])'
prints="$word(v?printf|puts|putchar|perror) *\(|stdout|stderr"
never_print='base|num|data|posenc|model' never_exit="$never_print|exchange|lab|train"
ends="$word(exit|_exit|_Exit|quick_exit|abort|die) *\("
check "libraries do not print" without "$never_print" "$prints" "$scratch/files"
check "libraries do not end the program" without "$never_exit" "$ends" "$scratch/files"
mkdir "$scratch/base"
printf '%s\n' 'void f(void) {' '    puts("x"); // exit(1)' '}' >"$scratch/base/f.c"
echo "$scratch/base/f.c" >"$scratch/names"
notices "a library that prints" without "$never_print" "$prints" "$scratch/names"
check "a comment is no call" without "$never_exit" "$ends" "$scratch/names"
printf '%s\n' 'void f(void) {' '    exit(1);' '}' >"$scratch/base/f.c"
notices "a library that ends the program" without "$never_exit" "$ends" "$scratch/names"
finish
