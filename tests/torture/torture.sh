# Commands are killed at random instants, again and again, and restarted until they are done. They must leave what an
# undisturbed command leaves: the same bytes except for times, and no other file.
#
#   TORTURE_KILLS=1000 TORTURE_SEED=N BUILD=build BITTER=./bitter sh tests/torture/torture.sh
#
# A round starts one scenario and kills it up to ten times. Finished rounds are recorded below BUILD/torture; the same
# command continues with the next one.
kills_wanted=${TORTURE_KILLS:-1000}
. tests/support/shell
. "$repository/tests/torture/canonical"

build=$(cd "$repository" && absolute "$BUILD")/torture
if [ "$(uname -s)" != Linux ]; then
    skip "torture" "a process's children are found in Linux's /proc"
    finish
fi
mkdir -p "$build"
[ -f "$build/seed" ] || date +%s >"$build/seed"
seed=${TORTURE_SEED:-$(cat "$build/seed")}
rounds=$build/rounds-$seed-$(cksum <"$BITTER" | cut -d ' ' -f 1) # lines "ROUND SCENARIO KILLS LOSSES"; another program begins anew
touch "$rounds"
losses=$rounds.losses
export OMP_WAIT_POLICY=passive

# --- the scenarios ---
# before_NAME makes the preparations; command_NAME sets $command to the words that begin the work or, in a directory
# where it has begun, continue it.
tiny='--layers 2 --heads 2 --width 16 --context 16 --batch 2 --threads 1'
tales='--data builtin:tales:bytes=20000 --eval-tokens 2000'

begun() {
    [ -f out/config.json ]
}

# A scenario of `train`: its options, and those with which it continues.
trains() { # OPTIONS RESUMED-OPTIONS
    if begun; then command="train --resume --out out ${2:-}"; else command="train $tiny $1 --out out"; fi
}

command_best() { trains "$tales --steps 150 --eval-every 7 --save-every 1"; }
command_seldom() { trains "$tales --steps 400 --eval-every 40 --save-every 60 --pos alibi"; }
command_never() { trains "$tales --steps 150 --eval-every 0 --save-every 0 --pos sinusoidal --batch 1"; }
command_patience() { trains "$tales --steps 400 --lr 0.3 --warmup 5 --eval-every 5 --patience 4 --save-every 3"; }
command_accumulate() { trains "$tales --steps 100 --accumulate 3 --dropout 0.1 --eval-every 10 --save-every 2"; }
command_samples() { trains "$tales --steps 60 --sample-every 5 --eval-every 5 --save-every 5 --pos learned"; }
command_positions() { trains "$tales --steps 150 --pos rope-learned --eval-every 3 --save-every 2"; }
command_gates() { trains "$tales --steps 120 --pos rope:gate=trained+alibi-learned --eval-every 8 --save-every 5"; }
command_windows() { trains "$tales --steps 120 --window 8,0 --pos rope*1,none --eval-every 8 --save-every 5"; }
command_llama() { trains "$tales --steps 120 --block llama --kv-heads 1 --random-positions 64 --save-every 4"; }
command_task() { trains "--context 32 --data builtin:copy:max=5 --steps 120 --eval-every 10 --save-every 4 --accumulate 2"; }
command_documents() { trains "$tales --context 256 --documents builtin:passkey:share=0.5,max=255 --steps 40 --save-every 3"; }
command_switched() { # options that may change on a resume do, from one start to the next
    starts=$((${starts:-0} + 1))
    trains "$tales --steps 150 --eval-every 10 --save-every 5" "--save-every $((starts % 7 + 1))"
}
before_longer() { need train $tiny $tales --steps 60 --eval-every 10 --out out; }
command_longer() { command="train --resume --steps 160 --out out"; }
before_init() { need train $tiny $tales --steps 40 --eval-every 10 --out base; }
command_init() { trains "$tales --init base@best --steps 100 --eval-every 10 --save-every 3 --pos rope+learned"; }
before_chars() { text >text && need prepare --tokenizer chars --out data text; }
command_chars() { trains "--data data --steps 150 --eval-every 10 --save-every 4 --eval-tokens 2000"; }
before_text() { text >book.txt; }
command_text() { if begun; then trains; else command="train book.txt $tiny --steps 60 --save-every 3 --out out"; fi; }

# A text that is the same everywhere.
text() {
    awk 'BEGIN { for (i = 0; i < 6000; i++) { x = (x * 1103515245 + 12345) % 2147483648
        printf "%s %s %d%s", i % 7 ? "and the" : "But no", x % 3 ? "cat" : "word", x % 211, i % 11 ? " " : ".\n" } }'
}
before_prepare() { text >one && text | tr a-y b-z | gzip -n >two.gz; }
command_prepare() { done_or out "prepare --tokenizer bpe:600 --shard-tokens 5000 --out out one two.gz"; }
before_export() { need train $tiny $tales --width 64 --steps 3 --out base; }
command_export() { done_or out "export base --out out"; }
before_llmc() { need train $tiny $tales --pos learned --steps 3 --out base; }
command_llmc() { done_or out "export base --to llm.c --out out"; }
command_exercises() { done_or out "lesson exercises out"; }
command_register() { done_or plan.md "compare none learned --seeds 2 $tiny --steps 60 --register plan.md --out out"; }
command_gguf() { done_or out "export base --to gguf --out out"; }
before_gguf() { before_export; }
before_import() { before_export && need export base --out model; }
command_import() { done_or out "import model --out out"; }
before_eval() { need train $tiny --data builtin:tales:bytes=100000 --pos none --width 32 --steps 3 --out base; }
command_eval() { command="eval base --context 8192 --eval-tokens 8193 --logits x.npy --csv x.csv --threads 1"; }
before_report() { need train $tiny $tales --pos rope-learned --steps 20 --eval-every 5 --out base; }
command_report() { command="report base"; }
before_search() { need train $tiny $tales --steps 20 --out base; }
command_search() {
    done_or out/config.json "extend base --method longrope --factor 4 --windows 2 --population 32 --generations 12
        --threads 1 --out out"
}
before_gradient() { before_search; }
command_gradient() {
    done_or out/config.json "extend base --method gradient --factor 4 --windows 2 --steps 150 --threads 1 --out out"
}
command_compare() {
    command="compare none learned --seeds 2 --workers 2 $tiny --steps 60 --save-every 5
        --data builtin:tales:bytes=20000 --out out"
}
command_two() { command_compare; } # two processes at once

# Finished runs are refused, but what a killed process left in them goes.
after_search() { "$BITTER" extend base --factor 4 --out out >../out 2>../err; }
after_gradient() { after_search; }

done_or() { # PATH COMMAND: once the path is there, the command has nothing to do
    if [ -e "$1" ]; then command=true; else command=$2; fi
}

trained='best seldom never patience accumulate samples positions gates windows llama task documents switched
    longer init chars text'
scenarios=${ONLY_SCENARIO:-"$trained prepare compare export llmc exercises register two gguf search import compare eval gradient two report"}

# --- a round ---
now() { # in microseconds
    date +%s%N | cut -c 1-16
}

# The result and the duration of the undisturbed command -> $scratch/reference/SCENARIO, $scratch/duration-SCENARIO.
make_reference() {
    reference=$scratch/reference/$scenario
    [ ! -d "$reference" ] || return 0
    mkdir -p "$scratch/reference" "$scratch/start/$scenario"
    cd "$scratch/start/$scenario" || exit 1
    ! command -v "before_$scenario" >/dev/null || "before_$scenario"
    cp -r . "$reference" && cd "$reference" || exit 1
    "command_$scenario"
    begin=$(now)
    need $command
    echo $(($(now) - begin)) >"$scratch/duration-$scenario"
    canonical . >"$reference.canonical"
}

# With KILL, timeout ends with 124 only if the program ended by itself before the signal reached it; its exit code is
# lost. Its files are checked as always.
in_time() { # COMMAND...
    "$@"
    ended=$?
    if [ $ended -eq 124 ]; then return 0; else return $ended; fi
}

# strike MICROSECONDS program|group|worker COMMAND...: after that time, SIGKILL is sent to the program, its process
# group, or a process that it started. The exit code is 137 if anything was killed, otherwise that of the program.
strike() {
    delay=$(awk -v time="$1" 'BEGIN { printf "%.6f", (time + 1) / 1e6 }') which=$1 mode=$2 struck= program=
    shift 2
    case $mode in
    program) in_time timeout --foreground -s KILL "$delay" "$@" ;;
    group) in_time timeout -s KILL "$delay" "$@" ;;
    worker)
        timeout 300 "$@" &
        guard=$!
        sleep "$delay"
        read -r program _ 2>/dev/null <"/proc/$guard/task/$guard/children"
        set -- $(cat "/proc/$program/task/$program/children" 2>/dev/null)
        [ $# -eq 0 ] || { shift $((which % $#)) && kill -9 "$1" && struck=1; }
        wait $guard
        ended=$?
        # The program still has to end by itself, and not with a crash.
        if [ "$struck" ] && [ $ended -le 1 ]; then return 137; else return $ended; fi
        ;;
    esac
}

# Start two processes together and kill them separately, or kill the only one; how they end -> $code, $killed.
strike_once() { # DELAY MODE DELAY MODE
    pair=
    if [ "$scenario" = two ]; then
        strike "$3" "$4" "$BITTER" $command >../out.2 2>../err.2 </dev/null &
        pair=$!
    fi
    strike "$1" "$2" "$BITTER" $command >../out 2>../err </dev/null
    code=$? killed=$((code == 137))
    [ -n "$pair" ] || return 0
    wait $pair
    other=$?
    killed=$((killed + (other == 137)))
    case $code-$other in
    0-0 | 0-1 | 1-0) code=0 ;;
    0-137 | 1-137 | 137-0 | 137-1 | 137-137) code=137 ;;
    *) code="$code and $other: $(head -n 3 ../err.2)" ;;
    esac
}

# Random numbers of this round: a number of kills, then for each a delay, a mode, and the same for a second process. A
# quarter of the delays are short, so that the beginning is hit as well; later ones are shorter, as less work is left.
draw() {
    awk -v seed="$seed" -v round="$round" -v duration="$(cat "$scratch/duration-$scenario")" -v scenario="$scenario" '
        function delay(kill) { return int(rand() * duration * (rand() < 0.25 ? 0.1 : 0.9 ^ kill)) }
        function mode() { return scenario !~ /compare|two/ || rand() < 0.4 ? "program" : rand() < 0.5 ? "worker" : "group" }
        BEGIN { srand((seed * 131 + round * 7919) % 2147483647); rand(); n = 2 + int(9 * rand()); print n
                for (i = 0; i < n; i++) print delay(i), mode(), delay(i), mode() }'
}

lose() {
    echo "round $round, $scenario: $1" | tee -a "$losses"
    lost=1
}

play_round() {
    make_reference
    rm -rf "$scratch/round" && mkdir "$scratch/round" && cp -r "$scratch/start/$scenario" "$scratch/round/work"
    cd "$scratch/round/work" || exit 1
    set -- $(draw)
    left=$1 kills=0 lost=0 starts=0 code=0
    shift
    while [ "$left" -gt 0 ]; do
        "command_$scenario"
        [ "$command" != true ] || break
        strike_once "$1" "$2" "$3" "$4"
        kills=$((kills + killed)) left=$((left - 1))
        shift 4
        [ "$code" != 137 ] && break
    done
    [ "$code" = 0 ] || [ "$code" = 137 ] || lose "ended with $code: $(head -n 3 ../err)"
    starts=3
    "command_$scenario"
    code=0
    [ "$command" = true ] || timeout 300 "$BITTER" $command >../out 2>../err </dev/null || code=$?
    [ "$command" != true ] || ! command -v "after_$scenario" >/dev/null || "after_$scenario"
    [ $code -eq 0 ] || lose "after $kills kills, the command ended with $code: $(head -n 3 ../err)"
    case $scenario in compare | two) sleep 1 ;; esac # for a worker whose parent was killed to notice
    wrong=$(differences "$reference")
    [ -z "$wrong" ] || lose "after $kills kills, there is something else:
$wrong"
    [ $lost -eq 0 ] || cp -r . "$build/lost-$seed-$round"
    echo "$round $scenario $kills $lost" >>"$rounds"
}

total() { # COLUMN
    awk -v column="$1" '{ sum += $column } END { print sum + 0 }' "$rounds"
}

set -- $scenarios
round=$(wc -l <"$rounds") told=0
echo "torture: seed $seed, $(total 3) of $kills_wanted kills done"
while [ "$(total 3)" -lt "$kills_wanted" ]; do
    round=$((round + 1))
    scenario=$(echo $scenarios | cut -d ' ' -f $(((round - 1) % $# + 1)))
    play_round
    cd "$scratch" || exit 1
    if [ $(($(total 3) / 25)) -gt $told ]; then
        told=$(($(total 3) / 25))
        echo "torture: $(total 3) of $kills_wanted kills, $round rounds, $(total 4) losses"
    fi
done
[ -n "${TORTURE_SEED:-}" ] || rm -f "$build/seed"
for scenario in $scenarios; do
    told=$(awk -v name="$scenario" '$2 == name { rounds++; kills += $3; lost += $4 }
        END { printf "%d kills in %d rounds, %d losses", kills, rounds, lost }' "$rounds")
    case $told in
    "0 kills in 0"*) ;;
    *", 0 losses") pass "$scenario: $told" ;;
    *) fail "$scenario: $told" "$(grep -A 12 ", $scenario:" "$losses" | head -n 40)" ;;
    esac
done
echo "torture: seed $seed: $(total 3) kills, $round rounds, $(total 4) losses"
finish
