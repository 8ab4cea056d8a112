# Schemes that are formulas: from files and typed, compared with built-in schemes, recorded, and with mistakes.
. tests/support/shell

small='--layers 2 --heads 2 --width 16 --context 32 --batch 2 --threads 1 --data builtin:tales:bytes=20000'
# A path with a space would be two items of --pos.
cp -r "$repository/posenc/formula/examples" "$scratch/examples"
examples=$scratch/examples

# --- the same losses as the built-in schemes, and not the losses without positions ---
same_losses() { # RUN OTHER
    paste -d , "$1/log.csv" "$2/log.csv" |
        awk -F , 'NR > 1 && ($4 - $(4 + NF / 2)) ^ 2 <= 1e-8 { same++ } END { exit same != NR - 1 || NR != 41 }'
}
trained="$small --steps 40 --lr 1e-2 --warmup 0"
need train $trained --pos none --out without
for scheme in alibi sandwich rope sinusoidal; do
    need train $trained --pos $scheme --out built-in
    need train $trained --pos "$examples/$scheme.pos" --out formula
    check "$scheme.pos trains as $scheme" same_losses built-in formula
    check "$scheme.pos is noticed" refute same_losses without formula
    rm -rf built-in formula
done
for example in "$examples"/*.pos; do
    succeed "gradients of $(basename "$example")" gradcheck --pos "$example"
done

# --- recorded: a run needs no other file ---
cp "$examples/kerple-log.pos" mine.pos
need train $small --steps 2 --pos rope+./mine.pos --out run
rm mine.pos
check "config.json holds the formula" grep -q '"pos": "rope:.*+{bias(d) = -p \* log(1 + a \* d); p = 1 per head' run/config.json
succeed "resume" train --resume run --steps 4
succeed "eval" eval run --context 32,64
succeed "sample" sample run --tokens 10
succeed "report" report run
succeed "properties" properties run
succeed "of a formula" properties --pos 'bias: -d'
need train $small --steps 2 --pos 'angle: 1000^(-i/n)' --out turned
succeed "rotations are stretched" extend turned --method yarn --factor 2 --out longer
echo 'bias(d) = -d # of no use' >mine.pos
succeed "compare" compare rope mine=./mine.pos 'bias: -a*d; a = .125 per head' $(echo $small | sed 's/--data.*//;s/--threads 1//') \
    --data builtin:tales:bytes=20000 --steps 2 --seeds 1 --out compared
rm mine.pos
succeed "its report needs no file" report compared
check "and the numbers that were trained" grep -qE '<td>a</td><td>[-0-9.e]+, [-0-9.e]+' compared/report.html
check "it holds the formula" grep -q 'mine = {bias(d) = -d}' compared/report.md

# --- where a formula ends being finite: known in advance, also past the trained context ---
for pos in 'rope,{bias: -d/8}' 'rope:base=10,{bias: -d/8}' 'alibi {bias: -d/8}*2'; do
    rm -rf turns
    succeed "behind another item: $pos" train $small --layers 3 --steps 2 --pos "$pos" --out turns
done
need train $small --steps 2 --pos 'rope+{bias: -log(40-d)*a; a = 1}' --out ends
succeed "eval up to there" eval ends --context 40
refuses "past it" "40;logarithm of 0 at distance 40" eval ends --context 64
need train $small --steps 2 --pos 'bias: -1/(40-d)' --out divided
refuses "a division by zero there" "division by zero at distance 40" eval divided --context 64
succeed "properties name the length" properties --context 32 --pos 'bias: -log(40-d)'
check "in its last column" says ' 40$'
run train $small --lr 1 --warmup 0 --steps 20 --pos 'bias: -log(a+d); a = 0.0001' --out left
check "a parameter that leaves its domain" [ "$code" -eq 3 ]
check "is named" grep -q 'logarithm.*distance 0.*bound' "$scratch/err"

# --- mistakes ---
printf '\357\273\277bias: -d\n' >start.pos # as Windows begins a file
succeed "a byte order mark" gradcheck --pos ./start.pos
for pos in 'my_bias = 1; bias: -my_bias*d' 'decode = 2; code(t, c) = decode*t'; do
    succeed "a name that holds a form's: $pos" properties --context 32 --pos "$pos"
done
printf '# mine\nbias(d) = -a * dd\na = 1\n' >wrong.pos
refuses "an unknown name" "wrong.pos, line 2, column 16;'dd'" train $small --pos ./wrong.pos --out new
refuses "a typed one" "line 1, column 7;no function" train $small --pos 'bias: foo(d)' --out new
refuses "no such file" "none.pos" train $small --pos ./none.pos --out new
refuses "a logarithm of 0" "logarithm of 0;distance 0" train $small --pos 'bias: log(d)' --out new
refuses "an overflow of float" "overflow;distance 10" train $small --pos 'bias: exp(d*d)' --out new
refuses "one at the start" "overflow;pair 1" train $small --pos 'angle: w*exp(100*i); w = 1' --out new
refuses "an infinite derivative" "derivative;a is infinite;distance 1" \
    train $small --pos 'bias: -d*sqrt(a); a = 0' --out new
refuses "a start out of bounds" "start -1 of a;head 1" train $small --pos 'bias: a*d; a = 1-2*h per head > 0' --out new
refuses "a number out of bounds" "the start 0 is outside of its bounds, > 0" train $small --pos 'bias: a*d; a = 0 per head > 0' --out new
refuses "two bounds" "the start 3 is outside of its bounds, >= 0.5 < 2" train $small --pos 'bias: a*d; a = 3 >= 0.5 < 2' --out new
refuses "a huge start" "too large for a float" train $small --pos 'bias: a*d; a = 1e300' --out new
for text in 'mine=-a*log(1+b*d)' '-d' 'log(1+d)' 'mine=alibi'; do
    refuses "a formula without bias: '$text'" "no position scheme;begins with bias:" train $small --pos "$text" --out new
done
refuses "one in compare" "mine: ;begins with bias:" compare rope 'mine=-a*log(1+b*d)' --out new
refuses "a hint at distance 0" "if(d > 0" train $small --pos 'bias(d) = 1/d' --out new
refuses "options" "no options" train $small --pos ./start.pos:gate=trained --out new
refuses "bias =" "bias(d) =" train $small --pos 'bias = -d' --out new
refuses "an unknown scheme" "a formula;docs/schemes.md" train $small --pos mybias --out new
refuses "a forgotten --pos" "start.pos;--pos" train ./start.pos --out new
run train --pos help
check "help tells of formulas" says docs/schemes.md
refuses "no closing brace" "'}'" train $small --pos '{bias: d' --out new
refuses "angles of odd heads" "even" train --layers 1 --heads 1 --width 5 --pos 'angle: 1' --out new
refuses "heads of their own angles that share keys" "--kv-heads" train $small --kv-heads 1 --pos 'angle: 1/(h+1)' --out new
refuses "a file without a label" "label;mine=" compare rope ./wrong.pos --steps 2 --out new
need train $small --steps 2 --pos 'angle: a * 1000^(-i/n); a = 1 per head' --out trained
refuses "stretching trained angles" "cannot be stretched;formula" extend trained --method yarn --factor 2 --out new
need train $small --steps 2 --pos 'angle: a * 1000^(-i/n); a = 1' --out shared
refuses "also those of all heads" "cannot be stretched" extend shared --method pi --factor 2 --out new
need train $small --steps 2 --pos 'angle: 1/(1 + i)' --out linear
refuses "a method that reads a base" "base;choose pi" extend linear --method yarn --factor 2 --out new
succeed "one that does not" extend linear --method pi --factor 2 --out longer-linear
sed -i.bak -e 's/"pos": "[^"]*"/"pos": ".\/wrong.pos"/' -e '/^  "crc32"/d' run/config.json
refuses "a file's name in config.json" "config.json;pos" eval run
finish
