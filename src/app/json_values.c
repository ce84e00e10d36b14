/* Numbers and texts that JSON can hold, whatever they were. */
#include "app/json_values.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* Whether jansson has been refused memory since it is watched; it takes no other argument than a size along. */
static bool was_refused;

static void *watched_malloc(size_t size)
{
    void *memory = malloc(size);
    if (!memory)
        was_refused = true;
    return memory;
}

void sst_json_watch(void)
{
    was_refused = false;
    json_set_alloc_funcs(watched_malloc, free);
}

bool sst_json_is_whole(void) { return !was_refused; }

json_t *sst_json_real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *sst_json_rounded(double value)
{
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%.6g", value);
    return sst_json_real(strtod(digits, NULL));
}

json_t *sst_json_integer(uint64_t value) { return json_integer((json_int_t)value); }

static json_t *escaped(const char *value)
{
    static const char hex[] = "0123456789abcdef";
    char *room = NULL;
    if (sst_alloc(4 * strlen(value) + 1, 1, "a text", &room, NULL) != SST_OK)
        return NULL;
    char *end = room;
    for (; *value; ++value) {
        const unsigned char c = (unsigned char)*value;
        if (c < 0x80) {
            *end++ = *value;
            continue;
        }
        *end++ = '\\';
        *end++ = 'x';
        *end++ = hex[c >> 4];
        *end++ = hex[c & 15];
    }
    json_t *out = json_string(room);
    sst_free(room);
    return out;
}

json_t *sst_json_text(const char *value)
{
    json_t *out = json_string(value);
    return out ? out : escaped(value);
}
