# What the page's worker answers to every request, and how it refuses mistakes.
. tests/support/shell
. "$repository/tests/lesson/node"

check "the worker trains, answers and refuses" node "$pages/worker.js"
finish
