# `bitter compare --slurm` on a real Slurm cluster: a controller and two nodes, all on this machine, from Debian's
# packages. A node is killed with everything on it, and a task is queued again while it runs: every run is done once,
# and the report is the same as from a single process. `make cluster-test` runs this; it takes about five minutes.
. tests/support/shell

give_up() { # REASON
    skip "a Slurm cluster" "$1"
    finish
}
[ "$(id -u)" = 0 ] || give_up "the daemons of a cluster need root"
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v munged >/dev/null; then
    command -v apt-get >/dev/null || give_up "slurmctld, slurmd or munged is missing, and there is no apt-get"
    apt-get update -qq >"$scratch/apt" 2>&1
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq slurmctld slurmd slurm-client munge >>"$scratch/apt" 2>&1 ||
        give_up "apt-get cannot install Slurm: $(tail -n 1 "$scratch/apt")"
fi

# --- the cluster ---
cluster=$scratch/cluster
export SLURM_CONF="$cluster/slurm.conf"
port=$((20000 + $$ % 10000))
host=$(hostname -s)
mkdir -m 755 "$cluster" && mkdir "$cluster/state" "$cluster/spool.node1" "$cluster/spool.node2"
(umask 077 && head -c 128 /dev/urandom >"$cluster/key")
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool.%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
# Neither cgroups nor accounting; nodes may have other CPUs than this machine.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=bf_interval=5,sched_min_interval=0
# A node that says nothing for six seconds is down, and its tasks are queued again.
SlurmdTimeout=6
MessageTimeout=4
KillWait=5
ReturnToService=2
NodeName=node1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
NodeName=node2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
PartitionName=all Nodes=node1,node2 Default=YES State=UP
END

daemons=
daemon() { # NAME COMMAND...
    name=$1
    shift
    "$@" >>"$cluster/$name.log" 2>&1 </dev/null &
    daemons="$daemons $!"
}

# A node's processes see no others, and end with the node: killing it is like cutting its power.
node() { # NAME
    daemon "$1" unshare --pid --fork --kill-child --mount-proc slurmd -D -N "$1"
}

# The processes of tasks, on all nodes.
task_processes() {
    grep -lszxF "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ | xargs -r grep -lsz '^SLURM_ARRAY_TASK_ID='
}

stop_cluster() {
    # shellcheck disable=SC2086
    kill -9 $daemons 2>/dev/null
    clean_up
}
trap stop_cluster EXIT

wait_until() { # SECONDS COMMAND...
    tries=$(($1 * 5))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $((tries -= 1)) -gt 0 ] || return 1
        sleep 0.2
    done
}
daemon munge munged --foreground --force --socket="$cluster/munge.socket" --key-file="$cluster/key" \
    --pid-file="$cluster/munge.pid" --log-file="$cluster/munged.log" --seed-file="$cluster/seed"
wait_until 20 test -S "$cluster/munge.socket"
daemon slurmctld slurmctld -D
node node1
node1=$!
node node2
nodes_are() { # STATE NODES
    [ "$(sinfo -h -N -t "$1" -n "$2" -o %N | sort | tr '\n' ' ')" = "$(echo "$2" | tr , ' ') " ]
}
wait_until 60 nodes_are idle node1,node2 ||
    give_up "its daemons do not start here: $(grep -h 'error\|fatal' "$cluster"/*.log | tail -n 1)"
pass "two nodes are ready"

# --- the comparison ---
steps=2500
set -- none 'a=rope*1,none' --seeds 2 --threads 1 --steps $steps --layers 2 --heads 2 --width 32 --context 64 --batch 8 \
    --data builtin:tales:bytes=40000 --eval-every 500 --save-every 100 --eval-tokens 2000 --tasks copy:max=3 \
    --task-steps $steps --exercises 20 --out "it's/many"
runs=8
mkdir alone nodes
cd alone || exit 1
need compare "$@" --workers 1
cd ../nodes || exit 1
refuses "a mistake is found before anything is queued" "no position scheme 'wrope'" compare "$@" wrope --slurm
check "nothing is queued" test -z "$(squeue -h)"
"$BITTER" compare "$@" --list >"$scratch/list" 2>&1
need compare "$@" --slurm
cp "$scratch/out" script
job_id=$(sbatch --time=60 --output='%a.log' script | sed -n 's/^Submitted batch job //p')
check "a task for each run" test "$(squeue -h -r -j "$job_id" | wc -l)" -eq $runs
field() { # TASK NAME
    scontrol show job "${job_id}_$1" | tr ' ' '\n' | sed -n "s/^$2=//p"
}
check "with the options for sbatch" test "$(field 1 TimeLimit)" = 01:00:00

task_on() { # NODE
    squeue -h -t running -w "$1" -o %K
}
log_of() { # TASK
    echo "it's/many/runs/$(sed -n "s|.* --share $1/$runs .* # ||p" "$scratch/list")/log.csv"
}
trains_on() { # NODE: does a task there train, and has it saved a checkpoint?
    task=$(task_on "$1")
    [ -n "$task" ] && [ "$(wc -l <"$(log_of "$task")")" -gt 250 ] && [ "$(wc -l <"$(log_of "$task")")" -lt 2000 ]
}

# --- a node dies, and everything on it ---
wait_until 60 trains_on node1
killed=$(task_on node1)
kill -9 $node1
check "node1 is killed while it trains" trains_on node1
check "the other node has processes" test -n "$(task_processes)"
head -n 101 "$(log_of "$killed")" >"$scratch/killed"

# --- the task on the other node is queued again ---
wait_until 60 trains_on node2
requeued=$(task_on node2)
head -n 101 "$(log_of "$requeued")" >"$scratch/requeued"
check "a task is queued again while it trains" scontrol requeue "${job_id}_$requeued"

check "Slurm notices that node1 is dead" wait_until 90 nodes_are down node1
node node1
is_over() {
    [ -z "$(squeue -h)" ]
}
check "the job ends" wait_until 300 is_over

# --- the results ---
for task in $(seq $runs); do field "$task" JobState; done | sort | uniq -c >"$scratch/states"
[ "$(wc -l <"$scratch/states")" -eq 1 ] || cat "$cluster/slurmctld.log" "$scratch/states"
check "every task was completed" test "$(tr -s ' ' <"$scratch/states")" = " $runs COMPLETED"
check "the task of the dead node was started twice" test "$(field "$killed" Restarts)" -eq 1
check "the one that was queued again, too" test "$(field "$requeued" Restarts)" -eq 1
check "it was told to stop, and saved its run" grep -q 'run the same command again' "$requeued.log"
for task in killed requeued; do
    head -n 101 "$(log_of "$(eval echo \$$task)")" >"$scratch/now"
    check "the run that was $task went on from its checkpoint" cmp "$scratch/now" "$scratch/$task"
done
check "$runs runs are done" test "$(ls "it's"/many/runs/*/measured.csv | wc -l)" -eq $runs
check "each step once, and no lock, checkpoint or temporary file is left" whole "it's/many" $steps
timeless "../alone/it's/many" >"$scratch/one"
timeless "it's/many" >"$scratch/other"
check "the report is that of one process, but for times" cmp "$scratch/one" "$scratch/other"
check "no process is left" test -z "$(task_processes)"
finish
