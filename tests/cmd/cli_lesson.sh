# `bitter lesson`: one pair of channels in numbers, the lines of code that it names, planted mistakes, hostile input.
. tests/support/shell

narrow() {
    ! grep -nE '^.{81}' "$scratch/out" && ! grep -n ' $' "$scratch/out"
}
short_screens() { # with the question below them, 24 lines
    awk '/^[0-9]\. / { lines = 0 } { if (++lines > 23) { print "line " NR; long = 1 } } END { exit long }' "$scratch/out"
}
# Each "code: FUNCTION FILE:LINE" is the line in which this function begins, and there are so many.
code_is_there() { # COUNT
    sed -n 's/^code: \([a-z_]*\) *\([^:]*\):\([0-9]*\)$/\1 \2 \3/p' "$scratch/out" >"$scratch/code"
    [ "$(wc -l <"$scratch/code")" -eq "$1" ] || return 1
    while read -r function file line; do
        sed -n "${line}p" "$repository/$file" | grep -Eq "^[a-z].*[ *]$function\(" || { echo "$function"; return 1; }
    done <"$scratch/code"
}

# --- the lesson ---
succeed "lesson" lesson
check "six screens" test "$(grep -c '^[1-6]\. ' "$scratch/out")" -eq 6
check "80 columns, no spaces at the ends of lines" narrow
check "a screen has 24 lines" short_screens
check "the code is where it says" code_is_there 8
check "backward by hand agrees with differences" test "$(grep -c ' ok$' "$scratch/out")" -eq 7
check "the gradient is as long as before" test "$(awk '/^  dq/ { print $NF }' "$scratch/out" | sort -u | wc -l)" -eq 1
check "both moved: the same score" test "$(awk '/^ .*(as before|both moved)/ { print $NF }' "$scratch/out" | sort -u | wc -l)" -eq 1
check "through the other matrix gradients grow by about the root of its determinant" \
    awk '$1 == 0 && NF == 3 { first = $3 } $1 == 500 { grown = $3 / first } END { exit !(grown > 11 && grown < 13) }' "$scratch/out"
check "torques cancel" says '^  their sum +0\.000000$'
cp "$scratch/out" "$scratch/first"
succeed "again" lesson --t 3 --ago 2 --theta 0.5 --q 1,0.5 --k 0.3,-1
check "these are the defaults" cmp "$scratch/out" "$scratch/first"
for words in '--t 0 --ago 0' '--t 1000 --ago 1000 --theta -4' '--theta 0' '--q 0,0 --k 0,0' '--q 4,-4 --k -4,4' \
    '--q 4,4 --k 4,4 --ago 0 --t 1000' '--q 1e-300,4e0 --k 0x1,+3'; do
    # shellcheck disable=SC2086
    succeed "lesson $words" lesson $words
    check "no number is -0" sh -c "! grep -E -- '-0\.0+([ ,)]|$)' '$scratch/out'"
    check "no FAILED, no nan" sh -c "! grep -Ei 'FAILED|nan|inf$' '$scratch/out'"
    check "80 columns" narrow
done

# --- mistakes ---
for words in sign:gradient 'values:shift, formula' pairing:use exponent:formula bias:formula cache:use dropped:gradient; do
    mistake=${words%%:*}
    succeed "--broken $mistake" lesson --broken "$mistake"
    check "$mistake is noticed by ${words#*:}" says "^Noticed by: ${words#*:}\.$"
    check "80 columns" narrow
    check "24 lines" short_screens
    [ "$mistake" = sign ] || check "the mistake is where it says" code_is_there 1
    [ "$mistake" != sign ] || cp "$scratch/out" "$scratch/sign"
done
cp "$scratch/sign" "$scratch/out"
check "two gradients of the pair are wrong" test "$(grep -c '^  [qk][01] .*FAILED$' "$scratch/out")" -eq 4
check "its other gradients are right" test "$(grep -c ' ok$' "$scratch/out")" -eq 3
check "it says why these are" says '^Positions and theta get their gradients from the torque, which is taken before$'
succeed "half turns" lesson --broken sign --theta 3.141592653589793
check "are the same forward and back" test "$(grep -c ' ok$' "$scratch/out")" -eq 7
succeed "--broken sign" lesson --broken sign
check "it says what training makes of it" says "The model still learns, only worse\.$"

# --- a terminal ---
if script -qec true /dev/null >/dev/null 2>&1; then
    # terminal KEYS COMMAND: what the screen shows; \r\n becomes \n.
    terminal() {
        printf '%b' "$1" | script -qec "$2" /dev/null | tr -d '\r' >"$scratch/out"
    }
    terminal 'q\n' "$BITTER lesson"
    check "q ends after a screen" test "$(grep -c '^[1-6]\. ' "$scratch/out")" -eq 1
    terminal '\n\nq\n' "$BITTER lesson"
    check "Enter goes on" test "$(grep -cE '^[1-6]\. ' "$scratch/out")" -eq 3
    terminal '\n\n\n\n\n\n' "$BITTER lesson"
    check "to the end" test "$(grep -cE '^[1-6]\. ' "$scratch/out")" -eq 6
    terminal '' "$BITTER lesson >whole"
    check "a file gets everything at once" cmp whole "$scratch/first"
else
    lacks "a screen at a time" "util-linux's script" bsdutils
fi

# --- hostile input ---
refuses "a misspelt mistake" "no mistake 'sing';did you mean 'sign'" lesson --broken sing
refuses "a mistake that is none" "choose one of sign, values" lesson --broken 12345
refuses "an empty mistake" "no mistake ''" lesson --broken ''
refuses "a pair where none is shown" "--t has no meaning for --broken values" lesson --broken values --t 5
refuses "a key before the text" "--ago 5;at most --t, which is 3" lesson --ago 5
refuses "a negative position" "--t" lesson --t -1
refuses "a position that is no number" "--t" lesson --t x
refuses "theta that is not finite" "--theta" lesson --theta nan
refuses "theta out of range" "--theta" lesson --theta 5
for pair in '' , 1 1, ,1 1,2,3 '1,2 ' 4.1,0 nan,1 1,inf 1e999,0 '1;2' 'a,b'; do
    refuses "the pair '$pair'" "--q '$pair';two numbers from -4 to 4" lesson "--q=$pair"
done
refuses "a long pair" "--k ';two numbers" lesson "--k=$(printf '%0400d' 1)"
refuses "an unknown operand" "'exercise';bitter lesson exercises DIR" lesson exercise here
refuses "exercises without a directory" "one directory, but got 0" lesson exercises
refuses "exercises in two directories" "one directory, but got 2" lesson exercises a b
refuses "exercises with an option" "exercises;options" lesson --t 3 exercises a
succeed "exercises" lesson exercises here
check "with a Makefile" test -s here/Makefile
refuses "exercises where something is" "here" lesson exercises here
finish
