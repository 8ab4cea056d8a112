# `bitter export` and `bitter import` as a user types them: what they print, what they leave behind, and that every
# command accepts an imported run.
. tests/support/shell

need prepare --out data builtin:tales:bytes=40000
for scheme in rope learned alibi t5; do
    need train --data data --pos $scheme --layers 1 --heads 2 --width 16 --context 16 --batch 2 --steps 3 --eval-every 0 \
        --eval-tokens 200 --threads 1 --out $scheme
done

files() { # DIR FILE...: it holds these files and no others
    dir=$1
    shift
    [ "$(ls "$dir")" = "$(printf '%s\n' "$@")" ]
}

succeed "export to transformers" export rope --out hf
check "a directory for transformers" files hf config.json generation_config.json model.safetensors tokenizer.json \
    tokenizer_config.json
succeed "export the best weights" export rope@best --out best
succeed "export to llama.cpp" export alibi --to gguf --out gguf
check "a file for llama.cpp" files gguf model.gguf
succeed "export to llm.c" export learned --to llm.c --out llmc
check "a file for llm.c" files llmc model.bin
check "no crumbs" sh -c '! ls -A | grep -q "tmp"'

refuses "a scheme that no program has" "train with one of these: learned" export t5 --out new
refuses "a scheme that another program has" "use --to gguf" export alibi --out new
refuses "rope is not llm.c's" "use --to hf" export rope --to llm.c --out new
refuses "a mistyped format" "hf, gguf or llm.c" export rope --to onnx --out new
refuses "no --out" "give a new directory" export rope
refuses "a directory that is full" "is not empty" export rope --out hf
refuses "no run" "holds no run" export data --out new
printf 'a\000b%.0s' $(seq 40) >zeros.txt
need prepare --tokenizer chars --force --out zeros zeros.txt
need train --layers 1 --heads 2 --width 16 --context 4 --batch 1 --threads 1 --steps 1 --pos rope --data zeros --out zeros-run
refuses "a character that a tokenizer.json cannot have" "U+0000;--tokenizer" export zeros-run --out new
check "nothing was left behind" test ! -e new

succeed "import from transformers" import hf --out back
check "a run" files back config.json model.safetensors tokenizer.json
check "the same weights" cmp rope/model.safetensors back/model.safetensors
check "the same tokenizer" cmp rope/tokenizer.json back/tokenizer.json
refuses "a model of transformers is no run" "bitter import" sample hf --prompt The
cp -r hf odd && echo '{}' >odd/tokenizer.json
refuses "a tokenizer that is none" "odd/tokenizer.json;or remove it" import odd --out new
cp -r hf bare && rm bare/tokenizer.json
need import bare --out without

succeed "eval takes it" eval back --data data --eval-tokens 200
refuses "eval asks for data" "give --data" eval back
succeed "sample takes it" sample back --prompt The --tokens 10
refuses "sample has no tokenizer" "without a tokenizer" sample without --prompt The
succeed "extend takes it" extend back --factor 2 --out longer
succeed "train --init takes it" train --init back --data data --steps 2 --warmup 1 --eval-tokens 200 --threads 1 --out tuned
refuses "train --init asks for data" "give --data" train --init back --steps 2 --out tuned2
succeed "report takes it" report back
succeed "export takes it" export back --out again
check "and writes the same again" cmp hf/model.safetensors again/model.safetensors

# Windows and layers without rotations.
layered() { # NAME POS WORD...: train it, export it and import it again
    name=$1 pos=$2
    shift 2
    "$BITTER" train --data data --pos "$pos" --layers 4 --heads 2 --width 16 --context 16 --batch 2 --steps 3 \
        --eval-every 0 --eval-tokens 200 --threads 1 --out "$name" "$@" &&
        "$BITTER" export "$name" --out "$name-hf" && run import "$name-hf" --out "$name-back" &&
        cmp "$name/model.safetensors" "$name-back/model.safetensors"
}
field() { sed -n "s/^ *\"$2\": \(.*\),$/\1/p" "$1/config.json"; }
same_fields() { # RUN RUN FIELD...
    one=$1 two=$2
    shift 2
    for field in "$@"; do [ "$(field "$one" "$field")" = "$(field "$two" "$field")" ] || return 1; done
}
check "a window goes to starcoder2 and comes back" layered window rope --window 5
check "import says it" says "^model .*, window 5,"
check "with the same options" same_fields window window-back pos window block kv-heads
check "as sliding_window" test "$(field window-hf sliding_window)" = 5
check "a window of a llama goes to mistral" layered mistral rope --window 5 --block llama --kv-heads 1
check "import says its block" says "^model +4 layers with Llama's block, 2 heads that share 1 head of keys, width 16"
check "with the same options, too" same_fields mistral mistral-back pos window block kv-heads
check "layers go to smollm3" layered smollm3 'rope*3,none' --window 5,0 --block llama
check "and come back" same_fields smollm3 smollm3-back pos window block kv-heads
for name in two-of-three every-fourth; do
    [ $name = every-fourth ] && pos='rope*3,none' block=llama || pos='rope*2,none' block=gpt2
    need train --data data --pos "$pos" --block $block --layers 4 --heads 2 --width 16 --context 16 --batch 2 --steps 3 \
        --eval-every 0 --eval-tokens 200 --threads 1 --out $name
done
refuses "layers that GPT-2's block has not" "no positions;--block llama" export two-of-three --out new
succeed "to llama.cpp, every fourth layer" export every-fourth --to gguf --out every-fourth-gguf

refuses "no DIR" "takes one DIR" import --out new
refuses "import --out X@best" "new@best;choose another name" import hf --out new@best/
refuses "export --out with a newline" "newline" export rope --out "new
line"
refuses "no --out for import" "give a new run directory" import hf
refuses "a full directory for import" "is not empty" import hf --out data
refuses "a checkpoint of llm.c" "model.bin is a file;export_hf.py" import llmc/model.bin --out new
refuses "a directory of nobody" "config.json" import data --out new
refuses "a directory that is not there" "No such file" import nothing --out new
sed -i.bak 's/"vocab_size": 257/"vocab_size": 200/' hf/config.json
refuses "a tokenizer of another model" "remove the file" import hf --out new
check "nothing was left behind by import" test ! -e new
finish
