/* Manifest lists: which manifests make up a snapshot. Java: ManifestFileMeta, ManifestList. */
#include "meta/manifest/manifest.h"

#include "meta/manifest/record_file.h"
#include "meta/snapshot/snapshot.h"

enum {
    LIST_VERSION,
    LIST_FILE_NAME,
    LIST_FILE_SIZE,
    LIST_NUM_ADDED,
    LIST_NUM_DELETED,
    LIST_MIN_VALUES,
    LIST_MAX_VALUES,
    LIST_NULL_COUNTS,
    LIST_SCHEMA_ID,
    LIST_MIN_BUCKET,
    LIST_MAX_BUCKET,
    LIST_MIN_LEVEL,
    LIST_MAX_LEVEL,
    LIST_MIN_ROW_ID,
    LIST_MAX_ROW_ID,
    N_LIST_SLOTS
};

static const pmn_avro_want list_wants[N_LIST_SLOTS] = {
    [LIST_VERSION] = { "_VERSION", PMN_AVRO_WANT_LONG },
    [LIST_FILE_NAME] = { "_FILE_NAME", PMN_AVRO_WANT_BYTES },
    [LIST_FILE_SIZE] = { "_FILE_SIZE", PMN_AVRO_WANT_LONG },
    [LIST_NUM_ADDED] = { "_NUM_ADDED_FILES", PMN_AVRO_WANT_LONG },
    [LIST_NUM_DELETED] = { "_NUM_DELETED_FILES", PMN_AVRO_WANT_LONG },
    [LIST_MIN_VALUES] = { "_PARTITION_STATS/_MIN_VALUES", PMN_AVRO_WANT_BYTES },
    [LIST_MAX_VALUES] = { "_PARTITION_STATS/_MAX_VALUES", PMN_AVRO_WANT_BYTES },
    [LIST_NULL_COUNTS] = { "_PARTITION_STATS/_NULL_COUNTS", PMN_AVRO_WANT_ITEMS },
    [LIST_SCHEMA_ID] = { "_SCHEMA_ID", PMN_AVRO_WANT_LONG },
    [LIST_MIN_BUCKET] = { "_MIN_BUCKET", PMN_AVRO_WANT_LONG },
    [LIST_MAX_BUCKET] = { "_MAX_BUCKET", PMN_AVRO_WANT_LONG },
    [LIST_MIN_LEVEL] = { "_MIN_LEVEL", PMN_AVRO_WANT_LONG },
    [LIST_MAX_LEVEL] = { "_MAX_LEVEL", PMN_AVRO_WANT_LONG },
    [LIST_MIN_ROW_ID] = { "_MIN_ROW_ID", PMN_AVRO_WANT_LONG },
    [LIST_MAX_ROW_ID] = { "_MAX_ROW_ID", PMN_AVRO_WANT_LONG },
};

typedef struct list_builder {
    pmn_arena *arena;
    pmn_manifest_file *items; /* grown by doubling in the arena: the old ones are left behind, as much again at most */
    int32_t n;
    size_t capacity;
} list_builder;

static paimon_status grow_list(list_builder *b, paimon_error *err)
{
    pmn_manifest_file *grown = pmn_arena_grow(b->arena, b->items, (size_t)b->n, &b->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "manifest list");
    b->items = grown;
    return PAIMON_OK;
}

static paimon_status copy_slice(pmn_arena *arena, pmn_slice from, pmn_slice *to, paimon_error *err)
{
    const void *copy = pmn_arena_copy(arena, from.data, from.size);
    if (!copy) return pmn_fail_nomem(err, "manifest list");
    *to = pmn_slice_of(copy, from.size);
    return PAIMON_OK;
}

static paimon_status add_manifest(void *ctx, const pmn_avro_program *program, const pmn_avro_slot *slots, size_t block, size_t offset,
                                  paimon_error *err)
{
    (void)block, (void)offset;
    list_builder *b = ctx;
    PMN_TRY(grow_list(b, err));
    pmn_manifest_file *m = &b->items[b->n];
    PMN_TRY(pmn_slot_text(&slots[LIST_FILE_NAME], "_FILE_NAME", b->arena, &m->name, err));
    if (!m->name) return pmn_fail(err, PAIMON_CORRUPT, "_FILE_NAME is null or missing");
    PMN_TRY(pmn_slot_long(&slots[LIST_FILE_SIZE], "_FILE_SIZE", &m->size, err));
    PMN_TRY(pmn_slot_long(&slots[LIST_NUM_ADDED], "_NUM_ADDED_FILES", &m->n_added, err));
    PMN_TRY(pmn_slot_long(&slots[LIST_NUM_DELETED], "_NUM_DELETED_FILES", &m->n_deleted, err));
    PMN_TRY(pmn_slot_long(&slots[LIST_SCHEMA_ID], "_SCHEMA_ID", &m->schema_id, err));
    /* Statistics may be null (a nullable record in old lists): unknown, which prunes nothing. */
    m->partition_stats.n_null_counts = -1;
    if (slots[LIST_MIN_VALUES].present) PMN_TRY(copy_slice(b->arena, slots[LIST_MIN_VALUES].bytes, &m->partition_stats.min, err));
    if (slots[LIST_MAX_VALUES].present) PMN_TRY(copy_slice(b->arena, slots[LIST_MAX_VALUES].bytes, &m->partition_stats.max, err));
    PMN_TRY(pmn_slot_longs(program, slots, LIST_NULL_COUNTS, -1, b->arena, &m->partition_stats.null_counts, &m->partition_stats.n_null_counts,
                           err));
    m->min_bucket = pmn_slot_long_or(&slots[LIST_MIN_BUCKET], PMN_NONE);
    m->max_bucket = pmn_slot_long_or(&slots[LIST_MAX_BUCKET], PMN_NONE);
    m->min_level = pmn_slot_long_or(&slots[LIST_MIN_LEVEL], PMN_NONE);
    m->max_level = pmn_slot_long_or(&slots[LIST_MAX_LEVEL], PMN_NONE);
    m->min_row_id = pmn_slot_long_or(&slots[LIST_MIN_ROW_ID], PMN_NONE);
    m->max_row_id = pmn_slot_long_or(&slots[LIST_MAX_ROW_ID], PMN_NONE);
    b->n++;
    return PAIMON_OK;
}

paimon_status pmn_manifest_list_read(pmn_arena *arena, paimon_fs *fs, const char *path, int64_t size, pmn_manifest_file **out, int32_t *n,
                                     paimon_error *err)
{
    list_builder b = { .arena = arena };
    pmn_records_visitor visitor = { &b, NULL, add_manifest, 2 };
    PMN_TRY(pmn_records_read(arena->mem, fs, path, size, "manifest list", list_wants, N_LIST_SLOTS, &visitor, err));
    *out = b.items;
    *n = b.n;
    return PAIMON_OK;
}
