/*
 * The loops of decoding over a row's cells, written so that the compiler vectorises them; only the decode_*.c files include
 * this. None fails, takes memory, or knows of files. Whatever the vector's width, the bits are the same.
 *
 *   16-bit numbers  ─▶ codes, classes     by comparing and adding, where the packing is that plain; else by a table
 *   other numbers   ─▶ doubles ─▶ codes   in the arithmetic of sst_decode_degc
 */
#ifndef SST_STREAM_DECODE_LOOPS_H
#define SST_STREAM_DECODE_LOOPS_H

#include "stream/decode_private.h"

enum { SST_LOOP_HOLES = 4 /* missing values that a plain packing may have */ };

/*
 * Keys are numbers in the order of their size, as int16: unsigned 16-bit numbers less 32,768, unsigned bytes less 128. The
 * key of a number is its bits with `flip` turned round.
 */

/* Where the codes of 16-bit numbers follow by adding. */
struct sst_plain_codes {
    bool is_plain; /* else nothing below holds */
    uint16_t flip, shift; /* code = key + shift, modulo 2^16 */
    int16_t low, high; /* keys of numbers with a code, but for the holes */
    int16_t marked_low, marked_high; /* so too those with a mark, beside low..high; none where low is above high */
    int16_t holes[SST_LOOP_HOLES]; /* keys of missing values; all other keys are missing too */
};

/* Where the class of numbers is 1 within bounds, and 0 elsewhere. */
struct sst_plain_classes {
    bool is_plain;
    uint16_t flip;
    int16_t low, high; /* keys of class 1, but for the holes; none where low is above high */
    int16_t holes[SST_LOOP_HOLES];
};

/* The plain form of a table of codes or classes by the numbers' bits, if it has one; looks at each entry. */
struct sst_plain_codes sst_plain_codes_of(const int16_t *codes, bool is_signed);
struct sst_plain_classes sst_plain_classes_of(const uint8_t *classes, size_t n_bits, bool is_signed);

/* Stored numbers that are no fill: least and greatest; low > high at first. */
struct sst_loop_range {
    int low, high;
};

/*
 * Codes of a row of 16-bit numbers. Marks come out as from the table.
 *
 * table    of the codes that `plain` was made of
 * range    widened by numbers that have a code or a mark
 */
void sst_loop_short_codes(const struct sst_plain_codes *plain, const int16_t *table, const uint16_t *stored, size_t n,
                          int16_t *codes, struct sst_loop_range *range);

/* Classes of a row of 8-bit or 16-bit numbers. */
void sst_loop_byte_classes(const struct sst_plain_classes *plain, const uint8_t *table, const uint8_t *stored, size_t n,
                           uint8_t *classes);
void sst_loop_short_classes(const struct sst_plain_classes *plain, const uint8_t *table, const uint16_t *stored,
                            size_t n, uint8_t *classes);

/* Stored numbers of any type as doubles; NaN where missing: fills, infinities, and what the valid range leaves out. */
void sst_loop_widen(const struct sst_decode_variable *variable, const unsigned char *stored, size_t n, double *out);

/* What is needed to make codes of stored numbers. */
struct sst_loop_rule {
    const struct sst_decode_variable *sst;
    const struct sst_decode_conversion *to_degc;
    struct sst_lattice lattice;
    double ice_degc; /* [degC] stands for ice; NaN: none */
};

/* Codes of doubles; NaN is missing. What is no code becomes one of the marks below SST_DECODE_LOWEST_CODE. */
void sst_loop_codes(const struct sst_loop_rule *rule, const double *stored, size_t n, int16_t *codes);

/* As above for floating-point storage; returns how many with a code lie off the lattice by more than they are rounded. */
size_t sst_loop_codes_off_lattice(const struct sst_loop_rule *rule, const double *stored, size_t n, int16_t *codes);

/* [degC] Values of stored numbers, rounded once to float32; NaN stays. */
void sst_loop_degc(const struct sst_loop_rule *rule, const double *stored, size_t n, float *degc);

/* [degC] of the codes of a lattice, rounded once to float32; NaN where missing. */
void sst_loop_degc_of_codes(struct sst_lattice lattice, const int16_t *codes, size_t n, float *degc);

/* NaN wherever the code is missing. */
void sst_loop_leave_out_degc(const int16_t *codes, size_t n, float *degc);

/* Widens low..high by numbers that are not NaN; of the two zeros it gives 0. */
void sst_loop_widen_range(const double *values, size_t n, double *low, double *high);

/* 1 where (value * scale + offset) * factor is at least `least`, 0 elsewhere and where the value is NaN. */
void sst_loop_at_least(const struct sst_decode_variable *variable, double factor, double least, const double *values,
                       size_t n, uint8_t *out);

/* What the cells of a field are. */
struct sst_loop_tally {
    size_t n_values, n_marks, n_ice; /* of those with a value */
    size_t n_land, n_lake; /* left out: they have neither value nor mark */
};

/* Land and lakes become missing; what a mask says of cells without a value does not count. */
void sst_loop_leave_out_land(const uint8_t *classes, size_t n, int16_t *codes, struct sst_loop_tally *tally);

/* Adds values, marks and ice. ice: NULL: none. */
void sst_loop_count(const int16_t *codes, const uint8_t *ice, size_t n, struct sst_loop_tally *tally);

/* 1 where a mask's class has ice, else 0. */
void sst_loop_ice_of_mask(const uint8_t *classes, size_t n, uint8_t *ice);

/* Codes of a lattice as hundredths of a degree, to the nearest, ties to even. */
void sst_loop_hundredths(struct sst_lattice lattice, const int16_t *codes, size_t n, int16_t *hundredths);

#endif
