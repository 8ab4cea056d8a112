# The best weights: kept beside the last ones, used as RUN@best.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'
data=builtin:tales:bytes=20000

# A text so short that the model soon knows it by heart: its validation loss falls and then rises.
"$BITTER" prepare --out tales $data >"$scratch/out" 2>&1
head -c 1500 "$repository/docs/train.md" >short.txt
need prepare --val 0.5 --out short short.txt
overfit='--layers 1 --heads 2 --width 32 --context 16 --batch 8 --threads 1 --data short --lr 1e-2 --warmup 5'

# lowest RUN: the step of the lowest validation loss in its log
lowest() {
    awk -F , 'NR > 1 && $5 != "" && (best == "" || $5 < best) { best = $5; step = $1 } END { print step }' "$1/log.csv"
}
nats() { # RUN OPTION...: of eval, as log.csv has it
    "$BITTER" eval "$1" --threads 1 --csv nats.csv >/dev/null 2>&1
    sed -n 2p nats.csv | cut -d , -f 5
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
succeed "extend RUN@best" extend run@best --factor 2 --out longer
succeed "--init RUN@best" train --init run@best --steps 1 --lr 0 --min-lr 0 --out tuned
check "it starts from the best weights" test "$(nats tuned)" = "$(nats run@best)"
check "the run's own name stays free" test ! -e run@best

# --- where there are none ---
refuses "--out X@best" "x@best;choose another name" train $small --data tales --steps 1 --out x@best
refuses "--resume X@best" "run@best;choose another name" train --resume --out run@best
refuses "no run" "nowhere holds no run" eval nowhere@best
need compare $small --data tales --steps 4 --seeds 1 --out comparison rope
refuses "best weights of a comparison's run" "no best.safetensors;bitter train;leave out @best" \
    eval "$(ls -d comparison/runs/*)@best"
need train $small --data tales --steps 4 --eval-every 2 --out damaged
head -c 200 run/best.safetensors >damaged/best.safetensors
refuses "damaged best weights" "damaged/best.safetensors" eval damaged@best
refuses "a resume beside them" "damaged/best.safetensors" train --resume --out damaged
cp damaged/model.safetensors damaged/best.safetensors
refuses "other weights in their place" "best.safetensors;best.step" eval damaged@best
finish
