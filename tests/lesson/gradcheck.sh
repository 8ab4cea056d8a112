# The gradient check in the page answers as `bitter gradcheck` does, tensor by tensor.
. tests/support/shell
. "$repository/tests/lesson/node"
need_fresh "the module's check beside bitter's"

agree() { # SCHEME OUTPUT
    node "$pages/gradcheck.js" "$1" "$2"
}
differ() {
    ! agree "$@"
}

for pos in none learned rope:base=500 rope-learned alibi t5; do
    need gradcheck --pos $pos
    cp "$scratch/out" "$pos.txt"
    check "$pos: the module's check agrees with bitter's" agree $pos $pos.txt
done
check "another scheme is noticed" differ rope-learned none.txt
sed '/attn.qkv.weight/s/ok$/FAILED/' none.txt >broken.txt
check "another verdict is noticed" differ none broken.txt

need gradcheck --pos none --controls
cp "$scratch/out" controls.txt
check "planted mistakes: the module's check agrees with bitter's" agree --controls controls.txt
sed '/mlp.proj.weight/s/ok$/FAILED/' controls.txt >broken.txt
check "another verdict on a mistake is noticed" differ --controls broken.txt
finish
