# scripts/questions.sh: every question of docs/questions.md is trained, measured and drawn, here from one seed and with
# few steps, by a python with numpy and matplotlib (`make interop` also installs them).
. tests/support/shell

python=
for each in "${PYTHON:-python3}" "$(absolute "${BUILD:-build}")/interop/venv/bin/python"; do
    [ -n "$python" ] || ! "$each" -c 'import matplotlib, numpy' 2>/dev/null || python=$each
done

refuses_number() {
    (cd "$repository" && sh scripts/questions.sh "$BITTER" 9 >"$scratch/out" 2>"$scratch/err")
    [ $? -eq 2 ] && grep -q "numbers 1 to 8, not '9'" "$scratch/err"
}
check "questions.sh refuses a number without a question" refuses_number
check "docs/questions.md has eight questions, each with its command" \
    test "$(grep -c '^    sh scripts/questions.sh ./bitter [1-8]$' "$repository/docs/questions.md")" -eq 8
check "and its figure" test "$(grep -c '](../runs/baseline/questions/[1-8].svg)$' "$repository/docs/questions.md")" -eq 8

if [ -z "$python" ]; then
    lacks "questions.sh measures and draws" "python3 with numpy and matplotlib" "python3-numpy python3-matplotlib"
    finish
fi
need prepare --out "$scratch/text" builtin:tales:bytes=100000
for number in 1 2 3 4 5 6 7 8; do
    (cd "$repository" && DIR=$scratch/questions RESULTS=$scratch/results DATA=$scratch/text STEPS=2 SEEDS=1 PYTHON=$python \
        sh scripts/questions.sh "$BITTER" $number >"$scratch/out" 2>"$scratch/err")
    code=$? ran="questions.sh $number"
    if [ $code -eq 0 ] && grep -q '</svg>' "$scratch/results/$number.svg"; then
        pass "question $number is measured and drawn"
    else
        fail "question $number is measured and drawn" "$(story)"
    fi
    for kind in a b numbers; do
        head -n 1 "$repository/runs/baseline/questions/$number-$kind.csv" >"$scratch/recorded"
        check "with the columns of the recorded $number-$kind.csv" \
            sh -c "head -n 1 '$scratch/results/$number-$kind.csv' | cmp -s - '$scratch/recorded'"
    done
done
# The script computes the program's model with numpy, and says so if the results differ.
sed -i.bak -e '/^  "crc32"/d' -e 's/"pos": "rope[^"]*"/"pos": "sinusoidal"/' \
    "$scratch/questions/spectra/runs/rope-seed1337/config.json"
differs() {
    "$python" "$repository/scripts/questions.py" "$BITTER" 4 "$scratch/questions/spectra" "$scratch/text" "$scratch/results" \
        >"$scratch/out" 2>"$scratch/err"
    [ $? -ne 0 ] && grep -q "differ from those of" "$scratch/err"
}
check "a model that the script computes otherwise than the program is refused" differs
finish
