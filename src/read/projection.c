#include "read/projection.h"

#include <string.h>

#define PROJECTION_MAX_DEPTH 100

/* A field of a row that was asked for: wholly, or some of its own fields. */
typedef struct field_choice {
    int32_t field;
    bool whole;
    struct field_choice *fields;
    int32_t n;
    size_t capacity;
} field_choice;

/* The field that `text` begins with: its whole name, then the end or a dot. The longest fits best, since names may hold dots. */
static int32_t match_field(const pmn_type *row, const char *text, size_t *length)
{
    int32_t best = -1;
    for (int32_t i = 0; i < row->n_fields; i++) {
        size_t n = strlen(row->fields[i].name);
        if (strncmp(text, row->fields[i].name, n) != 0 || (text[n] != 0 && text[n] != '.')) continue;
        if (best >= 0 && n <= *length) continue;
        best = i;
        *length = n;
    }
    return best;
}

static paimon_status child_of(pmn_arena *arena, field_choice *parent, int32_t field, field_choice **out, bool *is_new, paimon_error *err)
{
    *is_new = false;
    for (int32_t i = 0; i < parent->n; i++)
        if (parent->fields[i].field == field) {
            *out = &parent->fields[i];
            return PAIMON_OK;
        }
    field_choice *grown = pmn_arena_grow(arena, parent->fields, (size_t)parent->n, &parent->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "the columns of a read");
    parent->fields = grown;
    *is_new = true;
    *out = &parent->fields[parent->n++];
    (*out)->field = field;
    return PAIMON_OK;
}

static paimon_status add_name(pmn_arena *arena, const pmn_type *table, const char *name, field_choice *root, paimon_error *err)
{
    const pmn_type *row = table;
    const char *text = name;
    field_choice *at = root;
    for (int depth = 0; depth < PROJECTION_MAX_DEPTH; depth++) {
        size_t length = 0;
        int32_t field = match_field(row, text, &length);
        if (field < 0) return pmn_fail(err, PAIMON_NOT_FOUND, "there is no column '%s'", name);
        bool is_new = false;
        PMN_TRY(child_of(arena, at, field, &at, &is_new, err));
        bool last = text[length] == 0;
        if (at->whole || (last && !is_new)) return pmn_fail(err, PAIMON_INVALID, "column '%s' is asked for twice", name);
        if (last) {
            at->whole = true;
            return PAIMON_OK;
        }
        row = row->fields[field].type;
        if (row->kind != PMN_ROW) return pmn_fail(err, PAIMON_NOT_FOUND, "there is no column '%s': '%.*s' is not a row", name,
                                                  (int)((text - name) + (ptrdiff_t)length), name);
        text += length + 1;
    }
    return pmn_fail(err, PAIMON_INVALID, "column '%s' is nested too deeply", name);
}

static paimon_status prune_row(pmn_arena *arena, const pmn_type *row, const field_choice *asked, int depth, const pmn_type **out, paimon_error *err)
{
    if (depth > PROJECTION_MAX_DEPTH) return pmn_fail(err, PAIMON_INVALID, "columns are nested too deeply");
    pmn_type *type = pmn_arena_calloc(arena, 1, sizeof *type);
    pmn_field *fields = pmn_arena_calloc(arena, (size_t)asked->n + 1, sizeof *fields);
    if (!type || !fields) return pmn_fail_nomem(err, "the columns of a read");
    *type = *row;
    type->n_fields = asked->n;
    type->fields = fields;
    for (int32_t i = 0; i < asked->n; i++) {
        const field_choice *c = &asked->fields[i];
        fields[i] = row->fields[c->field];
        if (!c->whole) PMN_TRY(prune_row(arena, fields[i].type, c, depth + 1, &fields[i].type, err));
    }
    *out = type;
    return PAIMON_OK;
}

/* The name of a kind inside `type` that cannot be read yet, or NULL. */
static const char *unreadable(const pmn_type *type, int depth)
{
    if (depth > PROJECTION_MAX_DEPTH) return "deeply nested";
    switch (type->kind) {
    case PMN_VECTOR: return "VECTOR";
    case PMN_VARIANT: return "VARIANT";
    case PMN_BLOB: return "BLOB";
    case PMN_GEOMETRY: return "GEOMETRY";
    case PMN_GEOGRAPHY: return "GEOGRAPHY";
    default: break;
    }
    for (int32_t i = 0; i < type->n_fields; i++) {
        const char *found = unreadable(type->fields[i].type, depth + 1);
        if (found) return found;
    }
    return NULL;
}

paimon_status pmn_projection_make(pmn_arena *arena, const pmn_type *table, const char *const *names, size_t n, pmn_projection *out,
                                  paimon_error *err)
{
    field_choice root = { 0 };
    size_t n_out = names ? n : (size_t)table->n_fields;
    out->row = table;
    out->columns = pmn_arena_calloc(arena, n_out + 1, sizeof *out->columns);
    if (!out->columns) return pmn_fail_nomem(err, "the columns of a read");
    if (names) {
        for (size_t i = 0; i < n; i++) {
            if (!names[i]) return pmn_fail(err, PAIMON_INVALID, "column %zu has no name", i);
            PMN_TRY(add_name(arena, table, names[i], &root, err));
        }
        PMN_TRY(prune_row(arena, table, &root, 0, &out->row, err));
    }
    for (int32_t i = 0; i < out->row->n_fields; i++) {
        out->columns[i] = names ? root.fields[i].field : i;
        const char *bad = unreadable(out->row->fields[i].type, 0);
        if (bad) return pmn_fail(err, PAIMON_UNSUPPORTED, "column '%s': reading %s columns is not supported yet", out->row->fields[i].name, bad);
    }
    return PAIMON_OK;
}

static bool reads_as(const pmn_type *file, const pmn_type *table, int depth)
{
    if (depth > PROJECTION_MAX_DEPTH || file->kind != table->kind || file->n_fields != table->n_fields) return false;
    /* Texts and bytes without a bound take the shorter ones as they are. */
    bool unbounded = (table->kind == PMN_VARCHAR || table->kind == PMN_VARBINARY) && table->length == INT32_MAX;
    if (!unbounded && (file->length != table->length || file->scale != table->scale)) return false;
    for (int32_t i = 0; i < file->n_fields; i++) {
        const pmn_field *f = &file->fields[i], *t = &table->fields[i];
        if (file->kind == PMN_ROW && (f->id != t->id || strcmp(f->name, t->name) != 0)) return false;
        if (!reads_as(f->type, t->type, depth + 1)) return false;
    }
    return true;
}

bool pmn_type_reads_as(const pmn_type *file, const pmn_type *table) { return reads_as(file, table, 0); }
