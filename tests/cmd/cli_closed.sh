# Standard input, output and error may be closed when the program starts. A file that it opens must then not take their
# place, because messages would be written into it.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1 --data builtin:tales:bytes=20000'
need train $small --steps 20 --out open
need eval open --csv open.csv
grep -v '"out"' open/config.json >expected

# closed NAME COMMAND...: the command succeeds.
closed() {
    name=$1
    shift
    if "$@"; then pass "$name"; else fail "$name" "exit code $?"; fi
}
without_output() { "$BITTER" "$@" >&- 2>"$scratch/err"; }
without_errors() { "$BITTER" "$@" >"$scratch/out" 2>&-; }
without_any() { "$BITTER" "$@" <&- >&- 2>&-; }

for how in without_output without_errors without_any; do
    closed "train $how" $how train $small --steps 20 --out $how
    for file in model.safetensors tokenizer.json; do check "$how: $file" cmp open/$file $how/$file; done
    # The checksum covers the name of the run, which differs.
    check "$how: config.json" sh -c "grep -v '\"out\"' $how/config.json | diff - expected | grep '^[<>]' | grep -v crc32; [ \$? -eq 1 ]"
    check "$how: a row a step" test "$(wc -l <$how/log.csv)" -eq 21
    closed "eval $how" $how eval open --csv $how.csv
    check "$how: the CSV has the table alone" cmp open.csv $how.csv
done
finish
