# A full disk ends a command with exit code 1 and one line; no half-written file is left, the last checkpoint is intact,
# and training continues from it once there is room.
. tests/support/shell

# Four times the weights fit on the disk (model and state), seven times do not (and a second state beside them).
model='--layers 1 --heads 2 --width 72 --context 16 --batch 2 --threads 1'
data=builtin:tales:bytes=100000

mkdir disk
mount -t tmpfs -o size=2m bitter-test disk >/dev/null 2>&1 && mounted=$scratch/work/disk
if [ -z "$mounted" ]; then
    skip "full disk" "mounting a small disk takes root and Linux"
    finish
fi

fails 1 "prepare" "disk/shards;No space left;make room" prepare --out disk/shards builtin:tales:bytes=3000000
check "prepare leaves nothing behind" test -z "$(ls disk)"

lacks() {
    ! grep -q -- "$1" "$scratch/err"
}

# --- the second checkpoint ---
need train $model --data $data --steps 20 --out reference
run train $model --data $data --steps 20 --save-every 5 --eval-every 20 --out disk/run
wrong=$(complaint 1 'disk/run;No space left')
if [ -z "$wrong" ]; then pass "checkpoint: one line"; else fail "checkpoint: one line" "$(story "$wrong")"; fi
check "checkpoint: no temporary file stays" test "$(ls disk/run | wc -l)" -eq 5
succeed "checkpoint: the weights are good" eval disk/run
run train --resume --out disk/run
wrong=$(complaint 1 'disk/run;No space left')
if [ -z "$wrong" ]; then pass "resume without room"; else fail "resume without room" "$(story "$wrong")"; fi
succeed "the weights are still good" eval disk/run
if mount -o remount,size=8m "$mounted" 2>/dev/null; then
    succeed "resume after making room" train --resume --out disk/run
    check "the weights are those of an undisturbed run" cmp reference/model.safetensors disk/run/model.safetensors
else
    skip "resume after making room" "the disk cannot be made larger"
fi
rm -r disk/run

# --- the very first checkpoint, the log, and tables ---
fill() { # leaves PAGES of 4096 bytes
    dd if=/dev/zero of=disk/spare bs=4096 count="$1" 2>/dev/null
    dd if=/dev/zero of=disk/filler bs=4096 2>/dev/null
    rm disk/spare
}
mount -o remount,size=2m "$mounted" 2>/dev/null
fill 0
fails 1 "run directory" "disk/run;No space left" train $model --data $data --steps 2 --out disk/run
rm -rf disk/*
fill 4
fails 1 "exercises" "disk/exercises;No space left" lesson exercises disk/exercises
run train --layers 1 --heads 2 --width 8 --context 8 --batch 1 --threads 1 --data $data --steps 1000 --eval-every 250 --out disk/run
wrong=$(complaint 1 'disk/run/log.csv;No space left')
if [ -z "$wrong" ]; then pass "log"; else fail "log" "$(story "$wrong")"; fi
rm disk/filler
succeed "log: resume after making room" train --resume --out disk/run
check "log: one header and a row a step" test "$(wc -l <disk/run/log.csv)" -eq 1001
rm -rf disk/*
fill 0
fails 1 "table of eval" "disk/x.csv: No space left;make room" eval reference --by-position --csv disk/x.csv
fails 1 "logits of eval" "disk/x.npy;No space left" eval reference --logits disk/x.npy
check "nothing was there before" lacks untouched
rm disk/filler && need eval reference --logits disk/x.npy && fill 0
fails 1 "logits over old ones" "disk/x.npy: No space left;untouched" eval reference --logits disk/x.npy
finish
