# When OpenBLAS chooses kernels for a processor that can do less than this one, the program starts itself again with
# better ones.
. tests/support/shell

bench='bench --layers 1 --heads 1 --width 4 --context 4 --batch 1 --vocab 10 --steps 1'
small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1 --data builtin:tales:bytes=20000'

# core VARIABLE=VALUE...: what `bench` says that it used, in this environment.
core() {
    env -u OPENBLAS_CORETYPE -u BITTER_CORETYPE "$@" "$BITTER" $bench 2>"$scratch/err" |
        sed -n 's/.* core=\([^ ]*\) .*/\1/p'
}
is_slow() {
    case $1 in Prescott | Core2 | Penryn | Dunnington | Nehalem | Sandybridge | '') return 0 ;; *) return 1 ;; esac
}
lines() {
    wc -l <"$scratch/err" | tr -d ' '
}

case $("$BITTER" $bench 2>&1) in
*kernels=*blas*) ;;
*)
    skip "OpenBLAS's kernels" "this build multiplies with its own kernels alone; KERNELS=blas uses OpenBLAS's"
    finish
    ;;
esac
own=$(core)
check "bench names the core" test -n "$own"
if ! grep -q '^flags.* avx2 ' /proc/cpuinfo 2>/dev/null; then
    skip "a better core" "needs Linux and a processor with AVX2"
    finish
fi
if [ "$(core OPENBLAS_CORETYPE=Prescott)" != Prescott ]; then
    skip "a better core" "this BLAS has kernels for one processor only"
    finish
fi
check "OpenBLAS left alone: not a slow core" eval '! is_slow "$own"'
check "the user's value is respected" test "$(core OPENBLAS_CORETYPE=Nehalem)-$(lines)" = Nehalem-0
for guess in Prescott Sandybridge; do
    found=$(core OPENBLAS_CORETYPE=$guess BITTER_CORETYPE=guess)
    check "$guess is replaced" eval '! is_slow "$found"'
    check "$guess: one line says so" test "$(lines)-$(grep -c "^kernels $found, .* $guess," "$scratch/err")" = 1-1
done
if grep -q '^flags.* avx512vl ' /proc/cpuinfo; then
    check "AVX-512 is used" test "$(core OPENBLAS_CORETYPE=Haswell BITTER_CORETYPE=guess)" = SkylakeX
fi

for name in Nehalem Nonsense; do
    OPENBLAS_CORETYPE=$name "$BITTER" check-kernels
    echo $name-$?
done >"$scratch/out"
check "a core that the library does not have is no choice" test "$(tr '\n' ' ' <"$scratch/out")" = 'Nehalem-0 Nonsense-1 '

# Everything else is as it was: arguments, standard input, exit code.
export OPENBLAS_CORETYPE=Prescott BITTER_CORETYPE=guess
refuses "errors stay one line, exit code 2" "'1e-3f';number" train $small --lr 1e-3f
printf 'some text to read, and some more of it' | "$BITTER" prepare --out from-stdin - >"$scratch/out" 2>"$scratch/err"
check "standard input arrives" says '^text +38 bytes'
succeed "a run" train $small --steps 2 --out 'a run'
check "config.json has the core" grep -q "\"core\": \"$(core "OPENBLAS_CORETYPE=Prescott" BITTER_CORETYPE=guess)\"" 'a run/config.json'
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    strace -o /dev/null "$BITTER" $bench >"$scratch/out" 2>"$scratch/err"
    check "under a debugger the program stays what it is" says ' core=Prescott '
    check "and says what to set" grep -q 'OPENBLAS_CORETYPE=' "$scratch/err"
else
    lacks "under a debugger" strace strace
fi
finish
