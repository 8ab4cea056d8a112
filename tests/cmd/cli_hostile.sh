# Hostile surroundings: a /tmp that cannot be written to, and directories of comparisons that an attacker prepared to
# run commands or overwrite files elsewhere.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 16 --batch 4 --threads 1 --steps 5 --seeds 2'
small="$small --data builtin:tales:bytes=40000 --eval-tokens 1000"

# --- a /tmp that cannot be written to ---
place=$(mktemp -d /var/tmp/bitter-test.XXXXXX 2>/dev/null) || place=
readonly_tmp='mount -t tmpfs -o ro none /tmp && cd "$0" && exec "$@"'
if [ -n "$place" ] && cp "$BITTER" "$place/bitter" 2>/dev/null &&
    unshare -rm sh -c "$readonly_tmp" "$place" ./bitter --help >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    check "compare needs no /tmp" env TMPDIR="$place" unshare -rm sh -c "$readonly_tmp" "$place" ./bitter compare \
        $small --out r none
else
    skip "compare needs no /tmp" "no mount namespaces here; root has them, except in most containers"
fi
[ -z "$place" ] || rm -rf "$place"

# --- a file system without locks ---
cat >no_locks.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
int fcntl(int file, int command, ...) {
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    errno = ENOLCK;
    return command == F_OFD_SETLK ? -1 : (int)syscall(SYS_fcntl, file, command, argument);
}
END
no_locks() { # ARGUMENT...: bitter, where locks fail
    ran="bitter $*"
    LD_PRELOAD=$(pwd)/no_locks.so ASAN_OPTIONS=verify_asan_link_order=0 "$BITTER" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    code=$?
}
if "${CC:-cc}" -shared -fPIC no_locks.c -o no_locks.so 2>"$scratch/err"; then
    # shellcheck disable=SC2086
    no_locks compare $small --out without none
    wrong=$(complaint 2 "file system of without has no locks;--out")
    if [ -z "$wrong" ]; then pass "compare needs locks"; else fail "compare needs locks" "$(story "$wrong")"; fi
    no_locks train --layers 1 --heads 1 --width 8 --context 8 --batch 2 --steps 5 --threads 1 \
        --data builtin:tales:bytes=20000 --out unlocked
    check "train does not" test $code -eq 0 -a ! -e unlocked/lock
else
    skip "without locks" "a library to take them away cannot be built: $(head -n 1 "$scratch/err")"
fi

# --- directories prepared by an attacker ---
# shellcheck disable=SC2086
need compare $small --out good none a=rope
printf '#!/bin/sh\ntouch pwned\n' >sh && chmod +x sh && cp sh good/sh
here=$(pwd)
escape=$(printf '\033')

contents() { # of all files outside of DIR
    find . -path "./$1" -prune -o -type f -exec cksum {} + | sort -k 3
}

# reports WHAT CODE DIR: this exit code, no command is run, nothing changes outside of DIR.
reports() {
    contents "$3" >"$scratch/before"
    (cd "$3" && PATH=.:$PATH "$BITTER" report . >"$scratch/out" 2>"$scratch/err") </dev/null
    code=$?
    contents "$3" >"$scratch/after"
    pwned=$(find . /pwned -name pwned 2>/dev/null)
    if [ $code -eq "$2" ] && [ -z "$pwned" ] && cmp -s "$scratch/before" "$scratch/after" &&
        { [ $code -eq 0 ] || [ "$(wc -l <"$scratch/err")" -eq 1 ]; } && ! grep -q "$escape" "$scratch/err"; then
        pass "$1"
    else
        fail "$1" "exit code $code $pwned $(head -n 3 "$scratch/err") $(diff "$scratch/before" "$scratch/after")"
    fi
    rm -f "$3/pwned" pwned
}

# hostile WHAT SED-SCRIPT [LABEL]: compare.json, edited and without its checksum; the runs of a are renamed to match.
hostile() {
    cp -r good bad
    sed 2d good/compare.json >unsealed
    sed "$2" unsealed >bad/compare.json
    ! cmp -s unsealed bad/compare.json || fail "$1" "compare.json has not changed"
    if [ $# -gt 2 ]; then
        for seed in 1337 1338; do mv "bad/runs/a-seed$seed" "bad/runs/$3-seed$seed"; done
    fi
    reports "$1" 2 bad
    rm -r bad
}

reports "a good one" 0 good
hostile "a label that is a command" 's/"name": "a"/"name": "q\\nsystem \\"touch pwned\\"\\n#"/' 'q
system "touch pwned"
#'
hostile "a label that leaves quotes" "s/\"name\": \"a\"/\"name\": \"x''''; system 'touch pwned' #\"/" \
    "x''''; system 'touch pwned' #"
hostile "a label that is a path" 's/"name": "a"/"name": "..\/..\/home\/a"/'
hostile "a label that is HTML" 's/"name": "a"/"name": "<script>alert(1)<"/' '<script>alert(1)<'
hostile "a scheme that is a command" 's/"pos": "rope[^"]*"/"pos": "rope\\nsystem \\"touch pwned\\""/'
hostile "a size that is a path" 's/"name": ""/"name": "..\/x"/'
hostile "a size that is a line" 's/"name": ""/"name": "1\\n!a"/'
hostile "a task that is a path" 's/"tasks": \[\]/"tasks": ["builtin:copy:max=..\/x"]/; s/"\(task_steps\|exercises\)": [0-9]*/"\1": 5/'
hostile "a command of several lines" 's/"command": "/&```\\n<script>\\n/'
hostile "data of several lines" 's/"data": "[^"]*"/"data": "a\\n# b"/'
hostile "an option of several lines" 's/"width": /"wi\\ndth\\u001b[31m": 1, &/'
hostile "a rate that is text" 's/"learning_rates": \[/&"1\\n!a",/'

echo mine >precious
for file in report.md report.html report.tex results.csv plot-1.svg plot-1.tex lock; do
    for target in precious nowhere; do
        cp -r good bad
        ln -sf "../$target" "bad/$file"
        reports "a link for $file is refused" 2 bad
        rm -r bad
    done
done
# linked NAME: report and compare refuse a link in place of that directory, and the link's target stays unchanged.
linked() {
    cp -r good bad
    rm -rf elsewhere && mv "bad/$1" elsewhere && ln -s "$here/elsewhere" "bad/$1"
    echo mine >elsewhere/state.safetensors
    rm -f elsewhere/measured.csv elsewhere/*/measured.csv
    reports "report refuses a link for $1" 2 bad
    contents bad >"$scratch/before"
    # shellcheck disable=SC2086
    run compare $small --out bad none a=rope --workers 1
    contents bad >"$scratch/after"
    if [ $code -eq 2 ] && grep -q "bad/$1 is a symbolic link" "$scratch/err" && cmp -s "$scratch/before" "$scratch/after"; then
        pass "compare refuses a link for $1"
    else
        fail "compare refuses a link for $1" "$(story "$(diff "$scratch/before" "$scratch/after")")"
    fi
    rm -r bad
}
linked runs
linked runs/a-seed1338

# The name that extend chooses itself, RUN-METHOD, may also be a link that somebody left there.
cp -r good/runs/a-seed1337 run && rm -rf elsewhere && mkdir elsewhere && echo mine >elsewhere/tokenizer.json
for target in elsewhere nowhere; do
    ln -s $target run-yarn
    refuses "extend refuses a link for its directory" "run-yarn;symbolic link" extend run --factor 2
    rm run-yarn
done
ln -s elsewhere linked
# shellcheck disable=SC2086
refuses "compare refuses a link for its directory" "linked is a symbolic link" compare $small none a=rope --out linked
rm linked
check "what the link leads to stays" test "$(ls elsewhere)$(cat elsewhere/tokenizer.json)" = tokenizer.jsonmine
rm -r run

cp -r good bad
mv bad/compare.json plan && ln -s ../plan bad/compare.json
# shellcheck disable=SC2086
refuses "a link for compare.json is refused" "bad/compare.json;link" compare $small --out bad none
rm -r bad

# --- a link that leads nowhere is not a missing file ---
need prepare --out data builtin:tales:bytes=40000
rm data/tokenizer.json && ln -s nowhere data/tokenizer.json
refuses "data whose tokenizer.json leads nowhere" "data/tokenizer.json is a symbolic link that leads nowhere;remove it" train --data data --steps 1 --layers 1 \
    --heads 1 --width 4 --context 8 --batch 1 --out new
rm -r data

# --- control characters in config.json ---
run_small='--layers 1 --heads 2 --width 16 --context 16 --batch 4 --threads 1 --steps 2 --data builtin:tales:bytes=40000'
# shellcheck disable=SC2086
need train $run_small --out trained

# quotes WHAT CODE SED-SCRIPT COMMAND...: with config.json edited, the command ends with this code, and prints no
# control character: no ESC, no BEL, and no U+009B, which stands for ESC [.
quotes() {
    what=$1 expected=$2
    sed '/"crc32": "[0-9a-f]*",$/d' trained/config.json >unsealed
    sed "$3" unsealed >config
    cmp -s config unsealed && fail "$what" "config.json has not changed"
    cp -r trained bad && mv config bad/config.json
    shift 3
    run "$@"
    if [ $code -eq "$expected" ] && cat "$scratch/out" "$scratch/err" | tr -d '\n' >"$scratch/all" &&
        ! LC_ALL=C grep -q "[[:cntrl:]]\|$(printf '\302\233')" "$scratch/all"; then
        pass "$what"
    else
        fail "$what" "$(story "$(cat -v "$scratch/all")")"
    fi
    rm -r bad
}

control='\\u001b[31m\\u0007\\u009b31m'
cpu="s/\"cpu\": \"/&$control/"
quotes "a processor that is a colour" 0 "$cpu" train --resume --out bad
quotes "a processor that is no name" 0 's/"cpu": "[^"]*"/"cpu": null/' train --resume --out bad
grep -q 'cpu: null before' "$scratch/err" || fail "a processor that is no name is unknown" "$(story)"
data="s/\"data\": \"[^\"]*\"/\"data\": \"red$control\"/"
need prepare --out red builtin:tales:bytes=40000
mv red "$(printf 'red\033[31m\a\302\233\063\061m')" # what config.json names is there
for command in "eval bad" "train --resume --out bad" "train --init bad --out new" "extend bad --factor 2 --out new"; do
    # shellcheck disable=SC2086
    quotes "data that are a colour: $command" 2 "$data" $command
done
refuses "steps that cannot be counted, times tokens" "--steps 9223372036854775807;2^62" train --data nowhere --out new \
    --steps 9223372036854775807
refuses "an escape in --data" "--data;control" train --data "a$escape[31m" --out new
refuses "an escape in --out" "--out;control" train --out "a$escape[31m"

# --- names with control characters are refused by every command; texts may contain anything ---
red="a$escape[31m"
cp -r trained "$red"
printf 'a line\r\nand another one\n' >"$red.txt"
for command in prepare report properties eval sample export import "train" "extend --method pi --factor 2"; do
    name=$red
    [ "$command" != prepare ] && [ "$command" != train ] || name=$red.txt
    # shellcheck disable=SC2086
    refuses "an escape in a name: $command" "argument;control" $command "$name"
done
refuses "an escape in --out: train --resume" "--out;control" train --resume --out "$red"
refuses "an escape in --csv" "--csv;control" eval trained --csv "$red.csv"
succeed "an escape in a prompt" sample trained --prompt "$red" --tokens 2
rm -r "$red" "$red.txt"

# --- names with a newline ---
# shellcheck disable=SC2086
refuses "a newline in --data" "--data;newline" compare $small --out new none --data 'a
# b'
# shellcheck disable=SC2086
refuses "a newline in --out" "--out;newline" compare $small none --out 'a
b'
finish
