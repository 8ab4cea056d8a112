# scripts/bench.sh: the table, its ratios, and running without a peer; the programs here only claim times.
. tests/support/shell

cat >bitter.fake <<'END'
#!/bin/sh
case $1-$* in
*--precision*) [ -n "${NO_BF16:-}" ] && echo "bitter bench: no bf16 on this processor" >&2 && exit 2; ms=8 ;;
train*) mkdir -p "${*##* }"; printf '"machine": {\n"blas": "OpenBLAS 1.2",\n"cpu": "Some(R) Chip 3 CPU @ 2.0GHz"\n' >"${*##* }/config.json"; exit ;;
*'--pos rope') ms=12.6 ;;
*'--pos fire') ms=11.9 ;;
*'--pos alibi') ms=12 ;;
*) ms=12 ;;
esac
case $0 in *old) ms=18 ;; esac
echo "pos=x threads=2 core=Skylake ms_per_step=$ms tokens_per_second=1000 sgemm_gflops=250 percent_of_sgemm=80.5 rss_mb=90"
END
cat >python.fake <<'END'
#!/bin/sh
case $* in
*--about*) echo "PyTorch 2.0, Python 3.1" ;;
*'--layers 1 '*--compile*) echo "no compiler" >&2; exit 1 ;;
*--compile*) echo "torch 2.0 threads=2 ms_per_step=24.00 tokens_per_second=500" ;;
*) echo "torch 2.0 threads=2 ms_per_step=30.00 tokens_per_second=400" ;;
esac
END
cp bitter.fake bitter.old
chmod +x bitter.* python.fake

program=./bitter.fake
# bench VARIABLE=VALUE... -> $code, $scratch/out, $scratch/err
bench() {
    ran="bench.sh, $*"
    env "$@" sh "$repository/scripts/bench.sh" "$program" >"$scratch/out" 2>"$scratch/err" </dev/null
    code=$?
}
# row FIRST: the cells of the row that begins with FIRST, without the spaces around them.
row() {
    sed -n "s/ *| */|/g; s/^|\($1|.*\)|\$/\1/p" "$scratch/out"
}

bench PYTHON=./python.fake BEFORE=./bitter.old ROUNDS=1 RESULTS=saved
check "the whole table is measured" test $code = 0
check "a row: ms, tokens/s, % sgemm, MB, both peers, the faster one's ratio, the older program's" \
    test "$(row A)" = 'A|12|1000|80.5|90|30.00|24.00|2.00|18|1.50'
check "a peer that does not compile counts as it is" test "$(row F)" = 'F|12|1000|80.5|90|30.00|-|2.50|18|1.50'
check "and the terminal says why" says '^PyTorch failed at F compiled: no compiler'
check "bf16" test "$(row 'B bf16')" = 'B bf16|8|1000|80.5|90|30.00|24.00|3.00|-|-'
check "bf16 beside float" says 'bf16 is 1.50 times'
check "a scheme within what is asked" test "$(row rope)" = 'rope|12.6|1.05|1.05'
check "a scheme with further limits" test "$(row fire)" = 'fire|11.9|0.99|1.20'
check "all rotations and biases, and eight schemes with weights of their own" \
    test "$(grep -Ec '[|] +1\.(05|20) [|]$' "$scratch/out")" = 21
check "it is saved under the processor's name" test "$(ls saved)" = some-chip-3.md
check "with versions, and without the path of the older program" eval \
    'grep -q "PyTorch 2.0, Python 3.1" saved/* && grep -q "OpenBLAS 1.2, core Skylake" saved/* && ! grep -q "bitter.old" saved/*'
check "a sentence at the end says how this machine compares" \
    says '[(]Some.* cores[)] .* 80% .* 2.00 to 2.50 times as fast as PyTorch'
check "what is saved was printed" sh -c "grep -vxFf '$scratch/out' saved/* | grep . ; [ \$? = 1 ]"

bench PYTHON=./python.fake NO_BF16=1 SHAPES="B" SCHEMES="alibi" ROUNDS=1
check "no bf16: the reason, no row" test "$(row 'B bf16')-$(grep -c '^- no bf16: no bf16 on this processor' "$scratch/out")" = -1
check "a limited table is not saved" test "$(row alibi)-$(ls -d runs 2>/dev/null)" = 'alibi|12|1.00|1.05-'
bench PYTHON=false SHAPES=A
check "no peer: the sentence says so" says ' 80% .* no PyTorch'
check "no peer: the reason, no ratio" test "$(row A)-$(grep -c '^- no peer: ' "$scratch/out")" = 'A|12|1000|80.5|90|-|-|-|-|--1'

# mistake WORDS VARIABLE=VALUE...: one sentence, exit code 2.
mistake() {
    words=$1
    shift
    bench "$@"
    check "a mistake: $*" test -z "$(complaint 2 "$words")"
}
mistake "no shape D;A, B, C, E and F" SHAPES="A D"
mistake "ROUNDS;'0'" ROUNDS=0
mistake "no program ./absent;BEFORE" BEFORE=./absent

env -u MAKEFLAGS -u MAKELEVEL make -C "$repository" BLAS=atlas help >"$scratch/out" 2>"$scratch/err" </dev/null
code=$?
check "a mistake: make BLAS=atlas" test -z "$(complaint 2 "openblas, blis, mkl, accelerate or none, not 'atlas'")"

program=$BITTER
bench PYTHON=false SHAPES=F STEPS=1 ROUNDS=1 BEFORE="$BITTER"
check "with bitter itself" eval '[ $code = 0 ] && row F | grep -Eq "^F\|[0-9.]+\|[0-9]+\|[0-9.]+\|[0-9]+\|-\|-\|-\|[0-9.]+\|[0-9.]+$"'
check "and its BLAS" says '^- bitter: .*; [A-Za-z0-9].*, core [A-Za-z]'
finish
