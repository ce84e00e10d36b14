/*
 * Stored numbers straight from a file, without the library: where its bytes are is asked once for each file and variable,
 * then they are read and unpacked here. What is not understood is left to netCDF-C, and so is whatever does not come out as
 * it should: a message about a damaged file is the library's. Only the decode_*.c files include this.
 *
 *   decode_direct.c         decides for each variable; the only part that others call
 *   decode_direct_hdf5.c    asks HDF5 for type, layout, filters, and chunks as they are in the file
 *   decode_direct_chunk.c   a box out of chunks, and the chunks that span steps, kept
 *   decode_direct_unpack.c  the filters undone
 *   decode_direct_bytes.c   bytes of a file, and their order
 *   decode_plain.c          tables of all 16-bit numbers
 *   decode_scratch.c        memory that is used again from file to file
 */
#ifndef SST_STREAM_DECODE_DIRECT_H
#define SST_STREAM_DECODE_DIRECT_H

#include "core/timings.h"
#include "stream/decode_loops.h"
#include "stream/decode_private.h"

enum {
    SST_DIRECT_MAX_FILTERS = 3, /* each of those that are understood, once */
    SST_DIRECT_MAX_VARIABLES = 4, /* of a file: SST, ice and mask */
    SST_DIRECT_MAX_SLABS = 2 * 3, /* three variables, each in two parts where the box lies across the file's seam */
    SST_DIRECT_MAX_PLACES = 24, /* chunks of a file whose places are kept */
    SST_DIRECT_MAX_ITEM = 8, /* [B] of a number */
    SST_DIRECT_TEXT_SIZE = 128
};

/* [B] The most that the chunks of one box may take; the library reads what is larger. */
#define SST_DIRECT_MAX_SLAB_BYTES ((size_t)256 << 20)

enum sst_direct_filter { SST_DIRECT_SHUFFLE, SST_DIRECT_DEFLATE, SST_DIRECT_FLETCHER32 };

enum sst_direct_kind {
    SST_DIRECT_NONE, /* left to the library */
    SST_DIRECT_STRIDED, /* every number's place is known: contiguous in HDF5, and classic */
    SST_DIRECT_CHUNKED
};

/* A rectangle of a variable in all of its dimensions, slowest first. */
struct sst_direct_box {
    size_t start[SST_DECODE_MAX_RANK], count[SST_DECODE_MAX_RANK];
};

/* A chunk as it is in the file. */
struct sst_direct_place {
    uint64_t at, n_bytes; /* [B]; n_bytes 0: never written */
    unsigned skipped_filters; /* bits by the filters' positions */
};

/* Where the numbers of a variable are, and how they are packed. */
struct sst_direct_storage {
    int varid;
    enum sst_direct_kind kind;
    char text[SST_DIRECT_TEXT_SIZE]; /* what -v says of it */
    size_t rank, item_bytes;
    bool is_big_endian; /* as stored */
    uint64_t lengths[SST_DECODE_MAX_RANK]; /* what is stored of each dimension */

    uint64_t origin, strides[SST_DECODE_MAX_RANK]; /* [B] strided */

    int64_t dataset; /* HDF5's, -1 if none */
    uint64_t chunk[SST_DECODE_MAX_RANK]; /* lengths of a chunk */
    size_t chunk_bytes; /* unpacked */
    size_t first_place, n_places; /* of its chunks, first dimension slowest; n_places 0: HDF5 is asked for each */
    enum sst_direct_filter filters[SST_DIRECT_MAX_FILTERS]; /* in the order in which they were applied */
    size_t n_filters;
    bool has_fill; /* chunks that were never written hold `fill` */
    unsigned char fill[SST_DIRECT_MAX_ITEM]; /* in this machine's byte order */
};

/* What is known of an open file. */
struct sst_direct {
    int64_t hdf5; /* HDF5's file, -1 if none */
    int fd; /* -1: not open; closed with `hdf5` where that is open */
    uint64_t size_bytes;
    uint64_t serial; /* no other file of the scratch memory has it */
    struct sst_direct_storage variables[SST_DIRECT_MAX_VARIABLES];
    size_t n_variables;
    struct sst_direct_place places[SST_DIRECT_MAX_PLACES];
    size_t n_places;
};

/* The unpacked chunks of a box, all steps of them. */
struct sst_direct_slab {
    uint64_t serial; /* whose they are; 0: nobody's */
    int varid;
    uint64_t first_chunk[SST_DECODE_MAX_RANK], n_chunks[SST_DECODE_MAX_RANK];
    unsigned char *bytes;
    size_t capacity;
    uint64_t last_use;
};

/* Numbers that tell one packing from another: scalars, fills, and three for each flag. */
enum { SST_DECODE_IDENTITY_SIZE = 12 + SST_DECODE_MAX_FILLS + 3 * SST_DECODE_MAX_FLAGS };

/* What a packing makes of all 8-bit or 16-bit numbers, kept from file to file. */
struct sst_decode_codes {
    double identity[SST_DECODE_IDENTITY_SIZE];
    int16_t *table; /* by the number's bits; NULL until used */
    struct sst_plain_codes plain;
};

struct sst_decode_classes {
    double identity[SST_DECODE_IDENTITY_SIZE];
    uint8_t *table;
    struct sst_plain_classes plain;
};

struct sst_decode_scratch {
    unsigned char *raw; /* a field as stored */
    unsigned char *line; /* rows whose numbers stood apart */
    unsigned char *packed, *inflated, *chunk; /* a chunk as it is in the file, on its way, and unpacked */
    size_t raw_capacity, line_capacity, packed_capacity, inflated_capacity, chunk_capacity;
    struct sst_direct_slab slabs[SST_DIRECT_MAX_SLABS];
    struct libdeflate_decompressor *inflater; /* NULL until used */
    struct sst_decode_model *model; /* NULL until a file was opened by the library */
    uint64_t n_files, clock;
    struct sst_decode_codes codes; /* of the SST */
    struct sst_decode_classes ice, mask;
    struct sst_timings timings; /* added to while reading: fetching, filters undone */
};

/*
 * Where the numbers of a box go. Those of one shuffled chunk may stay as they were inflated, for who joins them piece by piece:
 * a field that is written out and read again leaves the cache in between.
 *
 *   plane 0  |low byte of number 0|of 1|of 2| ...        plane 1  |next byte of number 0| ...
 */
struct sst_direct_out {
    unsigned char *numbers; /* room for the whole box */
    bool takes_planes;
    const unsigned char
        *planes[SST_DIRECT_MAX_ITEM]; /* [0] NULL: all is in `numbers`; of the scratch memory, until it is read into */
};

/* decode_direct.c */

/*
 * Reads a box into `out`, in this machine's byte order.
 *
 * was_read  false where the library has to be asked; `out` may have been written to then.
 * Errors    SST_ERR_NOMEM only.
 */
SST_MUST_CHECK enum sst_status sst_direct_read(struct sst_file *file, const struct sst_decode_variable *variable,
                                               const struct sst_direct_box *box, struct sst_direct_out *out,
                                               bool *was_read, struct sst_error *err);

/* Opens the file for reading directly; what cannot be opened so has no descriptor. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_direct_open(struct sst_file *file, struct sst_error *err);

/* How a variable of an open file is stored, NULL where it is left to the library. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_direct_find(struct sst_file *file, const struct sst_decode_variable *variable,
                                               const struct sst_direct_storage **out, struct sst_error *err);

/* Whether a variable is stored as `like` is, which has its lengths: without the library nobody else knows them. */
bool sst_direct_is_alike(struct sst_file *file, const struct sst_decode_variable *variable,
                         const struct sst_direct_storage *like);

/*
 * Finds out where the SST, the ice and the mask are, whole. False where one of them is left to the library, has more chunks
 * than are kept, or memory is short; the file is then read as if nobody had asked.
 */
bool sst_direct_locate(struct sst_file *file);

/* How the file's variable is stored; NULL where it has not been asked for. */
const struct sst_direct_storage *sst_direct_storage_of(const struct sst_direct *direct, int varid);

/* Reading of a file whose storage is known already. Takes over `fd`, also where it fails. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_direct_adopt(struct sst_file *file, int fd, uint64_t size_bytes,
                                                struct sst_error *err);

/* Before the library closes the file. NULL is accepted. */
void sst_direct_close(struct sst_direct **direct);

/* decode_direct_hdf5.c */

/* Opens a file for HDF5 and tells the descriptor by which HDF5 reads it; false where that is no plain file. */
bool sst_direct_hdf5_open(struct sst_direct *direct, const char *path);
void sst_direct_hdf5_close(struct sst_direct *direct);

/* Fills in `out`, whose kind stays SST_DIRECT_NONE, with the reason as its text, where the storage is not understood. */
void sst_direct_hdf5_learn(const struct sst_direct *direct, const struct sst_decode_variable *variable,
                           struct sst_direct_storage *out);

/* Size of a chunk in the file, 0 where it was never written; first: of its numbers, by dimension. False: not to be told. */
bool sst_direct_hdf5_chunk_size(const struct sst_direct_storage *storage, const uint64_t *first, uint64_t *n_bytes);

/* The chunk's place in the file. False: not to be told. */
bool sst_direct_hdf5_find_chunk(const struct sst_direct_storage *storage, const uint64_t *first,
                                struct sst_direct_place *out);

/* The chunk as it is in the file, into room for so many bytes. skipped_filters: bits by the filters' positions. */
bool sst_direct_hdf5_read_chunk(const struct sst_direct_storage *storage, const uint64_t *first, unsigned char *out,
                                unsigned *skipped_filters);

/* decode_describe.c */

/* Bytes that grow. Owner of `at`: sst_free. */
struct sst_decode_bytes {
    unsigned char *at;
    size_t n, capacity;
};

/*
 * All that the header of a netCDF-4 file says, but for its global attributes: names, types and lengths of all variables, all
 * of their attributes, and the values of coordinates. Files of the same bytes are read alike.
 *
 * values_left_out  names of variables whose values may differ: time and its bounds.
 * is_whole         false where something is not understood, so that equal bytes prove nothing.
 * Errors           SST_ERR_NOMEM only.
 */
SST_MUST_CHECK enum sst_status sst_decode_describe(int64_t hdf5, const char *const values_left_out[2],
                                                   struct sst_decode_bytes *out, bool *is_whole, struct sst_error *err);

/* A global attribute as sst_decode_attr_text gives it. False where it is not a plain text or none. */
bool sst_decode_describe_text(int64_t hdf5, const char *name, char *buffer, size_t size);

/* All numbers of a variable as doubles or long longs; false unless there are n. */
bool sst_decode_describe_reals(int64_t hdf5, const char *variable, size_t n, double *out);
bool sst_decode_describe_integers(int64_t hdf5, const char *variable, size_t n, long long *out);

/* decode_model.c: NULL is accepted. */
void sst_decode_model_destroy(struct sst_decode_model **model);

/* decode_direct_chunk.c */

/* Keeps the places of all chunks of a variable. False: they are too many, or not to be told. */
bool sst_direct_locate_chunks(struct sst_direct *direct, struct sst_direct_storage *storage);

/* As sst_direct_read, of chunked storage. */
SST_MUST_CHECK enum sst_status sst_direct_read_chunks(struct sst_file *file, const struct sst_direct_storage *storage,
                                                      const struct sst_direct_box *box, struct sst_direct_out *out,
                                                      bool *was_read, struct sst_error *err);

/* A chunk as it is in the file: scratch->packed holds it. */
struct sst_direct_packed {
    uint64_t n_bytes;
    unsigned skipped_filters; /* bits by the filters' positions */
};

/* decode_direct_unpack.c: undoes the filters of the chunk in scratch->packed, into `out` of storage->chunk_bytes. */
SST_MUST_CHECK enum sst_status sst_direct_unpack(struct sst_decode_scratch *scratch,
                                                 const struct sst_direct_storage *storage,
                                                 const struct sst_direct_packed *packed, struct sst_direct_out *out,
                                                 bool *was_read, struct sst_error *err);
void sst_direct_free_inflater(struct libdeflate_decompressor *inflater);

/* decode_direct_bytes.c */

/* False where the file ends before or cannot be read. */
bool sst_direct_read_bytes(int fd, uint64_t at, size_t n, unsigned char *out);

/* Whether numbers stored so have to be turned round on this machine. */
bool sst_direct_is_foreign(const struct sst_direct_storage *storage);

/* Turns each number round, in place. */
void sst_direct_swap(unsigned char *bytes, size_t n_items, size_t item_bytes);

/*
 * Undoes the shuffle filter: first bytes of all numbers, second bytes, ... become numbers, turned round if `swaps`. What is
 * left of n_bytes when it is no whole number of items is copied.
 */
void sst_direct_unshuffle(const unsigned char *in, size_t n_bytes, size_t item_bytes, bool swaps, unsigned char *out);

/* Planes of shuffled items by the weight of their bytes, the least first; swaps: they were stored the other way round. */
void sst_direct_find_planes(const unsigned char *in, size_t n_items, size_t item_bytes, bool swaps,
                            const unsigned char *planes[SST_DIRECT_MAX_ITEM]);

/* Joins n items from the given one on. */
void sst_direct_join(const unsigned char *const planes[SST_DIRECT_MAX_ITEM], size_t first, size_t n, size_t item_bytes,
                     unsigned char *out);

/* Fletcher's checksum of 16-bit words, big end first, as HDF5 stores it. */
uint32_t sst_direct_fletcher32(const unsigned char *bytes, size_t n);

/* decode_plain.c */

/*
 * Codes of all 16-bit numbers of file->sst, made anew unless the last ones were of the same packing.
 *
 * out      NULL where making them costs more than it saves; else lives until the next call with the same scratch memory.
 */
SST_MUST_CHECK enum sst_status sst_decode_find_codes(struct sst_file *file, enum sst_lattice_kind lattice,
                                                     const struct sst_decode_box *box,
                                                     const struct sst_decode_codes **out, struct sst_error *err);

/* The class of one stored number; NaN is missing. */
typedef uint8_t sst_decode_class_fn(const struct sst_file *file, double stored);

/* As above, classes of file->ice or file->mask, of 8-bit numbers too; NULL also where numbers are wider. */
SST_MUST_CHECK enum sst_status sst_decode_find_classes(struct sst_file *file,
                                                       const struct sst_decode_variable *variable,
                                                       sst_decode_class_fn *class_of, const struct sst_decode_box *box,
                                                       const struct sst_decode_classes **out, struct sst_error *err);

#endif
