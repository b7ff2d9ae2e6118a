/* Rows from disk: the first byte chooses a type, the rest is the row. What is read must write and read back the same. */
#include <stdlib.h>
#include <string.h>

#include "arrow/array.h"
#include "arrow/import.h"
#include "types/row_codec.h"

static const char *const types[] = {
    "ROW<a INT, b STRING, c TIMESTAMP(9), d DECIMAL(38, 2), e BYTES, f DOUBLE, g BOOLEAN, h TIMESTAMP(3), i DECIMAL(9, 2), j DATE>",
    "ROW<a ARRAY<INT>, b ARRAY<STRING>, c ARRAY<BOOLEAN>, d ARRAY<TIMESTAMP(6)>, e ARRAY<DECIMAL(30, 2)>>",
    "ROW<a MAP<STRING, BIGINT>, b MULTISET<STRING>, c MAP<INT, ARRAY<SMALLINT>>>",
    "ROW<a ROW<b INT, c ROW<d STRING, e ARRAY<ROW<f FLOAT, g TINYINT>>>>>",
    "ROW<a VARIANT, b VECTOR<FLOAT, 3>, c BLOB, d ARRAY<VECTOR<BOOLEAN, 5>>>",
    "ROW<a ARRAY<ARRAY<ARRAY<ARRAY<STRING>>>>>",
    "ROW<>",
};

static void check(int ok)
{
    if (!ok) abort();
}

/* Written again, the row may have other bytes (gaps and overlaps are gone), but then it stays as it is. */
static void write_twice(pmn_buffer_pool *pool, const pmn_type *type, struct ArrowArray *array)
{
    pmn_mem *mem = pmn_buffer_pool_mem(pool);
    struct ArrowSchema schema;
    struct ArrowArray again;
    pmn_buf first, second;
    pmn_row_view view;
    pmn_buf_init(&first, mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&second, mem, PMN_BUF_NO_CEILING);
    check(pmn_row_to_arrow(mem, type, &schema, NULL) == PAIMON_OK);
    check(pmn_array_import_check(&schema, array, NULL) == PAIMON_OK);
    if (pmn_row_from_arrow(&first, type, &schema, array, 0, NULL) == PAIMON_OK) { /* too many digits are refused on the way in */
        check(pmn_row_parse_bare(pmn_slice_of(first.data, first.size), type->n_fields, &view, NULL) == PAIMON_OK);
        check(pmn_rows_to_arrow(pool, type, &view, 1, &again, NULL) == PAIMON_OK);
        check(pmn_row_from_arrow(&second, type, &schema, &again, 0, NULL) == PAIMON_OK);
        check(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
        pmn_array_release(&again);
    }
    pmn_buf_free(&first);
    pmn_buf_free(&second);
    pmn_schema_release(&schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    pmn_mem *mem = pmn_mem_new(NULL, 256 << 20);
    pmn_buffer_pool *pool = pmn_buffer_pool_new(mem, 0);
    pmn_arena arena;
    pmn_arena_init(&arena, mem);
    const pmn_type *type;
    check(pmn_type_parse(&arena, types[data[0] % (sizeof types / sizeof *types)], &type, NULL) == PAIMON_OK);
    pmn_row_view view;
    struct ArrowArray array;
    (void)!pmn_row_parse(pmn_slice_of(data + 1, size - 1), &view, NULL);
    if (pmn_row_parse_bare(pmn_slice_of(data + 1, size - 1), type->n_fields, &view, NULL) == PAIMON_OK) {
        for (int32_t i = 0; i < type->n_fields; i++) {
            pmn_datum value;
            (void)!pmn_row_get(&view, i, type->fields[i].type, &value, NULL);
        }
        if (pmn_rows_to_arrow(pool, type, &view, 1, &array, NULL) == PAIMON_OK) {
            write_twice(pool, type, &array);
            pmn_array_release(&array);
        }
    }
    pmn_arena_free(&arena);
    pmn_buffer_pool_release(pool);
    check(pmn_mem_current(mem) >= 0);
    pmn_mem_release(mem);
    return 0;
}
