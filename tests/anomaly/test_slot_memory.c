/*
 * A slot of a state where the n-th allocation fails, for every n: a clean status, nothing lost, and the slot as it was.
 * The linker sends the allocator's calls through here (--wrap).
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "slot_fixture.h"
#include "test_main.h"

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

static long n_left; /* calls until the one that fails; 0: none does */
static bool has_failed;

static bool must_fail(void)
{
    if (n_left == 0 || --n_left > 0)
        return false;
    has_failed = true;
    return true;
}

void *__wrap_malloc(size_t size) { return must_fail() ? NULL : __real_malloc(size); }
void *__wrap_realloc(void *old, size_t size) { return must_fail() ? NULL : __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    return must_fail() ? ENOMEM : __real_posix_memalign(out, alignment, size);
}

enum { SLOT = 61, MOST_CALLS = 5000 };

struct scene {
    struct sst_state_policy policy;
    struct slot_days days;
    struct sst_slot_state *slot, *other; /* days 0, 2, 4 ... and 1, 3, 4 ... */
    struct sst_block_file *file;
};

static enum sst_status add(const struct scene *scene, struct sst_slot_state *slot)
{
    return sst_slot_state_add(slot, &scene->days.days[1].entry, &scene->days.days[1].field, NULL);
}

static enum sst_status take(const struct scene *scene, struct sst_slot_state *slot)
{
    const struct slot_day *day = &scene->days.days[2];
    return sst_slot_state_remove(slot, day->entry.year, scene->policy.keep == SST_KEEP_ALL ? NULL : &day->field, NULL);
}

static enum sst_status merge(const struct scene *scene, struct sst_slot_state *slot)
{
    return sst_slot_state_merge(slot, scene->other, NULL);
}

static enum sst_status encode(const struct scene *scene, struct sst_slot_state *slot)
{
    struct sst_block_writer *writer = NULL;
    enum sst_status rc = sst_block_writer_create(1, scene->policy.identity, &writer, NULL);
    if (rc == SST_OK)
        rc = sst_slot_state_encode(slot, writer, NULL);
    sst_block_writer_destroy(&writer);
    return rc;
}

static enum sst_status decode(const struct scene *scene, struct sst_slot_state *slot)
{
    struct sst_slot_state *read = NULL;
    const enum sst_status rc = sst_slot_state_decode(&scene->policy, slot->slot, scene->file, false, &read, NULL);
    sst_slot_state_destroy(&read);
    return rc;
}

static struct scene scene_open(int which)
{
    struct scene scene = {.policy = slot_policy(which)};
    slot_days_make(&scene.policy, SLOT, &scene.days);
    return scene;
}

static void scene_fill(struct scene *scene)
{
    const bool keeps_all = scene->policy.keep == SST_KEEP_ALL;
    scene->slot = slot_new(&scene->policy, SLOT);
    scene->other = slot_new(&scene->policy, SLOT);
    for (size_t i = 0; i < 8; ++i)
        slot_add(i % 2 == 0 ? scene->slot : scene->other, &scene->days.days[i]);
    if (keeps_all)
        slot_add(scene->other, &scene->days.days[4]);
    scene->file = slot_file(scene->slot);
}

static void scene_close(struct scene *scene)
{
    sst_slot_state_destroy(&scene->slot);
    sst_slot_state_destroy(&scene->other);
    sst_block_file_destroy(&scene->file);
    slot_days_clear(&scene->days);
    sst_state_policy_clear(&scene->policy);
}

START_TEST(a_failed_allocation_leaves_the_slot_as_it_was)
{
    static enum sst_status (*const calls[])(const struct scene *, struct sst_slot_state *) = {add, take, merge, encode,
                                                                                              decode};
    for (size_t call = 0; call < sizeof calls / sizeof calls[0]; ++call) {
        struct scene scene = scene_open(_i), same = scene_open(_i);
        long n = 0;
        scene_fill(&scene);
        scene_fill(&same);
        if (calls[call] == take && !slot_policy_can_remove(&scene.policy))
            goto next;
        do {
            has_failed = false;
            n_left = ++n;
            const enum sst_status rc = calls[call](&scene, scene.slot);
            n_left = 0;
            ck_assert_int_eq(rc, has_failed ? SST_ERR_NOMEM : SST_OK);
            if (has_failed)
                ck_assert_msg(slots_equal(scene.slot, same.slot), "call %zu, allocation %ld", call, n);
        } while (has_failed && n < MOST_CALLS);
        ck_assert_int_gt(n, 5);
        ck_assert_int_lt(n, MOST_CALLS);
    next:
        scene_close(&scene);
        scene_close(&same);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("slot_memory");
    TCase *tcase = tcase_create("n-th allocation");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_failed_allocation_leaves_the_slot_as_it_was, 0, SLOT_N_POLICIES);
    suite_add_tcase(suite, tcase);
    return suite;
}
