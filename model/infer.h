// Forward without backward: text is fed in chunks, and each layer keeps keys and values, 2 K*d numbers a token. A layer
// with a window forgets what has left it, so its memory stays in the order of the window and a chunk.
#ifndef BITTER_INFER_H
#define BITTER_INFER_H

#include "model/train_pass.h"

// What a layer remembers of the tokens fed: of each sequence the last ones, from number `first` on. When there is no
// room for more, the last `kept` of them move to the front: one move for at least as many tokens.
typedef struct {
    int room, kept, first;
    real *cache;    // (B, room, 2 K*d) keys, after the schemes' qk hooks, and values
    real *features; // (B, room, F) what the schemes' input hooks made of the tokens
    Place *key_at;  // (B, room) coordinates
} LayerMemory;

typedef struct {
    int B, capacity;  // sequences side by side (a caller may lower it before a restart), and the most tokens of each
    int chunk;        // the most tokens of each per call: at most the capacity
    int length;       // tokens fed so far: the next one's position
    MixTables tables; // of the position schemes
    Arena arena;
    LayerMemory *memory;  // (L)
    Place *cursor;        // (B) the next token's place in its text
    int *drawn;           // (capacity) the coordinates that 0, 1, 2 ... become: themselves unless randomised
    Place *query_at;      // (B, chunk) coordinates of the new tokens
    LayerActivations a;   // (B, chunk, ...) of the layer at work: layers write over each other
    LayerBuffers buffers; // after a feed, buffers.norm (B, chunk, C) is the input of the head
    bool silent;          // the caller wants no outputs of what is fed: the last layer only remembers keys and values
    real *P; // NULL, or the caller's (L, B, H, n, length + n) in which a feed of n tokens leaves its attention weights
} Inference;

// Take memory. Fails (run) when there is not enough.
bool inference_create(Inference *inference, const Gpt *gpt, int B, int capacity, int chunk, Error *error);
void inference_free(Inference *inference);

// Forget all that was fed.
void inference_restart(Inference *inference);

// Set the length of the window that is being fed: at most the capacity, which it is without this call. When a scheme
// treats windows of the new length differently, all that was fed is forgotten (inference->length is 0 then).
void inference_window(Inference *inference, int length);

// Feed the next n <= chunk tokens of each sequence: ids (B, n).
void inference_feed(Inference *inference, const Gpt *gpt, const int *ids, int n);

// After feeding n tokens each: logits (B, n, V) ...
void inference_logits(real *logits, const Inference *inference, const Gpt *gpt, int n);
// ... or, of one sequence, the last token's alone: logits (V) ...
void inference_last_logits(real *logits, const Inference *inference, const Gpt *gpt, int n);
// ... or their losses against targets (B, n): nll (B, n), in nats.
void inference_nll(double *nll, const Inference *inference, const Gpt *gpt, const int *targets, int n);

#endif
