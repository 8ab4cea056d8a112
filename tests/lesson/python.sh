# The Python shown beside the page's C computes the same.
. tests/support/shell
. "$repository/tests/lesson/node"

if ! python3 -c 'import cmath' >/dev/null 2>&1; then
    lacks "the page's Python agrees with its C" python3 python3
    finish
fi
check "the page's Python agrees with its C" node "$pages/python.js"
finish
