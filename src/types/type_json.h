/* Types and fields as JSON, as schema files hold them. Java: DataField.serializeJson, DataTypeJsonParser.
 *
 *   field:  { "id": 0, "name": "a", "type": <type>, "description": "…", "defaultValue": "…" }   (the last two when there)
 *   type:   "DECIMAL(10, 2) NOT NULL", or
 *           { "type": "ARRAY", "element": <type> }   also MULTISET, and VECTOR with "length": n
 *           { "type": "MAP", "key": <type>, "value": <type> }
 *           { "type": "ROW NOT NULL", "fields": [ <field>, … ] }
 */
#ifndef PMN_TYPES_TYPE_JSON_H
#define PMN_TYPES_TYPE_JSON_H

#include "base/json.h"
#include "types/type.h"

/* The array of field objects of a schema, into the arena. Ids may be absent only if all fields lack them, nested ones included:
 * then they count from 0, a field before its nested ones. Unknown members are skipped. PAIMON_CORRUPT names the field. */
paimon_status pmn_fields_from_json(pmn_arena *arena, const pmn_json *array, const pmn_field **fields, int32_t *n_fields,
                                   paimon_error *err) PMN_MUST_USE;
paimon_status pmn_type_from_json(pmn_arena *arena, const pmn_json *json, const pmn_type **out, paimon_error *err) PMN_MUST_USE;

/* As Jackson's default pretty printer writes them; `depth` counts the objects around. */
paimon_status pmn_fields_to_json(pmn_buf *out, const pmn_field *fields, int32_t n_fields, int depth, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_type_to_json(pmn_buf *out, const pmn_type *type, int depth, paimon_error *err) PMN_MUST_USE;

#endif
