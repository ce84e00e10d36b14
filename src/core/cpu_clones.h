/*
 * CPU_CLONES stands before a function that is worth copies for wider vectors, of which the one that the processor has is taken
 * when the program starts. Such a function has whole numbers alone, or doubles without contraction and in an order that it
 * spells out itself, so the copies give the same bits. Not where the compiler or the loader cannot choose between copies, nor
 * under sanitizers, which are not yet there when the choice is made.
 */
#ifndef SST_CORE_CPU_CLONES_H
#define SST_CORE_CPU_CLONES_H

#include <stdint.h> /* tells __GLIBC__ */

#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) &&     \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if __GNUC__ >= 12
#define CPU_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#endif
#endif
#ifndef CPU_CLONES
#define CPU_CLONES
#endif

#endif
