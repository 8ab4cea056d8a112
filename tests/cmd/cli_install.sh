# `make install` and `make uninstall`: the program works from where it was put, without the source tree; its man page
# has every command and option. tests/package/deb.sh checks the Debian package.
. tests/support/shell

if [ -z "${MAKELEVEL:-}" ]; then
    skip "make install" "this test wants the make that built the program, so it runs in \`make test\` only"
    finish
fi
root="$scratch/a root"
in_tree() { # GOAL...: make in the source tree, with the variables of the make that runs this test
    (cd "$repository" && make -s --no-print-directory ONLY= DESTDIR="$root" PREFIX=/opt/bitter "$@")
}
check "make install" in_tree install
check "it installs both programs" test -x "$root/opt/bitter/bin/bitter" -a -x "$root/opt/bitter/bin/bitter-double"
for file in man/man1/bitter.1.gz doc/bitter/README.md doc/bitter/docs/train.md \
    doc/bitter/lesson/lesson.html; do
    check "it installs $file" test -s "$root/opt/bitter/share/$file"
done

dangling() { # links of the installed guides to what is not installed
    find "$root/opt/bitter/share/doc" -name '*.md' | while read -r guide; do
        tr '\n' ' ' <"$guide" | grep -oE '\]\([^() ]+\)' | sed 's/^](//; s/)$//; s/#.*//' | grep -v : | while read -r to; do
            [ -e "$(dirname "$guide")/$to" ] || echo "${guide##*/}: $to"
        done
    done
}
dangling >"$scratch/dangling"
check "every link of the guides leads to an installed file" diff /dev/null "$scratch/dangling"
check "other links are words" grep -qF '| none, random |' "$root/opt/bitter/share/doc/bitter/docs/schemes.md"

# --- what a build lacks is said in one sentence, before anything is compiled ---
lacking() { # WORD VARIABLE...: make fails, and its last line but make's own has the word
    word=$1
    shift
    if in_tree BUILD="$scratch/lacking" "$@" "$scratch/lacking/bitter" >"$scratch/made" 2>&1; then return 1; fi
    cat "$scratch/made"
    grep -v '^make' "$scratch/made" >"$scratch/said"
    test "$(wc -l <"$scratch/said")" -eq 1 && grep -qF "$word" "$scratch/said" && grep -qF 'make deps' "$scratch/said"
}
check "no compiler" lacking "a C compiler (no-such-cc)" CC=no-such-cc
check "no headers" lacking " jansson.h" CC="cc -nostdinc"

# --- with the user's own flags, no object contains the name of its build directory ---
names() { # FILE: the directories that are in it
    grep -aoF -e "$repository" -e "$scratch" "$1"
}
object() {
    in_tree BUILD="$scratch/own" CFLAGS='-O1 -g' "$scratch/own/float/base/path.o" "$scratch/own/float/$scratch/own/tales_text.o"
}
check "objects with debugging information" object
check "an object of a source" test -z "$(names "$scratch/own/float/base/path.o")"
check "an object of what the build has written" test -z "$(names "$scratch/own/float/$scratch/own/tales_text.o")"

# --- PORTABLE=1: where its library goes ---
planned() { # VARIABLE...: what make would do
    in_tree -n PORTABLE=1 "$@" >"$scratch/made" 2>&1
}
if ! planned && grep -q 'needs the dynamic loader of glibc' "$scratch/made"; then
    skip "PORTABLE=1" "there is no glibc here"
else
    check "the library is in PREFIX/lib" planned PREFIX=/usr install
    check "below PREFIX" grep -q "portable.sh install .* \"lib\" \"$root/usr\"" "$scratch/made"
    check "LIBDIR is another place" planned PREFIX=/usr LIBDIR=/usr/lib/machine install
    check "also below PREFIX" grep -q "portable.sh install .* \"lib/machine\" \"$root/usr\"" "$scratch/made"
    check "or else" test "$(planned PREFIX=/usr LIBDIR=/opt/lib install; echo $?)" -ne 0
    check "it is refused" grep -qF 'LIBDIR has to be a directory below PREFIX (/usr), not /opt/lib' "$scratch/made"
    check "make PORTABLE=1 builds alone" planned
    check "and installs nothing" test "$(grep -c 'portable.sh install' "$scratch/made")-$(grep -c '^install' "$scratch/made")" = 0-0
    check "other goals are refused" test "$(planned test; echo $?)" -ne 0
fi

# --- a source tree whose name a shell would take for a command ---
tree="$scratch/a;touch PWNED #"
mkdir "$tree" && ln -s "$repository"/* "$tree"
(cd "$tree" && make -s --no-print-directory ONLY= MANUAL=page page) >"$scratch/made" 2>&1
check "make runs no part of its directory's name" test -s "$tree/page" -a ! -e "$tree/PWNED"

# --- the program, by a link and by PATH ---
BITTER=$root/opt/bitter/bin/bitter
mkdir "$scratch/bin" && ln -s "$BITTER" "$scratch/bin/bitter"
small='--layers 1 --heads 2 --width 16 --context 16 --batch 2 --threads 1'
# shellcheck disable=SC2086
succeed "train" train $small --data builtin:tales:bytes=20000 --steps 2 --eval-tokens 500 --out run
succeed "report of a run" report run
succeed "lesson, which starts the twin" lesson
check "it shows lines of code" says 'posenc/rotation/rope\.c'
succeed "the exercises of the lesson" lesson exercises rope
check "the exercises build" test -f rope/Makefile -a -f rope/1_turn.c
BITTER=$scratch/bin/bitter
succeed "gradcheck by a link" gradcheck --pos alibi
BITTER=bitter
PATH=$root/opt/bitter/bin:$PATH succeed "gradcheck by PATH" gradcheck --pos alibi
if [ -e /proc/self/exe ]; then
    PATH=$scratch/bin:$PATH succeed "gradcheck by a link in PATH" gradcheck --pos alibi
    PATH=$scratch/bin:$PATH succeed "lesson by a link in PATH" lesson
else
    skip "a link in PATH" "there is no /proc/self/exe to follow it by"
fi

# --- the man page ---
page=$scratch/bitter.1
gzip -dc "$root/opt/bitter/share/man/man1/bitter.1.gz" >"$page"
BITTER=$root/opt/bitter/bin/bitter
sections_and_options() {
    for command in $("$BITTER" --help | awk '/^  [a-z]+ / { print $1 }'); do
        grep -qx "\.SH $(echo "$command" | tr a-z A-Z)" "$page" || echo "there is no section on $command"
        "$BITTER" "$command" --help | grep -oE '^  (-h, )?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+' >"$scratch/listed"
        sed -n "/^\.SH $(echo "$command" | tr a-z A-Z)\$/,/^\.SH/p" "$page" | tr -d '\\' |
            sed -n 's/^fB\(-h, \)*\(--.*\)fI.*/\2/p' | cmp - "$scratch/listed"
    done
}
sections_and_options >"$scratch/missing" 2>&1
nothing() { cat "$1"; [ ! -s "$1" ]; }
check "the man page has every command and option" nothing "$scratch/missing"
if command -v groff >/dev/null; then
    groff -man -ww -z -Tascii "$page" 2>"$scratch/warnings"
    check "groff has no warnings about the man page" test ! -s "$scratch/warnings"
    groff -man -Tascii "$page" 2>/dev/null | sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' | tr -s ' \n' ' ' >"$scratch/shown"
    check "the man page shows texts as --help does" grep -qF 'a text file, a .gz file, a directory' "$scratch/shown"
else
    lacks "the man page is shown without warnings" groff groff
fi

check "make uninstall" in_tree uninstall
check "nothing is left, and no empty directory" test "$(cd "$root" && echo *):$(ls -A "$root/opt")" = opt:
mkdir -p "$root/usr/local/bin"
in_tree install PREFIX=/usr/local >/dev/null 2>&1
in_tree uninstall PREFIX=/usr/local >/dev/null 2>&1
check "the system's own directories stay" test "$(cd "$root/usr/local" && echo * share/*)" = 'bin share share/man'
finish
