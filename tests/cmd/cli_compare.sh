# Comparisons: whether processes are killed, stopped or joined by others, every run is trained once and the report is
# the same except for times; a real difference between schemes is found, and noise is not taken for a difference.
. tests/support/shell
. "$repository/tests/support/comparison"

shape='--layers 1 --heads 2 --context 16 --batch 4 --threads 1 --warmup 5 --eval-every 100 --save-every 100 --eval-tokens 1000'
data='--data builtin:tales:bytes=40000'
small="$shape --width 16 $data"
long="$small --steps 1000 --seeds 2 --workers 2"
three='none learned rope'

# What the trained positions were during training.
same_positions() { # DIR DIR
    for one in "$1"/runs/learned-*/positions.csv; do
        other=$2${one#"$1"}
        [ "$(wc -l <"$one")" -eq 12 ] && cmp "$one" "$other" || return 1
    done
}

# Files of runs written after the mark.
later() { # DIR MARK
    find "$1/runs" -type f -newer "$2"
}

# Two processes at once, both of which do well.
twice() { # WHAT ARGUMENTS...
    what=$1 && shift
    start one "$@"
    one=$job
    start two "$@"
    collect
    check "$what: one is done" test $code -eq 0
    job=$one
    collect
    check "$what: so is the other" test $code -eq 0
    check "$what: neither complains" test -z "$(complaints one two)"
}

absent() { # EXTENDED-REGULAR-EXPRESSION FILE
    grep -nE "$1" "$2"
    [ $? -eq 1 ]
}

# --- a comparison ---
need compare $long --out straight $three
check "the settings come first" test "$(sed -n 2p "$scratch/out" | tr -s ' ')" = \
    '- 1 2 16 16 7424 1000 64k 8.621 1.66 49.1k'
check "it says what it does" says '^compare straight: 6 runs; 3 schemes, 2 seeds; 2 side by side with 1 thread each$'
check "every run once, and nothing left over" whole straight 1000
check "a directory for each run" test "$(ls straight/runs | tr '\n' ' ')" = \
    'learned-seed1337 learned-seed1338 none-seed1337 none-seed1338 rope-seed1337 rope-seed1338 '
for file in report.md report.html report.tex results.csv compare.json; do check "$file" test -s straight/$file; done
check "the table has the losses" test "$(grep -cE '^(none +0|learned +256|rope +0) +[0-9.]+ +[0-9.]+ +0.001$' "$scratch/out")" -eq 3
check "and a sentence for each contrast" test "$(grep -cE '^(learned|rope)( vs none: not resolved| is better than none)|^none is better than (learned|rope) ' "$scratch/out")" -eq 2
check "shared weights and batches: equal CRCs in a seed, other ones in another" awk -F , '
    $11 == "batches" { if (seen[$10]++ && crc[$10] != $13) bad = 1; crc[$10] = $13 }
    END { exit bad || crc[1337] == "" || crc[1337] == crc[1338] || seen[1338] != 3 }' straight/results.csv
check "the page needs nothing from anywhere" absent 'src=|href="?[^"#dp]|@import|url\(.?http' straight/report.html

refuses "a comparison in the place of a run" "straight is a comparison;straight/runs" sample straight

mkdir straight/claims && : >straight/claims/none-seed1337.1 # as versions without locks left them
touch mark && sleep 0.02
cp -r straight copy
succeed "the same again" compare $long --out straight $three
check "trains nothing" test -z "$(later straight mark)"
for file in report.md report.html results.csv compare.json; do
    check "the same $file" cmp straight/$file copy/$file
done
rm straight/report.* straight/results.csv
succeed "bitter report" report straight
for file in report.md report.html results.csv; do check "$file from bitter report" cmp straight/$file copy/$file; done
rm -r copy

# --- killed ---
hits=0 round=1 target=300
while [ $round -le 5 ]; do
    start kill compare $long --out killed $three
    wait_for_rows killed $target
    # One worker, or both, or the process that started them.
    first=$(workers_of $job | head -n 1)
    case $((round % 3)) in
    0) victims=$first ;;
    1) victims=$job ;;
    2) victims="$(workers_of $job) $job" ;;
    esac
    # shellcheck disable=SC2086
    kill -9 $victims 2>/dev/null && hits=$((hits + 1))
    if [ $((round % 3)) -eq 0 ]; then # the other worker goes on with everything
        sleep 0.3
        kill -9 $job 2>/dev/null
    fi
    collect
    target=$(($(rows killed) + 400 * round)) round=$((round + 1))
done
check "$hits kills hit" test $hits -ge 3
need compare $long --out killed $three
check "killed and started again: the same report" same straight killed
check "killed and started again: every step once" whole killed 1000
check "killed and started again: the same positions.csv" same_positions straight killed

start kill compare $long --out orphans $three
wait_for_rows orphans 300
orphans=$(workers_of $job)
kill -9 $job
collect
for orphan in $orphans; do
    while kill -0 "$orphan" 2>/dev/null; do sleep 0.05; done
done
check "who started the workers is killed: they save and stop" test -n "$(find orphans -name state.safetensors)" -a \
    "$(find orphans -name measured.csv | wc -l)" -lt 6

for signal in 9 15; do
    rm -rf worker
    start kill compare $long --out worker $three
    wait_for_rows worker 300
    kill -$signal "$(workers_of $job | head -n 1)"
    collect
    check "one worker gets signal $signal: its work is done" test $code -eq 0
    check "one worker gets signal $signal: it is said" grep -q "was ended by signal $signal; the run continues" "$scratch/kill.err"
    check "one worker gets signal $signal: the same report" same straight worker
done

# A stopped worker keeps its run, and others wait; when the worker is killed, its run is free at once.
for signal in CONT KILL; do
    rm -rf stopped
    start stop compare $small --steps 3000 --seeds 1 --workers 1 --out stopped none
    stopped=$job
    wait_for_rows stopped 100
    busy=$(workers_of $job)
    kill -STOP "$busy"
    start other compare $small --steps 3000 --seeds 1 --workers 2 --out stopped none
    before=$(rows stopped)
    sleep 1
    check "a stopped worker keeps its run" test "$(rows stopped)" -eq "$before"
    kill -$signal "$busy"
    collect
    check "SIG$signal: the run is done" test $code -eq 0
    check "SIG$signal: without complaints" test -z "$(complaints other)"
    job=$stopped
    collect
    check "SIG$signal: every step once" whole stopped 3000
done

# --- interrupted ---
for signal in INT TERM; do
    rm -rf interrupted
    start int compare $long --out interrupted $three
    wait_for_rows interrupted 700
    # A signal to a group, as systemd and Slurm send it, reaches all at once.
    # shellcheck disable=SC2046
    kill -$signal $job $([ $signal = INT ] || workers_of $job)
    collect
    check "SIG$signal: exit code 130" test $code -eq 130
    check "SIG$signal: one line that says how to go on" grep -qE \
        '^bitter compare: [0-5] of 6 runs are done; run the same command again' "$scratch/int.err"
    check "SIG$signal: nothing else is said" test "$(complaints int | wc -l)" -eq 1
    check "SIG$signal: saved" test -n "$(find interrupted -name state.safetensors)"
    check "SIG$signal: no locks" test -z "$(find interrupted -name lock)"
done
refuses "a report without a complete seed" "interrupted;first seed is not complete;bitter compare" report interrupted
check "what is there, what is missing and the command" says \
    '^not finished: [0-5] of 6 runs are done, [1-6] are missing; to go on: .*bitter compare .*--out interrupted'
part=$(ls -d interrupted/runs/* | head -n 1)
succeed "a report on a run that was interrupted" report "$part"
check "which says how to go on" says "^the log has [0-9]* of [0-9]* steps.*; to go on: bitter train --resume $part$"
mkdir no-runs && cp interrupted/compare.json no-runs && : >no-runs/report.md
refuses "a report that was kept without its runs" "no-runs;not kept;no-runs/report.md" report no-runs
succeed "the same command goes on" compare $long --out interrupted $three
check "interrupted: the same report" same straight interrupted

# A run is not done until it is measured, and measuring also reacts to signals.
for signal in KILL TERM; do
    rm -rf measuring
    start measure compare $small --steps 3 --seeds 1 --workers 1 --tasks copy:max=8 --task-steps 3 \
        --exercises 1000000 --out measuring none
    tries=400
    while ! ls measuring/runs/copy*/measured.csv.*.tmp >/dev/null 2>&1 && [ $((tries -= 1)) -gt 0 ]; do sleep 0.05; done
    [ $signal = KILL ] || kill -TERM $job
    tries=400
    while kill -0 $job 2>/dev/null && [ $((tries -= 1)) -gt 0 ]; do # three kills are too many
        # shellcheck disable=SC2046
        [ $signal = TERM ] || kill -9 $(workers_of $job) 2>/dev/null
        sleep 0.05
    done
    [ $tries -gt 0 ] || kill -9 $job
    collect
    check "SIG$signal while measuring: exit code" test $code -eq "$([ $signal = KILL ] && echo 1 || echo 130)"
    check "SIG$signal while measuring: said" grep -q '^bitter compare: 1 of 2 runs are done.*; run the same' "$scratch/measure.err"
done
check "nothing half measured is left" test -z "$(find measuring -name '*.tmp')"
check "the trained state is kept" test "$(find measuring -name state.safetensors | wc -l)" -eq 1
rm -r measuring

# --- a run that fails ---
mkdir -p barred/runs/none-seed1337/log.csv
run compare $small --steps 20 --seeds 2 --workers 2 --out barred none rope
check "a run that cannot be done: exit code" test $code -eq 2
check "it is said" grep -q '^bitter compare: 3 of 4 runs are done, and the others failed .see above.; run the same command' "$scratch/err"
check "why is said once" test "$(grep -c 'none-seed1337/log.csv' "$scratch/err")" -eq 1
rmdir barred/runs/none-seed1337/log.csv
succeed "the others were done, and then it is" compare $small --steps 20 --seeds 2 --out barred none rope
rm -r barred

# --- two processes in one directory ---
twice "two processes at once" compare $long --out shared $three
check "every step once, though there were two" whole shared 1000
check "two at once: the same report" same straight shared
for pair in 1 2 3 4; do
    start report report straight
    run report straight
    other=$code
    collect
    check "two reports at once, $pair" test "$code$other" = 00
done
rm -rf killed orphans worker stopped interrupted shared

# --- a model file that is missing ---
mv straight/runs/rope-seed1337/model.safetensors gone
succeed "without a scheme's model" report straight
check "it is said" grep -q '<p>rope is left out for want of weights' straight/report.html
check "the other models have their heads" test "$(grep -cE '>heads of (learned|none|rope), seed 1337, on' straight/report.html)" -eq 2
head -c 100 gone >straight/runs/rope-seed1337/model.safetensors
succeed "with a damaged one" report straight
check "it is said, too" grep -q '<p>The inside of rope is left out: .*model.safetensors' straight/report.html
mv gone straight/runs/rope-seed1337/model.safetensors
mv straight/runs/rope-seed1338 .
succeed "without a run of the second seed" report straight
check "it is named" says '^seed 1338 lacks a run'
mv rope-seed1338 straight/runs

# --- more seeds and schemes for a finished comparison ---
touch mark && sleep 0.02
need compare $long --seeds 3 --out straight $three a=alibi
check "more seeds and schemes: only what is new is trained" test "$(later straight mark | cut -d / -f 3 | sort -u |
    tr '\n' ' ')" = 'a-seed1337 a-seed1338 a-seed1339 learned-seed1339 none-seed1339 rope-seed1339 '
check "all of it is reported" test "$(grep -c ',batches,' straight/results.csv)" -eq 12

# --- equal schemes are not resolved, different ones are ---
need compare $small --steps 600 --seeds 3 --lr 1e-2 --out aa a=rope b=rope:pairing=interleaved c=rope noise=random
check "the same scheme: no difference at all" says '^c vs a: not resolved; c - a: .0[.]0000 [(].0[.]0000 to .0[.]0000[)]'
check "the same functions, other numbers: an interval that holds zero" says '^b vs a: not resolved; b - a: .* \(-.* to \+'
check "b is not a" awk -F , '$11 == "loss" { loss[$7 $10 $12] = $13 }
    END { exit loss["a133716"] == loss["b133716"] || loss["a133716"] != loss["c133716"] }' aa/results.csv
check "noise for positions is worse" says '^a is better than noise by '

# --- contrasts ---
need compare $small --steps 20 --seeds 2 --out contrasts none rope alibi --contrast "rope - alibi"
before=$(grep -A 40 '"contrasts"' contrasts/compare.json | grep -B 1 '"after": 0')
check "named before the first run" test "$(grep -A 3 '"arm": "rope"' contrasts/compare.json | grep -c '"after": 0')" -eq 1
need compare $small --steps 20 --seeds 3 --out contrasts none rope alibi --contrast "alibi - none"
check "the first one stays" test "$(grep -A 40 '"contrasts"' contrasts/compare.json | grep -B 1 '"after": 0')" = "$before"
check "the second one came after 6 runs" test "$(grep -c '"after": 6' contrasts/compare.json)" -eq 1
check "there was a look at 2 seeds" test "$(grep -A 1 '"looks"' contrasts/compare.json | tr -d ' \n')" = '"looks":[2'
rm -r contrasts
need compare $small --steps 20 --seeds 2 --out referred none rope alibi --reference rope
check "each scheme is tested against --reference" says '^tested   none - rope, alibi - rope'

# --- learning rates ---
need compare $small --steps 100 --seeds 2 --out grid none rope --lr-grid 1e-4,1e-3,1e-2
check "every scheme at every rate" test "$(ls grid/runs | wc -l)" -eq 12
check "the rate of the choosing half, and no other" awk -F , '
    $11 == "choose" { sum[$7, $8] += $13 }
    $11 == "choose" && $9 == 1 { if ($7 in chosen && chosen[$7] != $8) bad = 1; chosen[$7] = $8 }
    END { for (k in sum) { split(k, part, SUBSEP); if (sum[k] < sum[part[1], chosen[part[1]]]) bad = 1 }
          exit bad || chosen["none"] == "" || chosen["rope"] == "" }' grid/results.csv
check "the best here is the highest" grep -q '^| rope | 0.01, the largest |' grid/report.md
touch mark && sleep 0.02
need compare $small --steps 100 --seeds 2 --out grid none rope
check "the options' own rate was in the list" test -z "$(later grid mark)"
need compare $small --steps 100 --seeds 2 --out grid none rope --lr-grid 3e-3
check "another rate is another run" test -f grid/runs/rope-lr0.003-seed1338/measured.csv

# --- sizes and tasks ---
need compare $shape $data --seeds 2 --scale 22k,30k --tokens-per-parameter 0.05 --out ladder sinusoidal learned
check "two sizes" test "$(grep -cE '^(22k|30k) +1 +2 ' "$scratch/out")" -eq 2
check "the ladder's question is answered" grep -q '^| learned - sinusoidal | 2[0-9.]*k | [23][0-9.]*k |' ladder/report.md
check "runs of both sizes" test "$(ls ladder/runs | grep -cE '^(22k|30k)-(learned|sinusoidal)-seed133[78]$')" -eq 8
need compare $small --steps 30 --seeds 2 --tasks copy:max=2 --task-steps 20 --exercises 9 --out tasks none rope
check "tasks are trained" test "$(ls tasks/runs | grep -c '^copy:max=2-')" -eq 4
check "and answered at every length" awk -F , '$6 == "builtin:copy:max=2" && $11 == "right" && $14 == 9 { rows++ }
    END { exit rows != 16 }' tasks/results.csv
check "and reported" grep -q '<th>trained lengths, 1 to 2</th><th>beyond, up to 4</th>' tasks/report.html

need compare $small --steps 30 --seeds 2 --task-steps 20 --out tasks none rope --tasks copy:max=2 --exercises 9
need compare $small --steps 30 --seeds 2 --out tasks none rope
check "tasks can be left out" test "$(grep -c builtin:copy tasks/results.csv)" -eq 0
refuses "to come back with more exercises" "tasks/compare.json;--exercises" compare $small --steps 30 --seeds 2 --out tasks none rope \
    --tasks copy:max=2 --task-steps 20 --exercises 8
need compare $small --steps 30 --seeds 2 --out tasks none rope --tasks copy:max=2 --task-steps 20 --exercises 9
need compare $small --steps 3 --lr-grid 6e-5,1e-3 --min-lr 1e-3 --list none
check "a rate that stays can be another one" says 'lr6e-05'
succeed "a rate below the default of --min-lr" compare $small --steps 3 --lr 5e-5 --list none

# --- a file of text ---
"$BITTER" sample straight/runs/rope-seed1337 --tokens 20000 --threads 1 >book.txt 2>/dev/null
need compare $shape --width 16 --data book.txt --steps 30 --seeds 2 --out filed none rope
check "it is prepared" test -s runs/data/book/tokenizer.json
check "what is tested is told before" test "$(grep -n '^tested   rope - none$' "$scratch/out" | cut -d: -f1)" -lt \
    "$(grep -n '^compare filed: ' "$scratch/out" | cut -d: -f1)"
check "and what so few seeds resolve" says '^power .* seeds find .* in 4 of 5 .* [0-9.e+]* times'
check "every run has its curve" test "$(cat filed/runs/*/measured.csv | grep -c '^curve,30,')" -eq 4
succeed "a prepared file for others to train on" compare $shape --data book.txt --list none rope
check "nothing but commands is printed" refute grep -q '^prepare' "$scratch/out"
cp book.txt new.txt
refuses "another file" "bitter prepare new.txt" compare $shape --data new.txt --list none rope
refuses "a wrong scheme, before the file is prepared" "no position scheme 'rop'" compare $shape --data new.txt rop
check "nothing is prepared" test ! -e runs/data/new
rm -r filed runs book.txt

# --- impossible requests ---
rm -r aa grid ladder tasks
few="compare $small --steps 100"
mkdir -p taken/runs run && echo mine >taken/lock && mkdir run/lock
refuses "a file that is no lock" "taken/lock is in the way of a lock file" $few rope --out taken
check "it stays" grep -qx mine taken/lock
refuses "a directory that is no lock" "run/lock is in the way of a lock file" train --steps 1 --out run
refuses "no scheme" "at least one SCHEME" $few
refuses "an unknown scheme" "no position scheme 'wrope'" $few wrope
refuses "a text in place of a scheme" "no position scheme 'a book.txt';--data 'a book.txt'" $few rope 'a book.txt'
refuses "a label that is a directory" "'..' cannot be a label;letter or digit first" $few ..=rope
refuses "an empty --lr-grid" "--lr-grid: '' is empty;leave the option out" $few rope --lr-grid ''
for seeds in 0 -1 65 x; do refuses "--seeds $seeds" "--seeds" $few rope --seeds $seeds; done
for option in '--exercises 5' '--task-steps 5'; do refuses "$option without tasks" "${option% *};--tasks" $few rope $option; done
refuses "--lr and --lr-grid" "--lr-grid;--lr" $few rope --lr 1e-3 --lr-grid 1e-3,2e-3
refuses "--min-lr above --lr" "--min-lr 0.002;--lr 0.001" $few rope --lr-grid 4e-3,8e-3 --min-lr 2e-3
refuses "a list without a number" "--lr-grid: ',' has no number" $few rope --lr-grid ,
refuses "a learning rate of 0" "--lr-grid;above 0" $few rope --lr-grid 0,1e-3
for rates in 1e-3/ 1e-3//2e-3; do refuses "a missing rate, $rates" "rope@$rates;'/'" $few rope@$rates --context 16,32; done
refuses "one scheme in two spellings" "rope and rope:base=10000;same;label" $few rope rope:base=10000
refuses "a list of contexts without one" "--context: ',' has no number" $few rope --context ,
refuses "documents that are none" "builtin:passkey" $few rope --documents builtin:tales --out undocumented
refuses "documents in tasks" "--documents builtin:passkey;--tasks" $few rope --documents builtin:passkey --tasks copy
check "before anything is written" test ! -e undocumented
refuses "a text as a task" "tales is no task;copy, reverse" $few rope --tasks tales
refuses "an unknown task" "builtin:foo;there are tales, passkey" $few rope --tasks foo
refuses "two stretches that are the same" "rope+pi-seed;the same" $few rope 'y=rope --stretch pi' 'z=rope --stretch pi'
refuses "two runs of one name" "copy-rope-seed;label" $few rope copy-rope=alibi --tasks copy
for formula in 'bias: -d/3' 'bias: -a*d; a = 1 > 0' 'bias: 1 - d'; do
    refuses "$formula without a label" "a label, as in mine=" $few rope "$formula"
done
refuses "a task as --data" "builtin:copy;--tasks" $few rope --data builtin:copy
refuses "a share of a text" "share=0.5" $few rope --data builtin:passkey:share=0.5
refuses "missing data" "nowhere" $few rope --data nowhere
refuses "too little validation text" "validation tokens;8 times the context" $few rope --eval-tokens 257
refuses "--steps and --tokens-per-parameter" "--steps;one of them" $few rope --tokens-per-parameter 5
refuses "--scale and --width" "--scale;--width;one of them" $few rope --scale 22k
refuses "a scheme that does not fit its shape" "rope" $few none rope --width 18
refuses "an option of single runs" "--resume" $few rope --resume
refuses "an --out without a name" "--out: '' is empty" $few rope --out ''
refuses "a report on no name" "name is empty" report ''
: >occupied
refuses "an --out that is a file" "occupied" $few rope --out occupied
need train $shape --width 16 --data builtin:tales:bytes=20000 --steps 1 --out single
refuses "an --out that is a run" "single/config.json;--out" $few rope --out single
refuses "a run in a comparison's place" "straight is a comparison;--out" train $shape --width 16 --steps 1 --out straight
mkdir blocked && : >blocked/runs
refuses "a place for runs that is a file" "blocked/runs" $few rope --out blocked
yes 'a book of one line' | head -c 20000 >book.txt
need prepare --out book book.txt
refuses "other steps in the same place" "straight/compare.json;--steps '1000', not '100'" $few --out straight $three
refuses "other data in the same place" "straight/compare.json;--data" compare $shape --width 16 --steps 1000 \
    --seeds 2 --out straight $three --data builtin:tales:bytes=50000
refuses "more data in the same place" "straight/compare.json;--data" compare $long --out straight $three --data book
refuses "sizes where there were none" "straight/compare.json;--scale" compare $long --out straight $three \
    --scale 22k --tasks copy:max=2
refuses "another scheme under a known label" "straight/compare.json;a is alibi;label" compare $long --out straight \
    $three a=rope
cp straight/compare.json good
need compare $long --out straight none
refuses "a scheme under a label of long ago" "straight/compare.json;a is alibi;fire;label" compare $long \
    --out straight none a=fire
cp good straight/compare.json
printf 'loss,16,' >>straight/runs/none-seed1337/measured.csv
refuses "damaged results" "straight/runs/none-seed1337/measured.csv;row;remove" compare $long --out straight $three
refuses "a report of damaged results" "measured.csv" report straight
sed -i.bak '$d' straight/runs/none-seed1337/measured.csv && rm straight/runs/none-seed1337/*.bak
sed 's/^loss,16,[0-9]/&1/' straight/runs/rope-seed1338/measured.csv >other
cp straight/runs/rope-seed1338/measured.csv kept && cp other straight/runs/rope-seed1338/measured.csv
refuses "results that were edited" "straight/runs/rope-seed1338/measured.csv;checksum;remove" report straight
sed '$d; s/^batches,0,[0-9]*/batches,0,7/' kept >other
cp other straight/runs/rope-seed1338/measured.csv
refuses "runs that saw other batches" "straight/runs/rope-seed1338;other batches;00000007" report straight
cp kept straight/runs/rope-seed1338/measured.csv
for damage in '1d' '$d' 's/"seeds": 3/"seeds": 0/' 's/"pos": "none"/"pos": "nine"/' 's/"schemes"/"scheme"/'; do
    sed 2d good | sed "$damage" >straight/compare.json
    refuses "compare.json damaged by $damage" "straight/compare.json" compare $long --out straight $three
    refuses "a report of that" "straight/compare.json" report straight
done
cp good straight/compare.json
refuses "a report on nothing" "cannot open nowhere" report nowhere
succeed "a report on a run" report straight/runs/none-seed1337
check "it has the losses" grep -q "<td>validation data</td>" straight/runs/none-seed1337/report.html
check "and the last of them in words" grep -qE "^- After step $(awk -F, '$5 { step = $1 } END { print step }' \
    straight/runs/none-seed1337/log.csv), the loss on validation data is [0-9.]+ nats" straight/runs/none-seed1337/report.md
cp straight/runs/none-seed1337/log.csv kept.csv
echo garbage >straight/runs/none-seed1337/log.csv
refuses "a report on a damaged log" "none-seed1337/log.csv;damaged" report straight/runs/none-seed1337
cp kept.csv straight/runs/none-seed1337/log.csv
refuses "a report on two" "report" report straight straight
succeed "all was left as it was" report straight

# --- plots ---
succeed "with plots" report straight
check "each is a file with a link" test "$(grep -c '<a href="plot-[0-9]*.svg">' straight/report.html)" -eq \
    "$(ls straight/plot-*.svg | wc -l)"
check "as many as in the page" test "$(grep -c '<figure' straight/report.html)" -eq "$(ls straight/plot-*.svg | wc -l)"
check "those of the summary are among them" test "$(grep -c '^!\[.*(plot-' straight/report.md)" -lt \
    "$(ls straight/plot-*.svg | wc -l)"
check "nothing else is left" test -z "$(find straight -name '.plot*')"
twice "two reports at once" compare $long --seeds 3 --out straight $three a=alibi
finish
