/* The small structures beside a Parquet file's pages: column index, offset index, footer and its schema, from bare bytes. */
#include <stdlib.h>

#include "format/parquet/index.h"
#include "format/parquet/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_arena arena;
    pmn_parquet_offset_index places;
    pmn_parquet_column_index bounds;
    pmn_parquet_meta meta;
    pmn_parquet_schema schema;
    struct ArrowSchema arrow;
    pmn_want want;
    if (size == 0) return 0;
    pmn_slice bytes = pmn_slice_of(data + 1, size - 1);
    pmn_arena_init(&arena, pmn_mem_default());
    if (data[0] % 3 == 0 && pmn_parquet_offset_index_parse(&arena, bytes, 0, &places, NULL) == PAIMON_OK && places.n_pages < 1) abort();
    if (data[0] % 3 == 1 && pmn_parquet_column_index_parse(&arena, bytes, 0, &bounds, NULL) == PAIMON_OK && bounds.n_pages < 1) abort();
    if (data[0] % 3 == 2 && pmn_parquet_meta_parse(&arena, bytes, 0, &meta, NULL) == PAIMON_OK &&
        pmn_parquet_schema_build(&arena, &meta, &schema, NULL) == PAIMON_OK && pmn_parquet_schema_arrow(pmn_mem_default(), &schema, &arrow, NULL) == PAIMON_OK) {
        if (pmn_parquet_match(&arena, &schema, &arrow, false, &want, NULL) != PAIMON_OK) abort();
        pmn_schema_release(&arrow);
    }
    pmn_arena_free(&arena);
    return 0;
}
