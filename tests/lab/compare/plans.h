// Plans of comparisons for tests, small and large.
#ifndef BITTER_PLANS_H
#define BITTER_PLANS_H

#include "lab/compare/plan.h"
#include "tests/support/support.h"

#include <string.h>

enum { VOCAB = 257, TRAINING_TOKENS = 1000000 };

static inline void begin(Plan *plan) {
    plan_free(plan);
    *plan = (Plan){.seeds = 3, .exercises = 50, .task_steps = 70, .threads = 1};
    options_default(&plan->base, train_options);
    Error error;
    must(plan_text(plan, "builtin:tales", VOCAB, TRAINING_TOKENS, &error), &error);
    strcpy(plan->command, "bitter compare \"quoted\" \\ \xC3\xA9");
}

static inline bool set_variants(Plan *plan, const char *list, const char *reference, Error *error) {
    char text[4 * TEXT_CAPACITY];
    char *words[VARIANTS_MOST + 8], *rest = text;
    int count = 0;
    snprintf(text, sizeof text, "%s", list);
    for (char *word; (word = strtok_r(rest, ";", &rest));) words[count++] = word;
    return plan_variants(plan, words, count, reference, error);
}

// Settings of these sizes on the plan's texts.
static inline bool set_sizes(Plan *plan, const char *scale, const char *ratios, Error *error) {
    const SettingLists lists = {.scale = scale, .tokens_per_parameter = ratios, .contexts = ""};
    return plan_settings(plan, &lists, error);
}

// A plan with some of everything: two schemes and their designed one, sizes, rates and tasks.
static inline void make_large(Plan *plan) {
    Error error;
    begin(plan);
    plan->base.lr = 3e-4;
    must(set_variants(plan, "learned;short=rope:base=100 --window 64,0;rope:base=500,pairing=interleaved", "short",
                      &error) &&
             plan_rates(plan, "1e-4,3e-4,1e-3", &error) && set_sizes(plan, "0.1M, 300k", "", &error) &&
             plan_tasks(plan, "copy:max=5 parity", &error) &&
             plan_contrast(plan, "rope:base=500,pairing=interleaved - short", "2026-01-31T23:59:59Z", 7, &error),
         &error);
    plan->looks[0] = 2;
    plan->looks[1] = 3;
    plan->look_count = 2;
}

static inline void make_small(Plan *plan) {
    Error error;
    begin(plan);
    must(set_variants(plan, "rope", "", &error) && plan_rates(plan, "", &error) && set_sizes(plan, "", "", &error) &&
             plan_tasks(plan, "", &error),
         &error);
}

// Expect a refusal with a sentence that contains all `parts`, which are separated by ';'.
static inline void expect_refusal(bool taken, const Error *error, const char *what, const char *parts) {
    char text[4 * TEXT_CAPACITY], *rest = text;
    if (taken) fail_msg("taken: %s", what);
    assert_int_equal(error->kind, ERROR_INPUT);
    snprintf(text, sizeof text, "%s", parts);
    for (char *part; (part = strtok_r(rest, ";", &rest));)
        if (!strstr(error->message, part)) fail_msg("%s: no '%s' in: %s", what, part, error->message);
}

#endif
