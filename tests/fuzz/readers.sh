# No reader of foreign bytes is left out: every file that reads such bytes, or numbers from text, is in README.md.
. tests/support/shell
cd "$repository" || exit 1

reads='[^a-z_](file_read|file_read_open|json_read|json_loadb|fopen|fread|fgets|getline|mmap|p?read|sscanf|strto[dl]+|gzread) *\('
# left_out FOLDER...: files there that read but are not named.
left_out() {
    grep -rlE --include='*.c' "$reads" "$@" | while read -r file; do
        grep -qF "\`$file\`" tests/fuzz/README.md || echo "$file"
    done >"$scratch/lost"
    cat "$scratch/lost"
}
check "every reader is in the table" test -z "$(left_out base data num posenc model train exchange lab cmd train.c)"
mkdir "$scratch/data"
echo 'int f(void) { return fgets(a, 2, b) ? 1 : 0; }' >"$scratch/data/new.c"
check "a reader that is not in the table is noticed" test "$(left_out "$scratch/data")" = "$scratch/data/new.c"
gone() {
    grep -oE '`[a-z_0-9/]+\.c`' tests/fuzz/README.md | tr -d '`' | while read -r file; do [ -f "$file" ] || echo "$file"; done
}
check "the table names files that are there" test -z "$(gone)"
finish
