// Schemes that couple position with content, in float: CoPE compared with another implementation's numbers. In double,
// double_content.c compares all of them with their formulas.
#include "posenc/registry.h"
#include "tests/support/scene.h"

enum { GOLDEN_N = 4, GOLDEN_D = 4, GOLDEN_H = 2, GOLDEN_T = 6, GOLDEN_S = GOLDEN_T * GOLDEN_T };

typedef struct {
    Scene scene;
    Place at[GOLDEN_T];
    real query[GOLDEN_H * GOLDEN_T * GOLDEN_D], logits[GOLDEN_H * GOLDEN_S], out[GOLDEN_H * GOLDEN_S];
    real dout[GOLDEN_H * GOLDEN_S], dquery[GOLDEN_H * GOLDEN_T * GOLDEN_D], dlogits[GOLDEN_H * GOLDEN_S];
} CopeGolden;

// The reference gives only what is added to the scores and, of gradients, what the count adds to theirs.
static void expect_golden_head(CopeGolden *g, int head) {
    const Scheme *cope = g->scene.pos->scheme;
    const size_t scores = (size_t)head * GOLDEN_S, rows = (size_t)head * GOLDEN_T * GOLDEN_D;
    real S[GOLDEN_S], dS[GOLDEN_S], dq[GOLDEN_T * GOLDEN_D] = {0};
    memcpy(S, g->logits + scores, sizeof S);
    memcpy(dS, g->dout + scores, sizeof dS);
    ScoreBlock block = {.S = S, .stride = GOLDEN_T, .head = head, .q_stride = GOLDEN_D, .k_stride = GOLDEN_D};
    block.rows = block.columns = GOLDEN_T;
    block.query_at = block.key_at = g->at;
    block.q = block.k = g->query + rows;
    block.scale = 1;
    block.scratch = nan_reals(cope->score_scratch(&g->scene.tables, GOLDEN_T, GOLDEN_T, true));
    cope->family->score_forward(&g->scene.tables, &block);
    for (int i = 0; i < GOLDEN_T; i++)
        for (int j = 0; j <= i; j++) {
            const size_t n = (size_t)(i * GOLDEN_T + j);
            expect_near("out", n, (double)S[n] - (double)g->logits[scores + n], (double)g->out[scores + n], 1e-5);
        }
    const ScoreGradient grad = {.dS = dS, .dq = dq};
    cope->family->score_backward(&g->scene.tables, &block, &grad);
    expect_all_near("dquery", dq, g->dquery + rows, COUNT(dq), 1e-5);
    for (size_t n = 0; n < GOLDEN_S; n++)
        expect_near("dlogits", n, (double)dS[n] - (double)g->dout[scores + n], (double)g->dlogits[scores + n], 1e-5);
    free(block.scratch);
}

static void cope_is_the_reference(void **state) {
    CopeGolden g;
    real dcodes[GOLDEN_N * GOLDEN_D];
    json_t *root = golden("cope");
    scene_make(&g.scene, "cope:positions=4", shape_of(GOLDEN_H, GOLDEN_H * GOLDEN_D, GOLDEN_T), GOLDEN_T);
    places_run(g.at, GOLDEN_T);
    read_matrix(g.scene.pos->params[0], json_object_get(root, "pos_emb"), GOLDEN_N, GOLDEN_D);
    read_numbers(g.query, json_object_get(root, "query"), COUNT(g.query));
    read_numbers(g.logits, json_object_get(root, "logits_unmasked"), COUNT(g.logits));
    read_numbers(g.out, json_object_get(root, "out"), COUNT(g.out));
    read_numbers(g.dout, json_object_get(root, "upstream_grad"), COUNT(g.dout));
    read_numbers(g.dquery, json_object_get(root, "d_query"), COUNT(g.dquery));
    read_numbers(g.dlogits, json_object_get(root, "d_logits"), COUNT(g.dlogits));
    read_numbers(dcodes, json_object_get(root, "d_pos_emb"), COUNT(dcodes));
    for (int head = 0; head < GOLDEN_H; head++) expect_golden_head(&g, head);
    scene_layer_backward(&g.scene, 0);
    expect_all_near("dcodes", g.scene.pos->dparams[0], dcodes, COUNT(dcodes), 1e-5);
    scene_free(&g.scene);
    json_decref(root);
}

// From the clamp or clip on, distances share a row of the tables.
static void far_distances_take_no_room(void **state) {
    static const char *const specifications[] = {"transformer-xl:clamp=7", "shaw:clip=7"};
    for (size_t s = 0; s < COUNT(specifications); s++) {
        Scene scene;
        scene_make(&scene, specifications[s], shape_of(1, 8, 90), 90000);
        assert_in_range(scene.arena.used, 1, 64 * 1024);
        scene_free(&scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cope_is_the_reference),
        cmocka_unit_test(far_distances_take_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
