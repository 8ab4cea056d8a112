# Schemes by layer, windows, shared keys and Llama's block: impossible requests are refused in one sentence that says
# where. The grammar of --pos is tested in tests/posenc/test_mix.c, that of --window in tests/num/test_windows.c.
. tests/support/shell

small='--layers 4 --heads 4 --width 16 --context 16 --batch 2 --threads 1 --steps 1 --eval-tokens 100 --data builtin:tales:bytes=20000'

# --- options ---
refuses "a layer that is named twice" "--pos 'rope@0-2 none@2-3', character 10 ('none@2-3'): layer 2 is named twice" \
    train $small --pos 'rope@0-2 none@2-3' --out new
refuses "a layer that is not named" "--pos 'rope@0-1 none@3', at its end: layer 2 is not named" \
    train $small --pos 'rope@0-1 none@3' --out new
refuses "a mistyped scheme of some layers" "--pos 'rope*3,nine', character 8 ('nine');did you mean 'none'" \
    train $small --pos 'rope*3,nine' --out new
refuses "a mistyped option of some layers" "character 8 ('alibi:scal=2');did you mean 'scale'" \
    train $small --pos 'rope*3,alibi:scal=2' --out new
for heads in 3 5 8; do
    refuses "--kv-heads $heads" "--kv-heads $heads;--heads 4" train $small --kv-heads $heads --out new
done
refuses "--kv-heads -1" "--kv-heads;0 to 1000;'-1'" train $small --kv-heads -1 --out new
refuses "schemes by head" "character 6 ('heads=0 none@heads=1');schemes by head went;rope+alibi" \
    train $small --pos 'rope@heads=0 none@heads=1-3' --out new
refuses "--block with another name" "--block;gpt2 or llama;'lama'" train $small --block lama --out new
refuses "--scale-logits with another name" "--scale-logits;none or log;'linear'" \
    train $small --scale-logits linear --out new
refuses "two ways to make weights" "stick-breaking and stick-breaking cannot be added up: both make weights" \
    train $small --pos stick-breaking+stick-breaking:own=yes --out new
refuses "heads of one channel" "--heads 4 (1 channel a head)" \
    train --layers 1 --heads 4 --width 4 --data builtin:tales:bytes=20000 --pos rope --out new
refuses "properties of heads that divide no width" "--heads 3;--width 64" properties --heads 3 --width 64
check "and no table begins" test ! -s "$scratch/out"
refuses "properties of half a text" "--pos 'rope@'" properties --pos rope@
check "and no table begins" test ! -s "$scratch/out"
check "nothing was left behind" test ! -e new

# --- a scheme that ends in one layer, or before the first ---
need train $small --pos 'xpos:gamma=1,rope*3' --out ends
refuses "eval past the end of one layer's scheme" "--context 120;the scheme xpos is not defined past 110" \
    eval ends --context 120 --eval-tokens 130
succeed "eval up to it" eval ends --context 110 --eval-tokens 130
need train $small --pos 'learned,rope*3,none' --out table
refuses "eval past a table beside rotations" "--context 32;learned is not defined past 16;--past clamp" \
    eval table --context 32
succeed "eval past it with --past" eval table --context 32 --past clamp --eval-tokens 100

# --- stretching ---
refuses "extending a table beside rotations" "table: the scheme learned;cannot become 32" \
    extend table --factor 2 --out longer
for pos in rope,table 'learned:past=clamp,rope' normalized,rope 'rope+{bias: -d/T}' 'angle: T^(-i/n)'; do
    rm -rf trained
    need train $small --pos "$pos" --out trained
    refuses "extending $pos, which depends on the trained length" "trained: ;trained at;without it" extend trained --factor 2 --out longer
done
need train $small --pos 'normalized:length=window,rope' --out windows
need train $small --pos 'rope+{bias: -a*d; a = 1/T per head}' --out start
succeed "extending a parameter that only started at the trained length" extend start --factor 2 --out start-longer
need train $small --pos rope,table --out same
succeed "other factors at the same length" extend same --factor 1 --method given --factors 1,2 --out same-length
succeed "extending what depends on the window" extend windows --factor 2 --out windows-longer
need train $small --pos 'rope:base=1e4*3,rope:base=1e6' --out bases
refuses "extending two bases" "bases;cannot be stretched;several kinds" \
    extend bases --factor 2 --out longer
need train $small --pos 'alibi*3,none' --out unturned
refuses "extending what does not rotate" "unturned;alibi;cannot be stretched" \
    extend unturned --factor 2 --out longer
check "nothing was left behind by extend" test ! -e longer

# --- pope and selective, which compute their own scores ---
refuses "a rotation of what pope reads" "rope and pope cannot be added up;one turns queries and keys" \
    train $small --pos rope+pope --out new
refuses "two that compute scores" "pope and selective cannot be added up;both compute the scores" \
    train $small --pos pope+selective --out new
need train $small --pos pope --out polar
refuses "extending pope" "polar;cannot be stretched;no rotations" extend polar --factor 2 --out longer
refuses "exporting pope" "polar;positions of the scheme pope" export polar --out exported
need train $small --pos rope --steps 150 --lr 0.01 --out turned
need train $small --pos rope --init turned --out again
need train $small --pos selective --init turned --out chosen
need train $small --pos none --init turned --out unturned-again
first_loss() { # RUN
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "train_loss") column = i } NR == 2 { print $column }' "$1/log.csv"
}
near() { # RUN: does its first loss differ from that of `again` by rounding alone?
    awk -v a="$(first_loss again)" -v b="$(first_loss "$1")" 'BEGIN { exit !(a > 0 && b > 0 && a - b < 2e-5 && b - a < 2e-5) }'
}
check "selective begins as the rope that it continues" near chosen
if near unturned-again; then fail "and none does not" "the loss does not tell rope from none"; else pass "and none does not"; fi

# --- a run's config.json that was edited by hand ---
need train $small --pos 'rope*3,none' --window 8,0 --kv-heads 2 --block llama --out run
refuses "--init with other layers: not a word of the windows" "--init run: its model has --layers 4;this one 1, " \
    train --init run --layers 1 --out new
edited() { # NAME PATTERNS SED-SCRIPT
    rm -rf edited && cp -r run edited
    sed "2d;$3" run/config.json >edited/config.json
    refuses "config.json: $1" "edited/config.json;$2" eval edited --eval-tokens 100
}
edited "layers that are named twice" "layer 0 is named twice" 's/"pos": "[^"]*"/"pos": "rope@0-3 none@0"/'
edited "layers that are not named" "layer 3 is not named" 's/"pos": "[^"]*"/"pos": "rope@0-2"/'
edited "a window of 0 keys" "a window of 0 keys" 's/"window": "8,0"/"window": "0"/'
edited "windows of more layers" "windows for 5 layers" 's/"window": "8,0"/"window": "8*4,0"/'
edited "a window without quotes" '"window"' 's/"window": "8,0"/"window": 8/'
edited "key heads that do not divide" "3" 's/"kv-heads": 2/"kv-heads": 3/'
edited "more key heads than heads" "8" 's/"kv-heads": 2/"kv-heads": 8/'
edited "a block of nobody" "\"block\"" 's/"block": "llama"/"block": "gpt3"/'
sed '2d;s/"kv-heads": 2/"kv-heads": 1/' run/config.json >edited/config.json
refuses "config.json: another number of key heads" "edited/model.safetensors;attn.qkv;do not belong together" eval edited
sed '2d;s/"block": "llama"/"block": "gpt2"/' run/config.json >edited/config.json
refuses "config.json: another block" "edited/model.safetensors;do not belong together" eval edited

# --- scores times s log n, and a scheme's own weights: the run records them ---
for pos in rope alibi+stick-breaking; do
    rm -rf whole
    need train $small --steps 6 --pos $pos --scale-logits log --window 5,0 --out whole
    check "--scale-logits is in config.json ($pos)" grep -q '"scale-logits": "log"' whole/config.json
    succeed "eval ($pos)" eval whole --context 48 --eval-tokens 200
    succeed "sample ($pos)" sample whole "One" --tokens 30
    refuses "export ($pos)" "train it" export whole --to hf --out exported
done
cp -r whole bare
sed '2d;s/"scale-logits": "log"/"scale-logits": "none"/' whole/config.json >bare/config.json
refuses "config.json: no scales" "bare/model.safetensors;do not belong together" eval bare
need train --init whole --scale-logits none --steps 1 --out plain
check "--init says what it leaves behind" grep -q 'not taken over: attn.logit_scale' "$scratch/out"
need train --init plain --scale-logits log --steps 1 --out scaled
check "--init says what is new" grep -q 'new, with initial values: attn.logit_scale' "$scratch/out"
finish
