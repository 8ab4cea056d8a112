# README.md, CONTRIBUTING.md, SECURITY.md and the guides in docs/: their commands run, with few steps on a small model;
# options, make targets and links exist; the schemes are complete; files made from recorded results are up to date.
. tests/support/shell

# Guides submit jobs to a cluster; never to a real one that this machine may be part of.
mkdir "$scratch/bin" && printf '#!/bin/sh\n' >"$scratch/bin/sbatch" && chmod +x "$scratch/bin/sbatch"
PATH=$scratch/bin:$PATH

guides="README.md CONTRIBUTING.md SECURITY.md $(cd "$repository" && echo docs/*.md)"

# Every option of every command.
for command in $("$BITTER" --help | awk '/^  [a-z]+ / { print $1 }'); do "$BITTER" "$command" --help; done |
    grep -oE '^  (-h, )?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+' | sort -u >"$scratch/options"
printf '%s\n' --version --stretch >>"$scratch/options" # --stretch is part of a scheme in compare
check "there are options" test "$(wc -l <"$scratch/options")" -gt 60

# Commands of a guide's code blocks, one a line, without comments; `\` continues a line.
commands_of() {
    sed -n 's/^    //p' "$repository/$1" | sed -e ':a' -e '/\\$/ { N; s/\\\n */ /; b a' -e '}' -e 's/  *# .*//'
}

unknown_options() { # GUIDE: those of other programs stand on lines that begin with their names.
    grep -vE '^    (parallel|sbatch|git|clang-format|python3|tensorboard|llama-completion|dpkg) ' "$repository/$1" | grep -oE -e '(^|[^-a-z])--[a-z][a-z0-9-]*' |
        grep -oE -e '--[a-z0-9-]+' | sort -u | grep -vxF -f "$scratch/options"
}
dead_links() {
    (cd "$repository/$(dirname "$1")" && grep -oE '\]\([^)]*\)' "$repository/$1" | sed 's/^](//; s/)$//; s/#.*//' |
        grep -v '^http' | while read -r path; do [ -z "$path" ] || [ -e "$path" ] || echo "$path"; done)
}
unknown_targets() {
    grep -oE '(`|^    )make( [a-z][a-z0-9-]*)+' "$repository/$1" | sed 's/.*make//' | tr ' ' '\n' | sort -u | while read -r target; do
        [ -z "$target" ] || grep -q "^$target:" "$repository/Makefile" || echo "make $target"
    done
}
nothing() { # COMMAND...: it prints nothing.
    "$@" >"$scratch/printed"
    cat "$scratch/printed"
    [ ! -s "$scratch/printed" ]
}

# arguments with NAME set to VALUE, instead of what was there
with() { # NAME VALUE
    line="$(echo "$line" | sed -E "s/ $1 [^ ]+//") $1 $2"
}
without() { # NAME...: is none of these words in the line?
    for word; do case " $line " in *" $word "*) return 1 ;; esac done
}
cheaply() {
    case $line in
    train\ --resume*\ --steps*) with --steps 3 ;;
    train\ *--minutes*) with --minutes 0.01 && with --threads 1 && with --eval-tokens 600 ;;
    *' --help'* | *'--pos help'* | *'--resume'*) ;;
    train\ *)
        with --steps 2 && with --eval-every 0 && with --eval-tokens 600 && with --threads 1 && with --batch 1
        without --init && with --width 16
        case $line in
        *@* | *\**) ;; # schemes by layer need theirs
        *) without --init && with --layers 1 && with --heads 2 ;;
        esac
        ;;
    eval\ *)
        with --threads 1
        without --task && with --eval-tokens 3000
        without --task || with --samples 2
        ;;
    extend\ *longrope*) with --generations 1 && with --population 4 && with --windows 1 ;;
    extend\ *gradient*) with --steps 1 && with --windows 1 ;;
    compare\ *)
        with --steps 2 && with --seeds 2 && with --layers 1 && with --heads 2 && with --width 16 && with --context 16
        with --batch 1 && with --eval-tokens 600
        ;;
    properties*) with --context 16 ;;
    sample\ *) with --tokens 20 ;;
    bench*) with --steps 1 && with --layers 1 && with --width 16 ;;
    esac
}

for guide in $guides; do
    check "$guide: options exist" nothing unknown_options "$guide"
    check "$guide: links lead somewhere" nothing dead_links "$guide"
    check "$guide: make targets exist" nothing unknown_targets "$guide"
    mkdir "$scratch/guide" && cd "$scratch/guide" || exit 1
    cat "$repository"/posenc/*.[ch] >book.txt
    cp book.txt tinyshakespeare.txt
    ln -s "$repository/posenc" posenc
    commands_of "$guide" | sed -n 's|^\./bitter ||p' >"$scratch/commands"
    while read -r line; do
        said=$line
        case $line in *\'*) ;; *) line=${line%% >*} ;; esac # the test keeps what is printed
        cheaply
        eval "succeed \"\$guide: bitter \$said\" $line"
    done <"$scratch/commands"
    cd "$scratch/work" && rm -rf "$scratch/guide"
done

# --- what the program and the records know ---
cd "$repository" || exit 1
schemes=0
for scheme in $("$BITTER" train --pos help | sed -n 's/^\([a-z][a-z0-9-]*\)    .*/\1/p'); do
    check "docs/schemes.md names $scheme" grep -qF "[$scheme](../posenc/" docs/schemes.md
    schemes=$((schemes + 1))
done
check "README.md says how many schemes there are, besides the two controls" grep -qF "with $((schemes - 2)) position schemes" README.md
check "README.md has at most 90 lines" test "$(wc -l <README.md)" -le 90
for picture in $(sh scripts/pictures.sh "$BITTER"); do
    sh scripts/pictures.sh "$BITTER" "$picture" >"$scratch/picture.svg"
    check "docs/$picture.svg is what \`make pictures\` draws" cmp "docs/$picture.svg" "$scratch/picture.svg"
done
sed -n '/^| rope |/,/^$/ { /^|/p; /^$/q; }' runs/baseline/layers/table.md >"$scratch/layers"
sed 's/^\(| [a-z-]* \)| `[^|]*|/\1|/' docs/schemes.md >"$scratch/schemes"
check "docs/schemes.md has the table of make layers" test "$(grep -cxF -f "$scratch/layers" "$scratch/schemes")" -eq 7
version=$("$BITTER" --version | sed 's/bitter //')
check "CHANGELOG.md knows version $version" grep -q "^## $version" CHANGELOG.md
check "CITATION.cff has version $version" grep -qxF "version: $version" CITATION.cff
finish
