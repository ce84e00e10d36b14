/*
 * Files of one make without HDF5: where all that is not a chunk of numbers stands in front, and the same bytes stand there in
 * another file, HDF5 would read the same from it. What may differ is known, and read here:
 *
 *   superblock | headers, names, attributes, coordinates | time | indices of chunks | ... | chunk | chunk | chunk   end
 *     end of      the same in both                        value    size and place
 *     file, sum                                                    of the only chunk
 *
 * The chunks must fill the file from the head to its end, so that nothing else can stand between or behind them. Only files
 * whose variables are one chunk each, or contiguous in the head, are understood. Only decode_model.c includes this.
 *
 *   decode_head_list.c  asks HDF5, of the model, where everything is
 *   decode_head.c       compares, and reads what differs
 *
 * Source: HDF5 File Format Specification 3.0, II.A (superblock 2 and 3), III.A.1 (version 1 B-trees).
 */
#ifndef SST_STREAM_DECODE_HEAD_H
#define SST_STREAM_DECODE_HEAD_H

#include "stream/decode_direct.h"

enum { SST_HEAD_MAX_CHUNKS = 16, SST_HEAD_MAX_VALUES = 2, SST_HEAD_NAME_SIZE = 64 };

/* The only chunk of a variable. */
struct sst_head_chunk {
    char name[SST_HEAD_NAME_SIZE];
    size_t rank;
    uint64_t first[SST_DECODE_MAX_RANK]; /* of its numbers, by dimension */
    struct sst_direct_place place;
    size_t node; /* [B] place in the head of the index that names it */
};

enum sst_head_number { SST_HEAD_OTHER, SST_HEAD_F32, SST_HEAD_F64, SST_HEAD_I16, SST_HEAD_I32, SST_HEAD_I64 };

/* Values that may differ, in this machine's byte order. */
struct sst_head_values {
    char name[SST_HEAD_NAME_SIZE];
    enum sst_head_number type;
    size_t n;
    uint64_t at, n_bytes; /* [B] in the head; what is stored may be more than n numbers */
};

struct sst_decode_head {
    bool is_set;
    unsigned char *bytes, *other; /* the model's, and that of the file at hand */
    size_t n, capacity, other_capacity; /* [B] */
    uint64_t size_bytes, fixed_end; /* of the model's file; behind the last byte of what must be in the head */
    struct sst_head_chunk chunks[SST_HEAD_MAX_CHUNKS]; /* ascending by place, all behind the head */
    size_t n_chunks;
    struct sst_head_values values[SST_HEAD_MAX_VALUES];
    size_t n_values;
};

/* NULL is accepted. */
void sst_decode_head_destroy(struct sst_decode_head **head);

/*
 * Learns the head of an open file; it is not set where the file is of another build.
 *
 * values_left_out  names of variables whose values may differ.
 * Errors           SST_ERR_NOMEM only.
 */
SST_MUST_CHECK enum sst_status sst_decode_head_learn(struct sst_decode_head *head, const struct sst_direct *direct,
                                                     const char *const values_left_out[2], struct sst_error *err);

/* Whether another file has this head; `places` are then those of its chunks, in the order of head->chunks. */
bool sst_decode_head_compare(struct sst_decode_head *head, int fd, uint64_t size_bytes,
                             struct sst_direct_place places[SST_HEAD_MAX_CHUNKS]);

/* The chunk of a variable; n_chunks where it has none. */
size_t sst_decode_head_chunk(const struct sst_decode_head *head, const char *variable);

/* Values of the file that was compared last. One of the outputs may be NULL. False unless there are n. */
bool sst_decode_head_values(const struct sst_decode_head *head, const char *variable, size_t n, double *reals,
                            long long *integers);

/* decode_head_list.c: fills in fixed_end, chunks (without nodes, in any order) and values. False: of another build. */
bool sst_decode_head_list(int64_t hdf5, const char *const values_left_out[2], struct sst_decode_head *head);

#endif
