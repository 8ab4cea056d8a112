# The best weights: kept beside the last ones, used as RUN@best.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'
data=builtin:tales:bytes=20000

"$BITTER" prepare --out tales $data >"$scratch/out" 2>&1
misleading_text >short.txt
need prepare --val 0.5 --out short short.txt
overfit='--layers 1 --heads 2 --width 32 --context 16 --batch 8 --threads 1 --data short --lr 1e-2 --warmup 5'

# lowest RUN: the step of the lowest validation loss in its log
lowest() {
    awk -F , 'NR > 1 && $5 != "" && (best == "" || $5 < best) { best = $5; step = $1 } END { print step }' "$1/log.csv"
}
nats() { # RUN OPTION...: of eval, as log.csv has it
    rm -f nats.csv
    "$BITTER" eval "$1" --threads 1 --csv nats.csv >/dev/null 2>&1 && sed -n 2p nats.csv | cut -d , -f 5
}

need train $overfit --steps 120 --eval-every 10 --out run
best=$(lowest run)
check "the validation loss has risen since step $best" test "$best" -lt 120
check "RUN@best is that step's model" test "$(nats run@best)" = "$(awk -F , -v step="$best" '$1 == step { print $5 }' run/log.csv)"
check "RUN is the last step's" test "$(nats run)" = "$(sed -n '$p' run/log.csv | cut -d , -f 5)"
succeed "sample RUN@best" sample run@best --tokens 5
succeed "a slash before @best" sample run/@best --tokens 5
succeed "report RUN@best" report run@best
check "which says so" grep -q 'with its best weights' run/report.html
sed -n '/A sample/,$p' run/report.md >sample.best
succeed "report RUN" report run
check "the best step, in words" grep -q "^- Overfitting after step $best: .* which run@best has" run/report.md
check "and marked" grep -q ">lowest: [0-9.]*, step $best<" run/plot-1.svg
check "its sample is that of the best weights" eval "sed -n '/A sample/,\$p' run/report.md | cmp - sample.best"
cp -r run worse && awk -F , -v OFS=, 'NR > 1 { $4 = $1 } { print }' run/log.csv >worse/log.csv
succeed "report a run whose training loss rises, too" report worse
check "which is not overfitting" grep -q "^- Best step $best: " worse/report.md
succeed "extend RUN@best" extend run@best --factor 2 --out longer
succeed "report a stretched run" report longer
check "it says what it was trained with" grep -q "stretched 2 times by .* trained context of 16" longer/report.md

# --- ten validations by default ---
validations() {
    awk -F , 'NR > 1 && $5 != "" { rows++ } END { print rows + 0 }' "$1/log.csv"
}
need train $overfit --steps 40 --out ten
need train $overfit --steps 40 --eval-every 40 --out one
check "a short run's curve has ten points" test "$(validations ten)-$(validations one)" = 10-1
check "and the weights are the same" cmp ten/model.safetensors one/model.safetensors
need train $overfit --steps 3 --out three
check "of three steps, three" test "$(validations three)" -eq 3
succeed "--init RUN@best" train --init run@best --steps 1 --lr 0 --min-lr 0 --out tuned
check "it starts from the best weights" test -n "$(nats tuned)" -a "$(nats tuned)" = "$(nats run@best)"
check "the run's own name stays free" test ! -e run@best

# --- what train reports about the best weights ---
run train $overfit --steps 120 --eval-every 10 --out again
check "best was step $best" says "^best +was step $best: validation loss [0-9.]+, perplexity [0-9.]+; its weights are again@best$"
check "and what is next begins from it" test "$(sed -n 's/^next *\|^        *//p' "$scratch/out" | grep '^bitter' | tr '\n' ' ')" = \
    'bitter eval again@best bitter sample again@best bitter report again '
check "a warning after 5 validations above it" grep -q \
    "^bitter train: the last 5 validations have found no loss below that of step $best, which was [0-9.]*; it is" "$scratch/err"
check "no warning at every validation" test "$(grep -c '^bitter' "$scratch/err")" -le 2
run train $overfit --steps $((best + 50)) --eval-every 10 --out ended
check "no warning at the last step" test -z "$(grep '^bitter' "$scratch/err")"
run train $small --data tales --steps 10 --eval-every 5 --lr 1e-2 --warmup 1 --out falling
check "nothing where the last is the best" test "$(lowest falling)-$(grep -c '^best' "$scratch/out")-$(grep -c . "$scratch/err")" = 10-0-0

# --- --patience ---
stop=$((best + 30))
succeed "--patience 3" train $overfit --steps 120 --eval-every 10 --patience 3 --out patient
check "it stops three validations later" test "$(sed -n '$p' patient/log.csv | cut -d , -f 1)" = $stop
check "and says so" says "^stopped after step $stop of 120 \(--patience 3\): no loss below that of step $best since then"
check "best was step $best" says "^best +was step $best:"
check "with the same best weights" cmp run/best.safetensors patient/best.safetensors
succeed "resumed, it knows" train --resume --out patient
check "that it has stopped" says "^run +patient has stopped at step $stop of 120$"
check "and does no step" test "$(sed -n '$p' patient/log.csv | cut -d , -f 1)" = $stop
cp -r patient slower
cp -r patient faster
succeed "resumed with fewer validations" train --resume --out slower --eval-every 40
check "it has stopped, too" says "^run +slower has stopped at step $stop of 120$"
succeed "with more validations, and more patience" train --resume --out faster --eval-every 1 --patience 5
check "it stops two validations later" test "$(sed -n '$p' faster/log.csv | cut -d , -f 1)" = $((stop + 2))
succeed "resumed without patience" train --resume --out patient --patience 0
check "it ends as if it had never stopped" cmp run/model.safetensors patient/model.safetensors
check "with the same best weights" cmp run/best.safetensors patient/best.safetensors
refuses "--patience without validations" "--patience 2;--eval-every 0" train $small --data tales --patience 2 --eval-every 0

# --- divergence with finite numbers is reported, with exit code 3 ---
run train $small --data tales --steps 400 --lr 10 --warmup 0 --eval-every 10 --patience 3 --out wild
check "a diverged run that --patience stops" test "$code-$(grep -c 'wild diverged.*wild@best.*--lr' "$scratch/err")" = 3-1
check "it stopped early" test "$(wc -l <wild/log.csv)" -lt 400
run train --resume --out wild
check "resumed, it says so again" test "$code-$(grep -c 'wild diverged' "$scratch/err")" = 3-1
run train $small --data tales --steps 300 --lr 2 --warmup 300 --out late
check "a run that learns first" awk -F , 'NR > 61 && NR < 120 { sum += $4 } END { exit !(sum / 58 < 4) }' late/log.csv
check "and unlearns it" test "$code-$(grep -c 'late diverged.*--lr' "$scratch/err")" = 3-1

# --- runs without best weights ---
refuses "--out X@best" "x@best;choose another name" train $small --data tales --steps 1 --out x@best
refuses "--out X@best/" "x@best/;choose another name" train $small --data tales --steps 1 --out x@best/
refuses "--resume X@best" "run@best;choose another name" train --resume --out run@best
refuses "no run" "cannot open nowhere" eval nowhere@best
need compare $small --data tales --steps 4 --seeds 1 --out comparison rope
refuses "best weights of a comparison's run" "no best.safetensors;bitter train;leave out @best" \
    eval "$(ls -d comparison/runs/*)@best"
need train $small --data tales --steps 4 --eval-every 2 --out damaged
head -c 200 run/best.safetensors >damaged/best.safetensors
refuses "damaged best weights" "damaged/best.safetensors" eval damaged@best
refuses "a resume beside them" "damaged/best.safetensors;or move it elsewhere" train --resume --out damaged
cp damaged/model.safetensors damaged/best.safetensors
refuses "other weights in their place" "best.safetensors;best.step" eval damaged@best
rm damaged/best.safetensors
succeed "a resume without them" train --resume --out damaged
finish
