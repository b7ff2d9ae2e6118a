/* Rows are looked up by the bytes of their key columns; a serialized row is made only of the first of each partition in a batch, and a bucket
 * is computed only where the bucket key differs from the row before. */
#include "write/route.h"

#include <string.h>

#include "arrow/schema.h"
#include "base/bitmap.h"
#include "types/row_codec.h"
#include "write/key_columns.h"

/* Some columns of a batch: as they lie, and read as one row of datums. */
typedef struct column_set {
    int32_t n;
    const int32_t *columns;
    const pmn_type *type; /* ROW of them */
    pmn_key_column *lying;
    uint8_t *same; /* of this batch: as the row before */
    pmn_value_reader *readers;
    pmn_datum *values;
} column_set;

/* Numbers found by 64 bits: open addressing, at most half full. */
typedef struct number_table {
    uint32_t *slots; /* number + 1; 0: free */
    size_t n_slots;
    uint32_t count;
} number_table;

/* A partition of the batch. */
typedef struct batch_partition {
    uint64_t hash;
    int64_t row; /* the first that is in it */
    pmn_slice key; /* serialized */
} batch_partition;

struct pmn_router {
    const pmn_write_target *target;
    pmn_mem *mem;
    struct ArrowSchema schema; /* of the table's row */
    pmn_arena arena;  /* of the router */
    pmn_arena batch;  /* of one batch: everything below */
    pmn_buf key;      /* of the row at hand */
    column_set partition, bucket;
    bool plain_key;   /* the default function of INT, BIGINT and DATE columns */
    number_table by_partition, by_place;
    batch_partition *partitions;
    int32_t n_partitions;
    size_t partitions_capacity;
    pmn_row_group *items;
    int32_t *partition_of; /* each group's */
    int32_t n;
    size_t capacity;
    int32_t *group_of; /* each row's group */
};

static paimon_status init_columns(pmn_router *r, column_set *set, const pmn_type *type, const int32_t *columns, paimon_error *err)
{
    *set = (column_set){ .n = type ? type->n_fields : 0, .columns = columns, .type = type };
    if (set->n == 0) return PAIMON_OK;
    set->readers = pmn_arena_calloc(&r->arena, (size_t)set->n, sizeof *set->readers);
    set->values = pmn_arena_calloc(&r->arena, (size_t)set->n, sizeof *set->values);
    set->lying = pmn_arena_calloc(&r->arena, (size_t)set->n, sizeof *set->lying);
    if (!set->readers || !set->values || !set->lying) return pmn_fail_nomem(err, "a router of rows");
    for (int32_t i = 0; i < set->n; i++) set->lying[i].width = pmn_key_width(r->schema.children[columns[i]]);
    for (int32_t i = 0; i < set->n; i++)
        PMN_TRY(pmn_value_reader_init(&set->readers[i], type->fields[i].type, r->schema.children[columns[i]], err));
    return PAIMON_OK;
}

static paimon_status init_router(pmn_router *r, paimon_error *err)
{
    const pmn_table_schema *schema = r->target->source->schema;
    PMN_TRY(pmn_row_to_arrow(r->mem, r->target->row, &r->schema, err));
    PMN_TRY(init_columns(r, &r->partition, schema->partition_type, schema->partition_columns, err));
    PMN_TRY(init_columns(r, &r->bucket, r->target->bucket_type, r->target->bucket_columns, err));
    r->plain_key = r->target->function == PMN_BUCKET_DEFAULT && r->bucket.n > 0;
    for (int32_t i = 0; i < r->bucket.n; i++) {
        pmn_type_kind kind = r->bucket.type->fields[i].type->kind;
        r->plain_key &= kind == PMN_INT || kind == PMN_BIGINT || kind == PMN_DATE;
    }
    return PAIMON_OK;
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
    pmn_buf_init(&r->key, mem, PMN_BUF_NO_CEILING);
    paimon_status status = init_router(r, err);
    if (status == PAIMON_OK) *out = r;
    else pmn_router_free(r);
    return status;
}

void pmn_router_free(pmn_router *r)
{
    if (!r) return;
    pmn_schema_release(&r->schema);
    pmn_buf_free(&r->key);
    pmn_arena_free(&r->batch);
    pmn_arena_free(&r->arena);
    pmn_free(r->mem, r, sizeof *r);
}

static paimon_status read_row(column_set *set, const struct ArrowArray *batch, int64_t row, paimon_error *err)
{
    for (int32_t i = 0; i < set->n; i++) PMN_TRY(pmn_value_read(&set->readers[i], batch->children[set->columns[i]], row, &set->values[i], err));
    return PAIMON_OK;
}

/* ---- numbers ---- */

static void put_slot(number_table *t, uint64_t hash, uint32_t number)
{
    size_t at = hash & (t->n_slots - 1);
    while (t->slots[at]) at = (at + 1) & (t->n_slots - 1);
    t->slots[at] = number + 1;
}

/* More slots, empty: the caller puts its numbers in again. */
static paimon_status grow_table(pmn_router *r, number_table *t, bool *grown, paimon_error *err)
{
    *grown = t->count * 2 >= t->n_slots;
    if (!*grown) return PAIMON_OK;
    size_t n = t->n_slots ? t->n_slots * 4 : 64;
    t->slots = pmn_arena_calloc(&r->batch, n, sizeof *t->slots);
    if (!t->slots) return pmn_fail_nomem(err, "groups of rows");
    t->n_slots = n;
    return PAIMON_OK;
}

/* ---- partitions ---- */

static paimon_status add_partition(pmn_router *r, const struct ArrowArray *batch, int64_t row, uint64_t hash, paimon_error *err)
{
    bool grown;
    pmn_buf_clear(&r->key);
    PMN_TRY(read_row(&r->partition, batch, row, err));
    PMN_TRY(pmn_row_write_serialized(&r->key, r->target->source->schema->partition_type, r->partition.values, err));
    void *copy = pmn_arena_copy(&r->batch, r->key.data, r->key.size);
    batch_partition *partitions = pmn_arena_grow(&r->batch, r->partitions, (size_t)r->n_partitions, &r->partitions_capacity, sizeof *partitions);
    if (!copy || !partitions) return pmn_fail_nomem(err, "groups of rows");
    r->partitions = partitions;
    PMN_TRY(grow_table(r, &r->by_partition, &grown, err));
    for (int32_t i = 0; grown && i < r->n_partitions; i++) put_slot(&r->by_partition, r->partitions[i].hash, (uint32_t)i);
    put_slot(&r->by_partition, hash, (uint32_t)r->n_partitions);
    r->by_partition.count++;
    r->partitions[r->n_partitions++] = (batch_partition){ hash, row, pmn_slice_of(copy, r->key.size) };
    return PAIMON_OK;
}

static paimon_status find_partition(pmn_router *r, const struct ArrowArray *batch, int64_t row, int32_t *number, paimon_error *err)
{
    uint64_t hash = pmn_key_columns_hash(r->partition.lying, r->partition.n, row);
    number_table *t = &r->by_partition;
    for (size_t at = hash & (t->n_slots - 1); t->n_slots && t->slots[at]; at = (at + 1) & (t->n_slots - 1)) {
        const batch_partition *p = &r->partitions[t->slots[at] - 1];
        if (p->hash != hash || !pmn_key_columns_equal(r->partition.lying, r->partition.n, p->row, row)) continue;
        *number = (int32_t)(t->slots[at] - 1);
        return PAIMON_OK;
    }
    *number = r->n_partitions;
    return add_partition(r, batch, row, hash, err);
}

/* ---- buckets ---- */

/* A row of such columns: null bits, and a slot of 8 bytes each, zero behind a value of 4 and in a null. */
static paimon_status plain_bucket(pmn_router *r, int64_t row, int32_t *bucket, paimon_error *err)
{
    const column_set *set = &r->bucket;
    size_t null_bytes = ((size_t)set->n + 63 + 8) / 64 * 8, size = null_bytes + 8 * (size_t)set->n;
    pmn_buf_clear(&r->key);
    PMN_TRY(pmn_buf_reserve(&r->key, size, err));
    memset(r->key.data, 0, size);
    for (int32_t i = 0; i < set->n; i++) {
        const pmn_key_column *c = &set->lying[i];
        const uint8_t *value = c->values + (size_t)(c->offset + row) * (size_t)c->width;
        if (c->valid && !pmn_bit_get(c->valid, c->offset + row)) r->key.data[(8 + i) / 8] |= (uint8_t)(1u << i % 8);
        else memcpy(r->key.data + null_bytes + 8 * (size_t)i, value, (size_t)c->width);
    }
    *bucket = pmn_bucket_of_row(pmn_slice_of(r->key.data, size), r->target->n_buckets);
    return PAIMON_OK;
}

static paimon_status find_bucket(pmn_router *r, const struct ArrowArray *batch, int64_t row, int32_t *bucket, paimon_error *err)
{
    if (r->plain_key) return plain_bucket(r, row, bucket, err);
    PMN_TRY(read_row(&r->bucket, batch, row, err));
    return pmn_bucket_with(&r->key, r->target->function, r->bucket.type, r->bucket.values, r->target->n_buckets, bucket, err);
}

/* ---- groups ---- */

static uint64_t hash_place(int32_t partition, int32_t bucket)
{
    uint64_t h = ((uint64_t)(uint32_t)partition << 32 | (uint32_t)bucket) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 32;
}

static paimon_status add_group(pmn_router *r, int32_t partition, int32_t bucket, paimon_error *err)
{
    bool grown;
    size_t capacity = r->capacity; /* both arrays have it */
    pmn_row_group *items = pmn_arena_grow(&r->batch, r->items, (size_t)r->n, &capacity, sizeof *items);
    int32_t *partition_of = pmn_arena_grow(&r->batch, r->partition_of, (size_t)r->n, &r->capacity, sizeof *partition_of);
    if (!items || !partition_of) return pmn_fail_nomem(err, "groups of rows");
    r->items = items;
    r->partition_of = partition_of;
    PMN_TRY(grow_table(r, &r->by_place, &grown, err));
    for (int32_t i = 0; grown && i < r->n; i++) put_slot(&r->by_place, hash_place(r->partition_of[i], r->items[i].bucket), (uint32_t)i);
    put_slot(&r->by_place, hash_place(partition, bucket), (uint32_t)r->n);
    r->by_place.count++;
    r->partition_of[r->n] = partition;
    r->items[r->n++] = (pmn_row_group){ .partition = r->partitions[partition].key, .bucket = bucket };
    return PAIMON_OK;
}

static paimon_status find_group(pmn_router *r, int32_t partition, int32_t bucket, int32_t *number, paimon_error *err)
{
    const number_table *t = &r->by_place;
    for (size_t at = hash_place(partition, bucket) & (t->n_slots - 1); t->n_slots && t->slots[at]; at = (at + 1) & (t->n_slots - 1)) {
        int32_t found = (int32_t)(t->slots[at] - 1);
        if (r->partition_of[found] != partition || r->items[found].bucket != bucket) continue;
        *number = found;
        return PAIMON_OK;
    }
    *number = r->n;
    return add_group(r, partition, bucket, err);
}

/* The runs of a set's columns; without columns all rows are one. */
static paimon_status bind_columns(pmn_router *r, column_set *set, const struct ArrowArray *batch, paimon_error *err)
{
    set->same = pmn_arena_calloc(&r->batch, (size_t)batch->length + 1, 1);
    if (!set->same) return pmn_fail_nomem(err, "groups of rows");
    for (int32_t i = 0; i < set->n; i++) pmn_key_column_bind(&set->lying[i], batch->children[set->columns[i]]);
    pmn_key_columns_runs(set->lying, set->n, batch->length, set->same);
    return PAIMON_OK;
}

static paimon_status assign_row(pmn_router *r, const struct ArrowArray *batch, int64_t row, bool buckets, int32_t *partition, int32_t *bucket, int32_t *group,
                                paimon_error *err)
{
    bool same_partition = r->partition.same[row], same_bucket = !buckets || r->bucket.same[row];
    if (row > 0 && same_partition && same_bucket) return PAIMON_OK;
    if (!same_partition) PMN_TRY(find_partition(r, batch, row, partition, err));
    if (buckets && !same_bucket) PMN_TRY(find_bucket(r, batch, row, bucket, err));
    return find_group(r, *partition, *bucket, group, err);
}

static paimon_status assign_rows(pmn_router *r, const struct ArrowArray *batch, paimon_error *err)
{
    int32_t partition = 0, bucket = 0, group = 0;
    bool buckets = r->bucket.n > 0 && r->target->n_buckets > 1;
    PMN_TRY(bind_columns(r, &r->partition, batch, err));
    if (buckets) PMN_TRY(bind_columns(r, &r->bucket, batch, err));
    for (int64_t i = 0; i < batch->length; i++) {
        paimon_status status = assign_row(r, batch, i, buckets, &partition, &bucket, &group, err);
        if (status != PAIMON_OK) {
            pmn_error_prefix(err, "row %lld", (long long)i);
            return status;
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
static paimon_status single_group(pmn_router *r, const struct ArrowArray *batch, paimon_error *err)
{
    int32_t partition, group;
    PMN_TRY(find_partition(r, batch, 0, &partition, err));
    PMN_TRY(find_group(r, partition, 0, &group, err));
    r->items[0].n = batch->length;
    return PAIMON_OK;
}

static void forget_batch(pmn_router *r)
{
    pmn_arena_free(&r->batch);
    r->items = NULL;
    r->partition_of = r->group_of = NULL;
    r->partitions = NULL;
    r->n = r->n_partitions = 0;
    r->capacity = r->partitions_capacity = 0;
    r->by_partition = r->by_place = (number_table){ NULL, 0, 0 };
}

paimon_status pmn_router_split(pmn_router *r, const struct ArrowArray *batch, const pmn_row_group **groups, int32_t *n, paimon_error *err)
{
    forget_batch(r);
    if (batch->length > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "a batch of %lld rows; at most %d are taken at once", (long long)batch->length, INT32_MAX);
    if (r->partition.n == 0 && (r->bucket.n == 0 || r->target->n_buckets <= 1)) {
        if (batch->length > 0) PMN_TRY(single_group(r, batch, err));
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
