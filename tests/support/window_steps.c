/* A walk over the calendar's own pools. */
#include "window_steps.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_RING = 64 };

struct walk {
    struct window_steps made;
    int32_t bin[SST_N_SLOTS + 1][SST_N_CLASSES], place[SST_N_SLOTS + 1][SST_N_CLASSES];
    bool is_inside[SST_N_SLOTS + 1][SST_N_CLASSES], is_wanted[SST_N_SLOTS + 1][SST_N_CLASSES];
    bool is_taken[MOST_RING];
    uint32_t n_ring;
};

static void push(struct walk *walk, struct gpu_window_step step) { walk->made.steps[walk->made.n_steps++] = step; }

/* A free place of the ring, -1 where there is none. */
static int32_t take_place(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->n_ring; ++i) {
        if (walk->is_taken[i])
            continue;
        walk->is_taken[i] = true;
        if (i >= walk->made.n_ring)
            walk->made.n_ring = i + 1;
        return (int32_t)i;
    }
    return -1;
}

static void leave_unwanted(struct walk *walk)
{
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        for (int kind = 0; kind < SST_N_CLASSES; ++kind) {
            if (!walk->is_inside[slot][kind] || walk->is_wanted[slot][kind])
                continue;
            const int32_t place = walk->place[slot][kind];
            push(walk, (struct gpu_window_step){.kind = GPU_WINDOW_LEAVE, .bin = walk->bin[slot][kind], .ring = place});
            walk->is_inside[slot][kind] = false;
            if (place >= 0)
                walk->is_taken[place] = false;
        }
}

static void enter(struct walk *walk, struct sst_term term)
{
    const int slot = term.slot, kind = term.year_class;
    if (walk->is_inside[slot][kind])
        return;
    walk->is_inside[slot][kind] = true;
    walk->place[slot][kind] = take_place(walk);
    if (walk->bin[slot][kind] < 0)
        walk->bin[slot][kind] = (int32_t)walk->made.n_bins++;
    push(walk, (struct gpu_window_step){
                   .kind = GPU_WINDOW_ENTER, .bin = walk->bin[slot][kind], .ring = walk->place[slot][kind]});
}

static void visit(struct walk *walk, const struct sst_pool_rule *rule, int centre, int min_samples)
{
    struct sst_term terms[SST_MAX_TERMS];
    const int n_terms = sst_pool_terms(rule, centre, terms);
    if (n_terms == 0)
        return;
    for (int i = 0; i < n_terms; ++i)
        walk->is_wanted[terms[i].slot][terms[i].year_class] = true;
    leave_unwanted(walk);
    for (int i = 0; i < n_terms; ++i) {
        enter(walk, terms[i]);
        walk->is_wanted[terms[i].slot][terms[i].year_class] = false;
    }
    if ((size_t)n_terms > walk->made.most_bins)
        walk->made.most_bins = (size_t)n_terms;
    push(walk, (struct gpu_window_step){.kind = GPU_WINDOW_FINISH,
                                        .ring = -1,
                                        .result = (int32_t)walk->made.n_pools++,
                                        .min_samples = min_samples});
}

struct window_steps window_steps_make(const struct sst_pool_rule *rule, int first, int n, uint32_t n_ring,
                                      int min_samples)
{
    static struct walk walk;
    walk = (struct walk){.n_ring = n_ring < MOST_RING ? n_ring : MOST_RING};
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        for (int kind = 0; kind < SST_N_CLASSES; ++kind)
            walk.bin[slot][kind] = -1;
    /* A term enters once and leaves once in less than a year. */
    walk.made.steps = calloc(2 * SST_N_SLOTS * SST_N_CLASSES + (size_t)n, sizeof *walk.made.steps);
    assert(walk.made.steps && n < SST_N_SLOTS);
    for (int i = 0; i < n; ++i)
        visit(&walk, rule, (first + i - 1) % SST_N_SLOTS + 1, min_samples);
    return walk.made;
}
