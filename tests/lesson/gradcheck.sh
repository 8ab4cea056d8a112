# The gradient check in the page answers as `bitter gradcheck` does, tensor by tensor.
. tests/support/shell
. "$repository/tests/lesson/node"

# agree SCHEME-OF-THE-MODULE TABLE
agree() {
    node "$pages/gradcheck.js" "$1" "$2"
}

for pos in none learned rope:base=500 rope-learned alibi t5; do
    need gradcheck --pos $pos
    cp "$scratch/out" "$pos.txt"
    check "$pos: the module's check agrees with bitter's" agree $pos $pos.txt
done
differ() {
    ! agree "$@"
}
check "another scheme is noticed" differ rope-learned none.txt
sed '/attn.qkv.weight/s/ok$/FAILED/' none.txt >broken.txt
check "another verdict is noticed" differ none broken.txt
finish
