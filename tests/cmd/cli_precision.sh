# Positions in fewer digits: eval --positions-as; and scripts/precision.sh.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --batch 4 --threads 1 --warmup 5 --steps 40 --lr 2e-2'
data=builtin:tales:bytes=60000
for scheme in rope none; do need train $small --data $data --context 64 --pos $scheme --out $scheme; done

# losses RUN FORMAT FROM TO: the rows of these positions in windows of 512, to 9 digits.
losses() {
    rm -f table.csv
    "$BITTER" eval "$1" --positions-as "$2" --context 512 --eval-tokens 2500 --by-position --threads 1 --csv table.csv \
        >/dev/null 2>&1 || return
    awk -F , -v from="$3" -v to="$4" '$3 != "all" && $3 >= from && $3 <= to' table.csv
}
need eval rope --context 512 --eval-tokens 2500 --by-position --threads 1 --csv table.csv
plain=$(sed 1,2d table.csv)
check "there are losses to compare" test "$(echo "$plain" | wc -l)" -eq 512
check "float: the same numbers" test "$(losses rope float 0 511)" = "$plain"
rounded=$(losses rope bf16 256 511)
check "bf16: rope differs past 256" test -n "$rounded" -a "$rounded" != "$(losses rope float 256 511)"
check "and not at 0, where no angle is" test "$(losses rope bf16 0 0)" = "$(losses rope float 0 0)"
check "without positions nothing differs" test "$(losses none bf16 0 511)" = "$(losses none float 0 511)"

succeed "rope in bf16" eval rope --positions-as bf16 --eval-tokens 200
check "it says what is rounded" says '^rounded to bf16, rope: angles, and then their cosines and sines$'
succeed "a sum in fp8" train $small --data $data --context 64 --pos shaw+alibi --steps 2 --out sum
succeed "its parts in fp8" eval sum --positions-as fp8 --eval-tokens 200
check "vectors" says '^rounded to fp8, shaw: its trained vectors$'
check "biases" says '^rounded to fp8, alibi: biases$'
succeed "none in int8" eval none --positions-as int8 --eval-tokens 200
check "it says that there is nothing" says '^rounded to int8, none: nothing'
succeed "float says nothing of it" eval rope --positions-as float --eval-tokens 200
check "no line" sh -c "! grep -q '^rounded' '$scratch/out'"
refuses "an unknown format" "--positions-as;float, bf16, fp8 or int8;f16" eval rope --positions-as f16
succeed "with --task, too" eval rope --task --data builtin:passkey --context 300 --samples 1 --depths 1 --positions-as int8
check "it says what is rounded" says '^rounded to int8, rope: '

# --- the script, as small as it can be; the second time it finds everything done ---
cd "$repository" || exit 1
precision() { # STEPS
    env STEPS="$1" EVAL_TOKENS=1025 SCHEMES="none rope learned" SEEDS="1 2" RESULTS="$scratch/precision-results" \
        sh scripts/precision.sh "$BITTER" "$scratch/precision" >"$scratch/out" 2>"$scratch/err"
}
check "precision.sh runs" precision 2
check "a row for each run, format and block that is defined" test "$(wc -l <"$scratch/precision-results/results.csv")" -eq $((1 + 2 * 4 * (5 + 5 + 4)))
check "in the table nothing changes without positions" grep -q '^| none | 0 | 0 | 0 | 0 | 0 |$' "$scratch/precision-results/table.md"
check "learned is not defined past its table" grep -q '^| learned .* - |$' "$scratch/precision-results/table.md"
check "what is rounded is in the table" grep -q '^| rope | angles' "$scratch/precision-results/table.md"
check "it runs again" precision 2
check "and trains nothing" sh -c "! grep -q ' train ' '$scratch/out'"
check "other options are refused" sh -c "! STEPS=3 SCHEMES=rope RESULTS='$scratch/other' sh scripts/precision.sh '$BITTER' '$scratch/precision' >/dev/null 2>'$scratch/err'"
check "with what to do" grep -q 'made with other options' "$scratch/err"
finish
