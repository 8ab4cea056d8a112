# The first part of scripts/tales.sh: what the notation of tales.txt knows, and its sections.

BEGIN {
    depth = scenes = questions = free_questions = 0
    role_count = list_count = script_count = slot_count = told_count = told_line = 0
    # The forms of slots and their codes, which tables.h explains; those without a code have a meaning below.
    n = split("name - the t a a he h him m his s man w town o coins c first f # # at - one - begin - item - " \
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
    # What slots of whom and what has a kind mean in terms of lists; % is the letter.
    meaning["people", "the"] = "{the trade %}"
    meaning["people", "a"] = "{a trade %}"
    meaning["places", "name"] = "{place %}"
    meaning["places", "the"] = "{the place %}"
    meaning["places", "at"] = "{where %} the {place %}"
    meaning["spots", "the"] = "{where-hidden %} the {spot %}"
    meaning["spots", "a"] = "{where-hidden %} {a spot %}"
    meaning["lists", "name"] = "{list %}"
    meaning["lists", "one"] = "{list-one %}"
    meaning["lists", "begin"] = "{list-begin %}"
    meaning["lists", "item"] = "{list-item %}"
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
