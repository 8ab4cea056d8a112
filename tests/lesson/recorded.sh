# The curves that the page shows before the reader trains are those that its module trains.
. tests/support/shell
. "$repository/tests/lesson/node"
need_fresh "the recorded curves beside the module's"
check "recorded curves are those of the module" node "$pages/recorded.js"
finish
