/* Types to schemas: the names, the order of members and the unions are those of Paimon Java, whose reader takes a file's schema as it finds it
 * but branch 1 of a union for the value. A TIMESTAMP without zone is a timestamp-*, one with the local zone a local-timestamp-*: the reverse of
 * what Avro means. */
#include "format/avro/write_plan.h"

#include <string.h>

#include "base/json.h"
#include "format/avro/schema.h"

#define ROOT_NAME "record"
#define ROOT_NAMESPACE "org.apache.paimon.avro.generated"

typedef struct schema_writer {
    pmn_arena *arena;
    pmn_buf *out;
    paimon_error *err;
} schema_writer;

static paimon_status put_type(schema_writer *s, const pmn_type *type, const char *name, const char *record, int depth, pmn_avro_write_node *node);

static paimon_status refuse_type(const schema_writer *s, const pmn_type *type, const char *name)
{
    return pmn_fail(s->err, PAIMON_UNSUPPORTED, "column %s: %s(%d) cannot be written as Avro", name, pmn_type_kind_name(type->kind), (int)type->length);
}

static const char *join_names(schema_writer *s, const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    char *joined = pmn_arena_alloc(s->arena, n + m + 2);
    if (!joined) return NULL;
    memcpy(joined, a, n);
    joined[n] = '_';
    memcpy(joined + n + 1, b, m + 1);
    return joined;
}

/* Letters of other scripts are taken, as Java takes them. */
static bool is_avro_name(const char *name)
{
    for (const char *p = name; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' || (unsigned char)*p >= 0x80;
        if (!letter && (p == name || *p < '0' || *p > '9')) return false;
    }
    return *name != 0;
}

static paimon_status put_long_type(schema_writer *s, const pmn_type *type, const char *name, pmn_avro_write_node *node)
{
    const char *local = type->kind == PMN_TIMESTAMP ? "" : "local-";
    if (type->length > 6) return refuse_type(s, type, name);
    node->put = PMN_AVRO_PUT_I64;
    if (type->length == 0) node->factor = 1000; /* seconds in Arrow */
    return pmn_buf_printf(s->out, s->err, "{\"type\":\"long\",\"logicalType\":\"%stimestamp-%s\"}", local, type->length <= 3 ? "millis" : "micros");
}

static paimon_status put_plain_type(schema_writer *s, pmn_avro_write_node *node, pmn_avro_put put, const char *text)
{
    node->put = put;
    return pmn_buf_append_text(s->out, text, s->err);
}

static pmn_avro_write_node *new_nodes(schema_writer *s, pmn_avro_write_node *parent, int32_t n)
{
    pmn_avro_write_node *children = pmn_arena_calloc(s->arena, (size_t)n + 1, sizeof *children);
    parent->children = children;
    parent->n_children = n;
    return children;
}

static paimon_status put_member(schema_writer *s, const pmn_field *field, const char *record, int depth, pmn_avro_write_node *node)
{
    PMN_TRY(pmn_buf_append_text(s->out, "{\"name\":", s->err));
    PMN_TRY(pmn_json_quote(s->out, pmn_slice_text(field->name), s->err));
    PMN_TRY(pmn_buf_append_text(s->out, ",\"type\":", s->err));
    PMN_TRY(put_type(s, field->type, field->name, record, depth, node));
    return pmn_buf_append_text(s->out, field->type->nullable ? ",\"default\":null}" : "}", s->err);
}

/* {"type":"record","name":…,"fields":[…]}; the root says its namespace. */
static paimon_status put_record_type(schema_writer *s, const pmn_type *row, const char *record, int depth, pmn_avro_write_node *node)
{
    pmn_avro_write_node *children = new_nodes(s, node, row->n_fields);
    node->put = PMN_AVRO_PUT_ROW;
    if (!children) return pmn_fail_nomem(s->err, "an Avro writer");
    PMN_TRY(pmn_buf_append_text(s->out, "{\"type\":\"record\",\"name\":", s->err));
    PMN_TRY(pmn_json_quote(s->out, pmn_slice_text(record), s->err));
    PMN_TRY(pmn_buf_append_text(s->out, depth == 0 ? ",\"namespace\":\"" ROOT_NAMESPACE "\",\"fields\":[" : ",\"fields\":[", s->err));
    for (int32_t i = 0; i < row->n_fields; i++) {
        const pmn_field *field = &row->fields[i];
        if (!is_avro_name(field->name)) return pmn_fail(s->err, PAIMON_INVALID, "column %s: Avro takes only letters, digits and _ in names", field->name);
        const char *inner = join_names(s, record, field->name);
        if (!inner) return pmn_fail_nomem(s->err, "an Avro writer");
        if (i) PMN_TRY(pmn_buf_append_byte(s->out, ',', s->err));
        PMN_TRY(put_member(s, field, inner, depth + 1, &children[i]));
    }
    return pmn_buf_append_text(s->out, "]}", s->err);
}

static paimon_status put_items_type(schema_writer *s, const pmn_type *type, const char *record, int depth, pmn_avro_write_node *node)
{
    pmn_avro_write_node *child = new_nodes(s, node, 1);
    if (!child) return pmn_fail_nomem(s->err, "an Avro writer");
    node->put = type->kind == PMN_VECTOR ? PMN_AVRO_PUT_VECTOR : PMN_AVRO_PUT_ARRAY;
    node->length = type->length;
    PMN_TRY(pmn_buf_append_text(s->out, "{\"type\":\"array\",\"items\":", s->err));
    PMN_TRY(put_type(s, type->fields[0].type, "element", record, depth + 1, child));
    return pmn_buf_append_text(s->out, "}", s->err);
}

/* Keys that are not texts make an array of pairs. A MULTISET's values are counts, which Java declares nullable here. */
static paimon_status put_map_type(schema_writer *s, const pmn_type *type, const char *record, int depth, pmn_avro_write_node *node)
{
    static const pmn_type count_type = { .kind = PMN_INT, .nullable = true };
    pmn_field key = type->fields[0], value = { .id = -1, .name = "value", .type = type->kind == PMN_MULTISET ? &count_type : type->fields[1].type };
    pmn_avro_write_node *pair = new_nodes(s, node, 2);
    const char *key_record = join_names(s, record, "key"), *value_record = join_names(s, record, "value");
    if (!pair || !key_record || !value_record) return pmn_fail_nomem(s->err, "an Avro writer");
    node->put = PMN_AVRO_PUT_MAP;
    key.name = "key";
    value.name = "value";
    if (pmn_type_is_text(key.type)) {
        pair[0].put = PMN_AVRO_PUT_VAR32;
        pair[0].name = "key";
        PMN_TRY(pmn_buf_append_text(s->out, "{\"type\":\"map\",\"values\":", s->err));
        PMN_TRY(put_type(s, value.type, "value", record, depth + 1, &pair[1]));
        return pmn_buf_append_text(s->out, "}", s->err);
    }
    PMN_TRY(pmn_buf_append_text(s->out, "{\"type\":\"array\",\"items\":{\"type\":\"record\",\"name\":", s->err));
    PMN_TRY(pmn_json_quote(s->out, pmn_slice_text(record), s->err));
    PMN_TRY(pmn_buf_append_text(s->out, ",\"fields\":[{\"name\":\"key\",\"type\":", s->err));
    PMN_TRY(put_type(s, key.type, "key", key_record, depth + 1, &pair[0])); /* without a default */
    PMN_TRY(pmn_buf_append_text(s->out, "},", s->err));
    PMN_TRY(put_member(s, &value, value_record, depth + 1, &pair[1]));
    return pmn_buf_append_text(s->out, "]},\"logicalType\":\"map\"}", s->err);
}

static paimon_status put_value_type(schema_writer *s, const pmn_type *type, const char *name, const char *record, int depth, pmn_avro_write_node *node)
{
    switch (type->kind) {
    case PMN_BOOLEAN: return put_plain_type(s, node, PMN_AVRO_PUT_BOOL, "\"boolean\"");
    case PMN_TINYINT: return put_plain_type(s, node, PMN_AVRO_PUT_I8, "\"int\"");
    case PMN_SMALLINT: return put_plain_type(s, node, PMN_AVRO_PUT_I16, "\"int\"");
    case PMN_INT: return put_plain_type(s, node, PMN_AVRO_PUT_I32, "\"int\"");
    case PMN_BIGINT: return put_plain_type(s, node, PMN_AVRO_PUT_I64, "\"long\"");
    case PMN_FLOAT: return put_plain_type(s, node, PMN_AVRO_PUT_F32, "\"float\"");
    case PMN_DOUBLE: return put_plain_type(s, node, PMN_AVRO_PUT_F64, "\"double\"");
    case PMN_CHAR:
    case PMN_VARCHAR: return put_plain_type(s, node, PMN_AVRO_PUT_VAR32, "\"string\"");
    case PMN_BINARY:
    case PMN_VARBINARY: return put_plain_type(s, node, PMN_AVRO_PUT_VAR32, "\"bytes\"");
    case PMN_BLOB: return put_plain_type(s, node, PMN_AVRO_PUT_VAR64, "\"bytes\"");
    case PMN_DATE: return put_plain_type(s, node, PMN_AVRO_PUT_I32, "{\"type\":\"int\",\"logicalType\":\"date\"}");
    case PMN_TIME:
        if (type->length > 3) return refuse_type(s, type, name);
        return put_plain_type(s, node, PMN_AVRO_PUT_I32, "{\"type\":\"int\",\"logicalType\":\"time-millis\"}");
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: return put_long_type(s, type, name, node);
    case PMN_DECIMAL:
        node->put = PMN_AVRO_PUT_DECIMAL;
        return pmn_buf_printf(s->out, s->err, "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":%d,\"scale\":%d}", (int)type->length, (int)type->scale);
    case PMN_ROW: return put_record_type(s, type, record, depth, node);
    case PMN_ARRAY:
    case PMN_VECTOR: return put_items_type(s, type, record, depth, node);
    case PMN_MAP:
    case PMN_MULTISET: return put_map_type(s, type, record, depth, node);
    default: return pmn_fail(s->err, PAIMON_UNSUPPORTED, "column %s: %s cannot be written as Avro", name, pmn_type_kind_name(type->kind));
    }
}

static paimon_status put_type(schema_writer *s, const pmn_type *type, const char *name, const char *record, int depth, pmn_avro_write_node *node)
{
    if (depth >= PMN_TYPE_MAX_DEPTH) return pmn_fail(s->err, PAIMON_UNSUPPORTED, "column %s is nested too deep for Avro", name);
    node->name = name;
    node->factor = 1;
    node->nullable = type->nullable && depth > 0;
    if (node->nullable) PMN_TRY(pmn_buf_append_text(s->out, "[\"null\",", s->err));
    PMN_TRY(put_value_type(s, type, name, record, depth, node));
    return node->nullable ? pmn_buf_append_byte(s->out, ']', s->err) : PAIMON_OK;
}

paimon_status pmn_avro_write_plan(pmn_arena *arena, const pmn_type *row, pmn_avro_write_node *root, pmn_buf *schema, paimon_error *err)
{
    schema_writer s = { arena, schema, err };
    const pmn_avro_type *parsed;
    memset(root, 0, sizeof *root);
    PMN_TRY(put_type(&s, row, "", ROOT_NAME, 0, root));
    PMN_TRY(pmn_buf_terminate(schema, err));
    /* Names of records are made of names of columns, and two may come out the same. */
    paimon_status status = pmn_avro_schema_parse(arena, pmn_slice_of(schema->data, schema->size), &parsed, err);
    if (status != PAIMON_CORRUPT) return status;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "the names of these columns make no Avro schema: two records come out with one name");
}
