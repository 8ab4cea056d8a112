# Tokenizers of prepare: GPT-2's, those trained on the text, those that exist already; and bits per byte.
# tests/interop/tokenizers.py checks that the ids equal those of tiktoken and of Hugging Face's tokenizers; here they
# are compared with its results.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --steps 4 --eval-tokens 500 --threads 1'
writing=$repository/tests/interop/writing.txt

# ids DIRECTORY: of both splits, one on a line.
ids() {
    for split in train val; do tail -c +1025 "$1/${split}_000000.bin" | od -An -v -tu2 -w2 | tr -d ' '; done
}

# --- GPT-2's ---
encoder=$shared/data/gpt2-encoder.json merges=$shared/data/gpt2-vocab.bpe
if [ -f "$encoder" ] && [ -f "$merges" ]; then
    mkdir gpt2
    cp "$encoder" gpt2/encoder.json
    cp "$merges" gpt2/vocab.bpe
    succeed "GPT-2's two files" prepare --tokenizer gpt2 --raw --out writing "$writing"
    check "they have 50257 tokens" says '^tokenizer +bpe, vocabulary of 50257, '
    check "the ids of ten writing systems are tiktoken's" test "$(ids writing | cksum)" = "96137537 5902"
    check "a document ends with 50256" test "$(ids writing | tail -n 1)" -eq 50256
    war=$shared/data/war-and-peace.txt.gz
    if [ -f "$war" ]; then
        need prepare --tokenizer gpt2 --out war "$war"
        check "those of War and Peace are tiktoken's" test "$(ids war | cksum)" = "2291318336 3709897"
        rm -r war
    else
        no_file "War and Peace in GPT-2's tokens" "$war"
    fi
    succeed "its tokenizer.json is a tokenizer" prepare --tokenizer writing/tokenizer.json --raw --out again "$writing"
    check "which is the same" diff -r writing again
    head -c 100000 "$encoder" >gpt2/encoder.json
    refuses "encoder.json cut short" "gpt2/encoder.json;not JSON" prepare --tokenizer gpt2 --raw --out new "$writing"
else
    no_file "GPT-2's tokenizer" "$encoder" "$merges"
fi

# --- trained on the text ---
for n in 1 2 3 4 5 6 7 8 9; do cat "$repository/CONTRIBUTING.md" "$writing"; done >text.txt
head -n 60 "$repository/README.md" >other.txt
succeed "bpe:400" prepare --tokenizer bpe:400 --raw --out data text.txt
check "its vocabulary has 400 tokens" says '^tokenizer +bpe, vocabulary of 400, [0-9.]+ bytes per token$'
need prepare --tokenizer bpe:400 --raw --out same text.txt
check "trained again, it is the same" diff -r data same
need prepare --tokenizer bpe:65536 --out most other.txt
check "a short text does not give as many tokens as were asked for" says '^tokenizer +bpe, vocabulary of [0-9]{3,4} instead of 65536, because no other pair of tokens occurs twice, '
succeed "it trains" train $small --data data --out run
check "a validation says bits per byte" says '^step +4 .* perplexity [0-9.]+  bits per byte [0-9.]+ '
shown=$(sed -n 's/^step .*bits per byte \([0-9.]*\).*/\1/p' "$scratch/out" | tail -n 1)
check "the run's tokenizer.json is that of the data" cmp run/tokenizer.json data/tokenizer.json
succeed "eval" eval run --eval-tokens 500
check "it says the same bits per byte" says " $shown\$"
succeed "report" report run
succeed "sample" sample run --prompt 'It was' --tokens 20
check "the prompt comes back" says '^It was'
refuses "passkeys" "bpe;--tokenizer bytes" eval run --task --data builtin:passkey
refuses "a task" "bytes" eval run --task --data builtin:copy

# --- an existing one ---
for source in run run@best/ data data/tokenizer.json; do
    rm -rf reused
    succeed "the tokenizer of $source" prepare --tokenizer $source --out reused other.txt
    check "is the same" cmp reused/tokenizer.json data/tokenizer.json
done
succeed "the run takes such data" eval run --data reused --eval-tokens 500
printf 'abc abc\n%.0s' 1 2 3 4 5 6 7 8 9 >abc.txt
printf 'abcx\303\251yx\tx\nabc' >unknown.txt
need prepare --tokenizer chars --out chars abc.txt
succeed "characters that it does not know" prepare --tokenizer ./chars --out chars-again --val 0.5 unknown.txt
check "are counted and named" \
    says "^left out +6 of 13 characters.*'x' U\+0078"
check "the others are there" test "$(ids chars-again | tr '\n' ' ')" = '2 3 4 0 2 3 4 '
check "the tokenizer is the same" cmp chars/tokenizer.json chars-again/tokenizer.json
printf 'xyz xyz' >strange.txt
refuses "no known character" "./chars;knows only 1 of the text's 7 characters" prepare --tokenizer ./chars --out new strange.txt

# --- tokens alone ---
mkdir alone
cp data/*.bin alone
succeed "without tokenizer.json, GPT-2's vocabulary is assumed" train $small --data alone --out on-alone
check "which has 50257 tokens" grep -q '"vocab_size": 50257' on-alone/config.json
echo '{"tokenizer": "none", "vocab_size": 400}' >alone/tokenizer.json
succeed "tokenizer.json states the vocabulary" train $small --data alone --out on-stated
check "the model has so many tokens" grep -q '"vocab_size": 400' on-stated/config.json
check "no bits per byte without bytes" test "$(grep -c 'bits per byte' "$scratch/out")" -eq 0
echo '{"tokenizer": "none", "vocab_size": 300}' >alone/tokenizer.json
refuses "shards with more tokens than stated" "alone/train_000000.bin;300" train $small --data alone --out new
refuses "a tokenizer that is none" "alone;without their tokenizer" prepare --tokenizer alone --raw --out new text.txt

# --- what a reader does not see ---
printf '\357\273\277one\r\ntwo\rthree\r\nfour\n' >unseen.txt
printf 'one\ntwo\rthree\nfour\n' >seen.txt
succeed "a text with a byte order mark and CR LF" prepare --out unseen unseen.txt
check "says what it leaves out" says '^left out +5 bytes of byte order marks .*--raw'
need prepare --out seen seen.txt
check "a text without them has the same tokens" diff -r seen unseen
succeed "--raw" prepare --raw --out raw unseen.txt
check "keeps every byte" says "^text +$(size_of unseen.txt) bytes"
check "and leaves nothing out" sh -c "! grep -q 'left out' '$scratch/out'"

# --- records ---
for n in 1 2 3 4 5; do printf '{"id": %d, "text": "caf\\u00e9 %d"}\n' $n $n; done >records.jsonl
{ echo '[' && sed 's/}$/},/' records.jsonl && echo ']'; } >records.json
for n in 1 2 3 4 5; do printf 'caf\303\251 %d\n' $n >value-$n.txt; done
need prepare --out values value-?.txt
for records in records.jsonl records.json; do
    rm -rf record
    succeed "--field of $records" prepare --field text --out record $records
    check "each is a document" diff -r values record
done
mkdir tree && cp records.jsonl other.txt tree
succeed "--field of a directory" prepare --field text --out record-tree tree
check "leaves out what has no records" says "^files +1, .*without records or .*: 1\$"
refuses "a field that is no text" 'records.jsonl: record 1;"id"' prepare --field id --out new records.jsonl
refuses "no records" 'other.txt: record 1;JSON' prepare --field text --out new other.txt
echo '{"text": "cut' >>records.jsonl
refuses "records that are cut short" 'records.jsonl: record 6;JSON' prepare --field text --out new records.jsonl
for file in records.json table.csv; do
    printf '[{"id": 1, "text": "some text"}]\n' >$file
    rm -rf record
    succeed "$file without --field" prepare --out record $file
    check "is known" grep -q "^bitter: $file .*--field" "$scratch/err"
done

printf '%0100001d' 0 >word.txt
succeed "bpe:N on a long word" prepare --tokenizer bpe:300 --out word word.txt
check "says that it is slow" grep -q '^bitter: .*100001 bytes.* slow' "$scratch/err"

# --- mistakes ---
mkdir empty
refuses "bpe without a number" "bpe:;257 to 65536" prepare --tokenizer bpe: --raw --out new text.txt
refuses "bpe with too few tokens" "bpe:256;257 to 65536" prepare --tokenizer bpe:256 --raw --out new text.txt
refuses "bpe with too many tokens" "bpe:65537;257 to 65536" prepare --tokenizer bpe:65537 --raw --out new text.txt
refuses "bpe with words behind the number" "bpe:4k;257 to 65536" prepare --tokenizer bpe:4k --raw --out new text.txt
refuses "a directory without a tokenizer" "empty;no tokenizer.json" prepare --tokenizer empty --raw --out new text.txt
refuses "a file that is no tokenizer" "text.txt, line 1;not JSON;give a tokenizer.json" prepare --tokenizer text.txt --raw --out new text.txt
finish
