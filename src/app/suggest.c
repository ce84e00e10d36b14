/* Edit distance over short names. */
#include "app/suggest.h"

#include <string.h>

/* Names that people type by mistake are not longer than this. */
enum { MAX_LENGTH = 32, MIN_PREFIX = 3 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Damerau-Levenshtein distance (adjacent swaps count one), for lengths up to MAX_LENGTH. */
static size_t distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t rows[3][MAX_LENGTH + 1];
    size_t *two_back = rows[0];
    size_t *back = rows[1];
    size_t *row = rows[2];
    memset(rows, 0, sizeof rows);
    for (size_t j = 0; j <= n_b; ++j)
        back[j] = j;
    for (size_t i = 1; i <= n_a; ++i) {
        row[0] = i;
        for (size_t j = 1; j <= n_b; ++j) {
            const size_t change = back[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = smaller(change, 1 + smaller(back[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_back[j - 2] + 1);
        }
        size_t *oldest = two_back;
        two_back = back;
        back = row;
        row = oldest;
    }
    return back[n_b];
}

const char *sst_suggest(const char *text, const char *const *candidates, size_t n_candidates)
{
    const size_t length = strlen(text);
    const char *best = NULL;
    if (length > MAX_LENGTH)
        return NULL;
    size_t best_distance = length / 3 + 1;
    for (size_t i = 0; i < n_candidates; ++i) {
        const size_t n_candidate = strlen(candidates[i]);
        if (n_candidate > MAX_LENGTH)
            continue;
        const size_t apart = length >= MIN_PREFIX && strncmp(candidates[i], text, length) == 0
                                 ? 1
                                 : distance(text, length, candidates[i], n_candidate);
        if (apart < best_distance) {
            best_distance = apart;
            best = candidates[i];
        }
    }
    return best;
}
