/* A DataFileMeta from the JSON of the byte vectors (names of the format, rows as hex). */
#ifndef TESTS_SUPPORT_FILE_META_JSON_H
#define TESTS_SUPPORT_FILE_META_JSON_H

#include "base/datetime.h"
#include "meta/snapshot/snapshot.h"
#include "support/vectors.h"

static inline int64_t meta_long(json_t *fields, const char *key)
{
    json_t *value = json_object_get(fields, key);
    return json_is_integer(value) ? json_integer_value(value) : PMN_NONE;
}

static inline const char *meta_text(json_t *fields, const char *key)
{
    return json_string_value(json_object_get(fields, key));
}

static inline const char **meta_texts(test_env *t, json_t *fields, const char *key, int32_t *n)
{
    json_t *list = json_object_get(fields, key);
    *n = json_is_array(list) ? (int32_t)json_array_size(list) : -1;
    const char **texts = pmn_arena_calloc(&t->arena, json_array_size(list) + 1, sizeof *texts);
    for (int32_t i = 0; i < *n; i++) texts[i] = json_string_value(json_array_get(list, (size_t)i));
    return texts;
}

/* Nulls in the list come out as -1. */
static inline const int64_t *meta_longs(test_env *t, json_t *fields, const char *key, int32_t *n)
{
    json_t *list = json_object_get(fields, key);
    *n = json_is_array(list) ? (int32_t)json_array_size(list) : -1;
    int64_t *values = pmn_arena_calloc(&t->arena, json_array_size(list) + 1, sizeof *values);
    for (int32_t i = 0; i < *n; i++) {
        json_t *value = json_array_get(list, (size_t)i);
        values[i] = json_is_integer(value) ? json_integer_value(value) : -1;
    }
    return values;
}

static inline pmn_simple_stats meta_stats(test_env *t, json_t *fields, const char *key)
{
    json_t *json = json_object_get(fields, key);
    pmn_simple_stats stats = { unhex(t, meta_text(json, "_MIN_VALUES")), unhex(t, meta_text(json, "_MAX_VALUES")), 0, NULL };
    stats.null_counts = meta_longs(t, json, "_NULL_COUNTS", &stats.n_null_counts);
    return stats;
}

static inline int64_t meta_time(test_env *t, json_t *fields)
{
    static const pmn_type millis = { .kind = PMN_TIMESTAMP, .length = 3 };
    const char *text = meta_text(fields, "_CREATION_TIME");
    pmn_datum d;
    if (!text) return PMN_NONE;
    must(t, pmn_datum_parse(&t->arena, &millis, pmn_slice_text(text), &d, &t->err));
    return d.v.ts.millis;
}

/* Texts are borrowed from the JSON. */
static inline pmn_data_file meta_of_json(test_env *t, json_t *fields)
{
    pmn_data_file file;
    memset(&file, 0, sizeof file);
    file.name = meta_text(fields, "_FILE_NAME");
    file.size = meta_long(fields, "_FILE_SIZE");
    file.row_count = meta_long(fields, "_ROW_COUNT");
    file.min_key = unhex(t, meta_text(fields, "_MIN_KEY"));
    file.max_key = unhex(t, meta_text(fields, "_MAX_KEY"));
    file.key_stats = meta_stats(t, fields, "_KEY_STATS");
    file.value_stats = meta_stats(t, fields, "_VALUE_STATS");
    file.min_sequence = meta_long(fields, "_MIN_SEQUENCE_NUMBER");
    file.max_sequence = meta_long(fields, "_MAX_SEQUENCE_NUMBER");
    file.schema_id = meta_long(fields, "_SCHEMA_ID");
    file.level = (int32_t)meta_long(fields, "_LEVEL");
    file.extra_files = meta_texts(t, fields, "_EXTRA_FILES", &file.n_extra_files);
    file.creation_time_ms = meta_time(t, fields);
    file.delete_row_count = meta_long(fields, "_DELETE_ROW_COUNT");
    file.has_embedded_index = meta_text(fields, "_EMBEDDED_FILE_INDEX") != NULL;
    if (file.has_embedded_index) file.embedded_index = unhex(t, meta_text(fields, "_EMBEDDED_FILE_INDEX"));
    file.file_source = meta_long(fields, "_FILE_SOURCE") == PMN_NONE ? -1 : (int32_t)meta_long(fields, "_FILE_SOURCE");
    file.value_stats_cols = meta_texts(t, fields, "_VALUE_STATS_COLS", &file.n_value_stats_cols);
    file.external_path = meta_text(fields, "_EXTERNAL_PATH");
    file.first_row_id = meta_long(fields, "_FIRST_ROW_ID");
    file.write_cols = meta_texts(t, fields, "_WRITE_COLS", &file.n_write_cols);
    file.write_cols_sequences = meta_longs(t, fields, "_WRITE_COLS_SEQUENCES", &file.n_write_cols_sequences);
    return file;
}

#endif
