# Tasks: training on exercises that are never repeated, and the share of right answers by length.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --batch 4 --threads 1'
copy=builtin:copy:max=4

# --- training ---
succeed "train" train $small --data $copy --context 28 --steps 20 --eval-every 10 --save-every 10 --out run
check "it says what the data are" says '^data +builtin:copy:max=4: fresh exercises of 1 to 4 letters, at most 28 tokens'
check "it counts exercises" says 'steps 1 to 20 of 4 exercises each'
check "it says how many answers are right" says '^step +20 .* right [0-9.]+% '
crc=$(grep '^done' "$scratch/out")
check "log.csv keeps its columns" awk -F , '
    NR == 1 { exit $0 != "step,tokens,seconds,train_loss,val_loss,val_ppl,lr,grad_norm,tokens_per_second" }' run/log.csv
check "padding is not counted" awk -F , '
    NR > 1 { new = $2 - before; before = $2; if (!(new >= 4 * 16 && new < 4 * 28)) bad = 1 }
    END { exit bad || NR != 21 }' run/log.csv
succeed "another scheme" train $small --data $copy --context 28 --steps 20 --pos learned --out learned
check "sees the same exercises" test "$(grep '^done' "$scratch/out" | sed s/learned/run/)" = "$crc"
succeed "another seed" train $small --data $copy --context 28 --steps 20 --seed 2 --out seed
check "sees others" test "$(grep '^done' "$scratch/out" | sed s/seed/run/)" != "$crc"

# --- resuming: the same bits ---
need train $small --data $copy --context 28 --steps 300 --eval-every 10 --out whole
whole=$(grep '^done' "$scratch/out")
"$BITTER" train $small --data $copy --context 28 --steps 300 --eval-every 10 --save-every 1 --out again \
    >/dev/null 2>&1 </dev/null &
job=$!
while [ ! -f again/log.csv ] || [ "$(wc -l <again/log.csv)" -lt 4 ]; do
    kill -0 $job 2>/dev/null || break
    sleep 0.01
done
kill -9 $job 2>/dev/null
wait $job 2>/dev/null
check "it was killed" test $? -eq 137
job=
succeed "resume" train --resume --out again --threads 1
check "the same exercises" test "$(grep '^done' "$scratch/out" | sed s/again/whole/)" = "$whole"
check "the same weights" cmp whole/model.safetensors again/model.safetensors
cut -d , -f 1,2,4-8 whole/log.csv >one
cut -d , -f 1,2,4-8 again/log.csv >other
check "the same log" cmp one other
refuses "other exercises on resume" "other tokens" train --resume --out run --data builtin:copy:max=3

# --- eval ---
succeed "eval --task" eval run --task --samples 20 --csv table.csv
check "a row for each length up to twice the trained ones" test "$(grep -cE '^ +[1-8] +20 ' "$scratch/out")" -eq 8
check "a line for trained lengths" says '^trained lengths, 1 to 4 +[0-9]+ of 80 right'
check "a line for those beyond" says '^beyond, 5 to 8 +[0-9]+ of 80 right'
check "the table has its columns" test "$(head -n 1 table.csv)" = \
    'length,part,exercises,perfect,questions,right,accuracy,low,high,nats'
check "shares lie in their intervals" awk -F , '
    NR > 1 && !($1 == NR - 1 && $2 == ($1 > 4 ? "beyond" : "trained") && $3 == 20 && $4 == $6 && $5 == 20 &&
                ($7 * $5 - $6) ^ 2 < 1e-9 && $8 < $7 + 1e-9 && $7 < $9 + 1e-9 && $10 > 0) { bad = 1 }
    END { exit bad || NR != 9 }' table.csv
cp "$scratch/out" one
run eval run --task --samples 20
check "the same exercises every time" cmp one "$scratch/out"
succeed "eval --task past the learned table" eval learned --task --samples 5 --csv table.csv
check "lengths without positions are said" test "$(grep -cE '^ +[5-8] +-  .*not defined past 28' "$scratch/out")" -eq 4
check "in the table as well" grep -qx '5,beyond,0,0,0,0,,,,' table.csv
check "and nothing is claimed of them" says '^beyond, 5 to 8 +-$'
need train $small --data $copy --context 40 --steps 2 --pos learned --out some
succeed "eval --task partly past it" eval some --task --samples 5
check "says of how many lengths it speaks" says '^beyond, 5 to 8 .*, at [1-3] of 4 lengths$'
succeed "learned positions, --past clamp" eval learned --task --samples 5 --past clamp
check "have a row for every length" test "$(grep -cE '^ +[1-8] +5 ' "$scratch/out")" -eq 8
succeed "eval --task on another task" eval run --task --samples 5 --data builtin:flipflop:ignore=0.98,min=8,max=8
check "every read is a question" awk '$1 == 8 && $2 == 5 { found = $4 >= 5 } END { exit !found }' "$scratch/out"
check "its lengths were not trained" says '^lengths 8 to 8 '
succeed "many lengths" eval run --task --samples 1 --data builtin:parity:max=500
check "are shown by some" test "$(grep -cE '^ +[0-9]+ +1 ' "$scratch/out")" -eq 40
check "from the shortest to the longest" test "$(grep -cE '^ +(1|500|501|1000) +1 ' "$scratch/out")" -eq 4
succeed "eval without --task" eval run
check "takes the exercises as plain text" says 'exercises as plain text'

# --- prepare, and a run on what it wrote ---
for task in copy reverse addition sort parity recall offset duplicate flipflop grid; do
    succeed "prepare builtin:$task" prepare --out shards/$task builtin:$task:bytes=2000
done
need train $small --data shards/copy --context 16 --steps 2 --out plain
need prepare --tokenizer chars --out shards/chars builtin:copy:bytes=2000
need train $small --data shards/chars --context 16 --steps 2 --out chars

# --- mistakes ---
refuses "a context that is too short" "4 letters;--context 28" \
    train $small --data $copy --context 27 --out new
refuses "an option that the task does not have" "'ofset';did you mean 'offset'" \
    train $small --data builtin:offset:ofset=3 --out new
refuses "an option of another task" "builtin:copy;'offset';min, max, bytes, seed" \
    train $small --data builtin:copy:offset=3 --out new
refuses "a task that there is none of" "builtin:coppy;did you mean builtin:copy" eval run --task --data builtin:coppy
refuses "min above max" "min=5;max=4" train $small --data builtin:copy:min=5,max=4 --out new
refuses "lengths that the task does not have" "7 letters;as long as the offset" \
    train $small --data builtin:offset:min=7 --out new
refuses "more pairs than keys" "27 pairs;own key" train $small --data builtin:recall:max=27 --out new
refuses "a length that is no number" "max;'x'" train $small --data builtin:copy:max=x --out new
refuses "a share that is none" "ignore;1.5" train $small --data builtin:flipflop:ignore=1.5 --out new
refuses "--task on a run without one" "shards/copy;--data builtin:NAME;flipflop" eval plain --task
refuses "--task on text" "builtin:tales is no task;copy, reverse" eval run --task --data builtin:tales
refuses "--task on a directory" "shards/copy is no task" eval run --task --data shards/copy
refuses "--task with other tokens" "made of bytes;chars" eval chars --task --data builtin:copy
refuses "--task with --context" "--context;builtin:passkey" eval run --task --context 16
refuses "--task with --stride" "--stride;--task" eval run --task --stride 4
refuses "--samples without --task" "--samples;--task" eval run --samples 4
refuses "a table in a missing place" "nowhere" eval run --task --samples 1 --csv nowhere/x.csv

# --- the scripts of the recorded experiments ---
check "no script writes over what is committed" sh -c "! grep -n ':-runs/baseline' '$repository'/scripts/*.sh"
mkdir -p runs/baseline/flipflop && echo recorded >runs/baseline/flipflop/table.md
printf '#!/bin/sh\n[ $1 = eval ] || { for out; do :; done; mkdir -p $out; touch $out/config.json; }\n' >fake && chmod +x fake
check "a script runs" sh "$repository/scripts/flipflop.sh" ./fake
check "and leaves the recorded table alone" test "$(cat runs/baseline/flipflop/table.md)" = recorded -a -s runs/results/flipflop/table.md
finish
