# Comparisons whose runs are started by other programs: --share, --list with xargs and make, and the script of --slurm,
# without Slurm. Every word passes through shells unchanged.
. tests/support/shell

out="it's 100% of \$HOME/\`a \"b\"\`"
set -- none 'a=rope*1' 'b=rope+learned' --layers 1 --heads 2 --context 16 --batch 4 --width 16 --steps 30 --seeds 2 \
    --eval-tokens 1000 --data builtin:tales:bytes=40000 --contrast 'a - none' --tasks copy:max=2 --task-steps 30 \
    --exercises 9
runs=12
PATH=$(dirname "$BITTER"):$PATH # where the system does not tell a program its own path, commands begin with its name
mkdir straight && cd straight || exit 1
need compare "$@" --threads 1 --workers 1 --out "$out"
timeless "$out" >"$scratch/straight"
cd .. || exit 1

same() {
    timeless "$out" >"$scratch/divided" && diff "$scratch/straight" "$scratch/divided"
}

# --- a list of commands ---
mkdir list && cd list || exit 1
refuses "--list with --workers" "--list;--workers" compare "$@" --out "$out" --list --workers 3
need compare "$@" --out "$out" --list
cp "$scratch/out" "$scratch/list"
check "a command for each run" test "$(wc -l <"$scratch/list")" -eq $runs
check "their numbers" test "$(sed 's|.* compare --share \([0-9]*\)/12 .*|\1|' "$scratch/list" | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 9 10 11 12 '
check "their names" test "$(sed 's|.* # ||' "$scratch/list" | sort | tr '\n' ' ')" = "$(cd "../straight/$out/runs" && echo * '')"
check "which write nothing" test -z "$(ls)"
check "the first of them does one run" sh -c "$(head -n 1 "$scratch/list")"
check "and no other" test "$(ls "$out"/runs/*/measured.csv)" = "$out/runs/none-seed1337/measured.csv"
check "it has one thread, unless another number is given" grep -q '"threads": 1,' "$out/compare.json"
check "the report's command has no share" grep -qF " --exercises 9 --out 'it'\\\\''s 100% of \$HOME/\`a \\\"b\\\"\`'\"," "$out/compare.json"
check "without the others there is no report" test ! -e "$out/report.md"
need compare "$@" --out "$out" --list
cp "$scratch/out" "$scratch/rest"
check "a run that is done is not listed" test "$(sed 1d "$scratch/list")" = "$(cat "$scratch/rest")"
refuses "what does not fit the directory" "compare.json;--steps '30', not '40'" compare "$@" --steps 40 --out "$out" --list
tr '\n' '\0' <"$scratch/rest" | xargs -0 -n 1 -P 2 sh -c >"$scratch/xargs" 2>&1
check "xargs runs the rest of the list" whole "$out" 30
check "the last process writes the same report" same
check "the others say who does" grep -q 'the process that finishes the last run writes the report$' "$scratch/xargs"
need compare "$@" --out "$out" --list
check "then nothing is left to list" test ! -s "$scratch/out"
cd .. || exit 1

mkdir made && cd made || exit 1
need compare "$@" --out "$out" --list
awk '{ gsub(/\$/, "$$"); print "run" NR ":\n\t" $0; all = all " run" NR } END { print "all:" all }' "$scratch/out" |
    make -j 2 -k -f - all >"$scratch/make" 2>&1
check "make runs the list" whole "$out" 30
check "make: the same report" same
cd .. || exit 1

# --- shares of several runs ---
mkdir shares && cd shares || exit 1
succeed "a share of five" compare "$@" --out "$out" --share 2/5
check "the 2nd, 7th and 12th run" test "$(cd "$out/runs" && echo *)" = 'a-seed1337 copy:max=2-b-seed1338 none-seed1338'
check "it says how many they are" says '12 runs; .*; 3 of the runs here; 1 side by side with 1 thread each$'
for share in 1/5 3/5 4/5; do need compare "$@" --out "$out" --share $share; done
check "three of four shares: no report" test ! -e "$out/report.md"
succeed "the last share" compare "$@" --out "$out" --share 5/5 --workers 2
check "shares: the same report" same
succeed "a share that has no run" compare "$@" --out "$out" --share 13/13
cd .. || exit 1
for share in 0/3 4/3 3 x 1/3x 1/0 -1/3 1/99999999999 +1/3; do refuses "--share $share" "--share $share;3/40" compare "$@" --share $share; done
refuses "--share without a share" "--share: '' is empty" compare "$@" --share ""
need compare --steps 3 --context 8 --data builtin:tales:bytes=8000 --seeds 1 --out ended --list -- none
check "a list with the end of options" sh -c "$(cat "$scratch/out")"
refuses "--list and --slurm" "--list and --slurm;one of them" compare "$@" --list --slurm

# --- Slurm ---
mkdir slurm && cd slurm || exit 1
refuses "a mistake is found before anything is printed" "no position scheme 'wrope'" compare "$@" wrope --out "$out" --slurm
# A newline in a path would end its line, and what follows would be a command.
evil=$(printf 'evil\ntouch PWNED\n#')
mkdir -p "$scratch/$evil" && cp "$BITTER" "$scratch/$evil/bitter" && here=$BITTER
cd "$scratch/$evil" && mkdir sub && cd sub || exit 1
refuses "a working directory that would be a command" "evil?touch PWNED?#/sub;control character" compare "$@" --out x --slurm
cd "$scratch/work/slurm" || exit 1
if [ -e /proc/self/exe ]; then
    BITTER=$scratch/$evil/bitter
    for how in --list --slurm; do refuses "$how by a program whose path would be a command" "evil?touch PWNED?#/bitter;control character" compare "$@" --out x $how; done
    BITTER=$here
else
    skip "a program whose path would be a command" "there is no /proc/self/exe to find it by"
fi
need compare "$@" --out "$out" --workers 5 --slurm --threads 2
cat >"$scratch/expected" <<END
#!/bin/sh
#SBATCH --job-name=bitter --requeue --open-mode=append --array=1-12%5
#SBATCH --cpus-per-task=2
END
head -n 3 "$scratch/out" >"$scratch/header"
check "the script's options" diff "$scratch/expected" "$scratch/header"
check "nothing is written" test -z "$(ls)"
need compare "$@" --out "$out" --slurm
cp "$scratch/out" script
for task in 2 3 4 9; do (cd / && SLURM_ARRAY_TASK_ID=$task sh "$scratch/work/slurm/script" >>"$scratch/tasks" 2>&1); done
check "tasks train, wherever they start" test "$(ls "$out"/runs/*/measured.csv | wc -l)" -eq 4
for task in $(seq 12); do SLURM_ARRAY_TASK_ID=$task sh script >>"$scratch/tasks" 2>&1; done
check "all tasks: every step once" whole "$out" 30
check "all tasks: the same report" same
# shellcheck disable=SC2046
set -- $(seq -f 's%g=none' 17) --seeds 64 --steps 1 --context 16 --data builtin:tales:bytes=40000 --out large
need compare "$@" --list
check "17 schemes and 64 seeds: 1088 commands" test "$(wc -l <"$scratch/out")" -eq 1088
need compare "$@" --slurm
check "but 1000 tasks" says '--array=1-1000$'
check "of which some have two runs" grep -q -- ' --share "$SLURM_ARRAY_TASK_ID/1000" ' "$scratch/out"
finish
