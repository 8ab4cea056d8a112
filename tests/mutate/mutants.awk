# Every mutation of the given C files, in a random order determined by `-v seed=N`: lines "ID FILE LINE BEFORE AFTER"
# with tabs between them, where BEFORE is a line of code and AFTER the mutated line. README.md lists the kinds. An ID
# depends on the file and the text of both lines, but not on the line's number or the seed.

BEGIN {
    for (i = 32; i < 127; i++) code_of[sprintf("%c", i)] = i
    pairs("== !=  && ||  ++ --  += -=  *= /=  << >>")
    pairs("true false  break continue  fmin fmax  min max")
    pairs_of_spaced("+ -  * /  < <=  > >=  & |")
    spaced["%"] = "/"
    swap["<="] = "<"
    swap[">="] = ">"
    # Assertions, and what is said to the user.
    set(silent, "assert _Static_assert fail_input fail_run fail_too_large complaint FORMAT_CHECK")
    set(keyword, "if for while switch do else return case default goto sizeof typedef struct enum free fclose")
    set(head, "if for while")
    set(assigns, "= += -= *= /= ++ -- ( [ . ->")
    set(ends, "; { } ) : else")
    set(symmetric, "fmin fmax min max hypot")
}

function pairs(text,    list, n, i) {
    n = split(text, list)
    for (i = 1; i <= n; i += 2) { swap[list[i]] = list[i + 1]; swap[list[i + 1]] = list[i] }
}

function pairs_of_spaced(text,    list, n, i) {
    n = split(text, list)
    for (i = 1; i <= n; i += 2) { spaced[list[i]] = list[i + 1]; if (list[i + 1] !~ /=/) spaced[list[i + 1]] = list[i] }
}

function set(words, text,    list, n, i) {
    n = split(text, list)
    for (i = 1; i <= n; i++) words[list[i]] = 1
}

# A number below 2^37; products stay below 2^53, up to where doubles hold every whole number.
function hash(text,    h, i, n) {
    n = length(text)
    for (i = 1; i <= n; i++) h = (h * 65521 + code_of[substr(text, i, 1)] + 1) % 137438953447
    for (i = 0; i < 4; i++) h = (h * 65521 + 12345) % 137438953447
    return h
}

FNR == 1 { skipped_directive = parentheses = 0; last = ";" }
skipped_directive || /^#/ && !/^#define/ { skipped_directive = /\\$/; next }
{
    n = tokenize($0)
    for (i = 1; i <= n; i++) if (!muted[i]) { token(i); subscript(i); arguments(i) }
    if (n && $0 ~ /^    / && last in ends) statement(n)
    if (n) last = tokens[n]
}

# The tokens of a line -> tokens, at (their columns) and muted, 1 to n, without comments and texts.
function tokenize(line,    rest, column, n) {
    rest = line
    column = 1
    while (rest != "" && rest !~ /^\/\//) {
        if (!(match(rest, /^ +/) || match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^'([^'\\]|\\.)*'/))) {
            if (!(match(rest, /^(0x[0-9a-fA-F]+|[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?)[uUlLfF]*/) ||
                  match(rest, /^[A-Za-z_][A-Za-z_0-9]*/) ||
                  match(rest, /^(->|\+\+|--|<<|>>|[-+*\/<>=!]=|&&|\|\|)/))) RLENGTH = 1
            tokens[++n] = substr(rest, 1, RLENGTH)
            at[n] = column
            if (!parentheses && tokens[n] in silent) parentheses = -1
            muted[n] = parentheses != 0
            if (parentheses && tokens[n] == "(") parentheses += parentheses < 0 ? 2 : 1
            else if (parentheses > 0 && tokens[n] == ")") parentheses--
        }
        column += RLENGTH
        rest = substr(rest, RLENGTH + 1)
    }
    tokens[n + 1] = tokens[0] = tokens[-1] = tokens[-2] = tokens[-3] = ""
    return n
}

# A mutant: AFTER takes the place of tokens i to k.
function mutant(i, k, after,    line, id) {
    line = substr($0, 1, at[i] - 1) after substr($0, at[k] + length(tokens[k]))
    id = FILENAME $0 line
    id = sprintf("%.0f", hash(id same[id]++))
    printf "%012.0f\t%s\t%s\t%d\t%s\t%s\n", hash(seed " " id), id, FILENAME, FNR, $0, line | "LC_ALL=C sort | cut -f 2-"
}

function token(i,    t, apart) {
    t = tokens[i]
    apart = substr($0, at[i] - 1, 1) == " " && substr($0, at[i] + length(t), 1) ~ /^ ?$/
    if (t in swap) mutant(i, i, swap[t])
    else if (t in spaced && apart) mutant(i, i, spaced[t])
    else if (t == "!" || t == "-") mutant(i, i, "")
    else if (t ~ /^[0-9]/ && !(tokens[i - 1] == "[" && declares(i - 2))) mutant(i, i, other_number(t))
}

# 0 -> 1, 1 -> 0, 2 -> 3, 0.5 -> 1.5, 3e-8 -> 4e-8, 0x1f -> 0x11f
function other_number(t,    digits) {
    if (t == "1") return "0"
    if (sub(/^0x/, "0x1", t)) return t
    match(t, /^[0-9]+/)
    digits = substr(t, 1, RLENGTH)
    return sprintf("%.0f", digits + 1) substr(t, RLENGTH + 1)
}

# Token i is the name of an array declared here; a larger array does no harm.
function declares(i) {
    return tokens[i - 1] ~ /^[A-Za-z_]/ && !(tokens[i - 1] in keyword)
}

function subscript(i) { # [i] -> [i + 1]
    if (tokens[i] == "]" && tokens[i - 1] ~ /^[a-z_]+$/ && tokens[i - 2] == "[" && !declares(i - 3))
        mutant(i - 1, i - 1, tokens[i - 1] " + 1")
}

function arguments(i) { # f(a, b -> f(b, a
    if (tokens[i] ~ /^[,)]$/ && tokens[i - 1] ~ /^[a-z]/ && tokens[i - 2] == "," && tokens[i - 3] ~ /^[a-z]/ &&
        tokens[i - 4] == "(" && tokens[i - 5] ~ /^[a-z]/ && !(tokens[i - 5] in symmetric) && tokens[i - 1] != tokens[i - 3])
        mutant(i - 3, i - 1, tokens[i - 1] ", " tokens[i - 3])
}

# Removes a whole statement on this line, or the one after if (...), for (...) or while (...); a declaration stays.
function statement(n,    i, depth) {
    for (i = 1; tokens[i] in head; i++) {
        depth = 0
        while (++i < n && (depth += (tokens[i] == "(") - (tokens[i] == ")"))) continue
    }
    if (muted[i] || tokens[n] != ";" || tokens[i] in keyword) return
    if (tokens[i + 1] == "(" && at[i + 1] > at[i] + length(tokens[i])) return # a pointer to a function
    if (tokens[i] ~ /^[A-Za-z_]/ && tokens[i + 1] in assigns || tokens[i] ~ /^(\*|\+\+|--)$/) mutant(i, n, ";")
}
