/* An open Parquet file: footer and schema parsed, immutable, counted, shared by its readers and threads. */
#ifndef PMN_FORMAT_PARQUET_FILE_H
#define PMN_FORMAT_PARQUET_FILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "format/parquet/meta.h"
#include "format/parquet/schema.h"

typedef struct pmn_parquet_file {
    pmn_format_file base; /* first */
    atomic_int refs;
    pmn_mem *mem;   /* retained */
    pmn_input *input;
    char *path;
    int64_t size;
    bool case_insensitive;
    bool verify_checksums;
    bool short_chunks; /* chunk sizes lack the dictionary page's header, as an old writer counted */
    bool denies_compression; /* pages of version 2 are compressed although they say that they are not */
    pmn_arena arena; /* of meta and schema; not touched after opening */
    pmn_parquet_meta meta;
    pmn_parquet_schema schema;
    /* The bytes that opening read anyway, [tail_offset, size): a small file is all there, so reading it costs no second request. */
    uint8_t *tail;
    int64_t tail_offset;
    size_t tail_size; /* size - tail_offset, or 0 if not kept */
} pmn_parquet_file;

extern const pmn_format pmn_format_parquet;

paimon_status pmn_parquet_open(const pmn_format_open_options *options, pmn_format_file **out, paimon_error *err) PMN_MUST_USE;
pmn_parquet_file *pmn_parquet_file_retain(pmn_parquet_file *file);
void pmn_parquet_file_release(pmn_parquet_file *file);
/* Exactly `n` bytes from `offset`, out of the kept tail where it covers them. Any thread. */
paimon_status pmn_parquet_file_read(pmn_parquet_file *file, int64_t offset, int64_t n, void *dst, paimon_error *err) PMN_MUST_USE;
/* The kept bytes at [offset, offset + n), or NULL. They live as long as the file. */
const uint8_t *pmn_parquet_file_peek(const pmn_parquet_file *file, int64_t offset, int64_t n);

/* reader.c: a pass over the file. It retains `file`. */
paimon_status pmn_parquet_reader_new(pmn_parquet_file *file, const pmn_format_read_options *options, pmn_format_reader **out, paimon_error *err) PMN_MUST_USE;

#endif
