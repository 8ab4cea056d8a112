#include "lab/compare/outcome.h"

#include "lab/compare/measure.h"
#include "train/config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MOST 0x1p53

// Can a run have written these numbers?
static bool check_row(const Measured *row) {
    if (!(row->x >= 0 && row->x <= NUMBER_MOST && row->count >= 0 && row->count <= NUMBER_MOST)) return false;
    if (strcmp(row->quantity, "batches") == 0) return row->value >= 0 && row->value <= UINT32_MAX;
    if (strcmp(row->quantity, "right") == 0) return row->value >= 0 && row->value <= 1;
    return !(row->value < 0); // no other quantity is negative; a loss may be NaN
}

static bool read_row(Measured *row, const char *line) {
    int length = 0;
    return sscanf(line, "%15[a-z],%lf,%lf,%lf%n", row->quantity, &row->x, &row->value, &row->count, &length) == 4 &&
           line[length] == '\n' && check_row(row);
}

// The end of the rows: the last line, if it is a checksum, or else the end of the text, because users may remove that
// line to accept an edit. NULL when the checksum does not match.
static const char *rows_end(const char *text) {
    const char *end = text + strlen(text), *last = end;
    char seal[64];
    while (last > text && (last == end || last[-1] != '\n')) last--;
    if (strncmp(last, MEASURED_SEAL, strlen(MEASURED_SEAL)) != 0) return end;
    return strcmp(last, measure_seal(seal, text, (size_t)(last - text))) == 0 ? last : NULL;
}

static bool parse(Measures *measures, const char *text, const char *path, Error *error) {
    const char *end = rows_end(text);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    measures->rows = calloc((size_t)lines + 1, sizeof *measures->rows);
    if (!measures->rows) return fail_run(error, "no memory for the %d rows of %s", lines, path);
    const bool headed = strncmp(text, MEASURED_HEADER, strlen(MEASURED_HEADER)) == 0;
    bool ok = end && headed;
    for (const char *line = strchr(text, '\n'); ok && line && line + 1 < end; line = strchr(line + 1, '\n')) {
        ok = read_row(&measures->rows[measures->count], line + 1);
        measures->count += ok;
    }
    const char *last = measures->count > 0 ? measures->rows[measures->count - 1].quantity : "";
    ok = ok && (strcmp(last, "batches") == 0 || strcmp(last, "diverged") == 0);
    if (!end) return fail_input(error, "%s does not match its checksum; remove the run's directory to repeat it", path);
    return ok || fail_input(error, "%s: row %d is damaged; remove the run's directory to repeat it", path,
                            headed ? measures->count + 2 : 1);
}

// The run may be of another plan that had a scheme of the same name, or have been trained on another text; the
// exercises of tasks come from the program itself.
static bool check_config(const Outcome *o, const Job *job, Error *error) {
    char path[PATH_CAPACITY], asked[TEXT_CAPACITY], found[TEXT_CAPACITY];
    const TrainOptions wanted = plan_job_options(&o->comparison->plan, job);
    TrainOptions run;
    int vocab;
    if (!comparison_path(path, o->comparison, job, "config.json", error)) return false;
    if (path_missing(path)) return true;
    if (!config_read(path, &run, &vocab, error)) return false;
    for (const Option *option = train_options; (option = options_difference(asked, found, option, &wanted, &run));
         option++)
        if (!option_free_on_resume(option->name))
            return fail_input(error,
                              "%s: that run has --%s %.200s, not %.200s; give the scheme another label, or the "
                              "comparison another --out",
                              path, option->name, found, asked);
    const int text = o->comparison->plan.settings[job->setting].text;
    const json_t *expected = job->task < 0 ? json_array_get(o->comparison->data, (size_t)text) : NULL;
    if (!expected) return true;
    json_t *data = config_data(path, error);
    if (!data) return false;
    const bool same = data_same(data, expected);
    json_decref(data);
    return same || fail_input(error,
                              "%s: that run was trained on another text than this comparison (the CRC-32s differ); "
                              "remove the run's directory to repeat it, or give the comparison another --out",
                              path);
}

static bool read_job(const Outcome *o, Measures *measures, const Job *job, Error *error) {
    const Comparison *c = o->comparison;
    char path[PATH_CAPACITY];
    Buffer file;
    *measures = (Measures){0};
    if (!comparison_path(path, c, job, "", error)) return false;
    if (!path_check_link(path, "remove it, because the runs of a comparison must be real directories", error) ||
        !check_config(o, job, error) || !comparison_path(path, c, job, "measured.csv", error))
        return false;
    if (path_missing(path)) return true;
    if (!file_read(&file, path, error)) return false;
    const bool ok = parse(measures, (const char *)file.bytes, path, error);
    free(file.bytes);
    return ok;
}

static double value_of(const Measures *measures, const char *quantity, double x) {
    for (int i = 0; i < measures->count; i++)
        if (measures->rows[i].x == x && strcmp(measures->rows[i].quantity, quantity) == 0)
            return measures->rows[i].value;
    return NAN;
}

int outcome_done(const Outcome *outcome) {
    int done = 0;
    for (int i = 0; i < plan_job_count(&outcome->comparison->plan); i++) done += outcome->jobs[i].count > 0;
    return done;
}

const Measures *outcome_measures(const Outcome *o, const Job *job) {
    return &o->jobs[plan_job_index(&o->comparison->plan, job)];
}

// Differences are paired by seed, so with the same seed all schemes must have seen the same batches.
static bool check_batches(const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    char name[PATH_CAPACITY], other[PATH_CAPACITY];
    for (int i = 0; i < plan_job_count(plan); i++)
        for (int k = 0; o->jobs[i].count > 0 && k < i; k++) {
            const Job a = plan_job(plan, i), b = plan_job(plan, k);
            if (a.setting != b.setting || a.task != b.task || a.seed != b.seed) continue;
            const double batches = value_of(&o->jobs[i], "batches", 0), others = value_of(&o->jobs[k], "batches", 0);
            if (isnan(batches) || isnan(others) || batches == others) continue; // NAN: it diverged or is not done
            return fail_input(error,
                              "%s/runs/%s saw other batches than %s of the same seed (CRC-32 %08" PRIx32
                              ", not %08" PRIx32 "); were the data changed? remove the older runs to repeat them",
                              o->comparison->directory, plan_job_name(name, plan, &a), plan_job_name(other, plan, &b),
                              (uint32_t)batches, (uint32_t)others);
        }
    return true;
}

Paired outcome_choosing_losses(const Outcome *o, int setting, int variant, int rate) {
    const double T = (double)o->comparison->plan.settings[setting].context;
    Job job = {.setting = setting, .task = -1, .variant = variant, .rate = rate};
    double values[SEEDS_MOST];
    for (job.seed = 0; job.seed < o->seeds; job.seed++)
        values[job.seed] = value_of(outcome_measures(o, &job), "choose", T);
    return paired_summary(values, o->seeds);
}

// Never choose a rate at which a seed diverged; if there is no other, take the first rate.
static void choose_rates(Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    for (int setting = 0; setting < plan->setting_count; setting++)
        for (int variant = 0; variant < plan->variant_count; variant++) {
            double least = INFINITY;
            for (int rate = 0; rate < plan->rate_count; rate++) {
                const double loss = outcome_choosing_losses(o, setting, variant, rate).mean;
                if (!(loss < least)) continue;
                least = loss;
                o->chosen_rate[setting][variant] = rate;
            }
        }
}

bool outcome_read(Outcome *outcome, const Comparison *comparison, Error *error) {
    const Plan *plan = &comparison->plan;
    const int jobs = plan_job_count(plan);
    *outcome = (Outcome){.comparison = comparison, .seeds = plan->seeds};
    outcome->jobs = calloc((size_t)jobs, sizeof *outcome->jobs);
    bool ok = outcome->jobs || fail_run(error, "no memory for %d runs", jobs);
    for (int i = 0; ok && i < jobs; i++) {
        const Job job = plan_job(plan, i);
        ok = read_job(outcome, &outcome->jobs[i], &job, error);
        if (outcome->jobs[i].count == 0 && job.seed < outcome->seeds) outcome->seeds = job.seed;
    }
    ok = ok && check_batches(outcome, error);
    if (ok) choose_rates(outcome);
    if (!ok) outcome_free(outcome);
    return ok;
}

void outcome_free(Outcome *outcome) {
    for (int i = 0; outcome->jobs && i < plan_job_count(&outcome->comparison->plan); i++) free(outcome->jobs[i].rows);
    free(outcome->jobs);
    outcome->jobs = NULL;
}

Job outcome_job(const Outcome *o, int setting, int variant, int seed) {
    return (Job){
        .setting = setting, .task = -1, .variant = variant, .rate = o->chosen_rate[setting][variant], .seed = seed};
}

double outcome_value(const Outcome *o, int setting, int variant, int seed, const char *quantity, double x) {
    const Job job = outcome_job(o, setting, variant, seed);
    return value_of(outcome_measures(o, &job), quantity, x);
}

double outcome_share(const Outcome *o, int task, int variant, int seed, double first, double last) {
    const Measures *measures = outcome_measures(o, &(Job){.task = task, .variant = variant, .seed = seed});
    double right = 0, questions = 0;
    for (const Measured *row = measures->rows; row < measures->rows + measures->count; row++) {
        if (strcmp(row->quantity, "right") != 0 || row->x < first || row->x > last) continue;
        right += round(row->value * row->count);
        questions += row->count;
    }
    return right / questions;
}

// --- differences ---

void outcome_values(double *values, const Outcome *o, int setting, int variant, const char *quantity, double x) {
    for (int seed = 0; seed < o->seeds; seed++) values[seed] = outcome_value(o, setting, variant, seed, quantity, x);
}

void outcome_gaps(double *gaps, const Outcome *o, int variant, int other, int setting, int times) {
    const double window = times * (double)o->comparison->plan.settings[setting].context;
    double others[SEEDS_MOST];
    outcome_values(gaps, o, setting, variant, "loss", window);
    outcome_values(others, o, setting, other, "loss", window);
    for (int seed = 0; seed < o->seeds; seed++) gaps[seed] -= others[seed];
}

void difference_judge(Difference *d, double comparisons) {
    d->comparisons = comparisons;
    d->interval = paired_interval(&d->gap, comparisons);
    d->verdict = paired_verdict(&d->gap, comparisons);
}

Difference outcome_difference(const Outcome *o, int variant, int other, int setting, int texts) {
    const Plan *plan = &o->comparison->plan;
    const int apart = plan->setting_count / plan->text_count; // all texts have the same settings in the same order
    const Contrast *named = plan_compared(plan, variant, other);
    Difference d = {.variant = variant, .other = other, .setting = setting, .texts = texts, .times = 1};
    double gaps[TEXTS_MOST * SEEDS_MOST];
    for (int t = 0; t < texts; t++) outcome_gaps(gaps + t * o->seeds, o, variant, other, setting + t * apart, 1);
    d.gap = texts > 1 ? texts_summary(gaps, texts, o->seeds) : paired_summary(gaps, o->seeds);
    d.primary = named && named->after == 0;
    difference_judge(&d, d.primary ? plan_family(plan) : plan_pairs(plan));
    return d;
}

double outcome_peeking(const Outcome *o) {
    const Plan *plan = &o->comparison->plan;
    int looks = 1;
    for (int l = 0; l < plan->look_count; l++) looks += plan->looks[l] >= 2 && plan->looks[l] < o->seeds;
    return fmin(1, 0.05 * looks);
}

// --- results.csv ---

static void write_quoted(FILE *csv, const char *text) {
    const bool quotes = strpbrk(text, ",\"");
    if (quotes) fputc('"', csv);
    for (const char *c = text; *c; c++) {
        if (*c == '"') fputc('"', csv);
        fputc(*c, csv);
    }
    fputs(quotes ? "\"," : ",", csv);
}

// The columns that are the same for all rows of a run: setting to seed.
static void write_job(FILE *csv, const Outcome *o, const Job *job) {
    const Plan *plan = &o->comparison->plan;
    const Setting *setting = &plan->settings[job->setting];
    const bool text = job->task < 0, chosen = !text || o->chosen_rate[job->setting][job->variant] == job->rate;
    const TrainOptions options = plan_job_options(plan, job);
    write_quoted(csv, text ? setting->name : "");
    write_quoted(csv, text ? plan->texts[setting->text].name : "");
    fprintf(csv, "%lld,", options.context);
    if (text)
        fprintf(csv, "%lld,%.6g,", setting->parameters, setting_tokens_per_parameter(plan, job->setting));
    else
        fputs(",,", csv);
    write_quoted(csv, text ? "" : plan->tasks[job->task]);
    write_quoted(csv, plan->variants[job->variant].name);
    fprintf(csv, "%.9g,%d,%lld,", options.lr, chosen, options.seed);
}

bool outcome_write(const char *path, const Outcome *o, Error *error) {
    const Plan *plan = &o->comparison->plan;
    AtomicFile csv;
    if (!atomic_open(&csv, path, error)) return false;
    fputs(RESULTS_HEADER, csv.stream);
    for (int i = 0; i < plan_job_count(plan); i++) {
        const Job job = plan_job(plan, i);
        for (int r = 0; r < o->jobs[i].count; r++) {
            const Measured *row = &o->jobs[i].rows[r];
            write_job(csv.stream, o, &job);
            fprintf(csv.stream, "%s,%.9g,%.10g,%.0f\n", row->quantity, row->x, row->value, row->count);
        }
    }
    return atomic_commit(&csv, error);
}
