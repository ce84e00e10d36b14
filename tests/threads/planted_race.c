/* A program with a data race, or with a barrier in its place: shows that the thread sanitizer tells the two apart. */
#include <stdio.h>
#include <string.h>

enum { N_ITEMS = 100000 };

static long items[N_ITEMS];

static void fill(void)
{
#pragma omp parallel for schedule(static)
    for (int item = 0; item < N_ITEMS; ++item)
        items[item] = item;
}

/* Reads what other threads wrote in fill(); only the barrier at its end makes that right. */
static long sum_with_barrier(void)
{
    long sum = 0;
#pragma omp parallel for schedule(dynamic, 1000) reduction(+ : sum)
    for (int item = 0; item < N_ITEMS; ++item)
        sum += items[N_ITEMS - 1 - item];
    return sum;
}

static long sum_with_race(void)
{
    long sum = 0;
#pragma omp parallel for schedule(static)
    for (int item = 0; item < N_ITEMS; ++item)
        sum += items[item];
    return sum;
}

int main(int argc, char **argv)
{
    const int has_race = argc > 1 && strcmp(argv[1], "race") == 0;
    fill();
    const long sum = has_race ? sum_with_race() : sum_with_barrier();
    printf("%ld\n", sum);
    return !has_race && sum != (long)N_ITEMS * (N_ITEMS - 1) / 2;
}
