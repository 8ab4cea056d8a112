# --window: what train prints, which commands use it, and what is refused.
. tests/support/shell

small='--layers 2 --heads 2 --width 16 --context 32 --batch 2 --threads 1 --data builtin:tales:bytes=20000'

run train $small --window 4,0 --steps 3 --out run
check "train says which windows" says "^model .*, window 4,0 by layers:"
check "config.json has them" grep -q '"window": "4,0"' run/config.json
need train $small --steps 3 --out whole
check "without windows it says nothing" test "$(grep -c '"window": ""' whole/config.json)" = 1
need train $small --window 32 --steps 3 --out wide
check "a window of the context gives the same weights" cmp -s whole/model.safetensors wide/model.safetensors
need train $small --window 31 --steps 3 --out narrow
check "one key fewer gives others" refute cmp -s whole/model.safetensors narrow/model.safetensors

# A config.json from before there were windows.
mkdir old && cp whole/tokenizer.json whole/model.safetensors old/
sed '2d;/"window"/d' whole/config.json >old/config.json
nats() { "$BITTER" eval "$1" --threads 1 --csv nats.csv >/dev/null 2>&1 && sed -n 2p nats.csv | cut -d , -f 5; }
check "is read as before" test -n "$(nats old)" -a "$(nats old)" = "$(nats whole)"

# --- longer texts: the cache forgets ---
succeed "eval past the context" eval run --context 32,300 --eval-tokens 601
succeed "eval of a long window" eval narrow --data builtin:tales:bytes=60000 --context 4000 --eval-tokens 4001
succeed "sample" sample run --tokens 80
succeed "report" report run
succeed "properties" properties run
succeed "bench" bench $(echo $small | sed 's/--data.*//') --window 8 --steps 1

# --- taken over ---
run train --init run --steps 2 --out tuned
check "--init takes windows over" says "^model .*, window 4,0 "
need train --init run --window '' --steps 2 --out freed
check "unless others are given" grep -q '"window": ""' freed/config.json
succeed "--resume" train --resume --out run --steps 5
refuses "another window on --resume" "--window;4,0" train --resume --out run --window 9

# --- refused ---
refuses "a window of 0 keys" "--window '0', character 1;a window of 0 keys;'64*5,0'" train $small --window 0 --out new
refuses "more layers than there are" "--window '8*5,0', character 1;6 layers;--layers 2" train $small --window '8*5,0' --out new
refuses "windows in gradcheck" "--window '-1'" gradcheck --pos rope --window -1
refuses "extending windows" "windows;as it is" extend narrow --method yarn --factor 2 --out new
refuses "exporting windows by layers" "run;different windows;--block llama" export run --to hf --out new
refuses "exporting windows to llama.cpp" "use --to hf, or train it without --window" export narrow --to gguf --out new
succeed "extending a model with a layer that sees all" extend run --method yarn --factor 2 --out longer

# --- compare: the label comes first, and characters are counted in the text as it was given ---
few="compare $small --steps 1 --seeds 2 --out compared"
refuses "an arm whose layers are named twice" "bitter compare: a: --pos 'rope@0-1,none@1', character 10 ('none@1')" \
    $few rope a=rope@0-1,none@1
refuses "an arm without a label" "bitter compare: --pos 'rope@0-1,none@1', character 10 ('none@1')" $few rope rope@0-1,none@1
refuses "an arm whose windows are too many" "bitter compare: a: --window '8*2,0', character 1;--layers 2" \
    $few rope "a=rope --window 8*2,0"
refuses "what is wrong with all arms" "--window '8*2,0', character 1;--layers 2" $few a=rope b=none --window '8*2,0'
refuses "heads that are wrong for all arms" "--kv-heads 3" $few a=rope b=none --kv-heads 3
check "nothing was left behind by compare" test ! -e compared/compare.json
finish
