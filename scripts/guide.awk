# SPDX-License-Identifier: MIT
# A guide as `make install` installs it: a link to a file that is not installed becomes plain text, because the source
# tree is not there. -v documents="FILE...": the installed files; -v name=FILE: the guide, with its folder.
{ text = text $0 "\n" }
END {
    count = split(documents, list, " ")
    for (i = 1; i <= count; i++) installed[list[i]] = 1
    folder = name
    if (!sub(/[^\/]*$/, "", folder)) folder = ""
    while (match(text, /!?\[[^][]*\]\([^() ]*\)/)) {
        link = substr(text, RSTART, RLENGTH)
        printf "%s", substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        target = words = link
        sub(/^.*\]\(/, "", target)
        sub(/(#.*)?\)$/, "", target)
        sub(/^!?\[/, "", words)
        sub(/\]\([^()]*\)$/, "", words)
        path = folder target
        while (sub(/[^\/]+\/\.\.\//, "", path)) continue
        printf "%s", target == "" || target ~ /:/ || path in installed ? link : words
    }
    printf "%s", text
}
