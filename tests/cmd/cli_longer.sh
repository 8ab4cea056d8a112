# More training than was planned: --resume with more --steps, and --init.
. tests/support/shell
. "$repository/tests/support/background"

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'
data=builtin:tales:bytes=20000

rates() { # RUN: its learning rates, one a line
    sed 1d "$1/log.csv" | cut -d , -f 7
}

# --- more --steps ---
need train $small --data $data --steps 40 --warmup 4 --lr 1e-2 --min-lr 1e-3 --eval-every 10 --out run
cp -r run short && cp -r run far && cp -r run stopped && cp -r run killed
succeed "--resume with more --steps" train --resume --out run --steps 100
resumed=$(batches_crc)
check "it says so" says '^steps +a new cosine from step 40 on: the learning rate rises to 0.01 in 4 steps, then falls to 0.001 at step 100$'
check "it does them" says '^run +run, steps 41 to 100 of '
check "a row for each" test "$(wc -l <run/log.csv)" -eq 101
check "the old cosine stays in the log" test "$(rates run | head -n 40)" = "$(rates short)"
# Of 60 steps from the beginning on, the rates are the same.
need train $small --data $data --steps 60 --warmup 4 --lr 1e-2 --min-lr 1e-3 --out sixty
check "the new one is that of a run of 60 steps" test "$(rates run | tail -n 60)" = "$(rates sixty)"
check "the last step of each cosine has --min-lr" test "$(rates run | sed -n '40p;100p' | tr '\n' ' ')" = '0.001 0.001 '
run train $small --data $data --steps 100 --out hundred
check "its batches are those of a run of 100 steps" test "$(batches_crc)" = "$resumed"
check "config.json has the steps" grep -q '"steps": 100,' run/config.json
succeed "a further resume does nothing" train --resume --out run
check "and knows that" says '^run +run is complete: all of its 100 steps are done$'

# So many steps that the signal comes before they are done.
need train --resume --out far --steps 12000
"$BITTER" train --resume --out stopped --steps 12000 --save-every 0 >"$scratch/out" 2>"$scratch/err" </dev/null &
job=$!
wait_for_rows stopped/log.csv 60
kill -INT $job 2>/dev/null
wait $job 2>/dev/null
check "it was interrupted" test $? -eq 130
job=
succeed "interrupted, it goes on without --steps" train --resume --out stopped
"$BITTER" train --resume --out killed --steps 12000 --save-every 0 >"$scratch/out" 2>"$scratch/err" </dev/null &
job=$!
wait_for_rows killed/log.csv 60
kill -9 $job 2>/dev/null
wait $job 2>/dev/null
check "it was killed" test $? -eq 137
job=
succeed "killed, it begins the new cosine again" train --resume --out killed
for out in stopped killed; do
    check "$out: the same weights" cmp far/model.safetensors $out/model.safetensors
    check "$out: the same best weights" cmp far/best.safetensors $out/best.safetensors
    check "$out: the same rates" test "$(rates far)" = "$(rates $out)"
done
succeed "more a second time" train --resume --out run --steps 120
cp -r run stateless && rm stateless/*.safetensors && cp -r run backwards && cp short/state.safetensors backwards
refuses "a state from before the last cosine" "state.safetensors is at step 40;began at step 100" train --resume --out backwards --steps 140
refuses "no state" "has lost state.safetensors;began at step 100" train --resume --out stateless --steps 140
need train $small --data $data --steps 20 --out tenth
check "validation is after a tenth of the steps" grep -q '"eval-every": 2,' tenth/config.json
succeed "many more steps" train --resume --out tenth --steps 100
check "then it is after a tenth of these" grep -q '"eval-every": 10,' tenth/config.json
succeed "more, and --eval-every" train --resume --out tenth --steps 120 --eval-every 10
check "which stays as it was given" grep -q '"eval-every": 10,' tenth/config.json
check "with a third cosine" says '^steps +a new cosine from step 100 on'
succeed "no more steps than the warm-up has" train --resume --out run --steps 122
check "which is said" says 'rises to 0.005 in 2 steps, which all belong to the warm-up$'
check "and they are" test "$(rates run | tail -n 1)" = 0.005
refuses "fewer steps than done" "--steps 30;has done 122 steps;give more" train --resume --out run --steps 30
refuses "as many as done, of another plan" "--steps 40;has done 122 steps" train --resume --out run --steps 40
succeed "as many as planned" train --resume --out run --steps 122
refuses "too many" "--steps;2^62" train --resume --out run --steps 1e18
refuses "another rate" "--lr;leave the option out" train --resume --out run --steps 200 --lr 1
sed '/^  "crc32"/d; s/"cosine_from": 120/"cosine_from": 122/' run/config.json >edited && cp edited run/config.json
refuses "a cosine that begins at its end" "cosine_from;121" train --resume --out run

# Killed when its best step was after its last checkpoint, then resumed with other steps.
need train $small --data $data --steps 100 --warmup 4 --lr 1e-2 --eval-every 10 --save-every 1000 --out ahead
cp short/state.safetensors short/model.safetensors ahead
cp -r ahead followed
check "the last step is the best" test "$(sed -n 's/^best *was step //p' "$scratch/out")" = ''
mv ahead/log.csv whole.csv
mkdir ahead/log.csv
refuses "a log that is a directory, and leaves the plan" "log.csv;regular file" train --resume --out ahead --steps 50
rmdir ahead/log.csv && ln -s ../whole.csv ahead/log.csv
refuses "a log that is a link" "log.csv;symbolic link" train --resume --out ahead --steps 50
rm ahead/log.csv && mv whole.csv ahead/log.csv
refuses "no more steps than done, and leaves the log" "has done 40 steps" train --resume --out ahead --steps 30
succeed "a new cosine from before the best step" train --resume --out ahead --steps 50 --eval-every 0
check "says that the best weights are given up" says '^best +.*step 100.*given up$'
check "and has others" test "$("$BITTER" eval ahead@best --threads 1 | sed 1d)" = "$("$BITTER" eval ahead --threads 1 | sed 1d)"
succeed "the old cosine" train --resume --out followed --steps 100
check "keeps them" test "$(grep -c 'given up' "$scratch/out")" -eq 0
rm -r short stopped killed sixty ahead followed

# --- options that may differ on a resume are recorded for the next one ---
need train $small --data $data --steps 20 --eval-every 5 --out recorded
cp recorded/config.json before.json
succeed "--resume" train --resume --out ./recorded/
check "leaves config.json as it is" cmp before.json recorded/config.json
succeed "--resume --eval-every" train --resume --out recorded --steps 30 --eval-every 7
succeed "resumed again" train --resume --out recorded --steps 40
check "there are as many validations" test "$(sed 1d recorded/log.csv | cut -d , -f 5 | grep -c .)" -eq 9
refuses "losses on other tokens would not compare" "--eval-tokens;leave the option out" \
    train --resume --out recorded --steps 50 --eval-tokens 100

# --- patience begins again with a new cosine ---
misleading_text >short.txt
need prepare --val 0.5 --out text short.txt
need train $small --width 32 --batch 8 --data text --lr 1e-2 --warmup 5 --steps 200 --eval-every 10 --patience 2 --out patient
stopped=$(sed -n '$p' patient/log.csv | cut -d , -f 1)
check "it stopped at step $stopped" test "$stopped" -lt 200
succeed "more steps than planned" train --resume --out patient --steps 300
check "it goes on for two validations at least" test "$(sed -n '$p' patient/log.csv | cut -d , -f 1)" -ge $((stopped + 20))

# --- --init ---
need train $small --data $data --steps 30 --lr 2e-2 --min-lr 1e-3 --warmup 5 --accumulate 2 --seed 7 --out origin
succeed "--init" train --init origin --threads 1 --out tuned
check "it says what it takes over" says '^init +the model, data, batch size and schedule of origin, .*: 30 steps, 5 of them warm-up, learning rate 0.02, seed 8$'
for option in '"batch": 2' '"accumulate": 2' '"steps": 30' '"lr": 0.02' '"min-lr": 0.001' '"warmup": 5' '"seed": 8'; do
    check "config.json: $option" grep -q "$option" tuned/config.json
done
other=$(batches_crc)
need train --init origin --threads 1 --seed 7 --out same
run train $small --data $data --steps 30 --accumulate 2 --seed 7 --out first
check "other batches than those of the run before" test "$(batches_crc)" != "$other"
check "a typed seed is taken" grep -q '"seed": 7' same/config.json
need train --init origin --threads 1 --batch 3 --steps 9 --lr 1e-3 --warmup 2 --out typed
for option in '"batch": 3' '"accumulate": 2' '"steps": 9' '"lr": 0.001' '"min-lr": 0.001' '"warmup": 2' '"seed": 8'; do
    check "typed options win: $option" grep -q "$option" typed/config.json
done
check "the same scheme is not worth a line" sh -c "! grep -q '^init .*positions of' '$scratch/out'"
succeed "--init with another scheme (DroPE), in fewer steps than the warm-up had" train --init origin --pos none --threads 1 --steps 5 --out dropped
check "it says which scheme there was, and which there is" says '^init +positions of origin: rope:.*; of this run: none$'
check "some steps are left after the warm-up" grep -q '"warmup": 0,*$' dropped/config.json
need train --init origin --pos none --threads 1 --steps 5 --warmup 5 --out warm
check "a typed warm-up is taken" grep -q '"warmup": 5,*$' warm/config.json
need train --init tuned --threads 1 --steps 1 --out third
check "each run of a chain has another seed" grep -q '"seed": 9' third/config.json
finish
