/* Whether somebody writes into a state, found out without touching its lock: a writer that starts now must not fail by it. */
#ifndef SST_APP_STATE_WRITER_H
#define SST_APP_STATE_WRITER_H

#include <stdio.h>
#include <sys/types.h>

enum sst_state_writer { SST_WRITER_NONE, SST_WRITER_PRESENT, SST_WRITER_NOT_KNOWN };
const char *sst_state_writer_name(enum sst_state_writer writer); /* "none", "present", "not known" */

/* Asks the system's list of locks. Locks that another machine or container holds are in no list of this one. */
enum sst_state_writer sst_state_writer(const char *state_path);

/* What such a list (proc_locks(5)) says of a file. */
enum sst_state_writer sst_state_writer_in(FILE *list, dev_t device, ino_t inode);

#endif
