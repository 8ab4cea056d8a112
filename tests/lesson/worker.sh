# The answers of the page's worker to every request, and its refusals of mistakes.
. tests/support/shell
. "$repository/tests/lesson/node"

check "the worker trains, answers and refuses" node "$pages/worker.js"
finish
