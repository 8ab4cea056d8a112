# awk -f scripts/tales.awk data/made/tales/tales.txt >tales_text.c
# Checks the words and plots of builtin:tales and writes them as the tables that data/made/tales/tables.h declares.
# tales.txt describes its notation. A mistake in it ends in one sentence, "FILE:LINE: ...", and exit code 2.

BEGIN {
    free_questions = role_count = depth = scenes = questions = list_count = script_count = slot_count = told_count = told_line = 0
    # What a slot may say of what a letter stands for. tell_slot() in data/made/tales/story.c reads the codes.
    n = split("name - the t a a he h him m his s man w town o coins c first f # # at @ one 1 begin b item i " \
              "spelled l backwards r step p", list, " ")
    for (i = 1; i < n; i += 2) form_code[list[i]] = list[i + 1]
    define_letters("A B C D E", "people", "name the a he him his man town coins")
    define_letters("X Y", "things", "name the a")
    define_letters("P Q", "places", "name the at")
    define_letters("L U", "lists", "name one begin item")
    define_letters("G H", "products", "name step")
    define_letters("T Z F W", "words", "name")
    define_letters("S", "spots", "the a")
    define_letters("I J K M N R V", "numbers", "name first coins #")
    define_role("song", "songs", "name", "ROLE_SONG", "a")
    define_role("password", "passwords", "name spelled backwards", "ROLE_PASSWORD", "b")
    define_role("recipe", "recipes", "name", "ROLE_RECIPE", "c")
    define_role("day", "numbers", "name first", "ROLE_DAY", "d")
    shelf["song"] = "SHELF_SONG"
    shelf["recipe"] = "SHELF_RECIPE"
    n = split("somebody people thing things list lists product products", list, " ")
    for (i = 1; i < n; i += 2) kind_of_noun[list[i]] = list[i + 1]
    n = split("people things places lists products", list, " ")
    for (i = 1; i <= n; i++) count_of[list[i]] = toupper(list[i])
    n = split("woman place coins due owner holder giver spot hider kind count step", list, " ")
    for (i = 1; i <= n; i++) attribute[list[i]] = toupper(list[i])
    attribute["trade"] = "KIND" # the kind of a person
    n = split("yes 1 no 0 nobody -1 unknown -1", list, " ")
    for (i = 1; i < n; i += 2) literal[list[i]] = list[i + 1]
    n = split("list-one list-begin list-item story-title story-setting story-heading story-ending", list, " ")
    for (i = 1; i <= n; i++) define_list(list[i])
    operator["+"] = "ADD"
    operator["-"] = "SUBTRACT"
    operator["*"] = "MULTIPLY"
    operator["mod"] = "MODULO"
}

{
    file = FILENAME
    sub(/\r$/, "")
}
/^ *#/ { next }
/^ *$/ { next }
/[^ -~]/ { fail("expected printable ASCII characters only, and no tabs") }
/^[^ ]/ {
    close_section()
    open_section()
    next
}
{
    match($0, /^ */)
    level = RLENGTH / 4
    line = substr($0, RLENGTH + 1)
    sub(/ +$/, "", line)
    if (level != int(level)) fail("indented by " RLENGTH " blanks, expected four for each level")
    if (section == "") fail("this line belongs to no section; a section begins at the left margin")
    if (section == "words" || section == "pairs") add_words(line)
    else if (section == "phrases") add_phrase(name, line)
    else if (section == "story" || section == "list") add_field(line)
    else if (line ~ /^often /) add_weights(line)
    else add_statement(line)
}
END {
    if (failed) exit 2
    close_section()
    write_tables()
}

function fail(message) { fail_at(FNR, message) }

function fail_at(at, message) {
    print file ":" at ": " message >"/dev/stderr"
    failed = 1
    exit 2
}

function define_letters(letters, kind, forms,    i, letter, n) {
    n = split(letters, letter, " ")
    for (i = 1; i <= n; i++)
        define_role(letter[i], kind, forms, index("ABCDEFGHIJKLMNOPQRSTUVWXYZ", letter[i]) - 1, letter[i])
}

function define_role(word, kind, forms, number, code,    i, form, n) {
    role[word] = number
    role_code[word] = code
    kind_of[word] = kind
    role_order[++role_count] = word
    n = split(forms, form, " ")
    for (i = 1; i <= n; i++) allowed[word, form[i]] = 1
}

# --- Sections ---

function open_section(    word, n) {
    n = split($0, word, " ")
    section = word[1]
    name = word[2]
    if (name == "" && section != "question") fail("\"" section "\": expected a name behind it")
    if (section == "words" || section == "phrases") {
        define_list(name)
    } else if (section == "pairs") {
        if (word[3] != "/" || n != 4) fail("expected \"pairs ONE / TWO\"")
        second_name = word[4]
        define_list(name)
        define_list(second_name)
    } else if (section == "story" || section == "list") {
        if (!(section in count)) define_list(section)
        name = substr($0, length(section) + 2)
        if (section == "story") story_number[name] = count["story"]
        add_phrase(section, name)
        record_line = FNR
    } else if (section == "script") {
        open_script(name)
    } else if (section == "scene") {
        open_script("scene-" name)
        open_scene()
    } else if (section == "question") {
        open_script("question-" questions++)
        asks = answers = 0
    } else {
        fail("\"" section "\" begins no section; expected words, pairs, phrases, story, list, scene, script or question")
    }
}

function close_section() {
    while (depth > 0) close_block()
    if (section == "script" || section == "scene" || section == "question") emit(".op = END")
    if (section == "question") {
        if (asks != 1 || answers != 1) fail_at(line_of[script], "a question has one \"ask\" and one \"answer\"")
        if (steps == 3) free_questions++
    }
    if (section == "story") {
        check_field("title")
        check_field("setting")
        check_field("ending")
        if (count["story-heading"] < count["story"]) add_phrase("story-heading", "")
    } else if (section == "list") {
        check_field("one")
        check_field("begin")
        check_field("item")
    }
    section = ""
}

function define_name(word) {
    if (word !~ /^[a-z][a-z0-9-]+$/) fail("\"" word "\": a name is two or more small letters, digits and hyphens")
    if (word in form_code || word in role) fail("\"" word "\" has a meaning of its own; choose another name")
    if (word in line_of) fail("\"" word "\" is already the name of a section, in line " line_of[word])
    line_of[word] = FNR
}

function define_list(word) {
    if (word != "list" && word != "story") define_name(word)
    count[word] = 0
    list_order[list_count++] = word
}

function open_script(word) {
    define_name(word)
    script = word
    script_order[script_count++] = word
    steps = 0
}

# "scene song (new, own paragraph, room 400, brings back song)"
function open_scene(    i, n, property, text) {
    scene_order[scenes] = script
    part[scenes] = "PLAIN"
    back[scenes] = "NOTHING_BACK"
    block_scene[scenes] = "false"
    text = $0
    if (!sub(/^[^(]*\(/, "", text) || !sub(/\)$/, "", text)) fail("expected \"scene NAME (room N)\"")
    n = split(text, property, ", ")
    for (i = 1; i <= n; i++) {
        if (property[i] == "new" || property[i] == "again") part[scenes] = toupper(property[i])
        else if (property[i] == "own paragraph") block_scene[scenes] = "true"
        else if (property[i] ~ /^room [0-9]+$/) room[scenes] = substr(property[i], 6)
        else if (property[i] ~ /^brings back / && substr(property[i], 13) in role) back[scenes] = role[substr(property[i], 13)]
        else fail("\"" property[i] "\" is no property of a scene; there are new, again, own paragraph, room N, brings back X")
    }
    if (!room[scenes]) fail("expected \"room N\", the bytes that must be left for this scene")
    scenes++
}

function add_words(text,    i, n, word, pair) {
    sub(/,$/, "", text)
    n = split(text, word, ", *")
    for (i = 1; i <= n; i++) {
        if (section == "words") {
            add_phrase(name, word[i] == "-" ? "" : word[i])
        } else {
            if (split(word[i], pair, "/") != 2) fail("\"" word[i] "\": expected two words, as in candle/candles")
            add_phrase(name, pair[1])
            add_phrase(second_name, pair[2])
        }
    }
}

function add_phrase(list, text) {
    phrase[list, count[list]] = text
    phrase_line[list, count[list]] = FNR
    count[list]++
}

function add_field(text,    colon, field) {
    colon = index(text, ": ")
    field = section "-" substr(text, 1, colon - 1)
    if (!colon || !(field in count)) fail("expected one of the fields of a " section ", as in the other sections")
    if (count[field] == count[section]) fail("this " section " has the field \"" substr(text, 1, colon - 1) "\" already")
    add_phrase(field, substr(text, colon + 2))
}

function check_field(field) {
    if (count[section "-" field] < count[section])
        fail_at(record_line, "the " section " \"" name "\" lacks its \"" field ":\"")
}

function add_weights(text,    i, n, entry, word) {
    if (section != "scene") fail("only a scene has weights")
    sub(/^often /, "", text)
    n = split(text, entry, ", *")
    for (i = 1; i <= n; i++) {
        if (split(entry[i], word, " ") != 2 || word[2] !~ /^[0-9]+$/ || word[2] > 255)
            fail("\"" entry[i] "\": expected a kind of story and a number up to 255, as in \"tale 8\"")
        if (!(word[1] in story_number)) fail("\"" word[1] "\": there is no such kind of story above")
        weight[scenes - 1, story_number[word[1]]] = word[2]
    }
}

# --- Statements ---

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

# --- Phrases ---

# The phrase as a string of C, each slot as five characters that tell_slot() reads.
function compiled(text, at,    i, c, end, open, result) {
    open = 0
    result = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "{") {
            end = index(substr(text, i), "}")
            if (!end) fail_at(at, "a { has no }")
            result = result "{" slot(substr(text, i + 1, end - 2), at) "}"
            i += end - 1
            continue
        }
        if (c == "}") fail_at(at, "a } has no {")
        if (c == "<" && open++) fail_at(at, "a < stands inside <...>")
        if (c == ">" && !open--) fail_at(at, "a > has no <")
        if (c == "|" && !open) fail_at(at, "a | stands outside <...>")
        if (c == "\\" && substr(text, i + 1, 1) != "n") fail_at(at, "a backslash without an n")
        result = result (c == "_" ? " " : c == "\"" || c == "?" ? "\\" c : c)
    }
    if (open) fail_at(at, "a < has no >")
    return result
}

function slot(text, at,    word, n, capital, form, who, list, indexed) {
    n = split(text, word, " ")
    capital = word[1] ~ /^[A-Z]/ && length(text) > 1
    if (capital) word[1] = tolower(substr(word[1], 1, 1)) substr(word[1], 2)
    form = "name"
    who = word[n]
    list = n > 1 ? word[n - 1] : ""
    if (n > 1 && word[1] in form_code) {
        form = word[1]
        if (n == 2) list = ""
    }
    if (n > 2 + (form != "name")) fail_at(at, "{" text "} has too many words")
    capital = capital ? "^" : "."
    if (list == "" && who in role) {
        if (!((who, form) in allowed)) fail_at(at, "{" text "}: " who " has no form \"" form "\"")
        return capital form_code[form] role_code[who] "--"
    }
    indexed = list != ""
    if (!indexed) list = who
    if (!(list in count) && !(list in step_count))
        fail_at(at, "{" text "}: no form, list of words or phrases, or script is called \"" list "\"")
    if (indexed && kind_of[who] != "numbers") fail_at(at, "{" text "}: expected one of the letters of numbers at the end")
    if (form == "a") need_plain[list] = at
    if (form != "name" && form != "a" && form != "the") fail_at(at, "{" text "}: words have no form \"" form "\"")
    if (!(list in slot_number)) {
        if (slot_count == 100) fail_at(at, "more than 100 lists and scripts stand in braces")
        slot_number[list] = slot_count
        slot_order[slot_count++] = list
    }
    return capital form_code[form] (indexed ? role_code[who] : "-") sprintf("%02d", slot_number[list])
}

# --- Tables ---

function check_use(    i, n, word) {
    for (word in list_use) if (!(word in count)) fail_at(list_use[word], "there is no list called \"" word "\"")
    for (word in script_use)
        if (!(word in step_count)) fail_at(script_use[word], "there is no script called \"" word "\"")
    for (i = 0; i < list_count; i++)
        if (!count[list_order[i]]) fail_at(line_of[list_order[i]], "the list \"" list_order[i] "\" is empty")
    n = split("where place where-hidden spot trade material noun number ordinal list story", list, " ")
    for (i = 1; i <= n; i++) if (!(list[i] in count)) fail("the section of \"" list[i] "\" is missing")
    n = split("world introductions whereabouts", list, " ")
    for (i = 1; i <= n; i++) if (!(list[i] in step_count)) fail("the section \"script " list[i] "\" is missing")
    if (scenes == 0 || scenes > 64) fail("there are " scenes + 0 " scenes, expected 1 to 64")
    if (questions > 32) fail("there are " questions " questions, expected at most 32")
    if (free_questions < 4)
        fail("expected at least four questions that need nothing, because a talk may have that many; found " free_questions)
}

function write_tables(    i) {
    check_use()
    print "// Made from data/made/tales/tales.txt by scripts/tales.awk."
    print "#include \"data/made/tales/tables.h\"\n"
    for (i = 0; i < list_count; i++) write_list(list_order[i])
    for (i in need_plain) check_plain(i)
    for (i = 0; i < script_count; i++) print "extern const Step script_" identifier(script_order[i]) "[];"
    print "const Slot tales_slots[] = {"
    for (i = 0; i < slot_count; i++) {
        if (slot_order[i] in count) print "    {.phrases = &phrases_" identifier(slot_order[i]) "},"
        else print "    {.script = script_" identifier(slot_order[i]) "},"
    }
    print "};"
    for (i = 0; i < script_count; i++) write_script(script_order[i])
    write_scenes()
    print "const Kind tales_kinds[ROLES] = {"
    for (i = 1; i <= role_count; i++)
        print "    [" role[role_order[i]] "] = " toupper(kind_of[role_order[i]]) ","
    print "};\n"
    print "const Step *const tales_questions[] = {"
    for (i = 0; i < questions; i++) print "    script_question_" i ","
    print "};\nconst int tales_question_count = " questions ";"
}

function write_list(word,    i, plain) {
    plain = "true"
    print "static const char *const words_" identifier(word) "[] = {"
    for (i = 0; i < count[word]; i++) {
        print "    \"" compiled(phrase[word, i], phrase_line[word, i]) "\","
        if (phrase[word, i] ~ /[{<]/) plain = "false"
    }
    print "};\nconst Phrases phrases_" identifier(word) " = {\"" word "\", words_" identifier(word) ", " count[word] ", " \
          plain "};\n"
}

# The article is chosen by the first letter.
function check_plain(word,    i) {
    for (i = 0; i < count[word]; i++)
        if (phrase[word, i] !~ /^[a-z]/)
            fail_at(phrase_line[word, i], "\"" phrase[word, i] "\" begins with no small letter, but line " need_plain[word] \
                    " puts an article before it")
}

function write_script(word,    i) {
    print "const Step script_" identifier(word) "[] = {"
    for (i = 0; i < step_count[word]; i++)
        print "    {" step[word, i] ((word, i) in skip ? ", .skip = " skip[word, i] : "") "},"
    print "};\n"
}

function write_scenes(    i, j, weights) {
    print "const Scene tales_scenes[] = {"
    for (i = 0; i < scenes; i++) {
        weights = weight[i, 0] + 0
        for (j = 1; j < count["story"]; j++) weights = weights ", " (weight[i, j] + 0)
        print "    {script_" identifier(scene_order[i]) ", " part[i] ", " block_scene[i] ", " room[i] ", " back[i] \
              ", (const unsigned char[]){" weights "}},"
    }
    print "};\nconst int tales_scene_count = " scenes ";\n"
}
