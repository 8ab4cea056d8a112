# Do two threads ever access the same number, one of them writing, without an order between them? clang builds the
# program with the thread sanitizer and its own matrix products; archer (libarcher.so), part of LLVM's OpenMP, tells it
# about OpenMP's barriers and sums. Training with every scheme, and all else that uses threads, runs on four.
. tests/support/shell

OMP_TOOL_LIBRARIES=$(clang -print-file-name=libarcher.so)
TSAN_OPTIONS='ignore_noninstrumented_modules=1 exitcode=66'
export OMP_TOOL_LIBRARIES TSAN_OPTIONS OMP_NUM_THREADS=4

control() {
    clang -g -O1 -fopenmp -fsanitize=thread "$repository/tests/threads/race.c" -o race >build.log 2>&1 ||
        { skip "the thread sanitizer" "clang cannot build with it: $(tail -n 1 build.log)" && finish; }
    if ./race >control 2>&1; then pass "no race: none is reported"; else
        fail "no race: none is reported" "$(printf 'is there no libarcher.so?\n' && head -n 20 control)"
    fi
    if ./race on >control 2>&1; then fail "a race is reported" "$(cat control)"; else pass "a race is reported"; fi
}

# ordered NAME ARGUMENT...: bitter succeeds, and no thread reads what another writes.
ordered() {
    name=$1
    shift
    run "$@"
    if [ $code -eq 0 ] && ! grep -q 'WARNING: ThreadSanitizer' "$scratch/out" "$scratch/err"; then pass "$name"; else
        fail "$name" "$(story "$(grep -h -A 12 'WARNING: ThreadSanitizer' "$scratch/out" "$scratch/err" | head -n 40)")"
    fi
}
small='--data builtin:tales:bytes=60000 --layers 2 --heads 2 --width 32 --context 32 --batch 5 --steps 3 --eval-tokens 600'

# trained OUT ARGUMENT...
trained() {
    out=$1
    shift
    # shellcheck disable=SC2086
    ordered "train $*" train $small --out "$out" "$@"
}

control
schemes=$("$BITTER" train --pos help | sed -n 's/^\([a-z][a-z0-9-]*\)    .*/\1/p')
for scheme in $schemes; do trained "$scheme" --pos "$scheme"; done
trained llama --block llama --heads 4 --kv-heads 2 --pos 'rope@0 none@1' --window '8*1,0'
trained sum --pos learned+rope+alibi:gate=trained --dropout 0.1 --accumulate 2
trained more --pos rope --sample-every 2 --eval-every 1 --threads 3
ordered "train --resume" train --resume --steps 5 --out more
ordered "train --init" train --init rope --steps 3 --data builtin:tales:bytes=60000 --out tuned
ordered "eval" eval rope --context 8,32,64 --by-position --eval-tokens 600
ordered "eval of passkeys" eval rope --task --data builtin:passkey --context 288 --samples 2 --depths 2
ordered "eval of a window" eval llama --context 64 --eval-tokens 600
ordered "sample" sample rope --prompt The --tokens 40
ordered "sample of a window" sample llama --prompt The --tokens 40
search='--windows 2 --population 8 --generations 2'
# shellcheck disable=SC2086
ordered "extend --method longrope" extend rope --method longrope --factor 4 $search --out longrope
ordered "extend --method gradient" extend rope --method gradient --factor 4 --windows 2 --steps 4 --out gradient
ordered "extend --tune" extend rope --method yarn --factor 4 --tune --windows 2 --out yarn
# shellcheck disable=SC2086
ordered "compare, two workers of two threads" compare rope fire none $small --context 32 --seeds 2 --workers 2 --threads 2 \
    --eval-tokens 2000 --out both
ordered "report" report both
finish
