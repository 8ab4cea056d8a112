// The text of --pos: parsed, and printed again. mix.h has examples; in full:
//
//   TEXT = ITEM {, ITEM}       spaces may stand for the comma
//   ITEM = SUM [*N] [@LAYERS]
//   SUM  = SCHEME {+ SCHEME}
//   SCHEME = NAME[:key=value,...]
//
// LAYERS are numbers and ranges, "0-2,4". A comma is followed by the name of a scheme, or by a formula or its file,
// which begins the next item, or else by the next option or number of the same list.
#include "posenc/mix.h"

#include "base/file/text.h"
#include "base/option.h"
#include "posenc/registry.h"
#include "posenc/written.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

// --- parsing ---

// How many characters there are before the next one that can follow a word.
static size_t word_length(const char *text) {
    return strcspn(text, "=:+*@, ");
}

// Where the scheme that begins at `text` ends: before a sum, a repetition, a list or the next item. The + of "1e+4" and
// the comma between two options, which follow a colon, belong to it.
static size_t scheme_length(const char *text) {
    const size_t written = written_length(text);
    if (written) return written;
    size_t n = word_length(text);
    while (text[n]) {
        const char *next = text + n + 1;
        if (strchr("*@ ", text[n]) || (text[n] == '+' && !isdigit((unsigned char)*next)) ||
            (text[n] == ',' && (!memchr(text, ':', n) || !*next || strchr(", ", *next) ||
                                position_named(next, word_length(next)) || written_length(next))))
            return n;
        n += 1 + word_length(next);
    }
    return n;
}

// A whole number at *at, which is moved past it.
static bool parse_number(int *number, const Mix *mix, int *at, const char *what, Error *error) {
    return typed_number(number, "--pos", mix->text, at, what, 1000000, error);
}

// "N" or "N-M", the numbers of layers.
static bool parse_range(int range[2], const Mix *mix, int *at, Error *error) {
    static const char what[] = "the number of a layer, such as @0-2,4";
    const int start = *at;
    if (!parse_number(&range[0], mix, at, what, error)) return false;
    range[1] = range[0];
    if (mix->text[*at] == '-' && (++*at, !parse_number(&range[1], mix, at, what, error))) return false;
    if (range[1] < range[0]) return mix_fail_at(error, mix, start, "this range ends before it begins");
    return range[1] < LAYERS_CAPACITY ||
           mix_fail_at(error, mix, start, "a number here is at most %d, because @ is for models of up to %d layers",
                       LAYERS_CAPACITY - 1, LAYERS_CAPACITY);
}

static bool parse_layers(MixItem *item, const Mix *mix, int *at, Error *error) {
    item->listed = true;
    for (;;) {
        const int start = *at;
        int range[2];
        if (!parse_range(range, mix, at, error)) return false;
        for (int l = range[0]; l <= range[1]; l++) {
            if (item->layers[l]) return mix_fail_at(error, mix, start, "layer %d is named twice", l);
            item->layers[l] = true;
        }
        if (mix->text[*at] != ',' || !isdigit((unsigned char)mix->text[*at + 1])) return true;
        ++*at;
    }
}

// Add to the item the part with this scheme and these options, which is made if there is none.
static bool add_part(MixItem *item, Mix *mix, const Position *pos, int at, Error *error) {
    int p = 0;
    for (; p < mix->parts; p++)
        if (mix->part[p].scheme == pos->scheme && mix->part[p].written == pos->written &&
            memcmp(mix->part[p].options, pos->options, sizeof pos->options) == 0)
            break;
    for (int i = 0; i < item->parts; i++)
        if (item->part[i] == p) return mix_fail_at(error, mix, at, "this sum has the same scheme twice");
    if (p == PARTS_CAPACITY)
        return mix_fail_at(error, mix, at, "a model has at most %d different schemes", PARTS_CAPACITY);
    if (p == mix->parts) mix->part[mix->parts++] = *pos;
    item->part[item->parts++] = p;
    return true;
}

static bool parse_sum(MixItem *item, Mix *mix, int *at, Error *error) {
    for (;; ++*at) {
        const size_t length = scheme_length(mix->text + *at);
        char scheme[TEXT_CAPACITY], quoted[QUOTED_CAPACITY];
        Position pos;
        Error reason;
        if (length == 0 && *mix->text)
            return mix_fail_at(error, mix, *at, "here should be the name of a position scheme; a sum has no spaces");
        snprintf(scheme, sizeof scheme, "%.*s", (int)length, mix->text + *at);
        const bool known = position_parse(&pos, scheme, &reason);
        if (!known && !written_length(scheme) && path_ends_with(mix->text, ".txt"))
            return fail_input(
                error, "there is no position scheme '%s'; if it is a text: `train %s`, or `compare` with --data %s",
                mix->text, shell_quoted(quoted, mix->text), quoted);
        if (!known)
            // If the text is a name alone, the reason quotes it.
            return mix->text[length] || strchr(mix->text, ':') ? mix_fail_at(error, mix, *at, "%s", reason.message)
                                                               : fail_input(error, "%s", reason.message);
        if (!add_part(item, mix, &pos, *at, error)) return false;
        *at += (int)length;
        if (pos.written && mix->text[*at] == ':')
            return mix_fail_at(error, mix, *at, "a formula has no options, and no gate");
        if (mix->text[*at] != '+') return true;
    }
}

// What follows the sum, at *at.
static bool parse_where(MixItem *item, Mix *mix, int *at, Error *error) {
    item->repeat = 1;
    if (mix->text[*at] == '*') {
        const int start = ++*at;
        if (!parse_number(&item->repeat, mix, at, "the number of layers", error)) return false;
        if (item->repeat < 1 || item->repeat > LAYERS_CAPACITY)
            return mix_fail_at(error, mix, start, "give a number of layers from 1 to %d", LAYERS_CAPACITY);
    }
    while (mix->text[*at] == '@') {
        const int start = ++*at;
        if (strncmp(mix->text + start, "heads=", 6) == 0)
            return mix_fail_at(error, mix, start,
                               "schemes by head went with version 0.2; name layers, as in rope@0-2 none@3, or add "
                               "schemes up, as in rope+alibi");
        if (item->listed) return mix_fail_at(error, mix, start, "the layers of this item are named twice");
        if (!parse_layers(item, mix, at, error)) return false;
    }
    return true;
}

static bool parse_item(Mix *mix, int *at, Error *error) {
    if (mix->items == ITEMS_CAPACITY) return mix_fail_at(error, mix, *at, "at most %d items", ITEMS_CAPACITY);
    MixItem *item = &mix->item[mix->items++];
    *item = (MixItem){.at = *at};
    if (!parse_sum(item, mix, at, error)) return false;
    const int behind_sum = *at;
    if (!parse_where(item, mix, at, error)) return false;
    return mix->text[behind_sum] != '*' || !item->listed ||
           mix_fail_at(error, mix, behind_sum, "give a number of layers or their list, not both");
}

// --- printing ---

// Append to the text at *used.
static void append(char text[TEXT_CAPACITY], size_t *used, const char *format, ...) FORMAT_CHECK(3, 4);
static void append(char text[TEXT_CAPACITY], size_t *used, const char *format, ...) {
    const size_t room = *used < TEXT_CAPACITY ? TEXT_CAPACITY - *used : 0;
    va_list list;
    va_start(list, format);
    *used += (size_t)vsnprintf(room ? text + *used : NULL, room, format, list);
    va_end(list);
}

static void print_layers(char text[TEXT_CAPACITY], size_t *used, const bool layers[LAYERS_CAPACITY]) {
    char before = '@';
    for (int l = 0; l < LAYERS_CAPACITY; l++) {
        int last = l;
        if (!layers[l]) continue;
        while (last + 1 < LAYERS_CAPACITY && layers[last + 1]) last++;
        append(text, used, "%c%d", before, l);
        if (last > l) append(text, used, "-%d", last);
        before = ',';
        l = last;
    }
}

size_t mix_print(const Mix *mix, char text[TEXT_CAPACITY]) {
    size_t used = 0;
    for (const MixItem *item = mix->item; item < mix->item + mix->items; item++) {
        if (item > mix->item) append(text, &used, ",");
        for (int i = 0; i < item->parts; i++) {
            char scheme[TEXT_CAPACITY];
            position_print(&mix->part[item->part[i]], scheme);
            append(text, &used, "%s%s", i ? "+" : "", scheme);
        }
        if (item->repeat > 1) append(text, &used, "*%d", item->repeat);
        if (item->listed) print_layers(text, &used, item->layers);
    }
    return used;
}

// --- the whole ---

bool mix_parse(Mix *mix, const char *text, Error *error) {
    *mix = (Mix){.rule = {.newline = -1, .end = -1}};
    if (formula_looks(text)) { // as a file has it; in braces it is like any other scheme
        const Formula *formula = formula_parse(text, NULL, error);
        char braced[TEXT_CAPACITY];
        if (!formula) return false;
        if (snprintf(braced, sizeof braced, "{%s}", formula->text) >= (int)sizeof braced)
            return fail_input(error, "--pos: a formula has at most %d characters", TEXT_CAPACITY - 3);
        return mix_parse(mix, braced, error);
    }
    if (snprintf(mix->text, sizeof mix->text, "%s", text) >= (int)sizeof mix->text)
        return fail_input(error, "the position scheme '%.40s...' is too long; at most %d characters", text,
                          TEXT_CAPACITY - 1);
    const int blank = (int)strcspn(mix->text, "\t\n\v\f\r");
    if (mix->text[blank])
        return mix_fail_at(error, mix, blank, "a tab or a line break cannot stand here; use a space or a comma");
    for (int at = 0;;) {
        if (!parse_item(mix, &at, error)) return false;
        if (!mix->text[at]) break;
        const int separator = at;
        at += mix->text[at] == ',';
        at += (int)strspn(mix->text + at, " ");
        if (at == separator) return mix_fail_at(error, mix, at, "items are separated by a comma or a space");
    }
    char whole[TEXT_CAPACITY];
    return mix_print(mix, whole) < TEXT_CAPACITY ||
           fail_input(error,
                      "--pos '%s': with all their options spelled out, these are more than %d characters; use "
                      "fewer schemes",
                      mix->text, TEXT_CAPACITY - 1);
}
