/* Members of a report, each checked for its form as it is taken. */
#include "app/page_node.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_DEPTH = 12, /* nodes from the report down to a value; the deepest of docs/report.md has 8 */
    MAX_NAME = 64 /* [bytes] of a key or a reason that a note shows */
};

static const char *name_of_form(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    default:
        return "null";
    }
}

/* Appends at most MAX_NAME bytes of a text, cut between characters where it or the room is too long. */
static void append(char *buffer, const char *before, const char *text)
{
    const size_t length = strlen(buffer), n_before = strlen(before);
    size_t n = strlen(text), room = SST_PAGE_NOTE_SIZE - 1 - length;
    if (room <= n_before)
        return;
    room -= n_before;
    room = room < MAX_NAME ? room : MAX_NAME;
    if (n > room)
        for (n = room; n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80;)
            --n;
    memcpy(buffer + length, before, n_before);
    memcpy(buffer + length + n_before, text, n);
    buffer[length + n_before + n] = '\0';
}

static void append_node(char *buffer, const struct sst_page_node *node)
{
    char number[24];
    if (node->key) {
        append(buffer, *buffer ? "." : "", node->key);
        return;
    }
    (void)snprintf(number, sizeof number, "[%zu]", node->index);
    append(buffer, "", number);
}

void sst_page_node_note(const struct sst_page_node *node, const char *key, const char *what)
{
    struct sst_page_notes *notes = node->notes;
    const struct sst_page_node *chain[MAX_DEPTH];
    char text[SST_PAGE_NOTE_SIZE] = "";
    size_t n = 0;
    for (const struct sst_page_node *at = node; at->parent && n < MAX_DEPTH; at = at->parent)
        chain[n++] = at;
    while (n-- > 0)
        append_node(text, chain[n]);
    if (key)
        append(text, *text ? "." : "", key);
    append(text, ": ", what);
    for (size_t i = 0; i < notes->n; ++i) {
        if (strcmp(notes->texts[i], text) == 0)
            return;
    }
    if (notes->n < SST_PAGE_MAX_NOTES)
        memcpy(notes->texts[notes->n++], text, sizeof text);
    else
        ++notes->n_more;
}

/* The value if it is of one of two forms; NULL, and noted, if it is there and of another. */
static const json_t *checked(const struct sst_page_node *owner, const char *key, const json_t *value, json_type form,
                             json_type or_form, const char *expected)
{
    char what[64];
    if (!value || json_is_null(value))
        return NULL;
    if (json_typeof(value) == form || json_typeof(value) == or_form)
        return value;
    (void)snprintf(what, sizeof what, "%s is expected, this is %s", expected, name_of_form(value));
    sst_page_node_note(owner, key, what);
    return NULL;
}

static const json_t *member(const struct sst_page_node *parent, const char *key, json_type form, json_type or_form,
                            const char *expected)
{
    return checked(parent, key, json_object_get(parent->value, key), form, or_form, expected);
}

static const json_t *item(const struct sst_page_node *list, size_t index, json_type form, json_type or_form,
                          const char *expected)
{
    const struct sst_page_node place = {.parent = list, .index = index, .notes = list->notes};
    return checked(&place, NULL, json_array_get(list->value, index), form, or_form, expected);
}

struct sst_page_node sst_page_node_root(const json_t *report, struct sst_page_notes *notes)
{
    return (struct sst_page_node){.value = report, .notes = notes};
}

struct sst_page_node sst_page_node_object(const struct sst_page_node *parent, const char *key)
{
    return (struct sst_page_node){member(parent, key, JSON_OBJECT, JSON_OBJECT, "an object"), parent, key, 0,
                                  parent->notes};
}

struct sst_page_node sst_page_node_list(const struct sst_page_node *parent, const char *key)
{
    return (struct sst_page_node){member(parent, key, JSON_ARRAY, JSON_ARRAY, "a list"), parent, key, 0, parent->notes};
}

double sst_page_node_number(const struct sst_page_node *parent, const char *key)
{
    const json_t *value = member(parent, key, JSON_REAL, JSON_INTEGER, "a number");
    return value ? json_number_value(value) : NAN;
}

const char *sst_page_node_text(const struct sst_page_node *parent, const char *key)
{
    const json_t *value = member(parent, key, JSON_STRING, JSON_STRING, "a text");
    return value ? json_string_value(value) : NULL;
}

bool sst_page_node_bool(const struct sst_page_node *parent, const char *key, bool otherwise)
{
    const json_t *value = member(parent, key, JSON_TRUE, JSON_FALSE, "true or false");
    return value ? json_is_true(value) : otherwise;
}

size_t sst_page_node_size(const struct sst_page_node *list, size_t most)
{
    char what[96];
    const size_t n = json_array_size(list->value);
    if (n <= most)
        return n;
    (void)snprintf(what, sizeof what, "of %zu items only the first %zu are drawn", n, most);
    sst_page_node_note(list, NULL, what);
    return most;
}

struct sst_page_node sst_page_node_object_at(const struct sst_page_node *list, size_t index)
{
    return (struct sst_page_node){item(list, index, JSON_OBJECT, JSON_OBJECT, "an object"), list, NULL, index,
                                  list->notes};
}

double sst_page_node_number_at(const struct sst_page_node *list, size_t index)
{
    const json_t *value = item(list, index, JSON_REAL, JSON_INTEGER, "a number");
    return value ? json_number_value(value) : NAN;
}

const char *sst_page_node_text_at(const struct sst_page_node *list, size_t index)
{
    const json_t *value = item(list, index, JSON_STRING, JSON_STRING, "a text");
    return value ? json_string_value(value) : NULL;
}

/* jansson walks members of a json_t that is not const, and changes nothing. */
static json_t *walkable(const json_t *object)
{
    json_t *out = NULL;
    memcpy(&out, &object, sizeof out);
    return out;
}

bool sst_page_node_next_text(const struct sst_page_node *object, void **iter, const char **key, const char **text)
{
    json_t *whole = walkable(object->value);
    *iter = *iter ? json_object_iter_next(whole, *iter) : json_object_iter(whole);
    for (; *iter; *iter = json_object_iter_next(whole, *iter)) {
        *key = json_object_iter_key(*iter);
        *text = sst_page_node_text(object, *key);
        if (*text)
            return true;
    }
    return false;
}

typedef struct sst_page_node node_reader(const struct sst_page_node *parent, const char *key);

static bool next_member(const struct sst_page_node *object, node_reader *read, void **iter,
                        struct sst_page_node *member_found)
{
    json_t *whole = walkable(object->value);
    *iter = *iter ? json_object_iter_next(whole, *iter) : json_object_iter(whole);
    for (; *iter; *iter = json_object_iter_next(whole, *iter)) {
        *member_found = read(object, json_object_iter_key(*iter));
        if (member_found->value)
            return true;
    }
    return false;
}

bool sst_page_node_next(const struct sst_page_node *object, void **iter, struct sst_page_node *member_found)
{
    return next_member(object, sst_page_node_object, iter, member_found);
}

bool sst_page_node_next_list(const struct sst_page_node *object, void **iter, struct sst_page_node *member_found)
{
    return next_member(object, sst_page_node_list, iter, member_found);
}
