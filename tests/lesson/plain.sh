# lesson/plain.c as its first lines say: compiled alone, it trains on a text of one's own.
. tests/support/shell

plain=$scratch/plain
check "plain.c compiles with nothing but the C library" ${CC:-cc} -O2 "$repository/lesson/plain.c" -lm -o "$plain"
awk 'BEGIN { for (i = 0; i < 3000; i++) print "the cat and the dog number " i % 7 }' >"$scratch/book.txt"
for scheme in none learned sinusoidal rope alibi; do
    "$plain" "$scratch/book.txt" $scheme 20 >"$scratch/out"
    # "step 1: loss 5.5"
    check "$scheme learns" awk '/^step/ { loss = $4; if (!first) first = loss } END { exit !(loss < first - 1) }' "$scratch/out"
    check "$scheme measures held-out text" grep -q 'held-out text: loss [0-9.]*, perplexity' "$scratch/out"
done
for words in "" "$scratch/book.txt" "$scratch/book.txt xpoz" "$scratch/no.txt rope" "$plain.none rope"; do
    # shellcheck disable=SC2086
    "$plain" $words >"$scratch/out" 2>"$scratch/error"
    check "refused: '$words'" test $? = 2 -a -s "$scratch/error"
done
finish
