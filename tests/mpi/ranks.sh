# One run that the processes of mpirun share: the same bits as one process with as many batches of its own, whatever ends
# it. `make ranks` runs this with a program that was built by `make MPI=1`.
. tests/support/shell
. "$repository/tests/support/background"

program=$(cd "$repository" && absolute "$BUILD/float/tests/lab/ranks/test_ranks")
if ! command -v mpirun >/dev/null; then
    skip "training under mpirun" "there is no mpirun; \`make MPI=1 deps\` installs it"
    finish
fi
# Open MPI's words for more processes than cores, and for root in a container.
more=
if mpirun --version 2>&1 | grep -q 'Open MPI\|Open RTE'; then more=--oversubscribe; fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMP_NUM_THREADS=1

tiny='--layers 2 --heads 2 --width 16 --context 32 --eval-tokens 2000'
tales=builtin:tales:bytes=20000

# shared PROCESSES ARGUMENT...: bitter under mpirun; as `run` does otherwise.
shared() {
    processes=$1
    shift
    ran="mpirun -n $processes bitter $*"
    mpirun $more -n "$processes" "$BITTER" "$@" >"$scratch/out" 2>"$scratch/all" </dev/null
    code=$?
    own_words
}

# Of what came on stderr, that which is not mpirun's.
own_words() {
    grep '^bitter' "$scratch/all" >"$scratch/err" || :
}

need_shared() {
    shared "$@"
    [ "$code" -eq 0 ] && return
    fail "preparation" "$(story)"
    finish
}

# What training computed, but not its times and validations, whose sums are rounded in another order.
trained() {
    cut -d , -f 1,2,4,7,8 "$1/log.csv"
}

same_training() { # RUN RUN
    cmp "$1/model.safetensors" "$2/model.safetensors" || return 1
    trained "$1" >"$scratch/one"
    trained "$2" >"$scratch/other"
    cmp "$scratch/one" "$scratch/other"
}

# near RUN RUN TOLERANCE: the last losses, of training and validation, differ by at most this fraction.
near() {
    { tail -n 1 "$1/log.csv" && tail -n 1 "$2/log.csv"; } | awk -F , -v tolerance="$3" '
        function close_to(a, b) { d = a > b ? a - b : b - a; return a > 0 && b > 0 && d <= tolerance * a }
        { step[NR] = $1; loss[NR] = $4; validation[NR] = $5; print }
        END { exit !(NR == 2 && step[1] == step[2] && close_to(loss[1], loss[2]) && close_to(validation[1], validation[2])) }'
}

checksum() {
    sed -n "s/^done .*CRC-32 \(.*\))/\1/p" "$scratch/out"
}

# --- sums ---
for processes in 1 2 3 5; do
    check "sums of $processes processes" mpirun $more -n $processes "$program"
done

# --- the same bits as one process ---
equal() { # TITLE OPTION...
    title=$1
    shift
    need train $tiny "$@" --steps 12 --batch 2 --accumulate 4 --out one
    one=$(checksum)
    need_shared 4 train $tiny "$@" --steps 12 --batch 8 --out four
    check "$title: rows of a batch on 4 processes" same_training one four
    check "$title: the same text" test "$one" = "$(checksum)"
    check "$title: the same validation" near one four 1e-6
    need_shared 4 train $tiny "$@" --steps 12 --batch 2 --accumulate 4 --out each
    check "$title: 4 batches on 4 processes" same_training one each
    rm -r one four each
}
equal "text" --data $tales
equal "dropout" --data $tales --dropout 0.2
equal "clipped" --data $tales --clip 0.01
equal "learned" --data $tales --pos learned
equal "fire" --data $tales --pos fire --block llama
equal "random positions" --data $tales --random-positions 64 --pos rope
equal "a task" --data builtin:copy:max=5 --pos alibi
equal "documents" --data $tales --context 300 --documents builtin:passkey:max=299,share=0.5
equal "two threads" --data $tales --threads 2

need train $tiny --data $tales --steps 5 --out origin
equal "weights of another run" --init origin
rm -r origin

# --- within rounding where the sums are in another order ---
need train $tiny --data $tales --steps 30 --batch 8 --out one
for processes in 2 8; do
    need_shared $processes train $tiny --data $tales --steps 30 --batch 8 --out some
    check "$processes processes and one: equal but for rounding" near one some 1e-4
    rm -r some
done
need_shared 2 train $tiny --data $tales --steps 30 --batch 2 --accumulate 4 --out some
check "2 batches on each of 2 processes: equal but for rounding" near one some 1e-4
rm -r one some

# --- what is said, and by whom ---
need_shared 4 train $tiny --data $tales --steps 4 --batch 8 --sample-every 2 --out some
check "only one process speaks" test "$(grep -c '^done' "$scratch/out")" -eq 1
check "and says what each does" says '^shared +by 4 processes, each with 2 of the 8 windows of a step and 1 thread$'
check "the number of processes is recorded" grep -q '"processes": 4' some/config.json
check "and no other files are left" test "$(ls some | tr '\n' ' ')" = \
    'best.safetensors config.json log.csv model.safetensors state.safetensors tokenizer.json '
cp "$repository/README.md" text.txt
need_shared 2 train text.txt $tiny --steps 4 --tensorboard --out text
check "a text is prepared once" test "$(grep -c '^prepare' "$scratch/out")" -eq 1
check "events are written once" test "$(find text -name 'events.*' | wc -l)" -eq 1
need_shared 2 train --resume --out text
check "a finished run stays finished" says '^run +text is complete'
need_shared 2 train $tiny --data $tales --steps 50 --lr 0 --min-lr 0 --eval-every 2 --patience 2 --out patient
check "patience runs out for all" says '^stopped after step 6 of 50 '
rm -r text text.txt runs patient
unset OMP_NUM_THREADS
shared 4 train $tiny --data $tales --steps 1 --batch 8 --out threads
cores=$(getconf _NPROCESSORS_ONLN)
threads=$(sed -n 's/^shared .* and \([0-9]*\) threads*$/\1/p' "$scratch/out")
check "threads are not more than cores" test "${threads:-0}" -ge 1 -a "${threads:-0}" -le $((cores < 4 ? 1 : cores / 4))
export OMP_NUM_THREADS=1
rm -r threads

# --- mistakes: one sentence, exit code 2, nothing written ---
refuses_shared() { # NAME WORDS PROCESSES ARGUMENT...
    name=$1 words=$2
    shift 2
    inventory >"$scratch/before"
    shared "$@"
    inventory >"$scratch/after"
    wrong=$(complaint 2 "$words")
    changed=$(diff "$scratch/before" "$scratch/after")
    if [ -z "$wrong$changed" ]; then pass "$name"; else fail "$name" "$(story "$wrong $changed")"; fi
}
refuses_shared "an unknown option" "--widht;did you mean --width" 4 train --widht 16
refuses_shared "a batch that cannot be shared" "4 processes;--batch 6;--accumulate 1;multiple of 4" 4 train $tiny \
    --data $tales --batch 6 --out new
refuses_shared "no data" "nowhere" 4 train $tiny --data nowhere --out new
refuses_shared "a run that exists" "some;already;--resume" 4 train $tiny --data $tales --batch 8 --out some
refuses_shared "no run to resume" "nowhere;no run" 4 train --resume --out nowhere
refuses_shared "another command" "mpirun has started 4 processes;only;train" 4 eval some
shared 4 train $tiny --data $tales --batch 8 --steps 60 --lr 100 --min-lr 100 --warmup 0 --clip 0 --out wild
wrong=$(complaint 3 'the loss is')
if [ -z "$wrong" ]; then pass "divergence"; else fail "divergence" "$(story "$wrong")"; fi
rm -r some wild

# --- what fails on one process only ---
mkdir here there nowhere
(cd here && "$BITTER" prepare --out data builtin:tales:bytes=20000,seed=1) >/dev/null
(cd there && "$BITTER" prepare --out data builtin:tales:bytes=20000,seed=2) >/dev/null
apart() { # OTHER-DIRECTORY: the second of two processes works in another directory
    ran="mpirun -n 1 bitter train in here : -n 1 in $1"
    mpirun $more -n 1 -wdir "$scratch/work/here" "$BITTER" train $tiny --data data --batch 8 --out run : \
        -n 1 -wdir "$scratch/work/$1" "$BITTER" train $tiny --data data --batch 8 --out run \
        >"$scratch/out" 2>"$scratch/all" </dev/null
    code=$?
    own_words
}
apart there
wrong=$(complaint 2 'process 1, on;data holds other tokens')
if [ -z "$wrong" ]; then pass "other data for one process"; else fail "other data" "$(story "$wrong")"; fi
rm -rf here/run
apart nowhere
wrong=$(complaint 2 'process 1, on;data')
if [ -z "$wrong" ]; then pass "no data for one process"; else fail "no data for one" "$(story "$wrong")"; fi
check "nothing is left behind" test ! -e here/run -a ! -e there/run -a ! -e nowhere/run
mpirun $more -n 1 sh -c "ulimit -f 64; exec '$BITTER' train $tiny --data $tales --batch 8 --steps 100000 --out full" : \
    -n 1 "$BITTER" train $tiny --data $tales --batch 8 --steps 100000 --out full >"$scratch/out" 2>"$scratch/all" </dev/null
code=$?
own_words
wrong=$(complaint 1 'full/')
if [ -z "$wrong" ]; then pass "files that must not grow"; else fail "files that must not grow" "$(story "$wrong")"; fi
rm -rf full here there nowhere

# --- interrupted, killed, resumed ---
share() { # PROCESSES ARGUMENT...: in the background, $job
    processes=$1
    shift
    ran="mpirun -n $processes bitter $*"
    mpirun $more -n "$processes" "$BITTER" "$@" >"$scratch/out" 2>"$scratch/all" </dev/null &
    job=$!
}
gather() {
    collect
    own_words
}
process() { # first|last of the job
    pgrep -P "$job" | sort -n | sed -n "$([ "$1" = first ] && echo 1p || echo '$p')"
}

long="$tiny --data $tales --steps 600 --batch 8 --eval-every 100"
need train $long --out straight
straight=$(checksum)
need train $long --batch 2 --accumulate 4 --out parts

for signal in INT TERM; do
    share 4 train $long --save-every 0 --out stopped
    wait_for_rows stopped/log.csv 5
    kill -$signal "$(process last)"
    gather
    check "SIG$signal to one process: exit code 130" test $code -eq 130
    check "SIG$signal: the command that continues" says '^  mpirun -n [0-9] bitter train --resume --out stopped$'
    need_shared 4 train --resume --out stopped
    check "SIG$signal: continued with the same bits" same_training parts stopped
    rm -r stopped
done

share 4 train $long --save-every 0 --out stopped
wait_for_rows stopped/log.csv 5
kill -INT $job
gather
check "Ctrl-C: saved" test $code -ne 0 -a -f stopped/state.safetensors
need_shared 4 train --resume --out stopped
check "Ctrl-C: continued with the same bits" same_training parts stopped
rm -r stopped

for which in first last; do
    share 4 train $long --save-every 10 --out killed
    wait_for_rows killed/log.csv 25
    kill -9 "$(process $which)"
    gather
    check "kill -9, the $which process: the run ends" test $code -ne 0
    check "kill -9, the $which process: at most one sentence" test "$(wc -l <"$scratch/err")" -le 1
    succeed "kill -9, the $which process: the checkpoint is good" eval killed --eval-tokens 100
    need_shared 4 train --resume --out killed
    check "kill -9, the $which process: continued with the same bits" same_training parts killed
    rm -r killed
done

# 4 processes, then one, then 2.
share 4 train $long --out moved
wait_for_rows moved/log.csv 50
kill -INT "$(process last)"
gather
check "the first part" test $code -eq 130
ran="bitter train --resume --out moved"
start train --resume --out moved
wait_for_rows moved/log.csv $(($(rows moved/log.csv) + 50))
kill -INT $job
collect
check "continued by one process, which says so" grep -q 'processes: 4 before, 1 now' "$scratch/err"
check "the second part" test $code -eq 130
need_shared 2 train --resume --out moved
check "the last part has drawn the same text" test "$straight" = "$(checksum)"
check "4 processes, 1, 2: equal but for rounding" near straight moved 1e-2
finish
