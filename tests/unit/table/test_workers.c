/* Planning in one place and reading in another: a worker has path, schema and bytes, and nothing else. */
#include "support/unit.h"

#include <pthread.h>

#include "base/bytes.h"
#include "io/fault.h"
#include "meta/split.h"
#include "support/failing_env.h"
#include "support/memory_files.h"
#include "support/read_table.h"
#include "support/tables.h"

static paimon_error err = PAIMON_ERROR_INIT;

#define OK(expr)                                                                                                         \
    do {                                                                                                                 \
        if ((expr) != PAIMON_OK) fail_msg("%s: %s", #expr, paimon_error_message(&err));                                  \
    } while (0)

typedef struct sent_split {
    uint8_t *bytes;
    size_t n;
} sent_split;

typedef struct coordinator {
    paimon_table *table;
    paimon_scan *scan;
    paimon_plan *plan;
} coordinator;

/* False if the table is one that is refused. */
static bool coordinate(paimon_env *env, const char *path, coordinator *c)
{
    memset(c, 0, sizeof *c);
    paimon_status status = paimon_table_open(env, path, NULL, 0, &c->table, &err);
    if (status == PAIMON_OK) status = paimon_scan_new(c->table, &c->scan, &err);
    if (status == PAIMON_OK) status = paimon_scan_plan(c->scan, &c->plan, &err);
    if (status != PAIMON_OK && status != PAIMON_UNSUPPORTED) fail_msg("%s: %s", path, paimon_error_message(&err));
    paimon_error_clear(&err);
    return status == PAIMON_OK;
}

static void dismiss(coordinator *c)
{
    paimon_plan_free(c->plan);
    paimon_scan_free(c->scan);
    paimon_table_free(c->table);
}

/* The rows of one split, by a worker. */
static char *work(paimon_env *env, const char *path, const char *schema, sent_split sent)
{
    paimon_table *table = NULL;
    paimon_read *read = NULL;
    paimon_split *split = NULL;
    struct ArrowArrayStream stream = { .release = NULL };
    paimon_table_open_options how = PAIMON_TABLE_OPEN_OPTIONS_INIT;
    how.schema_json = schema;
    paimon_status status = paimon_table_open_with(env, path, &how, &table, &err);
    if (status == PAIMON_OK) status = paimon_read_new(table, &read, &err);
    if (status == PAIMON_OK) status = paimon_split_deserialize(env, sent.bytes, sent.n, &split, &err);
    if (status == PAIMON_OK) status = paimon_read_splits(read, &split, 1, &stream, &err);
    paimon_split_free(split);
    paimon_read_free(read);
    paimon_table_free(table);
    return status == PAIMON_OK ? show_stream(&stream) : read_failed(status, &err);
}

static bool is_of_split(const paimon_split *split, const char *path)
{
    size_t folder = strlen(split->bucket_path);
    if (strncmp(path, split->bucket_path, folder) != 0 || path[folder] != '/') return false;
    for (uint32_t i = 0; i < split->n_files; i++)
        if (strcmp(path + folder + 1, pmn_split_file(split, i)->name) == 0) return true;
    return false;
}

static bool has_other_schema(const paimon_split *split, int64_t id)
{
    for (uint32_t i = 0; i < split->n_files; i++)
        if (pmn_split_file(split, i)->schema_id != id) return true;
    return false;
}

/* Whatever was done on the file system was reading files of the split, or a schema file where one was written with another schema. */
static void only_its_files(pmn_fault *fault, const coordinator *c, const paimon_split *split)
{
    for (int64_t i = 0; i < pmn_fault_count(fault); i++) {
        const char *path;
        pmn_fault_op op = pmn_fault_op_at(fault, i, &path);
        if (op == PMN_FAULT_OP_READ) continue;
        bool schema = strncmp(path, "mem:/t/schema/schema-", 21) == 0 && has_other_schema(split, paimon_table_schema_id(c->table));
        if ((op != PMN_FAULT_OP_OPEN_READ && op != PMN_FAULT_OP_STAT) || (!schema && !is_of_split(split, path)))
            fail_msg("operation %d on %s", (int)op, path);
    }
}

static void workers_touch_nothing_but_their_data_files(void **state)
{
    (void)state;
    static const char *const tables[] = { "golden/append-fixed/wh/db.db/t", "golden/part-multi/wh/db.db/t", "golden/types-parquet/wh/db.db/t",
                                          "tables/columns", "tables/swap-names", "tables/readd-column", "tables/many-files", "tables/bucketed" };
    for (size_t k = 0; k < sizeof tables / sizeof tables[0]; k++) {
        char folder[256];
        paimon_fs *memory = memory_files(), *watched = NULL;
        pmn_fault *fault = NULL;
        paimon_env *env = NULL;
        coordinator c;
        char *schema = NULL;
        snprintf(folder, sizeof folder, "data/%s", tables[k]);
        copy_test_folder(memory, folder, "mem:/t");
        OK(pmn_fault_fs_new(pmn_mem_default(), memory, &watched, &fault, &err));
        OK(paimon_env_new(NULL, &env, &err));
        OK(paimon_env_register_fs(env, "mem", watched, &err));
        assert_true(coordinate(env, "mem:/t", &c));
        OK(paimon_table_schema_json(c.table, &schema, &err));
        shown together = { 0 };
        for (size_t i = 0; i < paimon_plan_n_splits(c.plan); i++) {
            sent_split sent = { 0 };
            OK(paimon_split_serialize(paimon_plan_split(c.plan, i), 0, &sent.bytes, &sent.n, &err));
            pmn_fault_plan(fault, -1, PMN_FAULT_NONE);
            char *rows = work(env, "mem:/t", schema, sent);
            only_its_files(fault, &c, paimon_plan_split(c.plan, i));
            assert_true(pmn_fault_count(fault) > 0);
            show(&together, "%s", rows);
            free(rows);
            paimon_bytes_free(sent.bytes, sent.n);
        }
        char *whole = read_rows_env(env, "mem:/t", NULL);
        assert_string_equal(together.text, whole);
        free(whole);
        free(together.text);
        paimon_string_free(schema);
        dismiss(&c);
        paimon_env_free(env);
        paimon_fs_free(watched);
        paimon_fs_free(memory);
    }
}

/* --- what is refused --- */

#define TABLE_PATH GOLDEN("append-unaware-parquet")

/* The bytes of a split, with what the caller puts in place of its last `cut` bytes. */
static sent_split changed(const paimon_split *split, size_t cut, const void *end, size_t n)
{
    sent_split sent = { 0 }, copy;
    OK(paimon_split_serialize(split, 0, &sent.bytes, &sent.n, &err));
    copy.n = sent.n - cut + n;
    copy.bytes = malloc(copy.n);
    memcpy(copy.bytes, sent.bytes, sent.n - cut);
    if (n) memcpy(copy.bytes + sent.n - cut, end, n);
    paimon_bytes_free(sent.bytes, sent.n);
    return copy;
}

static void works(const char *schema, sent_split sent, const char *expected)
{
    char *rows = work(NULL, TABLE_PATH, schema, sent);
    if (*expected != 'e' ? strstr(rows, "error") != NULL : strstr(rows, expected + 1) == NULL) fail_msg("'%s' does not say '%s'", rows, expected);
    free(rows);
    free(sent.bytes);
}

static sent_split enveloped(uint8_t type, const void *before, size_t n_before, sent_split inner, const void *behind, size_t n_behind)
{
    sent_split out = { malloc(16 + n_before + inner.n + n_behind), 16 + n_before + inner.n + n_behind };
    memcpy(out.bytes, "SPLIT_V1\0\0\0\1\0\0\0", 15);
    out.bytes[15] = type;
    if (n_before) memcpy(out.bytes + 16, before, n_before);
    memcpy(out.bytes + 16 + n_before, inner.bytes, inner.n);
    if (n_behind) memcpy(out.bytes + 16 + n_before + inner.n, behind, n_behind);
    free(inner.bytes);
    return out;
}

static void splits_that_cannot_be_read_rightly_are_refused_by_name(void **state)
{
    (void)state;
    coordinator c;
    char *schema = NULL;
    assert_true(coordinate(NULL, TABLE_PATH, &c));
    OK(paimon_table_schema_json(c.table, &schema, &err));
    const paimon_split *split = paimon_plan_split(c.plan, 0);
    assert_int_equal(paimon_split_n_files(split), 2);
    /* it ends in: no deletion list, not streaming, raw */
    works(schema, changed(split, 0, NULL, 0), "");
    works(schema, changed(split, 1, "\0", 1), "emerging files on read is not supported yet");
    works(schema, changed(split, 3, "\1\0\0\0\2\0\0\0\1", 9), ""); /* a list of nulls */
    works(schema, changed(split, 3, "\1\0\0\0\2\0\1\0\2ix\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\1\0\1", 37), "edeletion vectors (of file data-");
    works(schema, changed(split, 0, "\0", 1), ""); /* of a table with a fallback branch, but not from there */
    works(schema, changed(split, 0, "\1", 1), "ea fallback branch's split (FallbackDataSplit)");
    works(schema, enveloped(7, "\1", 1, enveloped(1, NULL, 0, changed(split, 0, NULL, 0), NULL, 0), NULL, 0), "ea fallback branch's split (FallbackSplit)");
    works(schema, enveloped(7, "\0", 1, enveloped(1, NULL, 0, changed(split, 0, NULL, 0), NULL, 0), NULL, 0), "");
    works(schema, enveloped(5, NULL, 0, enveloped(1, NULL, 0, changed(split, 0, NULL, 0), NULL, 0), "\0", 1), "");
    works(schema, enveloped(5, NULL, 0, enveloped(1, NULL, 0, changed(split, 0, NULL, 0), NULL, 0), "\1\1\0\0\0\1\0\0\0\2{}\0", 13), "eauthorization (QueryAuthSplit)");
    works(schema, enveloped(3, "\xf2\xf9\xe0\x54\x42\x24\x2e\x31\0\0\0\1", 12, changed(split, 0, NULL, 0), "\0\0\0\0\0", 5), "erows chosen by an index (IndexedSplit)");
    sent_split blob = changed(split, 0, NULL, 0);
    for (size_t i = 0; i + 10 <= blob.n; i++)
        if (memcmp(blob.bytes + i, "-0.parquet", 10) == 0) memcpy(blob.bytes + i, "-000a.blob", 10);
    works(schema, blob, "eBLOB files (data-");
    sent_split slash = changed(split, 0, NULL, 0);
    for (size_t i = 0; i + 10 <= slash.n; i++)
        if (memcmp(slash.bytes + i, "-0.parquet", 10) == 0) slash.bytes[i] = '/';
    works(schema, slash, "ecannot be the name of a data file");
    paimon_string_free(schema);
    dismiss(&c);
    /* a partition where the table has no keys */
    assert_true(coordinate(NULL, GOLDEN("part-multi"), &c));
    OK(paimon_table_schema_json(c.table, &schema, &err));
    sent_split other = changed(paimon_plan_split(c.plan, 0), 0, NULL, 0);
    paimon_string_free(schema);
    dismiss(&c);
    assert_true(coordinate(NULL, TABLE_PATH, &c));
    OK(paimon_table_schema_json(c.table, &schema, &err));
    works(schema, other, "eit is of another table");
    paimon_string_free(schema);
    dismiss(&c);
}

static void a_table_that_cannot_be_read_is_refused_with_its_schema_given_too(void **state)
{
    (void)state;
    static const struct {
        const char *schema, *words;
    } cases[] = {
        { "{\"version\":3,\"id\":0,\"fields\":[{\"id\":0,\"name\":\"k\",\"type\":\"INT NOT NULL\"}],\"highestFieldId\":0,\"partitionKeys\":[],\"primaryKeys\":[\"k\"],\"options\":{},\"timeMillis\":1}",
          "primary-key tables" },
        { "{\"version\":3,\"id\":0,\"fields\":[{\"id\":0,\"name\":\"k\",\"type\":\"INT\"}],\"highestFieldId\":0,\"partitionKeys\":[],\"primaryKeys\":[],\"options\":{\"deletion-vectors.enabled\":\"true\"},\"timeMillis\":1}",
          "deletion vectors" },
        { "{\"version\":9}", "version 9" },
        { "{", "the schema given" },
        { "", "the schema given" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *rows = work(NULL, "/nowhere", cases[i].schema, (sent_split){ NULL, 0 });
        if (!strstr(rows, cases[i].words)) fail_msg("'%s' does not say '%s'", rows, cases[i].words);
        free(rows);
    }
}

/* --- every table there is --- */

static void assert_same_json(const paimon_split *a, const paimon_split *b)
{
    char *x = NULL, *y = NULL;
    OK(paimon_split_json(a, &x, &err));
    OK(paimon_split_json(b, &y, &err));
    assert_string_equal(x, y);
    paimon_string_free(x);
    paimon_string_free(y);
}

static void there_and_back(void *ctx, const char *name, const char *root)
{
    (void)name;
    coordinator c;
    if (coordinate(NULL, root, &c)) {
        for (size_t i = 0; i < paimon_plan_n_splits(c.plan); i++)
            for (int32_t version = 8; version <= 9; version++) {
                sent_split sent = { 0 }, again = { 0 };
                paimon_split *split = NULL;
                OK(paimon_split_serialize(paimon_plan_split(c.plan, i), version, &sent.bytes, &sent.n, &err));
                OK(paimon_split_deserialize(NULL, sent.bytes, sent.n, &split, &err));
                assert_same_json(split, paimon_plan_split(c.plan, i));
                assert_int_equal(paimon_split_row_count(split), paimon_split_row_count(paimon_plan_split(c.plan, i)));
                assert_int_equal(paimon_split_size_bytes(split), paimon_split_size_bytes(paimon_plan_split(c.plan, i)));
                OK(paimon_split_serialize(split, version, &again.bytes, &again.n, &err));
                assert_int_equal(again.n, sent.n);
                assert_memory_equal(again.bytes, sent.bytes, sent.n);
                paimon_split_free(split);
                paimon_bytes_free(sent.bytes, sent.n);
                paimon_bytes_free(again.bytes, again.n);
                ++*(int *)ctx;
            }
    }
    dismiss(&c);
}

static void splits_of_every_table_come_back_the_same(void **state)
{
    (void)state;
    int n = 0;
    assert_true(each_table(there_and_back, &n) > 0);
    assert_true(n > 20);
    printf("%d splits\n", n);
}

static void what_is_asked_wrongly_is_told(void **state)
{
    (void)state;
    coordinator c;
    uint8_t *bytes = NULL;
    size_t n = 0;
    paimon_split *split = NULL;
    paimon_table *table = NULL;
    paimon_table_open_options how = PAIMON_TABLE_OPEN_OPTIONS_INIT;
    assert_true(coordinate(NULL, TABLE_PATH, &c));
    assert_int_equal(paimon_split_current_version(), 9);
    assert_int_equal(paimon_split_serialize(NULL, 0, &bytes, &n, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_split_serialize(paimon_plan_split(c.plan, 0), 0, NULL, &n, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_split_serialize(paimon_plan_split(c.plan, 0), 7, &bytes, &n, &err), PAIMON_UNSUPPORTED);
    assert_non_null(strstr(paimon_error_message(&err), "versions 8 and 9"));
    assert_int_equal(paimon_split_deserialize(NULL, NULL, 5, &split, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_split_deserialize(NULL, "x", 1, NULL, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_split_deserialize(NULL, NULL, 0, &split, NULL), PAIMON_CORRUPT);
    assert_int_equal(paimon_table_open_with(NULL, NULL, &how, &table, NULL), PAIMON_INVALID);
    how.schema_json = "{}";
    assert_int_equal(paimon_table_open_with(NULL, "/t", &how, &table, NULL), PAIMON_CORRUPT);
    how.n_options = 1;
    assert_int_equal(paimon_table_open_with(NULL, "/t", &how, &table, NULL), PAIMON_INVALID);
    assert_true(!bytes && !split && !table);
    paimon_bytes_free(NULL, 0);
    paimon_split_free(NULL);
    paimon_error_clear(&err);
    dismiss(&c);
}

/* --- memory, threads --- */

static void refused_memory_is_told_and_nothing_leaks(void **state)
{
    (void)state;
    failing_env f;
    coordinator c;
    failing_env_begin(&f, NULL);
    paimon_status status = PAIMON_NOMEM;
    for (int64_t at = 0; status == PAIMON_NOMEM; at++) {
        uint8_t *bytes = NULL;
        size_t n = 0;
        assert_true(coordinate(f.env, GOLDEN("part-multi"), &c)); /* a fresh plan: nothing of it is decoded yet */
        failing_env_refuse(&f, at, false);
        status = paimon_split_serialize(paimon_plan_split(c.plan, 0), 0, &bytes, &n, NULL);
        failing_env_relent(&f);
        assert_true(status == PAIMON_OK || (status == PAIMON_NOMEM && !bytes));
        paimon_bytes_free(bytes, n);
        dismiss(&c);
    }
    assert_int_equal(status, PAIMON_OK);
    failing_env_end(&f);
}

typedef struct sharing {
    const paimon_plan *plan;
    uint64_t sum;
} sharing;

static void *sum_bytes(void *arg)
{
    sharing *s = arg;
    for (int round = 0; round < 5; round++)
        for (size_t i = 0; i < paimon_plan_n_splits(s->plan); i++) {
            uint8_t *bytes = NULL;
            size_t n = 0;
            if (paimon_split_serialize(paimon_plan_split(s->plan, i), 0, &bytes, &n, NULL) != PAIMON_OK) abort();
            for (size_t k = 0; k < n; k++) s->sum = s->sum * 31 + bytes[k];
            paimon_bytes_free(bytes, n);
        }
    return NULL;
}

static void threads_may_share_a_plan(void **state)
{
    (void)state;
    coordinator c;
    pthread_t threads[6];
    sharing shared[6];
    assert_true(coordinate(NULL, GOLDEN("part-multi"), &c));
    for (int i = 0; i < 6; i++) {
        shared[i] = (sharing){ c.plan, 0 };
        assert_int_equal(pthread_create(&threads[i], NULL, sum_bytes, &shared[i]), 0);
    }
    for (int i = 0; i < 6; i++) pthread_join(threads[i], NULL);
    for (int i = 1; i < 6; i++) assert_int_equal(shared[i].sum, shared[0].sum);
    dismiss(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_touch_nothing_but_their_data_files),
        cmocka_unit_test(splits_that_cannot_be_read_rightly_are_refused_by_name),
        cmocka_unit_test(a_table_that_cannot_be_read_is_refused_with_its_schema_given_too),
        cmocka_unit_test(splits_of_every_table_come_back_the_same),
        cmocka_unit_test(what_is_asked_wrongly_is_told),
        cmocka_unit_test(refused_memory_is_told_and_nothing_leaks),
        cmocka_unit_test(threads_may_share_a_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
