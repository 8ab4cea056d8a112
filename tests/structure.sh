# The sources keep to their rooms: every file is in one, and includes point to the same room or to one below. Only cmd/,
# train.c and the progress line talk to the user; only cmd/ and train.c end the program.
. tests/support/shell
cd "$repository" || exit 1

# From the ground up.
rooms='base data/made data/made/tales data/made/task data
    model/base posenc/stretch posenc posenc/embedding posenc/rotation posenc/bias posenc/content model
    lab/stats lab/eval lab/run lab/extend lab/compare lab/report cmd .'

find . -name '*.[ch]' ! -path './build/*' ! -path './tests/*' | sed 's|^\./||' | sort >"$scratch/files"
check "there are files to look at" test "$(wc -l <"$scratch/files")" -gt 150

# Lines "FILE INCLUDED" for every #include "...".
while read -r file; do
    sed -n 's|^#include "\([^"]*\)".*|'"$file"' \1|p' "$file"
done <"$scratch/files" >"$scratch/includes"
check "there are includes to look at" test "$(wc -l <"$scratch/includes")" -gt 300

in_a_room() {
    awk -v rooms="$rooms" 'BEGIN { n = split(rooms, list); for (i = 1; i <= n; i++) known[list[i]] = 1 }
        { room = $0; if (!sub("/[^/]*$", "", room)) room = "."
          if (!(room in known) || (room == "." && $0 != "train.c")) { print $0 " is in no room"; bad = 1 } }
        END { exit bad }' "$1"
}
downwards() {
    awk -v rooms="$rooms" 'BEGIN { n = split(rooms, list); for (i = 1; i <= n; i++) rank[list[i]] = i }
        function room(file) { return sub("/[^/]*$", "", file) ? file : "." }
        rank[room($2)] > rank[room($1)] { print $1 " includes " $2 ", which is above it"; bad = 1 }
        END { exit bad }' "$1"
}
acyclic() {
    grep -v '\.c ' "$1" | tsort >/dev/null 2>"$scratch/cycles"
    cat "$scratch/cycles"
    [ ! -s "$scratch/cycles" ]
}
check "every file is in a room" in_a_room "$scratch/files"
check "includes point downwards" downwards "$scratch/includes"
check "every included file is there" awk '{ if ((getline line <$2) < 0) { print; bad = 1 } close($2) }
    END { exit bad }' "$scratch/includes"
check "no header includes itself by a detour" acyclic "$scratch/includes"

# Each check notices what it is for.
notices() { # NAME COMMAND...: the command fails.
    name=$1
    shift
    if "$@" >/dev/null; then fail "$name" "not noticed"; else pass "$name"; fi
}
echo 'attic/old.c' >"$scratch/lost"
notices "a file in no room" in_a_room "$scratch/lost"
echo 'main2.c' >"$scratch/lost"
notices "a file beside train.c" in_a_room "$scratch/lost"
echo 'posenc/rotation/rope.c model/gpt.h' >"$scratch/upwards"
notices "an include upwards" downwards "$scratch/upwards"
printf '%s\n' 'base/a.h base/b.h' 'base/b.h base/a.h' >"$scratch/circle"
notices "a circle of headers" acyclic "$scratch/circle"

crowded() {
    sed 's/\.[ch]$//' "$scratch/files" | sort -u | sed 's|/[^/]*$||' | uniq -c | awk '$1 > 20 { print; bad = 1 } END { exit bad }'
}
check "no folder has more than twenty subjects" crowded

# calls WORDS: such calls, comments aside, in the rooms of the library; progress.c is the progress line.
calls() {
    grep -E '^(base|data|posenc|model)/' "$scratch/files" | grep -v '^base/progress\.' | while read -r file; do
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
