#!/bin/sh
# How fast `bitter train` is when mpirun shares it: sh scripts/bench_ranks.sh BITTER, a program that was built with MPI=1.
# First shape B of `make bench` (with a vocabulary of 257), on one machine; all take turns, and numbers are medians. Then
# what a step costs over a link of limited speed, for models of several sizes: two processes in two network namespaces,
# which needs Linux, root, ip and tc. PARTS ("cores link"), ROUNDS (3), STEPS (8), RATES (of tc): measure less or else.
set -eu
bitter=$(realpath "${1:?"usage: sh scripts/bench_ranks.sh BITTER"}")
. "$(dirname "$0")/bench_sizes.sh"
parts=${PARTS:-cores link}
rounds=${ROUNDS:-3}
steps=${STEPS:-8}
rates=${RATES:-1gbit 100mbit}
whole ROUNDS "$rounds"
whole STEPS "$steps"
command -v mpirun >/dev/null || complain "there is no mpirun; \`make MPI=1 deps\` installs it"
# Open MPI wants to be asked before root, as in a container, may start it.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
scratch=$(mktemp -d)
one=bitter1-$$ two=bitter2-$$ made=
clean_up() {
    [ -z "$made" ] || { ip netns del "$one"; ip netns del "$two"; }
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP PIPE
cd "$scratch"

# timed FILE OPTION...: train by the command $launch, and add the median of the steps' milliseconds to FILE.
timed() {
    file=$1
    shift
    rm -rf run
    # shellcheck disable=SC2086
    $launch "$bitter" train --data builtin:tales:bytes=100000 --warmup 0 --eval-every 0 --eval-tokens 1 --save-every 0 \
        --steps $((steps + 2)) --out run "$@" >log 2>&1 || complain "$launch bitter train $* failed: $(cat log)"
    awk -F , 'NR > 4 { printf "%.2f\n", ($3 - before) * 1000 } { before = $3 }' run/log.csv | median >>"$file"
}
ms() {
    median <"$1"
}

cores() {
    b='--layers 6 --heads 6 --width 384 --context 256 --batch 16'
    round=0
    while [ $((round += 1)) -le "$rounds" ]; do
        # shellcheck disable=SC2086
        {
            launch='' timed alone $b --threads 1
            launch='mpirun -n 2' timed two $b --threads 1
            launch='' timed threads $b --threads 2
        }
    done
    echo '| shape B | ms a step | times as fast |'
    echo '|---|---|---|'
    for line in 'alone:1 process of 1 thread' 'two:2 processes of 1 thread' 'threads:1 process of 2 threads'; do
        echo "| ${line#*:} | $(ms "${line%%:*}") | $(awk "BEGIN { printf \"%.2f\", $(ms alone) / $(ms "${line%%:*}") }") |"
    done
}

# Two namespaces that a pair of virtual Ethernet devices joins.
connect() {
    made=yes
    ip netns add "$one" && ip netns add "$two"
    ip link add left netns "$one" type veth peer name right netns "$two"
    ip -n "$one" addr add 10.77.7.1/24 dev left
    ip -n "$two" addr add 10.77.7.2/24 dev right
    for device in lo left; do ip -n "$one" link set $device up; done
    for device in lo right; do ip -n "$two" link set $device up; done
    # What mpirun calls instead of ssh: HOST COMMAND...
    printf '#!/bin/sh\nshift\nexec ip netns exec %s unshare --uts sh -c "hostname second; $*"\n' "$two" >agent
    chmod +x agent
}
limit() { # RATE|none
    for end in "$one left" "$two right"; do
        # shellcheck disable=SC2086
        set -- "$1" $end
        ip netns exec "$2" tc qdisc del dev "$3" root 2>/dev/null || :
        [ "$1" = none ] || ip netns exec "$2" tc qdisc add dev "$3" root tbf rate "$1" burst 512kb latency 100ms
    done
}
link() {
    [ "$(id -u)" = 0 ] && command -v ip >/dev/null && command -v tc >/dev/null && ip netns add "$one" 2>/dev/null || {
        echo "No link is measured: this needs root, ip and tc."
        return
    }
    ip netns del "$one"
    connect
    steps=3
    echo '| parameters | gradient, MB | one process, ms a step | two, no limit |'"$(printf ' %s | by the formula |' $rates)"
    echo '|---|---|---|---|'"$(printf -- '---|---|%.0s' $rates)"
    for width in 64 256 640 1280; do
        model="--layers 2 --heads 4 --width $width --context 16 --batch 2 --threads 1"
        rm -f ms.*
        # shellcheck disable=SC2086
        launch='' timed ms.alone $model
        parameters=$(sed -n 's/^model.*: \([0-9]*\) parameters.*/\1/p' log)
        launch="ip netns exec $one mpirun -n 2 --host 10.77.7.1,10.77.7.2 --mca plm rsh --mca plm_rsh_agent $scratch/agent
            --mca btl tcp,self --mca btl_tcp_if_include 10.77.7.0/24 --mca oob_tcp_if_include 10.77.7.0/24"
        for rate in none $rates; do
            limit "$rate"
            # shellcheck disable=SC2086
            timed "ms.$rate" $model
        done
        printf '| %s | %s | %s | %s |' "$parameters" "$(awk "BEGIN { printf \"%.1f\", $parameters * 4e-6 }")" "$(ms ms.alone)" \
            "$(ms ms.none)"
        for rate in $rates; do
            printf ' %s | %s |' "$(ms "ms.$rate")" "$(awk -v rate="$rate" -v p="$parameters" -v base="$(ms ms.none)" 'BEGIN {
                bits = rate * (rate ~ /gbit/ ? 1e9 : rate ~ /mbit/ ? 1e6 : 1e3)
                printf "%.2f", base + 2 * p * 32 / 2 / bits * 1000 }')"
        done
        echo
    done
}
for part in $parts; do
    case $part in cores | link) $part && echo ;; *) complain "there is no part $part; choose from cores and link" ;; esac
done
