# The module in the page does what the program does: with the same options, the losses of training and of longer
# windows are the same, also when rotations are stretched, and it samples the same text.
. tests/support/shell
. "$repository/tests/lesson/node"
need_fresh "the module's training beside bitter's"

# Long enough that each way to stretch changes the losses by more than the tolerance; with a warmup long enough that the
# last bits of a step stay small in those that follow.
tokens=2048
options="--layers 2 --heads 2 --width 32 --context 32 --batch 4 --steps 300 --warmup 100 --lr 3e-3 --seed 7
    --data builtin:tales:bytes=1e5 --eval-tokens $tokens"
options=$(echo $options)

compare() { # OPTIONS RUN
    node "$pages/training.js" "$1" "$2" prompts
}
differs() { # OPTIONS RUN
    ! compare "$1" "$2"
}

# Prompts; the last one is longer than a window.
mkdir prompts
number=0
for prompt in 'The ' 'a little ' 'king' 'Once upon a time, ' 'She said: "' 'and then the ' '.' 'It was ' \
    'One morning the old woman went down to the river to '; do
    number=$((number + 1))
    printf %s "$prompt" >prompts/$number
done

# measure RUN STRETCH LENGTHS INTO: what the program says of a run goes into the directory of another one.
measure() {
    need eval "$1" --context "$3" --eval-tokens $tokens --csv "$4/eval-$2.csv"
    mkdir "$4/sample-$2"
    for prompt in prompts/*; do
        need sample "$1" --prompt "$(cat "$prompt")" --tokens 8 --seed 7 --context 32
        cp "$scratch/out" "$4/sample-$2/${prompt#*/}"
    done
}

for pos in none learned sinusoidal rope alibi rope-learned; do
    # shellcheck disable=SC2086
    need train $options --pos $pos --threads 1 --out $pos
    lengths=32,64,128
    [ $pos != learned ] || lengths=16,32
    measure $pos none $lengths $pos
    if [ $pos = rope ]; then
        for method in pi ntk dynamic yarn llama3; do
            need extend rope --method $method --factor 4 --out rope-$method
            measure rope-$method $method-4 32,64,128 rope
        done
    fi
    check "$pos: losses and samples of the module are bitter's" compare "$options --pos $pos" $pos
done
check "another seed is noticed" differs "$options --pos rope --seed 8" rope

# What is compared past the training can fail, too.
mv rope/eval-yarn-4.csv kept && cp rope/eval-pi-4.csv rope/eval-yarn-4.csv
check "another stretch is noticed" differs "$options --pos rope" rope
mv kept rope/eval-yarn-4.csv && rm -r rope/sample-yarn-4 && cp -r rope/sample-pi-4 rope/sample-yarn-4
check "other samples are noticed" differs "$options --pos rope" rope

check "what the module cannot measure, it says" node "$pages/refusals.js"
finish
