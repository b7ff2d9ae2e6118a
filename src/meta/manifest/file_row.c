/* DataFileMeta to and from its row. Written in one go into room that was measured before, since splits carry 100 000 of them. */
#include "meta/manifest/file_row.h"

#include <string.h>

#include "meta/manifest/file_row_layout.h"
#include "meta/snapshot/snapshot.h"

const char *const pmn_file_row_names[PMN_FILE_ROW_NEWEST] = {
    "_FILE_NAME",    "_FILE_SIZE",           "_ROW_COUNT",           "_MIN_KEY",        "_MAX_KEY",          "_KEY_STATS",
    "_VALUE_STATS",  "_MIN_SEQUENCE_NUMBER", "_MAX_SEQUENCE_NUMBER", "_SCHEMA_ID",      "_LEVEL",            "_EXTRA_FILES",
    "_CREATION_TIME", "_DELETE_ROW_COUNT",   "_EMBEDDED_FILE_INDEX", "_FILE_SOURCE",    "_VALUE_STATS_COLS", "_EXTERNAL_PATH",
    "_FIRST_ROW_ID", "_WRITE_COLS",          "_WRITE_COLS_SEQUENCES",
};

static const uint8_t empty_row[12];

pmn_slice pmn_file_row_or_empty(pmn_slice row) { return row.size ? row : pmn_slice_of(empty_row, sizeof empty_row); }

/* --- Sizes --- */

static size_t item_size(size_t n) { return n <= FILE_ROW_IN_SLOT ? 0 : pmn_file_row_padded(n); }

static size_t texts_size(const char *const *texts, int32_t n)
{
    if (n < 0) return 0;
    size_t size = pmn_file_row_array(n);
    for (int32_t i = 0; i < n; i++) size += item_size(strlen(texts[i]));
    return size;
}

static size_t longs_size(int32_t n) { return n < 0 ? 0 : pmn_file_row_array(n); }

static size_t stats_size(const pmn_simple_stats *stats)
{
    return FILE_ROW_HEADER + 8 * FILE_ROW_STATS_ARITY + item_size(pmn_file_row_or_empty(stats->min).size) + item_size(pmn_file_row_or_empty(stats->max).size) +
           longs_size(stats->n_null_counts);
}

/* Bytes of the row; one with sizes that no row has comes out above INT32_MAX. */
static size_t file_size_of(const pmn_data_file *file, int32_t arity, size_t name_size)
{
    size_t size = FILE_ROW_HEADER + 8 * (size_t)arity + item_size(name_size) + item_size(pmn_file_row_or_empty(file->min_key).size) +
                  item_size(pmn_file_row_or_empty(file->max_key).size) + stats_size(&file->key_stats) + stats_size(&file->value_stats) +
                  texts_size(file->extra_files, file->n_extra_files > 0 ? file->n_extra_files : 0);
    if (arity > FIELD_EMBEDDED_INDEX && file->has_embedded_index) size += item_size(file->embedded_index.size);
    if (arity > FIELD_VALUE_STATS_COLS) size += texts_size(file->value_stats_cols, file->n_value_stats_cols);
    if (arity > FIELD_EXTERNAL_PATH && file->external_path) size += item_size(strlen(file->external_path));
    if (arity > FIELD_WRITE_COLS) size += texts_size(file->write_cols, file->n_write_cols);
    if (arity > FIELD_WRITE_COLS_SEQUENCES) size += longs_size(file->n_write_cols_sequences);
    return size;
}

/* --- Writing: `at` is where the next item goes, counted from the container's start; the room is zeroed. --- */

typedef struct container {
    uint8_t *start;
    uint8_t *slots;
    size_t at;
} container;

static container begin_row(uint8_t *start, int32_t arity)
{
    return (container){ start, start + FILE_ROW_HEADER, FILE_ROW_HEADER + 8 * (size_t)arity };
}

static void set_null_field(container *c, int i) { c->start[(8 + i) / 8] |= (uint8_t)(1u << (8 + i) % 8); }
static void put_long_field(container *c, int i, int64_t value) { pmn_store_le64(c->slots + 8 * i, (uint64_t)value); }

static void put_optional_long(container *c, int i, int64_t value)
{
    if (value == PMN_NONE) set_null_field(c, i);
    else put_long_field(c, i, value);
}

static void point_at(container *c, int i, size_t size)
{
    pmn_store_le32(c->slots + 8 * i, (uint32_t)size);
    pmn_store_le32(c->slots + 8 * i + 4, (uint32_t)c->at);
    c->at += pmn_file_row_padded(size);
}

static void put_item(container *c, int i, const void *bytes, size_t n)
{
    uint8_t *slot = c->slots + 8 * i;
    if (n <= 7) {
        if (n) memcpy(slot, bytes, n);
        slot[7] = (uint8_t)(0x80 | n);
        return;
    }
    memcpy(c->start + c->at, bytes, n);
    point_at(c, i, n);
}

static container begin_array(container *in, int32_t n)
{
    uint8_t *start = in->start + in->at;
    pmn_store_le32(start, (uint32_t)n);
    return (container){ start, start + pmn_file_row_array(n) - 8 * (size_t)n, pmn_file_row_array(n) };
}

static void put_texts_field(container *c, int i, const char *const *texts, int32_t n)
{
    if (n < 0) {
        set_null_field(c, i);
        return;
    }
    container array = begin_array(c, n);
    for (int32_t k = 0; k < n; k++) put_item(&array, k, texts[k], strlen(texts[k]));
    point_at(c, i, array.at);
}

/* `null_value`: the one that stands for null; PMN_NONE: there is none. */
static void put_longs_field(container *c, int i, const int64_t *values, int32_t n, int64_t null_value)
{
    if (n < 0) {
        set_null_field(c, i);
        return;
    }
    container array = begin_array(c, n);
    for (int32_t k = 0; k < n; k++) {
        if (values[k] == null_value) array.start[4 + k / 8] |= (uint8_t)(1u << k % 8);
        else put_long_field(&array, k, values[k]);
    }
    point_at(c, i, array.at);
}

static void put_stats_field(container *c, int i, const pmn_simple_stats *stats)
{
    container row = begin_row(c->start + c->at, FILE_ROW_STATS_ARITY);
    pmn_slice min = pmn_file_row_or_empty(stats->min), max = pmn_file_row_or_empty(stats->max);
    put_item(&row, 0, min.data, min.size);
    put_item(&row, 1, max.data, max.size);
    put_longs_field(&row, 2, stats->null_counts, stats->n_null_counts, -1);
    point_at(c, i, row.at);
}

static void put_tail(container *c, const pmn_data_file *file, int32_t arity)
{
    if (arity > FIELD_DELETE_ROW_COUNT) put_optional_long(c, FIELD_DELETE_ROW_COUNT, file->delete_row_count);
    if (arity > FIELD_EMBEDDED_INDEX) {
        if (file->has_embedded_index) put_item(c, FIELD_EMBEDDED_INDEX, file->embedded_index.data, file->embedded_index.size);
        else set_null_field(c, FIELD_EMBEDDED_INDEX);
    }
    if (arity > FIELD_FILE_SOURCE) {
        if (file->file_source >= 0) c->slots[8 * FIELD_FILE_SOURCE] = (uint8_t)file->file_source;
        else set_null_field(c, FIELD_FILE_SOURCE);
    }
    if (arity > FIELD_VALUE_STATS_COLS) put_texts_field(c, FIELD_VALUE_STATS_COLS, file->value_stats_cols, file->n_value_stats_cols);
    if (arity > FIELD_EXTERNAL_PATH) {
        if (file->external_path) put_item(c, FIELD_EXTERNAL_PATH, file->external_path, strlen(file->external_path));
        else set_null_field(c, FIELD_EXTERNAL_PATH);
    }
    if (arity > FIELD_FIRST_ROW_ID) put_optional_long(c, FIELD_FIRST_ROW_ID, file->first_row_id);
    if (arity > FIELD_WRITE_COLS) put_texts_field(c, FIELD_WRITE_COLS, file->write_cols, file->n_write_cols);
    if (arity > FIELD_WRITE_COLS_SEQUENCES)
        put_longs_field(c, FIELD_WRITE_COLS_SEQUENCES, file->write_cols_sequences, file->n_write_cols_sequences, PMN_NONE);
}

paimon_status pmn_file_row_write(pmn_buf *out, const pmn_data_file *file, int32_t arity, paimon_error *err)
{
    if (arity < PMN_FILE_ROW_OLDEST || arity > PMN_FILE_ROW_NEWEST)
        return pmn_fail(err, PAIMON_INTERNAL, "a file's metadata in %d fields", (int)arity);
    size_t name_size = strlen(file->name), size = file_size_of(file, arity, name_size);
    if (size > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "the metadata of file %s takes more than 2 GB", file->name);
    PMN_TRY(pmn_buf_reserve(out, 4 + size, err));
    uint8_t *start = out->data + out->size;
    pmn_store_be32(start, (uint32_t)size);
    memset(start + 4, 0, size);
    container c = begin_row(start + 4, arity);
    pmn_slice min_key = pmn_file_row_or_empty(file->min_key), max_key = pmn_file_row_or_empty(file->max_key);
    put_item(&c, FIELD_FILE_NAME, file->name, name_size);
    put_long_field(&c, FIELD_FILE_SIZE, file->size);
    put_long_field(&c, FIELD_ROW_COUNT, file->row_count);
    put_item(&c, FIELD_MIN_KEY, min_key.data, min_key.size);
    put_item(&c, FIELD_MAX_KEY, max_key.data, max_key.size);
    put_stats_field(&c, FIELD_KEY_STATS, &file->key_stats);
    put_stats_field(&c, FIELD_VALUE_STATS, &file->value_stats);
    put_long_field(&c, FIELD_MIN_SEQUENCE, file->min_sequence);
    put_long_field(&c, FIELD_MAX_SEQUENCE, file->max_sequence);
    put_long_field(&c, FIELD_SCHEMA_ID, file->schema_id);
    pmn_store_le32(c.slots + 8 * FIELD_LEVEL, (uint32_t)file->level);
    put_texts_field(&c, FIELD_EXTRA_FILES, file->extra_files, file->n_extra_files > 0 ? file->n_extra_files : 0);
    put_optional_long(&c, FIELD_CREATION_TIME, file->creation_time_ms);
    put_tail(&c, file, arity);
    out->size += 4 + size;
    return PAIMON_OK;
}

const char *pmn_file_row_lost(const pmn_data_file *file, int32_t arity)
{
    if (arity <= FIELD_VALUE_STATS_COLS && file->n_value_stats_cols >= 0) return pmn_file_row_names[FIELD_VALUE_STATS_COLS];
    if (arity <= FIELD_EXTERNAL_PATH && file->external_path) return pmn_file_row_names[FIELD_EXTERNAL_PATH];
    if (arity <= FIELD_FIRST_ROW_ID && file->first_row_id != PMN_NONE) return pmn_file_row_names[FIELD_FIRST_ROW_ID];
    if (arity <= FIELD_WRITE_COLS && file->n_write_cols >= 0) return pmn_file_row_names[FIELD_WRITE_COLS];
    if (arity <= FIELD_WRITE_COLS_SEQUENCES && file->n_write_cols_sequences >= 0) return pmn_file_row_names[FIELD_WRITE_COLS_SEQUENCES];
    return NULL;
}

/* --- Reading --- */

typedef struct row_input {
    pmn_slice bytes; /* long enough for the slots */
    pmn_arena *arena;
    paimon_error *err;
} row_input;

static bool is_null_field(const row_input *in, int i) { return (in->bytes.data[(8 + i) / 8] >> (8 + i) % 8) & 1; }
static const uint8_t *slot_of(const row_input *in, int i) { return in->bytes.data + FILE_ROW_HEADER + 8 * i; }
static int64_t long_field(const row_input *in, int i) { return (int64_t)pmn_load_le64(slot_of(in, i)); }
static int64_t optional_long(const row_input *in, int i) { return is_null_field(in, i) ? PMN_NONE : long_field(in, i); }

/* The bytes that a slot of `container` names. */
static PMN_MUST_USE bool item_of(pmn_slice container, const uint8_t *slot, pmn_slice *out)
{
    if (slot[7] & 0x80) {
        *out = pmn_slice_of(slot, slot[7] & 0x7f);
        return out->size <= 7;
    }
    uint32_t size = pmn_load_le32(slot), offset = pmn_load_le32(slot + 4);
    if (PMN_UNLIKELY(offset > container.size || size > container.size - offset)) return false;
    *out = pmn_slice_of(container.data + offset, size);
    return true;
}

static PMN_NOINLINE paimon_status bad_field(const row_input *in, int i, const char *why)
{
    return pmn_fail(in->err, PAIMON_CORRUPT, "%s of a file's row of %zu bytes %s", pmn_file_row_names[i], in->bytes.size, why);
}

static paimon_status bytes_field(const row_input *in, int i, pmn_slice *out)
{
    if (PMN_UNLIKELY(!item_of(in->bytes, slot_of(in, i), out))) return bad_field(in, i, "reaches past its end");
    return PAIMON_OK;
}

/* A nested value is never in the slot itself. */
static paimon_status nested_field(const row_input *in, int i, pmn_slice *out)
{
    if (PMN_UNLIKELY(slot_of(in, i)[7] & 0x80)) return bad_field(in, i, "lies in its slot");
    return bytes_field(in, i, out);
}

/* The text of an item of `container`, ended by a zero byte: where it lies, if one follows. */
static paimon_status text_of(const row_input *in, int i, pmn_slice container, pmn_slice text, const char **out)
{
    if (PMN_UNLIKELY(text.size && memchr(text.data, 0, text.size))) return bad_field(in, i, "has a zero byte in it");
    const uint8_t *end = text.data + text.size;
    if (end < container.data + container.size && *end == 0) {
        *out = (const char *)text.data;
        return PAIMON_OK;
    }
    *out = pmn_arena_strndup(in->arena, (const char *)text.data, text.size);
    return *out ? PAIMON_OK : pmn_fail_nomem(in->err, pmn_file_row_names[i]);
}

static paimon_status text_field(const row_input *in, int i, const char **out)
{
    pmn_slice text = { NULL, 0 };
    PMN_TRY(bytes_field(in, i, &text));
    return text_of(in, i, in->bytes, text, out);
}

/* An array of 8 bytes an element: how many, and where they start. */
static PMN_MUST_USE bool array_of(pmn_slice array, int32_t *n, const uint8_t **slots)
{
    if (array.size < 4) return false;
    uint32_t count = pmn_load_le32(array.data);
    if (count > array.size / 8 || pmn_file_row_array((int32_t)count) > array.size) return false;
    *n = (int32_t)count;
    *slots = array.data + pmn_file_row_array((int32_t)count) - 8 * (size_t)count;
    return true;
}

static bool is_null_element(pmn_slice array, int32_t k) { return (array.data[4 + k / 8] >> k % 8) & 1; }

static paimon_status texts_field(const row_input *in, int i, const char ***out, int32_t *n)
{
    pmn_slice array = { NULL, 0 }, text = { NULL, 0 };
    const uint8_t *slots;
    PMN_TRY(nested_field(in, i, &array));
    if (PMN_UNLIKELY(!array_of(array, n, &slots))) return bad_field(in, i, "is no array");
    if (*n == 0) return PAIMON_OK;
    *out = pmn_arena_alloc(in->arena, (size_t)*n * sizeof **out);
    if (!*out) return pmn_fail_nomem(in->err, pmn_file_row_names[i]);
    size_t total = 0;
    for (int32_t k = 0; k < *n; k++) {
        if (PMN_UNLIKELY(is_null_element(array, k) || !item_of(array, slots + 8 * k, &text))) return bad_field(in, i, "has a text that is null or past its end");
        /* Texts that lie upon each other would take many times the room of the row. */
        if (PMN_UNLIKELY((total += text.size) > array.size)) return bad_field(in, i, "has more texts than room for them");
        PMN_TRY(text_of(in, i, array, text, &(*out)[k]));
    }
    return PAIMON_OK;
}

/* `null_value` PMN_NONE: a null is a fault. */
static paimon_status longs_of(const row_input *in, int i, pmn_slice array, int64_t null_value, const int64_t **out, int32_t *n)
{
    const uint8_t *slots;
    if (PMN_UNLIKELY(!array_of(array, n, &slots))) return bad_field(in, i, "is no array");
    if (*n == 0) return PAIMON_OK;
    int64_t *values = pmn_arena_alloc(in->arena, (size_t)*n * sizeof *values);
    if (!values) return pmn_fail_nomem(in->err, pmn_file_row_names[i]);
    for (int32_t k = 0; k < *n; k++) {
        bool is_null = is_null_element(array, k);
        if (PMN_UNLIKELY(is_null && null_value == PMN_NONE)) return bad_field(in, i, "has a null");
        values[k] = is_null ? null_value : (int64_t)pmn_load_le64(slots + 8 * k);
    }
    *out = values;
    return PAIMON_OK;
}

static paimon_status stats_field(const row_input *in, int i, pmn_simple_stats *out)
{
    pmn_slice row = { NULL, 0 }, counts = { NULL, 0 };
    PMN_TRY(nested_field(in, i, &row));
    if (PMN_UNLIKELY(row.size < FILE_ROW_HEADER + 8 * FILE_ROW_STATS_ARITY)) return bad_field(in, i, "is too short");
    row_input nested = { row, in->arena, in->err };
    if (PMN_UNLIKELY(is_null_field(&nested, 0) || is_null_field(&nested, 1))) return bad_field(in, i, "has null bounds");
    if (PMN_UNLIKELY(!item_of(row, slot_of(&nested, 0), &out->min) || !item_of(row, slot_of(&nested, 1), &out->max)))
        return bad_field(in, i, "has bounds past its end");
    if (is_null_field(&nested, 2)) return PAIMON_OK;
    if (PMN_UNLIKELY((slot_of(&nested, 2)[7] & 0x80) || !item_of(row, slot_of(&nested, 2), &counts))) return bad_field(in, i, "has null counts past its end");
    return longs_of(in, i, counts, -1, &out->null_counts, &out->n_null_counts);
}

static paimon_status head_fields(const row_input *in, pmn_data_file *out)
{
    PMN_TRY(text_field(in, FIELD_FILE_NAME, &out->name));
    if (PMN_UNLIKELY(!*out->name)) return bad_field(in, FIELD_FILE_NAME, "is empty");
    out->size = long_field(in, FIELD_FILE_SIZE);
    out->row_count = long_field(in, FIELD_ROW_COUNT);
    if (PMN_UNLIKELY(out->size < 0)) return bad_field(in, FIELD_FILE_SIZE, "is negative");
    if (PMN_UNLIKELY(out->row_count < 0)) return bad_field(in, FIELD_ROW_COUNT, "is negative");
    PMN_TRY(bytes_field(in, FIELD_MIN_KEY, &out->min_key));
    PMN_TRY(bytes_field(in, FIELD_MAX_KEY, &out->max_key));
    PMN_TRY(stats_field(in, FIELD_KEY_STATS, &out->key_stats));
    PMN_TRY(stats_field(in, FIELD_VALUE_STATS, &out->value_stats));
    out->min_sequence = long_field(in, FIELD_MIN_SEQUENCE);
    out->max_sequence = long_field(in, FIELD_MAX_SEQUENCE);
    out->schema_id = long_field(in, FIELD_SCHEMA_ID);
    out->level = (int32_t)pmn_load_le32(slot_of(in, FIELD_LEVEL));
    PMN_TRY(texts_field(in, FIELD_EXTRA_FILES, &out->extra_files, &out->n_extra_files));
    out->creation_time_ms = optional_long(in, FIELD_CREATION_TIME);
    return PAIMON_OK;
}

static paimon_status tail_fields(const row_input *in, int32_t arity, pmn_data_file *out)
{
    if (arity > FIELD_DELETE_ROW_COUNT) out->delete_row_count = optional_long(in, FIELD_DELETE_ROW_COUNT);
    if (arity > FIELD_EMBEDDED_INDEX && !is_null_field(in, FIELD_EMBEDDED_INDEX)) {
        out->has_embedded_index = true;
        PMN_TRY(bytes_field(in, FIELD_EMBEDDED_INDEX, &out->embedded_index));
    }
    if (arity > FIELD_FILE_SOURCE && !is_null_field(in, FIELD_FILE_SOURCE)) {
        out->file_source = (int8_t)*slot_of(in, FIELD_FILE_SOURCE);
        if (PMN_UNLIKELY(out->file_source < 0 || out->file_source > 1)) return bad_field(in, FIELD_FILE_SOURCE, "is neither 0 nor 1");
    }
    if (arity > FIELD_VALUE_STATS_COLS && !is_null_field(in, FIELD_VALUE_STATS_COLS))
        PMN_TRY(texts_field(in, FIELD_VALUE_STATS_COLS, &out->value_stats_cols, &out->n_value_stats_cols));
    if (arity > FIELD_EXTERNAL_PATH && !is_null_field(in, FIELD_EXTERNAL_PATH)) PMN_TRY(text_field(in, FIELD_EXTERNAL_PATH, &out->external_path));
    if (arity > FIELD_FIRST_ROW_ID) out->first_row_id = optional_long(in, FIELD_FIRST_ROW_ID);
    if (arity > FIELD_WRITE_COLS && !is_null_field(in, FIELD_WRITE_COLS))
        PMN_TRY(texts_field(in, FIELD_WRITE_COLS, &out->write_cols, &out->n_write_cols));
    if (arity <= FIELD_WRITE_COLS_SEQUENCES || is_null_field(in, FIELD_WRITE_COLS_SEQUENCES)) return PAIMON_OK;
    pmn_slice array = { NULL, 0 };
    PMN_TRY(nested_field(in, FIELD_WRITE_COLS_SEQUENCES, &array));
    return longs_of(in, FIELD_WRITE_COLS_SEQUENCES, array, PMN_NONE, &out->write_cols_sequences, &out->n_write_cols_sequences);
}

paimon_status pmn_file_row_read(pmn_slice row, int32_t arity, pmn_arena *arena, pmn_data_file *out, paimon_error *err)
{
    row_input in = { row, arena, err };
    memset(out, 0, sizeof *out);
    if (arity < PMN_FILE_ROW_OLDEST || arity > PMN_FILE_ROW_NEWEST)
        return pmn_fail(err, PAIMON_INTERNAL, "a file's metadata in %d fields", (int)arity);
    if (PMN_UNLIKELY(row.size < FILE_ROW_HEADER + 8 * (size_t)arity || row.size > INT32_MAX))
        return pmn_fail(err, PAIMON_CORRUPT, "a file's row of %zu bytes cannot have %d fields", row.size, (int)arity);
    if (PMN_UNLIKELY((row.data[1] | (row.data[2] & 0x0f)) != 0)) /* up to _EXTRA_FILES */
        return pmn_fail(err, PAIMON_CORRUPT, "a file's row has nulls where there are none");
    out->creation_time_ms = out->delete_row_count = out->first_row_id = PMN_NONE;
    out->file_source = -1;
    out->n_value_stats_cols = out->n_write_cols = out->n_write_cols_sequences = -1;
    out->key_stats.n_null_counts = out->value_stats.n_null_counts = -1;
    PMN_TRY(head_fields(&in, out));
    return tail_fields(&in, arity, out);
}
