# What `make test` prints about a test that fails: its message and the path of its log; and a line for every program,
# also through a pipe.
. tests/support/shell

# As cmocka prints it: the message of fail_msg to stderr, before the line that says how the test ended.
mkdir tests
cat >tests/failing <<'END'
#!/bin/sh
echo 1..2
echo 'ok 1 - first'
echo 'ERROR: gradient[3] is 1, expected 2' >&2
echo 'not ok 2 - second'
exit 1
END
printf '#!/bin/sh\necho 1..1; echo "ok 1 - only"\n' >tests/passing
chmod +x tests/*
BUILD=build sh "$repository/tests/run" ./tests/failing ./tests/passing >"$scratch/out" 2>"$scratch/err"
code=$?
check "it fails" test $code -eq 1
check "the message" says '^ +ERROR: gradient\[3\] is 1, expected 2$'
check "the log" says " build/tests/failing\.log$"
check "which is there" test -s build/tests/failing.log
check "a line for a program that fails" says '^failing +[0-9.]+ s +1 passed, 1 FAILED$'
check "a line for one that passes" says '^passing +[0-9.]+ s +1 passed$'
check "the sum is the last line" test "$(tail -n 1 "$scratch/out")" = "2 passed, 1 failed"
finish
