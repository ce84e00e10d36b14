/* Stores variables anew. */
#include "make_hdf5.h"

#include <check.h>
#include <hdf5.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RANK = 3, LEVEL = 4, MAX_ATTRIBUTE_BYTES = 4096 };

/* [numbers] along each axis of a chunk */
static const hsize_t chunk[RANK] = {2, 7, 5};

static hid_t need(hid_t id)
{
    ck_assert_int_ge(id, 0);
    return id;
}

static herr_t copy_attribute(hid_t from, const char *name, const H5A_info_t *info, void *user)
{
    const hid_t *to = user;
    unsigned char value[MAX_ATTRIBUTE_BYTES];
    const hid_t old = need(H5Aopen(from, name, H5P_DEFAULT)), type = need(H5Aget_type(old));
    const hid_t space = need(H5Aget_space(old));
    ck_assert_uint_le(info->data_size, sizeof value);
    need(H5Aread(old, type, value));
    const hid_t new = need(H5Acreate2(*to, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    need(H5Awrite(new, type, value));
    (void)H5Aclose(new);
    (void)H5Sclose(space);
    (void)H5Tclose(type);
    (void)H5Aclose(old);
    return 0;
}

static hid_t new_properties(enum make_hdf5_way way)
{
    const hid_t properties = need(H5Pcreate(H5P_DATASET_CREATE));
    need(H5Pset_chunk(properties, RANK, chunk));
    if (way == HDF5_SHUFFLE_AFTER_DEFLATE)
        need(H5Pset_deflate(properties, LEVEL));
    need(H5Pset_shuffle(properties));
    if (way != HDF5_SHUFFLE_AFTER_DEFLATE)
        need(H5Pset_deflate(properties, LEVEL));
    if (way == HDF5_CHECKSUM_LAST)
        need(H5Pset_fletcher32(properties));
    if (way == HDF5_NO_FILL)
        need(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER));
    if (way == HDF5_EDGES_UNFILTERED)
        need(H5Pset_chunk_opts(properties, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    return properties;
}

/* The first chunk as it is, with no filter; the second, which is the first's values, only deflated. */
static void skip_filters(hid_t dataset)
{
    enum { N = 2 * 7 * 5, SKIP_SHUFFLE = 1, SKIP_BOTH = 3 };
    const hsize_t first[RANK] = {0, 0, 0}, second[RANK] = {0, 0, 5};
    int16_t values[N];
    for (int i = 0; i < N; ++i)
        values[i] = (int16_t)(i * 7);
    need(H5Dwrite_chunk(dataset, H5P_DEFAULT, SKIP_BOTH, first, sizeof values, values));
    /* A zlib stream of one stored block: header, last block, length and its complement, bytes, Adler-32. */
    unsigned char stream[7 + sizeof values + 4] = {0x78, 0x01, 0x01, sizeof values, 0, 0xFF ^ sizeof values, 0xFF};
    uint32_t a = 1, b = 0;
    memcpy(stream + 7, values, sizeof values);
    for (size_t i = 0; i < sizeof values; ++i) {
        a = (a + stream[7 + i]) % 65521;
        b = (b + a) % 65521;
    }
    const unsigned char sums[4] = {(unsigned char)(b >> 8), (unsigned char)b, (unsigned char)(a >> 8),
                                   (unsigned char)a};
    memcpy(stream + 7 + sizeof values, sums, sizeof sums);
    need(H5Dwrite_chunk(dataset, H5P_DEFAULT, SKIP_SHUFFLE, second, sizeof stream, stream));
}

static void write_values(hid_t dataset, hid_t space, enum make_hdf5_way way, const int16_t *values, hsize_t n_last)
{
    const hid_t part = need(H5Scopy(space));
    if (way == HDF5_NO_FILL) {
        hsize_t start[RANK] = {0, 0, 0}, count[RANK];
        need(H5Sget_simple_extent_dims(space, count, NULL));
        count[RANK - 1] = n_last / 2;
        need(H5Sselect_hyperslab(part, H5S_SELECT_SET, start, NULL, count, NULL));
    }
    need(H5Dwrite(dataset, H5T_NATIVE_INT16, part, part, H5P_DEFAULT, values));
    (void)H5Sclose(part);
}

void make_hdf5_again(const char *path, const char *variable, enum make_hdf5_way way)
{
    hsize_t lengths[RANK];
    const hid_t file = need(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t old = need(H5Dopen2(file, variable, H5P_DEFAULT)), space = need(H5Dget_space(old));
    ck_assert_int_eq(H5Sget_simple_extent_dims(space, lengths, NULL), RANK);
    const size_t n = (size_t)(lengths[0] * lengths[1] * lengths[2]);
    int16_t *values = malloc(n * sizeof *values);
    ck_assert_ptr_nonnull(values);
    need(H5Dread(old, H5T_NATIVE_INT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    const hid_t properties = new_properties(way);
    hid_t new = need(H5Dcreate2(file, "new", H5T_STD_I16LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    write_values(new, space, way, values, lengths[RANK - 1]);
    if (way == HDF5_SKIPPED_FILTERS)
        skip_filters(new);
    need(H5Aiterate2(old, H5_INDEX_NAME, H5_ITER_INC, NULL, copy_attribute, &new));
    (void)H5Dclose(old);
    need(H5Ldelete(file, variable, H5P_DEFAULT));
    need(H5Lmove(file, "new", file, variable, H5P_DEFAULT, H5P_DEFAULT));
    (void)H5Pclose(properties);
    (void)H5Sclose(space);
    (void)H5Dclose(new);
    (void)H5Fclose(file);
    free(values);
}
