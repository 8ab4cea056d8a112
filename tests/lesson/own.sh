# The numbers of one layer that the page shows, and formulas: the module reads and refuses them as the program does.
. tests/support/shell
. "$repository/tests/lesson/node"
need_fresh "formulas in the page"

check "the numbers of one layer and their gradients" node "$pages/layer.js"

cp "$repository"/posenc/formula/examples/*.pos "$scratch/"
cat >"$scratch/two.pos" <<'END'
angle(i) = a * 100^(-i / n)
a = 1 - h / 8   per head
END
number=0
while read -r text; do
    number=$((number + 1))
    printf '%b' "$text" >"$scratch/bad-$number.pos"
    refuses "refused: $text" "line ;column " gradcheck --pos "$scratch/bad-$number.pos"
    cp "$scratch/err" "$scratch/bad-$number.pos.said"
done <<'END'
bias(d) = -a * lgo(1 + d)\na = 1
bias(d) = (1 + d
# comment\nbias(d) =\n  -2 d
angle(i) = 10000 ^ (-i / n) +
code(c, t) = sin(t)
a = 1\nbias(d) = -d
-d
bias(d) = 2 − d
END
check "formulas are read, refused and derived as by the program" node "$pages/formula.js" "$scratch"/*.pos
finish
