# What a user who follows the README sees: help, a run, its evaluation, a sample, its files.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'

fits_a_screen() {
    awk 'length($0) > 80 { print "line " NR " has " length($0) " columns"; wide = 1 }
         /^[A-Z][^.]*:$/ { headings++ }
         END { print NR " lines, " headings + 0 " headings"; exit wide || NR < 5 || (NR > 40 && headings < 3) || NR > 110 }' "$scratch/out"
}

# --- help ---
succeed "--help" --help
check "--help fits a screen" fits_a_screen
commands=$(awk '/^  [a-z]+ / { print $1 }' "$scratch/out")
for wanted in prepare train eval sample extend compare report properties gradcheck bench; do
    check "--help names $wanted" says "^  $wanted "
done
for command in $commands; do
    succeed "$command --help" "$command" --help
    cp "$scratch/out" "$scratch/help"
    succeed "help $command" help "$command"
    check "is the same" cmp "$scratch/help" "$scratch/out"
    check "$command --help fits a screen or stands under headings" fits_a_screen
    check "$command --help begins with its usage" says "^usage: bitter $command "
done
succeed "-h" train -h
succeed "--version" --version
check "--version prints name and number" says '^bitter [0-9]+\.[0-9]+\.[0-9]+$'
succeed "--data help" train --data help
check "--data help: a task with an option of its own" test "$(sed -n '/^recall /,/^offset /p' "$scratch/out" | grep -c '^    \(keys\|questions\)=[0-9]')" -eq 2
check "--data help: the unit of its lengths" says '^    lengths are numbers of pairs$'
succeed "--pos help" train --pos help
for scheme in none learned sinusoidal rope alibi; do check "--pos help names $scheme" says "^$scheme "; done
pairing_of() { # SCHEME: what help says of its pairing=half
    sed -n "/^$1 /,/^$/p" "$scratch/out" | sed -n 's/.*pairing=half  pair \(([^)]*)\).*/\1/p'
}
check "--pos help: rope pairs channels half a head apart" test "$(pairing_of rope)" = "(i, i+d/2)"
check "--pos help: rope2d is an old name" says 'old name is rope2d'
check "--pos help has no scheme of this name" test "$(grep -c '^rope2d ' "$scratch/out")" = 0
check "--pos help: partial rounds down" says 'rounded down to whole$'
check "--pos help: kerple's bounds" says '0\.01 are set to 0\.01'
check "--pos help: partial half of what turns" test "$(pairing_of partial)" = "(i, i+r/2)"
check "--help and --version leave nothing behind" test -z "$(ls)"

# --- bench: one line of key=value ---
succeed "bench" bench $small --vocab 50 --steps 3
check "bench prints one line with every key" awk '
    { for (i = 1; i <= NF; i++) { split($i, pair, "="); value[pair[1]] = pair[2] } }
    END {
        split("ms_per_step tokens_per_second gflops sgemm_gflops percent_of_sgemm rss_mb", wanted, " ")
        for (i in wanted) if (!(value[wanted[i]] > 0)) { print wanted[i]; bad = 1 }
        exit bad || NR != 1
    }' "$scratch/out"
STEPS=2 CONTEXT=16 BATCH=2 DATA=builtin:tales:bytes=20000 sh "$repository/scripts/demo.sh" "$BITTER" >"$scratch/out" 2>&1
check "demo.sh has a row a scheme, and says why learned has none past its length" \
    test "$(grep -cE '^(none|learned|sinusoidal|rope|alibi) ([ 0-9.-]+)$' "$scratch/out")-$(grep -c 'not defined past 16' "$scratch/out")" = 5-1

# --- a run ---
succeed "train" train $small --data builtin:tales:bytes=20000 --steps 20 --eval-every 10 --save-every 10 --out run
check "it says where the run is" says '^done +run'
check "a run has six files" test "$(ls run | tr '\n' ' ')" = \
    'best.safetensors config.json log.csv model.safetensors state.safetensors tokenizer.json '
check "log.csv has the header" test "$(head -n 1 run/log.csv)" = \
    'step,tokens,seconds,train_loss,val_loss,val_ppl,lr,grad_norm,tokens_per_second'
check "log.csv has nine columns and a row a step" awk -F , '
    NF != 9 || (NR > 1 && ($1 != NR - 1 || $2 != 32 * $1)) { bad = 1 } END { exit bad || NR != 21 }' run/log.csv
check "time goes on, and speed is positive" awk -F , '
    NR > 1 { if (!($3 > before && $9 > 0)) bad = 1; before = $3 } END { exit bad }' run/log.csv
check "validation stands at steps 10 and 20 only" awk -F , '
    NR > 1 && ($5 != "") != ($1 % 10 == 0) { bad = 1 } NR > 1 && ($5 == "") != ($6 == "") { bad = 1 }
    END { exit bad }' run/log.csv
check "the end says what to do next" test "$(grep -A 2 '^next ' "$scratch/out" | tr -s ' \n' ' ')" = \
    'next bitter eval run bitter sample run bitter report run '
succeed "a name that a shell would take for more" train $small --data builtin:tales:bytes=20000 --steps 1 \
    --out 'a b; echo X'
check "printed commands are quoted" says "^next +bitter eval 'a b; echo X'$"
mkdir 'a b' && ln -s "$BITTER" 'a b/bitter'
for place in '' 'a b/'; do
    called="./${place}bitter" typed=./bitter
    [ -z "$place" ] || typed="'./a b/bitter'"
    [ -n "$place" ] || ln -s "$BITTER" bitter
    "$called" train $small --data builtin:tales:bytes=20000 --steps 1 --out "called$place" >"$scratch/out" 2>"$scratch/err"
    check "called as $called: commands that it prints" test "$(grep -cF -e "next    $typed eval" -e "        $typed report" "$scratch/out")" = 2
    "$called" evaluate >"$scratch/out" 2>"$scratch/err"
    "$called" train --widht 2>>"$scratch/err"
    "$called" chat 2>>"$scratch/err"
    check "in messages" test "$(grep -c "^bitter" "$scratch/err")-$(grep -cF "\`$typed sample RUN\`" "$scratch/err")" = 3-1
    "$called" prepare --help >"$scratch/out"
    check "and in help" test "$(grep -cE "^(usage: |  |  zcat wiki.gz \| )$typed prepare " "$scratch/out")-$(grep -c '^  bitter\|[|] bitter' "$scratch/out")" = 7-0
    "$called" compare none rope $small --data builtin:tales:bytes=20000 --steps 1 --eval-tokens 600 --out "two$place" >"$scratch/out" 2>"$scratch/err"
    check "but not in records" grep -q '"command": "bitter compare none rope ' "two$place/compare.json"
done
rm -r bitter 'a b' called* two*
run train $small --data builtin:tales:bytes=20000 --steps 40 --lr 10 --warmup 0 --out diverged
wrong=$(complaint 3 'diverged;5.549;--lr')
check "a run that diverged, with finite numbers, says so" test -z "$wrong"
succeed "the loss falls" train $small --width 32 --data builtin:tales:bytes=20000 --steps 150 --warmup 10 --lr 1e-2 \
    --out better
check "from a guess to less than 3.5 nats" awk -F , 'NR == 2 { first = $4 } { last = $4 }
    END { exit !(first > 5 && first < 6 && last < 3.5) }' better/log.csv
succeed "--sample-every" train $small --data builtin:tales:bytes=20000 --steps 3 --sample-every 2 --out samples
check "samples are printed, also after the last step" test "$(grep -c -a '^--- sample at step' "$scratch/out")" -eq 2
succeed "--init" train $small --data builtin:tales:bytes=20000 --steps 1 --init run --lr 0 --min-lr 0 --out tuned
check "--init starts from the run's weights" cmp run/model.safetensors tuned/model.safetensors
succeed "--name=value" train $small --data=builtin:tales:bytes=20000 --steps=1 --pos=alibi
check "the run is called after the scheme" test -f runs/alibi/model.safetensors
succeed "the same again" train $small --data builtin:tales:bytes=20000 --steps 1 --pos alibi
check "the next is numbered" test -f runs/alibi-2/model.safetensors

# --- progress, which a terminal shows often enough ---
if python3 -c 'import pty' 2>/dev/null; then
    on_terminal() { python3 -c 'import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) != 0)' "$BITTER" "$@" </dev/null; }
    shows() { tr '\r' '\n' <"$scratch/out" | grep -aEq "$1"; }
    on_terminal train $small --data builtin:tales:bytes=20000 --pos rope+alibi --steps 5000 --out shown >"$scratch/out" 2>&1
    check "train names the scheme" shows '^train +[0-9]+%  step [0-9]+/5000  loss [0-9.]+  rope and alibi  ETA'
    on_terminal compare alibi $small --data builtin:tales:bytes=20000 --steps 5000 --seeds 1 --eval-tokens 600 --out both \
        >"$scratch/out" 2>&1
    check "compare names those in training" shows '^compare +[0-9]+%  0/1 runs, in training: alibi  ETA'
else
    lacks "progress" "Python with pty" python3
fi

# --- eval ---
succeed "eval" eval run
perplexity=$(awk '$1 == 16 { print $5 }' "$scratch/out")
check "the log's last validation is eval's perplexity" awk -F , -v ppl="$perplexity" '{ last = $6 }
    END { exit !(last - ppl < 0.001 && ppl - last < 0.001) }' run/log.csv
succeed "eval past the trained context" eval run --context 8,16,32 --by-position --csv table.csv --logits logits.npy
for context in 8 16 32; do
    check "a row for context $context" says "^ +$context +$context +2[0-9]{3}( +[0-9]+\.[0-9]+){3}$"
done
check "the table has its columns" test "$(head -n 1 table.csv)" = 'context,stride,position,tokens,nats,perplexity,bits_per_byte'
check "and a row a position" test "$(wc -l <table.csv)" -eq $((1 + 3 + 8 + 16 + 32))
# Every position's nats, weighted by its tokens, give the mean.
check "positions add up to the whole" awk -F , '
    $3 == "all" { tokens[$1] = $4; nats[$1] = $5 }
    $3 ~ /^[0-9]+$/ { counted[$1] += $4; sum[$1] += $4 * $5 }
    END { for (c in nats) { off = sum[c] / counted[c] - nats[c]
              if (counted[c] != tokens[c] || !(off < 1e-6 && off > -1e-6)) bad = 1 }
          exit bad }' table.csv
check "logits.npy is NumPy's" test "$(dd if=logits.npy bs=1 skip=1 count=5 2>/dev/null)" = NUMPY
check "logits.npy is float32 (8, 257)" grep -aqF "'descr': '<f4', 'fortran_order': False, 'shape': (8, 257)" logits.npy
check "logits.npy has all numbers" test "$(size_of logits.npy)" -eq $((128 + 4 * 8 * 257))
succeed "eval with a stride" eval run --context 16 --stride 4 --eval-tokens 500
check "every token but the first is scored once" says '^ +16 +4 +499 '
succeed "eval of the training text" eval run --train-split --eval-tokens 1000
check "999 of 1000 tokens" says '^ +16 +16 +999 '
need train $small --data builtin:tales:bytes=20000 --steps 2 --pos learned --out learned
differ() { ! cmp -s "$1" "$2"; }
need train $small --data builtin:tales:bytes=20000 --steps 3 --out usual
for option in '--weight-decay 5' '--beta1 0.1' '--beta2 0.5' '--clip 0.001'; do
    need train $small --data builtin:tales:bytes=20000 --steps 3 $option --out unusual
    check "$option changes what is learned" differ usual/model.safetensors unusual/model.safetensors
    rm -r unusual
done
for past in clamp interpolate; do
    succeed "learned positions, --past $past" eval learned --context 16,64 --past $past
    check "it says so" says "past the .* trained positions, learned: $past"
done
need train $small --data builtin:tales:bytes=20000 --steps 2 --pos learned:past=clamp --out clamped
succeed "positions that the run itself clamps" eval clamped --context 16,64
check "it says so, too" says "past the .* trained positions, learned: clamp"
succeed "learned positions within the trained ones" eval learned
check "there is nothing to say" test "$(grep -c 'trained positions' "$scratch/out")" -eq 0

# --- sample ---
succeed "sample" sample run --prompt 'Once upon' --tokens 30 --seed 5
check "the prompt stands first" test "$(head -c 9 "$scratch/out")" = 'Once upon'
cp "$scratch/out" first
run sample run --prompt 'Once upon' --tokens 30 --seed 5
check "the same seed writes the same" cmp first "$scratch/out"
run sample run --prompt 'Once upon' --tokens 30 --seed 6
check "another seed writes something else" test "$(cksum <first)" != "$(cksum <"$scratch/out")"
succeed "temperature 0" sample run --prompt 'The' --tokens 40 --temperature 0
cp "$scratch/out" first
run sample run --prompt 'The' --tokens 40 --temperature 0
check "temperature 0 needs no seed" cmp first "$scratch/out"
for option in '--seed 1' '--top-k 3' '--top-p 0.5' '--min-p 0.1' '--repeat 2'; do
    refuses "temperature 0 with $option" "--temperature 0;${option% *}" sample run --temperature 0 $option
done
refuses "--random-positions of what reads none" "--random-positions;none" \
    train --steps 1 --pos none --random-positions 300 --out new
refuses "skip=N" "went with version 0.2;rope*4,none" train --steps 1 --pos rope:skip=5 --out new
refuses "--random-positions without a choice" "--random-positions 64;--context" \
    train --steps 1 --context 64 --random-positions 64 --out new

# This run has learned little about bytes, so it also writes control characters.
run sample run --tokens 300 --temperature 50 --top-k 0
check "a file gets every byte" grep -q "$(printf '\033')" "$scratch/out"
if script -qec true /dev/null >/dev/null 2>&1; then
    script -qec "'$BITTER' sample run --tokens 300 --temperature 50 --top-k 0" /dev/null >"$scratch/out" </dev/null
    check "a terminal gets the sample" test "$(wc -c <"$scratch/out")" -gt 250
    check "a terminal gets no commands" test "$(tr -d '\r\n\t -~\200-\377' <"$scratch/out" | wc -c)" -eq 0
else
    lacks "a terminal gets no commands" "util-linux's script" bsdutils
fi

# --- gradcheck ---
succeed "gradcheck" gradcheck --pos rope --controls
check "every tensor is listed" says '^ +h\.1\.attn\.qkv\.weight +[0-9.e-]+ +ok'
check "it says what the controls are" says '^Whatever --pos is, the controls are rope and learned'
check "both controls fail, as they must" test "$(grep -c 'fails, as it must' "$scratch/out")" -eq 2
controls() { # CONTROL TENSOR VERDICT
    sed -n "/^control: $1,/,/wrong; worst/p" "$scratch/out" | grep -Eq "^ +$2 +[0-9.e+-]+ +$3"
}
check "a wrong sign spoils what is before the rotation" controls rope 'h\.1\.attn\.qkv\.weight' FAILED
check "and nothing after it" controls rope 'h\.1\.attn\.proj\.weight' ok
check "a dropped term spoils the table" controls learned 'pos\.table' FAILED
check "and nothing else" controls learned wte ok
check "how to read it" says '^How to read it: '
refuses "controls of shapes that rope cannot have" "--controls need rope;must be even" gradcheck --pos alibi --controls --width 6 --heads 2
check "before the first table" test ! -s "$scratch/out"
succeed "gradcheck of all schemes" gradcheck --layers 1 --width 4 --context 4 --batch 1
last_lines() { # SCHEME: after the heading of the last table
    sed -n '/^scheme  *largest/,$p' "$scratch/out" | grep -Eq "^$1 +([0-9.e+-]+ +ok|left out)$"
}
for scheme in none learned rope rope-learned t5 path; do check "its last lines have $scheme" last_lines $scheme; done

# --- bfloat16, where the processor multiplies it fast ---
if "$BITTER" train $small --steps 1 --precision bf16 --out rounded >"$scratch/out" 2>"$scratch/err"; then
    check "config.json says bf16" grep -q '"precision": "bf16"' rounded/config.json
    check "and which kernel" grep -q '"kernels": ".*bf16-[A-Z]' rounded/config.json
    succeed "it goes on in bf16" train --resume --out rounded
    check "without a word" test ! -s "$scratch/err"
    succeed "it may go on in float" train --resume --out rounded --precision float
    check "and says that kernels differ" grep -q 'kernels: .*bf16-[A-Z0-9_]*" before' "$scratch/err"
else
    refuses "bf16, where it does not pay" "--precision bf16;use --precision float" train $small --steps 1 --precision bf16
fi

# --- output that cannot be written ---
if [ -c /dev/full ]; then
    for words in --help --version "train --pos help" "train --data help" "eval run" "sample run --tokens 5"; do
        "$BITTER" $words >/dev/full 2>"$scratch/err"
        code=$? ran="bitter $words >/dev/full"
        wrong=$(complaint 1 'standard output;No space left')
        if [ -z "$wrong" ]; then pass "$ran"; else fail "$ran" "$(story "$wrong")"; fi
    done
else
    skip "full output" "this system has no /dev/full"
fi
finish
