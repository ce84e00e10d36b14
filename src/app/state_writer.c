/* Lines of the list: "1: FLOCK  ADVISORY  WRITE 1234 fe:00:98765 0 EOF", waiting ones with "->" behind the number. */
#include "app/state_writer.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "core/mem.h"

const char *sst_state_writer_name(enum sst_state_writer writer)
{
    static const char *const names[] = {"none", "present", "not known"};
    return names[writer];
}

enum sst_state_writer sst_state_writer_in(FILE *list, dev_t device, ino_t inode)
{
    char line[256], access[16];
    while (fgets(line, sizeof line, list)) {
        unsigned at_major = 0, at_minor = 0;
        unsigned long long at_inode = 0;
        if (sscanf(line, "%*d: FLOCK %*s %15s %*d %x:%x:%llu", access, &at_major, &at_minor, &at_inode) != 4 ||
            access[0] != 'W' || at_inode != inode)
            continue;
        /* File systems without a device of their own show another number here than to stat(2): then the inode has to do. */
        if ((at_major == major(device) && at_minor == minor(device)) || (at_major == 0 && major(device) == 0))
            return SST_WRITER_PRESENT;
    }
    return ferror(list) ? SST_WRITER_NOT_KNOWN : SST_WRITER_NONE;
}

enum sst_state_writer sst_state_writer(const char *state_path)
{
    struct stat lock;
    char *path = NULL;
    enum sst_state_writer found = SST_WRITER_NOT_KNOWN;
    if (sst_asprintf(&path, NULL, "%s/lock", state_path) != SST_OK)
        return found;
    const int rc = stat(path, &lock);
    sst_free(path);
    if (rc != 0)
        return SST_WRITER_NOT_KNOWN;
    FILE *list = fopen("/proc/locks", "re");
    if (!list)
        return SST_WRITER_NOT_KNOWN;
    found = sst_state_writer_in(list, lock.st_dev, lock.st_ino);
    (void)fclose(list);
    return found;
}
