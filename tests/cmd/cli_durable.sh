# What a command reports as done survives a power cut: every file is on the disk before it is renamed, and then its
# directory is; the rows of a log are before the checkpoint that they lead up to. strace shows the order of calls.
. tests/support/shell
strace -o "$scratch/trace" true 2>/dev/null || { lacks "durable" strace strace; finish; }

# Calls of one process -> complaints.
undurable() {
    awk -v here="$(pwd)" '
        function whole(path) { gsub(/"/, "", path); return path ~ /^\// ? path : here "/" path }
        function parent(path) { sub(/\/+$/, "", path); sub(/\/[^\/]*$/, "", path); return path }
        function named(path) { unsynced[parent(path)] = path }
        / = -1 / { next }
        match($0, /^[0-9]+ +(write|fsync)\([0-9]+<[^>]*>/) {
            path = substr($0, RSTART, RLENGTH)
            sub(/^[^<]*</, "", path)
            sub(/>$/, "", path)
            if ($2 ~ /^write/) { dirty[path] = 1; next }
            delete dirty[path]
            delete unsynced[path]
        }
        $2 ~ /^mkdir\(/ { sub(/^mkdir\(/, "", $2); sub(/,$/, "", $2); named(whole($2)) }
        $2 ~ /^rename\(/ {
            sub(/^rename\(/, "", $2); sub(/,$/, "", $2); sub(/\)$/, "", $3)
            from = whole($2); to = whole($3)
            if (from in dirty) print to " got its name before it was on the disk"
            if (to ~ /state.safetensors$/)
                for (path in dirty) if (path ~ /log.csv|positions.csv/) print to " came before the rows of " path
            named(to)
            renamed++
        }
        END {
            for (path in unsynced) print path " was not written to the disk with " unsynced[path]
            for (path in dirty) if (path ~ /\/work\//) print path " was not written to the disk"
            if (renamed + 0 == 0) print "no file was renamed"
        }' "$1"
}

# durable NAME ARGUMENT...: run the command, and check what strace recorded.
durable() {
    name=$1
    shift
    # The sanitizer cannot look for leaks under strace.
    check "$name" strace -f -y -s 0 -e 'trace=write,fsync,?mkdir,?mkdirat,?rename,?renameat,?renameat2' \
        -E ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" \
        -o "$scratch/trace" "$BITTER" "$@"
    # ARM has only the calls with a directory's descriptor.
    sed -i 's/mkdirat(AT_FDCWD[^,]*, /mkdir(/; s/renameat2*(AT_FDCWD[^,]*, \([^,]*\), AT_FDCWD[^,]*, /rename(\1, /
            s/\(rename(.*\), [A-Z0-9_|]*) =/\1) =/' "$scratch/trace"
    wrong=$(undurable "$scratch/trace")
    if [ -z "$wrong" ]; then pass "$name: durable"; else fail "$name: durable" "$wrong"; fi
}

small='--layers 1 --heads 2 --width 8 --context 16 --batch 1 --threads 1 --steps 6 --data builtin:tales:bytes=20000'
durable "train" train $small --save-every 2 --eval-every 2 --pos learned --out runs/deep/run
durable "resume" train --resume --steps 8 --out runs/deep/run
durable "prepare" prepare --out runs/data/tales --shard-tokens 4000 builtin:tales:bytes=20000
durable "compare" compare none rope $small --seeds 1 --workers 1 --out runs/compare
need train $small --width 64 --pos rope --out base
durable "export" export base --out runs/exports/hf
durable "export to llm.c" export runs/deep/run --to llm.c --out runs/exports/llmc
durable "exercises" lesson exercises runs/exercises
durable "a plan" compare none rope $small --seeds 1 --register plan.md --out runs/registered
durable "import" import runs/exports/hf --out runs/imported
durable "extend" extend base --method yarn --factor 2 --out runs/extended/yarn

# --- the check notices what it should ---
printf '%s\n' "1 write(3<$(pwd)/a.tmp>, \"\"..., 9) = 9" '1 rename("a.tmp", "a") = 0' "1 fsync(4<$(pwd)>) = 0" >"$scratch/trace"
check "noticed: a file that was not synced" test -n "$(undurable "$scratch/trace")"
printf '%s\n' '1 mkdir("a", 0777) = 0' '1 rename("a/b.tmp", "a/b") = 0' "1 fsync(4<$(pwd)/a>) = 0" >"$scratch/trace"
check "noticed: a directory that was not synced" test -n "$(undurable "$scratch/trace")"
finish
