#include "commit/key_levels.h"

#include <stdlib.h>
#include <string.h>

#include "types/row_codec.h"

static bool is_partition_key(const pmn_table_schema *schema, const char *name)
{
    for (int32_t i = 0; i < schema->n_partition_keys; i++)
        if (strcmp(schema->partition_keys[i], name) == 0) return true;
    return false;
}

paimon_status pmn_key_type(const pmn_table_schema *schema, pmn_arena *arena, const pmn_type **out, paimon_error *err)
{
    int32_t n = 0;
    pmn_field *fields = pmn_arena_calloc(arena, (size_t)schema->n_primary_keys + 1, sizeof *fields);
    if (!fields) return pmn_fail_nomem(err, "a key's type");
    for (int32_t i = 0; i < schema->n_primary_keys; i++) {
        int column = is_partition_key(schema, schema->primary_keys[i]) ? -1 : pmn_row_find(schema->row, schema->primary_keys[i]);
        if (column < 0) continue;
        if (!pmn_type_is_atomic(schema->row->fields[column].type))
            return pmn_fail(err, PAIMON_UNSUPPORTED, "primary key '%s' is of a nested type", schema->primary_keys[i]);
        fields[n++] = schema->row->fields[column];
    }
    *out = pmn_type_row(arena, false, fields, n);
    return *out ? PAIMON_OK : pmn_fail_nomem(err, "a key's type");
}

typedef struct key_range {
    const pmn_living *file;
    const pmn_type *type;
    const pmn_datum *min, *max;
} key_range;

static int compare_bytes(pmn_slice a, pmn_slice b)
{
    size_t n = a.size < b.size ? a.size : b.size;
    int order = n ? memcmp(a.data, b.data, n) : 0;
    return order ? order : a.size < b.size ? -1 : a.size > b.size;
}

/* As Java's comparator of keys: CHARs with all their blanks, unlike in predicates. */
static int compare_keys(const pmn_type *type, const pmn_datum *a, const pmn_datum *b)
{
    for (int32_t i = 0; i < type->n_fields; i++) {
        if (a[i].is_null || b[i].is_null) { /* not in a key; nulls first */
            if (a[i].is_null != b[i].is_null) return a[i].is_null ? -1 : 1;
            continue;
        }
        const pmn_type *t = type->fields[i].type;
        int order = pmn_datum_has_bytes(t) ? compare_bytes(a[i].v.bytes, b[i].v.bytes) : pmn_datum_compare(t, &a[i], &b[i]);
        if (order) return order;
    }
    return 0;
}

static int compare_places(const pmn_living *a, const pmn_living *b)
{
    int order = compare_bytes(a->partition, b->partition);
    if (order) return order;
    if (a->bucket != b->bucket) return a->bucket < b->bucket ? -1 : 1;
    return a->level < b->level ? -1 : a->level > b->level;
}

static int compare_ranges(const void *x, const void *y)
{
    const key_range *a = x, *b = y;
    int order = compare_places(a->file, b->file);
    return order ? order : compare_keys(a->type, a->min, b->min);
}

static paimon_status read_key(const pmn_source *source, const pmn_living *file, pmn_slice key, const pmn_type *type, pmn_arena *arena,
                              const pmn_datum **out, paimon_error *err)
{
    pmn_row_view view;
    pmn_datum *values = pmn_arena_calloc(arena, (size_t)type->n_fields + 1, sizeof *values);
    if (!values) return pmn_fail_nomem(err, "keys");
    *out = values;
    paimon_status status = pmn_row_parse(key, &view, err);
    if (status == PAIMON_OK) status = pmn_row_get_all(&view, type, values, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s: the keys of file %s", source->path, file->name);
    return status;
}

/* Those above `level`, sorted. */
static paimon_status sorted_ranges(const pmn_source *source, const pmn_living *files, size_t n, int32_t level, pmn_arena *arena, key_range **out,
                                   size_t *n_out, paimon_error *err)
{
    const pmn_type *type;
    key_range *ranges = pmn_arena_calloc(arena, n + 1, sizeof *ranges);
    if (!ranges) return pmn_fail_nomem(err, "keys");
    *out = ranges;
    *n_out = 0;
    PMN_TRY(pmn_key_type(source->schema, arena, &type, err));
    for (size_t i = 0; i < n; i++) {
        if (files[i].level <= level) continue;
        key_range *range = &ranges[(*n_out)++];
        *range = (key_range){ .file = &files[i], .type = type };
        PMN_TRY(read_key(source, &files[i], files[i].min_key, type, arena, &range->min, err));
        PMN_TRY(read_key(source, &files[i], files[i].max_key, type, arena, &range->max, err));
    }
    if (*n_out > 1) qsort(ranges, *n_out, sizeof *ranges, compare_ranges);
    return PAIMON_OK;
}

/* The first that overlaps the one behind it; NULL: none. */
static const key_range *first_overlap(const key_range *ranges, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        if (compare_places(ranges[i].file, ranges[i + 1].file) == 0 && compare_keys(ranges[i].type, ranges[i].max, ranges[i + 1].min) >= 0)
            return &ranges[i];
    return NULL;
}

paimon_status pmn_key_levels_check(const pmn_source *source, const pmn_living *files, size_t n, pmn_arena *arena, paimon_error *err)
{
    key_range *ranges;
    size_t n_ranges;
    PMN_TRY(sorted_ranges(source, files, n, 0, arena, &ranges, &n_ranges, err));
    const key_range *overlap = first_overlap(ranges, n_ranges);
    if (!overlap) return PAIMON_OK;
    return pmn_fail(err, PAIMON_CONFLICT, "%s: files %s and %s on level %d of bucket %d have overlapping keys: they were compacted by two at once", source->path,
                    overlap[0].file->name, overlap[1].file->name, (int)overlap->file->level, (int)overlap->file->bucket);
}

paimon_status pmn_key_ranges_apart(const pmn_source *source, const pmn_living *files, size_t n, pmn_arena *arena, bool *apart, paimon_error *err)
{
    key_range *ranges;
    size_t n_ranges;
    PMN_TRY(sorted_ranges(source, files, n, -1, arena, &ranges, &n_ranges, err));
    *apart = first_overlap(ranges, n_ranges) == NULL;
    return PAIMON_OK;
}
