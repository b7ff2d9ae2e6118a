/* Manifest entries: the record of a manifest with its DataFileMeta. Java: ManifestEntry, DataFileMeta, SimpleStats. */
#include "meta/manifest/manifest_entry.h"

#include <string.h>

#include "meta/snapshot/snapshot.h"

enum {
    SLOT_VERSION,
    SLOT_KIND,
    SLOT_PARTITION,
    SLOT_BUCKET,
    SLOT_TOTAL_BUCKETS,
    SLOT_FILE_NAME,
    SLOT_FILE_SIZE,
    SLOT_ROW_COUNT,
    SLOT_MIN_SEQUENCE,
    SLOT_MAX_SEQUENCE,
    SLOT_SCHEMA_ID,
    SLOT_LEVEL,
    SLOT_EXTRA_FILES,
    SLOT_CREATION_TIME,
    SLOT_DELETE_ROW_COUNT,
    SLOT_EMBEDDED_INDEX,
    SLOT_FILE_SOURCE,
    SLOT_EXTERNAL_PATH,
    SLOT_FIRST_ROW_ID,
    SLOT_WRITE_COLS,
    SLOT_WRITE_COLS_SEQUENCES,
    SLOT_VALUE_MIN,
    SLOT_VALUE_MAX,
    SLOT_VALUE_NULLS,
    SLOT_VALUE_STATS_COLS,
    SLOT_MIN_KEY,
    SLOT_MAX_KEY,
    SLOT_KEY_MIN,
    SLOT_KEY_MAX,
    SLOT_KEY_NULLS,
    N_ENTRY_SLOTS
};

static const struct {
    pmn_avro_want want;
    unsigned group; /* 0: always */
} entry_fields[N_ENTRY_SLOTS] = {
    [SLOT_VERSION] = { { "_VERSION", PMN_AVRO_WANT_LONG }, 0 },
    [SLOT_KIND] = { { "_KIND", PMN_AVRO_WANT_LONG }, 0 },
    [SLOT_PARTITION] = { { "_PARTITION", PMN_AVRO_WANT_BYTES }, 0 },
    [SLOT_BUCKET] = { { "_BUCKET", PMN_AVRO_WANT_LONG }, 0 },
    [SLOT_TOTAL_BUCKETS] = { { "_TOTAL_BUCKETS", PMN_AVRO_WANT_LONG }, 0 },
    [SLOT_FILE_NAME] = { { "_FILE/_FILE_NAME", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_NAME },
    [SLOT_FILE_SIZE] = { { "_FILE/_FILE_SIZE", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_ROW_COUNT] = { { "_FILE/_ROW_COUNT", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_MIN_SEQUENCE] = { { "_FILE/_MIN_SEQUENCE_NUMBER", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_MAX_SEQUENCE] = { { "_FILE/_MAX_SEQUENCE_NUMBER", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_SCHEMA_ID] = { { "_FILE/_SCHEMA_ID", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_LEVEL] = { { "_FILE/_LEVEL", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_EXTRA_FILES] = { { "_FILE/_EXTRA_FILES", PMN_AVRO_WANT_ITEMS }, PMN_ENTRY_NAME },
    [SLOT_CREATION_TIME] = { { "_FILE/_CREATION_TIME", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_DELETE_ROW_COUNT] = { { "_FILE/_DELETE_ROW_COUNT", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_EMBEDDED_INDEX] = { { "_FILE/_EMBEDDED_FILE_INDEX", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_NAME },
    [SLOT_FILE_SOURCE] = { { "_FILE/_FILE_SOURCE", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_EXTERNAL_PATH] = { { "_FILE/_EXTERNAL_PATH", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_NAME },
    [SLOT_FIRST_ROW_ID] = { { "_FILE/_FIRST_ROW_ID", PMN_AVRO_WANT_LONG }, PMN_ENTRY_NAME },
    [SLOT_WRITE_COLS] = { { "_FILE/_WRITE_COLS", PMN_AVRO_WANT_ITEMS }, PMN_ENTRY_NAME },
    [SLOT_WRITE_COLS_SEQUENCES] = { { "_FILE/_WRITE_COLS_SEQUENCES", PMN_AVRO_WANT_ITEMS }, PMN_ENTRY_NAME },
    [SLOT_VALUE_MIN] = { { "_FILE/_VALUE_STATS/_MIN_VALUES", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_STATS },
    [SLOT_VALUE_MAX] = { { "_FILE/_VALUE_STATS/_MAX_VALUES", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_STATS },
    [SLOT_VALUE_NULLS] = { { "_FILE/_VALUE_STATS/_NULL_COUNTS", PMN_AVRO_WANT_ITEMS }, PMN_ENTRY_STATS },
    [SLOT_VALUE_STATS_COLS] = { { "_FILE/_VALUE_STATS_COLS", PMN_AVRO_WANT_ITEMS }, PMN_ENTRY_STATS },
    [SLOT_MIN_KEY] = { { "_FILE/_MIN_KEY", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_KEYS },
    [SLOT_MAX_KEY] = { { "_FILE/_MAX_KEY", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_KEYS },
    [SLOT_KEY_MIN] = { { "_FILE/_KEY_STATS/_MIN_VALUES", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_KEYS },
    [SLOT_KEY_MAX] = { { "_FILE/_KEY_STATS/_MAX_VALUES", PMN_AVRO_WANT_BYTES }, PMN_ENTRY_KEYS },
    [SLOT_KEY_NULLS] = { { "_FILE/_KEY_STATS/_NULL_COUNTS", PMN_AVRO_WANT_ITEMS }, PMN_ENTRY_KEYS },
};

int pmn_entry_wants(unsigned wanted, pmn_avro_want *wants)
{
    for (int i = 0; i < N_ENTRY_SLOTS; i++) {
        wants[i] = entry_fields[i].want;
        if (entry_fields[i].group && !(entry_fields[i].group & wanted)) wants[i].path = NULL;
    }
    return N_ENTRY_SLOTS;
}

paimon_status pmn_entry_head(const pmn_avro_slot *slots, pmn_manifest_entry *out, paimon_error *err)
{
    int32_t kind = 0;
    PMN_TRY(pmn_slot_int(&slots[SLOT_KIND], "_KIND", &kind, err));
    if (kind != PMN_FILE_ADD && kind != PMN_FILE_DELETE) return pmn_fail(err, PAIMON_CORRUPT, "_KIND is %d, neither 0 nor 1", (int)kind);
    out->kind = (pmn_file_kind)kind;
    PMN_TRY(pmn_slot_bytes(&slots[SLOT_PARTITION], "_PARTITION", &out->partition, err));
    PMN_TRY(pmn_slot_int(&slots[SLOT_BUCKET], "_BUCKET", &out->bucket, err));
    return pmn_slot_int(&slots[SLOT_TOTAL_BUCKETS], "_TOTAL_BUCKETS", &out->total_buckets, err);
}

/* Statistics of old writers are nullable records: absent ones come out as empty slices, which is "unknown". */
static paimon_status stats_from_slots(const pmn_avro_program *program, const pmn_avro_slot *slots, int first, pmn_arena *texts,
                                      pmn_simple_stats *out, paimon_error *err)
{
    if (slots[first].present) out->min = slots[first].bytes;
    if (slots[first + 1].present) out->max = slots[first + 1].bytes;
    return pmn_slot_longs(program, slots, first + 2, -1, texts, &out->null_counts, &out->n_null_counts, err);
}

static paimon_status file_name_group(const pmn_avro_program *program, const pmn_avro_slot *slots, pmn_arena *texts, pmn_data_file *file,
                                     paimon_error *err)
{
    PMN_TRY(pmn_slot_text(&slots[SLOT_FILE_NAME], "_FILE_NAME", texts, &file->name, err));
    if (PMN_UNLIKELY(!file->name || !*file->name)) return pmn_fail(err, PAIMON_CORRUPT, "_FILE_NAME is null, empty or missing");
    PMN_TRY(pmn_slot_long(&slots[SLOT_FILE_SIZE], "_FILE_SIZE", &file->size, err));
    PMN_TRY(pmn_slot_long(&slots[SLOT_ROW_COUNT], "_ROW_COUNT", &file->row_count, err));
    if (PMN_UNLIKELY(file->size < 0 || file->row_count < 0))
        return pmn_fail(err, PAIMON_CORRUPT, "file %s has %lld bytes and %lld rows", file->name, (long long)file->size, (long long)file->row_count);
    PMN_TRY(pmn_slot_long(&slots[SLOT_MIN_SEQUENCE], "_MIN_SEQUENCE_NUMBER", &file->min_sequence, err));
    PMN_TRY(pmn_slot_long(&slots[SLOT_MAX_SEQUENCE], "_MAX_SEQUENCE_NUMBER", &file->max_sequence, err));
    PMN_TRY(pmn_slot_long(&slots[SLOT_SCHEMA_ID], "_SCHEMA_ID", &file->schema_id, err));
    PMN_TRY(pmn_slot_int(&slots[SLOT_LEVEL], "_LEVEL", &file->level, err));
    if (slots[SLOT_EXTRA_FILES].bytes.size > 1) /* one byte: the end of an empty list */
        PMN_TRY(pmn_slot_texts(program, slots, SLOT_EXTRA_FILES, texts, &file->extra_files, &file->n_extra_files, err));
    if (file->n_extra_files < 0) file->n_extra_files = 0;
    file->creation_time_ms = pmn_slot_long_or(&slots[SLOT_CREATION_TIME], PMN_NONE);
    file->delete_row_count = pmn_slot_long_or(&slots[SLOT_DELETE_ROW_COUNT], PMN_NONE);
    file->has_embedded_index = slots[SLOT_EMBEDDED_INDEX].present;
    if (file->has_embedded_index) file->embedded_index = slots[SLOT_EMBEDDED_INDEX].bytes;
    if (slots[SLOT_FILE_SOURCE].present) PMN_TRY(pmn_slot_int(&slots[SLOT_FILE_SOURCE], "_FILE_SOURCE", &file->file_source, err));
    PMN_TRY(pmn_slot_text(&slots[SLOT_EXTERNAL_PATH], "_EXTERNAL_PATH", texts, &file->external_path, err));
    file->first_row_id = pmn_slot_long_or(&slots[SLOT_FIRST_ROW_ID], PMN_NONE);
    PMN_TRY(pmn_slot_texts(program, slots, SLOT_WRITE_COLS, texts, &file->write_cols, &file->n_write_cols, err));
    return pmn_slot_longs(program, slots, SLOT_WRITE_COLS_SEQUENCES, -1, texts, &file->write_cols_sequences, &file->n_write_cols_sequences, err);
}

paimon_status pmn_entry_from_slots(const pmn_avro_program *program, const pmn_avro_slot *slots, unsigned wanted, pmn_arena *texts,
                                   pmn_manifest_entry *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    PMN_TRY(pmn_entry_head(slots, out, err));
    pmn_data_file *file = &out->file;
    file->creation_time_ms = file->delete_row_count = file->first_row_id = PMN_NONE;
    file->file_source = -1;
    file->n_value_stats_cols = file->n_write_cols = file->n_write_cols_sequences = -1;
    file->key_stats.n_null_counts = file->value_stats.n_null_counts = -1;
    if (wanted & PMN_ENTRY_NAME) PMN_TRY(file_name_group(program, slots, texts, file, err));
    if (wanted & PMN_ENTRY_STATS) {
        PMN_TRY(stats_from_slots(program, slots, SLOT_VALUE_MIN, texts, &file->value_stats, err));
        PMN_TRY(pmn_slot_texts(program, slots, SLOT_VALUE_STATS_COLS, texts, &file->value_stats_cols, &file->n_value_stats_cols, err));
    }
    if (wanted & PMN_ENTRY_KEYS) {
        if (slots[SLOT_MIN_KEY].present) file->min_key = slots[SLOT_MIN_KEY].bytes;
        if (slots[SLOT_MAX_KEY].present) file->max_key = slots[SLOT_MAX_KEY].bytes;
        PMN_TRY(stats_from_slots(program, slots, SLOT_KEY_MIN, texts, &file->key_stats, err));
    }
    return PAIMON_OK;
}

/* Copying: each helper replaces a borrowed thing by a copy in the arena; false without memory. */

static bool copy_bytes(pmn_arena *arena, pmn_slice *slice)
{
    if (!slice->data) return true;
    slice->data = pmn_arena_copy(arena, slice->data, slice->size);
    return slice->data != NULL;
}

static bool copy_entry_text(pmn_arena *arena, const char **text)
{
    if (!*text) return true;
    *text = pmn_arena_strdup(arena, *text);
    return *text != NULL;
}

static bool copy_entry_texts(pmn_arena *arena, const char ***texts, int32_t n)
{
    if (n <= 0) return true;
    const char **copy = pmn_arena_calloc(arena, (size_t)n, sizeof *copy);
    if (!copy) return false;
    for (int32_t i = 0; i < n; i++) {
        copy[i] = (*texts)[i];
        if (!copy_entry_text(arena, &copy[i])) return false;
    }
    *texts = copy;
    return true;
}

static bool copy_longs(pmn_arena *arena, const int64_t **values, int32_t n)
{
    if (n <= 0) return true;
    *values = pmn_arena_copy(arena, *values, (size_t)n * sizeof **values);
    return *values != NULL;
}

static bool copy_stats(pmn_arena *arena, pmn_simple_stats *stats)
{
    return copy_bytes(arena, &stats->min) && copy_bytes(arena, &stats->max) && copy_longs(arena, &stats->null_counts, stats->n_null_counts);
}

paimon_status pmn_data_file_copy(pmn_arena *arena, const pmn_data_file *from, pmn_data_file *to, paimon_error *err)
{
    *to = *from;
    bool copied = copy_entry_text(arena, &to->name) && copy_bytes(arena, &to->min_key) && copy_bytes(arena, &to->max_key) &&
                  copy_stats(arena, &to->key_stats) && copy_stats(arena, &to->value_stats) &&
                  copy_entry_texts(arena, &to->extra_files, to->n_extra_files) && copy_bytes(arena, &to->embedded_index) &&
                  copy_entry_texts(arena, &to->value_stats_cols, to->n_value_stats_cols) && copy_entry_text(arena, &to->external_path) &&
                  copy_entry_texts(arena, &to->write_cols, to->n_write_cols) &&
                  copy_longs(arena, &to->write_cols_sequences, to->n_write_cols_sequences);
    return copied ? PAIMON_OK : pmn_fail_nomem(err, "a data file's metadata");
}

paimon_status pmn_manifest_entry_copy(pmn_arena *arena, const pmn_manifest_entry *from, pmn_manifest_entry *to, paimon_error *err)
{
    *to = *from;
    if (!copy_bytes(arena, &to->partition)) return pmn_fail_nomem(err, "manifest entry");
    return pmn_data_file_copy(arena, &from->file, &to->file, err);
}
