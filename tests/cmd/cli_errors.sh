# Bad input: every mistake ends with exit code 2 and one line that names the file or option, what was found and what
# to do; nothing is left behind.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'

for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    echo "The cat sat on mat $i and the dog looked at it for a while."
done >text.txt
need prepare --out bytes text.txt
need prepare --out chars --tokenizer chars text.txt
need train $small --steps 2 --data bytes --out run
need train $small --steps 2 --data chars --out chars-run
need train $small --steps 2 --data bytes --pos learned --out learned

# --- commands, options, numbers ---
succeed "no command"
check "says what to do next" says '^Next, in this directory:'
check "and where all commands are" says '--help. lists all commands'
refuses "unknown command" "'trian';did you mean 'train'" trian
refuses "unknown command, like no other" "'xyzzy';--help" xyzzy
refuses "help for an unknown command" "'trian';did you mean 'train'" help trian
refuses "a name that is too long" "File name too long;check the name" train $small --data bytes --out "$(printf 'a%.0s' $(seq 300))"
refuses "an empty --out" "--out;empty" train $small --data bytes --out ""
refuses "an empty --init" "--init;empty" train $small --data bytes --init "" --out new
refuses "an empty --out of prepare" "--out;empty" prepare text.txt --out=
refuses "unknown option" "--widht;did you mean --width" train --widht 16
refuses "unknown option, like no other" "--xyzzy;--help" train --xyzzy
refuses "unknown short option" "-x;--help" train -x
# Names of nanoGPT, llama2.c and transformers.
for pair in block_size=context n-embd=width num_hidden_layers=layers n_heads=heads learning_rate=lr max_iters=steps \
    batch_size=batch gradient_accumulation_steps=accumulate dtype=precision; do
    refuses "--${pair%=*}" "--${pair%=*};did you mean --${pair#*=}?" train "--${pair%=*}" 1
done
for name in num_samples=repeat num-samples=repeat start=prompt; do
    refuses "--${name%=*}" "--${name%=*};did you mean --${name#*=}?" sample run "--${name%=*}" 1
done
for name in vocab_size vocab-size; do refuses "--$name" "--$name;--tokenizer" train "--$name" 64; done
for name in lr_decay_iters lr-decay-iters; do refuses "--$name" "--$name;--steps" train "--$name" 64; done
for name in epochs num_train_epochs; do refuses "--$name" "--$name;--steps;--batch" train "--$name" 1; done
for name in compile device; do refuses "--$name" "--$name;CPU" sample run "--$name=cpu"; done
refuses "--wandb" "--wandb;bitter report" train --wandb
refuses "an option that this command lacks" "--n_embd;--help" eval run --n_embd 8
refuses "chat" "chat;bitter sample RUN;--interactive" chat run
refuses "generate" "generate;bitter sample" generate
refuses "plot" "plot;bitter report" plot
refuses "fine-tune" "fine-tune;bitter train --init RUN" fine-tune
refuses "version" "version;bitter --version" version
refuses "resume" "resume;\`bitter train --resume RUN\` continues a training" resume
refuses "abbreviated option" "--wid;did you mean --width" train --wid 16
refuses "option without its value" "--width;needs a value" train --width
refuses "flag with a value" "--resume;takes no value" train --resume=yes
refuses "operand of train" "cannot open nothing;No such file" train nothing
refuses "operand of bench" "does not know;'nothing';bitter bench --help" bench nothing
refuses "a text for --data" "text.txt;directory of shards;bitter prepare text.txt" train --data text.txt
refuses "eval without a run" "one RUN" eval
refuses "eval of two runs" "one RUN" eval run learned
refuses "prepare without input" "INPUT;--help" prepare
refuses "number with trailing characters" "--steps;'10x';whole number" train $small --steps 10x
refuses "number with a unit" "--lr;'1e-3f';number" train $small --lr 1e-3f
refuses "not a whole number" "--layers;'1.5';whole number" train --layers 1.5
refuses "not a number" "--lr;'nan'" train --lr nan
refuses "infinite number" "--lr;'1e999'" train --lr 1e999
refuses "empty number" "--batch;''" train --batch ''
refuses "number beyond 64 bits" "--seed;'99999999999999999999'" train --seed 99999999999999999999
for option in layers heads width context batch accumulate steps; do
    refuses "--$option 0" "--$option: give;whole number;1;'0'" train --$option 0
    refuses "--$option -4" "--$option: give;whole number;1;'-4'" train --$option -4
done
refuses "negative learning rate" "--lr;'-1'" train --lr -1
refuses "--dropout 1" "--dropout;0.99" train --dropout 1
refuses "--min-lr above --lr" "--min-lr;--lr;0.001;0.0001" train $small --data bytes --lr 1e-4 --min-lr 1e-3
refuses "unknown tokenizer" "--tokenizer;'byte';did you mean 'bytes'" prepare --tokenizer byte --out new text.txt
refuses "--val 1" "--val;leaves none for training" prepare --val 1 --out new text.txt
refuses "--val 2" "--val;'2'" prepare --val 2 --out new text.txt
refuses "--shard-tokens 0" "--shard-tokens;'0'" prepare --shard-tokens 0 --out new text.txt

# --- impossible models and schemes ---
refuses "heads that do not divide the width" "--heads;--width;15;2" train $small --width 15 --data bytes --out new
refuses "odd head width with rope" "rope;even;3" train $small --width 6 --data bytes --out new
refuses "unknown scheme" "'ropee';did you mean 'rope'" train $small --pos ropee --data bytes --out new
refuses "unknown scheme, like no other" "'xyzzy';alibi;rope" train $small --pos xyzzy --data bytes --out new
refuses "unknown key of a scheme" "'bsae';did you mean 'base'" train $small --pos rope:bsae=1 --data bytes --out new
refuses "bad number for a scheme" "rope:base;'1e4x'" train $small --pos rope:base=1e4x --data bytes --out new
refuses "bad choice for a scheme" "rope:pairing;'halve';half" train $small --pos rope:pairing=halve --data bytes \
    --out new
refuses "option for a scheme that has none" "none;'base=1'" train $small --pos none:base=1 --data bytes --out new
refuses "unknown scheme for gradcheck" "'alibbi';did you mean 'alibi'" gradcheck --pos alibbi
fails 1 "more memory than there is" "GiB;make the context" train $small --layers 1000 --width 8000 --data bytes --out new
refuses "one matrix beyond counting" "--width;10^9" train $small --width 20000 --data bytes --out new
check "it tells of no vocabulary before the data are read" test "$(grep -c vocabulary "$scratch/err")" = 0
fails 1 "more activations than memory" "GiB;make the context" train $small --layers 1000 --width 4096 --batch 50000 \
    --data bytes --out new
refuses "a batch beyond counting" "--batch;--context;100000;1000000" train --batch 100000 --context 1000000 \
    --data bytes --out new

# --- text and inputs ---
: >empty.txt
head -c 8 text.txt >tiny.txt
printf 'caf\351 au lait, caf\351 noir\n' >latin.txt
gzip -c text.txt >good.txt.gz
head -c 100 good.txt.gz >cut.txt.gz
cp text.txt plain.txt.gz
copy_with_bit good.txt.gz $(($(size_of good.txt.gz) / 2)) 3 flipped.txt.gz
refuses "missing text" "nowhere.txt;No such file" prepare --out new nowhere.txt
refuses "empty text" "empty.txt;is empty" prepare --out new empty.txt
refuses "a directory of data as text" "bytes;directory of data" prepare --out new bytes
refuses "text without a validation token" "tokens;--val" prepare --out new --val 0 tiny.txt
refuses "text that is not UTF-8" "latin.txt;line 1;0xE9;UTF-8" prepare --tokenizer chars --out new latin.txt
printf 'caf\303\251 au lait, caf\303' >cut.txt
refuses "text cut inside a character" "cut.txt;0xC3;cut inside its last" prepare --tokenizer chars --out new cut.txt
printf 'caf\303\251 \377' >cut.txt
run prepare --tokenizer chars --out new cut.txt
check "a byte that begins no character is not cut" test $code-$(grep -c 'cut inside' "$scratch/err") = 2-0
refuses "text that is not UTF-8 to its end" "latin.txt;(iconv -c -f UTF-8 -t UTF-8)" prepare --tokenizer chars --out new latin.txt
refuses "not a gzip file" "plain.txt.gz;not gzip data" prepare --out new plain.txt.gz
refuses "gzip cut short" "cut.txt.gz;cut short" prepare --out new cut.txt.gz
refuses "gzip with a flipped bit" "flipped.txt.gz;damaged" prepare --out new flipped.txt.gz
cat good.txt.gz good.txt.gz good.txt.gz >members.txt.gz
copy_with_bit members.txt.gz "$(size_of good.txt.gz)" 0 second.txt.gz
{ cat good.txt.gz && printf garbage; } >followed.txt.gz
for file in second followed; do
    refuses "gzip damaged behind its first member: $file" "$file.txt.gz;damaged near byte $(($(size_of good.txt.gz) + 2))" \
        prepare --out new $file.txt.gz
done
head -c $(($(size_of members.txt.gz) - 9)) members.txt.gz >cut.txt.gz
refuses "gzip cut in its last member" "cut.txt.gz;cut short" prepare --out new cut.txt.gz
for case in 'UTF-16=\377\376a' 'UTF-16 without a mark=a\0b\0c\0'; do
    kind=${case%%=*}
    printf "${case#*=}" >odd.txt && cat text.txt >>odd.txt
    gzip -c odd.txt >odd.txt.gz
    for way in "prepare --out new odd.txt" "prepare --tokenizer bpe:300 --out new odd.txt.gz"; do
        refuses "no text: $kind, $way" "odd.txt;no text;--force" $way
    done
    run train odd.txt
    check "no text: $kind, train" test -z "$(complaint 2 "odd.txt;no text;--force")"
done
{ cat text.txt && printf '\0\001\0\0\001\0\0\0' && cat text.txt; } >odd.txt
refuses "no text: zeros" "odd.txt is no text;--force" prepare --out new odd.txt
succeed "--force takes it" prepare --force --out forced odd.txt
check "as it is" says "^text +$(size_of odd.txt) bytes"
succeed "train --force, too" train --force odd.txt $small --steps 1 --eval-tokens 100 --out forced-run
rm -r forced forced-run runs
{ seq 1 2000 && printf '\0'; } >odd.txt
succeed "one zero in a long text" prepare --out odd odd.txt
rm -r odd
refuses "second input missing" "nowhere.txt" prepare --out deep/new text.txt nowhere.txt
refuses "unknown corpus" "tails;did you mean builtin:tales" prepare --out new builtin:tails
refuses "unknown key of a corpus" "'byte';did you mean 'bytes'" prepare --out new builtin:tales:byte=1000
refuses "bad number for a corpus" "bytes;'many'" train $small --data builtin:tales:bytes=many --out new
refuses "prepare into a full directory" "bytes;not empty;--out" prepare --out bytes text.txt
refuses "prepare below a file" "text.txt;directory" prepare --out text.txt/new text.txt
refuses "prompt with an unknown character" "prompt;Z" sample chars-run --prompt 'ZZ'
refuses "prompt that is not UTF-8" "prompt;0xE9;UTF-8" sample chars-run --prompt "$(printf 'caf\351')"

# --- shards ---
# with_shard NAME WORDS CONTENT [FILE]: train on good data except for this training shard.
with_shard() {
    mkdir broken
    cp bytes/val_000000.bin bytes/tokenizer.json broken
    mv "$3" "broken/${4:-train_000000.bin}"
    refuses "$1" "broken;$2" train $small --steps 1 --data broken --out new
    rm -r broken
}
many='1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20'
good=bytes/train_000000.bin
size=$(size_of $good)
: >s && with_shard "empty shard" "0 bytes;prepare" s
head -c 500 $good >s && with_shard "shard shorter than its header" "500 bytes;cut short" s
head -c $((size - 1)) $good >s && with_shard "shard cut short" "$((size - 1)) bytes;cut short" s
{ cat $good && echo; } >s && with_shard "oversized shard" "$((size + 1)) bytes;too long" s
shard '20240521 1 20' "$many" >s && with_shard "wrong magic" "20240521;20240520;prepare" s
shard '20240520 2 20' "$many" >s && with_shard "wrong version" "version 2;version 1" s
shard '20240520 1 0' '' >s && with_shard "shard of no tokens" "0 tokens" s
shard '20240520 1 4294967295' "$many" >s && with_shard "negative token count" "-1 tokens" s
shard '20240520 1 20' "$many 300" >s && with_shard "one token too many" "20 tokens;too long" s
shard '20240520 1 21' "$many 257" >s && with_shard "token beyond the vocabulary" "token 20 is 257;257" s
shard '20240520 1 16' "${many% 17*}" >s && with_shard "as many tokens as a window" "16 tokens;17" s
refuses "missing data directory" "nowhere;prepare" train $small --data nowhere --out new
refuses "a file as data directory" "text.txt;directory" train $small --data text.txt --out new
mkdir half && cp $good bytes/tokenizer.json half
refuses "no validation shard" "half;val" train $small --data half --out new
cp -r bytes packed && gzip packed/train_000000.bin
refuses "a gzipped shard" "packed;gunzip" train $small --data packed --out new
cp -r bytes odd && echo '{"tokenizer": "words", "vocab_size": 9}' >odd/tokenizer.json
refuses "unknown tokenizer.json" "odd/tokenizer.json;words;bytes" train $small --data odd --out new
echo '{"tokenizer": "bytes", "vocab_si' >odd/tokenizer.json
refuses "tokenizer.json cut short" "odd/tokenizer.json;JSON" train $small --data odd --out new
refuses "validation text shorter than a window" "validation;4000" eval run --context 4000
refuses "training text shorter than a window" "bytes;5001" train $small --context 5000 --data bytes --out new

# --- runs ---
refuses "output directory that holds a run" "run;already holds a run;--resume" train $small --data bytes --out run
refuses "output directory below a file" "text.txt;director" train $small --data bytes --out text.txt/run
refuses "--resume without a run to name" "--resume;RUN" train --resume
refuses "--resume without a run" "cannot open nowhere" train --resume --out nowhere
refuses "--resume with another width" "--width 32;16" train --resume --out run --width 32
refuses "--resume with another scheme" "--pos alibi;rope" train --resume --out run --pos alibi
refuses "--resume with other tokens" "chars;other tokens;--init" train --resume --out run --data chars
cp -r bytes moving && need train $small --steps 2 --data moving --out moved && cp chars/*.bin moving
refuses "--resume after the data changed" "moving;other tokens;--init" train --resume --out moved
refuses "--resume with another seed" "--seed 7;1337" train --resume --out run --seed 7
refuses "--init without a run" "cannot open nowhere" train $small --data bytes --init nowhere --out new
refuses "--init of another shape" "--init run;width 16" train $small --data bytes --width 32 --init run --out new
refuses "eval without a run there" "cannot open nowhere" eval nowhere
refuses "sample of a data directory" "bytes;no run" sample bytes
refuses "learned positions past their context" "learned;--past clamp;interpolate" eval learned --context 16,32
refuses "sample past learned positions" "learned;--past clamp;interpolate" sample learned --context 32
refuses "unknown --past" "--past;'clam';clamp" eval learned --past clam
refuses "--past for a scheme without" "--past;rope" eval run --past clamp
mkdir "a b"
cp run/config.json run/tokenizer.json "a b"
refuses "a command in a message is quoted" "--out 'a b'\`" eval "a b"
refuses "data of another tokenizer" "chars;another tokenizer;bitter prepare --tokenizer run" eval run --data chars
refuses "data of another tokenizer, run of characters" "bytes;another tokenizer;bitter prepare --tokenizer chars-run" \
    eval chars-run --data bytes
refuses "bad list of contexts" "--context;'x'" eval run --context 8,x,16
refuses "context 0" "--context;'0'" eval run --context 0
refuses "stride beyond the window" "--stride 99;16" eval run --stride 99
refuses "unwritable --csv" "nowhere/x.csv;No such file" eval run --csv nowhere/x.csv
refuses "unwritable --logits" "nowhere/x.npy;No such file" eval run --logits nowhere/x.npy

# with_file NAME WORDS FILE CONTENT COMMAND...: FILE of a copied run, ./broken, is replaced by CONTENT; - removes it.
with_file() {
    name=$1 words=$2 file=$3 content=$4
    shift 4
    cp -r run broken
    rm "broken/$file"
    [ "$content" = - ] || cp "$content" "broken/$file"
    refuses "$name" "broken;$words" "$@"
    rm -r broken
}
resume='train --resume --out broken'
model=model.safetensors state=state.safetensors
head -c 300 run/$model >cut-header
head -c $(($(size_of run/$model) - 4)) run/$model >cut-model
head -c $(($(size_of run/$state) - 4)) run/$state >cut-state
{ cat run/$model && echo; } >long-model
with_file "run without config.json" "no run;config.json" config.json - eval broken
with_file "run without weights" "model.safetensors;--resume" $model - eval broken
with_file "run without a tokenizer" "tokenizer.json;is missing" tokenizer.json - eval broken
with_file "empty weights" "$model;0 bytes" $model empty.txt eval broken
with_file "weights cut within the header" "$model;cut short" $model cut-header eval broken
with_file "weights cut within the data" "$model;cut short" $model cut-model sample broken
with_file "weights with a tail" "$model;damaged" $model long-model eval broken
with_file "weights that are text" "$model;safetensors" $model text.txt eval broken
with_file "weights of another scheme" "$model;config.json" $model learned/$model eval broken
with_file "weights of another vocabulary" "$model;config.json" $model chars-run/$model eval broken
with_file "tokenizer of another run" "tokens;config.json" tokenizer.json chars-run/tokenizer.json eval broken
with_file "empty state" "$state;0 bytes" $state empty.txt $resume
with_file "state cut short" "$state;cut short" $state cut-state $resume
with_file "state of another scheme" "$state;do not belong together" $state learned/$state $resume
with_file "weights as state" "$state;config.json" $state run/$model $resume
with_file "empty config.json" "config.json" config.json empty.txt eval broken
with_file "a tokenizer as config.json" "config.json;options" config.json run/tokenizer.json eval broken

# with_config NAME WORDS SED-COMMAND: config.json is edited, and its second line, the checksum, removed.
with_config() {
    sed 2d run/config.json >unsealed
    sed "$3" unsealed >edited
    if cmp -s edited unsealed; then
        fail "$1" "the edit changes nothing"
        return
    fi
    with_file "$1" "config.json;$2" config.json edited eval broken
}
with_config "config.json of another width" "tensor;16;32" 's/"width": 16/"width": 32/'
with_config "config.json of more layers" "lacks;h.1" 's/"layers": 1/"layers": 2/'
with_config "config.json of another scheme" "pos.table" 's/"pos": "[^"]*"/"pos": "learned"/'
with_config "config.json of another vocabulary" "257;300" 's/"vocab_size": 257/"vocab_size": 300/'
with_config "config.json with heads that do not fit" "16;3" 's/"heads": 2/"heads": 3/'
with_config "config.json with a key that is none" "widht;did you mean" 's/"width"/"widht"/'
with_config "config.json with trailing characters" "steps;2x" 's/"steps": 2/"steps": "2x"/'
with_config "config.json with a negative size" "context;-16" 's/"context": 16/"context": -16/'
with_config "config.json cut short" "line" '$d'
sed 's/"context": 16/"context": 17/' run/config.json >edited
with_file "config.json with an edit" "config.json;CRC-32;remove the line \"crc32\"" config.json edited eval broken

# every_flip FILE STEP COMMAND...: one bit flipped here and there, in each of them alone, is noticed.
every_flip() {
    file=$1 step=$2
    shift 2
    total=$(size_of "run/$file")
    cp -r run broken
    offset=0 missed='' places=0
    while [ $offset -lt "$total" ]; do
        # Bit 5 turns a CRC's a into A, which is the same number: only the other bits change the content.
        copy_with_bit "run/$file" $offset $((offset % 5)) "broken/$file"
        run "$@"
        wrong=$(complaint 2 "$file")
        [ -z "$wrong" ] || missed="$missed byte $offset: $wrong, exit code $code
"
        offset=$((offset + step)) places=$((places + 1))
    done
    rm -r broken
    if [ -z "$missed" ]; then pass "$file: $places flipped bits"; else fail "$file: flipped bits" "$missed"; fi
}
every_flip $model 607 eval broken
every_flip $state 1999 $resume

# --- a loss that is not finite: exit code 3, and the last checkpoint stays ---
run train $small --data bytes --steps 400 --save-every 1 --warmup 0 --lr 100 --min-lr 100 --clip 0 --out wild
wrong=$(complaint 3 'step;loss;first in;h.0;--lr')
if [ -z "$wrong" ]; then pass "non-finite loss"; else fail "non-finite loss" "$(story "$wrong")"; fi
check "it keeps a readable checkpoint" "$BITTER" sample wild --tokens 1

# --- weights that are finite but too large to compute with ---
spoil() { # FILE NUMBERS: the first ones, of the embedding, become 3e38, and the checksum that of the new data
    start=$(($(od -A n -t u4 -N 4 "$1") + 8))
    i=0
    while [ $i -lt "$2" ]; do printf '\346\261\141\177' && i=$((i + 1)); done |
        dd of="$1" bs=1 seek=$start conv=notrunc 2>/dev/null
    crc=$(tail -c +$((start + 1)) "$1" | gzip -c | tail -c 8 | od -A n -t x4 -N 4 | tr -d ' ')
    at=$(grep -abo '"crc32":"' "$1" | head -n 1 | cut -d : -f 1)
    printf %s "$crc" | dd of="$1" bs=1 seek=$((at + 9)) conv=notrunc 2>/dev/null
}
cp -r run huge && spoil huge/model.safetensors 32 && spoil huge/best.safetensors 32
for command in "eval huge" "eval huge --csv huge.csv" "sample huge" "eval huge --task --data builtin:passkey --context 300" "report huge" \
    "extend huge --method yarn --tune --factor 2 --out huge-longer"; do
    run $command
    check "$command" test -z "$(complaint 3 finite)"
done
need train $small --context 32 --data builtin:copy:max=5 --steps 2 --out task && spoil task/model.safetensors 32
run eval task --task
check "eval --task" test -z "$(complaint 3 finite)"
check "no number of such weights is written" test ! -e huge.csv -a ! -e huge/report.html -a ! -e huge-longer
rm -r huge task

if [ "$(id -u)" -ne 0 ]; then
    mkdir locked && chmod 555 locked
    refuses "unwritable directory for a run" "locked;Permission denied" train $small --data bytes --out locked/run
    refuses "unwritable directory for shards" "locked;Permission denied" prepare --out locked/new text.txt
    chmod 755 locked
elif [ -d /proc/self ]; then
    refuses "unwritable directory for a run" "/proc;director" train $small --data bytes --out /proc/bitter/run
    refuses "unwritable directory for shards" "/proc;director" prepare --out /proc/bitter/new text.txt
else
    skip "unwritable directory" "root may write everywhere; run this as another user"
fi
finish
