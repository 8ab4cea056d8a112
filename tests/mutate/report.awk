# awk -F TAB -v wanted=COUNT -f report.awk equivalent.txt results.csv mutants: how the first `wanted` mutants ended, by
# file, and the survivors in the format of equivalent.txt. Ends with exit code 1 if a survivor is unexplained, or an
# explanation is wrong.

FILENAME == ARGV[1] { # a file, "- before", "+ after", the reason; lines between them are empty or begin with #
    if (/^#/ || /^ *$/) next
    if (/^- /) before = substr($0, 3)
    else if (/^\+ /) { entry = file SUBSEP before SUBSEP substr($0, 3); reasons[entry] = "" }
    else if (/^[a-z0-9_\/]+\.[ch]$/) { file = $0; entry = "" }
    else if (entry != "") reasons[entry] = reasons[entry] $0
    next
}
FILENAME == ARGV[2] {
    split($0, part, ",")
    result_of[part[1]] = part[3]
    by[part[1]] = part[4]
    seconds[part[1]] += part[5]
    next
}
{
    entry = $2 SUBSEP trim($4) SUBSEP trim($5)
    if (entry in reasons) known[entry] = 1
    if (!($1 in result_of)) { missing = 1; next }
    result = result_of[$1]
    explained = entry in reasons && reasons[entry] != ""
    if (explained && result !~ /^(survived|same code)$/)
        wrong = wrong "\n" $2 ":" $3 ": this mutant is not equivalent: " result " " by[$1] ": " trim($5)
    if (missing || tried == wanted) next
    if (!($2 in seen)) { seen[$2] = 1; names[++files] = $2 }
    if (result == "survived" && explained) result = "explained"
    count[$2, result]++
    total[result]++
    time += seconds[$1]
    if (result ~ /^(killed|timeout|survived|explained)$/) tried++
    if (result == "survived") survivors = survivors "\n" $2 "\n- " trim($4) "\n+ " trim($5) "\n"
}

function trim(text) {
    sub(/^ +/, "", text)
    return text
}

function row(name, of,    i) {
    printf "%-32s", name
    for (i = 1; i <= kinds; i++) printf " %12s", of == "" ? total[kind[i]] + 0 : count[of, kind[i]] + 0
    print ""
}

END {
    kinds = split("killed,timeout,survived,explained,not compiled,same code", kind, ",")
    printf "%-32s", "file"
    for (i = 1; i <= kinds; i++) printf " %12s", kind[i]
    print ""
    for (i = 2; i <= files; i++) { # by name
        name = names[i]
        for (j = i - 1; j > 0 && names[j] > name; j--) names[j + 1] = names[j]
        names[j + 1] = name
    }
    for (i = 1; i <= files; i++) row(names[i], names[i])
    row("all", "")
    printf "%d of %d mutants tried in %.1f hours; %d survived: %.1f%%, and %d more are explained as equivalent\n", tried,
        wanted, time / 3600, total["survived"], tried ? 100 * total["survived"] / tried : 0, total["explained"]
    if (survivors != "") print "survivors, to be answered by a test or explained in tests/mutate/equivalent.txt:" survivors
    for (entry in reasons) {
        split(entry, part, SUBSEP)
        if (!(entry in known)) wrong = wrong "\n" part[1] " has no such mutant any more: " part[3]
        if (reasons[entry] == "") wrong = wrong "\n" part[1] ": no reason is given for: " part[3]
    }
    if (wrong != "") print "wrong in tests/mutate/equivalent.txt:" wrong
    exit survivors != "" || wrong != ""
}
