/*
 * Reads a report that may be of any form: what is absent or null is none, what is of the wrong form is none and noted by
 * its name, "maps[2].rows".
 *
 * A node knows its parents, which live on the stack of whoever reads.
 */
#ifndef SST_APP_PAGE_NODE_H
#define SST_APP_PAGE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"

struct json_t; /* jansson's */

enum { SST_PAGE_MAX_NOTES = 12, SST_PAGE_NOTE_SIZE = 200 };

/* What was of the wrong form, each once; more than fit are only counted. */
struct sst_page_notes {
    char texts[SST_PAGE_MAX_NOTES][SST_PAGE_NOTE_SIZE];
    size_t n, n_more;
};

struct sst_page_node {
    const struct json_t *value; /* NULL: none */
    const struct sst_page_node *parent; /* NULL for the report itself */
    const char *key; /* NULL for an item of a list */
    size_t index;
    struct sst_page_notes *notes;
};

/* The report itself. */
struct sst_page_node sst_page_node_root(const struct json_t *report, struct sst_page_notes *notes);

static inline bool sst_page_node_is_there(struct sst_page_node node) { return node.value != NULL; }

/* Members; `parent` has to outlive the result. A parent that is none has none. */
struct sst_page_node sst_page_node_object(const struct sst_page_node *parent, const char *key);
struct sst_page_node sst_page_node_list(const struct sst_page_node *parent, const char *key);
double sst_page_node_number(const struct sst_page_node *parent, const char *key); /* NaN where none */
const char *sst_page_node_text(const struct sst_page_node *parent, const char *key); /* NULL where none */
bool sst_page_node_bool(const struct sst_page_node *parent, const char *key, bool otherwise);

/* Items of a list, at most `most` of them: a longer list is noted and cut. */
size_t sst_page_node_size(const struct sst_page_node *list, size_t most);
struct sst_page_node sst_page_node_object_at(const struct sst_page_node *list, size_t index);
double sst_page_node_number_at(const struct sst_page_node *list, size_t index); /* NaN where none */
const char *sst_page_node_text_at(const struct sst_page_node *list, size_t index); /* NULL where none */

/* Objects among an object's members, in the report's order: start with iter NULL; false at the end. */
bool sst_page_node_next(const struct sst_page_node *object, void **iter, struct sst_page_node *member);
/* The same of lists, and of texts. */
bool sst_page_node_next_list(const struct sst_page_node *object, void **iter, struct sst_page_node *member);
bool sst_page_node_next_text(const struct sst_page_node *object, void **iter, const char **key, const char **text);

/* Says that a node is not as it should be. */
void sst_page_node_note(const struct sst_page_node *node, const char *key, const char *what);

#endif
