# Passkeys: documents before a text or in windows, and eval --task asks for them.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --batch 2 --steps 3 --threads 1'
i=0
while [ $i -lt 2500 ]; do
    i=$((i + 1))
    echo "line $i of a text about nothing in particular"
done >text.txt

# --- a text with passkeys before it ---
need prepare --out plain text.txt
need prepare --out mixed --val 0.05 builtin:passkey:bytes=20000 text.txt
# Tokens below 256 are bytes: every second one of the shard.
letters() {
    dd if="$1" bs=1024 skip=1 2>/dev/null | tr -d '\000\001'
}
documents=$(letters mixed/train_000000.bin | grep -c 'There is an important info')
check "there are documents" test "$documents" -gt 30
check "each has its question" test "$(letters mixed/train_000000.bin | grep -c 'The pass key is [0-9]*\.$')" -eq "$documents"
check "each has its needle" \
    test "$(letters mixed/train_000000.bin | grep -cE '^The pass key is ([0-9]+). Remember it. \1 is the pass key.$')" -eq "$documents"
check "validation is of the text alone" test "$(letters mixed/val_000000.bin | grep -c 'pass key')" -eq 0
need prepare --out seed --val 0.05 builtin:passkey:bytes=20000,seed=2 text.txt
check "another seed, other keys" test "$(cksum <mixed/train_000000.bin)" != "$(cksum <seed/train_000000.bin)"
need prepare --tokenizer chars --out chars --val 0.05 builtin:passkey:bytes=20000 text.txt
check "the vocabulary has their characters" grep -q 'T' chars/tokenizer.json
need prepare --out alone builtin:passkey:bytes=20000
need train $small --data alone --context 64 --out on-alone
need train $small --data builtin:passkey:bytes=20000,max=300 --context 64 --out on-memory

run train $small --data plain --context 300 --out without
plain=$(batches_crc)
succeed "train --documents" train $small --data plain --context 300 --documents builtin:passkey:max=299,share=0.9 --out begun
check "other batches than without" test "$(batches_crc)" != "$plain"
need train $small --data plain --context 300 --documents builtin:passkey:max=299,share=0.9 --save-every 1 --out again-begun
check "the same batches every time" cmp begun/model.safetensors again-begun/model.safetensors
refuses "--documents longer than a window" "max=299" train $small --data plain --context 300 --documents builtin:passkey --out new
refuses "--documents where none fits" "255 characters;larger --context" train $small --data plain --documents builtin:passkey --context 64 --out new
refuses "a share of a text" "share=0.5;train --documents" train $small --data builtin:passkey:share=0.5 --out new
succeed "a run on such documents is asked for keys" eval on-memory --task --context 258 --samples 1
seq 1 5000 >digits.txt
need prepare --tokenizer chars --out digits digits.txt
refuses "--documents with characters that the tokenizer lacks" "not among;tokenizer" train $small --data digits --context 300 --documents builtin:passkey:max=299 --out new
check "before the first step" test ! -e new
refuses "a size of --documents" "bytes=5000;no effect;share=X" train $small --data plain --context 300 --documents builtin:passkey:bytes=5000,max=290 --out new
refuses "--documents that are a text" "builtin:passkey" train $small --data plain --documents builtin:tales --out new
refuses "--documents beside a task" "builtin:passkey;task" train $small --data builtin:copy --documents builtin:passkey --out new

# --- eval --task ---
keys="--task --data builtin:passkey"
need train $small --data mixed --context 300 --out run
succeed "eval --task of passkeys" eval run $keys --samples 3 --csv table.csv
check "a row for the trained context" says '^ +300 +[0-9.]+% +[0-9.]+% +[0-9.]+% +[0-9.]+% +[0-9.]+% +[0-9.]+%  \([0-9.]+% to [0-9.]+%\)$'
check "its columns are depths" says '^ +length +0% +25% +50% +75% +100% +minimum +95% interval of that depth alone$'
check "the table has its columns" test "$(head -n 1 table.csv)" = 'length,depth,samples,right,accuracy,low,high'
check "and a row for each depth" awk -F , '
    NR > 1 && !($1 == 300 && $2 == (NR - 2) / 4 && $3 == 3 && ($5 * 3 - $4) ^ 2 < 1e-12 && $6 < $5 + 1e-9 && $5 < $7 + 1e-9) { bad = 1 }
    END { exit bad || NR != 6 }' table.csv
cp "$scratch/out" one
run eval run $keys --samples 3
check "the same documents every time" cmp one "$scratch/out"
succeed "several lengths, and beyond the trained one" eval run $keys --context 258,700,3000 --samples 1 --depths 2 --csv table.csv
check "a row for each" test "$(grep -cE '^ +(258|700|3000) ' "$scratch/out")" -eq 3
check "two depths" test "$(wc -l <table.csv)" -eq 7
need train $small --data chars --context 257 --pos learned --out chars-run
succeed "characters have no mark before the prompt" eval chars-run $keys --samples 1
check "so that 257 of them are enough" says '^ +257 '
succeed "learned positions, --past clamp" eval chars-run $keys --samples 1 --context 300 --past clamp

# --- interrupted ---
for what in '--task --data builtin:passkey --samples 1000 --context 3000' '--task --data builtin:copy --samples 1000000' '--train-split --stride 1 --context 300'; do
    # shellcheck disable=SC2086
    "$BITTER" eval run $what --csv cut.csv >"$scratch/out" 2>"$scratch/err" &
    job=$!
    while ! ls cut.csv.*.tmp >/dev/null 2>&1 && kill -0 $job 2>/dev/null; do sleep 0.01; done
    kill -INT $job
    wait $job
    code=$?
    job=
    check "eval $what, interrupted: exit code 130" test $code -eq 130
    check "eval $what, interrupted: it says so" grep -q 'interrupted; nothing was written' "$scratch/err"
    check "eval $what, interrupted: and nothing is" test -z "$(ls | grep '^cut')"
done

# --- mistakes ---
refuses "a share, which is of windows" "share=0.1;train --documents;bytes=N" prepare --out new builtin:passkey:share=0.1 text.txt
refuses "documents that are too short" "min;255" prepare --out new text.txt builtin:passkey:min=200
refuses "min above max" "min=400;max=300" prepare --out new text.txt builtin:passkey:min=400,max=300
refuses "a share that is none" "share;0.9" prepare --out new text.txt builtin:passkey:share=1
refuses "lengths of documents to find keys in" "min=400;no effect;--context" eval run --task --data builtin:passkey:min=400
refuses "a window that is too short" "257 tokens;258" eval run $keys --context 257,300
refuses "the trained context is too short" "64 tokens;--context 258" eval on-alone $keys
refuses "past the learned table" "learned;257;--past clamp" eval chars-run $keys --context 258
refuses "--task with --stride" "--stride;without --task" eval run --task --stride 8
refuses "--depths of another task" "--depths;builtin:passkey" eval run --task --data builtin:copy --depths 3
refuses "--depths without --task" "--depths;with --task" eval run --depths 3
refuses "--context of another task" "builtin:copy;max=N" eval run --task --data builtin:copy --context 20
refuses "no depth" "--depths;1 to 101" eval run $keys --depths 0
refuses "a table in a missing place" "nowhere" eval run $keys --samples 1 --csv nowhere/x.csv
seq 1 100 | tr "0-9\n" "abcabcabcab" >abc.txt
need prepare --tokenizer chars --out abc abc.txt
need train $small --data abc --context 2 --batch 1 --out on-abc
refuses "characters that the run does not know" "the passkey prompt;'T'" eval on-abc $keys --context 300
check "before anything is printed" test ! -s "$scratch/out"
mkdir llmc
shard '20240520 1 63' "$(seq 1 63)" >llmc/x_train.bin
shard '20240520 1 63' "$(seq 1 63)" >llmc/x_val.bin
need train --layers 1 --heads 1 --width 2 --batch 1 --steps 1 --threads 1 --data llmc --context 8 --out on-llmc
refuses "tokens without their tokenizer" "on-llmc;bitter prepare" eval on-llmc $keys --context 300
finish
