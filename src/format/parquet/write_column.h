/* One leaf's column chunk while it is written: a page that grows, the dictionary, and the finished pages, compressed, until the row
 * group is whole. Columns know nothing of each other, so that each can be worked on by another thread, and what comes out does not
 * depend on which. */
#ifndef PMN_FORMAT_PARQUET_WRITE_COLUMN_H
#define PMN_FORMAT_PARQUET_WRITE_COLUMN_H

#include "codec/compress.h"
#include "format/parquet/bloom_write.h"
#include "format/parquet/dictionary_write.h"
#include "format/parquet/levels.h"
#include "format/parquet/write_options.h"
#include "format/parquet/write_plan.h"
#include "format/parquet/write_range.h"
#include "format/parquet/write_shred.h"
#include "paimon-c/arrow_abi.h"

/* What a task needs besides the column: made once a thread, not once a column. Lent by the writer. */
typedef struct pmn_pqw_bench {
    struct pmn_pqw_bench *next;
    pmn_compressor *compressors[PMN_CODEC_LZO + 1]; /* made when first needed */
    pmn_buf header; /* of a page */
    pmn_buf plain;  /* a page before compression */
    pmn_buf packed; /* and after */
    pmn_pqw_shred shred;
} pmn_pqw_bench;

/* A finished page. */
typedef struct pmn_pqw_page {
    int64_t offset;     /* from the chunk's first data page */
    int32_t size;       /* header included */
    int64_t first_row;  /* in the row group */
    int64_t null_count;
    bool all_null;
    uint32_t min_start, min_size, max_start, max_size; /* in `bounds` */
} pmn_pqw_page;

/* Bytes that are appended and later written: blocks, so that growing copies nothing. */
typedef struct pmn_pqw_block {
    struct pmn_pqw_block *next;
    size_t size, capacity;
    uint8_t bytes[];
} pmn_pqw_block;
typedef struct pmn_pqw_bytes {
    pmn_mem *mem; /* borrowed */
    pmn_pqw_block *first, *last;
    int64_t size;
} pmn_pqw_bytes;

typedef struct pmn_pqw_column {
    pmn_mem *mem; /* borrowed */
    const pmn_pqw_leaf *leaf;
    const pmn_pqw_options *options;
    pmn_pqw_column_options own;

    /* the page that grows */
    int64_t n_entries, n_values, n_rows;
    pmn_buf def, rep;   /* uint8_t an entry, where the leaf has such levels */
    pmn_buf ids;        /* uint32_t a value, while there is a dictionary */
    pmn_buf plain;      /* else the values in PLAIN encoding; booleans a byte each */
    int64_t plain_bytes; /* what the values take in PLAIN encoding, however they are held */
    size_t dictionary_before; /* bytes and values of the dictionary when the page began */
    uint32_t dictionary_count_before;
    pmn_pqw_range page_range;

    /* the chunk */
    bool with_dictionary; /* new values go through it */
    bool used_dictionary; /* a page does */
    int32_t n_dictionary_pages; /* data pages, by encoding */
    int32_t n_plain_pages;
    pmn_dictionary dictionary;
    pmn_pqw_bloom bloom;           /* of every value, from the first page on that has no dictionary */
    pmn_pqw_bytes data;            /* data pages, headers and all */
    pmn_pqw_bytes dictionary_page; /* when the chunk is done */
    int64_t plain_data_bytes;      /* of both, uncompressed, headers included */
    int64_t chunk_entries, chunk_rows, chunk_nulls;
    pmn_buf pages;  /* pmn_pqw_page */
    pmn_buf bounds; /* of the pages, cut */
    pmn_pqw_range range;

    /* the file */
    pmn_pqw_range file_range;
    int64_t file_nulls;
} pmn_pqw_column;

void pmn_pqw_column_init(pmn_pqw_column *c, pmn_mem *mem, const pmn_pqw_leaf *leaf, const pmn_pqw_options *options, const pmn_pqw_column_options *own);
void pmn_pqw_column_free(pmn_pqw_column *c);

/* Rows [first, first + count) of the top-level column's array (its offset not added); `row` is the file's number of the first. */
paimon_status pmn_pqw_column_write(pmn_pqw_column *c, pmn_pqw_bench *bench, const struct ArrowArray *array, int64_t first, int64_t count, int64_t row,
                                   paimon_error *err) PMN_MUST_USE;
/* The last page and the dictionary. */
paimon_status pmn_pqw_column_close(pmn_pqw_column *c, pmn_pqw_bench *bench, paimon_error *err) PMN_MUST_USE;
/* A new chunk, after the closed one was written. */
void pmn_pqw_column_reset(pmn_pqw_column *c);
/* Bytes held, about as they will be stored. */
int64_t pmn_pqw_column_bytes(const pmn_pqw_column *c);
/* After a reset: memory is given back that was kept for the next chunk. */
void pmn_pqw_column_trim(pmn_pqw_column *c);
/* Memory that it has taken. */
int64_t pmn_pqw_column_memory(const pmn_pqw_column *c);

paimon_status pmn_pqw_bytes_append(pmn_pqw_bytes *b, const void *bytes, size_t n, paimon_error *err) PMN_MUST_USE;
void pmn_pqw_bytes_free(pmn_pqw_bytes *b);

/* From here on without the dictionary: what the page holds becomes PLAIN, and what only it added to the dictionary is forgotten. */
paimon_status pmn_pqw_column_give_up_dictionary(pmn_pqw_column *c, paimon_error *err) PMN_MUST_USE;

/* In write_page.c: the page that grows becomes a finished one; the dictionary becomes a page. */
paimon_status pmn_pqw_page_close(pmn_pqw_column *c, pmn_pqw_bench *bench, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_pqw_dictionary_close(pmn_pqw_column *c, pmn_pqw_bench *bench, paimon_error *err) PMN_MUST_USE;

/* In write_values.c: `n` values of the leaf's array, at rows `rows[i]`, or from `first` on if `rows` is NULL. */
#define PMN_PQW_MOST_VALUES 1024 /* at once */
typedef struct pmn_pqw_values {
    const void *fixed;        /* 1 (booleans), 4, 8 or 16 bytes each; or */
    const pmn_slice *slices;  /* byte arrays */
    int64_t bytes;            /* in PLAIN encoding */
    uint64_t space[2 * PMN_PQW_MOST_VALUES]; /* where they are unless they could be borrowed from the array */
} pmn_pqw_values;
paimon_status pmn_pqw_values_take(pmn_pqw_values *v, const pmn_pqw_leaf *leaf, const struct ArrowArray *array, const int64_t *rows, int64_t first, int64_t n,
                                  paimon_error *err) PMN_MUST_USE;
/* Append such values in PLAIN encoding; booleans stay a byte each. */
paimon_status pmn_pqw_values_plain(pmn_buf *out, const pmn_pqw_leaf *leaf, const pmn_pqw_values *v, int64_t n, paimon_error *err) PMN_MUST_USE;
/* The same of the dictionary's values `ids`; all in order if NULL. */
paimon_status pmn_pqw_dictionary_plain(pmn_buf *out, const pmn_pqw_leaf *leaf, const pmn_dictionary *d, const uint32_t *ids, int64_t n, paimon_error *err) PMN_MUST_USE;
/* Bytes a value is held in; 0 for byte arrays. */
int pmn_pqw_held_width(const pmn_pqw_leaf *leaf);
/* Bytes a value takes in PLAIN encoding; 0 for byte arrays, which have their length in front. */
int64_t pmn_pqw_stored_width(const pmn_pqw_leaf *leaf);

#endif
