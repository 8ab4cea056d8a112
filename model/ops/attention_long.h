// Attention of inference over very many keys.
#ifndef BITTER_ATTENTION_LONG_H
#define BITTER_ATTENTION_LONG_H

#include "model/ops/attention.h"

// Where there are very many keys, TALL queries look at TILE of them together: their scores stay in the cache, and the
// products pack these keys and values once for all of the queries.
#define TALL      (4 * QUERY_BLOCK)
#define TILE      512
#define VERY_MANY (8 * TILE)

// Queries go through their keys in tiles only if nobody needs their weights (no lse, no P, no dropout) and no scheme
// changes their scores.
bool goes_in_tiles(const Attention *a, const MixTables *tables, const QueryBlock *block);

// As block_outputs, of at most TALL queries, with the softmax of Milakov, Gimelshein 2018 (1805.02867): where a later
// tile has a larger score, what was added up before is scaled down.
void block_forward_in_tiles(const Attention *a, const QueryBlock *block, const Scratch *scratch);

#endif
