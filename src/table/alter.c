/* Changing a table's schema. The table object at hand stays as it was opened. */
#include "catalog/make_table.h"
#include "table/table.h"

paimon_status paimon_table_set_options(paimon_table *table, const paimon_option *changes, size_t n, paimon_error *err)
{
    if (!table || (n > 0 && !changes)) return pmn_fail(err, PAIMON_INVALID, "paimon_table_set_options: table or changes is NULL");
    if (table->source->owner)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: changing options of a table whose versions a catalog owns is not supported: ask the catalog",
                        table->source->path);
    pmn_source *source;
    PMN_TRY(pmn_source_pin(table->source, &source, err));
    paimon_status status = pmn_table_change_options(source->env, source->fs, source->root, changes, n, err);
    pmn_source_release(source);
    return status;
}
