# A run that is stretched to a longer context: every method writes a run like any other, a stopped search begins again,
# and impossible requests are refused.
. tests/support/shell
. "$repository/tests/support/background"

small='--layers 2 --heads 2 --width 16 --context 16 --batch 4 --threads 1'
data=builtin:tales:bytes=40000
few='--windows 3 --population 24 --generations 5 --threads 1'

# The stretch that a run has: the end of its config.json.
rotation() {
    sed -n '/"rotation"/,$p' "$1/config.json"
}

same_rotation() {
    rotation "$1" >"$scratch/one"
    rotation "$2" >"$scratch/other"
    [ -s "$scratch/one" ] && diff "$scratch/one" "$scratch/other"
}

# losses RUN CONTEXTS: a row of numbers a context, without its first column.
losses() {
    "$BITTER" eval "$1" --context "$2" --threads 1 --csv "$scratch/losses.csv" >/dev/null &&
        tail -n +2 "$scratch/losses.csv" | cut -d , -f 2-
}

same_losses() { # RUN RUN CONTEXTS
    losses "$1" "$3" >"$scratch/one" && losses "$2" "$3" >"$scratch/other" && [ -s "$scratch/one" ] &&
        diff "$scratch/one" "$scratch/other"
}

# Nats a token.
loss() { # RUN CONTEXT
    losses "$1" "$2" | cut -d , -f 4
}

less() { # NUMBER NUMBER
    echo "$1 < $2?"
    [ -n "$1" ] && [ -n "$2" ] && awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

need train $small --data $data --steps 600 --lr 1e-2 --out run

need extend --help
help_of() { # OPTION: what --help says of it, in one line
    tr -s ' \n' ' ' <"$scratch/out" | sed "s/.* --$1 \(.*\)/\1/; s/ --.*//"
}
for word in code exact paper; do check "--ramp names $word" test "$(help_of ramp | grep -c " $word = ")" = 1; done

# --- every method makes a run ---
# extends METHOD ARGUMENT...: and that run does all that runs do.
extends() {
    method=$1
    shift
    succeed "$method" extend run --method "$method" --factor 4 --out "$method" "$@"
    check "$method: prints fast and slow pairs" \
        says 'run: 1 fast and 3 slow pairs at the original 16 tokens, stretched to 64 \(4 times\)$'
    check "$method: prints what is next" says "^next +bitter eval $method --context 64$"
    check "$method: the same weights" cmp run/model.safetensors "$method/model.safetensors"
    check "$method: names itself" grep -q "\"method\": \"$method\"" "$method/config.json"
    succeed "$method: eval" eval "$method" --threads 1
    check "$method: eval at the new length" says '^ +64 +64 '
    succeed "$method: sample past the new length" sample "$method" --tokens 80
    succeed "$method: train --init" train --init "$method" --steps 5 --batch 4 --threads 1 --out "$method-tuned"
    check "$method: training says that it is stretched" says "stretched 4 times by $method$"
    check "$method: at the new length" says 'width 16, context 64:'
    check "$method: training keeps the rotation" same_rotation "$method" "$method-tuned"
    succeed "$method: train --init, longer" train --init "$method" --steps 5 --batch 4 --context 128 --threads 1 \
        --out "$method-long"
    check "$method: at that length" says 'context 128:'
    check "$method: longer training keeps the rotation" same_rotation "$method" "$method-long"
    succeed "$method: further" extend "$method-tuned" --method "$method" --factor 2 --out "$method-further" "$@"
    check "$method: times the original length" says 'at the original 16 tokens, stretched to 128 \(8 times\)$'
    succeed "$method: eval of that" eval "$method-further" --context 16,128 --threads 1
}
for method in pi ntk dynamic yarn llama3; do extends $method; done
extends longrope $few
extends gradient --windows 3 --steps 30 --threads 1
extends given --factors 1,1.5,4,3.5 --unscaled 2
check "given: the factors are those" test "$(rotation given | tr -d ' \n' | sed 's/.*"factors":\[\([^]]*\)\].*/\1/')" = 1.0,1.5,4.0,3.5
check "given: the unscaled tokens, too" grep -q '"unscaled_positions": 2' given/config.json
need extend run --method given --factor 4 --factors 1,1.5,4,3.5 --attention-factor 1.25 --out attentive
check "given: the attention factor" grep -q '"attention_factor": 1.25' attentive/config.json
need extend run --method given --factor 4 --factors 1,1.5, --factors 4,3.5 --unscaled 2 --out in-two
check "given: a list that goes on in another --factors" same_rotation given in-two
for list in 1,2,3 1,2,3,4,5 1,2,x,4 1,2,,4 1,0,2,3 ''; do
    refuses "given with --factors '$list'" "--factors" extend run --method given --factor 4 --factors "$list" --out new
done
refuses "given with an attention factor that cannot be read again" "--attention-factor;0.001" extend run --method given --factor 4 \
    --factors 1,1.5,4,3.5 --attention-factor 1e-4 --out new
refuses "given with too few factors, in a new place" "--factors" extend run --method given --factors 1 --out new/place/run
check "nothing stays of that place" test ! -e new
succeed "by default RUN-METHOD, and yarn" extend run
check "and 8 times as long" grep -q '"context": 128' run-yarn/config.json

# --- how the methods change the losses ---
need extend run --method pi --factor 1 --out once
check "--factor 1 --method pi changes nothing" same_losses run once 16,64
check "pi changes something" less "$(loss run 16)" "$(loss pi 16)"
check "without a stretch, four times the context is too much" less "$(loss ntk 64)" "$(loss run 64)"
need extend run --method ntk --factor 4 --keep-short --out kept
succeed "eval of a stretched run" eval yarn --context 16 --threads 1
check "says that it was stretched" says ', context 64, stretched 4 times from 16$'
check "yarn changes short windows" less "$(loss run 16)" "$(loss yarn 16)"
check "--keep-short: short windows are as before" same_losses run kept 1,15,16
check "--keep-short: long windows are not" same_losses ntk kept 17,64
need extend run --method yarn --factor 4 --keep-short --out kept-all
attention_factors() { # RUN
    rotation "$1" | sed -n 's/.*"attention_factor": \([0-9.]*\).*/\1/p'
}
check "--keep-short: one attention factor at all lengths" test "$(attention_factors kept-all | uniq | wc -l)" -eq 1 -a \
    "$(attention_factors kept-all | wc -l)" -eq 2
cp -r once sharper
sed "2d; s/\"attention_factor\": 1.0/\"attention_factor\": $(attention_factors yarn)/" once/config.json >sharper/config.json
check "--keep-short: short windows keep their frequencies" same_losses sharper kept-all 1,15,16
check "--keep-short: long windows are yarn's" same_losses yarn kept-all 17,64
need sample run --prompt Once --tokens 11 --temperature 0
cp "$scratch/out" continued
need sample kept --prompt Once --tokens 11 --temperature 0
check "--keep-short: sample writes what fits in as before" cmp continued "$scratch/out"
# The same seed writes the same text, however much of it is asked for.
one_text() { # RUN
    longest=
    for tokens in 90 40 12 5; do
        "$BITTER" sample "$1" --prompt Once --tokens $tokens --seed 3 --threads 1 >"$scratch/text" || return 1
        text=$(cat "$scratch/text")
        longest=${longest:-$text}
        printf '%s tokens: %s\n' $tokens "$text"
        case $longest in "$text"*) ;; *) return 1 ;; esac
    done
}
for stretched in run yarn dynamic kept; do check "sample $stretched: --tokens does not change the text" one_text $stretched; done
refuses "dynamic, which cannot keep them" "kept;short windows;another method" extend kept --method dynamic --factor 2 \
    --out new
need extend kept --method ntk --factor 2 --out kept-further
check "--keep-short twice: short windows are as in the beginning" same_losses run kept-further 16
check "dynamic: short windows are as before" same_losses run dynamic 16
check "dynamic: long windows have the ntk of their length" same_losses ntk dynamic 64

# --- tuned, searched, learned: better than their starting points, on the text that they choose on ---
spent_loss() {
    sed -n 's/^spent .*searched on: //p' "$scratch/out"
}
succeed "yarn --tune" extend run --method yarn --factor 4 --tune --windows 3 --threads 1 --out tuned
check "it names the betas" says '^betas +[0-9.]+ and [0-9.]+ with the [a-z]+ ramp: the best of [0-9]+ on '
# Only one thing is guaranteed: the best starting point of a search stays until something better is found. Which method
# wins on other text depends on the last digits, and so on the kernels of the BLAS library.
best_start() { # RUN COUNT: the lowest loss among the first rows
    awk -F , -v count="$2" 'NR > 1 && NR <= 1 + count { print $3 }' "$1/search.csv" | sort -g | head -n 1
}
no_worse() { # PRINTED NUMBER: with four decimals
    echo "$1 <= $2?"
    [ -n "$1" ] && [ -n "$2" ] && awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b + 0.00005) }'
}
factors_2() { # RUN: rounded to two decimals, as candidates are
    rotation "$1" | sed -n '/"factors"/,/]/p' | tr -dc '0-9.\n' | awk 'NF { printf "%s%g", sep, sprintf("%.2f", $1); sep = "," }'
}
need extend run --method longrope --factor 4 $few --out searched
check "longrope: prints what it took" says '^search +[0-9]+ evaluations, [0-9]+ given up early$'
check "longrope is no worse than its seeds" no_worse "$(spent_loss)" "$(best_start searched 3)"
check "the same search finds the same" same_rotation longrope searched
need extend tuned --method longrope --factor 1 $few --out searched-on
tuned=$(factors_2 tuned)
check "a run that is stretched already is the fourth of its seeds" \
    test "$(sed -n 5p searched-on/search.csv | cut -d , -f 5-8)" = "$tuned"
check "longrope is no worse than the tuned yarn that it began with" no_worse "$(spent_loss)" "$(best_start searched-on 4)"
need extend tuned --method yarn --factor 2 --further --out further
need extend tuned --method longrope --factor 2 $few --out searched-further
further=$(factors_2 further)
check "yarn --further is the fourth of a search's seeds" \
    test "$(sed -n 5p searched-further/search.csv | cut -d , -f 5-8)" = "$further"
# YaRN's own factor for both stretches together, 4 times 2, and not LongRoPE's, which is 1.32.
check "--further: YaRN's attention factor" \
    test "$(rotation further | sed -n 's/.*"attention_factor": \(1.....\).*/\1/p')" = 1.2079
need extend tuned --method yarn --factor 2 --further --ramp paper --out further-paper
check "--further has the paper's ramp" same_rotation further further-paper
refuses "--further and another ramp" "--further;--ramp paper" \
    extend tuned --method yarn --factor 2 --further --ramp exact --out new
long=$(printf '%0240d/%0240d' 1 2)
mkdir -p "$long" && cp -r run "$long/a-run-whose-name-is-as-long-as-this-one"
refuses "a name too long to make another of it" "long;--out" extend "$long/a-run-whose-name-is-as-long-as-this-one" --method ntk --factor 4
rm -r "${long%%/*}"
refuses "--further of a run that is not stretched" "--further;not stretched" extend run --method yarn --further --out new
refuses "--further and --tune" "--further;--tune" extend tuned --method yarn --further --tune --out new
need extend run --method gradient --factor 4 --windows 1 --steps 100 --threads 1 --out learned-stretch
# Loss at a step of the descent.
at_step() {
    awk -F , -v step="$1" '$1 == step { print $2 }' learned-stretch/descent.csv
}
check "gradient descends" less "$(at_step 50)" "$(at_step 1)"
check "and goes on from where it came to" less "$(at_step 100)" "$(at_step 51)"
check "the best of all is taken" less "$(spent_loss)" "$(at_step 1)"
check "a row a step" test "$(wc -l <learned-stretch/descent.csv)" -eq 101
need extend run --method gradient --factor 4 --windows 2 --tokens 20000 --threads 1 --out budget
tokens=$(sed -n 's/^spent .* evaluations, \([0-9]*\) tokens;.*/\1/p' "$scratch/out")
check "--tokens is what is read" test "$tokens" -le 20000 -a "$tokens" -gt 19800
need extend run --method gradient --factor 4 --windows 1 --steps 100 --threads 1 --out learned-again
check "the same descent finds the same" same_rotation learned-stretch learned-again
check "none of a search's candidates has factors that fall" awk -F , \
    'NR > 1 { for (i = 6; i < 9; i++) if ($i < $(i - 1)) exit 1 }' searched/search.csv
need extend run --method given --factor 4 --out given-again \
    --factors "$(rotation searched | tr -d ' \n' | sed 's/.*"factors":\[\([^]]*\)\].*/\1/')" \
    --unscaled "$(rotation searched | sed -n 's/.*"unscaled_positions": \([0-9]*\).*/\1/p')"
check "given what a search found: the same model" same_losses searched given-again 16,64
need extend run --method longrope --factor 4 $few --threads 2 --out another
check "--threads 2: the same search" same_rotation longrope another
need extend yarn --method yarn --factor 1 --keep-short --out short
need extend short/ --method yarn --factor 1
check "a / at the end is not the name's" test -f short-yarn/config.json
check "factors of short windows stay" same_losses short short-yarn 4,16

# --- a search that was stopped ---
search="extend run --method longrope --factor 4 --windows 4 --population 64 --generations 30 --threads 1"
# shellcheck disable=SC2086
need $search --out straight
check "a search makes hundreds of evaluations" test $(($(wc -l <straight/search.csv) - 1)) -gt 500
check "none of them twice" test -z "$(tail -n +2 straight/search.csv | cut -d , -f 4-8 | sort | uniq -d)"
# wait_for_record FILE: wait until FILE's temporary file exists, so that the search is at work.
wait_for_record() {
    while [ -z "$(ls "$1".*.tmp 2>/dev/null)" ] && kill -0 $job 2>/dev/null; do sleep 0.01; done
    sleep 0.2
}
start $search --generations 2000 --out stopped
wait_for_record stopped/search.csv
kill -INT $job
collect
check "SIGINT: exit code 130" test $code -eq 130
check "SIGINT: nothing is left" test ! -s stopped/search.csv -a -z "$(ls stopped 2>/dev/null)"
refuses "--resume, which is gone" "no option --resume;same command again" $search --out stopped --resume
for file in tokenizer.json model.safetensors best.safetensors; do
    mkdir foreign && echo mine >foreign/$file
    refuses "a place with a $file of something else" "foreign/$file;another --out" extend run --method pi --factor 4 --out foreign
    check "which stays" test "$(cat foreign/$file)" = mine
    rm -r foreign
done
start $search --generations 2000 --out stopped
wait_for_record stopped/search.csv
kill -STOP $job
refuses "two searches in one place" "stopped;another process" $search --out stopped
kill -KILL $job
collect
succeed "it can be begun again" $search --out stopped
check "the same run as if it had never been stopped" same_rotation straight stopped
check "and the same record" cmp straight/search.csv stopped/search.csv
start $search --generations 2000 --out left
wait_for_record left/search.csv
kill -KILL $job
collect
succeed "another method in its place" extend run --method pi --factor 4 --out left
check "what the killed search left is gone" test -z "$(ls left/*.tmp 2>/dev/null)"
( trap '' XFSZ && ulimit -f 4 && exec "$BITTER" $search --out full ) >"$scratch/out" 2>"$scratch/err"
check "a full disk: exit code 1" test $? -eq 1
check "it says which file" grep -q 'full/search.csv: ' "$scratch/err"

start extend run --method gradient --factor 4 --windows 3 --steps 100000 --threads 1 --out descent
wait_for_record descent/descent.csv
kill -INT $job
collect
check "a descent that was interrupted: exit code 130" test $code -eq 130
check "it leaves nothing" test -z "$(ls descent 2>/dev/null)"
succeed "it is started again" extend run --method gradient --factor 4 --windows 3 --steps 10 --threads 1 --out descent

# --- training continues with the stretch that it began with ---
training="train --batch 4 --threads 1 --steps 400 --save-every 0"
# shellcheck disable=SC2086
need $training --init kept --out trained
start $training --init kept --out halted
wait_for_rows halted/log.csv 20
kill -INT $job
collect
succeed "train --resume of a stretched run" train --resume --out halted
check "the same weights" cmp trained/model.safetensors halted/model.safetensors
check "the same rotation" same_rotation trained halted
check "the one that it was started with" same_rotation kept halted
refuses "--resume of what extend wrote" "yarn;nothing to resume;--init yarn" train --resume --out yarn --steps 2000
need train --init yarn --pos rope:base=500 --batch 4 --steps 2 --threads 1 --out rebased
check "--init with another --pos says that the stretch is lost" says '^init .* yarn are stretched 4 times; those of the new run are not'
check "--init with another --pos is not stretched" test -z "$(rotation rebased)"
need train --init yarn --pos rope --context 16 --batch 4 --steps 2 --threads 1 --out shortened
check "--init with the same --pos is, whatever the context" same_rotation yarn shortened

need train $small --data $data --steps 2 --pos none,rope --out late
succeed "rotations in the last layer alone" extend late --method pi --factor 2 --out late-long

# --- impossible requests ---
need train $small --data $data --steps 2 --pos learned --out learned
need train $small --data $data --steps 2 --pos rope-learned --out rope-learned
need train $small --data $data --steps 2 --random-positions 64 --out scattered
need train --init yarn --context 8 --batch 4 --steps 2 --threads 1 --out tiny
printf 'Once upon a time there was a cat that sat on a mat and looked at the dog for a while.\n' >text.txt
need prepare --out chars --tokenizer chars text.txt
need prepare --out brief text.txt
new='--factor 4 --out new'
for option in '--beta-fast 8' '--beta-slow 2' '--ramp paper' --tune \
    "--data $data" '--windows 3' '--population 10' '--generations 10' '--seed 1' \
    '--steps 10' '--lr 0.1'; do
    refuses "$option with pi" "${option%% *};--method pi" extend run --method pi $option $new
done
for pair in 'yarn --population 10' 'ntk --tune' 'dynamic --beta-fast 8' \
    'llama3 --beta-fast 8' 'llama3 --windows 3' 'longrope --tune' 'longrope --steps 10' \
    'gradient --seed 1' 'gradient --factors 1,2,3,4' 'gradient --population 8'; do
    option=${pair#* }
    refuses "$option with ${pair%% *}" "${option%% *};--method ${pair%% *}" extend run --method $pair $new
done
refuses "betas in the wrong order" "--beta-fast;--beta-slow" extend run --beta-fast 1 --beta-slow 2 $new
refuses "yarn with text and no --tune" "--tune;--data;--windows" extend run --method yarn --windows 2 $new
refuses "betas and --tune" "--tune;--beta-fast" extend run --method yarn --tune --beta-fast 2 $new
refuses "a ramp and --tune" "--tune;--ramp" extend run --method yarn --tune --ramp paper $new
# Options that would change nothing.
refuses "learned positions" "learned;cannot be stretched;rope" extend learned $new
refuses "learned frequencies" "rope-learned;cannot be stretched" extend rope-learned $new
refuses "random positions" "scattered;random positions" extend scattered $new
refuses "a factor below one" "--factor;'0.5'" extend run --factor 0.5 --out new
refuses "a factor too large" "12800000;10000000" extend yarn-long --factor 1e5 --out new
refuses "random positions where it is stretched" "--random-positions 64;stretched" train --init yarn \
    --random-positions 64 --steps 2 --out new
refuses "--keep-short of dynamic" "--keep-short;--method dynamic" extend run --method dynamic --keep-short $new
refuses "a context below the original length" "12;16;--factor" extend tiny --factor 1.5 --out new
refuses "an unknown method" "--method;'yarm';did you mean 'yarn'" extend run --method yarm $new
refuses "--steps and --tokens" "--steps;--tokens" extend run --method gradient --steps 5 --tokens 9 $new
refuses "an --out that holds data" "brief;prepare;--out" extend run --out brief
refuses "training where data are" "brief;prepare;--out" train $small --data $data --steps 2 --out brief
refuses "a run without a name" "no name;--out" extend .
refuses "no run" "one RUN" extend $new
refuses "a run that is not there" "cannot open nowhere" extend nowhere $new
refuses "an --out that holds a run" "yarn;already holds a run" extend run --out yarn
refuses "an --out below a file" "text.txt;director" extend run --out text.txt/new
refuses "data with another tokenizer" "chars;another tokenizer" extend run --method longrope --data chars $new
refuses "data that is not there" "nowhere;prepare" extend run --method gradient --data nowhere $new
for method in 'longrope' 'gradient' 'yarn --tune'; do
    refuses "text shorter than a window, $method" "brief (training);128" extend run --method $method --data brief \
        --factor 8 --out new
done

# with_config NAME WORDS SED-COMMAND: config.json of a stretched run is edited, and its second line, the checksum,
# removed.
with_config() {
    cp -r kept broken
    sed 2d kept/config.json >unsealed
    sed "$3" unsealed >broken/config.json
    if cmp -s broken/config.json unsealed; then
        fail "$1" "the edit changes nothing"
    else
        refuses "$1: eval" "broken/config.json;$2" eval broken
        refuses "$1: train --init" "broken;$2" train --init broken --steps 1 --out new
        refuses "$1: extend" "broken/config.json;$2" extend broken $new
    fi
    rm -r broken
}
cp -r halted broken
sed '2d; s/"factors": \[/"factors": [1.0,/' halted/config.json >broken/config.json
refuses "train --resume with a damaged stretch" "broken;factors" train --resume --out broken
rm -r broken
with_config "a stretch of learned positions" "learned;rotation" 's/"pos": "[^"]*"/"pos": "learned"/'
with_config "a stretch of half the head" "4 factors;2 pairs" 's/"pos": "[^"]*"/"pos": "partial"/'
with_config "a stretch of no known method" "yarm" 's/"method": "ntk"/"method": "yarm"/'
with_config "a stretch without its length" "original_context" '/"original_context"/d'
with_config "a stretch that is no object" "give pi" 's/"rotation": {/"rotation": 7, "x": {/'
finish
