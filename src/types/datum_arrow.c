/* One value from and to Arrow. */
#include <string.h>

#include "arrow/array.h"
#include "types/column.h"
#include "types/value_reader.h"

paimon_status pmn_datum_from_arrow(const pmn_type *type, const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row,
                                   pmn_datum *out, paimon_error *err)
{
    pmn_value_reader reader;
    PMN_TRY(pmn_value_reader_init(&reader, type, schema, err));
    return pmn_value_read(&reader, array, row, out, err);
}

paimon_status pmn_datum_to_arrow(pmn_buffer_pool *pool, const pmn_type *type, const pmn_datum *value, int64_t length, struct ArrowArray *out,
                                 paimon_error *err)
{
    pmn_field field = { -1, "", type, NULL, NULL };
    struct ArrowSchema schema;
    struct ArrowArray one;
    pmn_column column;
    memset(out, 0, sizeof *out);
    PMN_TRY(pmn_field_to_arrow(pmn_buffer_pool_mem(pool), &field, &schema, err));
    paimon_status status;
    if (value->is_null) {
        status = pmn_array_nulls(pool, &schema, length, out, err);
        goto done;
    }
    PMN_GOTO(status, pmn_column_init(&column, pool, type, err), done);
    status = pmn_column_append(&column, value, err);
    if (status == PAIMON_OK) status = pmn_column_finish(&column, &one, err);
    pmn_column_free(&column);
    if (status != PAIMON_OK) goto done;
    status = pmn_array_repeat(pool, &schema, &one, 0, length, out, err);
    pmn_array_release(&one);
done:
    pmn_schema_release(&schema);
    return status;
}
