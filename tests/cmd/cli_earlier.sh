# Runs of version 0.1.0 (runs-0.1.0/make says how they were made) are read, continued, extended, exported, sampled and
# reported by this version, and give the numbers that they gave then.
. tests/support/shell

earlier=$repository/tests/cmd/runs-0.1.0
for name in first last stretched; do cp -r "$earlier/$name" "$name"; done
cp first/model.safetensors stretched
need prepare --tokenizer chars --val 0.3 --out data "$earlier/text.txt"
check "the tokenizer of a text is as it was" cmp data/tokenizer.json first/tokenizer.json

near() { # A B TOLERANCE
    awk -v a="$1" -v b="$2" -v tolerance="$3" 'BEGIN { exit !((a - b) ^ 2 < tolerance ^ 2) }'
}
# The losses of the later steps equal the earlier version's, except for the rounding of other processors, which AdamW
# enlarges; a wrong batch or moment would change them by more than 0.05.
continued() { # NAME
    awk -F , '
        NR == FNR { if (FNR > 1) { loss[$1] = $4; validation[$1] = $5; losses++ } next }
        FNR > 1 && (!(($2 - loss[$1]) ^ 2 < 25e-6) || !(($3 - validation[$1]) ^ 2 < 25e-6)) { print; bad = 1 }
        END { if (bad || losses != 60 || FNR < 20) exit 1 }' "$1/log.csv" "$earlier/$1.csv"
}

while read -r old nats; do
    succeed "eval of $old" eval "$old" --csv table.csv
    check "the loss of $old is that of then" near "$(awk -F , '$3 == "all" { print $5 }' table.csv)" "$nats" 1e-5
    succeed "sample of $old" sample "$old" "a bad " --tokens 5
done <"$earlier/nats.txt"
for old in first stretched; do succeed "export of $old" export $old --out hf-$old; done
succeed "report of first" report first
succeed "report of last" report last
succeed "extend" extend first --method longrope --generations 1 --population 4 --windows 1 --factor 4 --out longer
succeed "extend a stretched run" extend stretched --method pi --factor 4 --out longer-still
for old in first last; do
    cp -r $old more
    succeed "train beyond the end of $old" train --resume more --steps 70
    rm -r more
    succeed "resume $old" train --resume $old
    check "its losses are those of then" continued $old
    succeed "eval of $old after that" eval $old
done
succeed "best weights" eval last@best
succeed "a new run from an old one" train --init first --pos alibi --steps 2 --threads 1 --out new
finish
