#include "write/route.h"

#include <string.h>

#include "arrow/schema.h"
#include "base/map.h"
#include "types/row_codec.h"

/* Some columns of a batch, read as one row of datums. */
typedef struct column_set {
    int32_t n;
    const int32_t *columns;
    const pmn_type *type; /* ROW of them */
    pmn_value_reader *readers;
    pmn_datum *values;
} column_set;

struct pmn_router {
    const pmn_write_target *target;
    pmn_mem *mem;
    struct ArrowSchema schema; /* of the table's row */
    pmn_arena arena;  /* of the router */
    pmn_arena batch;  /* of one batch: groups */
    pmn_map groups;   /* (bucket, partition) → group number + 1 */
    pmn_buf key;      /* of the row at hand: 4 bytes of bucket, serialized partition */
    pmn_buf last;     /* of the row before: rows of a group come in runs */
    column_set partition, bucket;
    pmn_row_group *items;
    int32_t n, capacity;
    int32_t *group_of; /* each row's group */
};

static paimon_status init_columns(pmn_router *r, column_set *set, const pmn_type *type, const int32_t *columns, paimon_error *err)
{
    *set = (column_set){ .n = type ? type->n_fields : 0, .columns = columns, .type = type };
    if (set->n == 0) return PAIMON_OK;
    set->readers = pmn_arena_calloc(&r->arena, (size_t)set->n, sizeof *set->readers);
    set->values = pmn_arena_calloc(&r->arena, (size_t)set->n, sizeof *set->values);
    if (!set->readers || !set->values) return pmn_fail_nomem(err, "a router of rows");
    for (int32_t i = 0; i < set->n; i++)
        PMN_TRY(pmn_value_reader_init(&set->readers[i], type->fields[i].type, r->schema.children[columns[i]], err));
    return PAIMON_OK;
}

static paimon_status init_router(pmn_router *r, paimon_error *err)
{
    const pmn_table_schema *schema = r->target->source->schema;
    PMN_TRY(pmn_row_to_arrow(r->mem, r->target->row, &r->schema, err));
    PMN_TRY(init_columns(r, &r->partition, schema->partition_type, schema->partition_columns, err));
    return init_columns(r, &r->bucket, r->target->bucket_type, r->target->bucket_columns, err);
}

paimon_status pmn_router_new(const pmn_write_target *target, pmn_router **out, paimon_error *err)
{
    pmn_mem *mem = target->source->mem;
    pmn_router *r = pmn_calloc(mem, 1, sizeof *r);
    if (!r) return pmn_fail_nomem(err, "a router of rows");
    r->target = target;
    r->mem = mem;
    pmn_arena_init(&r->arena, mem);
    pmn_arena_init(&r->batch, mem);
    pmn_map_init(&r->groups, mem);
    pmn_buf_init(&r->key, mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&r->last, mem, PMN_BUF_NO_CEILING);
    paimon_status status = init_router(r, err);
    if (status == PAIMON_OK) *out = r;
    else pmn_router_free(r);
    return status;
}

void pmn_router_free(pmn_router *r)
{
    if (!r) return;
    pmn_schema_release(&r->schema);
    pmn_map_free(&r->groups);
    pmn_buf_free(&r->key);
    pmn_buf_free(&r->last);
    pmn_arena_free(&r->batch);
    pmn_arena_free(&r->arena);
    pmn_free(r->mem, r, sizeof *r);
}

static paimon_status read_row(column_set *set, const struct ArrowArray *batch, int64_t row, paimon_error *err)
{
    for (int32_t i = 0; i < set->n; i++) PMN_TRY(pmn_value_read(&set->readers[i], batch->children[set->columns[i]], row, &set->values[i], err));
    return PAIMON_OK;
}

static paimon_status row_key(pmn_router *r, const struct ArrowArray *batch, int64_t row, paimon_error *err)
{
    int32_t bucket = 0;
    PMN_TRY(read_row(&r->partition, batch, row, err));
    if (r->bucket.n > 0 && r->target->n_buckets > 1) {
        PMN_TRY(read_row(&r->bucket, batch, row, err));
        PMN_TRY(pmn_bucket_of(r->mem, r->target->function, r->bucket.type, r->bucket.values, r->target->n_buckets, &bucket, err));
    }
    uint8_t bytes[4];
    pmn_store_le32(bytes, (uint32_t)bucket);
    pmn_buf_clear(&r->key);
    PMN_TRY(pmn_buf_append(&r->key, bytes, sizeof bytes, err));
    return pmn_row_write_serialized(&r->key, r->target->source->schema->partition_type, r->partition.values, err);
}

static paimon_status new_group(pmn_router *r, pmn_slice key, int32_t *number, paimon_error *err)
{
    if (r->n == r->capacity) {
        int32_t capacity = r->capacity ? r->capacity * 2 : 16;
        pmn_row_group *grown = pmn_arena_calloc(&r->batch, (size_t)capacity, sizeof *grown);
        if (!grown) return pmn_fail_nomem(err, "groups of rows");
        if (r->n) memcpy(grown, r->items, (size_t)r->n * sizeof *grown);
        r->items = grown;
        r->capacity = capacity;
    }
    r->items[r->n] = (pmn_row_group){ .partition = pmn_slice_of(key.data + 4, key.size - 4), .bucket = (int32_t)pmn_load_le32(key.data) };
    *number = r->n++;
    return PAIMON_OK;
}

/* The group of the key at hand. */
static paimon_status find_group(pmn_router *r, int32_t *number, paimon_error *err)
{
    pmn_slice key = pmn_slice_of(r->key.data, r->key.size);
    uint64_t *found = pmn_map_find(&r->groups, key);
    if (found) {
        *number = (int32_t)*found;
        return PAIMON_OK;
    }
    void *copy = pmn_arena_copy(&r->batch, key.data, key.size);
    if (!copy) return pmn_fail_nomem(err, "groups of rows");
    key.data = copy;
    PMN_TRY(new_group(r, key, number, err));
    PMN_TRY(pmn_map_put(&r->groups, key, &found, NULL, err));
    *found = (uint64_t)*number;
    return PAIMON_OK;
}

static paimon_status assign_rows(pmn_router *r, const struct ArrowArray *batch, paimon_error *err)
{
    int32_t group = -1;
    for (int64_t i = 0; i < batch->length; i++) {
        paimon_status status = row_key(r, batch, i, err);
        if (status != PAIMON_OK) {
            pmn_error_prefix(err, "row %lld", (long long)i);
            return status;
        }
        if (group < 0 || !pmn_slice_equal(pmn_slice_of(r->key.data, r->key.size), pmn_slice_of(r->last.data, r->last.size))) {
            PMN_TRY(find_group(r, &group, err));
            pmn_buf_clear(&r->last);
            PMN_TRY(pmn_buf_append(&r->last, r->key.data, r->key.size, err));
        }
        r->group_of[i] = group;
        r->items[group].n++;
    }
    return PAIMON_OK;
}

static paimon_status list_rows(pmn_router *r, int64_t length, paimon_error *err)
{
    int32_t *rows = pmn_arena_calloc(&r->batch, (size_t)length + 1, sizeof *rows);
    if (!rows) return pmn_fail_nomem(err, "groups of rows");
    for (int32_t g = 0; g < r->n; g++) {
        r->items[g].rows = rows;
        rows += r->items[g].n;
        r->items[g].n = 0;
    }
    for (int64_t i = 0; i < length; i++) {
        pmn_row_group *group = &r->items[r->group_of[i]];
        group->rows[group->n++] = (int32_t)i;
    }
    return PAIMON_OK;
}

/* Neither partitions nor several buckets: all rows are one group, and nobody asks for their numbers. */
static paimon_status single_group(pmn_router *r, int64_t length, paimon_error *err)
{
    int32_t number;
    pmn_buf_clear(&r->key);
    PMN_TRY(pmn_buf_append(&r->key, (const uint8_t[4]){ 0 }, 4, err));
    PMN_TRY(pmn_row_write_serialized(&r->key, r->target->source->schema->partition_type, NULL, err));
    PMN_TRY(find_group(r, &number, err));
    r->items[0].n = length;
    return PAIMON_OK;
}

paimon_status pmn_router_split(pmn_router *r, const struct ArrowArray *batch, const pmn_row_group **groups, int32_t *n, paimon_error *err)
{
    pmn_map_free(&r->groups);
    pmn_map_init(&r->groups, r->mem);
    pmn_arena_free(&r->batch);
    r->items = NULL;
    r->n = r->capacity = 0;
    if (batch->length > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "a batch of %lld rows; at most %d are taken at once", (long long)batch->length, INT32_MAX);
    if (r->partition.n == 0 && (r->bucket.n == 0 || r->target->n_buckets <= 1)) {
        if (batch->length > 0) PMN_TRY(single_group(r, batch->length, err));
    } else {
        r->group_of = pmn_arena_calloc(&r->batch, (size_t)batch->length + 1, sizeof *r->group_of);
        if (!r->group_of) return pmn_fail_nomem(err, "groups of rows");
        PMN_TRY(assign_rows(r, batch, err));
        PMN_TRY(list_rows(r, batch->length, err));
    }
    *groups = r->items;
    *n = r->n;
    return PAIMON_OK;
}
