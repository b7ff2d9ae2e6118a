/* Commit messages to turn into bytes: of everything that one can hold, at random or by hand. */
#ifndef TESTS_SUPPORT_MESSAGE_BYTES_H
#define TESTS_SUPPORT_MESSAGE_BYTES_H

#include "meta/message.h"
#include "meta/snapshot/snapshot.h"
#include "support/unit.h"

typedef struct message_maker {
    uint64_t random;
    pmn_arena *arena;
    int32_t file_arity; /* what the version has a place for */
    bool globals, sources;
} message_maker;

static inline uint64_t pick(message_maker *m, uint64_t n) { return random_below(&m->random, n); }

static inline char *random_text(message_maker *m, size_t max)
{
    static const char *const pieces[] = { "a", "Z", "0", "-", "_", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x90\x9f", "data", "." };
    size_t n = pick(m, max + 1);
    char *text = pmn_arena_alloc(m->arena, 4 * n + 1);
    assert_non_null(text);
    *text = 0;
    for (size_t i = 0; i < n; i++) strcat(text, pieces[pick(m, sizeof pieces / sizeof pieces[0])]);
    return text;
}

static inline char *random_name(message_maker *m, const char *prefix)
{
    char text[160];
    snprintf(text, sizeof text, "%s%llx%s", prefix, (unsigned long long)random_next(&m->random), pick(m, 3) ? ".parquet" : "");
    char *name = pmn_arena_strdup(m->arena, pick(m, 20) ? text : text + strlen(prefix) + 12);
    assert_non_null(name);
    return name;
}

/* A row of BIGINTs and short texts: only its frame is looked at here. */
static inline pmn_slice random_row(message_maker *m, int32_t arity)
{
    size_t n = 4 + ((size_t)arity + 71) / 64 * 8 + 8 * (size_t)arity;
    uint8_t *row = pmn_arena_calloc(m->arena, n, 1);
    assert_non_null(row);
    pmn_store_be32(row, (uint32_t)arity);
    for (int32_t i = 0; i < arity; i++) {
        uint8_t *slot = row + 4 + ((size_t)arity + 71) / 64 * 8 + 8 * i;
        if (pick(m, 4) == 0) row[4 + (8 + i) / 8] |= (uint8_t)(1u << (8 + i) % 8);
        else pmn_store_le64(slot, random_next(&m->random) & 0x7fffffffu);
    }
    return pmn_slice_of(row, n);
}

static inline pmn_simple_stats random_stats(message_maker *m, int32_t arity)
{
    pmn_simple_stats stats = { random_row(m, arity), random_row(m, arity), arity, NULL };
    int64_t *counts = pmn_arena_calloc(m->arena, (size_t)arity + 1, sizeof *counts);
    assert_non_null(counts);
    for (int32_t i = 0; i < arity; i++) counts[i] = pick(m, 5) ? (int64_t)pick(m, 1000) : -1;
    stats.null_counts = counts;
    return stats;
}

static inline const char **random_texts(message_maker *m, int32_t n)
{
    const char **texts = pmn_arena_calloc(m->arena, (size_t)(n > 0 ? n : 0) + 1, sizeof *texts);
    assert_non_null(texts);
    for (int32_t i = 0; i < n; i++) texts[i] = random_text(m, 9);
    return texts;
}

static inline pmn_data_file random_file(message_maker *m)
{
    int32_t arity = (int32_t)pick(m, 6), keys = (int32_t)pick(m, 3);
    pmn_data_file f = { .name = random_name(m, "data-"),
                        .size = (int64_t)pick(m, 1u << 30),
                        .row_count = (int64_t)pick(m, 1u << 20),
                        .min_key = random_row(m, keys),
                        .max_key = random_row(m, keys),
                        .key_stats = random_stats(m, keys),
                        .value_stats = random_stats(m, arity),
                        .min_sequence = (int64_t)pick(m, 1000),
                        .max_sequence = (int64_t)pick(m, 1000) + 1000,
                        .schema_id = (int64_t)pick(m, 3),
                        .level = (int32_t)pick(m, 6),
                        .n_extra_files = (int32_t)pick(m, 3),
                        .creation_time_ms = (int64_t)pick(m, (uint64_t)1 << 41),
                        .delete_row_count = pick(m, 3) ? (int64_t)pick(m, 9) : PMN_NONE,
                        .file_source = -1,
                        .n_value_stats_cols = -1,
                        .first_row_id = PMN_NONE,
                        .n_write_cols = -1,
                        .n_write_cols_sequences = -1 };
    f.extra_files = random_texts(m, f.n_extra_files);
    f.has_embedded_index = pick(m, 4) == 0;
    if (f.has_embedded_index) f.embedded_index = pmn_slice_text(random_text(m, 40));
    if (m->file_arity >= 16) f.file_source = (int32_t)pick(m, 3) - 1;
    if (m->file_arity >= 17) f.n_value_stats_cols = (int32_t)pick(m, 4) - 1;
    f.value_stats_cols = random_texts(m, f.n_value_stats_cols);
    if (m->file_arity >= 18 && pick(m, 4) == 0) f.external_path = random_name(m, "s3://bucket/");
    if (m->file_arity >= 19 && pick(m, 2)) f.first_row_id = (int64_t)pick(m, 1u << 30);
    if (m->file_arity >= 20) f.n_write_cols = (int32_t)pick(m, 4) - 1;
    f.write_cols = random_texts(m, f.n_write_cols);
    if (m->file_arity >= 21 && f.n_write_cols >= 0 && pick(m, 2)) {
        int64_t *sequences = pmn_arena_calloc(m->arena, (size_t)f.n_write_cols + 1, sizeof *sequences);
        assert_non_null(sequences);
        for (int32_t i = 0; i < f.n_write_cols; i++) sequences[i] = (int64_t)pick(m, 99);
        f.write_cols_sequences = sequences;
        f.n_write_cols_sequences = f.n_write_cols;
    }
    return f;
}

static inline pmn_data_files random_files(message_maker *m, uint64_t max)
{
    int32_t n = (int32_t)pick(m, max + 1);
    pmn_data_file *files = pmn_arena_calloc(m->arena, (size_t)n + 1, sizeof *files);
    assert_non_null(files);
    for (int32_t i = 0; i < n; i++) files[i] = random_file(m);
    return (pmn_data_files){ files, n };
}

static inline pmn_index_entry random_index_file(message_maker *m)
{
    pmn_index_entry f = { .index_type = pick(m, 2) ? "DELETION_VECTORS" : "HASH",
                          .file_name = random_name(m, "index-"),
                          .file_size = (int64_t)pick(m, 1u << 20),
                          .row_count = (int64_t)pick(m, 99),
                          .n_ranges = (int32_t)pick(m, 4) - 1,
                          .n_extra_field_ids = -1 };
    pmn_deletion_range *ranges = pmn_arena_calloc(m->arena, 4, sizeof *ranges);
    assert_non_null(ranges);
    for (int32_t i = 0; i < f.n_ranges; i++)
        ranges[i] = (pmn_deletion_range){ random_name(m, "data-"), (int32_t)pick(m, 999), (int32_t)pick(m, 999), pick(m, 3) ? (int64_t)pick(m, 9) : PMN_NONE };
    f.ranges = ranges;
    if (pick(m, 4) == 0) f.external_path = random_name(m, "oss://far/");
    f.has_global = m->globals && pick(m, 3) == 0;
    if (!f.has_global) return f;
    int32_t *ids = pmn_arena_calloc(m->arena, 4, sizeof *ids);
    assert_non_null(ids);
    for (int32_t i = 0; i < 3; i++) ids[i] = (int32_t)pick(m, 9);
    f.index_type = "btree";
    f.row_range_end = (int64_t)pick(m, 99);
    f.index_field_id = (int32_t)pick(m, 9);
    f.n_extra_field_ids = (int32_t)pick(m, 5) - 1;
    f.extra_field_ids = ids;
    if (f.n_extra_field_ids > 3) f.n_extra_field_ids = 3;
    if (pick(m, 2)) f.index_meta = pmn_slice_text(random_text(m, 9));
    if (m->sources && pick(m, 2)) f.source_meta = pmn_slice_text(random_text(m, 9));
    return f;
}

static inline pmn_index_files random_index_files(message_maker *m, uint64_t max)
{
    int32_t n = (int32_t)pick(m, max + 1);
    pmn_index_entry *files = pmn_arena_calloc(m->arena, (size_t)n + 1, sizeof *files);
    assert_non_null(files);
    for (int32_t i = 0; i < n; i++) files[i] = random_index_file(m);
    return (pmn_index_files){ files, n };
}

/* One more message, of what `version` can say. */
static inline void add_random_message(paimon_message_list *list, int32_t version, uint64_t seed)
{
    message_maker m = { seed, &list->arena, version >= 13 ? 21 : 20, version >= 11, version >= 12 };
    pmn_message *message = NULL;
    assert_int_equal(pmn_message_list_add(list, &message, NULL), PAIMON_OK);
    message->partition = random_row(&m, (int32_t)pick(&m, 3));
    message->bucket = (int32_t)pick(&m, 8);
    message->has_total_buckets = pick(&m, 3) > 0;
    message->total_buckets = message->has_total_buckets ? (int32_t)pick(&m, 10) - 1 : 0;
    message->new_files = random_files(&m, 3);
    message->deleted_files = random_files(&m, 1);
    message->changelog_files = random_files(&m, 1);
    message->new_index_files = random_index_files(&m, 2);
    message->deleted_index_files = random_index_files(&m, 1);
    message->compact_before = random_files(&m, 2);
    message->compact_after = random_files(&m, 1);
    message->compact_changelog = random_files(&m, 1);
    message->compact_new_index_files = random_index_files(&m, 1);
    message->compact_deleted_index_files = random_index_files(&m, 1);
}

#endif
