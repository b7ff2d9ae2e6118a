/* An open Avro data file: header and schema parsed, immutable, counted, shared by its readers. */
#ifndef PMN_FORMAT_AVRO_FILE_H
#define PMN_FORMAT_AVRO_FILE_H

#include <stdatomic.h>

#include "format/avro/container.h"
#include "format/avro/fields.h"
#include "format/format.h"

typedef struct pmn_avro_file {
    pmn_format_file base; /* first */
    atomic_int refs;
    pmn_mem *mem; /* retained */
    pmn_input *input;
    char *path;
    int64_t size;
    bool case_insensitive;
    pmn_arena arena; /* not touched after opening */
    pmn_avro_header header; /* its schema is in `head` */
    const pmn_avro_type *root;
    pmn_avro_fields fields;
    /* The bytes that opening read, from 0 on: a small file is all there, so reading it costs no second request. */
    uint8_t *head;
    size_t head_size;
} pmn_avro_file;

extern const pmn_format pmn_format_avro;

pmn_avro_file *pmn_avro_file_retain(pmn_avro_file *file);
void pmn_avro_file_release(pmn_avro_file *file);

/* reader.c: a pass over the file. It retains `file`. */
paimon_status pmn_avro_reader_new(pmn_avro_file *file, const pmn_format_read_options *options, pmn_format_reader **out, paimon_error *err) PMN_MUST_USE;

/* file_writer.c. Options: avro.codec, file.compression, file.compression.zstd-level. */
paimon_status pmn_avro_create(const pmn_format_write_options *options, pmn_format_writer **out, paimon_error *err) PMN_MUST_USE;

/* ---- blocks.c ---- */

/* The blocks of a file in order. One is found by its head alone; its bytes are read when they are asked for. */
typedef struct pmn_avro_blocks {
    pmn_avro_file *file; /* borrowed */
    uint8_t *window;     /* file bytes [window_at, window_at + window_size) */
    size_t window_size, window_capacity;
    int64_t window_at;
    int64_t next; /* where the next block begins */
    int64_t bytes_read;
} pmn_avro_blocks;

typedef struct pmn_avro_block_place {
    int64_t offset; /* of the block */
    int64_t n;      /* records, as it says */
    int64_t data;   /* where its bytes begin */
    int64_t size;
} pmn_avro_block_place;

void pmn_avro_blocks_init(pmn_avro_blocks *blocks, pmn_avro_file *file);
void pmn_avro_blocks_free(pmn_avro_blocks *blocks);
/* `*more` false at the end of the file. PAIMON_CORRUPT for a block that does not fit into it. `many`: its bytes, and those of the next ones, will be
 * read. */
paimon_status pmn_avro_blocks_next(pmn_avro_blocks *blocks, bool many, pmn_avro_block_place *out, bool *more, paimon_error *err) PMN_MUST_USE;
/* Its bytes, as they are stored, until the next call. */
paimon_status pmn_avro_blocks_load(pmn_avro_blocks *blocks, const pmn_avro_block_place *place, pmn_slice *stored, paimon_error *err) PMN_MUST_USE;

/* describe.c: {"format": "avro", "codec", "rows", "schema", "blocks": [{"offset", "rows", "bytes"}]}, appended to `out`. */
paimon_status pmn_avro_describe(pmn_avro_file *file, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

#endif
