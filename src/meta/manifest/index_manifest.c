/* Index manifests: the complete list of a snapshot's index files. Java: IndexManifestEntry, IndexFileMeta, DeletionVectorMeta. */
#include "meta/manifest/manifest.h"
#include "meta/manifest/record_file.h"
#include "meta/snapshot/snapshot.h"

enum {
    INDEX_VERSION,
    INDEX_KIND,
    INDEX_PARTITION,
    INDEX_BUCKET,
    INDEX_TYPE,
    INDEX_FILE_NAME,
    INDEX_FILE_SIZE,
    INDEX_ROW_COUNT,
    INDEX_RANGES,
    INDEX_EXTERNAL_PATH,
    INDEX_ROW_START,
    INDEX_ROW_END,
    INDEX_FIELD_ID,
    INDEX_EXTRA_FIELD_IDS,
    INDEX_META,
    INDEX_SOURCE_META,
    N_INDEX_SLOTS
};

static const pmn_avro_want index_wants[N_INDEX_SLOTS] = {
    [INDEX_VERSION] = { "_VERSION", PMN_AVRO_WANT_LONG },
    [INDEX_KIND] = { "_KIND", PMN_AVRO_WANT_LONG },
    [INDEX_PARTITION] = { "_PARTITION", PMN_AVRO_WANT_BYTES },
    [INDEX_BUCKET] = { "_BUCKET", PMN_AVRO_WANT_LONG },
    [INDEX_TYPE] = { "_INDEX_TYPE", PMN_AVRO_WANT_BYTES },
    [INDEX_FILE_NAME] = { "_FILE_NAME", PMN_AVRO_WANT_BYTES },
    [INDEX_FILE_SIZE] = { "_FILE_SIZE", PMN_AVRO_WANT_LONG },
    [INDEX_ROW_COUNT] = { "_ROW_COUNT", PMN_AVRO_WANT_LONG },
    [INDEX_RANGES] = { "_DELETIONS_VECTORS_RANGES", PMN_AVRO_WANT_ITEMS }, /* so spelled */
    [INDEX_EXTERNAL_PATH] = { "_EXTERNAL_PATH", PMN_AVRO_WANT_BYTES },
    [INDEX_ROW_START] = { "_GLOBAL_INDEX/_ROW_RANGE_START", PMN_AVRO_WANT_LONG },
    [INDEX_ROW_END] = { "_GLOBAL_INDEX/_ROW_RANGE_END", PMN_AVRO_WANT_LONG },
    [INDEX_FIELD_ID] = { "_GLOBAL_INDEX/_INDEX_FIELD_ID", PMN_AVRO_WANT_LONG },
    [INDEX_EXTRA_FIELD_IDS] = { "_GLOBAL_INDEX/_EXTRA_FIELD_IDS", PMN_AVRO_WANT_ITEMS },
    [INDEX_META] = { "_GLOBAL_INDEX/_INDEX_META", PMN_AVRO_WANT_BYTES },
    [INDEX_SOURCE_META] = { "_GLOBAL_INDEX/_SOURCE_META", PMN_AVRO_WANT_BYTES },
};

enum { RANGE_FILE, RANGE_OFFSET, RANGE_LENGTH, RANGE_CARDINALITY, N_RANGE_SLOTS };

static const pmn_avro_want range_wants[N_RANGE_SLOTS] = {
    [RANGE_FILE] = { "f0", PMN_AVRO_WANT_BYTES },
    [RANGE_OFFSET] = { "f1", PMN_AVRO_WANT_LONG },
    [RANGE_LENGTH] = { "f2", PMN_AVRO_WANT_LONG },
    [RANGE_CARDINALITY] = { "_CARDINALITY", PMN_AVRO_WANT_LONG },
};

typedef struct index_builder {
    pmn_arena *arena;
    pmn_index_entry *items;
    int32_t n;
    size_t capacity;
    const pmn_avro_program *ranges; /* of the record in the list of deletion vectors; made at the first one */
} index_builder;

static paimon_status grow_index(index_builder *b, paimon_error *err)
{
    pmn_index_entry *grown = pmn_arena_grow(b->arena, b->items, (size_t)b->n, &b->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "index manifest");
    b->items = grown;
    return PAIMON_OK;
}

static paimon_status read_range(index_builder *b, pmn_cursor *c, pmn_deletion_range *out, paimon_error *err)
{
    pmn_avro_slot slots[N_RANGE_SLOTS] = { { 0 } };
    bool is_null;
    PMN_TRY(pmn_avro_read_head(b->ranges, c, slots, &is_null, err));
    if (is_null) return pmn_fail(err, PAIMON_CORRUPT, "_DELETIONS_VECTORS_RANGES has a null in it");
    PMN_TRY(pmn_avro_read_tail(b->ranges, c, slots, err));
    PMN_TRY(pmn_slot_text(&slots[RANGE_FILE], "f0", b->arena, &out->data_file, err));
    if (!out->data_file) return pmn_fail(err, PAIMON_CORRUPT, "f0 is null or missing");
    PMN_TRY(pmn_slot_int(&slots[RANGE_OFFSET], "f1", &out->offset, err));
    PMN_TRY(pmn_slot_int(&slots[RANGE_LENGTH], "f2", &out->length, err));
    out->cardinality = pmn_slot_long_or(&slots[RANGE_CARDINALITY], PMN_NONE);
    return PAIMON_OK;
}

static paimon_status read_ranges(index_builder *b, const pmn_avro_type *array, pmn_slice encoded, pmn_index_entry *entry, paimon_error *err)
{
    const pmn_avro_type *item = array->fields[0].type;
    if (!b->ranges) PMN_TRY(pmn_avro_program_new(b->arena, item, range_wants, N_RANGE_SLOTS, 0, &b->ranges, err));
    size_t capacity = 0;
    pmn_deletion_range *ranges = NULL;
    pmn_avro_items it = pmn_avro_items_of(array, encoded);
    for (entry->n_ranges = 0;; entry->n_ranges++) {
        bool more;
        if (!pmn_avro_items_next(&it, &more)) return pmn_fail(err, PAIMON_CORRUPT, "_DELETIONS_VECTORS_RANGES is cut or damaged");
        if (!more) break;
        ranges = pmn_arena_grow(b->arena, ranges, (size_t)entry->n_ranges, &capacity, sizeof *ranges);
        if (!ranges) return pmn_fail_nomem(err, "deletion vector ranges");
        PMN_TRY(read_range(b, &it.c, &ranges[entry->n_ranges], err));
    }
    entry->ranges = ranges;
    return PAIMON_OK;
}

static paimon_status index_slice(pmn_arena *arena, const pmn_avro_slot *slot, pmn_slice *out, paimon_error *err)
{
    *out = pmn_slice_of(NULL, 0);
    if (!slot->present) return PAIMON_OK;
    const void *copy = pmn_arena_copy(arena, slot->bytes.data, slot->bytes.size);
    if (!copy) return pmn_fail_nomem(err, "index manifest");
    *out = pmn_slice_of(copy, slot->bytes.size);
    return PAIMON_OK;
}

static paimon_status read_global(index_builder *b, const pmn_avro_program *program, const pmn_avro_slot *slots, pmn_index_entry *entry,
                                 paimon_error *err)
{
    const int64_t *ids;
    entry->n_extra_field_ids = -1;
    entry->has_global = slots[INDEX_ROW_START].present;
    if (!entry->has_global) return PAIMON_OK;
    entry->row_range_start = slots[INDEX_ROW_START].i;
    PMN_TRY(pmn_slot_long(&slots[INDEX_ROW_END], "_ROW_RANGE_END", &entry->row_range_end, err));
    PMN_TRY(pmn_slot_int(&slots[INDEX_FIELD_ID], "_INDEX_FIELD_ID", &entry->index_field_id, err));
    PMN_TRY(pmn_slot_longs(program, slots, INDEX_EXTRA_FIELD_IDS, 0, b->arena, &ids, &entry->n_extra_field_ids, err));
    if (entry->n_extra_field_ids > 0) {
        int32_t *narrow = pmn_arena_calloc(b->arena, (size_t)entry->n_extra_field_ids, sizeof *narrow);
        if (!narrow) return pmn_fail_nomem(err, "index manifest");
        for (int32_t i = 0; i < entry->n_extra_field_ids; i++) narrow[i] = (int32_t)ids[i];
        entry->extra_field_ids = narrow;
    }
    PMN_TRY(index_slice(b->arena, &slots[INDEX_META], &entry->index_meta, err));
    return index_slice(b->arena, &slots[INDEX_SOURCE_META], &entry->source_meta, err);
}

static paimon_status add_index(void *ctx, const pmn_avro_program *program, const pmn_avro_slot *slots, size_t block, size_t offset,
                               paimon_error *err)
{
    (void)block, (void)offset;
    index_builder *b = ctx;
    PMN_TRY(grow_index(b, err));
    pmn_index_entry *entry = &b->items[b->n];
    int32_t kind;
    PMN_TRY(pmn_slot_int(&slots[INDEX_KIND], "_KIND", &kind, err));
    if (kind != PMN_FILE_ADD && kind != PMN_FILE_DELETE) return pmn_fail(err, PAIMON_CORRUPT, "_KIND is %d, neither 0 nor 1", (int)kind);
    entry->kind = (pmn_file_kind)kind;
    if (!slots[INDEX_PARTITION].present) return pmn_fail(err, PAIMON_CORRUPT, "_PARTITION is null or missing");
    PMN_TRY(index_slice(b->arena, &slots[INDEX_PARTITION], &entry->partition, err));
    PMN_TRY(pmn_slot_int(&slots[INDEX_BUCKET], "_BUCKET", &entry->bucket, err));
    PMN_TRY(pmn_slot_text(&slots[INDEX_TYPE], "_INDEX_TYPE", b->arena, &entry->index_type, err));
    PMN_TRY(pmn_slot_text(&slots[INDEX_FILE_NAME], "_FILE_NAME", b->arena, &entry->file_name, err));
    if (!entry->index_type || !entry->file_name) return pmn_fail(err, PAIMON_CORRUPT, "_INDEX_TYPE or _FILE_NAME is null or missing");
    PMN_TRY(pmn_slot_long(&slots[INDEX_FILE_SIZE], "_FILE_SIZE", &entry->file_size, err));
    PMN_TRY(pmn_slot_long(&slots[INDEX_ROW_COUNT], "_ROW_COUNT", &entry->row_count, err));
    PMN_TRY(pmn_slot_text(&slots[INDEX_EXTERNAL_PATH], "_EXTERNAL_PATH", b->arena, &entry->external_path, err));
    entry->n_ranges = -1;
    if (slots[INDEX_RANGES].present)
        PMN_TRY(read_ranges(b, pmn_avro_program_type(program, INDEX_RANGES), slots[INDEX_RANGES].bytes, entry, err));
    PMN_TRY(read_global(b, program, slots, entry, err));
    b->n++;
    return PAIMON_OK;
}

paimon_status pmn_index_manifest_read(pmn_arena *arena, paimon_fs *fs, const char *path, pmn_index_entry **out, int32_t *n, paimon_error *err)
{
    index_builder b = { .arena = arena };
    pmn_records_visitor visitor = { &b, NULL, add_index, 1 };
    PMN_TRY(pmn_records_read(arena->mem, fs, path, -1, "index manifest", index_wants, N_INDEX_SLOTS, &visitor, err));
    *out = b.items;
    *n = b.n;
    return PAIMON_OK;
}
