#include "data/made/tales/tales_words.h"

#include <assert.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const materials[] = {
    "brass",  "silver",  "wooden", "copper", "ivory",   "cracked", "painted",  "rusty",  "tiny",   "heavy",
    "blue",   "crooked", "golden", "glass",  "leather", "tin",     "stone",    "carved", "dented", "polished",
    "old",    "striped", "velvet", "bone",   "iron",    "amber",   "clay",     "woven",  "broken", "folded",
    "green",  "scarlet", "black",  "white",  "yellow",  "plain",   "battered", "gilded", "jade",   "pewter",
    "willow", "oak",     "ash",    "ebony",  "steel",   "bronze",  "faded",    "mended",
};

static const char *const nouns[] = {
    "key",      "lantern", "spoon",      "ring",     "whistle",   "compass", "needle",       "button",  "flute",
    "coin box", "thimble", "comb",       "mirror",   "bell",      "knife",   "map",          "feather", "candlestick",
    "locket",   "cup",     "medal",      "chain",    "bottle",    "drum",    "hammer",       "ladle",   "brooch",
    "dice cup", "inkwell", "pen",        "diary",    "astrolabe", "puppet",  "mask",         "fan",     "buckle",
    "horn",     "top",     "marble",     "bracelet", "crown",     "goblet",  "helmet",       "kettle",  "lens",
    "letter",   "lock",    "magnet",     "nail",     "pipe",      "plate",   "purse",        "razor",   "saucer",
    "seal",     "shell",   "spur",       "stamp",    "sundial",   "teapot",  "telescope",    "ticket",  "tray",
    "trumpet",  "urn",     "vase",       "violin",   "wand",      "watch",   "weather vane", "anchor",  "arrow",
    "basket",   "belt",    "chessboard", "chisel",   "doll",      "fiddle",  "hook",         "jar",     "ladder",
    "pail",
};

static const char *const trades[] = {
    "weaver",       "miller",        "baker",           "carpenter",    "fisher",    "clockmaker",
    "shepherd",     "potter",        "tailor",          "doctor",       "teacher",   "painter",
    "blacksmith",   "gardener",      "librarian",       "farrier",      "cook",      "tanner",
    "mason",        "glazier",       "printer",         "beekeeper",    "locksmith", "surveyor",
    "pilot",        "sailor",        "judge",           "piper",        "dyer",      "cooper",
    "brewer",       "hatter",        "cobbler",         "saddler",      "roofer",    "thatcher",
    "chandler",     "carter",        "innkeeper",       "astronomer",   "healer",    "engraver",
    "organist",     "undertaker",    "rope maker",      "barrel maker", "mapmaker",  "bookbinder",
    "basket maker", "chimney sweep", "lamplighter",     "goldsmith",    "scribe",    "postmaster",
    "night guard",  "woodcutter",    "charcoal burner",
};

static const char *const animals[] = {
    "fox",    "goose", "cat",   "dog",     "owl",    "crow",  "horse",    "donkey",   "hare",   "hen",
    "goat",   "pig",   "heron", "mouse",   "badger", "otter", "toad",     "swan",     "rook",   "wolf",
    "mule",   "lamb",  "ox",    "eel",     "raven",  "stork", "hedgehog", "squirrel", "magpie", "spider",
    "beetle", "calf",  "duck",  "sparrow", "snail",  "trout", "weasel",   "bear",     "deer",
};

static const char *const colours[] = {
    "red",    "blue",   "green", "grey",    "white",  "black", "brown",   "yellow", "purple",    "orange",
    "silver", "golden", "pink",  "crimson", "violet", "amber", "scarlet", "ivory",  "turquoise", "copper",
};

static const char *const weathers[] = {
    "raining",         "snowing",          "windy",      "very hot", "bitterly cold", "foggy",
    "still and grey",  "bright and clear", "thundering", "mild",     "cloudy",        "dry and dusty",
    "hailing",         "as dark as ink",   "warm",       "stormy",   "freezing",      "drizzling",
    "unusually quiet", "pouring",
};

static const char *const laters[] = {
    "later",
    "soon",
    "afterwards",
    "after a while",
    "that evening",
    "the next morning",
    "an hour later",
    "before supper",
    "at noon",
    "after breakfast",
    "at dusk",
    "towards midnight",
    "when the bells rang",
    "once the rain had stopped",
    "on market day",
    "in the afternoon",
    "two days later",
    "a week later",
    "at first light",
    "when all was quiet",
    "that night",
    "before noon",
    "the day after",
    "that same day",
    "not long after",
    "by and by",
};

static const char *const manners[] = {
    "slowly",
    "quickly",
    "quietly",
    "gladly",
    "in silence",
    "without a word",
    "with a sigh",
    "with a smile",
    "without haste",
    "as fast as possible",
    "on tiptoe",
    "singing",
    "whistling",
    "in great haste",
    "cheerfully",
    "wearily",
    "carefully",
    "in the dark",
    "by moonlight",
    "barefoot",
    "with a heavy heart",
    "half asleep",
    "in the rain",
};

static const char *const feelings[] = {
    "happy",   "sad",     "tired", "hungry",   "proud",    "angry",   "frightened", "curious", "lonely",  "hopeful",
    "puzzled", "bashful", "calm",  "restless", "grateful", "thirsty", "worried",    "merry",   "jealous", "homesick",
};

static const char *const verbs[] = {
    "sleeps",   "waits",  "sings",   "dances", "hides", "weeps",   "laughs", "wanders", "dreams", "calls",
    "whispers", "stands", "listens", "prays",  "rests", "shivers", "smiles", "mourns",  "plays",  "watches",
};

static const char *const vessels[] = {
    "pot", "bowl", "pan", "jug", "dish", "kettle", "basin", "cauldron", "crock", "mould", "saucepan", "bucket",
};

static const char *const liquids[] = {
    "milk", "water", "cider", "honey", "wine", "cream", "broth", "vinegar", "oil", "butter", "beer", "lemon juice",
};

static const char *const powders[] = {
    "salt", "sugar", "flour", "pepper", "cinnamon", "ginger", "nutmeg", "mustard", "saffron", "mint", "thyme", "sage",
};

static const char *const dishes[] = {
    "soup", "pie", "stew", "pudding", "jam", "cake", "tart", "bread", "sauce", "jelly", "dumplings", "broth",
};

static const char *const cuts[] = {
    "chop", "peel", "wash", "slice", "mash", "grate", "dry", "boil", "roast", "crush", "halve", "soak",
};

static const WordList word_lists[] = {
    {"material", materials, COUNT(materials)},
    {"noun", nouns, COUNT(nouns)},
    {"trade", trades, COUNT(trades)},
    {"animal", animals, COUNT(animals)},
    {"colour", colours, COUNT(colours)},
    {"weather", weathers, COUNT(weathers)},
    {"later", laters, COUNT(laters)},
    {"manner", manners, COUNT(manners)},
    {"feeling", feelings, COUNT(feelings)},
    {"verb", verbs, COUNT(verbs)},
    {"vessel", vessels, COUNT(vessels)},
    {"liquid", liquids, COUNT(liquids)},
    {"powder", powders, COUNT(powders)},
    {"dish", dishes, COUNT(dishes)},
    {"cut", cuts, COUNT(cuts)},
};

static const WordPair places[] = {
    {"in", "mill"},      {"on", "bridge"},     {"at", "harbour"},    {"in", "chapel"},     {"in", "tower"},
    {"on", "hill"},      {"at", "inn"},        {"in", "orchard"},    {"in", "cellar"},     {"in", "bakery"},
    {"at", "market"},    {"in", "stable"},     {"in", "library"},    {"at", "ferry"},      {"in", "barn"},
    {"in", "garden"},    {"in", "forge"},      {"at", "well"},       {"in", "school"},     {"on", "island"},
    {"in", "quarry"},    {"in", "churchyard"}, {"in", "attic"},      {"at", "crossroads"}, {"in", "lighthouse"},
    {"in", "palace"},    {"in", "workshop"},   {"in", "cave"},       {"in", "kitchen"},    {"in", "hospital"},
    {"at", "town hall"}, {"in", "theatre"},    {"in", "boathouse"},  {"in", "dairy"},      {"in", "vineyard"},
    {"in", "wood"},      {"at", "toll house"}, {"in", "smokehouse"}, {"in", "courtyard"},  {"in", "castle"},
    {"at", "lock"},      {"on", "pier"},       {"in", "belfry"},     {"in", "greenhouse"}, {"in", "monastery"},
    {"at", "spring"},    {"in", "prison"},     {"on", "heath"},
};

static const WordPair spots[] = {
    {"under", "loose floorboard"},
    {"behind", "painted shelf"},
    {"inside", "hollow log"},
    {"under", "flat stone"},
    {"in", "broken jug"},
    {"behind", "wall clock"},
    {"under", "straw mattress"},
    {"inside", "empty barrel"},
    {"beneath", "heap of sacks"},
    {"behind", "loose brick"},
    {"in", "locked chest"},
    {"under", "bench"},
    {"inside", "stuffed owl"},
    {"behind", "curtain"},
    {"in", "flower pot"},
    {"under", "pile of leaves"},
    {"inside", "old boot"},
    {"behind", "portrait"},
    {"in", "drawer"},
    {"under", "rug"},
    {"inside", "beehive"},
    {"beneath", "stone lion"},
    {"in", "birdcage"},
    {"behind", "ladder"},
    {"in", "wine cask"},
    {"under", "anvil"},
    {"inside", "hymn book"},
    {"in", "sack of flour"},
    {"under", "cradle"},
    {"behind", "iron door"},
};

static const WordPair goods[] = {
    {"candle", "candles"},   {"loaf", "loaves"},    {"knife", "knives"},       {"egg", "eggs"},
    {"rope", "ropes"},       {"nail", "nails"},     {"herring", "herrings"},   {"brush", "brushes"},
    {"cheese", "cheeses"},   {"goose", "geese"},    {"blanket", "blankets"},   {"lemon", "lemons"},
    {"sausage", "sausages"}, {"shoe", "shoes"},     {"hat", "hats"},           {"bucket", "buckets"},
    {"plank", "planks"},     {"brick", "bricks"},   {"button", "buttons"},     {"shelf", "shelves"},
    {"ribbon", "ribbons"},   {"needle", "needles"}, {"book", "books"},         {"pencil", "pencils"},
    {"stool", "stools"},     {"box", "boxes"},      {"mug", "mugs"},           {"spade", "spades"},
    {"rake", "rakes"},       {"broom", "brooms"},   {"barrel", "barrels"},     {"saddle", "saddles"},
    {"sheep", "sheep"},      {"calf", "calves"},    {"turkey", "turkeys"},     {"pie", "pies"},
    {"bun", "buns"},         {"fish", "fish"},      {"lily", "lilies"},        {"rose", "roses"},
    {"sponge", "sponges"},   {"pillow", "pillows"}, {"coat", "coats"},         {"scarf", "scarves"},
    {"glove", "gloves"},     {"lamp", "lamps"},     {"window", "windows"},     {"wheel", "wheels"},
    {"axe", "axes"},         {"ladder", "ladders"}, {"umbrella", "umbrellas"}, {"tent", "tents"},
    {"kite", "kites"},       {"drum", "drums"},     {"oar", "oars"},           {"sail", "sails"},
    {"net", "nets"},
};

static const WordPair fruits[] = {
    {"pear", "pears"},         {"apple", "apples"},       {"onion", "onions"},   {"plum", "plums"},
    {"carrot", "carrots"},     {"leek", "leeks"},         {"turnip", "turnips"}, {"cherry", "cherries"},
    {"potato", "potatoes"},    {"quince", "quinces"},     {"fig", "figs"},       {"walnut", "walnuts"},
    {"chestnut", "chestnuts"}, {"mushroom", "mushrooms"}, {"beet", "beets"},     {"parsnip", "parsnips"},
    {"tomato", "tomatoes"},    {"almond", "almonds"},     {"peach", "peaches"},  {"radish", "radishes"},
};

static const WordPair rhymes[] = {
    {"bell", "well"},  {"sea", "tree"},  {"stone", "bone"}, {"moon", "spoon"}, {"night", "light"}, {"door", "floor"},
    {"hill", "mill"},  {"snow", "crow"}, {"rain", "lane"},  {"fire", "spire"}, {"ring", "king"},   {"house", "mouse"},
    {"bread", "bed"},  {"wall", "hall"}, {"boat", "coat"},  {"hat", "cat"},    {"sand", "land"},   {"fox", "box"},
    {"clock", "dock"}, {"star", "jar"},  {"lake", "cake"},  {"rose", "nose"},  {"town", "crown"},  {"day", "hay"},
};

const PairList tales_places = {places, COUNT(places)};
const PairList tales_spots = {spots, COUNT(spots)};
const PairList tales_goods = {goods, COUNT(goods)};
const PairList tales_fruits = {fruits, COUNT(fruits)};
const PairList tales_rhymes = {rhymes, COUNT(rhymes)};

const WordList *words_find(const char *name, size_t length) {
    for (int i = 0; i < COUNT(word_lists); i++) {
        const WordList *list = &word_lists[i];
        if (strncmp(list->name, name, length) == 0 && list->name[length] == '\0') return list;
    }
    return NULL;
}

const char *words_pick(const char *list, Random *random) {
    const WordList *found = words_find(list, strlen(list));
    assert(found); // a template names a list that does not exist
    return found->words[random_below(random, found->count)];
}
