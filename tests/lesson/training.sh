# The module in the page trains as the program does: same options, same losses.
. tests/support/shell
. "$repository/tests/lesson/node"

options='--layers 2 --heads 2 --width 32 --context 32 --batch 4 --steps 100 --warmup 10 --lr 1e-3 --seed 7
    --data builtin:tales:bytes=1e5 --eval-tokens 2048'
options=$(echo $options)

compare() { # OPTIONS LOG
    node "$pages/training.js" "$1" "$2"
}
other_seed_differs() {
    ! compare "$options --pos rope --seed 8" rope/log.csv
}

for pos in none learned sinusoidal rope alibi rope-learned; do
    # shellcheck disable=SC2086
    need train $options --pos $pos --threads 1 --out $pos
    check "$pos: 100 losses of the module are bitter's" compare "$options --pos $pos" $pos/log.csv
done
check "another seed is noticed" other_seed_differs
finish
