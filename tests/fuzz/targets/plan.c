// compare.json, the plan of a comparison.
#include "lab/compare/plan.h"
#include "tests/fuzz/fuzz.h"

bool fuzz_plan(const uint8_t *bytes, size_t size) {
    enum { JOBS_MOST = 100 };
    static Plan plan, again;
    json_t *data, *same;
    char path[PATH_CAPACITY], copy[PATH_CAPACITY], name[PATH_CAPACITY];
    Error error;
    fuzz_file(path, "compare.json", bytes, size);
    if (!fuzz_taken(plan_read(&plan, &data, path, &error), &error)) return false;
    fuzz_must(path_format(copy, &error, "%s/copy.json", fuzz_directory()) && plan_write(copy, &plan, data, &error) &&
                  plan_read(&again, &same, copy, &error) && plan_agrees(&plan, &again, copy, &error),
              &error);
    assert(data ? json_equal(data, same) : !same);
    for (int i = 0; i < plan_job_count(&plan) && i < JOBS_MOST; i++) {
        const Job job = plan_job(&plan, i);
        assert(plan_job_index(&plan, &job) == i && *plan_job_name(name, &plan, &job));
        plan_job_options(&plan, &job);
    }
    json_decref(data);
    json_decref(same);
    return true;
}
