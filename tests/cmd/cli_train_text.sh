# bitter train FILE does what `bitter prepare FILE` does, and then trains.
. tests/support/shell
. "$repository/tests/support/background"

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'

head -c 6000 "$repository/docs/train.md" >book.txt
gzip -c book.txt >zipped.txt.gz
head -c 5999 "$repository/docs/train.md" >longer.txt && echo x >>longer.txt
need prepare --out plain book.txt

succeed "train book.txt" train book.txt $small --steps 60 --lr 1e-2 --warmup 5
check "it says what it does" says '^prepare book.txt, as `bitter prepare` does, into runs/data/book$'
check "and what came of it" says '^training +5400 tokens'
check "shards as prepare makes them" cmp plain/train_000000.bin runs/data/book/train_000000.bin
check "and validation" cmp plain/val_000000.bin runs/data/book/val_000000.bin
check "config.json names them" grep -q '"data": "runs/data/book"' runs/rope/config.json
check "the loss falls" awk -F , 'NR == 2 { first = $4 } { last = $4 } END { exit !(last < first - 1) }' runs/rope/log.csv
cp -r runs/data/book before
succeed "the same command again" train book.txt $small --steps 2
check "names the run that is there" \
    says '^run +runs/rope exists, with 60 of 60 steps done; to continue it instead: bitter train --resume runs/rope --steps N$'
check "and begins another" test -f runs/rope-2/model.safetensors
rm -r runs/rope-2 && mv runs/rope/model.safetensors whole && sed 11q runs/rope/log.csv >log.csv && cp log.csv runs/rope
rm runs/rope/state.safetensors
succeed "after a run that was killed" train book.txt $small --steps 2
check "it says how far that is" \
    says '^run +runs/rope exists, with 10 of 60 steps done; to continue it instead: bitter train --resume runs/rope$'
succeed "the same text again" train book.txt $small --steps 2 --out again
check "names no run with --out" test "$(grep -c exists "$scratch/out")" = 0
check "uses the same shards" says '^prepare book.txt: runs/data/book was made of this text and is used$'
check "and leaves them as they are" diff -r before runs/data/book
succeed "a .gz file" train zipped.txt.gz $small --steps 2 --out zipped
check "has the same shards" cmp plain/train_000000.bin runs/data/zipped/train_000000.bin
rm -r runs/data/zipped
need prepare --tokenizer chars --val 0.3 --shard-tokens 1000 --out runs/data/zipped book.txt
succeed "shards of another tokenizer and share are used, too" train zipped.txt.gz $small --steps 2 --out letters
check "with their tokenizer" grep -q '"tokenizer": "chars"' letters/tokenizer.json
succeed "with --init, the tokenizer is that run's" train longer.txt --init letters --steps 2 --threads 1 --out tuned
check "chars" grep -q '"tokenizer": "chars"' runs/data/longer/tokenizer.json

printf '\303\251' >>longer.txt && rm -r runs/data/longer
cp book.txt unprepared.txt
need train longer.txt --init letters --steps 2 --threads 1 --out fewer
succeed "a text with a character that the tokenizer does not know" train longer.txt --init letters --steps 2 --threads 1 \
    --out fewer-again
check "is known again" says 'runs/data/longer was made of this text'

succeed "train FILE --tokenizer" train unprepared.txt --tokenizer bpe:300 $small --steps 2 --out pieces
check "has this tokenizer" grep -q '"vocab_size": 300' pieces/config.json
succeed "the same again" train unprepared.txt --tokenizer bpe:300 $small --steps 2 --out pieces-again
refuses "with another tokenizer" "runs/data/unprepared;other tokens" train unprepared.txt --tokenizer chars $small --out new
rm -r runs/data/unprepared
succeed "--resume RUN" train --resume again --steps 4
check "goes on" says '^run +again, steps 3 to 4 of 32 '
check "in the run's directory" grep -q '"steps": 4' again/config.json

# Another process prepares the text while this one reads it: opening the pipe waits for the other process.
race() { # TEXT: that process's
    rm -rf runs/data/raced raced.txt && mkfifo raced.txt
    start train raced.txt $small --steps 2 --out "raced-$1"
    exec 3>raced.txt
    "$BITTER" prepare --out runs/data/raced "$1" >/dev/null && rm raced.txt && cp book.txt raced.txt
    cat book.txt >&3
    exec 3>&-
    collect
}
race book.txt
check "a text that another process has prepared meanwhile is used" test $code -eq 0
check "which is said" says 'runs/data/raced was made of this text and is used$'
race longer.txt
check "unless it is another text" test -z "$(complaint 2 'runs/data/raced exists, but holds something else')"
rm -r runs/data/raced

# --- impossible requests ---
mkdir other && cp longer.txt other/book.txt
refuses "another text of that name" \
    "runs/data/book;\`bitter prepare --out runs/data/book-2 other/book.txt\`;--data runs/data/book-2" train other/book.txt $small
refuses "the same with a tokenizer" "--out runs/data/book-2 --tokenizer chars other" train other/book.txt --tokenizer chars $small
refuses "no name" "name is empty;FILE" train ''
refuses "no data" "--data: '' is empty" train --data ''
head -c 100 book.txt >other/book.txt
refuses "its beginning" "runs/data/book exists, but holds something else" train other/book.txt $small
printf 'caf\303\251 \343\201\202' >other/zipped.txt
refuses "characters that its tokenizer lacks" "runs/data/zipped exists, but holds something else" train other/zipped.txt $small
refuses "no such file" "cannot open nowhere.txt" train nowhere.txt
refuses "a wrong name" "cannot open bok.txt;(did you mean 'book.txt'?)" train bok.txt
refuses "a wrong name in another directory" "(did you mean 'other/book.txt'?)" train other/bok.txt
refuses "a wrong name of data" "(did you mean 'plain'?)" train --data plian
refuses "a scheme in the place of a text" "no file rope;--pos rope" train rope
refuses "a scheme and a text" "no file alibi;--pos alibi" train alibi book.txt
refuses "a text and a run to resume" "--resume takes the run alone" train book.txt --resume again
refuses "a wrong name of a run to resume" "(did you mean 'again'?)" train --resume agan
mkdir -p runs/kept
refuses "a name without runs/" "no kept here; did you mean runs/kept?" sample kept
rmdir runs/kept
refuses "an option in the place of a value" "--pos needs a value" train book.txt --pos --steps 20
refuses "a name like no other" "cannot open qqqqqqqqqqqqqqqqqqqq" train qqqqqqqqqqqqqqqqqqqq
check "nothing is suggested" grep -q '; check the name$' "$scratch/err"
refuses "a directory of data" "plain is a directory of data: \`bitter train --data plain\`" train plain
refuses "a directory of texts" "other is a directory, not a file;for all texts in it: \`bitter prepare --out runs/data/texts other\`" train other
refuses "this directory" ". is a directory, not a file;prepare --out runs/data/texts .\`" train .
refuses "a text in runs/data of another tokenizer than --init's" \
    "runs/data/book exists;other tokens;bitter prepare --out runs/data/book-2 --tokenizer letters book.txt" train --init letters book.txt
cp book.txt unprepared.txt
refuses "options that cannot be, before the text is prepared" "--heads" train unprepared.txt --heads 3
refuses "options that do not go together" "--patience 2;--eval-every 0" train unprepared.txt --patience 2 --eval-every 0
head -c 200 book.txt >short.txt
refuses "a text shorter than a window, before it is prepared" "21 validation tokens;needs 33;more text" train short.txt --context 32
check "so that the same command takes a longer one" test ! -e runs/data/short
refuses "a run" "again is a run: \`bitter train --resume again\`;--init" train again
refuses "two texts" "one FILE, but got 2;\`bitter prepare FILE...\`" train book.txt longer.txt
refuses "a text and --data" "book.txt and --data" train book.txt --data plain
refuses "a text and a run to resume" "book.txt and --out;leave one out" train book.txt --resume --out again
refuses "--tokenizer without a text" "--tokenizer;FILE" train $small --tokenizer chars
refuses "--raw and --resume RUN" "--raw;FILE" train --resume again --raw
refuses "--resume --init" "was started without it" train --resume --out again --init letters
refuses "generated text" "builtin:tales;--data" train builtin:tales
: >empty.txt
refuses "an empty text" "empty.txt is empty" train empty.txt
head -c 100 book.txt >little.txt
run train little.txt
check "a text that is too short" test -z "$(complaint 2 'validation tokens;give more text')"
finish
