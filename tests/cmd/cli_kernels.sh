# OpenBLAS's kernels: `bench` and config.json name them, and the user's choice is kept.
. tests/support/shell

bench='bench --layers 1 --heads 1 --width 4 --context 4 --batch 1 --vocab 10 --steps 1'
small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1 --data builtin:tales:bytes=20000'

# core VARIABLE=VALUE...: the kernels that `bench` reports in this environment.
core() {
    env -u OPENBLAS_CORETYPE "$@" "$BITTER" $bench 2>"$scratch/err" | sed -n 's/.* core=\([^ ]*\) .*/\1/p'
}
case $("$BITTER" $bench 2>&1) in
*kernels=*blas*) ;;
*)
    skip "OpenBLAS's kernels" "this build multiplies with its own kernels alone; KERNELS=blas uses OpenBLAS's"
    finish
    ;;
esac
check "bench names the core" test -n "$(core)"
if [ "$(core OPENBLAS_CORETYPE=Nehalem)" != Nehalem ]; then
    skip "another core" "this BLAS has kernels for one processor only"
    finish
fi
check "the user's choice is kept without a word" test ! -s "$scratch/err"
export OPENBLAS_CORETYPE=Nehalem
succeed "a run" train $small --steps 2 --out run
check "config.json has the core" grep -q '"core": "Nehalem"' run/config.json
finish
