/* Which names a state has, and which ones are there. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "state/state_private.h"

#define PART ".part"

/* Where a name ends in ".part": the length without it, else 0. */
static size_t length_before_part(const char *name)
{
    const size_t length = strlen(name), part = strlen(PART);
    return length > part && strcmp(name + length - part, PART) == 0 ? length - part : 0;
}

enum sst_state_name sst_state_name_at_top(const char *name)
{
    static const char *const files[] = {"policy", "contents", "lock", "slots", "days", "files"};
    const size_t before = length_before_part(name), length = before ? before : strlen(name);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
        if (strlen(files[i]) == length && memcmp(files[i], name, length) == 0)
            return before ? SST_STATE_NAME_PART : SST_STATE_NAME_FILE;
    return SST_STATE_NAME_STRANGE;
}

enum sst_state_name sst_state_name_in_slots(const char *name, int *slot)
{
    const size_t before = length_before_part(name), length = before ? before : strlen(name);
    int number = 0;
    if (length != 3)
        return SST_STATE_NAME_STRANGE;
    for (size_t i = 0; i < length; ++i) {
        if (name[i] < '0' || name[i] > '9')
            return SST_STATE_NAME_STRANGE;
        number = 10 * number + (name[i] - '0');
    }
    if (number < 1 || number > SST_N_SLOTS)
        return SST_STATE_NAME_STRANGE;
    *slot = number;
    return before ? SST_STATE_NAME_PART : SST_STATE_NAME_FILE;
}

const char *sst_state_slot_name(int slot, char *text)
{
    (void)snprintf(text, SST_STATE_NAME_ROOM, "%03d", slot);
    return text;
}

/* All names first: a listing from which files are removed may leave some out. */
enum sst_status sst_state_each_name(const struct sst_os *os, int folder, const char *where, sst_state_name_fn *call,
                                    void *user, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char(*names)[SST_STATE_NAME_ROOM] = NULL, name[SST_STATE_NAME_ROOM];
    size_t n_names = 0, capacity = 0;
    void *listing = NULL;
    int more = 0;
    while ((more = os->next_name(os->user, folder, &listing, name, sizeof name)) > 0) {
        if (rc == SST_OK) /* else only to its end, which frees the listing */
            rc = sst_grow(&names, &capacity, n_names + 1, sizeof *names, "names of a folder", err);
        if (rc == SST_OK)
            memcpy(names[n_names++], name, sizeof name);
    }
    if (more < 0 && rc == SST_OK)
        rc =
            sst_fail(err, SST_ERR_INPUT, "%s: the folder cannot be listed: %s. Check the disk", where, strerror(errno));
    for (size_t i = 0; i < n_names && rc == SST_OK; ++i)
        rc = call(user, names[i], err);
    sst_free(names);
    return rc;
}
