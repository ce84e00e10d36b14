/* core/text: what is added arrives, escaped where it comes from outside, the same in every locale; a failure sticks. */
#include <locale.h>
#include <stdint.h>
#include <string.h>

#include "core/text.h"
#include "test_main.h"

static void expect_text(struct sst_text *text, const char *wanted)
{
    ck_assert_int_eq(sst_text_check(text, NULL), SST_OK);
    ck_assert_str_eq(text->data, wanted);
    ck_assert_uint_eq(text->size, strlen(wanted));
    sst_text_clear(text);
}

START_TEST(a_text_grows_and_is_terminated_after_each_piece)
{
    struct sst_text text = {0};
    for (int i = 0; i < 2000; ++i) {
        sst_text_add(&text, "0123456789");
        ck_assert_uint_eq(strlen(text.data), 10 * ((size_t)i + 1));
    }
    ck_assert_uint_eq(text.size, 20000);
    for (size_t i = 0; i < text.size; ++i)
        ck_assert_int_eq(text.data[i], "0123456789"[i % 10]);
    sst_text_clear(&text);
    ck_assert_ptr_null(text.data);
    ck_assert_uint_eq(text.size + text.capacity, 0);
}
END_TEST

START_TEST(nothing_adds_nothing)
{
    struct sst_text text = {0};
    sst_text_add(&text, NULL);
    sst_text_add_escaped(&text, NULL);
    ck_assert_ptr_null(text.data);
    sst_text_add(&text, "");
    sst_text_add_bytes(&text, "unused", 0);
    sst_text_add_base64(&text, NULL, 0);
    expect_text(&text, "");
}
END_TEST

START_TEST(bytes_may_hold_a_nul)
{
    struct sst_text text = {0};
    sst_text_add_bytes(&text, "a\0b", 3);
    ck_assert_uint_eq(text.size, 3);
    ck_assert_mem_eq(text.data, "a\0b", 4);
    sst_text_clear(&text);
}
END_TEST

START_TEST(formats_of_any_length_arrive_whole)
{
    static const int lengths[] = {1, 254, 255, 256, 257, 5000};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        struct sst_text text = {0};
        sst_text_add(&text, "<");
        sst_text_addf(&text, "%*d%s", lengths[i], 7, ">");
        ck_assert_int_eq(sst_text_check(&text, NULL), SST_OK);
        ck_assert_uint_eq(text.size, (size_t)lengths[i] + 2);
        ck_assert_uint_eq(strlen(text.data), text.size);
        ck_assert_str_eq(text.data + lengths[i], "7>");
        ck_assert_int_eq(text.data[0], '<');
        sst_text_clear(&text);
    }
}
END_TEST

/* Without such a locale there is nothing that could go wrong, and the case still looks at the C one. */
START_TEST(numbers_have_a_point_in_every_locale)
{
    static const char *const locales[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; ++i) {
        (void)setlocale(LC_ALL, locales[i]);
        struct sst_text text = {0};
        sst_text_addf(&text, "%.2f %d", -1234.5, 1000000);
        (void)setlocale(LC_ALL, "C");
        expect_text(&text, "-1234.50 1000000");
    }
}
END_TEST

static const struct {
    const char *from, *to;
} escapes[] = {
    {"<b a=\"1\" b='2'>&amp;</b>", "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;"},
    {"a\tb\nc", "a\tb\nc"},
    {"a\rb\x01\x1f\x7f", "a\xEF\xBF\xBD"
                         "b\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"30\xC2\xB0S \xE2\x88\x92 \xF0\x9F\x8C\x8A", "30\xC2\xB0S \xE2\x88\x92 \xF0\x9F\x8C\x8A"},
    {"\xE9t\xE9", "\xEF\xBF\xBDt\xEF\xBF\xBD"}, /* Latin-1 */
    {"\xC3", "\xEF\xBF\xBD"}, /* cut in a character */
    {"\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"}, /* overlong / */
    {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* a surrogate */
    {"\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* above U+10FFFF */
    {"\xEF\xBF\xBF", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* U+FFFF: not in XML */
    {"\xC2\x85", "\xEF\xBF\xBD\xEF\xBF\xBD"}, /* U+0085, a control character */
};

START_TEST(text_from_outside_cannot_leave_its_place)
{
    struct sst_text text = {0};
    sst_text_add_escaped(&text, escapes[_i].from);
    expect_text(&text, escapes[_i].to);
    /* Clean texts have no entities, so only the first of these differs. */
    sst_text_add_clean(&text, escapes[_i].from);
    expect_text(&text, _i == 0 ? escapes[_i].from : escapes[_i].to);
}
END_TEST

/* RFC 4648, section 10: the first 0, 1, .. 6 characters of "foobar". */
static const char *const vectors[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};

START_TEST(base64_is_that_of_the_rfc)
{
    struct sst_text text = {0};
    sst_text_add_base64(&text, (const unsigned char *)"foobar", (size_t)_i);
    expect_text(&text, vectors[_i]);
    sst_text_add_base64(&text, (const unsigned char *)"\xfb\xff\xbf", 3);
    expect_text(&text, "+/+/");
}
END_TEST

/* More than any machine has, asked for without touching it: the bytes are never read. */
START_TEST(a_failure_sticks_and_keeps_what_was_there)
{
    struct sst_text text = {0};
    struct sst_error err = {0};
    sst_text_add(&text, "kept");
    sst_text_add_bytes(&text, "x", SIZE_MAX / 2);
    ck_assert_int_eq(text.failed, SST_ERR_NOMEM);
    sst_text_add(&text, "lost");
    sst_text_addf(&text, "%d", 1);
    sst_text_add_escaped(&text, "lost");
    sst_text_add_base64(&text, (const unsigned char *)"lost", 4);
    ck_assert_str_eq(text.data, "kept");
    ck_assert_int_eq(sst_text_check(&text, &err), SST_ERR_NOMEM);
    ck_assert_ptr_nonnull(strstr(err.text, "memory"));
    sst_text_clear(&text);
    ck_assert_int_eq(sst_text_check(&text, NULL), SST_OK);
}
END_TEST

START_TEST(sizes_that_overflow_are_refused)
{
    struct sst_text text = {0};
    sst_text_add(&text, "ab");
    sst_text_add_bytes(&text, "x", SIZE_MAX - 1);
    ck_assert_int_eq(sst_text_check(&text, NULL), SST_ERR_NOMEM);
    ck_assert_str_eq(text.data, "ab");
    sst_text_clear(&text);
    sst_text_add_base64(&text, (const unsigned char *)"x", SIZE_MAX);
    ck_assert_int_eq(sst_text_check(&text, NULL), SST_ERR_NOMEM);
    sst_text_clear(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("text");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, a_text_grows_and_is_terminated_after_each_piece);
    tcase_add_test(tc, nothing_adds_nothing);
    tcase_add_test(tc, bytes_may_hold_a_nul);
    tcase_add_test(tc, formats_of_any_length_arrive_whole);
    tcase_add_test(tc, numbers_have_a_point_in_every_locale);
    tcase_add_loop_test(tc, text_from_outside_cannot_leave_its_place, 0, (int)(sizeof escapes / sizeof escapes[0]));
    tcase_add_loop_test(tc, base64_is_that_of_the_rfc, 0, (int)(sizeof vectors / sizeof vectors[0]));
    tcase_add_test(tc, a_failure_sticks_and_keeps_what_was_there);
    tcase_add_test(tc, sizes_that_overflow_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
