# SPDX-License-Identifier: MIT
# The second part of the translation of tales.txt to C: statements and phrases.

# --- Statements ---

function add_statement(text,    keyword, part) {
    if (text !~ /^- / || level != told_level) end_alternatives()
    closed = ""
    while (depth > level) close_block()
    expect(level == depth, "a line indented as the one above allows", text)
    if (text ~ /^- /) {
        if (!told) told_line = FNR
        told_level = level
        alternative[++told] = substr(text, 3)
        return
    }
    emit("#line " FNR " \"" FILENAME "\"")
    keyword = text
    sub(/[ :].*/, "", keyword)
    statements = statements " " keyword
    if (keyword == "else") expect(closed == "if", "an \"if\" above, indented as this line is", text)
    if (keyword ~ /^(if|else|for|learn)$/) expect(sub(/:$/, "", text), "a colon at the end", text)
    if (text == "else") open_block("else", "else")
    else if (sub(/^else if /, "", text)) open_block("if", "else if (" conditions(text) ")")
    else if (sub(/^if /, "", text)) open_block("if", "if (" conditions(text) ")")
    else if (sub(/^for /, "", text)) open_block("for", loop(text))
    else if (sub(/^learn /, "", text))
        open_block("learn", "for (begin_learning(" learnt(text) "); story->learning; end_learning(story))")
    else if (sub(/^recite /, "", text)) emit("recite(" learnt(text) ");")
    else if (sub(/^ask /, "", text)) tell("\\n\"" text "{asked}")
    else if (sub(/^answer /, "", text)) tell(text "{answered}")
    else if (text ~ /^do .* questions$/) emit("ask(story, " value(substr(text, 4, length(text) - 13)) ");")
    else if (sub(/^do /, "", text)) emit("if (!" reference(text, "script") "(story)) return false;")
    else if (sub(/^maybe /, "", text)) emit(cast(text) ";")
    else if (sub(/^need /, "", text) || text ~ /^[A-Z] = (somebody|thing|list|product)( |$)/)
        emit("if (!(" conditions(text) ")) return false;")
    else if (split(text, part, " := ") == 2) add_name(part[1], part[2])
    else if (split(text, part, " = ") == 2) add_assignment(part[1], part[2])
    else expect(0, "one of the statements that stand at the top of the file", text)
}

function open_block(keyword, head) {
    emit(head " {")
    block[depth++] = keyword
}

function close_block() {
    emit("}")
    closed = block[--depth]
}

# Consecutive lines of text are alternatives.
function end_alternatives() {
    if (!told) return
    at = told_line
    add_choice(told, alternative, 1)
    told = 0
    at = FNR
}

# One of n phrases, each `lines` below the one before.
function add_choice(n, phrase, lines,    i) {
    emit("switch (" (n > 1 ? "pick(story, " n ")" : 0) ") {")
    for (i = 1; i <= n; i++) {
        emit("case " i - 1 ":")
        tell(phrase[i])
        emit("break;")
        at += lines
    }
    emit("}")
}

# "I below N" counts I from 0.
function loop(text,    part, counter) {
    expect(split(text, part, " below ") == 2, "\"for I below N:\"", text)
    counter = value(part[1])
    return "for (" counter " = 0; " counter " < " value(part[2]) "; " counter "++)"
}

# "L I", "song I" or "recipe I"
function learnt(text,    word) {
    expect(split(text, word, " ") == 2 && (kind_of[word[1]], "count") in has, \
           "what is learnt, and a number: L I, song I or recipe I", text)
    return "story, " entity(word[1]) ", " value(word[2])
}

# "[new] name of A := PHRASE"
function add_name(target, text,    is_new, word) {
    is_new = sub(/^new /, "", target)
    expect(split(target, word, " ") == 3 && word[1] ~ /^(name|town)$/, "\"name of X\" or \"town of A\"", target)
    emit("do {\nconst size_t start = story->text->size;")
    tell(text)
    emit("take_name(story, " value(target) ", start);")
    emit("} while (" (is_new ? "has_namesake(story, " member(word[3]) ")" : "false") ");")
}

# "N = TERM + TERM ...", from left to right
function add_assignment(target, text,    operator, next_operator, first) {
    expect(value(target) ~ />/, "something that can change", target)
    emit("{")
    operator = "int value ="
    while (match(text, / ([-+*]|mod) /)) {
        first = substr(text, 1, RSTART - 1)
        next_operator = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        emit(operator " " term(first) ";")
        operator = "value " (next_operator == "mod" ? "%" : next_operator) "="
    }
    emit(operator " " term(text) ";\n" value(target) " = value;\n}")
}

function term(text,    part) {
    if (sub(/^any /, "", text)) return "any(story, &" reference(text, "list") ")"
    if (split(text, part, " number ") == 2)
        return "numbered(story, &" reference(part[1], "list") ", " value(part[2]) ")"
    if (!sub(/^random /, "", text)) return value(text)
    expect(split(text, part, " to ") == 2, "random LOW to HIGH", text)
    return "random_between(story, " value(part[1]) ", " value(part[2]) ")"
}

function conditions(text,    i, n, part, result) {
    n = split(text, part, " and ")
    for (i = 1; i <= n; i++) result = result (i > 1 ? " && " : "") condition(part[i])
    return result
}

function condition(text,    part, operator) {
    if (text ~ /^[A-Z] = /) return cast(text)
    if (text ~ /^[0-9]+ in [0-9]+$/) {
        sub(/ in /, ", ", text)
        return "chance(story, " text ")"
    }
    expect(split(text, part, " is ") == 2, "a condition: A is B, is not, is over, is under, 2 in 3, X = thing", text)
    operator = "=="
    if (sub(/^not /, "", part[2])) operator = "!="
    else if (sub(/^over /, "", part[2])) operator = ">"
    else if (sub(/^under /, "", part[2])) operator = "<"
    return value(part[1]) " " operator " " value(part[2])
}

# "A = somebody besides B, C", "X = thing with holder A, hider not B", "L = list with due yes if possible". The test of
# a candidate, which is called `it`, becomes a function.
function cast(text,    letter, noun, if_possible, test) {
    letter = substr(text, 1, 1)
    noun = text = substr(text, 5)
    sub(/ .*/, "", noun)
    expect((noun == "somebody" ? "people" : noun "s") == kind_of[letter], \
           "somebody, thing, list or product, as fits the letter " letter, noun)
    if_possible = sub(/ if possible$/, "", text) ? "true" : "false"
    text = substr(text, length(noun) + 2)
    if (sub(/^besides /, "it is not ", text)) gsub(/, /, " and it is not ", text)
    else if (sub(/^with /, "", text)) {
        gsub(/(^|, )[a-z]+/, "& of it is", text)
        gsub(/, /, " and ", text)
    } else expect(text == "", "\"besides\" or \"with\"", text)
    test = "NULL"
    if (text != "") {
        test = "test_" ++tests
        kind_of["it"] = kind_of[letter]
        variable["it"] = "it"
        print "static bool " test "(Story *story, int it) {\n    return " conditions(text) ";\n}\n"
        delete variable["it"]
    }
    return "cast(story, " toupper(kind_of[letter]) ", &" variable[letter] ", " test ", " if_possible ")"
}

function value(text,    word) {
    if (text ~ /^(-?[0-9]+|yes|no|nobody|unknown)$/) return text
    if (text ~ /^(people|things|places|lists|products)$/) return "story->count[" toupper(text) "]"
    if (variable[text] ~ /^[a-z]/) return variable[text]
    expect(split(text, word, " ") == 3 && word[2] == "of" && (kind_of[word[3]], word[1]) in has, \
           "a number, a letter or something that stories remember", text)
    return entity(word[3]) "->" word[1]
}

function member(letter) { return toupper(kind_of[letter]) ", " variable[letter] }
function entity(letter) { return "entity(story, " member(letter) ")" }

function reference(word, sort) {
    expect(sort_of[word] == sort, "the name of a " sort, word)
    return identifier(word)
}

# --- Phrases ---

function tell(text,    bracket, end, inner, n, part) {
    while (match(text, /[{<]/)) {
        add_text(substr(text, 1, RSTART - 1))
        bracket = substr(text, RSTART, 1) == "{" ? "}" : ">"
        text = substr(text, RSTART + 1)
        end = index(text, bracket)
        expect(end, "a " bracket, text)
        inner = substr(text, 1, end - 1)
        text = substr(text, end + 1)
        n = split(inner, part, "[|]")
        if (bracket == "}") add_slot(inner)
        else add_choice(n, part, 0)
    }
    add_text(text)
}

function add_text(text,    rest) {
    rest = text
    gsub(/\\n/, "", rest)
    expect(rest !~ /[}|>\\]/, "}, |, > only behind { or <, and no backslash but \\n", text)
    gsub(/_/, " ", text)
    gsub(/["?]/, "\\\\&", text)
    if (text != "") emit("add(story, \"" text "\");")
}

# The contents of braces: [FORM] LETTER, LIST [NUMBER] or a script; "the" or "a" may stand before all of these.
function add_slot(text,    form, rest, kind) {
    if (text ~ /^[A-Z]./) {
        emit("story->capital = true;")
        text = tolower(substr(text, 1, 1)) substr(text, 2)
    }
    form = rest = text
    if (!sub(/^[^ ]* /, "", rest)) form = "name"
    sub(/ .*/, "", form)
    kind = kind_of[rest]
    if ((kind, form) in meaning) {
        text = meaning[kind, form]
        gsub(/[*]/, rest, text)
        tell(text)
    } else if ((kind, form) in has && form ~ /^(name|town)$/) {
        emit("add(story, " entity(rest) "->" form ");")
        if (kind == "things") emit(entity(rest) "->due = false;")
    } else if (kind == "passwords" && form ~ /^(spelled|backwards)$/) {
        emit("add_" form "(story, " entity(rest) "->name);")
    } else if (form == "the" || form == "a") {
        emit(form == "a" ? "story->article = true;" : "add(story, \"the \");")
        add_slot(rest)
    } else if (form == "coins" || form == "#") {
        emit((form == "#" ? "text_print(story->text, \"%d\", " : "add_coins(story, ") number(rest) ");")
    } else if (sort_of[text] == "script") {
        emit(identifier(text) "(story);")
    } else if (sort_of[text] == "list") {
        emit("tell(story, &" identifier(text) ", any(story, &" identifier(text) "));")
    } else {
        expect(sort_of[form] == "list", "a form, list or script in braces", text)
        emit("tell(story, &" identifier(form) ", " number(rest) ");")
    }
}

function number(text) {
    expect(kind_of[text] ~ /^(numbers|spots)$/ || text ~ / of /, "a number here, or a value as in \"kind of L\"", text)
    return value(text)
}
