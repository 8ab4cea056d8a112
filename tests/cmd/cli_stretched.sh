# Comparisons with stretched schemes: their weights are trained once, and losses differ in longer windows only, in
# whatever order the runs are done.
. tests/support/shell
. "$repository/tests/support/comparison"

small='--layers 1 --heads 2 --context 16 --width 16 --batch 4 --threads 1 --warmup 5 --eval-tokens 1000
    --data builtin:tales:bytes=40000 --seeds 2'
y='y=rope --stretch yarn:factor=4' p='p=rope --stretch pi:factor=2' d='d=rope --stretch dynamic'

value() { # DIR QUANTITY X
    awk -F , -v quantity="$2" -v x="$3" '$1 == quantity && $2 == x { print $3 }' "$1/measured.csv"
}

need compare $small --steps 300 --out all "$y" rope alibi "$p" "$d" 'n=rope --stretch ntk' 'l=rope --stretch llama3'
check "a directory for each run" test "$(ls all/runs | grep 1337 | tr '\n' ' ')" = \
    'alibi-seed1337 rope+dynamic-seed1337 rope+llama3-seed1337 rope+ntk-seed1337 rope+pi:factor=2-seed1337 rope+yarn:factor=4-seed1337 rope-seed1337 '
check "weights are trained once" test "$(ls all/runs/*/log.csv | tr '\n' ' ')" = \
    'all/runs/alibi-seed1337/log.csv all/runs/alibi-seed1338/log.csv all/runs/rope-seed1337/log.csv all/runs/rope-seed1338/log.csv '
check "a stretched run is what was measured" test "$(ls all/runs/rope+*-seed1337 | grep -v : | sort -u | tr -d '\n')" = measured.csv
plain=all/runs/rope-seed1337
for stretch in yarn:factor=4 pi:factor=2 dynamic ntk llama3; do
    one=all/runs/rope+$stretch-seed1337
    check "$stretch: the same in trained windows" test "$(grep -E '^(choose|position|loss,16|same,16|curve|tokens|batches)' $one/measured.csv)" = \
        "$(grep -E '^(choose|position|loss,16|same,16|curve|tokens|batches)' $plain/measured.csv)"
    for x in 32 64 128; do
        check "$stretch: not in windows of $x" test "$(value $one loss $x)" != "$(value $plain loss $x)"
    done
    check "$stretch: nor in longer contexts" test "$(value $one same 64)" != "$(value $plain same 64)"
done
check "as many numbers of each" test "$(cut -d , -f 7 all/results.csv | sort | uniq -c | awk '{ print $1 }' | sort -u | wc -l)" -eq 2
check "how many runs only measure" says '^compare all: 14 runs, of which 10 only measure; 7 schemes, 2 seeds;'
check "the only pair of trained schemes has its contrast" test "$(grep -c 'all pairs' all/report.html)" -eq 0
check "charts of a model name its seed" test "$(grep -cE 'which report.html shows: (Bias by distance in layer 0|Attention by distance): (rope|alibi), seed 1337$' all/report.md)" -eq 3
check "tables say what they are of" test "$(grep -c 'of 2 seeds, trained in windows of 16 tokens of tales' all/report.md all/report.tex | tr '\n' ' ')" = \
    'all/report.md:4 all/report.tex:4 '
check "contrasts are of those that were trained" test "$(grep -c '"arm"' all/compare.json)" -eq 1
check "longer windows are told" grep -q '^in windows of 64: .*rope' "$scratch/out"
for x in 32 64 128; do
    check "with intervals, in windows of $x" grep -qE "^\\| p - rope \\| $x \\| [+-][0-9.]+ \\| [+-]" all/report.md
done
check "each plot is named by what it shows" grep -q '^plot-1.svg: Differences in loss' all/report.md
check "also where only the page shows it" grep -q '^- plot-[0-9]*.svg, .*: Loss against the length of the window' all/report.md
check "and in the terminal" says '^plot .*plot-1.svg: Differences'
if command -v pdflatex >/dev/null; then
    printf '%s\n' '\documentclass[twocolumn]{article}\usepackage{graphicx}\begin{document}\input{all/report}' '\end{document}' >paper.tex
    check "LaTeX reads the tables" pdflatex -interaction=nonstopmode -halt-on-error paper.tex
    check "which fit" test "$(grep -c '^Overfull' paper.log)" -eq 0
else
    lacks "LaTeX reads the tables" pdflatex texlive-latex-base
fi
check "the first screen knows" grep -qE '^\| (rope|p) \| [0-9.]+ \| the same weights \| [0-9.]+ \| - \| - \| - \|' all/report.md

# --- added later, continued, done by others ---
touch mark && sleep 0.02
need compare $small --steps 300 --out all rope "$y" 'z=rope --stretch yarn:factor=2'
check "another stretch: nothing is trained" test "$(find all/runs -type f -newer mark | sort | tr '\n' ' ')" = \
    'all/runs/rope+yarn:factor=2-seed1337/measured.csv all/runs/rope+yarn:factor=2-seed1338/measured.csv '
check "no contrast is left, and there is a report" grep -q '^| z |' all/report.md
cp all/runs/rope+yarn:factor=4-seed1338/measured.csv kept && rm -r all/runs/rope+yarn:factor=4-seed1338
need compare $small --steps 300 --out all rope "$y"
refuses "another stretch under a name that has runs" "pi:factor=3;there, not;another label" \
    compare $small --steps 300 --out all rope "${y%% *} --stretch pi:factor=3"
check "what was lost is measured again" cmp kept all/runs/rope+yarn:factor=4-seed1338/measured.csv
"$BITTER" compare $small --steps 300 --out shared rope "$y" "$p" --list >commands 2>/dev/null
check "a command for each run" test "$(grep -c 'compare --share' commands)" -eq 6
# In reverse order: a process that comes to a stretched run before its weights exist trains them.
for i in 6 5 4 3 2 1; do need compare --share $i/6 $small --steps 300 --out shared rope "$y" "$p"; done
losses() { grep -vE '^(seconds|checksum),' "$1/runs/rope+yarn:factor=4-seed1337/measured.csv"; }
check "from the last to the first: the same" test "$(losses all)" = "$(losses shared)"
need compare $small --steps 100 --lr 100 --warmup 0 --out wild rope "$y"
check "of weights that diverged nothing is measured" test "$(cat wild/runs/*/measured.csv | grep -c '^diverged,')" -eq 4
need compare $small --steps 100 --lr 25 --min-lr 1 --warmup 0 --out finite none
check "nor with finite numbers" test "$(cat finite/runs/*/measured.csv | grep -c '^diverged,100,nan')" -eq 2
need compare $small --steps 30 --out alone "$y" "$p" alibi --tasks copy:max=2 --exercises 9 --lr-grid 1e-3,3e-3
check "without the bare scheme, the first trains" test "$(ls alone/runs/*yarn*-seed1337/log.csv | wc -l)" -eq 3
check "the other measures its weights" test "$(ls alone/runs/*pi*-seed1337 | grep -v : | sort -u | tr -d '\n')" = measured.csv
check "each with its stretch" test "$(value alone/runs/y+yarn:factor=4-seed1337 loss 32)" != \
    "$(value alone/runs/y+pi:factor=2-seed1337 loss 32)"
check "in longer windows only" test "$(value alone/runs/y+yarn:factor=4-seed1337 loss 16)" = \
    "$(value alone/runs/y+pi:factor=2-seed1337 loss 16)"
check "nothing is tested between the two" says '^tested   alibi - y$'

need compare $small --steps 30 --out one rope "$y"
check "without a contrast, intervals in longer windows are explained, too" grep -q 'longer windows take [0-9]*' one/report.md

# --- refused, before anything is trained ---
mv all/runs/rope-seed1338/model.safetensors all/runs/rope-seed1338/log.csv .
run compare $small --steps 300 --out all rope "$y" 'n3=rope --stretch ntk:factor=3'
check "weights that are gone: exit code" test $code -eq 2
check "it is said" grep -q 'all/runs/rope-seed1338 has no model.safetensors yet; let `bitter train --resume' "$scratch/err"
succeed "which gets them again" train --resume --out all/runs/rope-seed1338
check "the same" cmp model.safetensors all/runs/rope-seed1338/model.safetensors
need compare $small --steps 300 --out all rope "$y" 'n3=rope --stretch ntk:factor=3'
few="compare $small --steps 30 --out none rope"
refuses "no label" "give it a label" $few 'rope --stretch yarn'
refuses "a method that searches" "a: ;longrope;yarn" $few 'a=rope --stretch longrope'
refuses "an unknown method" "a: ;'yarm';yarn" $few 'a=rope --stretch yarm:factor=2'
refuses "an unknown option" "a: ;beta;factor" $few 'a=rope --stretch pi:beta=2'
refuses "a factor of dynamic" "a: dynamic takes no options" $few 'a=rope --stretch dynamic:factor=2'
refuses "a factor below 1" "a: pi:factor;1 to" $few 'a=rope --stretch pi:factor=0.5'
refuses "a scheme without rotations" "a: the scheme;alibi;cannot be stretched" $few 'a=alibi --stretch pi'
refuses "a scheme that ends" "a: ;learned is not defined past" $few 'a=rope+learned --stretch pi'
refuses "random positions" "a: ;random positions" $few 'a=rope --stretch pi' --random-positions 64
refuses "a contrast that is 0" "'a - rope' is 0" $few 'a=rope --stretch pi' --contrast 'a - rope'
finish
