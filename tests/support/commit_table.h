/* Tables to commit to, with messages made by hand: the data files are a few bytes that nobody decodes, or nothing. */
#ifndef TESTS_SUPPORT_COMMIT_TABLE_H
#define TESTS_SUPPORT_COMMIT_TABLE_H

#include "io/fs.h"
#include "meta/bucket_path.h"
#include "meta/message.h"
#include "meta/split.h"
#include "meta/snapshot/snapshot.h"
#include "paimon-c/paimon.h"
#include "paimon-c/commit.h"
#include "support/unit.h"
#include "table/table.h"
#include "types/row_codec.h"

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        paimon_error ok_err = PAIMON_ERROR_INIT, *err = &ok_err;                                                       \
        if ((call) != PAIMON_OK) fail_msg("%s: %s", #call, paimon_error_message(err));                                 \
    } while (0)

/* `keys`: JSON list of partition keys (a member primaryKeys may follow); `options`: JSON members. */
static inline void make_table(paimon_fs *fs, const char *root, const char *keys, const char *options)
{
    char path[500], json[2000];
    snprintf(path, sizeof path, "%s/schema/schema-0", root);
    snprintf(json, sizeof json,
             "{\"version\":3,\"id\":0,\"fields\":[{\"id\":0,\"name\":\"p\",\"type\":\"STRING\"},{\"id\":1,\"name\":\"q\",\"type\":\"INT\"},"
             "{\"id\":2,\"name\":\"v\",\"type\":\"BIGINT\"}],\"highestFieldId\":2,\"partitionKeys\":%s%s,\"options\":{%s},"
             "\"comment\":\"\",\"timeMillis\":1}",
             keys, strstr(keys, "primaryKeys") ? "" : ",\"primaryKeys\":[]", options);
    OK(pmn_fs_write_new(fs, path, json, strlen(json), err));
}

static inline paimon_table *open_table(paimon_env *env, const char *root)
{
    paimon_table *table = NULL;
    OK(paimon_table_open(env, root, NULL, 0, &table, err));
    return table;
}

/* The serialized row of a partition: `p` NULL is null; only as many columns as the table has partition keys. */
static inline pmn_slice partition_row(const paimon_table *table, pmn_arena *arena, const char *p, int32_t q)
{
    const pmn_table_schema *schema = table->source->schema;
    pmn_datum values[2] = { { .is_null = p == NULL }, { .v.i = q } };
    if (p) values[0].v.bytes = pmn_slice_text(p);
    pmn_buf buf;
    pmn_buf_init(&buf, pmn_mem_default(), PMN_BUF_NO_CEILING);
    OK(pmn_row_write_serialized(&buf, schema->partition_type, values, err));
    pmn_slice row = pmn_slice_of(pmn_arena_copy(arena, buf.data, buf.size), buf.size);
    assert_non_null(row.data);
    pmn_buf_free(&buf);
    return row;
}

static inline pmn_data_file fake_file(pmn_arena *arena, const char *name, int64_t rows)
{
    static const uint8_t empty[12];
    pmn_data_file file = { .name = pmn_arena_strdup(arena, name),
                           .size = 4,
                           .row_count = rows,
                           .min_key = { empty, 12 },
                           .max_key = { empty, 12 },
                           .key_stats = { { empty, 12 }, { empty, 12 }, 0, NULL },
                           .value_stats = { { empty, 12 }, { empty, 12 }, 0, NULL },
                           .max_sequence = rows - 1,
                           .creation_time_ms = 1700000000000,
                           .delete_row_count = 0,
                           .file_source = 0,
                           .n_value_stats_cols = 0,
                           .first_row_id = PMN_NONE,
                           .n_write_cols = -1,
                           .n_write_cols_sequences = -1 };
    return file;
}

/* A message that adds one file to a partition's bucket. */
static inline pmn_message *add_message(const paimon_table *table, paimon_message_list *list, const char *p, int32_t q, int32_t bucket,
                                       int32_t total_buckets, const char *name, int64_t rows)
{
    pmn_message *message = NULL;
    OK(pmn_message_list_add(list, &message, err));
    pmn_data_file *file = pmn_arena_calloc(&list->arena, 1, sizeof *file);
    *file = fake_file(&list->arena, name, rows);
    message->partition = partition_row(table, &list->arena, p, q);
    message->bucket = bucket;
    message->total_buckets = total_buckets;
    message->has_total_buckets = true;
    message->new_files = (pmn_data_files){ file, 1 };
    return message;
}

static inline paimon_message_list *new_messages(void)
{
    paimon_message_list *list = NULL;
    OK(pmn_message_list_new(pmn_mem_default(), &list, err));
    return list;
}

/* One file of `rows` rows, in bucket 0 of an unpartitioned table without fixed buckets. */
static inline paimon_message_list *one_file(const paimon_table *table, const char *name, int64_t rows)
{
    paimon_message_list *list = new_messages();
    add_message(table, list, NULL, 0, 0, -1, name, rows);
    return list;
}

static inline void data_path(const paimon_table *table, const pmn_message *message, const char *name, char *out, size_t size)
{
    pmn_buf buf;
    pmn_buf_init(&buf, pmn_mem_default(), PMN_BUF_NO_CEILING);
    OK(pmn_bucket_path(table->source, message->partition, message->bucket, &buf, err));
    snprintf(out, size, "%.*s/%s", (int)buf.size, (const char *)buf.data, name);
    pmn_buf_free(&buf);
}

/* The files that the messages name, as "data". */
static inline void write_fake_files(const paimon_table *table, const paimon_message_list *list)
{
    char path[1000];
    for (size_t i = 0; i < list->n; i++)
        for (int32_t f = 0; f < list->items[i].new_files.n; f++) {
            data_path(table, &list->items[i], list->items[i].new_files.items[f].name, path, sizeof path);
            OK(pmn_fs_write_new(table->source->fs, path, "data", 4, err));
        }
}

/* Names of the files of a snapshot (0: the latest), sorted, each with a blank behind. Free it. */
static int compare_words(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static inline char *files_at(paimon_env *env, const char *root, int64_t snapshot)
{
    char id[32];
    snprintf(id, sizeof id, "%lld", (long long)snapshot);
    paimon_option at = { "scan.snapshot-id", id };
    paimon_table *table = NULL;
    paimon_scan *scan = NULL;
    paimon_plan *plan = NULL;
    OK(paimon_table_open(env, root, &at, snapshot ? 1 : 0, &table, err));
    OK(paimon_scan_new(table, &scan, err));
    OK(paimon_scan_plan(scan, &plan, err));
    size_t n = 0, size = 1;
    const char **names = calloc((size_t)paimon_plan_n_files(plan) + 1, sizeof *names);
    for (size_t i = 0; i < paimon_plan_n_splits(plan); i++) {
        const paimon_split *split = paimon_plan_split(plan, i);
        for (uint32_t f = 0; f < split->n_files; f++) {
            names[n] = pmn_split_file(split, f)->name;
            size += strlen(names[n++]) + 1;
        }
    }
    if (n) qsort(names, n, sizeof *names, compare_words);
    char *text = calloc(size, 1);
    for (size_t i = 0; i < n; i++) strcat(strcat(text, names[i]), " ");
    free(names);
    paimon_plan_free(plan);
    paimon_scan_free(scan);
    paimon_table_free(table);
    return text;
}

static inline void has_files(paimon_env *env, const char *root, int64_t snapshot, const char *expected)
{
    char *text = files_at(env, root, snapshot);
    assert_string_equal(text, expected);
    free(text);
}

static inline pmn_snapshot load_snapshot(const paimon_table *table, pmn_arena *arena, int64_t id)
{
    pmn_snapshot snapshot;
    OK(pmn_snapshot_load(arena, table->source->fs, table->source->root, id, &snapshot, err));
    return snapshot;
}

static int count_name(void *arg, const paimon_file_info *info)
{
    (void)info;
    ++*(int *)arg;
    return 0;
}

/* How many entries a folder of the table has. */
static inline int count_in(paimon_fs *fs, const char *root, const char *folder)
{
    char path[500];
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", root, folder);
    OK(pmn_fs_list(fs, path, count_name, &n, err));
    return n;
}

#endif
