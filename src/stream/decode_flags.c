/* What a mask variable says of a cell: land, lake, ice. Read from its flag_meanings, however they are written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "stream/decode_private.h"

enum { MEANINGS_SIZE = 1024 };
static const uint32_t all_bits = UINT32_MAX;

static uint8_t meaning_of(const char *text)
{
    uint8_t meaning = 0;
    const bool is_inland = strcasestr(text, "inland") != NULL;
    if (is_inland || strcasestr(text, "lake") || strcasestr(text, "river"))
        meaning |= SST_MASK_LAKE;
    if (!is_inland && strcasestr(text, "land"))
        meaning |= SST_MASK_LAND;
    if (strcasestr(text, "ice") && !strcasestr(text, "ice_free") && !strcasestr(text, "ice-free") &&
        !strcasestr(text, "no_ice"))
        meaning |= SST_MASK_ICE;
    return meaning;
}

/* "1=open-sea, 2=land, 9=open-sea with ice in the grid": the values stand in the text itself. */
static void read_numbered_meanings(struct sst_file *file, char *text)
{
    char *rest = NULL;
    for (char *item = strtok_r(text, ",;", &rest); item; item = strtok_r(NULL, ",;", &rest)) {
        char *end = NULL;
        const long value = strtol(item, &end, 10);
        if (end == item || *end != '=' || file->n_flags == SST_DECODE_MAX_FLAGS)
            continue;
        file->flags[file->n_flags++] =
            (struct sst_decode_flag){.mask = all_bits, .bits = (uint32_t)value, .meaning = meaning_of(end + 1)};
    }
}

struct flag_numbers {
    double masks[SST_DECODE_MAX_FLAGS], values[SST_DECODE_MAX_FLAGS];
    size_t n_masks, n_values;
};

static uint32_t as_bits(double value) { return (uint32_t)(int64_t)value; }

/* With masks and values, values must be bits of their masks; some products give whole values beside unrelated masks. */
static bool values_are_within_masks(const struct flag_numbers *numbers)
{
    for (size_t i = 0; i < numbers->n_values; ++i)
        if (as_bits(numbers->values[i]) & ~as_bits(numbers->masks[i]))
            return false;
    return true;
}

/* Words, one a flag. Without any numbers GHRSST's rule holds: bit 0, bit 1, ... in order. */
static void read_word_meanings(struct sst_file *file, char *text, const struct flag_numbers *numbers)
{
    const bool has_both = numbers->n_masks && numbers->n_values == numbers->n_masks && values_are_within_masks(numbers);
    char *rest = NULL;
    size_t i = 0;
    for (char *word = strtok_r(text, " ,\t\n", &rest); word && i < SST_DECODE_MAX_FLAGS;
         word = strtok_r(NULL, " ,\t\n", &rest), ++i) {
        struct sst_decode_flag flag = {.mask = UINT32_C(1) << i, .bits = UINT32_C(1) << i};
        if (has_both && i < numbers->n_masks)
            flag = (struct sst_decode_flag){.mask = as_bits(numbers->masks[i]), .bits = as_bits(numbers->values[i])};
        else if (numbers->n_values > 0 && i < numbers->n_values)
            flag = (struct sst_decode_flag){.mask = all_bits, .bits = as_bits(numbers->values[i])};
        else if (numbers->n_values > 0)
            break;
        else if (numbers->n_masks > 0)
            flag.mask = flag.bits = i < numbers->n_masks ? as_bits(numbers->masks[i]) : 0;
        flag.meaning = meaning_of(word);
        if (flag.mask != 0)
            file->flags[file->n_flags++] = flag;
    }
}

static uint8_t class_of_bits(const struct sst_file *file, uint32_t value)
{
    uint8_t class = 0;
    for (size_t i = 0; i < file->n_flags; ++i)
        if ((value & file->flags[i].mask) == file->flags[i].bits)
            class |= file->flags[i].meaning;
    return class;
}

uint8_t sst_decode_mask_class(const struct sst_file *file, double value)
{
    if (value >= SST_DECODE_MASK_MIN && value <= SST_DECODE_MASK_MAX)
        return file->mask_classes[(int)value - SST_DECODE_MASK_MIN];
    if (value >= INT32_MIN && value <= UINT32_MAX)
        return class_of_bits(file, (uint32_t)(int64_t)value);
    return 0;
}

enum sst_status sst_decode_read_flags(struct sst_file *file, struct sst_error *err)
{
    char text[MEANINGS_SIZE];
    struct flag_numbers numbers = {0};
    const int varid = file->mask.id;
    sst_decode_attr_text(file->ncid, varid, "flag_meanings", text, sizeof text);
    SST_TRY(sst_decode_attr_numbers(file, varid, "flag_masks", numbers.masks, SST_DECODE_MAX_FLAGS, &numbers.n_masks,
                                    NULL, err));
    SST_TRY(sst_decode_attr_numbers(file, varid, "flag_values", numbers.values, SST_DECODE_MAX_FLAGS, &numbers.n_values,
                                    NULL, err));
    if (strchr(text, '='))
        read_numbered_meanings(file, text);
    else
        read_word_meanings(file, text, &numbers);
    uint8_t meanings = 0;
    for (size_t i = 0; i < file->n_flags; ++i)
        meanings |= file->flags[i].meaning;
    for (int value = SST_DECODE_MASK_MIN; value <= SST_DECODE_MASK_MAX; ++value)
        file->mask_classes[value - SST_DECODE_MASK_MIN] = class_of_bits(file, (uint32_t)value);
    if (!meanings) {
        sst_decode_note(file, "variable '%s' has no flag_meanings for land, lake or ice and is not used",
                        file->mask.name);
        file->mask.id = -1;
    }
    return SST_OK;
}
