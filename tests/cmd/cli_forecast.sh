# The first minutes: `bitter` alone says what to do next, `train` says how long it takes and which perplexities to
# compare its own with, and --minutes chooses a size. Nothing here depends on the machine's speed.
. tests/support/shell
. "$repository/tests/support/background"

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'

cat "$repository"/docs/train.md "$repository"/docs/schemes.md | tr -cd "A-Za-z' ,.;\n" | head -c 30000 >book.txt

# next NAME COMMAND...: `bitter` alone prints these commands in this order.
next() {
    name=$1
    shift
    succeed "bitter alone"
    sed -n 's/^  \(bitter .*[^ ]\)  *# .*/\1/p' "$scratch/out" >"$scratch/commands"
    wrong=$(printf '%s\n' "$@" | diff - "$scratch/commands")
    if [ -z "$wrong" ]; then pass "$name"; else fail "$name" "$(story "$wrong")"; fi
}

# --- bitter alone ---
mkdir empty with-text && cp book.txt "with-text/a text.txt" && touch -- with-text/-x.txt
cd empty && next "an empty directory" 'bitter train book.txt' && cd ..
cd with-text && next "a text, whose name a shell would take apart" "bitter train 'a text.txt'" && cd ..
cp -r with-text zipped && gzip "zipped/a text.txt" && rm ./zipped/-x.txt
cd zipped && next "a .gz file" "bitter train 'a text.txt.gz'" && cd ..
mkdir between && cd between
need prepare --out runs/data/book ../book.txt
next "data" 'bitter train --data runs/data/book' 'bitter train book.txt'
start train $small --data runs/data/book --steps 1000000 --patience 1000 --save-every 1 --out runs/first
wait_for_rows runs/first/log.csv 5
kill -9 $job 2>/dev/null
collect
data="'bitter train --data runs/data/book' 'bitter train book.txt'" first="'bitter train --resume runs/first'"
eval "next 'a run that was killed' $first $data"
need train $small --data runs/data/book --steps 150 --lr 1e-2 --warmup 5 --out runs/second
second="'bitter sample runs/second' 'bitter report runs/second'"
eval "next 'a run that is finished, and one that is not' $first $second $data"
need train $small --data runs/data/book --steps 2 --out runs/hardly
run train $small --data builtin:tales:bytes=20000 --steps 40 --lr 10 --warmup 0 --out runs/diverged
check "a run diverged" test $code = 3
mkdir runs/damaged && echo '{' >runs/damaged/config.json
touch -t 200001010000 runs/first/config.json runs/second/config.json
eval "next 'newer runs that have hardly learned anything, diverged or are damaged are passed over' $first $second $data"
refuses "--resume alone" "--resume needs the run;\`bitter train --resume runs/first\`" train --resume
need compare none rope $small --data runs/data/book --steps 2 --seeds 2 --eval-tokens 600 --out runs/two
eval "next 'a comparison' 'bitter report runs/two' $first $second $data"
rm runs/two/runs/rope-seed1338/measured.csv
eval "next 'one that is not finished' 'bitter compare none rope $small --data runs/data/book --steps 2 --seeds 2 --eval-tokens 600 --out runs/two' \
    $first $second $data"
cd ..

# --- what train says ---
marks='perplexity: unigram [0-9.]+, bigram [0-9.]+'
guess='; at a guess, a good model: 5\.4 to 3\.5, as those of 59k to 399k parameters on War and Peace$'
succeed "train" train book.txt $small --steps 40 --eval-every 10 --lr 1e-2 --warmup 5 --out run
check "a text for 0.05 passes is not small" test "$(grep -c '^text  *small' "$scratch/out")" = 0
check "it says how long it will take" says '^time    about [0-9.]+ minutes with 1 thread, passes over the text: 0\.047; measured just now,'
check "what to compare with" says "^compare $marks$guess"
check "and where it landed" says "^landed  $marks, this run [0-9.]+ [(](better than both|in between|worse)[)]$guess"
best=$(awk -F , 'NR > 1 && $6 != "" && (!best || $6 < best) { best = $6 } END { printf "%.2f", best }' run/log.csv)
check "with its best perplexity" says "this run $best [(]"
check "the bigram is better than the unigram, and both than guessing" awk '
    /^compare/ { ok = $4 + 0 < 257 && $6 + 0 < $4 + 0 } END { exit !ok }' "$scratch/out"
# What is quoted of recorded models: exp of the mean loss of rope at the trained length, for each size.
check "the recorded perplexities are those of the record" test "$(awk -F , '
    $7 == "rope" && $11 == "loss" && $12 == $3 { sum[$4] += $13; n[$4]++ }
    END { printf "%.1f %.1f", exp(sum[59104] / n[59104]), exp(sum[399080] / n[399080]) }' \
    "$repository/runs/baseline/experiment-full/ladder/results.csv")" = '5.4 3.5'
perplexity=$(sed -n 's/^landed.*, this run \([0-9.]*\) .*/\1/p' "$scratch/out")
succeed "eval" eval run@best --eval-tokens 131072
check "says the same" says "^compare $marks, this run $perplexity [(](better than both|in between|worse)[)]$guess"
succeed "eval of the training text" eval run --train-split
check "has no counts of its own" test "$(grep -c '^compare' "$scratch/out")" = 0
succeed "a resumed run" train --resume run --steps 60
check "has no forecast" test "$(grep -c '^time' "$scratch/out")" = 0
check "but lands, too" says "^landed  $marks, this run "
succeed "a run of a few steps" train book.txt $small --steps 2 --out few
check "has no forecast" test "$(grep -c '^time' "$scratch/out")" = 0
succeed "generated text" train $small --data builtin:tales:bytes=20000 --steps 20 --out tales
check "is not compared with a book" says "^compare $marks$"
head -c 3000 book.txt >little.txt
succeed "a small text" train little.txt $small --steps 1700 --eval-every 0 --out little
check "how long it will take, in plain numbers" says '^time .*, passes over the text: 20;'
check "how small it is, what comes of that, and how much would do" \
    says '^text    small: each of its 2700 training tokens is seen 20 times\. .* by heart \(overfit\); have 7 thousand tokens or more'
seq 1 6000 >numbers.txt
succeed "numbers" train numbers.txt $small --steps 2 --out numbers
check "are not compared with a book" says "^compare $marks$"
need prepare --tokenizer chars --out letters book.txt
succeed "characters" train --data letters $small --steps 2 --out of-letters
check "are not compared with bytes" says "^compare $marks$"
mkdir foreign && shard "20240520 1 40" "$(seq 100 139)" >foreign/train.bin && shard "20240520 1 20" "$(seq 100 119)" >foreign/val.bin
succeed "50,257 tokens" train --data foreign $small --steps 2 --out of-many
check "have a unigram alone" says '^compare perplexity: unigram [0-9.]+$'
succeed "a task" train --data builtin:copy:max=3 $small --context 32 --steps 20 --out copy
check "is not compared with counts" test "$(grep -cE '^(compare|landed)' "$scratch/out")" = 0
check "and has no passes" says '^time    about [0-9.]+ minutes with 1 thread;'

# --- --minutes ---
succeed "--minutes" train book.txt --minutes 0.01 --threads 1 --eval-tokens 600 --layers 1 --batch 2 --out chosen
check "it says what it chose" says "^size    [0-9]+ parameters, (chosen|too many) for 0\.01 minutes on this text: each sees [0-9.e+-]+ tokens .*20"
check "fewer than 14 tokens for each are too few" awk '
    /^size/ { few = $0; sub(/.*each sees /, "", few); ok = (few + 0 < 14) == ($4 == "too") } END { exit !ok }' "$scratch/out"
check "and how to repeat it" says '^again   bitter train --data runs/data/book .*--steps [0-9]+'
sed -n 's/^again   bitter //p' "$scratch/out" >again
check "options that are given stay" grep -q -- ' --layers 1 .*--batch 2 ' again
check "config.json has ordinary options" test "$(sed -n 's/.* --steps \([0-9]*\).*/\1/p' again)" = \
    "$(sed -n 's/^ *"steps": \([0-9]*\),$/\1/p' chosen/config.json)"
eval "set -- $(cat again)"
succeed "the same again" "$@" --out repeated
check "measures nothing that changes the weights" cmp chosen/model.safetensors repeated/model.safetensors
succeed "a run that --minutes chose can be resumed" train --resume chosen
for pair in --steps=5 --resume --init=few; do
    refuses "--minutes and ${pair%=*}" "--minutes chooses;${pair%=*} settles" \
        train --data runs/data/book --minutes 1 "$pair" --out run
done
refuses "--minutes for a task" "--minutes;builtin:copy;a task;--steps" train --data builtin:copy:max=3 --minutes 1 --out new
refuses "no minutes" "--minutes;'0'" train book.txt --minutes 0
succeed "heads that do not divide the default width" train book.txt --minutes 0.01 --heads 3 --threads 1 --eval-tokens 600
succeed "random positions" train book.txt --minutes 0.01 --random-positions 1024 --threads 1 --eval-tokens 600
refuses "random positions of what reads none" "--random-positions;none" train book.txt --minutes 1 --pos none --random-positions 1024
refuses "heads that divide no width" "--heads 7" train book.txt --minutes 1 --heads 7 --width 64
refuses "channels that no heads can share" "--width 33" train book.txt --minutes 1 --width 33
refuses "--pos with --minutes is quoted as typed" "--pos 'rope*3,none@7'" train book.txt --minutes 1 --pos 'rope*3,none@7'
refuses "minutes of compare" "--minutes" compare none rope --minutes 1
finish
