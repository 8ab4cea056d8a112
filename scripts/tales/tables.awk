# The third part of scripts/tales.sh: phrases, and the tables that data/made/tales/tables.h declares.

# The phrase as a string of C, each slot as five characters that tell_slot() reads.
function compiled(text, at,    i, c, end, open, result) {
    open = 0
    result = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "{") {
            end = index(substr(text, i), "}")
            if (!end) fail_at(at, "a { has no }")
            result = result slot(substr(text, i + 1, end - 2), at)
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

# What stands between braces: [FORM] LETTER, [FORM] LIST, [FORM] LIST LETTER, or a script.
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
    if (list == "" && who in role) {
        if (!((who, form) in allowed)) fail_at(at, "{" text "}: " who " has no form \"" form "\"")
        if ((kind_of[who], form) in meaning) return meant(meaning[kind_of[who], form], who, capital, at)
        return "{" (capital ? "^" : ".") form_code[form] role_code[who] "--}"
    }
    indexed = list != ""
    if (!indexed) list = who
    if (!(list in count) && !(list in step_count))
        fail_at(at, "{" text "}: no form, list of words or phrases, or script is called \"" list "\"")
    if (indexed && kind_of[who] !~ /^(numbers|spots|people|places|lists)$/)
        fail_at(at, "{" text "}: expected one of the letters of numbers at the end")
    if (form != "name" && (list in step_count || (form != "a" && form != "the")))
        fail_at(at, "{" text "}: " list " has no form \"" form "\"")
    if (form == "a") need_plain[list] = at
    if (!(list in slot_number)) {
        if (slot_count == 100) fail_at(at, "more than 100 lists and scripts stand in braces")
        slot_number[list] = slot_count
        slot_order[slot_count++] = list
    }
    return "{" (capital ? "^" : ".") form_code[form] (indexed ? role_code[who] : "-") \
           sprintf("%02d}", slot_number[list])
}

# A slot that means others.
function meant(text, letter, capital, at) {
    gsub(/%/, letter, text)
    if (capital) text = "{" toupper(substr(text, 2, 1)) substr(text, 3)
    return compiled(text, at)
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
    print "// Made from data/made/tales/tales.txt by scripts/tales.sh."
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
