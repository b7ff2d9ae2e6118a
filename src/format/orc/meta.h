/* What an ORC file tells about itself: postscript, footer, stripe footers, row indexes, statistics. All of it is protobuf; messages are
 * parsed into the structs below, unknown fields are skipped. Specification: ORC v1.
 *
 *   "ORC" | stripes (index streams, data streams, stripe footer) | metadata (statistics of stripes) | footer | postscript | its length (1 byte)
 *
 * Metadata, footer, stripe footers and all streams are compressed in chunks, each with 3 bytes in front: little-endian, size << 1 | original. */
#ifndef PMN_FORMAT_ORC_META_H
#define PMN_FORMAT_ORC_META_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/status.h"
#include "codec/codec.h"

typedef enum pmn_orc_kind {
    PMN_ORC_BOOLEAN,
    PMN_ORC_BYTE,
    PMN_ORC_SHORT,
    PMN_ORC_INT,
    PMN_ORC_LONG,
    PMN_ORC_FLOAT,
    PMN_ORC_DOUBLE,
    PMN_ORC_STRING,
    PMN_ORC_BINARY,
    PMN_ORC_TIMESTAMP, /* the writer's wall clock */
    PMN_ORC_LIST,
    PMN_ORC_MAP,
    PMN_ORC_STRUCT,
    PMN_ORC_UNION,
    PMN_ORC_DECIMAL,
    PMN_ORC_DATE,
    PMN_ORC_VARCHAR,
    PMN_ORC_CHAR,
    PMN_ORC_INSTANT /* timestamp with local time zone */
} pmn_orc_kind;

/* A column: they are numbered from 0, the root, in preorder. */
typedef struct pmn_orc_type {
    pmn_orc_kind kind;
    int32_t id;
    const char *name; /* in its parent struct; "element", "key", "value" in collections; "" for the root */
    const struct pmn_orc_type *const *children;
    int32_t n_children;
    int32_t precision, scale; /* DECIMAL; 0, 0 of old writers: 38, 18 */
    int32_t max_length;       /* CHAR, VARCHAR; 0: not told */
    int32_t field_id;         /* attribute "paimon.id"; -1: none */
} pmn_orc_type;

/* Types inside each other at most. */
#define PMN_ORC_MAX_DEPTH 64

const char *pmn_orc_kind_name(pmn_orc_kind kind); /* "int", "timestamp with local time zone", …; static */

/* Statistics of one column over some rows. What is not told is absent, and so is what is told but not to be believed: bounds that are NaN or
 * come with a NaN among the values (orc-java merges them wrongly), nanoseconds that are none. Integers, doubles and dates have both bounds or none. */
typedef struct pmn_orc_stats {
    int64_t n_values; /* not null; -1 unknown */
    bool has_null;    /* true if not told */
    bool has_integers, has_doubles, has_strings, has_decimals, has_dates, has_timestamps, has_booleans; /* which of those below are told */
    int64_t min_integer, max_integer; /* integers; dates: days; timestamps: milliseconds of the wall clock as if it were UTC (newer writers
                                         only), of the instant for INSTANT */
    int32_t min_nanos, max_nanos;     /* timestamps: nanoseconds past the millisecond, 0 … 999999; max of old writers: 999999 */
    double min_double, max_double;
    pmn_slice min_text, max_text;     /* strings; decimals as decimal text. Borrowed; data NULL: not told */
    bool text_is_cut;                 /* lower or upper bound of a long string rather than a value */
    int64_t n_true;                   /* booleans */
} pmn_orc_stats;

typedef struct pmn_orc_stripe {
    int64_t offset; /* of the index streams; data and footer follow */
    int64_t index_size, data_size, footer_size;
    int64_t first_row, n_rows;
} pmn_orc_stripe;

/* The end of the file. Its lengths are not yet checked against anything. */
typedef struct pmn_orc_postscript {
    int64_t footer_size, metadata_size;
    pmn_codec codec;
    int64_t chunk_size;
    int32_t writer_version, format_major, format_minor;
    bool has_magic; /* files of 0.11 may have it at their beginning only */
} pmn_orc_postscript;

/* Chunks hold at most this much: their length has 23 bits, and writers stay below it. */
#define PMN_ORC_MAX_CHUNK (1 << 24)

typedef struct pmn_orc_meta {
    pmn_codec codec;
    int64_t chunk_size; /* no chunk is larger when decompressed; at most PMN_ORC_MAX_CHUNK */
    int64_t n_rows;
    int64_t row_index_stride; /* 0: no row index */
    int32_t writer;           /* 0 Java, 1 C++, 2 Presto, 3 Go, 4 Trino, 5 CUDF, …; -1 not told */
    int32_t writer_version;   /* of that writer; 0 of the oldest */
    pmn_slice software;       /* version of the software: "1.9.8"; data NULL: not told. Borrowed */
    int32_t format_major, format_minor; /* 0.11, 0.12 */
    const pmn_orc_stripe *stripes;
    int32_t n_stripes;
    const pmn_orc_type *const *types; /* by id */
    int32_t n_types;
    const pmn_slice *file_stats; /* by type id: message bytes; NULL if not told. n_file_stats is n_types or 0 */
    int32_t n_file_stats;
    int64_t metadata_offset, metadata_size; /* statistics of stripes; size 0: none */
} pmn_orc_meta;

typedef enum pmn_orc_stream_kind {
    PMN_ORC_PRESENT,
    PMN_ORC_DATA,
    PMN_ORC_LENGTH,
    PMN_ORC_DICTIONARY_DATA,
    PMN_ORC_DICTIONARY_COUNT, /* not used by writers */
    PMN_ORC_SECONDARY,
    PMN_ORC_ROW_INDEX,
    PMN_ORC_BLOOM_FILTER,
    PMN_ORC_BLOOM_FILTER_UTF8
} pmn_orc_stream_kind; /* others are kept as numbers and skipped */

typedef struct pmn_orc_stream_info {
    int32_t kind;
    int32_t column;
    int64_t offset, size; /* in the file, compressed */
} pmn_orc_stream_info;

typedef enum pmn_orc_encoding_kind { PMN_ORC_DIRECT, PMN_ORC_DICTIONARY, PMN_ORC_DIRECT_V2, PMN_ORC_DICTIONARY_V2 } pmn_orc_encoding_kind;

typedef struct pmn_orc_encoding {
    pmn_orc_encoding_kind kind;
    int64_t dictionary_size;
    int32_t bloom_encoding; /* 0: not told, or the first ones; 1: texts in UTF-8, timestamps in UTC */
} pmn_orc_encoding;

typedef struct pmn_orc_stripe_footer {
    const pmn_orc_stream_info *streams; /* in file order */
    int32_t n_streams;
    const pmn_orc_encoding *encodings; /* by column: as many as types */
    int32_t n_encodings;
    const char *zone; /* of the writer; "" if not told */
} pmn_orc_stripe_footer;

/* Where every stream of a column stands at the first row of a row group, in the order that the column's encoding gives them. */
typedef struct pmn_orc_index_entry {
    const uint64_t *positions;
    int32_t n_positions;
    pmn_slice stats; /* message bytes; data NULL: not told */
} pmn_orc_index_entry;

typedef struct pmn_orc_index {
    const pmn_orc_index_entry *entries; /* one a row group */
    int32_t n;
} pmn_orc_index;

paimon_status pmn_orc_postscript_parse(pmn_slice bytes, pmn_orc_postscript *out, paimon_error *err) PMN_MUST_USE;
/* The footer of a file whose stripes end at `content_size` at the latest: types are checked to be a tree in preorder, stripes to be in order
 * inside the file, their rows to add up. Fills all but what the postscript tells. */
paimon_status pmn_orc_footer_parse(pmn_arena *arena, pmn_slice bytes, int64_t content_size, pmn_orc_meta *out, paimon_error *err) PMN_MUST_USE;

/* Parsing: `bytes` are decompressed messages, results in the arena, slices borrowed from `bytes`. PAIMON_CORRUPT says what and where. */
paimon_status pmn_orc_stats_parse(pmn_slice bytes, pmn_orc_stats *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_orc_index_parse(pmn_arena *arena, pmn_slice bytes, pmn_orc_index *out, paimon_error *err) PMN_MUST_USE;
/* Streams get their offsets, and their sizes are checked against the stripe's; every column has its encoding. */
paimon_status pmn_orc_stripe_footer_parse(pmn_arena *arena, pmn_slice bytes, const pmn_orc_meta *meta, const pmn_orc_stripe *stripe,
                                          pmn_orc_stripe_footer *out, paimon_error *err) PMN_MUST_USE;

#endif
