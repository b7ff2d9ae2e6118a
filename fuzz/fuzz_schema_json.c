/* Schema files: what parses is printed, and what was printed parses to the same text. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "meta/schema/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_mem *mem = pmn_mem_default();
    pmn_table_schema *schema = NULL, *again = NULL;
    pmn_buf first, second;
    if (pmn_table_schema_parse(mem, pmn_slice_of(data, size), "schema-0", &schema, NULL) != PAIMON_OK) return 0;
    pmn_buf_init(&first, mem, 64 << 20);
    pmn_buf_init(&second, mem, 64 << 20);
    if (pmn_table_schema_print(schema, &first, NULL) != PAIMON_OK) abort();
    if (pmn_table_schema_parse(mem, pmn_slice_of(first.data, first.size), "printed", &again, NULL) != PAIMON_OK) abort();
    if (pmn_table_schema_print(again, &second, NULL) != PAIMON_OK) abort();
    if (!pmn_slice_equal(pmn_slice_of(first.data, first.size), pmn_slice_of(second.data, second.size))) abort();
    pmn_buf_free(&first);
    pmn_buf_free(&second);
    pmn_table_schema_release(schema);
    pmn_table_schema_release(again);
    return 0;
}
