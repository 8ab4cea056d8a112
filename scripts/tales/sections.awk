# SPDX-License-Identifier: MIT
# LC_ALL=C awk -f scripts/tales/sections.awk -f scripts/tales/statements.awk data/made/tales/tales.txt >tales_text.c
# Translates the words and plots of builtin:tales to C, which calls the functions of data/made/tales/story.h. tales.txt
# describes its notation. A mistake in it gives one sentence, "FILE:LINE: expected ..., found ...", and exit code 2. The
# file is read twice, first for the names of its sections, because a name may be used before its section.

BEGIN {
    ARGV[2] = ARGV[1]
    ARGC = 3
    print "// Made from data/made/tales/tales.txt by scripts/tales.\n#include \"data/made/tales/story.h\"\n"
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
    else if (section == "kind" || section in fields) add_field(line)
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

# A section that occurs several times; each of its fields is a list of phrases.
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
    else expect($1 == "kind" || $1 == "list", "kind, words, phrases, story, list, scene, script or question", $1)
    if ($3 == "/") declare($4, "list")
}

function declare(word, sort) {
    expect(word ~ /^[a-z][a-z0-9-]+$/, "a name of two or more small letters, digits and hyphens", word)
    expect(!(word in sort_of), "a name that nothing else has", word)
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
        found_fields = ""
    } else if (is_script(section)) {
        if (section == "scene") open_scene()
        open_function("bool " identifier(name))
        depth = 1
        statements = ""
    }
}

function close_section() {
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
        scene_table = scene_table "}},\n"
    } else if (section == "question") {
        expect(statements ~ / ask answer$/ && statements !~ / ask .*ask /, \
               "one \"ask\" and then one \"answer\" at the end", statements)
        free_questions += statements == " ask answer"
        question_table = question_table "    " identifier(name) ",\n"
        questions++
    } else if (section in fields) {
        expect(found_fields == " " fields[section], "the fields " fields[section], found_fields)
    }
}

function open_function(head) { emit(head "(Story *story) {") }
function close_function() { emit("return true;\n}\n") }
function emit(text) { body[++emitted] = text }

# "scene song (new, own paragraph, room 400, brings back song)"
function open_scene(    part, block, room, back) {
    expect($0 ~ /^scene [^ ]+ \((new, |again, )?(own paragraph, )?room [0-9]+(, brings back [A-Za-z]+)?\)$/, \
           "scene NAME ([new, | again, ][own paragraph, ]room N[, brings back X])", $0)
    match($0, /room [0-9]+/)
    room = substr($0, RSTART + 5, RLENGTH - 5)
    back = / brings back / ? kind_of[substr($NF, 1, length($NF) - 1)] : "nothing"
    expect(back, "a letter, song, password or recipe to bring back", $NF)
    part = /\(new, / ? "NEW" : /\(again, / ? "AGAIN" : "PLAIN"
    block = /own paragraph, / ? "true" : "false"
    scene_table = scene_table "    {" identifier(name) ", " part ", " block ", " room ", " toupper(back) \
                  ", (const unsigned char[" stories "]){"
    weights = 0
    scenes++
}

function add_weights(text,    i, entry, word) {
    weights = split(text, entry, ", *")
    for (i = 1; i <= weights; i++) {
        split(entry[i], word, " ")
        expect(word[1] in story_number, "a kind of story", word[1])
        expect(word[2] ~ /^[0-9]+$/ && word[2] < 256, "a number up to 255, as in \"tale 8\"", entry[i])
        scene_table = scene_table "[" story_number[word[1]] "] = " word[2] ", "
    }
}

function add_words(text,    i, n, word, part) {
    sub(/,$/, "", text)
    n = split(text, word, ", *")
    for (i = 1; i <= n; i++) {
        expect(split(word[i], part, "/") == (second_name ? 2 : 1), "one word for each list of this section", word[i])
        add_word(name, part[1])
        if (second_name) add_word(second_name, part[2])
    }
}

function add_word(list, text) {
    expect(text !~ /["?\\{}<|>_]/, "a word", text)
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

# "title: PHRASE"; - means no phrase
function add_field(text,    field) {
    field = text
    sub(/:.*/, "", field)
    sub(/^[^:]*: */, "", text)
    found_fields = found_fields " " field
    if (section == "kind") add_to_kind(field, text)
    else if (text == "-") add_entry(section "-" field, "NULL")
    else add_phrase(section "-" field, text)
}

# Letters are variables of a Story: the index of one of the kind, or a number. A constant is always the same one.
function add_to_kind(field, text,    i, n, word) {
    meaning[name, field] = text
    n = split(text, word, " ")
    for (i = 1; i <= n; i++) {
        if (field == "values") has[name, word[i]] = 1
        if (field != "letters" && field != "constants") continue
        kind_of[word[i]] = name
        variable[word[i]] = field == "letters" ? "story->" word[i] : i - 1
    }
}

# --- Tables ---

function write_tables(    i, n, word, list) {
    n = split("world introductions whereabouts", word, " ")
    for (i = 1; i <= n; i++) expect(sort_of[word[i]] == "script", "a section \"script " word[i] "\"", "none")
    expect(scenes > 0 && scenes <= 64, "1 to 64 scenes", scenes)
    expect(questions <= 32, "at most 32 questions", questions)
    expect(free_questions >= 4, "at least four questions that are always possible, because a talk may have so many", \
           free_questions)
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
