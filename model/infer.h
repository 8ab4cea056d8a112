// Forward without backward: text is fed in chunks, and each layer keeps keys and values, 2 K*d numbers a token. A layer
// with a window forgets tokens that have left it, so its memory grows with the window and a chunk, not with the text.
#ifndef BITTER_INFER_H
#define BITTER_INFER_H

#include "model/train_pass.h"

// What a layer stores of the tokens fed: the last ones of each sequence, from token number `first` on. When the room is
// full, the last `kept` of them move to the front, at most once per `kept` tokens.
typedef struct {
    int room, kept, first;
    real *cache;    // (B, room, 2 K*d) keys, after the schemes' qk hooks, and values
    real *features; // (B, room, F) from the schemes' input hooks
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
    bool silent;          // the outputs are not needed: the last layer only stores keys and values
    real *P; // NULL, or the caller's (L, B, H, n, length + n) in which a feed of n tokens leaves its attention weights
} Inference;

// Take memory. Fails (run) when there is not enough.
bool inference_create(Inference *inference, const Gpt *gpt, int B, int capacity, int chunk, Error *error);
void inference_free(Inference *inference);

// Forget all that was fed.
void inference_restart(Inference *inference);

// Set the length of the window that is being fed: at most the capacity, which is the default. When a scheme treats
// windows of the new length differently, all that was fed is forgotten (inference->length is 0 then).
void inference_window(Inference *inference, int length);

// Feed the next n <= chunk tokens of each sequence: ids (B, n).
void inference_feed(Inference *inference, const Gpt *gpt, const int *ids, int n);

// After feeding n tokens of each sequence: logits (B, n, V).
void inference_logits(real *logits, const Inference *inference, const Gpt *gpt, int n);
// The same for the last token alone, if B is 1: logits (V).
void inference_last_logits(real *logits, const Inference *inference, const Gpt *gpt, int n);
// The same, but the losses against targets (B, n): nll (B, n), in nats.
void inference_nll(double *nll, const Inference *inference, const Gpt *gpt, const int *targets, int n);

#endif
