/* New schemas: of a definition, and of an older schema with other options. Each is checked by the rules of Paimon and comes as the text
 * of its file. */
#ifndef PMN_META_SCHEMA_CREATE_H
#define PMN_META_SCHEMA_CREATE_H

#include "meta/schema/schema.h"
#include "paimon-c/catalog.h"

/* The text of schema-0 for a definition: field ids given anew in Java's order, primary keys not null. PAIMON_INVALID says which rule it
 * breaks. `out` is initialised by the caller. */
paimon_status pmn_schema_define(pmn_mem *mem, const paimon_table_definition *definition, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* The text of the next schema: `old` with options set, or, where a value is NULL, unset. `has_snapshot`: rows may have been written, so
 * options that files depend on cannot change any more. `*changed` false, and no text, if nothing would be different. */
paimon_status pmn_schema_change_options(pmn_mem *mem, const pmn_table_schema *old, bool has_snapshot, const paimon_option *changes, size_t n,
                                        bool *changed, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* The rules alone; derived members are not looked at. */
paimon_status pmn_schema_check(pmn_mem *mem, const pmn_table_schema *schema, paimon_error *err) PMN_MUST_USE;

#endif
