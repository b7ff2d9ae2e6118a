/* The pages of one column chunk: headers, reading in windows, decompression.
 *
 *   chunk := [dictionary page] data page …;   page := header (thrift), compressed_page_size bytes
 *   v1 data page: all of it compressed together: repetition levels, definition levels (each with a 4-byte length if RLE), values
 *   v2 data page: levels first, never compressed and without length, then the values */
#ifndef PMN_FORMAT_PARQUET_PAGE_H
#define PMN_FORMAT_PARQUET_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/lending.h"
#include "format/parquet/file.h"
#include "format/parquet/levels.h"

typedef enum pmn_parquet_page_type { PMN_PQ_PAGE_DATA = 0, PMN_PQ_PAGE_INDEX = 1, PMN_PQ_PAGE_DICTIONARY = 2, PMN_PQ_PAGE_DATA_V2 = 3 } pmn_parquet_page_type;

typedef struct pmn_parquet_page {
    int32_t type; /* pmn_parquet_page_type; other numbers are to be passed over */
    int32_t encoding;
    int32_t def_encoding;
    int32_t rep_encoding;
    int32_t n_values; /* entries: nulls count, empty lists too */
    int32_t n_rows;   /* v2; else -1 */
    int32_t compressed;
    int32_t uncompressed;
    int32_t def_bytes; /* v2 */
    int32_t rep_bytes; /* v2 */
    bool is_compressed;
    bool has_crc;
    uint32_t crc;
    int64_t offset; /* of the header in the file */
    int64_t body;   /* of the bytes behind the header */
} pmn_parquet_page;

/* A data page's parts, or a dictionary page's values. They live until the next call on the same pages; 64 bytes behind each may be read. */
typedef struct pmn_parquet_page_data {
    pmn_parquet_hybrid rep;
    pmn_parquet_hybrid def;
    pmn_slice values;
} pmn_parquet_page_data;

typedef struct pmn_parquet_pages {
    pmn_parquet_file *file; /* borrowed */
    pmn_mem *mem;           /* borrowed */
    pmn_decompressors *decompressors; /* borrowed */
    const pmn_parquet_chunk *chunk;
    int64_t next; /* file offset of the next header */
    int64_t end;
    uint8_t *window; /* file bytes [window_offset, window_offset + window_size) */
    size_t window_capacity;
    size_t window_size;
    int64_t window_offset;
    int64_t wish; /* after a seek: bytes worth reading next instead of a whole window; 0: none */
    uint8_t *body; /* the page decompressed */
    size_t body_capacity;
    uint8_t *levels; /* BIT_PACKED levels repacked */
    size_t levels_capacity;
    int64_t bytes_read;
} pmn_parquet_pages;

void pmn_parquet_pages_init(pmn_parquet_pages *p, pmn_parquet_file *file, pmn_decompressors *decompressors);
void pmn_parquet_pages_free(pmn_parquet_pages *p);
/* Begin the chunk; buffers and contexts stay. */
void pmn_parquet_pages_begin(pmn_parquet_pages *p, const pmn_parquet_chunk *chunk);
/* The next page is the one whose header is at file offset `offset`, inside the chunk; header and page are `bytes` long. */
void pmn_parquet_pages_seek(pmn_parquet_pages *p, int64_t offset, int32_t bytes);
/* Parse the next header and step over its page, whose body is not read yet. `*found` false at the end of the chunk. */
paimon_status pmn_parquet_pages_next(pmn_parquet_pages *p, pmn_parquet_page *page, bool *found, paimon_error *err) PMN_MUST_USE;
/* Read and decompress the page that `next` gave last. */
paimon_status pmn_parquet_pages_load(pmn_parquet_pages *p, const pmn_parquet_page *page, int max_def, int max_rep, pmn_parquet_page_data *data,
                                     paimon_error *err) PMN_MUST_USE;

/* For tests and fuzzing: one page header from bytes. `*size` gets the bytes it takes. */
paimon_status pmn_parquet_page_header_parse(pmn_slice bytes, int64_t base, pmn_parquet_page *page, size_t *size, paimon_error *err) PMN_MUST_USE;

#endif
