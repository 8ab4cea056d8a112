# Standard input, output and error may be closed when the program starts. A file that the program opens must not get
# their descriptors, because messages would be written into it. The reader of a pipe may close it, as `head` does.
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

# leaves COMMAND...: the pipe has no reader any more; the shell may have set SIGPIPE to be ignored ('') or not (-).
leaves() {
    for action in '' -; do
        {
            trap '' PIPE
            while echo; do :; done 2>/dev/null # until the reader has gone
            trap "$action" PIPE
            "$BITTER" "$@" 2>"$scratch/err"
            echo $? >"$scratch/code"
        } | true
        check "$1, SIGPIPE ${action:-ignored}: no message" test ! -s "$scratch/err"
        check "$1, SIGPIPE ${action:-ignored}: exit code" grep -qxE '0|141' "$scratch/code" # 141 is the shell's word for SIGPIPE
        rm -rf gone.*
    done
}
leaves --help
leaves eval open
leaves sample open --tokens 9
seq 300 >numbers.txt
leaves prepare numbers.txt --out gone.data
leaves train $small --steps 2 --out gone.run
leaves lesson
finish
