# `bitter lesson`: one pair of channels in numbers, the lines of code that it names, hostile input.
. tests/support/shell

# 80 characters; those of more than one byte, in UTF-8, count once.
narrow() {
    ! tr -d '\200-\277' <"$scratch/out" | grep -nE '^.{81}' && ! grep -n ' $' "$scratch/out"
}
short_screens() { # with the question below them, 24 lines
    awk '/^[0-9]\. / { lines = 0 } { if (++lines > 23) { print "line " NR; long = 1 } } END { exit long }' "$scratch/out"
}
# Each "code: FUNCTION FILE:LINE" is the line in which this function begins, and there are COUNT of them.
code_is_there() { # COUNT
    sed -n 's/^code: \([a-z_]*\) *\([^:]*\):\([0-9]*\)$/\1 \2 \3/p' "$scratch/out" >"$scratch/code"
    [ "$(wc -l <"$scratch/code")" -eq "$1" ] || return 1
    while read -r function file line; do
        sed -n "${line}p" "$repository/$file" | grep -Eq "^[a-z].*[ *]$function\(" || { echo "$function"; return 1; }
    done <"$scratch/code"
}

# --- the lesson ---
succeed "lesson" lesson
check "five parts" test "$(grep -c '^[1-5]\. ' "$scratch/out")" -eq 5
check "two clocks of nine rows of Braille characters" test "$(grep -c "$(printf '\342\240\200')" "$scratch/out")" -eq 18
check "with the names of their hands" \
    test "$(tr '\200-\377' '\n' <"$scratch/out" | grep -xE "d?q'?" | sort -u | tr '\n' ' ')" = "dq dq' q q' "
check "80 columns, no spaces at the ends of lines" narrow
check "a screen has 24 lines" short_screens
check "the code is where it says" code_is_there 7
check "backward by hand agrees with differences" test "$(grep -c ' ok$' "$scratch/out")" -eq 7
check "the gradient is as long as before" test "$(awk '/^  dq/ { print $NF }' "$scratch/out" | sort -u | wc -l)" -eq 1
check "the score by both ways is the same" test "$(awk '/^  (score =|q \. R)/ { print $NF }' "$scratch/out" | uniq -c | awk '{ print $1 }')" = 2
check "torques cancel" says '^  their sum +0\.000000$'
cp "$scratch/out" "$scratch/first"
for part in 1 2 3 4 5; do
    succeed "part $part" lesson $part
    sed -n 1p "$scratch/out" >"$scratch/title"
    check "alone" sh -c 'grep -q "^$1\. " "$2/title" && [ "$(grep -c "^[1-5]\. " "$2/out")" = 1 ]' - $part "$scratch"
done
succeed "a step that would raise the loss" lesson 5 --t 40 --ago 20 --q 2,2 --k 2,2 --theta 0.2
check "is made shorter until it lowers it" awk '/loss there/ { there = $NF } /loss before/ { before = $NF } END { exit !(there < before) }' "$scratch/out"
check "which is said" says 'too long'
succeed "a token without one two back" lesson --t 1
succeed "again" lesson --t 3 --ago 2 --theta 0.5 --q 1,0.5 --k 0.3,-1
check "these are the defaults" cmp "$scratch/out" "$scratch/first"
for words in '--t 0 --ago 0' '--t 1000 --ago 1000 --theta -4' '--theta 0' '--q 0,0 --k 0,0' '--q 4,-4 --k -4,4' \
    '--q 4,4 --k 4,4 --ago 0 --t 1000' '--q 1e-300,4e0 --k 0x1,+3' \
    '--q 1e-3,1e-3 --k 1e-3,1e-3 --ago 1000 --t 1000' '--q 1e-8,0 --k 1e-8,0'; do
    # shellcheck disable=SC2086
    succeed "lesson $words" lesson $words
    check "no number is -0" sh -c "! grep -E -- '-0\.0+([ ,)]|$)' '$scratch/out'"
    check "no FAILED, no nan" sh -c "! grep -Ei 'FAILED|nan|inf$' '$scratch/out'"
    check "80 columns" narrow
done
check "what is lost in rounding is not called right" test "$(grep -c '  too small to measure$' "$scratch/out")" -gt 0

# --- hostile input ---
refuses "a key before the text" "--ago 5;at most --t, which is 3" lesson --ago 5
refuses "a negative position" "--t" lesson --t -1
refuses "a position that is no number" "--t" lesson --t x
refuses "theta that is not finite" "--theta" lesson --theta nan
refuses "theta out of range" "--theta" lesson --theta 5
for pair in , 1 1, ,1 1,2,3 '1,2 ' 4.1,0 nan,1 1,inf 1e999,0 '1;2' 'a,b'; do
    refuses "the pair '$pair'" "--q '$pair';two numbers from -4 to 4" lesson "--q=$pair"
done
refuses "a long pair" "--k ';two numbers" lesson "--k=$(printf '%0400d' 1)"
refuses "no such part" "'6';1 to 5" lesson 6 --t 7
refuses "two parts" "one part" lesson 1 2
refuses "an unknown operand" "'exercise';bitter lesson exercises DIR" lesson exercise here
refuses "exercises without a directory" "one directory, but got 0" lesson exercises
refuses "exercises in two directories" "one directory, but got 2" lesson exercises a b
refuses "exercises with an option" "exercises;options" lesson --t 3 exercises a
succeed "exercises" lesson exercises here
check "with a Makefile" test -s here/Makefile
refuses "exercises where something is" "here" lesson exercises here
finish
