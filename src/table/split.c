/* Getters of splits, and their JSON: the fields of DataSplit and of all 21 of DataFileMeta, under the names that the format
 * gives them. Rows (partition, keys, statistics) are hex of their serialized form. */
#include <string.h>

#include "base/datetime.h"
#include "base/json.h"
#include "meta/snapshot.h"
#include "meta/split.h"

size_t paimon_split_n_files(const paimon_split *split) { return split->n_files; }
int64_t paimon_split_row_count(const paimon_split *split) { return split->row_count; }
int64_t paimon_split_size_bytes(const paimon_split *split) { return split->size_bytes; }
int32_t paimon_split_bucket(const paimon_split *split) { return split->bucket; }
int32_t paimon_split_total_buckets(const paimon_split *split) { return split->total_buckets; }
int64_t paimon_split_snapshot_id(const paimon_split *split) { return split->snapshot_id; }
const char *paimon_split_bucket_path(const paimon_split *split) { return split->bucket_path; }

paimon_split *paimon_split_retain(paimon_split *split)
{
    if (split) pmn_plan_retain(split->plan);
    return split;
}

void paimon_split_free(paimon_split *split)
{
    if (split) pmn_plan_release(split->plan);
}

const char *paimon_split_file_name(const paimon_split *split, size_t i)
{
    return i < split->n_files ? pmn_split_file(split, (uint32_t)i)->name : NULL;
}
int64_t paimon_split_file_rows(const paimon_split *split, size_t i)
{
    return i < split->n_files ? pmn_split_file(split, (uint32_t)i)->row_count : -1;
}
int64_t paimon_split_file_size_bytes(const paimon_split *split, size_t i)
{
    return i < split->n_files ? pmn_split_file(split, (uint32_t)i)->size : -1;
}

/* --- JSON --- */

static paimon_status json_text(pmn_buf *out, const char *text, paimon_error *err)
{
    return text ? pmn_json_quote(out, pmn_slice_text(text), err) : pmn_buf_append_text(out, "null", err);
}

static paimon_status json_hex(pmn_buf *out, pmn_slice bytes, paimon_error *err)
{
    static const char digits[] = "0123456789abcdef";
    PMN_TRY(pmn_buf_reserve(out, bytes.size * 2 + 2, err));
    uint8_t *p = out->data + out->size;
    *p++ = '"';
    for (size_t i = 0; i < bytes.size; i++) {
        *p++ = (uint8_t)digits[bytes.data[i] >> 4];
        *p++ = (uint8_t)digits[bytes.data[i] & 15];
    }
    *p = '"';
    out->size += bytes.size * 2 + 2;
    return PAIMON_OK;
}

static paimon_status json_number(pmn_buf *out, int64_t n, paimon_error *err)
{
    return n == PMN_NONE ? pmn_buf_append_text(out, "null", err) : pmn_buf_printf(out, err, "%lld", (long long)n);
}

/* `n` < 0: null. A number of PMN_NONE or, in null counts, -1 is null. */
static paimon_status json_numbers(pmn_buf *out, const int64_t *values, int32_t n, bool minus_one_is_null, paimon_error *err)
{
    if (n < 0) return pmn_buf_append_text(out, "null", err);
    PMN_TRY(pmn_buf_append_byte(out, '[', err));
    for (int32_t i = 0; i < n; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(json_number(out, minus_one_is_null && values[i] == -1 ? PMN_NONE : values[i], err));
    }
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status json_texts(pmn_buf *out, const char **texts, int32_t n, paimon_error *err)
{
    if (n < 0) return pmn_buf_append_text(out, "null", err);
    PMN_TRY(pmn_buf_append_byte(out, '[', err));
    for (int32_t i = 0; i < n; i++) {
        if (i) PMN_TRY(pmn_buf_append_byte(out, ',', err));
        PMN_TRY(json_text(out, texts[i], err));
    }
    return pmn_buf_append_byte(out, ']', err);
}

static paimon_status json_stats(pmn_buf *out, const pmn_simple_stats *stats, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, "{\"_MIN_VALUES\":", err));
    PMN_TRY(json_hex(out, stats->min, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_MAX_VALUES\":", err));
    PMN_TRY(json_hex(out, stats->max, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_NULL_COUNTS\":", err));
    PMN_TRY(json_numbers(out, stats->null_counts, stats->n_null_counts, true, err));
    return pmn_buf_append_byte(out, '}', err);
}

static paimon_status json_time(pmn_buf *out, int64_t ms, paimon_error *err)
{
    char text[PMN_DATETIME_TEXT_MAX];
    if (ms == PMN_NONE) return pmn_buf_append_text(out, "null", err);
    int64_t seconds = ms / 1000 - (ms % 1000 < 0);
    size_t n = pmn_timestamp_print(seconds, (int32_t)(ms - seconds * 1000) * 1000000, 'T', text);
    return pmn_json_quote(out, pmn_slice_of(text, n), err);
}

static paimon_status json_head(pmn_buf *out, const pmn_data_file *f, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, "{\"_FILE_NAME\":", err));
    PMN_TRY(json_text(out, f->name, err));
    PMN_TRY(pmn_buf_printf(out, err, ",\"_FILE_SIZE\":%lld,\"_ROW_COUNT\":%lld,\"_MIN_KEY\":", (long long)f->size, (long long)f->row_count));
    PMN_TRY(json_hex(out, f->min_key, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_MAX_KEY\":", err));
    PMN_TRY(json_hex(out, f->max_key, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_KEY_STATS\":", err));
    PMN_TRY(json_stats(out, &f->key_stats, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_VALUE_STATS\":", err));
    PMN_TRY(json_stats(out, &f->value_stats, err));
    return pmn_buf_printf(out, err, ",\"_MIN_SEQUENCE_NUMBER\":%lld,\"_MAX_SEQUENCE_NUMBER\":%lld,\"_SCHEMA_ID\":%lld,\"_LEVEL\":%d",
                          (long long)f->min_sequence, (long long)f->max_sequence, (long long)f->schema_id, (int)f->level);
}

static paimon_status json_tail(pmn_buf *out, const pmn_data_file *f, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, ",\"_EXTRA_FILES\":", err));
    PMN_TRY(json_texts(out, f->extra_files, f->n_extra_files, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_CREATION_TIME\":", err));
    PMN_TRY(json_time(out, f->creation_time_ms, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_DELETE_ROW_COUNT\":", err));
    PMN_TRY(json_number(out, f->delete_row_count, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_EMBEDDED_FILE_INDEX\":", err));
    if (f->has_embedded_index) PMN_TRY(json_hex(out, f->embedded_index, err));
    else PMN_TRY(pmn_buf_append_text(out, "null", err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_FILE_SOURCE\":", err));
    PMN_TRY(json_number(out, f->file_source < 0 ? PMN_NONE : f->file_source, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_VALUE_STATS_COLS\":", err));
    PMN_TRY(json_texts(out, f->value_stats_cols, f->n_value_stats_cols, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_EXTERNAL_PATH\":", err));
    PMN_TRY(json_text(out, f->external_path, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_FIRST_ROW_ID\":", err));
    PMN_TRY(json_number(out, f->first_row_id, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_WRITE_COLS\":", err));
    PMN_TRY(json_texts(out, f->write_cols, f->n_write_cols, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"_WRITE_COLS_SEQUENCES\":", err));
    PMN_TRY(json_numbers(out, f->write_cols_sequences, f->n_write_cols_sequences, false, err));
    return pmn_buf_append_byte(out, '}', err);
}

static paimon_status json_files(pmn_buf *out, const paimon_split *split, pmn_manifest_lens *lens, paimon_error *err)
{
    pmn_arena arena;
    pmn_arena_init(&arena, split->plan->mem);
    paimon_status status = PAIMON_OK;
    for (uint32_t i = 0; i < split->n_files && status == PAIMON_OK; i++) {
        pmn_manifest_entry detail;
        if (i) PMN_GOTO(status, pmn_buf_append_byte(out, ',', err), done);
        PMN_GOTO(status, pmn_entries_detail(&split->plan->entries, pmn_split_file(split, i), lens, &arena, &detail, err), done);
        PMN_GOTO(status, json_head(out, &detail.file, err), done);
        PMN_GOTO(status, json_tail(out, &detail.file, err), done);
        pmn_arena_free(&arena);
    }
done:
    pmn_arena_free(&arena);
    return status;
}

static paimon_status json_split(pmn_buf *out, const paimon_split *split, pmn_manifest_lens *lens, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, "{\"snapshot\":", err));
    PMN_TRY(json_number(out, split->snapshot_id, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"partition\":", err));
    PMN_TRY(json_hex(out, pmn_split_partition(split), err));
    PMN_TRY(pmn_buf_printf(out, err, ",\"bucket\":%d,\"bucketPath\":", (int)split->bucket));
    PMN_TRY(json_text(out, split->bucket_path, err));
    PMN_TRY(pmn_buf_printf(out, err, ",\"totalBuckets\":%d,\"isStreaming\":%s,\"rawConvertible\":%s,\"deletionFiles\":null,\"dataFiles\":[",
                           (int)split->total_buckets, split->is_streaming ? "true" : "false", split->raw_convertible ? "true" : "false"));
    PMN_TRY(json_files(out, split, lens, err));
    return pmn_buf_append_text(out, "]}", err);
}

paimon_status paimon_split_json(const paimon_split *split, char **json, paimon_error *err)
{
    if (!split || !json) return pmn_fail(err, PAIMON_INVALID, "paimon_split_json: split or json is NULL");
    *json = NULL;
    pmn_mem *mem = split->plan->mem;
    pmn_manifest_lens *lens = NULL;
    PMN_TRY(pmn_manifest_lens_new(mem, 4 << 20, &lens, err));
    pmn_buf out;
    pmn_buf_init(&out, mem, PMN_BUF_NO_CEILING);
    paimon_status status = json_split(&out, split, lens, err);
    if (status == PAIMON_OK) {
        *json = pmn_handout_text(mem, (const char *)out.data, out.size);
        if (!*json) status = pmn_fail_nomem(err, "a split's JSON");
    }
    pmn_buf_free(&out);
    pmn_manifest_lens_free(lens);
    return status;
}
