# Several `train` processes start at the same time in one directory: one of them gets it, and the others damage nothing.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1 --steps 40'
data=builtin:tales:bytes=20000

for pos in rope alibi none; do need train $small --data $data --pos $pos --out whole-$pos; done

# together ARGUMENT...: three `train` processes with different schemes at once. Their exit codes -> $codes, sorted; the
# scheme of the last one that succeeded -> $winner; the others' messages -> $scratch/lost.
together() {
    pids='' codes='' winner=''
    : >"$scratch/lost"
    for pos in rope alibi none; do
        "$BITTER" train $small --data $data --pos $pos "$@" >"$scratch/$pos.out" 2>"$scratch/$pos.err" </dev/null &
        pids="$pids $!:$pos"
    done
    for job in $pids; do
        pos=${job#*:}
        wait "${job%:*}"
        code=$?
        codes="$codes$code "
        if [ $code -eq 0 ]; then winner=$pos; else cat "$scratch/$pos.err" >>"$scratch/lost"; fi
    done
    job=
    codes=$(printf '%s\n' $codes | sort -n | tr '\n' ' ')
}

# What is wrong with the run ./fresh, which the winner made.
damage() {
    [ "$codes" = '0 2 2 ' ] || echo "exit codes $codes"
    [ "$(wc -l <"$scratch/lost")" -eq 2 ] || echo "the others did not say one sentence each"
    [ "$(ls -A fresh | tr '\n' ' ')" = 'best.safetensors config.json log.csv model.safetensors state.safetensors tokenizer.json ' ] ||
        echo "files: $(ls -A fresh | tr '\n' ' ')"
    grep -q "\"pos\": \"$winner" fresh/config.json || echo "config.json is not of $winner"
    cmp fresh/model.safetensors "whole-$winner/model.safetensors"
    [ "$(wc -l <fresh/log.csv)" -eq 41 ] || echo "log.csv has $(wc -l <fresh/log.csv) lines"
    run train --resume --out fresh
    [ $code -eq 0 ] || echo "it cannot be resumed: $(cat "$scratch/err")"
}

trial=1 wrong=''
while [ $trial -le 20 ]; do
    rm -rf fresh
    together --out fresh
    found=$(damage 2>&1)
    [ -z "$found" ] || wrong="$wrong
trial $trial: $found, $(cat "$scratch/lost")"
    trial=$((trial + 1))
done
if [ -z "$wrong" ]; then
    pass "three starts in one directory: one wins, 20 times"
else
    fail "three starts in one directory" "$wrong"
fi

# Without --out each process finds a name of its own.
trial=1 wrong=''
while [ $trial -le 5 ]; do
    rm -rf runs
    pids=''
    for seed in 1 2 3; do
        "$BITTER" train $small --data $data --seed $seed >"$scratch/$seed.out" 2>"$scratch/$seed.err" </dev/null &
        pids="$pids $!"
    done
    for pid in $pids; do wait "$pid" || wrong="$wrong
trial $trial: exit code $? $(cat "$scratch"/[123].err)"; done
    [ "$(cat runs/*/config.json | grep -c '"seed": [123]')" -eq 3 ] && [ "$(ls runs | wc -l)" -eq 3 ] || wrong="$wrong
trial $trial: $(ls runs | tr '\n' ' ')"
    trial=$((trial + 1))
done
if [ -z "$wrong" ]; then
    pass "three starts without --out: three runs, 5 times"
else
    fail "three starts without --out" "$wrong"
fi

# --- a run that another process works on ---
"$BITTER" train $small --steps 1000000 --save-every 0 --data $data --out busy >"$scratch/out" 2>"$scratch/err" </dev/null &
job=$!
while [ ! -f busy/log.csv ] && kill -0 $job 2>/dev/null; do sleep 0.01; done
for arguments in "train $small --data $data" 'train --resume' 'extend whole-rope'; do
    # shellcheck disable=SC2086
    run $arguments --out busy
    wrong=$(complaint 2 busy)
    if [ -z "$wrong" ]; then pass "refused there: $arguments"; else fail "refused there: $arguments" "$(story "$wrong")"; fi
done
kill -9 $job
wait $job 2>/dev/null
job=
check "killed, it leaves its lock" test -f busy/lock
: >"$scratch/out" # the one that was killed has written steps there
"$BITTER" train --resume --out busy >"$scratch/out" 2>"$scratch/err" </dev/null &
job=$!
while ! grep -q '^step' "$scratch/out" && kill -0 $job 2>/dev/null; do sleep 0.01; done
rm busy/lock && : >busy/lock
wait $job
code=$?
job=
wrong=$(complaint 1 "has lost the lock busy/lock;start it again")
if [ -z "$wrong" ]; then pass "it ends when its lock is lost"; else fail "it ends when its lock is lost" "$(story "$wrong")"; fi
check "without saving, or removing the lock of another" test -f busy/lock -a ! -f busy/state.safetensors
sed '/^  "crc32"/d; s/"steps": 1000000/"steps": 5/; s/"warmup": 100/"warmup": 5/' busy/config.json >edited && mv edited busy/config.json
succeed "which keeps nobody from resuming it" train --resume --out busy
check "and goes in the end" test ! -f busy/lock
refuses "a fresh start there" "busy;already holds a run" train $small --data $data --out busy
rm -r busy

# --- the run given to --init changes or disappears ---
need train $small --data $data --seed 3 --out origin
need train $small --data $data --init origin --save-every 0 --out straight
"$BITTER" train $small --data $data --init origin --save-every 0 --steps 1000000 --warmup 5 --out begun \
    >"$scratch/out" 2>"$scratch/err" </dev/null &
job=$!
while [ ! -f begun/log.csv ] && kill -0 $job 2>/dev/null; do sleep 0.01; done
kill -9 $job
wait $job 2>/dev/null
job=
check "killed before the first checkpoint" test ! -f begun/model.safetensors
rm -r origin
sed '/^  "crc32"/d; s/"steps": 1000000/"steps": 40/; s/"warmup": 5,/"warmup": 4,/' begun/config.json >edited && mv edited begun/config.json
succeed "resumed after the other run went" train --resume --out begun
check "it is what it would have been" cmp straight/model.safetensors begun/model.safetensors
need train $small --data $data --steps 5 --seed 3 --out origin

# A kill between the first file and config.json leaves a directory in which a run can begin.
killed=0 trial=1 wrong=''
while [ $trial -le 20 ]; do
    rm -rf early
    "$BITTER" train $small --data $data --init straight --out early >"$scratch/out" 2>"$scratch/err" </dev/null &
    job=$!
    while [ ! -d early ] && kill -0 $job 2>/dev/null; do :; done
    [ $((trial % 3)) -gt 0 ] || sleep 0.00$((trial % 7))
    kill -9 $job 2>/dev/null
    wait $job 2>/dev/null
    job=
    if [ -f early/config.json ]; then run train --resume --out early; else
        killed=$((killed + 1))
        run train $small --data $data --init straight --out early
    fi
    [ $code -eq 0 ] && [ "$(ls early | wc -l)" -eq 6 ] || wrong="$wrong$(story "$(ls early)")"
    trial=$((trial + 1))
done
if [ -n "$wrong" ]; then
    fail "killed while it starts" "$wrong"
elif [ $killed -gt 0 ]; then
    pass "killed while it starts, 20 times, $killed before config.json"
else
    skip "killed before config.json" "this machine writes it faster than it is killed"
fi

# --- weights of another tokenizer, with as many tokens ---
printf 'abcabc%.0s' $(seq 200) >abc.txt
printf 'xyzxyz%.0s' $(seq 200) >xyz.txt
need prepare --tokenizer chars --out abc abc.txt
need prepare --tokenizer chars --out xyz xyz.txt
need train $small --data abc --out letters
refuses "--init of a run with other characters" "another tokenizer;prepare --tokenizer letters" \
    train $small --data xyz --init letters --out new

# --- names that config.json cannot hold ---
odd=$(printf 'caf\351')
cp -r whole-rope "$odd"
need prepare --out plain $data
if cp -r plain "data-$odd" 2>/dev/null; then
    refuses "--init that is not UTF-8" "--init;not UTF-8" train $small --data $data --init "$odd" --out new
    refuses "--data that is not UTF-8" "--data;not UTF-8" train $small --data "data-$odd" --out new
    refuses "--out that is not UTF-8" "--out;not UTF-8" train $small --data $data --out "new-$odd"
    refuses "extend of a run that is not UTF-8" "the run;not UTF-8" extend "$odd" --out new
    refuses "extend --out that is not UTF-8" "--out;not UTF-8" extend whole-rope --out "new-$odd"
    mv plain/train_000000.bin "plain/train_$odd.bin"
    refuses "a shard that is not UTF-8" "plain/train;not UTF-8" train $small --data plain --out new
    refuses "a comparison of such a name" "the argument;not UTF-8" compare --out new "a$odd=rope"
    succeed "eval of a run that is not UTF-8" eval "$odd"
else
    skip "names that are not UTF-8" "the file system has none"
fi
finish
