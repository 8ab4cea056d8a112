#include "lab/compare/list.h"

#include <math.h>
#include <string.h>

bool list_word(char word[TEXT_CAPACITY], const char **list, const char *separators) {
    *list += strspn(*list, separators);
    const size_t length = strcspn(*list, separators);
    memcpy(word, *list, length);
    word[length] = '\0';
    *list += length;
    return length > 0;
}

bool list_numbers(double *values, int *count, int most, const char *list, const Option *row, const char *label,
                  Error *error) {
    const char *whole = list;
    char word[TEXT_CAPACITY];
    TrainOptions options;
    *count = 0;
    while (list_word(word, &list, LIST_SEPARATORS)) {
        if (*count == most) return fail_input(error, "%s: more than %d numbers; give fewer", label, most);
        if (!option_set(&options, row, word, label, error)) return false;
        const void *field = (const char *)&options + row->offset;
        const double value = row->type == OPTION_INTEGER ? (double)*(const long long *)field : *(const double *)field;
        for (int i = 0; i < *count; i++)
            if (fabs(values[i] - value) <= 1e-5 * value)
                return fail_input(error, "%s: %s is given twice, or agrees with another to five digits; leave one out",
                                  label, word);
        values[(*count)++] = value;
    }
    return *count > 0 || !strchr(whole, ',') ||
           fail_input(error, "%s: '%s' has no number; give some, separated by commas", label, whole);
}
