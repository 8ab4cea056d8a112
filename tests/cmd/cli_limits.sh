# Data that change while they are read, pipes where files are expected, and limits on files: each ends with one
# sentence.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'
i=0
while [ $((i += 1)) -le 400 ]; do echo "The cat sat on mat $i and the dog looked at it for a while."; done >text.txt
need prepare --out data text.txt

# --- other processes change the data: a run trains on the data that were checked when it began ---
cp -r data live
need train $small --steps 40000 --eval-every 0 --data data --out undisturbed
"$BITTER" train $small --steps 40000 --eval-every 0 --data live --out disturbed >"$scratch/out" 2>"$scratch/err" </dev/null &
job=$!
waited=0
while [ ! -s disturbed/log.csv ] && [ $((waited += 1)) -lt 3000 ]; do sleep 0.01; done
: >live/train_000000.bin
check "while it trains" kill -0 $job
wait $job
check "a shard is cut short during training: the run ends" test $? -eq 0
job=
check "with the weights of one whose data stay" cmp undisturbed/model.safetensors disturbed/model.safetensors
refuses "and such a shard is refused" "live/train_000000.bin" train $small --steps 2 --data live --out new

# --- pipes in place of files: opened in the usual way, they would wait for ever ---
need train $small --steps 2 --data data --out run2
limiter=
command -v timeout >/dev/null && limiter='timeout 60'
if mkfifo pipe 2>/dev/null; then
    # stuck NAME WORDS ARGUMENT...: as refuses, but ends a command that waits.
    stuck() {
        name=$1 words=$2
        shift 2
        ran="bitter $*"
        $limiter "$BITTER" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
        code=$?
        wrong=$(complaint 2 "$words;is not a regular file")
        if [ -z "$wrong" ]; then pass "$name"; else fail "$name" "$(story "$wrong")"; fi
    }
    for file in data/train_000000.bin data/tokenizer.json; do
        mv $file spare && mkfifo $file
        stuck "a pipe for $file" $file train $small --steps 2 --data "${file%/*}" --out new
        rm $file && mv spare $file
    done
    for file in config.json tokenizer.json model.safetensors; do
        mv run2/$file spare && mkfifo run2/$file
        stuck "a pipe for $file" run2/$file eval run2
        rm run2/$file && mv spare run2/$file
    done
    cat text.txt >pipe &
    succeed "text may come through a pipe" prepare --out piped pipe
    check "as from a file" cmp piped/train_000000.bin data/train_000000.bin
else
    skip "pipes" "this file system has none"
fi

# --- limits set with ulimit ---
# limited NAME WORDS LIMIT ARGUMENT...: under `ulimit LIMIT` bitter ends with exit code 1 and one line.
limited() {
    name=$1 words=$2 limit=$3
    shift 3
    ran="ulimit $limit; bitter $*"
    (
        # shellcheck disable=SC2086
        ulimit $limit || exit 77
        exec "$BITTER" "$@"
    ) >"$scratch/limited" 2>"$scratch/err" </dev/null
    code=$?
    wrong=$(complaint 1 "$words")
    if [ $code -eq 77 ]; then
        skip "$name" "there is no ulimit $limit"
    elif [ -z "$wrong" ]; then
        pass "$name"
    else
        fail "$name" "$(story "$wrong")"
    fi
}
limited "files no larger than 5 KiB: prepare" "File too large;ulimit -f" "-f 10" prepare --out new text.txt
check "prepare leaves nothing behind" test -z "$(find . -name 'new*')"
limited "files no larger than 5 KiB: train" "File too large;ulimit -f" "-f 10" train $small --steps 2 --data data --out big
check "train leaves no temporary file" test -z "$(find . -name '*.tmp*')"
limited "five open files" "Too many open files;ulimit -n" "-n 5" train $small --steps 2 --data data --out few
limited "four open files" "Too many open files;ulimit -n" "-n 4" train $small --steps 2 --data data --out few
check "they leave nothing behind" test ! -e few
# With any limit, a command succeeds or says which limit to raise. Shells differ in how many files they keep open.
need train $small --steps 2 --data data --out base
need export base --out model
wrong=
for files in 4 5 6 7 8 9 10; do
    for command in "prepare --out few text.txt" "train $small --steps 2 --data data --out few" "export base --out few" \
        "import model --out few" "eval base --csv few" "report base"; do
        rm -rf few
        # shellcheck disable=SC2086
        (ulimit -n $files && exec "$BITTER" $command) >"$scratch/limited" 2>"$scratch/err" </dev/null
        code=$?
        [ $code -eq 0 ] || [ -z "$(complaint 1 "Too many open files;ulimit -n")" ] ||
            wrong="$wrong
$files: bitter $command: exit code $code, $(cat "$scratch/err")"
    done
done
if [ -z "$wrong" ]; then pass "few open files"; else fail "few open files" "$wrong"; fi
rm -rf few base model

# --- small stacks, of the program and of its threads ---
if grep -q __asan_init "$BITTER"; then
    skip "small stacks" "the sanitizers need larger ones"
else
    need train $small --steps 2 --data data --out base --pos rope
    for limit in "ulimit -s 1024" "export OMP_STACKSIZE=1M" "export OMP_STACKSIZE=256k"; do
        wrong=
        for command in "train $small --steps 2 --threads 2 --data data --out stack" "sample base --tokens 2 --threads 2" \
            "eval base --threads 2" "report base" "properties --pos rope --context 32" \
            "compare none --seeds 1 --steps 2 --context 8 --layers 1 --heads 1 --width 8 --data data --out stacks" \
            "extend base --method gradient --factor 2 --windows 1 --steps 3 --threads 2 --out longer"; do
            # shellcheck disable=SC2086
            (eval "$limit" && exec "$BITTER" $command) >"$scratch/limited" 2>"$scratch/err" </dev/null ||
                wrong="$wrong
$command: exit code $?, $(cat "$scratch/err")"
        done
        if [ -z "$wrong" ]; then pass "$limit"; else fail "$limit" "$wrong"; fi
        rm -rf stack stacks longer
    done
    rm -rf base
fi

# --- threads that cannot be started: their stacks are larger than the address space ---
if (ulimit -s 1000000 && ulimit -v 900000 && "$BITTER" --version) >/dev/null 2>&1; then
    (ulimit -s 1000000 && ulimit -v 900000 && exec "$BITTER" train $small --steps 2 --threads 2 --data data --out few) \
        >"$scratch/limited" 2>"$scratch/err"
    code=$?
    check "fewer threads where no more can be started" test -z "$(complaint 0 "only 1 of 2 threads;ulimit")"
    rm -rf few
else
    skip "fewer threads where no more can be started" "there is no ulimit -s 1000000, or the program needs more memory"
fi

# --- gzip data that never ends ---
dd if=/dev/zero bs=1048576 count=800 2>/dev/null | gzip -1 >zeros.gz
if (ulimit -v 700000 && "$BITTER" --version) >/dev/null 2>&1; then
    limited "a text that inflates to more than there is memory" "zeros.gz: no memory" "-v 700000" prepare --out new zeros.gz
else
    skip "a text that inflates to more than there is memory" "the program does not start in 700 MB of address space"
fi

if dd if=/dev/null of=hole bs=1 seek=8796093022208 2>/dev/null; then
    name="a hole of terabytes"
    $limiter "$BITTER" prepare --out new hole >"$scratch/limited" 2>"$scratch/err"
    code=$?
    check "$name" test -z "$(complaint 1 "hole: no memory")"
    rm -f hole
else
    skip "a hole of terabytes" "files may not be so long here"
fi

# --- directories that may not be read ---
if [ "$(id -u)" -eq 0 ]; then
    skip "unreadable directories" "root reads everything; run this as another user"
else
    mkdir closed && cp data/* closed && chmod 000 closed
    refuses "unreadable data" "closed/tokenizer.json: Permission denied;check the permissions" train $small --data closed --out new
    chmod 000 run2
    refuses "an unreadable run" "run2/config.json: Permission denied;check the permissions" eval run2
    chmod 700 closed run2
fi

# --- sampling takes memory for the text that it can reach, not for the whole window ---
need extend run2 --method pi --factor 100000 --out long
if (ulimit -v 600000 && "$BITTER" --version) >"$scratch/limited" 2>&1; then # not with the sanitizers
    (ulimit -v 600000 && exec "$BITTER" sample long "The cat" --tokens 20) >"$scratch/limited" 2>"$scratch/err"
    check "20 tokens of a model with a window of 1,600,000" test $? -eq 0
else
    skip "memory of a long window" "bitter does not start below 600 MB here"
fi
finish
