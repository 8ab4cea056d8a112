# Every system call and every allocation of short runs fails once. The program must then end with exit code 0 if the
# call did not matter, otherwise with 1, 2 or 3 and one sentence. The same command then succeeds, and leaves what an
# undisturbed run leaves, also when the program was killed before any of the calls that change files. Of the
# allocations, the first from each stack of callers fails; with EACH_ALLOCATION=1 every one. ONLY_SCENARIO, ONLY_KIND
# and EVERY=N (every N-th call, or caller of an allocation) make it shorter.
. tests/support/shell
. "$repository/tests/torture/canonical"

workers=${WORKERS:-2}
export OMP_WAIT_POLICY=passive OMP_NUM_THREADS=1
every=${EVERY:-1}
build=$(cd "$repository" && absolute "$BUILD")/torture
faults=$build/faults
allocations=$build/allocations.so

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    skip "faults" "they are injected with Linux's ptrace, in the registers of x86-64"
    finish
fi
if ! "$faults" /dev/null true 2>"$scratch/err"; then
    skip "faults" "processes may not be traced here: $(cat "$scratch/err")"
    finish
fi

kinds='open write sync rename close mkdir unlink truncate read stat memory fork lock kill allocation'
scenarios='train resume init prepare compare extend export import eval report'
check_words() { # VARIABLE WORDS ALL
    for word in $2; do
        case " $3 " in *" $word "*) continue ;; esac
        fail "$1" "there is no '$word'; there are $3"
        finish
    done
}
check_words ONLY_KIND "$(echo "${ONLY_KIND:-}" | tr -c 'a-z\n' ' ')" "$kinds"
check_words ONLY_SCENARIO "${ONLY_SCENARIO:-}" "$scenarios"

# --- the scenarios: preparations (prepare_NAME), the command (command_NAME), and how it continues ---
tiny='--layers 1 --heads 1 --width 8 --context 16 --batch 1 --threads 1'
little='--data builtin:tales:bytes=5000 --eval-tokens 64'

prepare_train() { :; }
command_train() {
    if [ -f out/config.json ]; then
        set -- --resume
    else
        set -- $tiny $little --steps 20 --save-every 10 --eval-every 10 --pos learned
    fi
    launch train "$@" --out out
}

prepare_resume() { need train $tiny $little --steps 20 --eval-every 10 --pos learned --out out; }
command_resume() { launch train --resume --steps 30 --save-every 5 --eval-every 5 --out out; }

prepare_init() { need train $tiny $little --steps 5 --out base; }
command_init() {
    if [ -f out/config.json ]; then set -- --resume; else set -- --init base@best --steps 5; fi
    launch train "$@" --out out
}

prepare_prepare() {
    awk 'BEGIN { for (i = 0; i < 400; i++) print "the cat and the dog number " i % 17 " sat on the mat" }' >one.txt
    awk 'BEGIN { for (i = 0; i < 300; i++) print "no man is an island " i % 13 }' | gzip -n >two.txt.gz
}
command_prepare() { [ -d out ] || launch prepare --tokenizer bpe:280 --shard-tokens 4000 --out out one.txt two.txt.gz; }

prepare_compare() { :; }
command_compare() {
    launch compare none learned --seeds 1 --workers 1 $tiny --steps 4 --data builtin:tales:bytes=8000 --out out
}

prepare_extend() { need train $tiny --width 16 $little --steps 5 --out base; }
command_extend() {
    # A complete run is not continued: the command is refused, but removes what was left.
    if [ -f out/config.json ]; then "$BITTER" extend base --factor 2 --out out >../out 2>../err; return; fi
    launch extend base --method longrope --factor 2 --windows 1 --population 8 --generations 2 --threads 1 --out out
}

prepare_export() { need train $tiny --width 16 --heads 2 $little --steps 5 --out base; }
command_export() { [ -d out ] || launch export base --out out; }

prepare_import() { prepare_export && need export base --out model; }
command_import() { [ -d out ] || launch import model --out out; }

prepare_eval() { need train $tiny --pos none $little --steps 5 --out base && mkdir out; }
command_eval() {
    launch eval base --context 64 --eval-tokens 65 --csv out/x.csv --logits out/x.npy
}

prepare_report() { need train $tiny $little --steps 5 --pos rope-learned --out out; }
command_report() { launch report out; }

# --- one fault ---
# launch ARGUMENT...: bitter, with the fault that $fault names -> $code, ../err.
launch() {
    case $fault in
    '') timeout 60 "$BITTER" "$@" ;;
    list) timeout 60 "$faults" ../list "$BITTER" "$@" ;;
    memory:*) timeout 60 env LD_PRELOAD="$allocations" ALLOCATIONS="${fault#memory:}" "$BITTER" "$@" ;;
    *) timeout 60 "$faults" ../list $fault "$BITTER" "$@" ;;
    esac >../out 2>../err </dev/null
    code=$?
}

# What is wrong with how the program ended. A worker of compare and compare itself print a sentence each.
ending() {
    lines=$(grep -c . ../err) most=1 # libgomp's line follows an empty one
    [ $scenario = compare ] && most=3
    case $fault in *limit) most=$((most + 1)) ;; esac # a resumed run cannot read the processor's name, and says so
    case $code-$fault in
    0-* | 137-*kill) return ;;
    2-memory:* | 2-*EIO* | 2-*ENOSPC* | 2-*ENOMEM* | 2-*EMFILE | 2-*limit) ;; # exit code 2 is for mistakes of the user
    [123]-*) [ "$lines" -ge 1 ] && [ "$lines" -le $most ] && ! grep -qvE '^(bitter|libgomp|$)' ../err && return ;;
    esac
    printf 'exit code %s\n' "$code"
    head -n 6 ../err
}

# May these differences stay until the next command? A file that cannot be removed may, and so may an empty lock whose
# owner is unknown because stat or open fails.
stays() {
    case $kind in
    unlink) return 0 ;;
    open | stat) ! printf '%s\n' "$1" | grep '^[<>]' | grep -qv ' \./out/lock$' ;;
    *) [ -z "$1" ] ;;
    esac
}

# inject FAULT: in a separate directory -> what went wrong, if anything did.
inject() {
    rm -rf work && cp -r ../start work && cd work || exit 1
    fault=$1 code=0
    command_$scenario
    case $1 in [0-9]*) [ -s ../list ] || echo "$1" >>../absent ;; esac
    wrong=$(ending)
    [ -z "$wrong" ] || printf '%s: %s\n' "$1" "$wrong"
    sed "s/^/$code /" ../err >>../sentences
    if [ $code -eq 0 ]; then
        wrong=$(differences "$home/reference")
        stays "$wrong" || printf '%s: exit code 0, but\n%s\n' "$1" "$wrong"
    fi
    if [ $code -ne 0 ] || [ -n "$wrong" ]; then
        first=$code fault='' code=0
        command_$scenario
        [ $code -eq 0 ] || printf '%s (exit code %s), and again: %s\n' "$1" "$first" "$(cat ../err)"
        wrong=$(differences "$home/reference")
        [ -z "$wrong" ] || printf '%s (exit code %s), and again:\n%s\n' "$1" "$first" "$wrong"
    fi
    cd .. && echo "$1" >>tried
}

# inject_all NAME: the faults of the file `list`, one a line, shared by the workers.
inject_all() {
    awk -v every="$every" 'NR % every == 0' "$home/list" >"$home/faults"
    total=$(wc -l <"$home/faults")
    for worker in $(seq "$workers"); do
        mkdir -p "$home/$worker"
        (
            cd "$home/$worker" || exit 1
            awk -v worker="$worker" -v workers="$workers" 'NR % workers == worker - 1' "$home/faults" |
                while read -r line; do inject "$line"; done >wrong 2>&1
        ) &
    done
    wait
    cat "$home"/*/wrong >"$home/wrong"
    cat "$home"/*/sentences >>"$build/sentences" 2>/dev/null
    cat "$home"/*/absent 2>/dev/null | sed 's/.*/# this call did not come: &/'
    tried=$(cat "$home"/*/tried 2>/dev/null | wc -l) came=$((total - $(cat "$home"/*/absent 2>/dev/null | wc -l)))
    rm -f "$home"/*/sentences "$home"/*/absent "$home"/*/tried
    if [ -s "$home/wrong" ] || [ "$tried" -ne "$total" ]; then
        fail "$scenario: $1: $tried of $total" "$(head -n 60 "$home/wrong")"
    elif [ $came -eq 0 ]; then
        skip "$scenario: $1" "no such call came"
    else
        pass "$scenario: $1: $total"
    fi
}

# all KIND HOW...: every call of the kind fails in each of these ways.
all() {
    kind=$1
    shift
    case ${ONLY_KIND:-$kind} in *$kind*) ;; *) return ;; esac
    for how; do
        awk -v kind="$kind" -v how="$how" '$2 == kind { print $0, how }' "$home/calls" >"$home/list"
        inject_all "$kind $how"
    done
}

for scenario in ${ONLY_SCENARIO:-$scenarios}; do
    home=$scratch/$scenario worker=0 fault='' kind=
    mkdir -p "$home/start" "$home/0" "$build"
    cd "$home/start" && prepare_$scenario
    cp -r "$home/start" "$home/reference" && cd "$home/reference" && command_$scenario
    [ $code -eq 0 ] || { fail "$scenario" "$(cat ../err)"; continue; }
    canonical . >"$home/reference.canonical"
    cp -r "$home/start" "$home/0/work" && cd "$home/0/work" && fault=list && command_$scenario
    mv ../list "$home/calls"
    check "$scenario: the same result when traced" test -z "$(differences "$home/reference")"
    rm -rf "$home/0/work" && cp -r "$home/start" "$home/0/work" && cd "$home/0/work" && fault=memory:list:../list
    command_$scenario
    mv ../list "$home/allocations"
    check "$scenario: its calls and allocations are seen" test -s "$home/allocations" -a "$(grep -cE ' (open|write|rename)' "$home/calls")" -gt 2
    echo "# $scenario: $(wc -l <"$home/allocations") allocations, and of calls$(cut -d ' ' -f 2 "$home/calls" | sort |
        uniq -c | awk '{ printf ", %d %s", $1, $2 }')"
    cd "$scratch" || exit 1
    all open EMFILE limit EACCES
    all write half ENOSPC ENOSPC+ EIO EINTR
    all sync EIO
    all rename EIO
    all close EIO
    all mkdir ENOSPC
    all unlink EIO
    all truncate EIO
    all read EIO EINTR
    all stat EACCES
    all memory ENOMEM
    all fork EAGAIN
    all lock ENOLCK
    case ${ONLY_KIND:-kill} in *kill*)
        awk '$2 ~ /open|write|sync|rename|mkdir|unlink|truncate/ { print $0, "kill" }' "$home/calls" >"$home/list"
        inject_all "killed before each call"
        ;;
    esac
    case ${ONLY_KIND:-allocation} in *allocation*)
        for lasts in '' +; do
            awk -v lasts="$lasts" -v each="${EACH_ALLOCATION:-}" '!seen[$1, $3]++ || (each && !lasts) {
                print "memory:" $1 ":" $2 lasts }' "$home/allocations" >"$home/list"
            inject_all "no memory${lasts:+ from each allocation on}"
        done
        ;;
    esac
done
finish
