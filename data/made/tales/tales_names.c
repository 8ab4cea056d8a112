// Names that exist nowhere else, so that a model must copy them rather than know them; and numbers in words.
#include "data/made/tales/tales_words.h"

#include <stdio.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define PICK(array)  ((array)[random_below(random, COUNT(array))])

static const char *const heads[] = {
    "Mir", "Tam", "Vel", "Or",  "Hal",  "Bren", "Cor", "Del", "El",  "Fen", "Gar", "Is",  "Jor", "Kel", "Lor",
    "Mal", "Nor", "Os",  "Per", "Quin", "Ros",  "Sel", "Tor", "Ul",  "Vin", "Wil", "Yar", "Zan", "Ad",  "Ber",
    "Cas", "Dor", "Em",  "Fal", "Gis",  "Hed",  "Ing", "Jan", "Kar", "Lud", "Mor", "Nel", "Ol",  "Pal", "Run",
};
static const char *const middles[] = {"",   "",   "",   "el", "and", "or",  "en",  "ul", "ett", "im",  "ov", "ad",
                                      "in", "ar", "em", "ol", "ebr", "omm", "ast", "ir", "il",  "ess", "av", "ent"};
static const char *const endings_woman[] = {"a",    "ia",  "ine", "elle", "ena", "ika",
                                            "ette", "ora", "une", "ilde", "anne"};
static const char *const endings_man[] = {"o", "an", "ek", "ard", "or", "ulf", "ic", "io", "ald", "eric", "on"};
static const char *const town_heads[] = {"Tor",   "Ash",   "Vask",   "Elm",   "Grim",  "Hol",   "Krum",
                                         "Lang",  "Marl",  "Nether", "Over",  "Pell",  "Rams",  "Stan",
                                         "Thorn", "Under", "Wal",    "Yel",   "Brack", "Cold",  "Dun",
                                         "Fair",  "Gold",  "Hex",    "Ister", "Jarl",  "Kings", "Low"};
static const char *const town_tails[] = {"by",     "ford", "wick",  "mouth", "stead", "ham",  "dale", "burn",  "gate",
                                         "bridge", "moor", "field", "well",  "ton",   "holm", "end",  "marsh", "cross"};
static const char *const syllables[] = {"ba",  "ce",  "di",  "fo",  "gu",  "ka",  "le",  "mi",  "no",
                                        "pu",  "ra",  "se",  "ti",  "vo",  "zu",  "da",  "ne",  "li",
                                        "mo",  "ru",  "sa",  "te",  "vi",  "lo",  "bru", "tra", "ske",
                                        "pli", "nor", "van", "ber", "dol", "mur", "sil", "tam", "gin"};

void words_person(char *name, size_t size, int woman, Random *random) {
    const char *head = PICK(heads), *middle = PICK(middles);
    snprintf(name, size, "%s%s%s", head, middle, woman ? PICK(endings_woman) : PICK(endings_man));
}

void words_town(char *name, size_t size, Random *random) {
    const char *head = PICK(town_heads);
    snprintf(name, size, "%s%s", head, PICK(town_tails));
}

void words_secret(char *name, size_t size, Random *random) {
    const char *first = PICK(syllables), *second = PICK(syllables), *third = PICK(syllables);
    snprintf(name, size, "%s%s%s%s", first, second, third, random_below(random, 2) ? PICK(syllables) : "");
}

static const char *const small_numbers[] = {
    "no",  "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
};
static const char *const tens[] = {"",      "",      "twenty",  "thirty", "forty",
                                   "fifty", "sixty", "seventy", "eighty", "ninety"};
static const char *const ordinals[] = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",      "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",    "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
};

const char *number_word(int number, char word[32]) {
    if (number < 20) return small_numbers[number];
    if (number % 10 == 0) return tens[number / 10];
    snprintf(word, 32, "%s-%s", tens[number / 10], small_numbers[number % 10]);
    return word;
}

const char *ordinal_word(int number) {
    return ordinals[number];
}
