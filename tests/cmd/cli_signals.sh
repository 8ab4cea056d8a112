# Two signals up to 100 ms apart (at random), as from a closed terminal or `timeout`, cost no checkpoint of `train` or
# `compare`. `make test` sends each kind twice, always with the same distances; `make signals` plays 200 rounds of each
# command (SIGNAL_ROUNDS), with other distances every time, or the same ones with SIGNAL_SEED=N.
. tests/support/shell
. "$repository/tests/support/comparison"

rounds=${SIGNAL_ROUNDS:-8}
seed=${SIGNAL_SEED:-$([ -n "${SIGNAL_ROUNDS:-}" ] && date +%s || echo 1)}
export OMP_WAIT_POLICY=passive
shape='--layers 2 --heads 2 --width 96 --context 16 --batch 1 --threads 1 --steps 1000000 --eval-every 0 --save-every 0'
data='--data builtin:tales:bytes=20000 --eval-tokens 2000'
pause_seconds() { # the distance, drawn for the round
    awk -v seed="$((seed + 7919 * round))" 'BEGIN { srand(seed); rand(); printf "%.3f", 0.1 * rand() }'
}
pause() {
    sleep "$(pause_seconds)"
}

train_rows() { # rows of every log of the run or the comparison
    cat out/log.csv out/runs/*/log.csv 2>/dev/null | wc -l
}

begin() { # COMMAND...: in the background, until it has trained
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
    job=$!
    while [ "$(train_rows)" -lt 30 ] && kill -0 $job 2>/dev/null; do sleep 0.02; done
}

send() { # SIGNAL: twice, to the program and its workers
    begin "$BITTER" $command
    all="$job $(workers_of $job)"
    kill "-$1" $all
    pause
    kill "-$1" $all 2>/dev/null
    collect
}

# The ways to send two signals. Each sets $code.
send_HUP() { send HUP; }
send_TERM() { send TERM; }
send_timeout() { # timeout passes on the signals that it gets, to its child and to its group
    begin timeout 600 "$BITTER" $command
    kill -TERM $job
    pause
    kill -TERM $job 2>/dev/null
    collect
}
send_terminal() {
    python3 "$repository/tests/support/closed_terminal.py" out 30 "$(pause_seconds)" \
        "'$BITTER' $command" >"$scratch/out" 2>"$scratch/err"
    code=$?
}

# Runs that have trained and have no checkpoint.
unsaved() {
    for log in out/log.csv out/runs/*/log.csv; do
        [ "$(cat "$log" 2>/dev/null | wc -l)" -lt 2 ] || [ -f "${log%log.csv}state.safetensors" ] || echo "$log"
    done
}

play() { # COMMAND-NAME KIND
    rm -rf out
    send_$2
    trained=$((trained + ($(train_rows) > 1)))
    [ $code -eq 130 ] || others="$others $code"
    lost=$(unsaved)
    [ -z "$lost" ] || losses="$losses
round $round of seed $seed: exit code $code, lost: $lost; $(tail -n 2 "$scratch/err")"
}

kinds='HUP TERM'
if command -v timeout >/dev/null; then kinds="$kinds timeout"; else skip timeout "there is no timeout"; fi
if command -v bash >/dev/null && python3 -c 'import pty' 2>/dev/null; then
    kinds="$kinds terminal"
else
    skip "closed terminals" "they need python3 and bash"
fi
round=0
for what in train compare; do
    command="train $shape $data --out out"
    [ $what = train ] || command="compare none learned --seeds 1 --workers 2 $shape $data --out out"
    for kind in $kinds; do
        losses='' others='' trained=0 played=0
        while [ $played -lt $(((rounds + 3) / 4)) ]; do
            round=$((round + 1)) played=$((played + 1))
            play $what $kind
        done
        name="$what, two signals ($kind): $trained of $played rounds had trained, $(echo "$losses" | grep -c 'round') lost"
        if [ -n "$losses" ] || [ $trained -lt $played ]; then
            fail "$name" "${losses:-$(tail -n 3 "$scratch/err")}"
        else
            pass "$name"
        fi
        [ $kind = terminal ] || check "$what, $kind: exit code 130" test -z "$others"
    done
done

# --- what Slurm and others send early ---
for signal in USR1 USR2 XCPU; do
    rm -rf out
    command="train $shape $data --out out"
    begin "$BITTER" $command
    kill -$signal $job
    collect
    check "SIG$signal: exit code 130" test $code -eq 130
    check "SIG$signal: saved" test -z "$(unsaved)"
done
succeed "and the run goes on" train --resume --steps "$(($(train_rows) + 2))" --out out
finish
