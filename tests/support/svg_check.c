/* Runs svg_check.py on a picture. */
#include "svg_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_main.h"

/* Its exit status; what it said is in `said`. */
static int run_checker(const char *svg, char *said, size_t size)
{
    const char *path = test_path("%s/picture.svg", test_scratch_dir()), *source = getenv("SST_SOURCE_DIR");
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(svg, file), 0);
    ck_assert_int_eq(fclose(file), 0);
    FILE *checker = popen(
        test_path("/usr/bin/python3 '%s/tests/support/svg_check.py' '%s' 2>&1", source ? source : ".", path), "r");
    ck_assert_ptr_nonnull(checker);
    said[fread(said, 1, size - 1, checker)] = '\0';
    return pclose(checker);
}

void svg_expect_sound(const struct sst_text *svg)
{
    char said[1024];
    struct sst_error err = {0};
    ck_assert_msg(sst_text_check(svg, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(run_checker(svg->data, said, sizeof said) == 0, "%s", said);
}

void svg_expect_complaint(const char *svg, const char *word)
{
    char said[1024];
    ck_assert_msg(run_checker(svg, said, sizeof said) != 0, "the checker missed a planted fault (%s)", word);
    ck_assert_msg(strstr(said, word) != NULL, "the checker refused, but not for '%s': %s", word, said);
}

size_t svg_count(const struct sst_text *svg, const char *wanted)
{
    size_t n = 0;
    for (const char *at = strstr(svg->data, wanted); at; at = strstr(at + 1, wanted))
        ++n;
    return n;
}
