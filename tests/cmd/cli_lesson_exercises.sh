# `bitter lesson exercises DIR` writes exercises for students. The checker asks to fill in the untouched folder, accepts
# the solutions of tests/lesson/solutions/, and answers every usual mistake with the sentence meant for it.
. tests/support/shell

solutions=$repository/tests/lesson/solutions
exercises='1_turn 2_turn_back 3_torque 4_slope 5_buckets 6_softmax 7_own_scheme'

# --- the folder ---
succeed "lesson exercises" lesson exercises folder
check "it says what to do next" says '^next    cd folder && make$'
check "it writes what is in lesson/exercises/" diff -r "$repository/lesson/exercises" folder
refuses "a folder that is not empty" "folder exists and is not empty;another DIR" lesson exercises folder
refuses "a file in the way" "cannot open folder/Makefile;new directory" lesson exercises folder/Makefile
refuses "no name" "a name is empty;give" lesson exercises ''
refuses "the directory one is in" "DIR .;new directory" lesson exercises .
mkdir empty
ln -s empty link
refuses "a link" "link is a symbolic link" lesson exercises link
succeed "an empty directory" lesson exercises empty/
check "it has all files" diff -r folder empty
succeed "directories above it are made" lesson exercises "a b/c'd"
check "and named for the shell" grep -qF "cd 'a b/c'\\''d' && make" "$scratch/out"

unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES CC CFLAGS # those of the make that runs the tests

# --- made GOAL FOLDER: make's exit code -> $code, what it printed -> $scratch/out, without line breaks $scratch/told ---
made() {
    ran="make $1 (in $2)"
    (cd "$2" && make $1 CC="$compiler") >"$scratch/out" 2>"$scratch/err"
    code=$?
    told
}
told() {
    tr -s '\n ' '  ' <"$scratch/out" >"$scratch/told"
}
fill() { # FOLDER
    for exercise in $exercises; do
        awk -f "$solutions/fill.awk" "$solutions/$exercise.txt" "folder/$exercise.c" >"$1/$exercise.c" || return 1
    done
}

for compiler in cc gcc clang; do
    if ! command -v $compiler >/dev/null 2>&1; then
        lacks "$compiler" "$compiler" "$compiler"
        continue
    fi
    rm -rf solved && cp -R folder solved
    made all solved
    check "$compiler, untouched: make fails" test "$code" -ne 0
    check "$compiler, untouched: seven are not filled in yet" \
        test "$(grep -c 'not filled in yet' "$scratch/out")-$(tail -n 1 "$scratch/out")" = "7-0 of 7 right"
    check "$compiler, untouched: no warnings" test "$(grep -cv '^make: ' "$scratch/err")" -eq 0
    check "the solutions fill all blanks" fill solved
    made all solved
    check "$compiler, solved: make succeeds" test "$code" -eq 0
    check "$compiler, solved: seven are right" \
        test "$(grep -c ' right$' "$scratch/out")-$(tail -n 1 "$scratch/out")" = "8-7 of 7 right"
    check "$compiler, solved: no warnings" test ! -s "$scratch/err"
    check "$compiler: only sources are left" test -z "$(ls solved | grep -vE '\.[ch]$|\.py$|^Makefile$|^README\.md$')"
done
compiler=cc

cp "$solutions/7_own_rotation.c" solved/7_own_scheme.c
made 7 solved
check "a rotation is a scheme of one's own, too" test "$code" -eq 0
fill solved

sed 's/dtheta += .*/dtheta += FILL_IN;/' solved/3_torque.c >half.c && mv half.c solved/3_torque.c
made 3 solved
check "what is right already is told" grep -q 'FILL_IN in line [0-9]*; torque() is right' "$scratch/told"
check "make tells once that it failed" test "$(grep -c . "$scratch/err")-$(grep -c '^make: ' "$scratch/err")" = 1-1
fill solved

made 3 solved
check "make 3 checks only the third" test "$code-$(grep -c . "$scratch/out")" = 0-2
for exercise in $exercises; do
    number=${exercise%%_*}
    lines=$(grep -vn '^//' "folder/$exercise.c" | sed -n 's/^\([0-9]*\):.*FILL_IN.*/\1/p')
    for line in $lines; do
        cp "solved/$exercise.c" kept.c
        sed "${line}s/=[^;]*;/= FILL_IN;/; ${line}s/return[^;]*;/return FILL_IN;/" kept.c >"solved/$exercise.c"
        made "$number" solved
        check "$exercise: a blank in line $line is named" \
            grep -q "not filled in yet: FILL_IN in line $line" "$scratch/told"
        mv kept.c "solved/$exercise.c"
    done
done

# --- text that is not C, and a program that never ends ---
cp solved/1_turn.c kept.c
sed 's/y\[0\] = /y[0] = = /' kept.c >solved/1_turn.c
made all solved
check "no C: the others are checked" grep -q "1_turn.c does not compile: .* a formula's x0 c is x0 \* c.* 6 of 7 right" "$scratch/told"
sed 's/y\[0\] = /int *p = 0; y[0] = *p + /' kept.c >solved/1_turn.c
made 1 solved
check "a crash is told" grep -q '1_turn.c crashed or did not end: .* 0 of 1 right' "$scratch/told"
sed 's/y\[0\] = /int one = 1, none = 0; y[0] = one \/ none + /' kept.c >solved/1_turn.c
made 1 solved
check "a division by 0 is told, or gives a wrong number" \
    grep -q '1_turn.c .*\(is a whole number divided by 0\|WRONG\).* 0 of 1 right' "$scratch/told"
mv kept.c solved/1_turn.c

# --- mistakes: NUMBER|SED|WORDS, a change to the solution and some words of the answer ---
check "the checker compiles by itself" sh -c 'cd solved && cc -std=c11 -c check*.c'
[ -f solved/check_7.o ] || finish
: >told.txt
mistake() { # NUMBER SED WORDS
    exercise=$(cd folder && ls "$1"_*.c)
    sed "$2" "solved/$exercise" >wrong.c
    ran="$exercise after sed '$2'"
    : >"$scratch/out"
    if cmp -s wrong.c "solved/$exercise"; then
        fail "$ran" "sed changed nothing"
        return
    fi
    cc -std=c11 -w -Isolved -c wrong.c && cc wrong.o "solved/check_$1.o" solved/check.o -lm -o wrong.out &&
        ./wrong.out >"$scratch/out"
    code=$?
    told
    cat "$scratch/told" >>told.txt
    if [ "$code" -eq 1 ] && grep -qF -- "$3" "$scratch/told"; then
        pass "$exercise: $3"
    else
        fail "$ran: '$3'" "exit code $code: $(cat "$scratch/out")"
    fi
}
while IFS='|' read -r number change words; do
    mistake "$number" "$change" "$words"
done <"$solutions/mistakes.txt"

# The same for a scheme that turns: the second solution of exercise 7.
fill solved
cp "$solutions/7_own_rotation.c" solved/7_own_scheme.c
while IFS='|' read -r change words; do
    mistake 7 "$change" "$words"
done <"$solutions/mistakes_of_rotation.txt"
fill solved

# Every sentence that a checker has for a mistake has been printed for one.
sentences() {
    for file in folder/check_?.c; do
        tr '\n' ' ' <"$file" | sed 's/" *"//g' | tr '~' ' ' | grep -oE '[,=] +"[^"]{20,}"(\)|;)' |
            sed 's/^[^"]*"//; s/".*//'
    done
}
untold() {
    sentences | while read -r sentence; do grep -qF -- "$sentence" told.txt || echo "$sentence"; done >"$scratch/untold"
    cat "$scratch/untold"
    [ ! -s "$scratch/untold" ]
}
check "there are sentences" test "$(sentences | wc -l)" -gt 60
check "every sentence is tested" untold
finish
