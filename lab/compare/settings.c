// The settings of a plan: every combination of text, context, size and tokens per parameter.
#include "data/made/builtin.h"
#include "lab/compare/plan.h"
#include "model/gpt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_WIDTH     16 // of the models of --scale whose number of heads is free
#define ASPECT         32 // their approximate width / layers
#define TEXT_NAME_MOST 40 // bytes of a text's name, which becomes part of the name of a setting
enum { LAYERS_MOST = 48, HEADS_MOST = 128, WIDTH_MOST = 20000 };

size_t plan_parameters(const TrainOptions *base, long long layers, long long heads, long long width, int vocab) {
    Shape shape = sizes_of(base, vocab);
    shape.layers = (int)layers;
    shape.heads = (int)heads;
    shape.width = (int)width;
    return gpt_parameters(&shape);
}

// The last part of a path, or the name of a built-in text.
static void name_text(PlanText *text) {
    const bool builtin = is_builtin(text->data);
    const char *name = builtin ? text->data + strlen(BUILTIN_PREFIX) : text->data;
    size_t length = builtin ? strcspn(name, ":") : strlen(name);
    while (!builtin && length > 0 && name[length - 1] == '/') length--;
    for (const char *slash; !builtin && (slash = memchr(name, '/', length));) {
        length -= (size_t)(slash + 1 - name);
        name = slash + 1;
    }
    if (length >= sizeof text->name) length = sizeof text->name - 1;
    memcpy(text->name, name, length);
    text->name[length] = '\0';
}

bool plan_text(Plan *plan, const char *data, int vocab, double tokens, Error *error) {
    if (plan->text_count == TEXTS_MOST) return fail_input(error, "--data: give at most %d texts", TEXTS_MOST);
    PlanText *text = &plan->texts[plan->text_count++];
    *text = (PlanText){.vocab = vocab, .tokens = tokens};
    snprintf(text->data, sizeof text->data, "%s", data);
    name_text(text);
    if (plan->text_count == 1) memcpy(plan->base.data, text->data, sizeof plan->base.data);
    for (int t = 0; plan->text_count > 1 && t < plan->text_count; t++) {
        const char *name = plan->texts[t].name;
        if (!*name || strlen(name) > TEXT_NAME_MOST || strspn(name, LABEL_CHARACTERS) < strlen(name))
            return fail_input(error,
                              "--data %s: with several texts, '%.40s' becomes part of the names of runs; give it a "
                              "directory whose name has 1 to %d letters, digits, '-', '_' and '.'",
                              plan->texts[t].data, name, TEXT_NAME_MOST);
        if (t < plan->text_count - 1 && strcmp(name, text->name) == 0)
            return fail_input(error, "--data %s and --data %s are both called %s; rename the directory of one",
                              plan->texts[t].data, text->data, name);
    }
    return true;
}

// Find the shape with about so many parameters. Where layers or heads are not fixed, the width is about ASPECT times
// the layers and heads are HEAD_WIDTH wide. Sets *nearest to the nearest size that there is; false when it is too far.
static bool shape_for(Setting *setting, size_t *nearest, double parameters, int vocab, const TrainOptions *base,
                      const SettingLists *fixed) {
    const int heads_from = fixed->heads ? (int)base->heads : 2, heads_to = fixed->heads ? heads_from : HEADS_MOST;
    const int layers_from = fixed->layers ? (int)base->layers : 1,
              layers_to = fixed->layers ? layers_from : LAYERS_MOST;
    double best = INFINITY, closest = INFINITY;
    for (int layers = layers_from; layers <= layers_to; layers++)
        for (int heads = heads_from; heads <= heads_to; heads++) {
            if (base->kv_heads && heads % base->kv_heads) continue;
            for (int wide = fixed->heads ? 2 : HEAD_WIDTH; heads * wide <= WIDTH_MOST; wide += 2) {
                const int width = heads * wide;
                const size_t found = plan_parameters(base, layers, heads, width, vocab);
                const double off = fabs(log((double)found / parameters));
                // An aspect that is wrong by a factor of 2 counts as much as a size that is wrong by 10%.
                const double aspect = fixed->layers ? 0 : 0.14 * fabs(log((double)width / (ASPECT * layers)));
                if (off <= closest) {
                    closest = off;
                    *nearest = found;
                }
                if (off <= 0.25 && off + aspect < best) {
                    best = off + aspect;
                    setting->layers = layers;
                    setting->heads = heads;
                    setting->width = width;
                    setting->parameters = found;
                }
                if (!fixed->heads || (double)found > 2 * parameters) break;
            }
        }
    return isfinite(best);
}

double plan_size_parameters(const char *name) {
    char *end;
    const double number = strtod(name, &end);
    const double unit = *end == 'M' ? 1e6 : *end == 'k' || *end == 'K' ? 1e3 : *end == '\0' ? 1 : NAN;
    const bool whole = end != name && name[strspn(name, "+-.0123456789eE")] == *end && (!*end || !end[1]);
    return whole && number > 0 ? number * unit : NAN;
}

typedef struct {
    char sizes[SETTINGS_MOST][16]; // "0.3M"
    double parameters[SETTINGS_MOST], ratios[SETTINGS_MOST], contexts[SETTINGS_MOST];
    int size_count, ratio_count, context_count;
} Lists;

static bool parse_sizes(Lists *lists, const char *list, Error *error) {
    char word[TEXT_CAPACITY];
    while (list_word(word, &list, LIST_SEPARATORS)) {
        if (lists->size_count == SETTINGS_MOST)
            return fail_input(error, "--scale: give at most %d sizes", SETTINGS_MOST);
        const int s = lists->size_count++;
        lists->parameters[s] = plan_size_parameters(word);
        if (isnan(lists->parameters[s]) || strlen(word) >= sizeof lists->sizes[s])
            return fail_input(error, "--scale: give numbers of parameters such as 300k or 1M, not '%s'", word);
        strcpy(lists->sizes[s], word);
    }
    return true;
}

// A list that is not given has one entry, what the options say; a size of 0 parameters is their shape.
static bool parse_lists(Lists *lists, const SettingLists *typed, const TrainOptions *o, Error *error) {
    static const Option ratio = NUMBER_ROW("", offsetof(TrainOptions, lr), NULL, 0.001, 1e6, "X", "");
    *lists = (Lists){0};
    if (!parse_sizes(lists, typed->scale, error) ||
        !list_numbers(lists->ratios, &lists->ratio_count, SETTINGS_MOST, typed->tokens_per_parameter, &ratio,
                      "--tokens-per-parameter", error) ||
        !list_numbers(lists->contexts, &lists->context_count, SETTINGS_MOST, typed->contexts,
                      option_find(train_options, "context"), "--context", error))
        return false;
    if (lists->ratio_count == 0)
        lists->ratios[lists->ratio_count++] = lists->size_count > 0 && !typed->steps ? TOKENS_PER_PARAMETER : 0;
    if (lists->context_count == 0) lists->contexts[lists->context_count++] = (double)o->context;
    if (lists->size_count == 0) lists->size_count = 1;
    return true;
}

// The shape of size s.
static bool set_shape(Setting *setting, const Plan *plan, const Lists *lists, int s, const SettingLists *fixed,
                      Error *error) {
    const TrainOptions *o = &plan->base;
    const int vocab = plan->texts[setting->text].vocab;
    size_t nearest = 0;
    char layers[64] = "", heads[64] = "";
    if (lists->parameters[s] == 0) {
        setting->layers = o->layers;
        setting->heads = o->heads;
        setting->width = o->width;
        setting->parameters = plan_parameters(o, o->layers, o->heads, o->width, vocab);
        return true;
    }
    if (shape_for(setting, &nearest, lists->parameters[s], vocab, o, fixed)) return true;
    if (fixed->layers) snprintf(layers, sizeof layers, ", --layers %lld", o->layers);
    if (fixed->heads) snprintf(heads, sizeof heads, ", --heads %lld", o->heads);
    return fail_input(error, "--scale %s: there is no model of about that size with %d tokens%s%s; the nearest has %zu",
                      lists->sizes[s], vocab, layers, heads, nearest);
}

// One combination; s, r and c count sizes, ratios and contexts. Its name is made of what differs between settings.
static bool set_setting(Setting *setting, const Plan *plan, const Lists *lists, int s, int r, int c,
                        const SettingLists *typed, Error *error) {
    const TrainOptions *o = &plan->base;
    const double ratio = lists->ratios[r];
    char ratio_name[32] = "", context_name[32] = "";
    setting->context = (long long)lists->contexts[c];
    if (!set_shape(setting, plan, lists, s, typed, error)) return false;
    const double step = (double)(o->batch * o->accumulate * setting->context);
    setting->steps = ratio > 0 ? (long long)ceil(ratio * (double)setting->parameters / step) : o->steps;
    if (lists->ratio_count > 1) snprintf(ratio_name, sizeof ratio_name, "%gtpp", ratio);
    if (lists->context_count > 1) snprintf(context_name, sizeof context_name, "%lld", setting->context);
    const char *const parts[] = {plan->text_count > 1 ? plan->texts[setting->text].name : "",
                                 lists->size_count > 1 ? lists->sizes[s] : "", ratio_name, context_name};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t length = strlen(setting->name);
        if (*parts[i])
            snprintf(setting->name + length, sizeof setting->name - length, "%s%s", length ? "-" : "", parts[i]);
    }
    const Setting *smaller = s > 0 && r == 0 ? setting - lists->ratio_count : NULL;
    return !smaller || setting->parameters > smaller->parameters ||
           fail_input(error, "--scale: give sizes from small to large; %s is not larger than %s", lists->sizes[s],
                      lists->sizes[s - 1]);
}

bool plan_settings(Plan *plan, const SettingLists *typed, Error *error) {
    Lists lists;
    if (!parse_lists(&lists, typed, &plan->base, error)) return false;
    const int count = plan->text_count * lists.context_count * lists.size_count * lists.ratio_count;
    if (count > SETTINGS_MOST)
        return fail_input(error, "--data, --context, --scale and --tokens-per-parameter make %d settings; at most %d",
                          count, SETTINGS_MOST);
    free(plan->settings);
    plan->settings = calloc((size_t)count, sizeof *plan->settings);
    plan->setting_count = 0;
    if (!plan->settings) return fail_run(error, "no memory for %d settings", count);
    for (int t = 0; t < plan->text_count; t++)
        for (int c = 0; c < lists.context_count; c++)
            for (int s = 0; s < lists.size_count; s++)
                for (int r = 0; r < lists.ratio_count; r++) {
                    Setting *setting = &plan->settings[plan->setting_count++];
                    setting->text = t;
                    if (!set_setting(setting, plan, &lists, s, r, c, typed, error)) return false;
                }
    plan->base.context = plan->settings[0].context;
    return true;
}

bool plan_is_ladder(const Plan *plan) {
    bool ladder = plan->setting_count > 1;
    for (int s = 1; s < plan->setting_count; s++)
        ladder = ladder && plan->settings[s].text == plan->settings[0].text &&
                 plan->settings[s].context == plan->settings[0].context;
    return ladder;
}

double setting_tokens(const Plan *plan, int setting) {
    const Job job = {.setting = setting, .task = -1, .variant = plan->reference};
    return plan_job_tokens(plan, &job);
}

double setting_tokens_per_parameter(const Plan *plan, int setting) {
    return setting_tokens(plan, setting) / (double)plan->settings[setting].parameters;
}

double setting_epochs(const Plan *plan, int setting) {
    return setting_tokens(plan, setting) / plan->texts[plan->settings[setting].text].tokens;
}

double setting_operations(const Plan *plan, int setting, int variant) {
    const Job job = {.setting = setting, .task = -1, .variant = variant};
    const TrainOptions options = plan_job_options(plan, &job);
    Shape shape;
    Mix pos;
    Error error;
    return shape_of(&shape, &options, plan->texts[plan->settings[setting].text].vocab, &error) &&
                   mix_create(&pos, options.pos, &shape, &error)
               ? gpt_operations(&shape, &pos, shape.context)
               : NAN;
}

void setting_operations_range(double *least, double *most, const Plan *plan, int setting) {
    *least = *most = setting_operations(plan, setting, 0);
    for (int variant = 1; variant < plan->variant_count; variant++) {
        *least = fmin(*least, setting_operations(plan, setting, variant));
        *most = fmax(*most, setting_operations(plan, setting, variant));
    }
}
