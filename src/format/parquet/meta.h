/* The footer of a Parquet file (FileMetaData of parquet.thrift) as plain structs in an arena.
 *
 * Parsing checks shape and ranges that need no schema: counts, negative numbers, enum values. What needs the schema or the
 * file's size (a chunk's bytes inside the file, row counts that agree) is checked by pmn_parquet_meta_check. */
#ifndef PMN_FORMAT_PARQUET_META_H
#define PMN_FORMAT_PARQUET_META_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/status.h"
#include "format/parquet/thrift.h"

/* Numbers are the format's. */
typedef enum pmn_parquet_physical {
    PMN_PQ_GROUP = -1, /* a node without a value of its own */
    PMN_PQ_BOOLEAN = 0,
    PMN_PQ_INT32 = 1,
    PMN_PQ_INT64 = 2,
    PMN_PQ_INT96 = 3,
    PMN_PQ_FLOAT = 4,
    PMN_PQ_DOUBLE = 5,
    PMN_PQ_BYTE_ARRAY = 6,
    PMN_PQ_FIXED = 7 /* FIXED_LEN_BYTE_ARRAY */
} pmn_parquet_physical;

typedef enum pmn_parquet_repetition { PMN_PQ_REQUIRED = 0, PMN_PQ_OPTIONAL = 1, PMN_PQ_REPEATED = 2 } pmn_parquet_repetition;

typedef enum pmn_parquet_encoding {
    PMN_PQ_PLAIN = 0,
    PMN_PQ_PLAIN_DICTIONARY = 2,
    PMN_PQ_RLE = 3,
    PMN_PQ_BIT_PACKED = 4,
    PMN_PQ_DELTA_BINARY_PACKED = 5,
    PMN_PQ_DELTA_LENGTH_BYTE_ARRAY = 6,
    PMN_PQ_DELTA_BYTE_ARRAY = 7,
    PMN_PQ_RLE_DICTIONARY = 8,
    PMN_PQ_BYTE_STREAM_SPLIT = 9
} pmn_parquet_encoding;

typedef enum pmn_parquet_codec {
    PMN_PQ_UNCOMPRESSED = 0,
    PMN_PQ_SNAPPY = 1,
    PMN_PQ_GZIP = 2,
    PMN_PQ_LZO = 3,
    PMN_PQ_BROTLI = 4,
    PMN_PQ_LZ4 = 5,
    PMN_PQ_ZSTD = 6,
    PMN_PQ_LZ4_RAW = 7
} pmn_parquet_codec;

/* LogicalType's union members, and what a converted type stands for when there is no logical type. */
typedef enum pmn_parquet_logical_kind {
    PMN_PQ_LOGICAL_NONE = 0,
    PMN_PQ_LOGICAL_STRING = 1,
    PMN_PQ_LOGICAL_MAP = 2,
    PMN_PQ_LOGICAL_LIST = 3,
    PMN_PQ_LOGICAL_ENUM = 4,
    PMN_PQ_LOGICAL_DECIMAL = 5,
    PMN_PQ_LOGICAL_DATE = 6,
    PMN_PQ_LOGICAL_TIME = 7,
    PMN_PQ_LOGICAL_TIMESTAMP = 8,
    PMN_PQ_LOGICAL_INTEGER = 10,
    PMN_PQ_LOGICAL_NULL = 11, /* UNKNOWN: always null */
    PMN_PQ_LOGICAL_JSON = 12,
    PMN_PQ_LOGICAL_BSON = 13,
    PMN_PQ_LOGICAL_UUID = 14,
    PMN_PQ_LOGICAL_FLOAT16 = 15,
    PMN_PQ_LOGICAL_VARIANT = 16,
    PMN_PQ_LOGICAL_GEOMETRY = 17,
    PMN_PQ_LOGICAL_GEOGRAPHY = 18,
    /* only as converted types: */
    PMN_PQ_LOGICAL_MAP_KEY_VALUE = 100,
    PMN_PQ_LOGICAL_INTERVAL = 101,
    /* a member newer than this list: read as if it were not there, but its order is unknown */
    PMN_PQ_LOGICAL_OTHER = 200
} pmn_parquet_logical_kind;

typedef enum pmn_parquet_unit { PMN_PQ_MILLIS = 1, PMN_PQ_MICROS = 2, PMN_PQ_NANOS = 3 } pmn_parquet_unit;

typedef struct pmn_parquet_logical {
    pmn_parquet_logical_kind kind;
    int32_t bits;      /* INTEGER: 8, 16, 32, 64 */
    bool is_signed;    /* INTEGER */
    pmn_parquet_unit unit; /* TIME, TIMESTAMP */
    bool utc;          /* TIME, TIMESTAMP: adjusted to UTC */
    int32_t precision; /* DECIMAL */
    int32_t scale;     /* DECIMAL */
} pmn_parquet_logical;

typedef struct pmn_parquet_element {
    const char *name; /* zero-terminated; a name with a zero byte inside is refused */
    pmn_parquet_physical physical; /* PMN_PQ_GROUP if it has children */
    int32_t type_length; /* FIXED: bytes of a value, ≥ 1 */
    pmn_parquet_repetition repetition; /* of the root: REQUIRED, whatever is written */
    int32_t n_children;
    int32_t field_id; /* -1: none */
    pmn_parquet_logical logical; /* from the logical type, else from the converted one */
} pmn_parquet_element;

typedef struct pmn_parquet_key_value {
    pmn_slice key;
    pmn_slice value; /* data NULL: no value */
} pmn_parquet_key_value;

/* Bytes in PLAIN encoding (no length before byte arrays); data NULL: not there. */
typedef struct pmn_parquet_statistics {
    pmn_slice min_value, max_value;     /* in the column's order */
    pmn_slice legacy_min, legacy_max;   /* signed order, whatever the type: see prune.c for where they may be used */
    int64_t null_count;                 /* -1: not there */
    int64_t distinct_count;             /* -1 */
} pmn_parquet_statistics;

typedef struct pmn_parquet_page_count {
    int32_t page_type; /* 0 data, 1 index, 2 dictionary, 3 data v2 */
    int32_t encoding;
    int32_t count;
} pmn_parquet_page_count;

typedef struct pmn_parquet_chunk {
    pmn_parquet_physical physical;
    pmn_parquet_codec codec;
    const int32_t *encodings;
    int32_t n_encodings;
    const pmn_slice *path; /* path_in_schema */
    int32_t n_path;
    int64_t n_values;           /* with nulls; of a nested column more or less than rows */
    int64_t compressed_bytes;   /* page headers included */
    int64_t uncompressed_bytes;
    int64_t data_page_offset;
    int64_t dictionary_page_offset; /* -1: none. Some writers put 0 here: checked against data_page_offset already */
    int64_t first_offset;       /* where the chunk's bytes begin: [first_offset, first_offset + compressed_bytes) */
    pmn_parquet_statistics statistics;
    const pmn_parquet_page_count *page_counts;
    int32_t n_page_counts;
    int64_t bloom_offset;  /* -1: none */
    int32_t bloom_length;  /* -1: not told */
    int64_t column_index_offset; /* -1: none */
    int32_t column_index_length;
    int64_t offset_index_offset; /* -1: none */
    int32_t offset_index_length;
    bool encrypted;    /* has crypto metadata: its column cannot be read */
    bool other_file;   /* names another file: not supported */
} pmn_parquet_chunk;

typedef struct pmn_parquet_group {
    const pmn_parquet_chunk *chunks; /* one a leaf of the schema, in order */
    int32_t n_chunks;
    int64_t n_rows;
    int64_t first_row; /* file row of its first row */
    int64_t total_bytes;
} pmn_parquet_group;

typedef enum pmn_parquet_order {
    PMN_PQ_ORDER_UNDEFINED = 0, /* no column order given: min_value and max_value mean nothing */
    PMN_PQ_ORDER_TYPE = 1,      /* the order that the type defines */
    PMN_PQ_ORDER_OTHER = 2      /* one newer than us: unknown */
} pmn_parquet_order;

typedef struct pmn_parquet_meta {
    int32_t version;
    const pmn_parquet_element *elements; /* depth first, [0] is the root */
    int32_t n_elements;
    int64_t n_rows;
    const pmn_parquet_group *groups;
    int32_t n_groups;
    const pmn_parquet_key_value *key_values;
    int32_t n_key_values;
    pmn_slice created_by; /* data NULL: not told */
    const pmn_parquet_order *orders; /* one a leaf; NULL: all undefined */
    int32_t n_orders;
} pmn_parquet_meta;

/* Parse the bytes of a footer that starts at `base` of the file. The result lives in `arena`; slices are copied, so `bytes` may go.
 * PAIMON_CORRUPT with the file offset. */
paimon_status pmn_parquet_meta_parse(pmn_arena *arena, pmn_slice bytes, int64_t base, pmn_parquet_meta *out, paimon_error *err) PMN_MUST_USE;

/* After the schema is known to have `n_leaves` leaves of `physical` types: each group has one chunk a leaf of that type, rows add up, and
 * the bytes of chunks lie inside a file of `file_size` bytes. */
paimon_status pmn_parquet_meta_check(const pmn_parquet_meta *meta, const pmn_parquet_physical *physical, int32_t n_leaves, int64_t file_size, paimon_error *err) PMN_MUST_USE;

const char *pmn_parquet_physical_name(pmn_parquet_physical physical);
const char *pmn_parquet_encoding_name(int32_t encoding); /* "unknown" for others */
const char *pmn_parquet_codec_name(pmn_parquet_codec codec);

#endif
