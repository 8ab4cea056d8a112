# Completion of bitter's commands, options and their values in bash; `make install` puts it where bash finds it.
_bitter() {
    local word=${COMP_WORDS[COMP_CWORD]} kind words=
    for kind in $("${COMP_WORDS[0]}" complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
        case $kind in
        FILE) compopt -o default ;;
        DIR) compopt -o plusdirs ;;
        *) words="$words $kind" ;;
        esac
    done
    # shellcheck disable=SC2207 # no word has spaces
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _bitter bitter
