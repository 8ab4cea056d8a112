# Two hosts that share a directory over a network: every run of a comparison is done once, and the report is the same as
# from one host, even when a host is cut off, falls asleep or crashes in the middle. The hosts are network namespaces,
# and the file system is GlusterFS, whose server and client are ordinary programs and whose client supports locks.
. tests/support/shell
. "$repository/tests/support/comparison"

bitter=$BITTER
hosts="bitter-one-$$ bitter-two-$$"
one=$scratch/at-one two=$scratch/at-two # where each host has the directory

clean_hosts() {
    [ ! -f "$scratch/pids" ] || kill -9 $(cat "$scratch/pids") 2>/dev/null
    for mount in "$one" "$two"; do umount -l "$mount" 2>/dev/null; done
    for file in "$scratch"/*.pid; do [ ! -f "$file" ] || kill "$(cat "$file")" 2>/dev/null; done
    for host in $hosts; do ip netns del "$host" 2>/dev/null; done
    clean_up
}
trap clean_hosts EXIT

inside() { # HOST COMMAND...
    namespace=$1 && shift
    nsenter --net="/run/netns/$namespace" "$@"
}

# The server is on the first host. After 4 seconds of silence the server takes a host for dead, and a host the server.
server_options='option transport.socket.bind-address 10.0.0.1
    option transport.socket.listen-port 24007
    option transport.tcp-user-timeout 4
    option transport.socket.keepalive-time 2
    option transport.socket.keepalive-interval 1
    option transport.socket.keepalive-count 2
    option auth.addr.locks.allow *'
client_options='option remote-host 10.0.0.1
    option remote-port 24007
    option remote-subvolume locks
    option ping-timeout 4'

volume() { # NAME TYPE OPTIONS
    printf 'volume %s\n    type %s\n    %s\nend-volume\n' "$@"
}

begin_hosts() {
    # shellcheck disable=SC2086
    set -- $hosts
    mkdir "$scratch/disk" "$one" "$two"
    {
        volume disk storage/posix "option directory $scratch/disk"
        volume locks features/locks 'subvolumes disk'
        volume server protocol/server "option transport-type tcp
    $server_options
    subvolumes locks"
    } >"$scratch/server.vol"
    volume client protocol/client "option transport-type tcp
    $client_options" >"$scratch/client.vol"
    ip netns add "$1" && ip netns add "$2" && ip link add one netns "$1" type veth peer name two netns "$2" &&
        ip -n "$1" addr add 10.0.0.1/24 dev one && ip -n "$2" addr add 10.0.0.2/24 dev two &&
        for host; do ip -n "$host" link set lo up; done && ip -n "$1" link set one up && ip -n "$2" link set two up &&
        inside "$1" glusterfsd -f "$scratch/server.vol" -p "$scratch/server.pid" -l "$scratch/server.log" && sleep 1 &&
        inside "$1" glusterfs -f "$scratch/client.vol" -p "$scratch/one.pid" -l "$scratch/one.log" "$one" &&
        inside "$2" glusterfs -f "$scratch/client.vol" -p "$scratch/two.pid" -l "$scratch/two.log" "$two" &&
        answers && mkdir "$one/seen" && [ -d "$two/seen" ]
}

answers() { # host two reaches the server again, within a minute
    for attempt in $(seq 60); do
        timeout 10 mkdir "$two/answer" 2>/dev/null && rmdir "$two/answer" && return
        sleep 1
    done
    return 1
}

cut_off() {
    ip -n "bitter-two-$$" link set two down
}

join_again() {
    ip -n "bitter-two-$$" link set two up && answers
}

for tool in ip nsenter glusterfs glusterfsd; do
    command -v $tool >/dev/null || missing="${missing:-} $tool"
done
if [ "$(id -u)" -ne 0 ] || [ ! -c /dev/fuse ] || [ -n "${missing:-}" ]; then
    skip "two hosts" "needs Linux, root, /dev/fuse, and Debian's iproute2, glusterfs-server and glusterfs-client${missing:+; missing:$missing}"
    finish
fi
if ! begin_hosts >"$scratch/begun" 2>&1; then
    skip "two hosts" "they cannot be set up: $(tail -qn 1 "$scratch/begun" "$scratch"/*.log | tail -n 1)"
    finish
fi

# bitter on each host, in its own mount of the shared directory.
for host in one two; do
    printf '#!/bin/sh\ncd "%s/$PLACE" && exec nsenter --net="/run/netns/bitter-%s-%s" "%s" "$@"\n' "$scratch/at-$host" $host $$ \
        "$bitter" >"$scratch/on-$host"
    chmod +x "$scratch/on-$host"
done

small='--layers 1 --heads 2 --width 16 --context 16 --batch 4 --threads 1 --warmup 5 --eval-every 100 --save-every 100'
steps=1500
comparison="compare $small --eval-tokens 1000 --data builtin:tales:bytes=40000 --steps $steps --seeds 3 --workers 3
    --out many none learned rope"
need $comparison

# begin PLACE: run the comparison on both hosts, up to a third of its steps. The processes are $first and $second.
begin() {
    export PLACE=$1
    mkdir "$one/$PLACE"
    BITTER=$scratch/on-two
    start two $comparison
    second=$job
    BITTER=$scratch/on-one
    start one $comparison
    first=$job
    echo "$first $second" >"$scratch/pids"
    wait_for_rows "$one/$PLACE/many" $((3 * steps))
    check "$PLACE: both hosts work" test "$(workers_of $first | wc -l)$(workers_of $second | wc -l)" = 33
}

# The inode numbers of the runs' lock files; a new number means that another process has taken the run over.
locks() {
    ls -i "$one/$PLACE"/many/runs/*/lock 2>/dev/null | sort -k 2 >"$1"
}

wait_for_takeover() { # of a run that was locked when $scratch/before was written; or until host one has done all
    while kill -0 $first 2>/dev/null; do
        locks "$scratch/after"
        [ -z "$(join -1 2 -2 2 "$scratch/before" "$scratch/after" | awk '$2 != $3')" ] || return
        sleep 0.1
    done
}

# The result that both hosts must have after host two has been started again.
expect_whole() {
    job=$first
    collect
    check "$PLACE: host one is done" test $code -eq 0
    check "$PLACE: and has nothing to complain about" test -z "$(complaints one)"
    BITTER=$scratch/on-two
    succeed "$PLACE: so is host two" $comparison
    check "$PLACE: every step of every run once, and nothing left over" whole "$one/$PLACE/many" $steps
    check "$PLACE: the report of one host alone" same many "$one/$PLACE/many"
}

# The messages of host two when the network is gone: a sentence from each worker, and one at the end.
said_why() {
    complaints two
    [ "$(complaints two | wc -l)" -le 4 ] && [ -z "$(complaints two | grep -v '^bitter compare: ')" ] &&
        complaints two | tail -n 1 | grep -q ' of 9 runs are done.* run the same command again'
}

begin together
job=$second
collect
check "together: host two is done" test $code -eq 0
check "together: without complaints" test -z "$(complaints two)"
expect_whole

begin cut
locks "$scratch/before"
cut_off
job=$second
collect
check "cut: host two ends" test $code -eq 1
check "cut: and says why" said_why
wait_for_takeover
join_again
expect_whole

# After sleep, processes believe that they hold locks which host one has taken over.
begin asleep
asleep="$second $(workers_of $second)"
echo "$first $asleep" >"$scratch/pids"
locks "$scratch/before"
kill -STOP $asleep
cut_off
wait_for_takeover
join_again
kill -CONT $asleep
job=$second
collect
check "asleep: host two ends" test $code -lt 2
check "asleep: and says why, if it has to" eval '[ $code -eq 0 ] || said_why'
expect_whole

begin killed
kill -9 $second $(workers_of $second)
job=$second
collect
expect_whole
finish
