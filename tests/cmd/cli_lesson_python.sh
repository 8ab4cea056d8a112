# The exercises of `bitter lesson exercises` in Python, with the same checker as in C: it asks to fill in the untouched
# files, accepts the solutions, and answers usual mistakes with the sentence meant for them. Needs numpy (`make interop`
# also installs it).
. tests/support/shell

solutions=$repository/tests/lesson/solutions
exercises='1_turn 2_turn_back 3_torque 4_slope 5_buckets 6_softmax 7_own_scheme'

need lesson exercises folder
# The text above the code is the same in both languages.
same_text() {
    for exercise in $exercises; do
        sed '/^[^/]/q' "folder/$exercise.c" | sed -n 's,^//,,p' >c.txt
        sed '/^[^#]/q' "folder/$exercise.py" | sed -n 's/^#//p' >python.txt
        [ -s c.txt ] && diff c.txt python.txt || return 1
    done
}
check "each exercise says the same in both languages" same_text
ten_mistakes() {
    for number in 1 2 3 4 5 6 7; do
        for file in mistakes.txt python/mistakes.txt; do
            [ "$(grep -c "^$number|" "$solutions/$file")" -ge 10 ] || return 1
        done
    done
}
check "ten mistakes or more of each are tested in both languages" ten_mistakes

if command -v python3 >/dev/null; then
    python3 -I -S folder/check.py >"$scratch/out" 2>"$scratch/err"
    check "a python without numpy is told where to get it" \
        test "$?-$(grep -c 'check.py: this python3 has no numpy; .*pip install numpy' "$scratch/err")" = 1-1
fi

python=
for each in "${PYTHON:-python3}" "$(absolute "${BUILD:-build}")/interop/venv/bin/python"; do
    [ -n "$python" ] || ! "$each" -c 'import numpy' 2>/dev/null || python=$each
done
if [ -z "$python" ]; then
    lacks "the exercises in Python" "python3 with numpy" "python3-numpy"
    finish
fi
unset CC

# --- checked FOLDER NUMBER...: what check.py prints -> $scratch/out, without line breaks $scratch/told ---
checked() {
    there=$1
    shift
    ran="check.py $* (in $there)"
    "$python" -B "$there/check.py" "$@" >"$scratch/out" 2>"$scratch/err"
    code=$?
    tr -s '\n ' '  ' <"$scratch/out" >"$scratch/told"
}
checked folder
check "untouched: check.py fails" test "$code" -eq 1
check "untouched: seven are not filled in yet" \
    test "$(grep -c '^[1-7]_[a-z_]*\.py  *not filled in yet: FILL_IN in line' "$scratch/out")-$(tail -n 1 "$scratch/out")" = "7-0 of 7 right"
check "untouched: nothing else is said" test ! -s "$scratch/err"

cp -R folder solved
for exercise in $exercises; do
    awk -f "$solutions/fill.awk" "$solutions/python/$exercise.txt" "folder/$exercise.py" >"solved/$exercise.py" ||
        fail "$exercise is filled in" "fill.awk does not fill all blanks"
done
checked solved
check "solved: check.py succeeds" test "$code" -eq 0
check "solved: seven are right" \
    test "$(grep -c '^[1-7]_[a-z_]*\.py  *right$' "$scratch/out")-$(tail -n 1 "$scratch/out")" = "7-7 of 7 right"
check "solved: nothing else is said" test ! -s "$scratch/err"
check "only what was there is left" test "$(ls solved)" = "$(ls folder)"

cp solved/7_own_scheme.py kept.py
cp "$solutions/python/7_own_rotation.py" solved/7_own_scheme.py
checked solved 7
check "a rotation is a scheme of one's own, too" test "$code-$(tail -n 1 "$scratch/out")" = "0-1 of 1 right"
mv kept.py solved/7_own_scheme.py
checked solved 3 1
check "only the exercises that are named are checked" test "$code-$(cut -c 1-2 "$scratch/out" | tr '\n' ' ')" = "0-1_ 3_ 2  "

sed 's/dtheta += .*/dtheta += FILL_IN/' solved/3_torque.py >half.py
cp solved/3_torque.py kept.py
mv half.py solved/3_torque.py
checked solved 3
check "what is right already is told" grep -q 'FILL_IN in line 34; torque() is right' "$scratch/told"
mv kept.py solved/3_torque.py

cp solved/1_turn.py kept.py
sed 's/    y = np.zeros(2)/    while True: pass/; s/SECONDS = 10/SECONDS = 1/' kept.py >solved/1_turn.py
sed 's/SECONDS = 10/SECONDS = 1/' solved/check.py >hasty.py && cp hasty.py solved/check.py
checked solved 1
check "a loop without end is told" grep -q 'line 21 stops with TimeoutError: .* does a loop go on for ever?' "$scratch/told"
rm solved/1_turn.py
checked solved 1
check "a file that is gone is told" grep -q "1_turn.py WRONG: .*No such file" "$scratch/told"
mv kept.py solved/1_turn.py
checked solved 9
check "an exercise that is none is refused" grep -q "no exercise 9; give numbers from 1 to 7" "$scratch/err"
(CC=no-such-compiler && export CC && "$python" -B solved/check.py 1 >"$scratch/out" 2>"$scratch/err")
check "a missing compiler is told, and why it is needed" grep -q "no C compiler no-such-compiler; .* written in C" "$scratch/err"

# --- mistakes: NUMBER|SED|WORDS, a change to the solution and some words of the answer ---
# The checker of an exercise is compiled once; after that this compiler copies it.
cat >compiler <<'END'
for word; do case $word in check_?.c) kept=../$word.out ;; esac; done # the last word is the program's name
[ -f "$kept" ] || cc "$@" -o "$kept" && cp "$kept" "$word"
END
CC="sh ../compiler"
export CC
while IFS='|' read -r number change words; do
    exercise=$(cd folder && ls "$number"_*.py)
    cp "solved/$exercise" kept.py
    sed "$change" kept.py >"solved/$exercise"
    checked solved "$number"
    if cmp -s kept.py "solved/$exercise"; then
        fail "$exercise after sed '$change'" "sed changed nothing"
    elif [ "$code" -eq 1 ] && grep -qF -- "$words" "$scratch/told"; then
        pass "$exercise: $words"
    else
        fail "$exercise after sed '$change': '$words'" "exit code $code: $(cat "$scratch/out" "$scratch/err")"
    fi
    mv kept.py "solved/$exercise"
done <"$solutions/python/mistakes.txt"
finish
