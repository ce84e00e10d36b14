/* What every picture must be: XML, with numbers that are numbers, inside its own frame. */
#ifndef SST_TEST_SVG_CHECK_H
#define SST_TEST_SVG_CHECK_H

#include <stddef.h>

#include "core/text.h"

/* Fails the case unless svg_check.py has nothing to complain of; one or several pictures. */
void svg_expect_sound(const struct sst_text *svg);

/* Fails the case unless it complains in words that contain `word`. */
void svg_expect_complaint(const char *svg, const char *word);

/* How often a text occurs. */
size_t svg_count(const struct sst_text *svg, const char *wanted);

#endif
