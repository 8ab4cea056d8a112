# A run that is killed or interrupted at any instant, any number of times, and continued, ends with the same bytes as a
# run that was left alone.
. tests/support/shell
. "$repository/tests/support/background"

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'
data=builtin:tales:bytes=20000

# The log without its two time columns.
timeless() {
    cut -d , -f 1,2,4-8 "$1/log.csv"
}

# A safetensors file's data; in the state, without the last 8 bytes, which are the seconds of training.
data_of() {
    header=$(od -A n -t u4 -N 4 "$1" | tr -d ' ')
    tail -c +$((8 + header + 1)) "$1"
}

same_state() {
    data_of "$1/state.safetensors" >"$scratch/one"
    data_of "$2/state.safetensors" >"$scratch/other"
    [ "$(size_of "$scratch/one")" -eq "$(size_of "$scratch/other")" ] || return 1
    kept=$(($(size_of "$scratch/one") - 8))
    cmp -l "$scratch/one" "$scratch/other" | awk -v kept="$kept" '$1 <= kept { exit 1 }'
}

same_log() {
    timeless "$1" >"$scratch/one"
    timeless "$2" >"$scratch/other"
    cmp "$scratch/one" "$scratch/other"
}

# same TITLE RUN RUN: equal in everything that training computed.
same() {
    check "$1: same weights" cmp "$2/model.safetensors" "$3/model.safetensors"
    check "$1: same best weights" cmp "$2/best.safetensors" "$3/best.safetensors"
    check "$1: same state" same_state "$2" "$3"
    check "$1: same log" same_log "$2" "$3"
    [ ! -f "$2/positions.csv" ] || check "$1: same positions.csv" cmp "$2/positions.csv" "$3/positions.csv"
}

# killed TITLE STEPS KILLS ARGUMENT...: the run ./killed is killed again and again, and continued, until it is done.
# Most of its time goes into saving, so that kills hit saves as well.
killed() {
    title=$1 steps=$2 kills=$3
    shift 3
    hits=0 torn=0 unreadable='' round=1
    start train "$@" --steps "$steps" --save-every 1 --out killed
    while [ "$round" -le "$kills" ]; do
        wait_for_rows killed/log.csv $((steps * round / (kills + 1)))
        sleep "0.00$((round * 7 % 10))"
        kill -9 $job 2>/dev/null
        collect
        [ "$code" -eq 137 ] && hits=$((hits + 1))
        ls killed/*.tmp >/dev/null 2>&1 && torn=$((torn + 1))
        if [ -f killed/model.safetensors ]; then
            run eval killed --eval-tokens 100 --threads 1
            [ "$code" -eq 0 ] || unreadable="$unreadable $(story)"
        fi
        [ -f killed/config.json ] || { fail "$title" "killed before the run began"; return; }
        start train --resume --out killed
        round=$((round + 1))
    done
    collect
    [ "$code" -eq 0 ] || fail "$title: the last resume" "exit code $code: $(cat "$scratch/err")"
    check "$title: $hits kills hit, $torn of them within a save" test $hits -ge $((kills / 2))
    if [ -z "$unreadable" ]; then pass "$title: always readable"; else fail "$title: always readable" "$unreadable"; fi
    check "$title: these files stay" test "$(ls killed | grep -v '^positions.csv$' | tr '\n' ' ')" = \
        'best.safetensors config.json log.csv model.safetensors state.safetensors tokenizer.json '
}

compare_killed() { # TITLE STEPS KILLS OPTION...
    title=$1 steps=$2 kills=$3
    shift 3
    need train $small --data $data --eval-every 20 "$@" --steps "$steps" --out straight
    killed "$title" "$steps" "$kills" $small --data $data --eval-every 20 "$@"
    same "$title" straight killed
    rm -rf straight killed
}
compare_killed "killed" 300 12
compare_killed "killed with dropout and accumulation" 150 5 --dropout 0.1 --accumulate 2
compare_killed "killed with trained positions" 100 3 --pos learned
compare_killed "killed with trained frequencies" 100 3 --pos rope-learned

# --- killed while saving a checkpoint: with the state, and with weights of an earlier step or none ---
need train $small --data $data --steps 10 --out straight
cp -r straight killed && rm killed/model.safetensors
succeed "resume after a kill within the last checkpoint" train --resume --out killed
same "the weights are saved again" straight killed
rm -r straight killed

# --- positions.csv ---
need train $small --data $data --steps 20 --eval-every 6 --pos rope-learned --out learned
check "a row at the start and after each validation" test "$(cut -d , -f 1 learned/positions.csv | tr '\n' ' ')" = \
    'step 0 6 12 18 20 '
check "a column for each number" test "$(sed -n 1p learned/positions.csv)" = \
    'step,rho.0.0,rho.0.1,rho.0.2,rho.0.3,rho.1.0,rho.1.1,rho.1.2,rho.1.3'
succeed "report on a run" report learned
check "it shows the numbers" grep -q '<td>rho.1.3</td><td>20</td>' learned/report.html
cp learned/positions.csv whole
echo '24,1,2' >>learned/positions.csv
refuses "a damaged positions.csv" "positions.csv, line 7;expected a step and 8 finite numbers;remove the line" \
    report learned
sed '$s/[^,]*$/nan/' whole >learned/positions.csv
refuses "a number that is none in it" "positions.csv, line 6;finite" report learned
rm learned/positions.csv whole
succeed "a report without it" report learned
need train $small --data $data --steps 2 --out fixed
check "no file for a scheme that trains nothing" test ! -e fixed/positions.csv
refuses "no run" "cannot open nowhere" report nowhere
rm -r learned fixed

# --- killed before the first checkpoint ---
need train $small --data $data --steps 5 --out origin
need train $small --data $data --steps 400 --init origin --out straight
start train $small --data $data --steps 400 --init origin --save-every 0 --out killed
wait_for_rows killed/log.csv 5
kill -9 $job 2>/dev/null
collect
check "killed before the first checkpoint" test $code -eq 137 -a ! -f killed/model.safetensors
check "its starting weights are there" test -f killed/state.safetensors
need train $small --data $data --steps 7 --seed 8 --out other && mv other/model.safetensors origin/model.safetensors
succeed "resume from the beginning" train --resume --out killed
same "a run with --init, killed before its first checkpoint" straight killed
rm -r killed straight

# --- interrupted ---
need train $small --data $data --steps 1500 --out straight
for signal in INT TERM; do
    start train $small --data $data --steps 1500 --save-every 0 --out stopped
    wait_for_rows stopped/log.csv 5
    kill -$signal $job
    collect
    check "SIG$signal: exit code 130" test $code -eq 130
    command=$(sed -n 's/^ *bitter \(train --resume .*\)$/\1/p' "$scratch/out")
    check "SIG$signal: names the command that continues" test "$command" = "train --resume stopped"
    check "SIG$signal: saved" test -f stopped/state.safetensors
    succeed "SIG$signal: that command completes the run" ${command:-train --resume stopped}
    same "SIG$signal" straight stopped
    rm -r stopped
done
succeed "resuming a finished run" train --resume --out straight
cp -r straight moved
succeed "a finished run that was moved" train --resume --out moved --threads 2 --save-every 7
same "finished and resumed" straight moved
cp moved/tokenizer.json whole.json
rm moved/tokenizer.json
succeed "a run that has lost its tokenizer" train --resume --out moved
check "it is written again" cmp whole.json moved/tokenizer.json
echo '{}' >moved/tokenizer.json
succeed "or has a damaged one" train --resume --out moved
check "it is written again, too" cmp whole.json moved/tokenizer.json
echo '{"tokenizer": "chars", "vocab_size": 2, "characters": "ab"}' >moved/tokenizer.json
succeed "with the tokenizer of another" train --resume --out moved
check "the run gets its own back" cmp whole.json moved/tokenizer.json
rm -r straight moved

# --- what would fail later is refused before the first step ---
yes 'the cat sat on the mat, and a dog saw it' | head -n 400 >text.txt && need prepare --tokenizer bpe:300 --out text text.txt
for seed in 1 2; do need train $small --data text --steps 20 --eval-every 10 --seed $seed --out seed$seed; done
cp -r seed1 mixed && cp seed2/state.safetensors mixed
refuses "a state of another seed" "mixed/state.safetensors;seed 2;seed 1;own state" train --resume --out mixed --steps 30
yes 'another dog saw a mat, and the cat sat on it' | head -n 400 >second.txt
need prepare --tokenizer text --out second second.txt
need train $small --data second --steps 20 --eval-every 10 --seed 1 --out second-run
cp second-run/state.safetensors mixed
refuses "a state of other data" "mixed/state.safetensors;data of CRC-32;own state" train --resume --out mixed --steps 30
rm -r mixed second-run
for file in state model best; do
    cp -r seed1 linked && mv linked/$file.safetensors elsewhere && ln -s ../elsewhere linked/$file.safetensors
    refuses "$file.safetensors is a link" "linked/$file.safetensors is a symbolic link" train --resume --out linked --steps 30
    rm -r linked elsewhere
done

# --- a lost tokenizer.json costs nothing else ---
mv text/tokenizer.json kept.json
refuses "data without its tokenizer" "text;lacks the tokenizer.json" train --resume --out seed1 --steps 30
cp -r seed1 bare && rm bare/tokenizer.json
refuses "nor has the run one" "text;lacks the tokenizer.json" train --resume --out bare --steps 30
for command in eval sample report; do
    run $command bare
    check "$command without a tokenizer" test -z "$(complaint 2 "bare/tokenizer.json is missing;copy;--resume")"
done
cp kept.json text/tokenizer.json
succeed "the lost one is written again" train --resume --out bare --steps 30
check "as it was" cmp kept.json bare/tokenizer.json

# --- a log with missing rows ---
sed '5,7d' bare/log.csv >holed && cp holed bare/log.csv
succeed "a log with missing rows" train --resume --out bare --steps 40
check "says so" grep -q 'bare/log.csv has lost the rows of 3 of the 30 steps' "$scratch/err"
rm bare/log.csv
succeed "no log" train --resume --out bare --steps 50
check "says so, too" grep -q 'bare/log.csv has lost the rows of 40 of the 40 steps' "$scratch/err"
succeed "a whole log" train --resume --out seed2 --steps 30
check "says nothing" test ! -s "$scratch/err"
rm -r bare seed1 seed2 text second

# --- what killed processes left is removed when a command locks the directory, even if it is refused ---
leave() { # DIR: what kills left, and what looks like it
    : >"$1/lock"
    for file in config.json best.safetensors model.safetensors; do echo part >"$1/$file.bitter-a1b2c3.tmp"; done
    for file in notes log.csv; do echo mine >"$1/$file.backup.tmp"; done
}
left() { # DIR
    (cd "$1" && ls lock ./*.tmp 2>/dev/null | tr '\n' ' ')
}
need train $small --data $data --steps 5 --out taken
leave taken
succeed "a resume takes the directory" train --resume --out taken
check "what was left is gone, and nothing else" test "$(left taken)" = './log.csv.backup.tmp ./notes.backup.tmp '
need extend taken --factor 2 --out longer
leave longer
run extend taken --factor 4 --out longer
check "extend refuses a finished run" test "$code-$(grep -c 'already holds a run' "$scratch/err")" = 2-1
check "what was left is gone there, too" test "$(left longer)" = './log.csv.backup.tmp ./notes.backup.tmp '
need compare none $small --data $data --steps 5 --seeds 1 --out pair
finished=$(echo pair/runs/*)
leave "$finished"
leave pair && rm pair/lock && echo part >pair/compare.json.bitter-a1b2c3.tmp
succeed "compare again" compare none $small --data $data --steps 5 --seeds 1 --out pair
check "the finished run is empty of it" test "$(left "$finished")" = './log.csv.backup.tmp ./notes.backup.tmp '
check "and so is the plan" test ! -e pair/compare.json.bitter-a1b2c3.tmp
rm -r taken longer pair

# --- the seed decides ---
for out in one two; do need train $small --data $data --steps 30 --out $out; done
need train $small --data $data --steps 30 --seed 7 --out three
same "same seed" one two
check "another seed, other weights" test "$(cksum <one/model.safetensors)" != "$(cksum <three/model.safetensors)"
for out in four five; do
    need train --layers 2 --heads 2 --width 32 --context 64 --batch 3 --data $data --steps 15 --threads 2 --out $out
done
same "same seed with two threads" four five
finish
