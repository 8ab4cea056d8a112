# gate=trained: what train prints, which commands use it, and what is refused.
. tests/support/shell

small='--layers 3 --heads 2 --width 16 --context 32 --batch 2 --threads 1 --data builtin:tales:bytes=20000'

run train $small --pos rope:gate=trained --steps 6 --out run
check "config.json has the option" grep -q '"pos": "rope:base=10000,pairing=half,skip=0,gate=trained"' run/config.json
check "positions.csv has the gates" grep -q '^step,layer_gate.0.0,layer_gate.0.1,layer_gate.0.2$' run/positions.csv
check "they begin at 1" grep -q '^0,1,1,1$' run/positions.csv
check "and do not stay there" refute grep -q '^6,1,1,1$' run/positions.csv
succeed "gates of schemes that share the layers" train $small --pos 'learned:gate=trained,none*2,t5:gate=trained' --steps 3 --out several
succeed "gates of layers that are named" train $small --pos 'cable@0 rope:gate=trained@1 rope:gate=trained,base=100@2' --steps 2 --out bases
run train $small --width 96 --pos learned+rope:gate=trained --steps 2 --out many
check "among many numbers, positions.csv has all gates" \
    grep -q '^step,rope.layer_gate.0.0,rope.layer_gate.0.1,rope.layer_gate.0.2,learned' many/positions.csv
run train --layers 8 --heads 1 --width 8 --context 16 --batch 2 --threads 1 --data builtin:tales:bytes=20000 --steps 1 \
    --pos rope:gate=trained --out deep
check "and one head is one" says "8 layers, 1 head, width 8"
run train $small --pos rope --steps 3 --out plain

# --- used ---
succeed "eval past the context" eval run --context 32,100 --eval-tokens 301
succeed "sample" sample run --tokens 50
succeed "report" report run
succeed "properties" properties run
succeed "compare" compare rope gated=rope:gate=trained $(echo $small | sed 's/--data.*//;s/--threads 1//') \
    --data builtin:tales:bytes=20000 --steps 2 --seeds 1 --out compared
need train $small --pos rope:gate=trained --steps 3 --out half
need train --resume --out half --steps 6
run train --init plain --pos rope:gate=trained --steps 2 --out tuned
check "and says so" says "^init +new, with initial values: rope.layer_gate$"

# --- a positions.csv that is damaged ---
cp run/positions.csv kept.csv
damaged() { # TEXT LINE
    printf "$1" >run/positions.csv
    refuses "positions.csv '$1'" "positions.csv, line $2" report run
}
damaged '' 1
damaged 'step,a' 1
damaged 'step\n1\n' 1
damaged 'time,a\n1,2\n' 1
damaged "step$(printf ',a%.0s' $(seq 257))\n" 1
damaged 'step,a,b\n1,2\n' 2
damaged 'step,a\n1,2\n2,3,4\n' 3
damaged 'step,a\n1,2\n\n' 3
damaged 'step,a\n1,x\n' 2
damaged 'step,a\n1,\n2,3\n' 2
damaged 'step,a\n1,2\n3,nan\n' 3
damaged 'step,a,b\n1,2,3\n2,-inf,3\n' 3
damaged 'step,a\n1,2\n3,1e999\n' 3
damaged 'step,a\nnan,2\n' 2
printf 'step,a\n1,2\n2,' >run/positions.csv
succeed "a last row that was being written" report run
mv kept.csv run/positions.csv

# --- refused ---
refuses "no such gate" "rope:gate: give none or trained, not 'learned'" train $small --pos rope:gate=learned --out new
refuses "a gate of nothing" "'none' has no options" train $small --pos none:gate=trained --out new
refuses "a gate of contents" "fox has no option 'gate'" train $small --pos fox:gate=trained --out new
refuses "extending gates" "rotations with gates;without gate=trained" \
    extend run --method yarn --factor 2 --out new
refuses "exporting gates" "trained gates;without gate=trained" export run --to hf --out new
finish
