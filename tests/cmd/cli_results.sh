# Files that the user asks for (--csv, --logits) replace only files of their own kind, and never a run's or a
# comparison's file.
. tests/support/shell

small='--layers 1 --heads 2 --width 16 --context 300 --batch 1 --steps 2 --threads 1'
need train $small --data builtin:tales:bytes=20000 --out run
need train --layers 1 --heads 2 --width 16 --context 32 --batch 2 --steps 2 --threads 1 --data builtin:copy:max=4 --out task
cp -r run other
mkdir comparison && echo '{}' >comparison/compare.json
seq 1 20 >notes.txt
: >empty.csv && : >empty.npy
need eval run --csv text.csv --logits one.npy

# --- files of a run and of a comparison ---
for file in config.json tokenizer.json model.safetensors best.safetensors state.safetensors log.csv measured.csv search.csv descent.csv \
    positions.csv lock; do
    refuses "--csv run/$file" "--csv run/$file;of the run" eval run --csv run/$file
done
refuses "--csv of another run" "other/config.json;of the run" eval run --csv other/config.json
refuses "--csv by a detour" "config.json;of the run" eval run --csv ./other/../run/config.json
refuses "--csv in other letters" "MODEL.safetensors;of the run" eval run --csv run/MODEL.safetensors
(cd run && "$BITTER" eval . --csv log.csv >"$scratch/out" 2>"$scratch/err" </dev/null)
check "--csv log.csv, in the run" test $? -eq 2 -a "$(wc -l <run/log.csv)" -eq 3
refuses "--logits run/model.safetensors" "--logits;of the run" eval run --logits run/model.safetensors
refuses "passkeys --csv" "run/config.json;of the run" eval run --task --data builtin:passkey --samples 1 --csv run/config.json
refuses "--task --csv" "task/state.safetensors;of the run" eval task --task --samples 2 --csv task/state.safetensors
for file in compare.json results.csv report.md report.html report.tex plot-1.svg lock runs slurm.sh; do
    refuses "--csv comparison/$file" "of the comparison" eval run --csv comparison/$file
done
succeed "another name in that directory" eval run --csv run/eval.csv
succeed "and in that one" eval run --csv comparison/eval.csv

# --- files of another kind ---
refuses "--csv over a text" "notes.txt;something else" eval run --csv notes.txt
check "before anything is scored" test ! -s "$scratch/out"
refuses "--csv over an array" "one.npy;something else" eval run --csv one.npy
refuses "--logits over a text" "notes.txt;something else" eval run --logits notes.txt
check "before anything is scored, too" test ! -s "$scratch/out"
run eval run --csv x.csv --logits ./x.csv
check "--logits over the table of the same command" test $code -eq 2 -a "$(head -n 1 x.csv)" = "$(head -n 1 text.csv)"
rm x.csv
refuses "--logits over a table" "text.csv;something else" eval run --logits text.csv
refuses "passkeys over a table of text" "text.csv;something else" eval run --task --data builtin:passkey --samples 1 --csv text.csv
refuses "--task over a table of text" "text.csv;something else" eval task --task --samples 2 --csv text.csv
head -c 20 text.csv >short.csv
refuses "--csv over the beginning of a table" "short.csv;something else" eval run --csv short.csv
ln -s other/config.json link
refuses "--csv over a link" "link" eval run --csv link
mkdir directory
refuses "--csv over a directory" "directory;regular file" eval run --csv directory
refuses "both in one file" "--csv;--logits;both.csv" eval run --csv both.csv --logits both.csv
succeed "over a table of the same kind" eval run --csv text.csv --context 200,300
check "which is replaced" test "$(wc -l <text.csv)" -eq 3
succeed "over an array" eval run --logits one.npy --context 200
succeed "over empty files" eval run --csv empty.csv --logits empty.npy
check "which are no longer empty" test -s empty.csv -a -s empty.npy
succeed "a table of passkeys" eval run --task --data builtin:passkey --samples 1 --csv passkeys.csv
succeed "again" eval run --task --data builtin:passkey --samples 1 --csv passkeys.csv
succeed "a table of a task" eval task --task --samples 2 --csv answers.csv
succeed "again, of that" eval task --task --samples 2 --csv answers.csv

# --- files that a new run would replace or remove ---
mkdir locked stated && cp notes.txt locked/lock && cp notes.txt stated/state.safetensors
refuses "--out with somebody's own lock" "locked/lock" train $small --data builtin:tales:bytes=20000 --out locked
refuses "--out with somebody's own state" "stated/state.safetensors;is not of this run" train $small \
    --data builtin:tales:bytes=20000 --out stated
check "both stay as they were" eval 'cmp notes.txt locked/lock && cmp notes.txt stated/state.safetensors'
check "and nothing comes beside them" test "$(ls locked stated | wc -l)" -eq 5

# --- reports ---
pair="none rope $small --data builtin:tales:bytes=20000 --context 16 --seeds 1 --eval-tokens 500"
for file in report.md report.html report.tex results.csv plot-1.svg plot-7.svg plot-7.tex; do
    rm -rf mine && mkdir mine && cp notes.txt mine/$file
    # shellcheck disable=SC2086
    refuses "compare beside somebody's own $file" "mine/$file;something else" compare $pair --out mine
    check "which stays alone" eval "cmp notes.txt mine/$file && [ \"\$(ls mine)\" = $file ]"
done
for file in report.md report.html plot-1.svg plot-7.svg; do
    cp -r run noted-run && cp notes.txt noted-run/$file
    refuses "report of a run beside somebody's own $file" "noted-run/$file;something else" report noted-run
    check "it stays as it was" cmp notes.txt noted-run/$file
    check "and no page comes beside it" test "$(ls noted-run | wc -l)" -eq $(($(ls run | wc -l) + 1))
    rm -r noted-run
done
succeed "a report of a run" report other
succeed "again, of that" report other
# shellcheck disable=SC2086
succeed "a comparison" compare $pair --out pair
succeed "its report again" report pair

# --- extend's own table ---
need train --layers 1 --heads 1 --width 8 --context 8 --batch 2 --steps 2 --threads 1 --data builtin:tales:bytes=20000 \
    --out little
mkdir noted && cp notes.txt noted/descent.csv
refuses "a descent over a text" "noted/descent.csv;something else" extend little --method gradient --factor 2 \
    --windows 2 --steps 2 --threads 1 --out noted
# --- the scripts that compute a report again ---
if command -v python3 >/dev/null; then
    for script in check_report check_quoted coverage ladder plot questions tensorboard bench_torch; do
        (cd "$repository/scripts" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=. python3 -S $script.py) >"$scratch/out" 2>"$scratch/err"
        check "$script.py without its packages says where to get them" \
            test "$?-$(wc -l <"$scratch/err")-$(grep -c "^$script.py: this python3 has no .*pip install" "$scratch/err")" = 1-1-1
    done
else
    lacks "scripts without their packages" python3 python3
fi
finish
