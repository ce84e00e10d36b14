/* Which files are preliminary, by what the user says of them. Others are final. */
#ifndef SST_STREAM_DECODE_STATUS_H
#define SST_STREAM_DECODE_STATUS_H

#include <stdbool.h>

enum sst_status_source {
    SST_STATUS_AUTO, /* what file name and attributes are known to say */
    SST_STATUS_FINAL, /* all are final */
    SST_STATUS_PRELIMINARY, /* all are preliminary */
    SST_STATUS_NAME, /* files whose names without folders match a pattern */
    SST_STATUS_ATTRIBUTE /* files in which a global attribute matches a pattern */
};

enum { SST_STATUS_TEXT_SIZE = 256 };

struct sst_status_rule {
    enum sst_status_source source;
    char attribute[SST_STATUS_TEXT_SIZE]; /* ATTRIBUTE */
    char pattern[SST_STATUS_TEXT_SIZE]; /* NAME, ATTRIBUTE: as of a shell, * ? [ ] */
};

/*
 * Reads "auto", "final", "preliminary", "name:PATTERN" or "attribute:NAME=PATTERN"; NULL is "auto". Returns false where it is
 * none of them, a name or pattern is empty or too long.
 */
bool sst_status_rule_read(const char *text, struct sst_status_rule *out);

#endif
