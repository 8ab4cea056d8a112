# Completion in bash and zsh: what the program offers, and what the shells make of it.
. tests/support/shell

# offers EXPECTED WORD...: what `bitter complete WORD...` prints, in one line.
offers() {
    expected=$1
    shift
    run complete "$@"
    printed=$(tr '\n' ' ' <"$scratch/out")
    if [ "$code" -eq 0 ] && [ "$printed" = "$expected${expected:+ }" ] && [ ! -s "$scratch/err" ]; then
        pass "complete $*"
    else
        fail "complete $*" "expected: $expected
printed: $printed"
    fi
}
# What help lists is what is offered.
"$BITTER" --help | awk '/^  [a-z]+ / { print $1 }' >"$scratch/commands"
schemes=$("$BITTER" train --pos help | sed -n 's/^\([a-z][a-z0-9-]*\)    .*/\1/p' | sort | tr '\n' ' ')
check "there are commands and schemes" test "$(wc -l <"$scratch/commands")-$(echo "$schemes" | wc -w)" != 0-0
offers "$(tr '\n' ' ' <"$scratch/commands" | sed 's/ $//')" tr
while read -r command; do
    "$BITTER" "$command" --help | grep -oE '^  (-h, )?--[a-z0-9-]+' | grep -oE -e '--[a-z0-9-]+' | sort >"$scratch/listed"
    "$BITTER" complete "$command" -- | sort >"$scratch/offered"
    check "complete $command --: its options" cmp "$scratch/listed" "$scratch/offered"
done <"$scratch/commands"
for words in 'train --pos x' 'gradcheck --pos x' 'compare x' 'demo x' 'compare rope x'; do
    # shellcheck disable=SC2086
    check "complete $words: the schemes" test "$("$BITTER" complete $words | sort | tr '\n' ' ')" = "$schemes"
done
offers 'float bf16' train --precision ''
offers 'DIR' eval ''
offers 'DIR' eval --csv table.csv r
offers 'FILE' eval --csv ''
offers 'FILE' prepare b
offers 'FILE DIR' train my
offers 'DIR' import ''
offers 'DIR' train --data ''
offers '' train --steps ''
offers 'FILE DIR' train --resume x
offers '' there-is-no-such-command x

# --- the shells ---
mkdir "$scratch/bin" && ln -s "$BITTER" "$scratch/bin/bitter"
PATH=$scratch/bin:$PATH
bash_offers() { # WORD...: what the function leaves in COMPREPLY, and the options of compopt
    bash -c '. "$1/scripts/completion.bash"
        compopt() { printf "%s " "$@"; }
        shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _bitter
        echo "${COMPREPLY[@]}"' bash "$repository" "$@"
}
zsh_offers() { # WORD...: all that is given to compadd, which would leave out what does not begin like the word
    zsh -fc 'compadd() { shift; found+=($@) }
        _files() { found+=(files $@) }
        typeset -a found words
        file=$1/scripts/completion.zsh
        shift
        words=("$@") CURRENT=$#
        . $file
        echo $found' zsh "$repository" "$@"
}
# shell_offers SHELL EXPECTED WORD...
shell_offers() {
    shell=$1 expected=$2
    shift 2
    check "$shell: $*" test "$("${shell}_offers" "$@")" = "$expected"
}
if command -v bash >/dev/null; then
    shell_offers bash 'train' bitter tr
    shell_offers bash '--steps --seed --sample-every --save-every' bitter train --s
    shell_offers bash 'rope rope2d rope-learned' "$scratch/bin/bitter" train --pos rope
    shell_offers bash 'bf16' bitter train --threads 2 --precision b
    shell_offers bash '-o plusdirs ' bitter eval runs/
    shell_offers bash '-o default ' bitter prepare book
    shell_offers bash '' bitter train --steps 1
    check "bash: it is registered" bash -c '. "$0/scripts/completion.bash" && complete -p bitter' "$repository"
else
    lacks "bash" bash bash
fi
if command -v zsh >/dev/null; then
    shell_offers zsh "$(tr '\n' ' ' <"$scratch/commands" | sed 's/ $//')" bitter tr
    shell_offers zsh 'float bf16' bitter train --precision b
    shell_offers zsh 'files -/' bitter eval runs/
    shell_offers zsh 'files' bitter prepare book
    shell_offers zsh '' bitter train --steps 1
else
    lacks "zsh" zsh zsh
fi
finish
