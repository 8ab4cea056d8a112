# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# Schemes as `bitter compare` takes them, with the learning rates that other comparisons have chosen. Scripts source
# this. $results holds the comparisons, and $from names those whose rates are taken, in the order of the settings.
# results_of PART: the part's table, or, until the part has run, the one in the directory $recorded.
results_of() {
    [ -f "$results/$1/results.csv" ] || [ -z "${recorded:-}" ] || set -- "$1" "$recorded"
    echo "${2:-$results}/$1/results.csv"
}

# spec NAME: the scheme of that name.
spec() {
    case $1 in
    rope-random) echo rope-learned:start=wide ;;
    alibi-random) echo alibi-learned:start=wide ;;
    alibi-steep) echo alibi:scale=4 ;;
    *) echo "$1" ;;
    esac
}

# named NAME...: the schemes, without rates.
named() {
    for name in "$@"; do echo "$name=$(spec "$name")"; done
}

# rate NAME: the learning rates that were chosen for a scheme, one for each setting.
rate() {
    for chosen in $from; do
        awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
            $column["scheme"] == name && $column["chosen"] == 1 && !seen[$column["setting"]]++ {
                print $column["learning_rate"]
            }' "$(results_of "$chosen")"
    done | paste -s -d / -
}

# arms NAME...: the schemes, each with its rates. NAME~OTHER and LABEL=SPEC~OTHER take the rates of OTHER.
arms() {
    for name in "$@"; do
        case $name in
        *=*~*) printf '%s@%s ' "${name%~*}" "$(rate "${name##*~}")" ;;
        *~*) printf '%s=%s@%s ' "${name%~*}" "$(spec "${name%~*}")" "$(rate "${name##*~}")" ;;
        *) printf '%s=%s@%s ' "$name" "$(spec "$name")" "$(rate "$name")" ;;
        esac
    done
}
