# The second part of scripts/tales.sh: the statements of scenes, scripts and questions become the steps of tables.h.

function emit(text) {
    step[script, steps++] = text
    step_count[script] = steps
}

# A step that goes on elsewhere when its condition is false; the caller says where.
function emit_condition(text) {
    pending = pending " " steps
    emit(text)
}

function go_on_at(which, target,    i, n, number) {
    n = split(which, number, " ")
    for (i = 1; i <= n; i++) skip[script, number[i]] = target
}

function open_block(kind) {
    depth++
    block[depth] = kind
    start[depth] = steps
    misses[depth] = ends[depth] = ""
}

function close_block() {
    if (block[depth] == "learn") emit(".op = LEARNT")
    if (block[depth] == "for") {
        skip[script, steps] = start[depth]
        emit(".op = JUMP")
    }
    go_on_at(misses[depth] " " ends[depth], steps)
    depth--
}

function add_statement(text) {
    if (text ~ /^else/) {
        while (depth > level) close_block()
        if (depth != level || block[depth] != "if") fail("this \"else\" belongs to no \"if\" that is indented as it is")
        ends[depth] = ends[depth] " " steps
        emit(".op = JUMP")
        go_on_at(misses[depth], steps)
        misses[depth] = ""
        if (text == "else:") return
        sub(/^else /, "", text)
        if (text !~ /^if /) fail("expected \"else:\" or \"else if CONDITION:\"")
        add_if(text)
        return
    }
    while (depth > level - 1) close_block()
    if (depth < level - 1) fail("indented further than the line above allows")
    pending = ""
    if (text ~ /^- /) add_told(substr(text, 3))
    else if (text ~ /^ask /) {
        tell_one("\\n\"" substr(text, 5) "{asked}")
        asks++
    } else if (text ~ /^answer /) {
        tell_one(substr(text, 8) "{answered}")
        answers++
    } else if (text ~ /^if /) {
        open_block("if")
        add_if(text)
    } else if (text ~ /^need /) {
        add_conditions(substr(text, 6))
        go_on_at(pending, "REFUSE")
    } else if (text ~ /^maybe [A-Z] = /) {
        add_cast(substr(text, 7))
        go_on_at(pending, steps)
    } else if (text ~ /^for /) add_for(text)
    else if (text ~ /^(learn|recite) /) add_learn(text)
    else if (text ~ /^do /) add_do(substr(text, 4))
    else if (index(text, " := ")) add_name(text)
    else if (text ~ /^[A-Z] = (somebody|thing|list|product)( |$)/) {
        add_cast(text)
        go_on_at(pending, "REFUSE")
    } else if (index(text, " = ")) add_assignment(text)
    else fail("\"" text "\" is no statement; what there is stands at the top of the file")
}

function without_colon(text) {
    if (!sub(/:$/, "", text)) fail("expected a colon at the end of this line")
    return text
}

# Alternatives in lines that follow each other.
function add_told(text) {
    if (told_line != FNR - 1 || told_level != level || told_script != script) tell_one(text)
    else add_phrase(told, text)
    told_line = FNR
    told_level = level
    told_script = script
}

function tell_one(text) {
    told = "told-" ++told_count
    define_list(told)
    add_phrase(told, text)
    emit(".op = TELL, .phrases = " list_reference(told))
}

function add_if(text) {
    pending = ""
    add_conditions(substr(without_colon(text), 4))
    misses[depth] = pending
}

function add_conditions(text,    i, n, condition) {
    n = split(text, condition, " and ")
    for (i = 1; i <= n; i++) {
        if (condition[i] ~ /^[0-9]+ in [0-9]+$/) add_chance(condition[i])
        else if (condition[i] ~ /^[A-Z] = /) add_cast(condition[i])
        else add_comparison(condition[i])
    }
}

function add_chance(text,    word) {
    split(text, word, " ")
    emit_condition(".op = CHANCE, .low = {LITERAL, " word[1] "}, .high = {LITERAL, " word[3] "}")
}

function add_comparison(text,    at, left, right, op) {
    at = index(text, " is ")
    if (!at) fail("\"" text "\" is no condition; conditions are A is B, is not, is over, is under, 2 in 3, X = thing")
    left = substr(text, 1, at - 1)
    right = substr(text, at + 4)
    op = "IS"
    if (sub(/^not /, "", right)) op = "IS_NOT"
    else if (sub(/^over /, "", right)) op = "IS_OVER"
    else if (sub(/^under /, "", right)) op = "IS_UNDER"
    emit_condition(".op = " op ", .low = " operand(left) ", .high = " operand(right))
}

# "A = somebody besides B, C", "X = thing with holder A, hider not B", "L = list with due yes if possible"
function add_cast(text,    letter, noun, rather, n, i, test, word) {
    letter = substr(text, 1, 1)
    text = substr(text, 5)
    noun = text
    sub(/ .*/, "", noun)
    if (!(noun in kind_of_noun)) fail("\"" noun "\": expected somebody, thing, list or product")
    if (kind_of[letter] != kind_of_noun[noun]) fail(letter " does not stand for " kind_of_noun[noun])
    rather = sub(/ if possible$/, "", text)
    text = substr(text, length(noun) + 2)
    emit_condition(".op = CAST, .to = {ROLE, " role[letter] "}" (rather ? ", .how = RATHER" : ""))
    n = split(text, test, ", *")
    if (text != "" && text !~ /^(besides|with) /) fail("\"" text "\": expected \"besides ...\" or \"with ...\"")
    for (i = 1; i <= n; i++) {
        if (text ~ /^besides /) {
            sub(/^besides /, "", test[i])
            emit(".op = TEST, .how = IS_NOT, .low = {SELF, 0}, .high = " operand(test[i]))
            continue
        }
        sub(/^with /, "", test[i])
        split(test[i], word, " ")
        if (!(word[1] in attribute)) fail("\"" word[1] "\" is nothing that stories remember")
        sub(/^[a-z]+ /, "", test[i])
        emit(".op = TEST, .how = " (sub(/^not /, "", test[i]) ? "IS_NOT" : "IS") ", .low = {" attribute[word[1]] ", 0" \
             "}, .high = " operand(test[i]))
    }
}

# "for I below N:" counts I from 0.
function add_for(text,    word, target) {
    if (split(without_colon(text), word, " ") < 4 || word[3] != "below") fail("expected \"for I below N:\"")
    target = operand(word[2])
    text = without_colon(text)
    sub(/^for [^ ]+ below /, "", text)
    emit(".op = SET, .to = " target ", .low = {LITERAL, -1}")
    open_block("for")
    emit(".op = ADD, .to = " target ", .low = {LITERAL, 1}")
    emit_condition(".op = IS_UNDER, .low = " target ", .high = " operand(text))
    misses[depth] = pending
}

# "learn L I:" and "recite L I"
function add_learn(text,    word, op) {
    op = text ~ /^learn/ ? "LEARN" : "RECITE"
    if (op == "LEARN") text = without_colon(text)
    if (split(text, word, " ") != 3 || !(kind_of[word[2]] == "lists" || word[2] in shelf))
        fail("expected what is learnt, and a number: L I, song I or recipe I")
    emit(".op = " op ", .low = " (word[2] in shelf ? "{LITERAL, " shelf[word[2]] "}" : operand(word[2])) \
         ", .high = " operand(word[3]))
    if (op == "LEARN") open_block("learn")
}

# "do NAME" and "do K questions"
function add_do(text,    word) {
    if (split(text, word, " ") == 2 && word[2] == "questions") emit(".op = ASK, .low = " operand(word[1]))
    else emit(".op = DO, .script = " script_reference(text))
}

# "[new] name of A := PHRASE"
function add_name(text,    at, target, how) {
    at = index(text, " := ")
    target = substr(text, 1, at - 1)
    how = sub(/^new /, "", target) ? ", .how = UNIQUE" : ""
    if (target !~ /^(name|town) of [^ ]+$/) fail("\"" target "\": expected \"name of X\" or \"town of A\" before :=")
    told = "told-" ++told_count
    define_list(told)
    add_phrase(told, substr(text, at + 4))
    emit(".op = CALL, .to = {" (target ~ /^name/ ? "NAME" : "TOWN") ", " entity(substr(target, 9)) "}" how \
         ", .phrases = " list_reference(told))
}

# "N = TERM + TERM ...", from left to right
function add_assignment(text,    at, target, op, n, term) {
    at = index(text, " = ")
    target = operand(substr(text, 1, at - 1))
    if (target ~ /LITERAL/) fail("\"" substr(text, 1, at - 1) "\" is a value that cannot change")
    n = split(substr(text, at + 3), token, " ")
    cursor = 1
    for (op = "SET"; cursor <= n; op = operator[token[cursor++]]) {
        term = next_term()
        if (op != "SET" && index(term, target)) fail("\"" text "\": what is assigned to may stand first only")
        emit(".op = " op ", .to = " target ", " term)
        if (cursor > n) return
        if (!(token[cursor] in operator)) fail("\"" token[cursor] "\": expected +, -, * or mod")
    }
    fail("\"" text "\": expected a value at the end")
}

function next_term(    list, low) {
    if (token[cursor] == "any") {
        cursor += 2
        return ".how = ANY, .phrases = " list_reference(token[cursor - 1])
    }
    if (token[cursor + 1] == "number") {
        list = token[cursor]
        cursor += 2
        return ".how = NUMBER, .phrases = " list_reference(list) ", .low = " next_operand()
    }
    if (token[cursor] != "random") return ".low = " next_operand()
    cursor++
    low = next_operand()
    if (token[cursor++] != "to") fail("expected \"random LOW to HIGH\"")
    return ".how = RANDOM, .low = " low ", .high = " next_operand()
}

function next_operand() {
    if (token[cursor + 1] == "of") {
        cursor += 3
        return operand(token[cursor - 3] " of " token[cursor - 1])
    }
    return operand(token[cursor++])
}

function operand(text,    word) {
    if (text ~ /^-?[0-9]+$/) return "{LITERAL, " text "}"
    if (text in literal) return "{LITERAL, " literal[text] "}"
    if (text in count_of) return "{HOW_MANY, " count_of[text] "}"
    if (text in role && (text == "day" || length(text) == 1)) return "{ROLE, " role[text] "}"
    if (split(text, word, " ") != 3 || word[2] != "of" || !(word[1] in attribute))
        fail("\"" text "\" is neither a letter, nor a number, nor something that stories remember")
    return "{" attribute[word[1]] ", " entity(word[3]) "}"
}

function entity(word) {
    if (!(word in role) || kind_of[word] == "numbers" || kind_of[word] == "spots")
        fail("\"" word "\" stands for nothing that has a name or a place")
    return role[word]
}

function list_reference(word) {
    list_use[word] = FNR
    return "&phrases_" identifier(word)
}

function script_reference(word) {
    script_use[word] = FNR
    return "script_" identifier(word)
}

function identifier(word) {
    gsub(/-/, "_", word)
    return word
}
