#include "lab/eval/generate.h"

#include "lab/eval/evaluate.h"
#include "model/sample.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

// Fill `tokens` with what precedes the first generated token: the mark between documents if the tokenizer has one, and
// the prompt.
static bool beginning(Tokens *tokens, const Tokenizer *tokenizer, const char *prompt, Error *error) {
    const int end = tokenizer_end(tokenizer);
    const uint16_t mark = (uint16_t)(end >= 0 ? end : 0);
    if ((end >= 0 || !*prompt) && !tokens_add(tokens, &mark, 1, error)) return false;
    return !*prompt || tokenizer_encode(tokens, tokenizer, prompt, strlen(prompt), "the prompt", error);
}

// A model can write any bytes, including control sequences of a terminal. A terminal is sent '?' instead of them; files
// get all bytes.
static void print_token(FILE *out, bool terminal, const Tokenizer *tokenizer, int id) {
    const char *text;
    const size_t length = tokenizer_decode(&text, tokenizer, id);
    if (id == tokenizer_end(tokenizer)) fputs("\n\n", out);
    for (size_t i = 0; i < length; i++) {
        const bool control = iscntrl((unsigned char)text[i]) && text[i] != '\n' && text[i] != '\t';
        fputc(terminal && control ? '?' : text[i], out);
    }
    fflush(out);
}

typedef struct {
    Inference inference;
    real *logits, *scratch; // (V)
    Tokens tokens;          // prompt and continuation
    int *ids;               // (context)
} Generator;

// How many tokens the next one is predicted from: all that were fed and the new ones, or, when these do not fit into
// the cache, the last half of it.
static int window_length(const Generator *generator, size_t fed) {
    const Inference *inference = &generator->inference;
    const size_t count = generator->tokens.count, capacity = (size_t)inference->capacity, half = (capacity + 1) / 2,
                 grown = (size_t)inference->length + (count - fed);
    return (int)(grown <= capacity ? grown : half < count ? half : count);
}

// Feed the tokens that the cache has not seen; or the whole window when the cache starts again, or when the
// scheme treats a window of this length differently from the last.
static void feed(Generator *generator, const Gpt *gpt, size_t *fed) {
    Inference *inference = &generator->inference;
    const int length = window_length(generator, *fed);
    if (length <= inference->length) inference_restart(inference);
    inference_window(inference, length);
    const size_t fresh = (size_t)(length - inference->length), from = generator->tokens.count - fresh;
    for (size_t i = 0; i < fresh; i++) generator->ids[i] = generator->tokens.ids[from + i];
    inference_feed(inference, gpt, generator->ids, (int)fresh);
    *fed = generator->tokens.count;
    // Only the last token's logits are wanted.
    const int C = gpt->shape.width;
    head_forward(generator->logits, inference->buffers.norm + (fresh - 1) * (size_t)C, gpt->w.wte, 1, C,
                 gpt->shape.vocab);
}

static bool run(FILE *out, Generator *generator, const Gpt *gpt, const Tokenizer *tokenizer, Generation *g,
                Error *error) {
    const bool terminal = isatty(fileno(out));
    fputs(g->prompt, out);
    size_t fed = 0;
    for (int i = 0; i < g->tokens; i++) {
        feed(generator, gpt, &fed);
        const int id =
            sample_token(generator->scratch, generator->logits, gpt->shape.vocab, g->temperature, g->top_k, &g->random);
        print_token(out, terminal, tokenizer, id);
        const uint16_t token = (uint16_t)id;
        if (!tokens_add(&generator->tokens, &token, 1, error)) return false;
    }
    return true;
}

static bool generator_create(Generator *generator, const Gpt *gpt, int window, Error *error) {
    const size_t V = (size_t)gpt->shape.vocab;
    if (!inference_create(&generator->inference, gpt, 1, window, window, error)) return false;
    generator->logits = malloc(V * sizeof(real));
    generator->scratch = malloc(V * sizeof(real));
    generator->ids = malloc((size_t)window * sizeof(int));
    return (generator->logits && generator->scratch && generator->ids) || fail_run(error, "no memory for the logits");
}

static void generator_free(Generator *generator) {
    inference_free(&generator->inference);
    free(generator->logits);
    free(generator->scratch);
    free(generator->ids);
    tokens_free(&generator->tokens);
}

bool generate(FILE *out, const Gpt *gpt, const Tokenizer *tokenizer, Generation *g, Error *error) {
    if (!length_check(gpt, g->context, error)) return false;
    Generator generator = {0};
    bool ok = beginning(&generator.tokens, tokenizer, g->prompt, error);
    // A text shorter than the context needs memory for its own length only; but randomised positions are drawn for the
    // whole context at once.
    const size_t all = generator.tokens.count + (size_t)g->tokens;
    const int window = all < (size_t)g->context && !position_random_bound(&gpt->pos) ? (int)all : g->context;
    ok = ok && generator_create(&generator, gpt, window, error) && run(out, &generator, gpt, tokenizer, g, error);
    generator_free(&generator);
    return ok;
}
