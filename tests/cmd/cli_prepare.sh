# prepare turns text into shards: well-known texts with the right number of tokens, pipes, gzip, several inputs,
# built-in corpora, and llm.c's shards.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --steps 5 --threads 1'
tales=builtin:tales:bytes=20000,seed=3

shakespeare=$shared/data/tinyshakespeare.txt
if [ -f "$shakespeare" ]; then
    succeed "tinyshakespeare" prepare --tokenizer chars --out shakespeare "$shakespeare"
    check "tinyshakespeare has 65 characters" says 'vocabulary of 65$'
    check "1,003,854 of its tokens are for training" says '^training +1003854 tokens'
    check "111,540 of its tokens are for validation" says '^validation +111540 tokens'
    check "the training shard has as many" test "$(size_of shakespeare/train_000000.bin)" -eq $((1024 + 2 * 1003854))
    check "the validation shard has as many" test "$(size_of shakespeare/val_000000.bin)" -eq $((1024 + 2 * 111540))
    succeed "its shards train" train $small --data shakespeare --out shakespeare-run
    rm -r shakespeare
else
    no_file "tinyshakespeare" "$shakespeare"
fi

war=$shared/data/war-and-peace.txt.gz
if [ -f "$war" ]; then
    succeed "war-and-peace.txt.gz" prepare --tokenizer bytes --out packed "$war"
    gzip -dc "$war" | "$BITTER" prepare --tokenizer bytes --out piped - >"$scratch/out" 2>"$scratch/err"
    check "piped and unpacked, the shards are the same" diff -r packed piped
    rm -r packed piped
else
    no_file "war-and-peace.txt.gz" "$war"
fi

# --- gzip, shard size, several inputs ---
need prepare --out plain $tales
need prepare --out split --shard-tokens 3000 $tales
check "--shard-tokens 3000 makes 7 training shards" test "$(ls split | grep -c '^train_00000[0-6].bin$')" -eq 7
for data in plain split; do need train $small --data $data --out on-$data; done
check "many small shards train to the same weights" cmp on-plain/model.safetensors on-split/model.safetensors
need train $small --data $tales --out on-tales
check "so does the corpus made in memory" cmp on-plain/model.safetensors on-tales/model.safetensors

seq 1 300 >numbers.txt
seq 301 700 | gzip >more.txt.gz
{ cat numbers.txt && seq 301 700; } >all.txt
need prepare --tokenizer chars --out together all.txt
need prepare --tokenizer chars --out apart numbers.txt more.txt.gz
check "chars: several inputs are one text" diff -r together apart
{ gzip -c numbers.txt && cat more.txt.gz && dd if=/dev/zero bs=600 count=1; } >members.gz 2>/dev/null
need prepare --tokenizer chars --out inflated members.gz
check "gzip: so are several members, which zeros may follow" diff -r together inflated
printf '{"text": "\357\273\277%252s"}\n' a >mark.jsonl # with its newline, as long as the memory that it gets
need prepare --field text --out mark mark.jsonl
check "a byte order mark in a field goes" says '^text +253 bytes'
mkdir marks && printf '\357\273\277{"text": "first"}\n' >marks/a.jsonl && printf '{"text": "second"}\n' >marks/b.jsonl
need prepare --field text --out of-marks marks
check "a file that begins with one is not left out of a directory" says '^text +13 bytes'
need prepare --raw --field text --out of-raw-marks marks
check "nor is it with --raw" says '^text +13 bytes'
printf '{"text": "first"}\r\n{"text": 1}\r\n' >returns.jsonl
refuses "a record behind one that ends in a return" "record 2, at byte 19" prepare --field text --out new returns.jsonl
need prepare --out documents numbers.txt more.txt.gz
check "bytes: each input ends with one token more" says "training +$((($(size_of all.txt) + 2) * 9 / 10)) tokens"
for option in --raw --force "--field text"; do
    refuses "$option of what is no file" "builtin:tales;${option%% *}" prepare $option --out new $tales
done
succeed "text and corpus together" prepare --out mixed numbers.txt $tales
mkdir -p tree/b tree/data tree/empty && cp numbers.txt tree/b/1.txt && cp more.txt.gz tree/c.txt.gz && seq 1 50 >tree/a
cp documents/* tree/data && : >tree/nothing && cp documents/train_000000.bin tree/d.bin && ln -s a tree/link
printf 'hidden' >tree/.hidden
need prepare --out listed tree/a numbers.txt more.txt.gz
succeed "a directory" prepare --out walked tree/
check "all texts below it, in order, but data and what is hidden" diff -r listed walked
check "they are counted" says '^files +3, .* 3$'
need prepare tree/
check "the directory's name" test -d runs/data/tree
cd tree && need prepare . && cd ..
check "a directory without a name" test -d tree/runs/data/text
need prepare --val 0.25 --out quarter numbers.txt
check "--val 0.25" says "validation +$((($(size_of numbers.txt) + 1 + 3) / 4)) tokens"
succeed "the directory's name comes from the input" prepare more.txt.gz
check "it is runs/data/more" test -f runs/data/more/train_000000.bin

# --- built-in stories ---
need prepare --out again $tales
check "the same corpus twice is the same" diff -r plain again
need prepare --out other builtin:tales:bytes=20000,seed=4
check "another seed is another corpus" test "$(cksum <plain/train_000000.bin)" != "$(cksum <other/train_000000.bin)"
need prepare --out larger builtin:tales:bytes=40000,seed=3
check "bytes=40000 is about that" test "$(awk '/^text/ { print ($2 >= 40000 && $2 < 44000) }' "$scratch/out")" -eq 1

for data in "prepare --out new" "train --out new --data"; do
    fails 1 "more than memory holds: ${data%% *}" "bytes=1e12;GiB of memory" $data builtin:tales:bytes=1e12
done

# --- existing files, and interruptions ---
ln -s nowhere dangling && mkdir empty && ln -s empty link
refuses "--out is a dangling link" "dangling;symbolic link" prepare --out dangling $tales
refuses "--out is a link to a directory" "link;symbolic link" prepare --out link $tales
refuses "the input is an empty directory" "empty;directory;name a file" prepare --out new empty
refuses "the input is not there" "nofile.txt;check the name" prepare --out new nofile.txt

# started DIRECTORY: wait (10 s at most) until prepare is at work there.
started() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ls -d "$1".*.tmp >/dev/null 2>&1 && return
        sleep 0.5
    done
    return 1
}
# stopped NAME SIGNAL INPUT...: a signal ends the work with exit code 130 and one line, and leaves nothing behind.
stopped() {
    name=$1 signal=$2
    shift 2
    inventory >"$scratch/before"
    "$BITTER" prepare --out deep/in/stopped "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
    job=$!
    check "$name: at work" started deep/in/stopped
    sleep 0.2
    kill -"$signal" "$job"
    wait "$job"
    code=$? job= ran="bitter prepare $*"
    inventory >"$scratch/after"
    wrong=$(complaint 130 interrupted && diff "$scratch/before" "$scratch/after")
    if [ -z "$wrong" ]; then pass "$name"; else fail "$name" "$(story "$wrong")"; fi
}
stopped "stopped while writing stories" TERM builtin:tales:bytes=4e8
mkfifo pipe
sleep 60 >pipe &
writer=$!
stopped "stopped while waiting for input" HUP pipe
kill "$writer"
rm pipe

# What a killed process leaves does not block the next one, and is removed.
"$BITTER" prepare --out retried builtin:tales:bytes=4e8 >"$scratch/out" 2>"$scratch/err" </dev/null &
job=$!
check "killed: at work" started retried
kill -9 "$job"
wait "$job" 2>/dev/null
job=
check "killed: it leaves something" test "$(ls -d retried.*.tmp | wc -l)" -eq 1
: >"$(ls -d retried.*.tmp)/train_000000.bin"
need prepare --out retried $tales
check "what the killed one left is gone" test -z "$(ls -d retried.*.tmp 2>/dev/null)"
"$BITTER" prepare --out one builtin:tales:bytes=4e8 >"$scratch/out" 2>"$scratch/err" </dev/null &
job=$!
check "one is at work" started one
succeed "another one may finish first" prepare --out one $tales
check "and does not disturb it" kill -0 "$job"
check "which has its files" test "$(ls -d one.*.tmp | wc -l)" -eq 1
kill -INT "$job"
wait "$job"
job=
check "nothing stays of it" test -z "$(ls -d one.*.tmp 2>/dev/null)"

# --- llm.c's shards ---
mkdir llmc
tokens=$(seq 1 60) last='50256 11 50255'
shard '20240520 1 63' "$tokens $last" >llmc/tinyshakespeare_train.bin
shard '20240520 1 63' "$last $tokens" >llmc/tinyshakespeare_val.bin
succeed "llm.c's shards" train $small --data llmc --out llmc-run
check "they have GPT-2's vocabulary" grep -q '"vocab_size": 50257' llmc-run/config.json
succeed "their run is evaluated" eval llmc-run
check "63 tokens, 62 of them scored" says '^ +16 +16 +62 '
shard '20240520 1 63' "50257 $tokens 5 6" >llmc/tinyshakespeare_val.bin
refuses "a token that GPT-2 does not have" "tinyshakespeare_val.bin;50257" train $small --data llmc --out beyond
finish
