// The arguments of `bitter compare`, with a byte 0xFF between the parts: one contrast, --lr-grid, --tasks, --scale,
// --tokens-per-parameter, --context, and the variants.
#include "lab/compare/plan.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

bool fuzz_arms(const uint8_t *bytes, size_t size) {
    static Plan plan, again;
    static char words[VARIANTS_MOST + 1][2 * TEXT_CAPACITY];
    enum { CONTRAST, RATES, TASKS, SCALE, RATIOS, CONTEXTS, LISTS };
    char lists[LISTS][TEXT_CAPACITY], *variants[VARIANTS_MOST + 1], path[PATH_CAPACITY];
    int count = 0;
    json_t *data;
    Error error;
    for (int i = 0; i < LISTS; i++) fuzz_word(lists[i], TEXT_CAPACITY, &bytes, &size);
    for (; size > 0 && count <= VARIANTS_MOST; count++)
        variants[count] = fuzz_word(words[count], sizeof words[count], &bytes, &size);
    plan_free(&plan);
    plan = (Plan){.exercises = 50, .task_steps = 70, .threads = 1};
    options_default(&plan.base, train_options);
    fuzz_must(plan_text(&plan, "builtin:tales", 257, 1e6, &error) && plan_seeds(&plan, 3, &error), &error);
    const SettingLists settings = {
        .scale = lists[SCALE], .tokens_per_parameter = lists[RATIOS], .contexts = lists[CONTEXTS]};
    const bool taken =
        count > 0 &&
        fuzz_taken(plan_variants(&plan, variants, count, "", &error) && plan_rates(&plan, lists[RATES], &error) &&
                       plan_settings(&plan, &settings, &error) && plan_tasks(&plan, lists[TASKS], &error) &&
                       (!*lists[CONTRAST] || plan_contrast(&plan, lists[CONTRAST], "2026-01-31T23:59:59Z", 0, &error)),
                   &error);
    if (!taken) return false;
    // What may be typed must be written as a plan that is read back.
    fuzz_must(plan_default_contrasts(&plan, "2026-01-31T23:59:59Z", 0, &error) &&
                  path_format(path, &error, "%s/arms.json", fuzz_directory()) &&
                  plan_write(path, &plan, NULL, &error) && plan_read(&again, &data, path, &error) &&
                  plan_agrees(&again, &plan, path, &error) && plan_follow(&again, &plan, 1, 1, &error),
              &error);
    return true;
}
