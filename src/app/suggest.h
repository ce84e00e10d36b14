/* The name that somebody may have meant. */
#ifndef SST_APP_SUGGEST_H
#define SST_APP_SUGGEST_H

#include <stddef.h>

/*
 * The candidate nearest to `text`: one that it begins, or one within a third of its length in single-letter changes and
 * swaps of neighbours.
 *
 * Returns  the candidate, or NULL where none is near. The first of equals wins.
 */
const char *sst_suggest(const char *text, const char *const *candidates, size_t n_candidates);

#endif
