# LC_ALL=C awk -f scripts/tales.awk data/made/tales/tales.txt >tales_text.c
# Translates the words and plots of builtin:tales to C, which calls the functions of data/made/tales/story.h. tales.txt
# describes its notation. A mistake in it ends in one sentence, "FILE:LINE: expected ..., found ...", and exit code 2.
# The file is read twice, first for the names of its sections, because these may be used before the section.

BEGIN {
    ARGV[2] = ARGV[1]
    ARGC = 3
    print "// Made from data/made/tales/tales.txt by scripts/tales.awk.\n#include \"data/made/tales/story.h\"\n"
    define_kind("people", "somebody", "A B C D E", "name town woman place coins kind due")
    define_kind("things", "thing", "X Y", "name owner holder giver hider place spot due")
    define_kind("places", "", "P Q", "kind")
    define_kind("lists", "list", "L U", "kind owner count due")
    define_kind("products", "product", "G H", "name step")
    define_kind("songs", "", "song", "owner count due")
    define_kind("passwords", "", "password", "name place due")
    define_kind("recipes", "", "recipe", "name owner count due")
    define_kind("names", "", "T Z F W", "name")
    define_kind("spots", "", "S", "")
    define_kind("numbers", "", "I J K M N R V day", "")
    # What {FORM LETTER} means in C, where @ is the entity or number that the letter stands for. tales.txt has the others.
    code["people", "name"] = code["products", "name"] = code["names", "name"] = "add(story, @->name);"
    code["passwords", "name"] = code["recipes", "name"] = "add(story, @->name);"
    code["things", "name"] = "add(story, @->name);\n@->due = false;"
    code["people", "town"] = "add(story, @->town);"
    code["people", "coins"] = "add_coins(story, @->coins);"
    code["people", "he"] = "add(story, @->woman ? \"she\" : \"he\");"
    code["people", "him"] = "add(story, @->woman ? \"her\" : \"him\");"
    code["people", "his"] = "add(story, @->woman ? \"her\" : \"his\");"
    code["people", "man"] = "add(story, @->woman ? \"woman\" : \"man\");"
    code["products", "step"] = "add_digits(story, @->step);"
    code["passwords", "spelled"] = "add_spelled(story, @->name);"
    code["passwords", "backwards"] = "add_backwards(story, @->name);"
    code["numbers", "coins"] = "add_coins(story, @);"
    code["numbers", "#"] = "add_digits(story, @);"
    constant["yes"] = 1
    constant["no"] = 0
    constant["nobody"] = constant["unknown"] = -1
    define_record("story", "title setting heading ending")
    define_record("list", "one begin item")
}

{
    at = FNR
    sub(/[ \r]+$/, "")
}
NR == FNR {
    if (/^[^ #]/) declare_section()
    next
}
/^ *(#|$)/ {
    end_alternatives()
    next
}
{ expect(!/[^ -~]/, "printable ASCII characters only, and no tabs", $0) }
/^[^ ]/ {
    close_section()
    at = section_line = FNR
    open_section()
    next
}
{
    match($0, /^ */)
    level = RLENGTH / 4
    line = substr($0, RLENGTH + 1)
    expect(level == int(level), "four blanks for each level", "a line indented by " RLENGTH)
    if (section == "words") add_words(line)
    else if (section == "phrases") add_phrase(name, line)
    else if (section == "forms" || section in fields) add_field(line)
    else if (section == "scene" && sub(/^often /, "", line)) add_weights(line)
    else add_statement(line)
}
END {
    if (failed) exit 2
    close_section()
    write_tables()
}

function expect(holds, what, found) {
    if (holds) return
    print FILENAME ":" at ": expected " what ", found \"" found "\"" >"/dev/stderr"
    failed = 1
    exit 2
}

# `letters` stand for the index of one of a kind, or for a number. They are variables of a Story; some are constant.
function define_kind(kind, noun, letters, attributes,    i, n, word) {
    noun_of[kind] = noun
    n = split(letters, word, " ")
    for (i = 1; i <= n; i++) {
        kind_of[word[i]] = kind
        variable[word[i]] = kind ~ /^(names|songs|passwords|recipes)$/ ? i - 1 : "story->" word[i]
    }
    n = split(attributes, word, " ")
    for (i = 1; i <= n; i++) has[kind, word[i]] = 1
}

# A section that comes several times; each of its fields is a list of phrases.
function define_record(name, names,    i, n, word) {
    fields[name] = names
    declare(name, "list")
    n = split(names, word, " ")
    for (i = 1; i <= n; i++) declare(name "-" word[i], "list")
}

# --- Sections ---

function is_script(section) { return section ~ /^(script|scene|question)$/ }

function section_name() {
    return $1 == "scene" ? "scene-" $2 : $1 == "question" ? "question-" FNR : $2
}

function declare_section() {
    if ($1 == "story") story_number[$2] = stories++
    else if (is_script($1)) declare(section_name(), "script")
    else if ($1 == "words" || $1 == "phrases") declare($2, "list")
    else expect($1 == "forms" || $1 == "list", "forms, words, phrases, story, list, scene, script or question", $1)
    if ($3 == "/") declare($4, "list")
}

function declare(word, sort) {
    expect(word ~ /^[a-z][a-z0-9-]+$/, "a name of two or more small letters, digits and hyphens", word)
    expect(!(word in sort_of) && !(word in kind_of), "a name that nothing else has", word)
    sort_of[word] = sort
    if (sort == "list") list_order[++lists] = word
    print (sort == "list" ? "extern const List " : "extern Script ") identifier(word) ";"
}

# The name in C of a list or script.
function identifier(word,    result) {
    result = sort_of[word] "_" word
    gsub(/-/, "_", result)
    return result
}

function open_section() {
    section = $1
    name = section_name()
    second_name = $4
    if (section in fields) {
        name = substr($0, length(section) + 2)
        add_word(section, name)
    } else if (is_script(section)) {
        if (section == "scene") open_scene()
        open_function("bool " identifier(name))
        depth = 1
        statements = ""
    }
}

function close_section(    i, n, word) {
    end_alternatives()
    at = section_line
    if (is_script(section)) {
        while (depth > 1) close_block()
        close_function()
    }
    if (section == "words" || section == "phrases") {
        expect(count[name], "at least one entry in this section", "none")
    } else if (section == "scene") {
        expect(weights, "the line \"often ...\" in this section", "none")
        for (i = 0; i < stories; i++) scene_table = scene_table weight[i] + 0 ", "
        scene_table = scene_table "}},\n"
    } else if (section == "question") {
        expect(statements ~ / ask answer$/ && statements !~ / ask .*ask /, "one \"ask\" and then one \"answer\" at the end", statements)
        free_questions += statements == " ask answer"
        question_table = question_table "    " identifier(name) ",\n"
        questions++
    } else if (section in fields) {
        n = split(fields[section], word, " ")
        for (i = 1; i <= n; i++) {
            if (count[section "-" word[i]] == count[section]) continue
            expect(word[i] == "heading", "the field \"" word[i] ":\" in this section", section " " name)
            add_entry("story-heading", "NULL")
        }
    }
}

function open_function(head) { emit(head "(Story *story) {") }
function close_function() { emit("return true;\n}\n") }
function emit(text) { body[++emitted] = text }

# "scene song (new, own paragraph, room 400, brings back song)"
function open_scene(    i, n, property, text) {
    text = $0
    expect(sub(/^[^(]*\(/, "", text) && sub(/\)$/, "", text) && text ~ /room/, "\"scene NAME (room N)\"", $0)
    scene_table = scene_table "    {" identifier(name)
    n = split(text, property, ", ")
    for (i = 1; i <= n; i++) {
        text = property[i]
        if (text == "new" || text == "again") text = "part = " toupper(text)
        else if (text == "own paragraph") text = "block = true"
        else if (text ~ /^room [0-9]+$/) sub(/ /, " = ", text)
        else {
            expect(sub(/^brings back /, "", text) && text in kind_of, "new, again, own paragraph, room N or brings back X", property[i])
            text = "back = " toupper(kind_of[text])
        }
        scene_table = scene_table ", ." text
    }
    scene_table = scene_table ", .weights = (const unsigned char[]){"
    split("", weight)
    weights = 0
    scenes++
}

function add_weights(text,    i, entry, word) {
    weights = split(text, entry, ", *")
    for (i = 1; i <= weights; i++) {
        split(entry[i], word, " ")
        expect(word[1] in story_number, "a kind of story", word[1])
        expect(word[2] ~ /^[0-9]+$/ && word[2] < 256, "a number up to 255, as in \"tale 8\"", entry[i])
        weight[story_number[word[1]]] = word[2]
    }
}

function add_words(text,    i, n, word, pair) {
    sub(/,$/, "", text)
    n = split(text, word, ", *")
    for (i = 1; i <= n; i++) {
        if (second_name) {
            expect(split(word[i], pair, "/") == 2, "two words, as in candle/candles", word[i])
            add_word(second_name, pair[2])
            word[i] = pair[1]
        }
        add_word(name, word[i])
    }
}

function add_word(list, text) {
    expect(text !~ /["?\\{}<|>_\/]/, "a word", text)
    add_entry(list, "\"" (text == "-" ? "" : text) "\"")
}

# A phrase of a list is a function.
function add_phrase(list, text,    phrase_name) {
    phrase_name = identifier(list) "_" count[list] + 0
    open_function("static bool " phrase_name)
    tell(text)
    close_function()
    add_entry(list, phrase_name)
    has_phrases[list] = 1
}

function add_entry(list, text) {
    entries[list] = entries[list] "    " text ",\n"
    count[list]++
}

# "title: PHRASE"
function add_field(text,    colon, field, list) {
    colon = index(text, ": ")
    field = substr(text, 1, colon - 1)
    text = substr(text, colon + 2)
    if (section == "forms") {
        meaning[name, field] = text
        return
    }
    list = section "-" field
    expect(sort_of[list] == "list" && count[list] < count[section], "one of the fields " fields[section] ", each once", text)
    add_phrase(list, text)
}

# --- Statements ---

function add_statement(text,    keyword) {
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
    else if (sub(/^learn /, "", text)) open_block("learn", "for (begin_learning(" learnt(text) "); story->learning; end_learning(story))")
    else if (sub(/^recite /, "", text)) emit("recite(" learnt(text) ");")
    else if (sub(/^ask /, "", text)) tell("\\n\"" text "{asked}")
    else if (sub(/^answer /, "", text)) tell(text "{answered}")
    else if (text ~ /^do .* questions$/) emit("ask(story, " value(substr(text, 4, length(text) - 13)) ");")
    else if (sub(/^do /, "", text)) emit("if (!" reference(text, "script") "(story)) return false;")
    else if (sub(/^maybe /, "", text)) emit(cast(text) ";")
    else if (sub(/^need /, "", text) || text ~ /^[A-Z] = (somebody|thing|list|product)( |$)/)
        emit("if (!(" conditions(text) ")) return false;")
    else if (text ~ / := /) add_name(text)
    else if (text ~ / = /) add_assignment(text)
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

# Lines of text that follow each other are alternatives.
function end_alternatives(    i) {
    if (!told) return
    begin_choice(told)
    for (i = 1; i <= told; i++) {
        at = told_line + i - 1
        add_choice(i, alternative[i])
    }
    emit("}")
    told = 0
    at = FNR
}

function begin_choice(n) { emit("switch (" (n > 1 ? "pick(story, " n ")" : 0) ") {") }

function add_choice(number, text) {
    emit("case " number - 1 ":")
    tell(text)
    emit("break;")
}

# "I below N" counts I from 0.
function loop(text,    part, counter) {
    expect(split(text, part, " below ") == 2, "\"for I below N:\"", text)
    counter = value(part[1])
    return "for (" counter " = 0; " counter " < " value(part[2]) "; " counter "++)"
}

# "L I", "song I" or "recipe I"
function learnt(text,    word) {
    split(text, word, " ")
    expect((kind_of[word[1]], "count") in has, "what is learnt, and a number: L I, song I or recipe I", text)
    return "story, " entity(word[1]) ", " value(word[2])
}

# "[new] name of A := PHRASE"
function add_name(text,    part, is_new, word, letter) {
    split(text, part, " := ")
    is_new = sub(/^new /, "", part[1])
    expect(split(part[1], word, " ") == 3 && word[1] ~ /^(name|town)$/, "\"name of X\" or \"town of A\"", part[1])
    emit("do {\nconst size_t start = story->text->size;")
    tell(part[2])
    emit("take_name(story, " value(part[1]) ", start);")
    letter = word[3]
    emit("} while (" (is_new ? "has_namesake(story, " toupper(kind_of[letter]) ", " variable[letter] ")" : "false") ");")
}

# "N = TERM + TERM ...", from left to right
function add_assignment(text,    part, target, left, right, operator) {
    split(text, part, " = ")
    target = value(part[1])
    expect(target !~ /^-?[0-9]/, "something that can change", part[1])
    right = part[2]
    emit("{")
    operator = "int value ="
    while (match(right, / ([-+*]|mod) /)) {
        left = substr(right, 1, RSTART - 1)
        text = substr(right, RSTART + 1, RLENGTH - 2)
        right = substr(right, RSTART + RLENGTH)
        emit(operator " " term(left) ";")
        operator = "value " (text == "mod" ? "%" : text) "="
    }
    emit(operator " " term(right) ";\n" target " = value;\n}")
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
# a candidate, which is called it, is a function.
function cast(text,    letter, kind, noun, if_possible, besides, i, n, test) {
    letter = substr(text, 1, 1)
    kind = kind_of[letter]
    noun = text = substr(text, 5)
    sub(/ .*/, "", noun)
    expect(noun == noun_of[kind], "somebody, thing, list or product, as fits the letter " letter, noun)
    if_possible = sub(/ if possible$/, "", text) ? "true" : "false"
    text = substr(text, length(noun) + 2)
    besides = sub(/^besides /, "", text)
    expect(besides || text == "" || sub(/^with /, "", text), "\"besides\" or \"with\"", text)
    kind_of["it"] = kind
    variable["it"] = "it"
    n = split(text, test, ", *")
    text = ""
    for (i = 1; i <= n; i++) {
        if (besides) test[i] = "it is not " test[i]
        else sub(/ /, " of it is ", test[i])
        text = text (i > 1 ? " && " : "") condition(test[i])
    }
    delete variable["it"]
    if (n) print "static bool test_" ++tests "(Story *story, int it) {\n    return " text ";\n}\n"
    return "cast(story, &" variable[letter] ", " toupper(kind) ", " (n ? "test_" tests : "NULL") ", " if_possible ")"
}

function value(text,    word) {
    if (text ~ /^-?[0-9]+$/) return text
    if (text in constant) return constant[text]
    if (text in noun_of) return "story->count[" toupper(text) "]"
    if (variable[text] ~ /^[a-z]/) return variable[text]
    split(text, word, " ")
    if (word[1] == "trade") word[1] = "kind" # of a person
    expect(word[2] == "of" && (kind_of[word[3]], word[1]) in has, "a number, a letter or something that stories remember", text)
    return entity(word[3]) "->" word[1]
}

function entity(letter) { return "entity(story, " toupper(kind_of[letter]) ", " variable[letter] ")" }

function reference(word, sort) {
    expect(sort_of[word] == sort, "the name of a " sort, word)
    return identifier(word)
}

# --- Phrases ---

function tell(text,    bracket, end, inner, i, n, part) {
    while (match(text, /[{<]/)) {
        add_text(substr(text, 1, RSTART - 1))
        bracket = substr(text, RSTART, 1) == "{" ? "}" : ">"
        text = substr(text, RSTART + 1)
        end = index(text, bracket)
        expect(end, "a " bracket, text)
        inner = substr(text, 1, end - 1)
        text = substr(text, end + 1)
        if (bracket == "}") {
            add_slot(inner)
            continue
        }
        n = split(inner, part, "[|]")
        begin_choice(n)
        for (i = 1; i <= n; i++) add_choice(i, part[i])
        emit("}")
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

# What stands in braces: [FORM] LETTER, LIST [LETTER] or a script; "the" or "a" may stand before all of these.
function add_slot(text,    word, n, letter, kind, form) {
    if (text ~ /^[A-Z]./) emit("story->capital = true;")
    if (text ~ /^[A-Z]./) text = tolower(substr(text, 1, 1)) substr(text, 2)
    n = split(text, word, " ")
    letter = word[n]
    kind = kind_of[letter]
    form = n > 1 ? word[1] : "name"
    if (n < 3 && (kind, form) in meaning) {
        text = meaning[kind, form]
        gsub(/[*]/, letter, text)
        tell(text)
    } else if (n < 3 && (kind, form) in code) {
        text = code[kind, form]
        gsub(/@/, kind == "numbers" ? variable[letter] : entity(letter), text)
        emit(text)
    } else if (form == "the" || form == "a") {
        emit(form == "a" ? "story->article = true;" : "add(story, \"the \");")
        add_slot(substr(text, length(form) + 2))
    } else if (n == 1 && sort_of[text] == "script") {
        emit(identifier(text) "(story);")
    } else {
        expect(n < 3 && sort_of[word[1]] == "list", "a form, list or script in braces", text)
        form = "&" identifier(word[1])
        emit("tell(story, " form ", " (n == 1 ? "any(story, " form ")" : value((kind, "kind") in has ? "kind of " letter : letter)) ");")
    }
}

# --- Tables ---

function write_tables(    i, n, word, list) {
    n = split("world introductions whereabouts", word, " ")
    for (i = 1; i <= n; i++) expect(sort_of[word[i]] == "script", "a section \"script " word[i] "\"", "none")
    expect(scenes > 0 && scenes <= 64, "1 to 64 scenes", scenes)
    expect(questions <= 32, "at most 32 questions", questions)
    expect(free_questions >= 4, "at least four questions that need nothing, because a talk may have so many", free_questions)
    for (i = 1; i <= emitted; i++) print body[i]
    for (i = 1; i <= lists; i++) {
        list = list_order[i]
        print "const List " identifier(list) " = {\"" list "\", " count[list] ","
        print (list in has_phrases ? ".phrases = (Script *const[]){" : ".words = (const char *const[]){")
        print entries[list] "}};\n"
    }
    print "const Scene tales_scenes[] = {\n" scene_table "};\nconst int tales_scene_count = " scenes ";\n"
    print "Script *const tales_questions[] = {\n" question_table "};\nconst int tales_question_count = " questions ";"
}
