/* Tables that are renamed, or dropped and made again, while somebody writes to them: what was begun goes with its table or fails, and no other
 * table that takes the name gets any of it. On a real disk, where folders have names of their own. */
#include "support/write_table.h"

#include <sys/stat.h>
#include <unistd.h>

#include "support/failing_env.h"
#include "support/remove_tree.h"

#define DEFINITION "{\"fields\":[{\"name\":\"v\",\"type\":\"INT\"}]}"
#define OTHER "{\"fields\":[{\"name\":\"w\",\"type\":\"STRING\"},{\"name\":\"v\",\"type\":\"INT\"}]}"

static char base[64];
static paimon_catalog *catalog;
static test_env t;

static int open_catalog(void **state)
{
    (void)state;
    strcpy(base, "/tmp/paimon-dropped-XXXXXX");
    if (!mkdtemp(base)) return -1;
    env_begin(&t, NULL);
    OK(paimon_catalog_open(NULL, base, NULL, 0, &catalog, err));
    OK(paimon_catalog_create_database(catalog, "db", false, err));
    return 0;
}

static int close_catalog(void **state)
{
    (void)state;
    paimon_catalog_free(catalog);
    remove_tree(base);
    env_end(&t);
    return 0;
}

static void make(const char *name, const char *json)
{
    paimon_table_definition definition = PAIMON_TABLE_DEFINITION_INIT;
    definition.schema_json = json;
    OK(paimon_catalog_create_table(catalog, "db", name, &definition, err));
}

static bool folder_is_there(const char *relative)
{
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/db.db/%s", base, relative);
    return stat(path, &st) == 0;
}

static size_t rows_of_table(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "%s/db.db/%s", base, name);
    char *rows = read_rows(path, NULL);
    if (strstr(rows, "error")) fail_msg("%s: %s", path, rows);
    size_t n = count_lines(rows);
    free(rows);
    return n;
}

typedef struct work {
    paimon_table *table;
    paimon_write *write;
    paimon_commit *commit;
} work;

static work begin(void)
{
    work w = { .table = NULL };
    struct ArrowSchema schema;
    OK(paimon_catalog_open_table(catalog, "db.t", NULL, 0, &w.table, err));
    OK(paimon_table_arrow_schema(w.table, &schema, err));
    OK(paimon_write_new(w.table, &schema, NULL, &w.write, err));
    OK(paimon_commit_new(w.table, "me", &w.commit, err));
    return w;
}

static void end(work *w)
{
    paimon_write_free(w->write);
    paimon_commit_free(w->commit);
    paimon_table_free(w->table);
}

static paimon_status go_on(work *w, int64_t identifier, paimon_error *err)
{
    struct ArrowArray batch;
    paimon_message_list *list = NULL;
    batch_of(&t, w->table->source->schema->row, "[[1],[2]]", &batch);
    paimon_status s = paimon_write_batch(w->write, &batch, err);
    if (s == PAIMON_OK) s = paimon_write_prepare_commit(w->write, identifier, &list, err);
    if (s == PAIMON_OK) s = paimon_commit_append(w->commit, list, identifier, NULL, NULL, err);
    paimon_message_list_free(list);
    return s;
}

static void a_renamed_table_keeps_its_writers(void **state)
{
    (void)state;
    make("t", DEFINITION);
    work w = begin();
    OK(go_on(&w, 1, err));
    OK(paimon_catalog_rename_table(catalog, "db", "t", "db", "u", err));
    OK(go_on(&w, 2, err));
    assert_false(folder_is_there("t"));
    make("t", OTHER);
    OK(go_on(&w, 3, err));
    OK(paimon_commit_truncate(w.commit, 4, NULL, err));
    OK(go_on(&w, 5, err));
    assert_int_equal(rows_of_table("u"), 2);
    assert_int_equal(rows_of_table("t"), 0);
    assert_false(folder_is_there("t/bucket-0") || folder_is_there("t/manifest") || folder_is_there("t/snapshot"));
    end(&w);
}

static void a_dropped_table_takes_its_writers_along(void **state)
{
    (void)state;
    make("t", DEFINITION);
    work w = begin();
    OK(go_on(&w, 1, err));
    OK(paimon_catalog_drop_table(catalog, "db", "t", false, err));
    REFUSED(PAIMON_NOT_FOUND, "", go_on(&w, 2, err));
    assert_false(folder_is_there("t"));
    make("t", DEFINITION);
    REFUSED(PAIMON_NOT_FOUND, "", paimon_commit_truncate(w.commit, 3, NULL, err));
    end(&w);
    assert_int_equal(rows_of_table("t"), 0);
    assert_false(folder_is_there("t/bucket-0") || folder_is_there("t/manifest") || folder_is_there("t/snapshot"));
}

/* Opened before, written to after: the name is another table's. */
static void a_table_made_again_is_told_from_the_one_that_was_opened(void **state)
{
    (void)state;
    const paimon_option change = { "k", "v" };
    for (int i = 0; i < 2; i++) {
        paimon_table *table = NULL;
        paimon_write *write = NULL;
        paimon_commit *commit = NULL;
        struct ArrowSchema schema;
        make("t", DEFINITION);
        OK(paimon_catalog_open_table(catalog, "db.t", NULL, 0, &table, err));
        OK(paimon_catalog_drop_table(catalog, "db", "t", false, err));
        OK(paimon_table_arrow_schema(table, &schema, err));
        REFUSED(PAIMON_NOT_FOUND, "", paimon_write_new(table, &schema, NULL, &write, err));
        assert_null(schema.release);
        REFUSED(PAIMON_NOT_FOUND, "", paimon_table_set_options(table, &change, 1, err));
        assert_false(folder_is_there("t"));
        usleep(2000); /* a schema tells when it was made, in milliseconds */
        make("t", i ? OTHER : DEFINITION);
        OK(paimon_table_arrow_schema(table, &schema, err));
        REFUSED(PAIMON_CONFLICT, "another table", paimon_write_new(table, &schema, NULL, &write, err));
        REFUSED(PAIMON_CONFLICT, "another table", paimon_commit_new(table, NULL, &commit, err));
        REFUSED(PAIMON_CONFLICT, "another table", paimon_table_set_options(table, &change, 1, err));
        paimon_table_free(table);
        OK(paimon_catalog_drop_table(catalog, "db", "t", false, err));
    }
}

/* What a drop that was killed has left is nobody's table, and goes with the next one. */
static void leftovers_of_a_drop_are_no_tables(void **state)
{
    (void)state;
    paimon_string_list *names = NULL;
    char path[200];
    make("t", DEFINITION);
    make("t2", DEFINITION);
    snprintf(path, sizeof path, "%s/db.db/.t.dropped-0", base);
    assert_int_equal(mkdir(path, 0777), 0);
    strcat(path, "/bucket-0");
    assert_int_equal(mkdir(path, 0777), 0);
    OK(paimon_catalog_list_tables(catalog, "db", &names, err));
    assert_int_equal(paimon_string_list_size(names), 2);
    paimon_string_list_free(names);
    OK(paimon_catalog_drop_table(catalog, "db", "t2", false, err));
    assert_true(folder_is_there(".t.dropped-0"));
    OK(paimon_catalog_drop_table(catalog, "db", "t", false, err));
    assert_false(folder_is_there(".t.dropped-0"));
}

/* Snapshots without a schema are another table's remains: a new table must not begin with them. */
static void a_table_is_not_made_upon_old_snapshots(void **state)
{
    (void)state;
    char path[200], away[200];
    paimon_table_definition definition = PAIMON_TABLE_DEFINITION_INIT;
    definition.schema_json = DEFINITION;
    make("t", DEFINITION);
    work w = begin();
    OK(go_on(&w, 1, err));
    end(&w);
    snprintf(path, sizeof path, "%s/db.db/t/schema", base);
    snprintf(away, sizeof away, "%s/away", base);
    assert_int_equal(rename(path, away), 0);
    REFUSED(PAIMON_STATE, "snapshots", paimon_catalog_create_table(catalog, "db", "t", &definition, err));
}

static bool refuse(int64_t n, bool once)
{
    char path[200];
    failing_env f;
    paimon_table *table = NULL;
    paimon_write *write = NULL;
    paimon_commit *commit = NULL;
    const paimon_option change = { "k", "v" };
    struct ArrowSchema schema = { .release = NULL };
    snprintf(path, sizeof path, "%s/db.db/t", base);
    failing_env_begin(&f, NULL);
    OK(paimon_table_open(f.env, path, NULL, 0, &table, err));
    OK(paimon_table_arrow_schema(table, &schema, err));
    failing_env_refuse(&f, n, once);
    paimon_status s = paimon_write_new(table, &schema, NULL, &write, NULL);
    if (s == PAIMON_OK) s = paimon_commit_new(table, "me", &commit, NULL);
    if (s == PAIMON_OK) s = paimon_table_set_options(table, &change, 1, NULL);
    bool reached = failing_env_relent(&f);
    assert_true(s == PAIMON_NOMEM || (s == PAIMON_OK && (!reached || once)));
    paimon_write_free(write);
    paimon_commit_free(commit);
    paimon_table_free(table);
    failing_env_end(&f);
    return reached;
}

static void every_refused_allocation_of_those_who_hold_a_table_is_told(void **state)
{
    (void)state;
    make("t", DEFINITION);
    int64_t n = 0;
    for (int once = 0; once < 2; once++)
        for (n = 0; refuse(n, once);) n++;
    assert_true(n > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_renamed_table_keeps_its_writers, open_catalog, close_catalog),
        cmocka_unit_test_setup_teardown(a_dropped_table_takes_its_writers_along, open_catalog, close_catalog),
        cmocka_unit_test_setup_teardown(a_table_made_again_is_told_from_the_one_that_was_opened, open_catalog, close_catalog),
        cmocka_unit_test_setup_teardown(leftovers_of_a_drop_are_no_tables, open_catalog, close_catalog),
        cmocka_unit_test_setup_teardown(every_refused_allocation_of_those_who_hold_a_table_is_told, open_catalog, close_catalog),
        cmocka_unit_test_setup_teardown(a_table_is_not_made_upon_old_snapshots, open_catalog, close_catalog),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
