#compdef bitter
# Completion of bitter's commands, options and their values in zsh; `make install` puts it where zsh finds it, as _bitter.
local kind
for kind in ${(f)"$($words[1] complete "${(@)words[2,CURRENT]}" 2>/dev/null)"}; do
    case $kind in
        FILE) _files ;;
        DIR) _files -/ ;;
        *) compadd -- $kind ;;
    esac
done
