# compare --register: a plan that is written down before the first run, and kept.
. tests/support/shell

small='--layers 1 --heads 2 --context 16 --width 16 --batch 4 --threads 1 --warmup 5 --eval-tokens 1000 --steps 30
    --data builtin:tales:bytes=40000 --seeds 3 --out runs'
two='none rope alibi --contrast'

need compare $small $two 'rope - none' --contrast 'alibi - rope' --register plan.md
check "nothing is trained" test -z "$(ls runs/runs)"
check "how long it will take" says '^time +about (a minute or less$|[0-9.]+ minutes, if all schemes are as fast as none)'
check "where the plan is" says '^plan +plan.md; nothing is trained yet'
check "it begins with what it is" test "$(head -n 1 plan.md)" = '# The plan of a comparison'
check "the command, which trains" grep -q "^    bitter compare .*--out runs none rope alibi --contrast 'rope - none' --contrast 'alibi - rope'$" plan.md
date='named at 20[0-9-]*T[0-9:]*Z$'
check "contrasts and their date" test "$(grep -cE "^- Contrast (rope - none|alibi - rope), $date" plan.md)" -eq 2
check "seeds" grep -qx -- '- Seeds 1337 to 1339' plan.md
check "schemes, with all their options" grep -qx -- '- Scheme rope: `rope:base=10000,pairing=half,skip=0`' plan.md
check "the batch" grep -qx -- '- Batch of 4 windows' plan.md
check "and all other options" test "$(grep -cE '^ +"(dropout|clip|weight-decay|warmup|min-lr|precision|accumulate)": ' plan.md)" -eq 7
check "the text, by its name" grep -qE '^text +builtin:tales:bytes=40000: [0-9]+ training tokens; generated' plan.md
need compare $small rope --out alone --register alone.md
check "one scheme has nothing to be tested against" says '^tested +nothing: name another scheme'
rm -r alone alone.md
check "rates" grep -qx -- '- Learning rate 0.001' plan.md
check "settings" grep -qE '^- +1 +2 +16 +16 +7424 +30 ' plan.md
check "what is tested" grep -qx 'tested   rope - none, alibi - rope; 2 intervals of 95% that hold together' plan.md
check "what so many seeds resolve" grep -q '^power .* seeds find .* in 4 of 5 .* [0-9.]* times' plan.md
check "the texts" grep -q '"name": "builtin:tales:bytes=40000"' plan.md
check "their CRC-32" test "$(sed '1,/^  "data": /d' plan.md | grep -cE '"crc32": "[0-9a-f]{8}"')" -eq 2
mine='bias: -a*log(1 + b*d); a = 1 per head, b = 0.5 > 0'
need compare $small none "mine=$mine" 'near=rope@0.01 --window 8' 'far=rope --stretch yarn:factor=4' --tasks copy:max=3 --out other --register other-plan.md
check "a formula" grep -qxF -- "- Scheme mine: \`{$mine}\`" other-plan.md
check "windows, a stretch and rates" test "$(grep -cF -e '--window 8`, learning rate 0.01' -e ' --stretch yarn:factor=4`' other-plan.md)" -eq 2
check "tasks" grep -qx -- '- Task builtin:copy:max=3, 30 steps' other-plan.md
rm -r other other-plan.md
check "the version" grep -q "^Written by bitter $("$BITTER" --version | head -n 1 | tr -dc '0-9.') before the first run of$" plan.md

# --- kept until others are named, and fixed by the runs ---
named() { grep -A 3 "\"arm\": \"$1\"" runs/compare.json | grep '"named"'; }
before=$(named rope) && sleep 1.1
cp plan.md first
need compare $small $two 'rope - none' --contrast 'alibi - rope' --register plan.md
check "the same again: the same plan" cmp first plan.md
need compare $small $two 'rope - none' --contrast 'alibi - rope' --out ./runs/ --register plan.md
need compare $small $two 'alibi - none' --contrast 'rope - none' --register plan.md
check "other contrasts take their place" test "$(grep -c '^- Contrast' plan.md)-$(grep -c '^- Contrast alibi - none' plan.md)" = 2-1
check "what was named before keeps its date" test "$(named rope)" = "$before" -a "$(named alibi)" != "$before"
need compare $small none rope alibi
check "without --register it trains" test "$(ls runs/runs | wc -l)" -eq 9
check "the contrasts are those of the plan" test "$(grep -c '"arm"' runs/compare.json)-$(grep -c '"after": 0' runs/compare.json)" = 2-2
check "and so is the date" test "$(named rope)" = "$before"
check "which the report has" grep -qE 'The primary contrasts were named at 20[0-9-]*T[0-9:]*Z to 20[0-9-]*T[0-9:]*Z, before any run' runs/report.html
cp plan.md first

# --- refused ---
refuses "a plan after the runs" "--register: 9 runs are done in runs;another --out" compare $small $two 'rope - none' --register plan.md
echo mine >other.md
refuses "to replace what is no plan" "--register other.md exists and holds something else" compare $small rope --out new --register other.md
refuses "the plan of another comparison" "--register plan.md exists and holds something else" compare $small rope --out new --register plan.md
refuses "the name of a file of comparisons" "--register new/compare.json;another" compare $small rope --out new --register new/compare.json
check "before anything is written" test ! -e new
need compare $small $two 'none - rope' --register left.md --out left
need compare $small none alibi --out left
check "a contrast whose scheme was left out" says '^tested   none - rope \(left out\)$'
refuses "a plan that cannot be written" "nowhere/plan.md" compare $small rope --out new --register nowhere/plan.md
check "no comparison has begun" test ! -e new/compare.json
refuses "a file of the comparison" "--register runs/report.md is a file of the comparison" compare $small rope --out new --register runs/report.md
refuses "no name" "--register: '' is empty" compare $small rope --out new --register ''
for option in --list --slurm --share=1/2 --workers=1; do
    refuses "--register with $option" "--register and ${option%=*} both say" compare $small rope --out new --register new.md $option
done
refuses "an unknown scheme in a contrast" "nope;did you mean" compare $small rope none --contrast 'rope - nope' --out new --register new.md
finish
