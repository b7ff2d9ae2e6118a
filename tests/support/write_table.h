/* Tables to write to, in memory: a schema in a line, batches from JSON rows, and what came of it as text. */
#ifndef TESTS_SUPPORT_WRITE_TABLE_H
#define TESTS_SUPPORT_WRITE_TABLE_H

#include "arrow/schema.h"
#include "io/fault.h"
#include "meta/message.h"
#include "paimon-c/commit.h"
#include "paimon-c/write.h"
#include "support/memory_files.h"
#include "support/read_table.h"
#include "support/unit.h"
#include "support/vectors.h"
#include "table/table.h"
#include "types/type.h"

#define WRITE_ROOT "mem:/wh/db.db/t"

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        paimon_error ok_err = PAIMON_ERROR_INIT, *err = &ok_err;                                                       \
        if ((call) != PAIMON_OK) fail_msg("%s: %s", #call, paimon_error_message(err));                                 \
    } while (0)

/* The call answers `status` and its text holds `part`. */
#define REFUSED(status, part, call)                                                                                    \
    do {                                                                                                               \
        paimon_error refused_err = PAIMON_ERROR_INIT, *err = &refused_err;                                             \
        paimon_status refused_was = (call);                                                                            \
        if (refused_was != (status) || !strstr(paimon_error_message(err), part))                                       \
            fail_msg("%s: %s '%s', expected %s '%s'", #call, paimon_status_name(refused_was), paimon_error_message(err), \
                     paimon_status_name(status), part);                                                                \
        paimon_error_clear(err);                                                                                       \
    } while (0)

typedef struct write_place {
    test_env t;
    paimon_env *env;
    paimon_fs *fs;    /* the one that tables see */
    pmn_fault *fault; /* what it can be made to do */
    paimon_table *table;
} write_place;

/* `fields`: JSON members of fields ({"id":0,"name":"a","type":"INT"}, …); `keys`: JSON list of partition keys; `options`: JSON members. */
static inline void write_schema(paimon_fs *fs, const char *root, const char *fields, const char *keys, const char *options)
{
    char path[500], json[4000];
    snprintf(path, sizeof path, "%s/schema/schema-0", root);
    snprintf(json, sizeof json,
             "{\"version\":3,\"id\":0,\"fields\":[%s],\"highestFieldId\":40,\"partitionKeys\":%s,\"primaryKeys\":[],\"options\":{%s},"
             "\"comment\":\"\",\"timeMillis\":1}",
             fields, keys, options);
    put_text_file(fs, path, json);
}

/* With a memory limit or an allocator by `options`; NULL: none. */
static inline write_place write_place_new(const paimon_env_options *options, const char *fields, const char *keys, const char *table_options)
{
    write_place p;
    memset(&p, 0, sizeof p);
    env_begin(&p.t, NULL);
    paimon_fs *memory = memory_files();
    OK(pmn_fault_fs_new(pmn_mem_default(), memory, &p.fs, &p.fault, err));
    paimon_fs_free(memory);
    OK(paimon_env_new(options, &p.env, err));
    OK(paimon_env_register_fs(p.env, "mem", p.fs, err));
    write_schema(p.fs, WRITE_ROOT, fields, keys, table_options);
    OK(paimon_table_open(p.env, WRITE_ROOT, NULL, 0, &p.table, err));
    return p;
}

static inline void write_place_leave(write_place *p)
{
    paimon_table_free(p->table);
    paimon_env_free(p->env);
    paimon_fs_free(p->fs);
    env_end(&p->t);
}

/* Rows [["+I",1,"a"],…] of the row type. */
static inline void batch_of(test_env *t, const pmn_type *row, const char *rows, struct ArrowArray *out)
{
    json_error_t why;
    json_t *list = json_loads(rows, JSON_ALLOW_NUL, &why);
    if (!list) fail_msg("%s: %s", rows, why.text);
    pmn_column c;
    must(t, pmn_column_init(&c, t->pool, row, &t->err));
    for (size_t r = 0; r < json_array_size(list); r++) {
        json_t *values = json_array_get(list, r);
        assert_int_equal(json_array_size(values), row->n_fields);
        for (int32_t i = 0; i < row->n_fields; i++) append_vector_value(t, &c.parts[i], json_array_get(values, (size_t)i));
        must(t, pmn_column_close(&c, &t->err));
    }
    must(t, pmn_column_finish(&c, out, &t->err));
    json_decref(list);
}

static inline paimon_write *writer_for(write_place *p)
{
    struct ArrowSchema schema;
    paimon_write *write = NULL;
    OK(paimon_table_arrow_schema(p->table, &schema, err));
    OK(paimon_write_new(p->table, &schema, NULL, &write, err));
    return write;
}

static inline paimon_status write_json(write_place *p, paimon_write *write, const char *rows, paimon_error *err)
{
    struct ArrowArray batch;
    batch_of(&p->t, p->table->source->schema->row, rows, &batch);
    return paimon_write_batch(write, &batch, err);
}

static inline paimon_message_list *prepared(paimon_write *write)
{
    paimon_message_list *list = NULL;
    OK(paimon_write_prepare_commit(write, PAIMON_BATCH_COMMIT, &list, err));
    return list;
}

/* Rows written by one writer; its messages. */
static inline paimon_message_list *written(write_place *p, const char *rows)
{
    paimon_write *write = writer_for(p);
    OK(write_json(p, write, rows, err));
    paimon_message_list *list = prepared(write);
    paimon_write_free(write);
    return list;
}

static inline void committed(write_place *p, paimon_message_list *list)
{
    paimon_commit *commit = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    OK(paimon_commit_new(p->table, NULL, &commit, err));
    OK(paimon_commit_append(commit, list, PAIMON_BATCH_COMMIT, NULL, &result, err));
    paimon_commit_free(commit);
    paimon_message_list_free(list);
}

typedef struct file_list {
    paimon_fs *fs;
    const char *folder;
    shown *out;
} file_list;

static int list_one(void *arg, const paimon_file_info *info)
{
    file_list *at = arg;
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", at->folder, info->name);
    if (!info->is_directory) {
        show(at->out, "%s\n", path);
        return 0;
    }
    file_list below = { at->fs, path, at->out };
    OK(pmn_fs_list(at->fs, path, list_one, &below, err));
    return 0;
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Every file below a folder, one a line, sorted. Free it. */
static inline char *all_files(paimon_fs *fs, const char *folder)
{
    shown out = { 0 }, sorted = { 0 };
    show(&out, "%s", "");
    show(&sorted, "%s", "");
    file_list at = { fs, folder, &out };
    OK(pmn_fs_list(fs, folder, list_one, &at, err));
    size_t n = 0;
    char **lines = calloc(count_lines(out.text) + 1, sizeof *lines);
    for (char *line = strtok(out.text, "\n"); line; line = strtok(NULL, "\n")) lines[n++] = line;
    if (n) qsort(lines, n, sizeof *lines, compare_lines);
    for (size_t i = 0; i < n; i++) show(&sorted, "%s\n", lines[i]);
    free(lines);
    free(out.text);
    return sorted.text;
}

static inline size_t count_text(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) n++;
    return n;
}

/* Data files that lie under the table. */
static inline size_t data_files(write_place *p)
{
    char *files = all_files(p->fs, WRITE_ROOT);
    size_t n = count_text(files, "/bucket-");
    free(files);
    return n;
}

#define assert_table_rows(p, request, expected)                                                                          \
    do {                                                                                                                 \
        char *rows_ = read_rows_env((p)->env, WRITE_ROOT, request);                                                       \
        assert_string_equal(rows_, expected);                                                                            \
        free(rows_);                                                                                                     \
    } while (0)

#endif
