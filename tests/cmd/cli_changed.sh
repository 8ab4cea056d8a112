# When a text changes after a run or a comparison has begun with it, compare, report and eval notice.
. tests/support/shell

text() { # SEED: 40000 bytes
    awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 8000; i++) printf "%c%c%c%c ", 97 + int(26 * rand()),
        97 + int(9 * rand()), 97 + int(5 * rand()), 97 + int(26 * rand()) }'
}
text 1 >one.txt && text 2 >two.txt
need prepare --out one --val 0.2 one.txt
need prepare --out two --val 0.2 two.txt
head -c 20000 two.txt >half.txt
need prepare --out half --val 0.2 half.txt
small='--layers 1 --heads 2 --width 16 --context 16 --batch 4 --threads 1 --steps 5 --data data --eval-tokens 1000'

cp -r one data
# shellcheck disable=SC2086
need train $small --out run
# shellcheck disable=SC2086
need compare $small --seeds 1 --out table none rope
check "the fingerprint is in the plan" test "$(grep -c '^ .*"crc32": "' table/compare.json)" -gt 1
# Earlier versions had sizes instead of settings, and no checksum of the plan.
cp -r table old
sed '2d; s/^  "settings": /  "sizes": /' table/compare.json >old/compare.json
# shellcheck disable=SC2086
refuses "a comparison of an earlier version" "old/compare.json;earlier version;--out" compare $small --seeds 1 --out old none rope
refuses "its report" "old/compare.json;earlier version;--out" report old
run eval run
check "eval of the same text: exit code" test $code -eq 0
check "eval of the same text: no note" test ! -s "$scratch/err"

for text in half two; do
    rm -r data && cp -r $text data
    for more in '--seeds 1' '--seeds 2'; do
        # shellcheck disable=SC2086
        refuses "compare on a text that has changed to $text, $more" "data has changed;table;--out" \
            compare $small $more --out table none rope
    done
done
succeed "report is of the text of then" report table
run eval run
check "eval of a text that has changed: exit code" test $code -eq 0
check "eval of a text that has changed: one sentence" test -z "$(complaint 0 'data has changed since run was trained')"
run eval run --data data
check "eval of a text that was asked for: no note" test ! -s "$scratch/err"

# A run that was trained again, on the other text.
# shellcheck disable=SC2086
need compare $small --seeds 1 --out other none rope
cp -r table mixed
rm -r mixed/runs/rope-seed1337 && cp -r other/runs/rope-seed1337 mixed/runs
refuses "runs on two texts in one table" "mixed/runs/rope-seed1337/config.json;another text" report mixed
rm -r data && cp -r one data
# shellcheck disable=SC2086
succeed "the old text is back" compare $small --seeds 2 --out table none rope
finish
