# The committed page is the one that `make lesson` makes from the sources as they are. This needs no compiler.
. tests/support/shell
cd "$repository" || exit 1

# sources_changed STAMP: what differs from the checksums in the stamp; fails if something does.
is_current() {
    cut -d ' ' -f 3- "$1" | xargs cksum 2>&1 | diff "$1" - | sed -n 's/^[<>] //p' | awk '{ print $NF " has changed" }' |
        sort -u >"$scratch/changed"
    [ ! -s "$scratch/changed" ] && return
    echo "lesson/lesson.html is out of date: run \`make lesson\` (after \`make deps lesson\`) and commit the result"
    cat "$scratch/changed"
    return 1
}

# Every file of the page has gone into it.
is_complete() {
    for file in lesson/page/*; do
        grep -q " $file\$" "$1" || { echo "$file is not in the stamp: run \`make lesson\`"; return 1; }
    done
}

stamp=lesson/lesson.stamp
check "there are sources to look at" test "$(wc -l <$stamp)" -gt 100
check "the page was built from these sources" is_current $stamp
check "no file of the page was left out" is_complete $stamp
check "the page is at most 1.5 MB" test "$(wc -c <lesson/lesson.html)" -le 1500000

notices() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >/dev/null; then fail "noticed: $name" "the check did not notice it"; else pass "noticed: $name"; fi
}
sed '1s/^[0-9]*/1/' $stamp >"$scratch/changed.stamp"
notices "a file that has changed" is_current "$scratch/changed.stamp"
{ cat $stamp && echo "1 1 lesson/page/gone.js"; } >"$scratch/gone.stamp"
notices "a file that is gone" is_current "$scratch/gone.stamp"
grep -v ' lesson/page/wasm.js$' $stamp >"$scratch/new.stamp"
notices "a file that is new" is_complete "$scratch/new.stamp"
finish
