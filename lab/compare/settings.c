// The texts and the settings of a plan: every combination of text, context, size and tokens per parameter.
#include "data/made/builtin.h"
#include "lab/compare/plan.h"
#include "model/gpt.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_WIDTH     16 // of the models of --scale whose number of heads is free
#define ASPECT         32 // their approximate width / layers
#define TEXT_NAME_MOST 40 // bytes of a text's name, which becomes part of the name of a setting
enum { LAYERS_MOST = 48, HEADS_MOST = 128, WIDTH_MOST = 20000 };

// The last part of a path, or the name of a built-in text.
static void name_text(PlanText *text) {
    char path[TEXT_CAPACITY];
    snprintf(path, sizeof path, "%s", text->data);
    const char *name = path;
    if (is_builtin(path)) {
        name += strlen(BUILTIN_PREFIX);
        path[strlen(BUILTIN_PREFIX) + strcspn(name, ":")] = '\0';
    } else {
        for (size_t length = strlen(path); length > 0 && path[length - 1] == '/'; length--) path[length - 1] = '\0';
        const char *slash = strrchr(path, '/');
        if (slash) name = slash + 1;
    }
    snprintf(text->name, sizeof text->name, "%.*s", NAME_CAPACITY - 1, name);
    for (char *c = text->name; *c; c++)
        if (*c == '|') *c = ' '; // which separates the cells of tables
}

bool plan_text(Plan *plan, const char *data, int vocab, long long tokens, Error *error) {
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

long long plan_parameters(const TrainOptions *base, long long layers, long long heads, long long width, int vocab) {
    Shape shape = sizes_of(base, vocab);
    shape.layers = (int)layers;
    shape.heads = (int)heads;
    shape.width = (int)width;
    return (long long)gpt_parameters(&shape);
}

double plan_size_parameters(const char *name) {
    char *end;
    const double number = strtod(name, &end);
    const double unit = *end == 'M' ? 1e6 : *end == 'k' || *end == 'K' ? 1e3 : *end == '\0' ? 1 : NAN;
    const bool whole = end != name && name[strspn(name, "+-.0123456789eE")] == *end && (!*end || !end[1]);
    return whole && number > 0 ? number * unit : NAN;
}

// Find the shape with about this many parameters. Where layers or heads are not fixed, the width is about ASPECT times
// the layers and heads are HEAD_WIDTH wide. When no size is near enough, the shape has 0 layers. Returns the nearest
// size, or 0 when no shape could be tried.
static long long shape_for(Setting *setting, double parameters, const Plan *plan, const SettingLists *fixed) {
    const TrainOptions *base = &plan->base;
    const int vocab = plan->texts[setting->text].vocab;
    const int heads_from = fixed->heads ? (int)base->heads : 2, heads_to = fixed->heads ? heads_from : HEADS_MOST;
    const int layers_from = fixed->layers ? (int)base->layers : 1,
              layers_to = fixed->layers ? layers_from : LAYERS_MOST;
    double best = INFINITY, closest = INFINITY;
    long long nearest = 0;
    setting->layers = 0;
    for (int layers = layers_from; layers <= layers_to; layers++)
        for (int heads = heads_from; heads <= heads_to; heads++) {
            if (base->kv_heads && heads % base->kv_heads) continue;
            for (int wide = fixed->heads ? 2 : HEAD_WIDTH; heads * wide <= WIDTH_MOST; wide += 2) {
                const int width = heads * wide;
                const long long found = plan_parameters(base, layers, heads, width, vocab);
                const double off = fabs(log((double)found / parameters));
                // An aspect that is wrong by a factor of 2 counts as much as a size that is wrong by 10%.
                const double aspect = fixed->layers ? 0 : 0.14 * fabs(log((double)width / (ASPECT * layers)));
                if (off <= closest) {
                    closest = off;
                    nearest = found;
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
    return nearest;
}

// Set the shape of a setting to a size such as "0.3M", or to that of the options if the size is "".
static bool set_shape(Setting *setting, const char *size, const Plan *plan, const SettingLists *fixed, Error *error) {
    const TrainOptions *o = &plan->base;
    const int vocab = plan->texts[setting->text].vocab;
    char layers[64] = "", heads[64] = "";
    if (!*size) {
        setting->layers = o->layers;
        setting->heads = o->heads;
        setting->width = o->width;
        setting->parameters = plan_parameters(o, o->layers, o->heads, o->width, vocab);
        return true;
    }
    const long long nearest = shape_for(setting, plan_size_parameters(size), plan, fixed);
    if (setting->layers > 0) return true;
    if (nearest == 0)
        return fail_input(error, "--scale %s: no number of heads that is tried can be divided by --kv-heads %lld", size,
                          o->kv_heads);
    if (fixed->layers) snprintf(layers, sizeof layers, ", --layers %lld", o->layers);
    if (fixed->heads) snprintf(heads, sizeof heads, ", --heads %lld", o->heads);
    return fail_input(error,
                      "--scale %s: there is no model of about that size with %d tokens%s%s; the nearest has %lld", size,
                      vocab, layers, heads, nearest);
}

void setting_name_add(char name[NAME_CAPACITY], const char *format, ...) {
    const size_t length = strlen(name);
    va_list arguments;
    va_start(arguments, format);
    if (length > 0) snprintf(name + length, NAME_CAPACITY - length, "-");
    vsnprintf(name + length + (length > 0), NAME_CAPACITY - length - (length > 0), format, arguments);
    va_end(arguments);
}

// A list that is not given has one entry: the size "", the ratio 0, and the context of the options.
typedef struct {
    char sizes[SETTINGS_MOST][16]; // "0.3M"
    double ratios[SETTINGS_MOST], contexts[SETTINGS_MOST];
    int size_count, ratio_count, context_count;
} Lists;

static bool parse_lists(Lists *lists, const SettingLists *typed, const TrainOptions *o, Error *error) {
    static const Option ratio = NUMBER_ROW("", offsetof(TrainOptions, lr), NULL, 0.001, 1e6, "X", "");
    char word[TEXT_CAPACITY];
    *lists = (Lists){0};
    for (const char *list = typed->scale; list_word(word, &list, LIST_SEPARATORS); lists->size_count++) {
        if (lists->size_count == SETTINGS_MOST)
            return fail_input(error, "--scale: give at most %d sizes", SETTINGS_MOST);
        if (isnan(plan_size_parameters(word)) || strlen(word) >= sizeof *lists->sizes)
            return fail_input(error, "--scale: give numbers of parameters such as 300k or 1M, not '%s'", word);
        strcpy(lists->sizes[lists->size_count], word);
    }
    if (!list_numbers(lists->ratios, &lists->ratio_count, SETTINGS_MOST, typed->tokens_per_parameter, &ratio,
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

// Make one combination, whose name is made of what differs between settings. i counts all of them.
static bool set_setting(Plan *plan, int i, const Lists *lists, const SettingLists *typed, Error *error) {
    const TrainOptions *o = &plan->base;
    const int r = i % lists->ratio_count, s = i / lists->ratio_count % lists->size_count;
    const int c = i / (lists->ratio_count * lists->size_count) % lists->context_count;
    Setting *setting = &plan->settings[i];
    setting->text = i / (lists->ratio_count * lists->size_count * lists->context_count);
    setting->context = (long long)lists->contexts[c];
    if (!set_shape(setting, lists->sizes[s], plan, typed, error)) return false;
    const double step = (double)(o->batch * o->accumulate * setting->context), ratio = lists->ratios[r];
    setting->steps = ratio > 0 ? (long long)ceil(ratio * (double)setting->parameters / step) : o->steps;
    if (plan->text_count > 1) setting_name_add(setting->name, "%s", plan->texts[setting->text].name);
    if (lists->size_count > 1) setting_name_add(setting->name, "%s", lists->sizes[s]);
    if (lists->ratio_count > 1) setting_name_add(setting->name, "%gtpp", ratio);
    if (lists->context_count > 1) setting_name_add(setting->name, "%lld", setting->context);
    return s == 0 || setting->parameters > (setting - lists->ratio_count)->parameters ||
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
    plan->setting_count = plan->settings ? count : 0;
    if (!plan->settings) return fail_run(error, "no memory for %d settings", count);
    for (int i = 0; i < count; i++)
        if (!set_setting(plan, i, &lists, typed, error)) return false;
    plan->base.context = plan->settings[0].context;
    return true;
}

bool plan_is_ladder(const Plan *plan) {
    for (int s = 1; s < plan->setting_count; s++)
        if (plan->settings[s].text != plan->settings[0].text || plan->settings[s].context != plan->settings[0].context)
            return false;
    return plan->setting_count > 1;
}

double setting_tokens(const Plan *plan, int setting) {
    return plan_job_tokens(plan, &(Job){.setting = setting, .task = -1});
}

double setting_tokens_per_parameter(const Plan *plan, int setting) {
    return setting_tokens(plan, setting) / (double)plan->settings[setting].parameters;
}

double setting_epochs(const Plan *plan, int setting) {
    return setting_tokens(plan, setting) / (double)plan->texts[plan->settings[setting].text].tokens;
}

double setting_operations(const Plan *plan, int setting, int variant) {
    const TrainOptions options = plan_job_options(plan, &(Job){.setting = setting, .task = -1, .variant = variant});
    Shape shape;
    Mix pos;
    Error error;
    return shape_of(&shape, &options, plan->texts[plan->settings[setting].text].vocab, &error) &&
                   mix_create(&pos, options.pos, &shape, &error)
               ? gpt_operations(&shape, &pos, shape.context)
               : NAN;
}
