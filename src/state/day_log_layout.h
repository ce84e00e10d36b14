/*
 * The bytes of a log of days, for day_log_*.c alone.
 *
 *   header   as of a file of blocks, of kind DLOG
 *   record   checksum u64 of what follows up to the values
 *            chain u64 x 2: of the record before (of the header, in the first), folded with what follows up to the values
 *            length of the name u32, year i32, slot u32, status u32 (0 preliminary, 1 final), cells with values u32,
 *            median i32, has u32 (bit 0 values, bit 1 ice information), 0 u32, digest u64, digest of the ice u64,
 *            length of the codes u64, length of the ice u64, checksum of the values with their zeros u64
 *            the name, zeros to 8
 *   values   codes, ice, zeros to 8; packed as packed_codes.h says, and deflated where that makes them shorter
 *
 * All checksums are XXH3-64. The chain ties a record to all before it, so parts of two logs are not taken for one.
 */
#ifndef SST_STATE_DAY_LOG_LAYOUT_H
#define SST_STATE_DAY_LOG_LAYOUT_H

#include "state/block_file_layout.h"

enum {
    SST_LOG_CHAIN_AT = 8, /* behind the checksum, which covers all from here */
    SST_LOG_FIELDS_AT = SST_LOG_CHAIN_AT + 16, /* the chain covers all from here */
    SST_LOG_HEAD_BYTES = SST_LOG_FIELDS_AT + 8 * 4 + 5 * 8,
    SST_LOG_HAS_VALUES = 1,
    SST_LOG_HAS_ICE = 2
};

#endif
