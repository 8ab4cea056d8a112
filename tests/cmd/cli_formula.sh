# Schemes that are formulas: files and typed ones, their built-in twins, what is recorded, and mistakes.
. tests/support/shell

small='--layers 2 --heads 2 --width 16 --context 32 --batch 2 --threads 1 --data builtin:tales:bytes=20000'
examples=$repository/posenc/formula/examples

# --- the same weights as the built-in schemes ---
for scheme in alibi sandwich rope sinusoidal; do
    need train $small --steps 5 --pos $scheme --out built-in
    need train $small --steps 5 --pos "$examples/$scheme.pos" --out formula
    check "$scheme.pos trains as $scheme" cmp built-in/model.safetensors formula/model.safetensors
    rm -rf built-in formula
done
for kind in log power; do # the authors' start is random, so both begin with the built-in scheme's numbers
    need train $small --steps 1 --pos kerple:kind=$kind --lr 0 --out start
    need train $small --steps 5 --pos kerple:kind=$kind --init start --out built-in
    need train $small --steps 5 --pos "$examples/kerple-$kind.pos" --init start --out formula
    tail -n 1 built-in/log.csv | cut -d, -f1-2 >wanted
    tail -n 1 formula/log.csv | cut -d, -f1-2 >found
    check "kerple-$kind.pos trains as kerple" cmp wanted found
    rm -rf start built-in formula
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
succeed "compare" compare rope mine=./mine.pos 'bias: -a*d; a = 1/8 per head' $(echo $small | sed 's/--data.*//;s/--threads 1//') \
    --data builtin:tales:bytes=20000 --steps 2 --seeds 1 --out compared
rm mine.pos
succeed "its report needs no file" report compared

# --- mistakes ---
printf '# mine\nbias(d) = -a * dd\na = 1\n' >wrong.pos
refuses "an unknown name" "wrong.pos, line 2, column 16;'dd'" train $small --pos ./wrong.pos --out new
refuses "a typed one" "line 1, column 7;no function" train $small --pos 'bias: foo(d)' --out new
refuses "no such file" "none.pos" train $small --pos ./none.pos --out new
refuses "a logarithm of 0" "logarithm of 0;distance 0" train $small --pos 'bias: log(d)' --out new
refuses "an overflow" "overflow;distance 27" train $small --pos 'bias: exp(d*d)' --out new
refuses "no closing brace" "'}'" train $small --pos '{bias: d' --out new
refuses "angles of odd heads" "even" train --layers 1 --heads 1 --width 5 --pos 'angle: 1' --out new
refuses "heads of their own angles that share keys" "--kv-heads" train $small --kv-heads 1 --pos 'angle: 1/(h+1)' --out new
refuses "a file without a label" "label;mine=" compare rope ./wrong.pos --steps 2 --out new
need train $small --steps 2 --pos 'angle: a * 1000^(-i/n); a = 1 per head' --out trained
refuses "stretching trained angles" "cannot be stretched" extend trained --method yarn --factor 2 --out new
sed -z -i 's/"pos": "[^"]*"/"pos": ".\/wrong.pos"/; s/"crc32": "[^"]*",//' run/config.json
refuses "a file's name in config.json" "config.json;pos" eval run
finish
