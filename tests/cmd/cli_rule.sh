# The arithmetic of intervals over seeds within texts, used by the studies of layers and of LongRoPE's rule.
. tests/support/shell

# interval M LINES: the interval that scripts/interval.awk computes.
interval() {
    printf '%b' "$2" | awk -v m="$1" -f "$repository/scripts/interval.awk"
}
near() { # EXPECTED FOUND: number by number, to 5 digits
    echo "expected $1, found $2"
    echo "$1 $2" | awk '{ n = NF / 2; for (i = 1; i <= n; i++) { d = $i - $(i + n); if (!(d * d < 1e-9 * (1 + $i * $i))) exit 1 } }'
}
# The texts' means have the variances 1/3 and 7/9, so df = (10/9)^2 / (1/9/2 + 49/81/2), and +- t(0.975, df) sqrt(10/9) / 2.
check "two texts" near "3.666667 2.106225 5.227109 3.44828" "$(interval 1 'a 1\na 2\na 3\nb 4\nb 5\nb 7\n')"
# t(1 - 0.025/4, 2) = 8.860252 (one text, so the ordinary interval of a mean).
check "one text, four comparisons" near "2 -3.115469 7.115469 2" "$(interval 4 'a 1\na 2\na 3\n')"
# t(0.975, 1) = 12.706205, whose tail is long.
check "one degree of freedom" near "1.5 -4.853102 7.853102 1" "$(interval 1 'a 1\na 2\n')"
# +- 2.776445 sqrt(1/6), although the texts are 100 apart.
check "the texts' difference does not widen it" near "51 49.86652 52.13348 4" \
    "$(interval 1 'a 0\na 1\na 2\nb 100\nb 101\nb 102\n')"
check "three texts, one of which varies most" near "6.336667 -9.852293 22.525627 1.16957" \
    "$(interval 3 'a 1\na 2\na 3\nb 10\nb 10.01\nb 10.02\nc 5\nc 9\n')"
check "a text with one seed has no interval" test "$(interval 2 'a 1\nb 2\nb 3\n')" = "1.75 - - 0"
check "no values" test "$(interval 2 '')" = "- - - 0"
finish
