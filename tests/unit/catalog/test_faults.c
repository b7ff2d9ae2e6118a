/* Making, changing, renaming and dropping tables while memory, disk or the process fails anywhere: every table is as before or as asked,
 * what was asked for can be asked for again, and what is told as done is done. */
#include "support/write_table.h"

#include "support/failing_env.h"
#include "support/no_pauses.h"

#define WAREHOUSE "mem:/wh"
#define FIELDS "{\"id\":0,\"name\":\"p\",\"type\":\"INT\"},{\"id\":1,\"name\":\"v\",\"type\":\"STRING\"}"
#define ROWS "[[1,\"a\"],[2,\"b\"]]"
#define NEW_TABLE "{\"fields\":[{\"name\":\"a\",\"type\":\"INT\"}],\"options\":{\"k\":\"v\"}}"

typedef enum act { CREATE_DATABASE, CREATE, SET, RENAME, DROP, DROP_DATABASE, TRUNCATE, DROP_PARTITION, OVERWRITE, N_ACTS } act;

/* What there is of a table, as the sound file system shows it: "" for none, else options and rows. */
static char *state_of(paimon_env *env, const char *database, const char *name)
{
    char path[100];
    paimon_table *table = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    snprintf(path, sizeof path, WAREHOUSE "/%s.db/%s", database, name);
    paimon_status status = paimon_table_open(env, path, NULL, 0, &table, &err);
    if (status == PAIMON_NOT_FOUND) {
        paimon_error_clear(&err);
        return strdup("");
    }
    if (status != PAIMON_OK) fail_msg("%s: %s", path, paimon_error_message(&err));
    char *json = NULL, *rows = read_rows_env(env, path, NULL);
    OK(paimon_table_schema_json(table, &json, err));
    if (strstr(rows, "error")) fail_msg("%s: %s", path, rows);
    shown out = { 0 };
    show(&out, "%s%zu rows", strstr(json, "\"added\"") ? "changed, " : "", count_lines(rows));
    paimon_string_free(json);
    free(rows);
    paimon_table_free(table);
    return out.text;
}

static void is_one_of(const char *name, const char *state, const char *a, const char *b, const char *what)
{
    if (strcmp(state, a) != 0 && strcmp(state, b) != 0) fail_msg("%s: db.%s is '%s', neither '%s' nor '%s'", what, name, state, a, b);
}

static paimon_status change_rows(paimon_table *table, act which, paimon_message_list *messages, paimon_error *err)
{
    paimon_commit *commit = NULL;
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    const paimon_option pair = { "p", "1" };
    const paimon_partition_spec spec = { &pair, 1 };
    paimon_status s = paimon_commit_new(table, "me", &commit, err);
    if (s == PAIMON_OK && which == TRUNCATE) s = paimon_commit_truncate(commit, 5, &result, err);
    if (s == PAIMON_OK && which == DROP_PARTITION) s = paimon_commit_drop_partitions(commit, &spec, 1, 5, &result, err);
    if (s == PAIMON_OK && which == OVERWRITE) s = paimon_commit_overwrite(commit, &pair, 1, messages, 5, NULL, &result, err);
    paimon_commit_free(commit);
    return s;
}

static paimon_status run_on_table(paimon_env *env, act which, paimon_message_list *messages, paimon_error *err)
{
    paimon_table *table = NULL;
    const paimon_option change = { "added", "1" };
    paimon_status s = paimon_table_open(env, WRITE_ROOT, NULL, 0, &table, err);
    if (s == PAIMON_OK) s = which == SET ? paimon_table_set_options(table, &change, 1, err) : change_rows(table, which, messages, err);
    paimon_table_free(table);
    return s;
}

static paimon_status run_act(paimon_env *env, act which, paimon_message_list *messages, paimon_error *err)
{
    paimon_catalog *catalog = NULL;
    paimon_table_definition definition = PAIMON_TABLE_DEFINITION_INIT;
    definition.schema_json = NEW_TABLE;
    if (which == SET || which >= TRUNCATE) return run_on_table(env, which, messages, err);
    paimon_status s = paimon_catalog_open(env, WAREHOUSE, NULL, 0, &catalog, err);
    if (s != PAIMON_OK) return s;
    switch (which) {
    case CREATE_DATABASE: s = paimon_catalog_create_database(catalog, "new", true, err); break;
    case CREATE: s = paimon_catalog_create_table(catalog, "db", "new", &definition, err); break;
    case RENAME: s = paimon_catalog_rename_table(catalog, "db", "t", "db", "new", err); break;
    case DROP: s = paimon_catalog_drop_table(catalog, "db", "t", true, err); break;
    default: s = paimon_catalog_drop_database(catalog, "db", true, true, err);
    }
    paimon_catalog_free(catalog);
    return s;
}

/* A drop that was cut short may have taken the rows and left the table. */
static void check_states(paimon_env *env, act which, paimon_status status, const char *what)
{
    char *t = state_of(env, "db", "t"), *new = state_of(env, "db", "new");
    switch (which) {
    case CREATE_DATABASE: is_one_of("t", t, "2 rows", "", what); break;
    case CREATE:
        is_one_of("new", new, "0 rows", status == PAIMON_OK ? "0 rows" : "", what);
        is_one_of("t", t, "2 rows", "2 rows", what);
        break;
    case SET: is_one_of("t", t, "changed, 2 rows", status == PAIMON_OK ? "changed, 2 rows" : "2 rows", what); break;
    case RENAME:
        if ((*t != 0) == (*new != 0)) fail_msg("%s: 't' is '%s', 'new' is '%s'", what, t, new);
        is_one_of(*t ? "t" : "new", *t ? t : new, "2 rows", "2 rows", what);
        if (status == PAIMON_OK) assert_string_equal(t, "");
        break;
    case DROP:
    case DROP_DATABASE:
        if (*t && strcmp(t, "0 rows") != 0 && strcmp(t, "2 rows") != 0) fail_msg("%s: 't' is '%s'", what, t);
        if (status == PAIMON_OK) assert_string_equal(t, "");
        break;
    case TRUNCATE: is_one_of("t", t, "0 rows", status == PAIMON_OK ? "0 rows" : "2 rows", what); break;
    case DROP_PARTITION: is_one_of("t", t, "1 rows", status == PAIMON_OK ? "1 rows" : "2 rows", what); break;
    default: is_one_of("t", t, "3 rows", status == PAIMON_OK ? "3 rows" : "2 rows", what);
    }
    free(t);
    free(new);
}

/* The same again, by somebody whose disk is sound. A new table of a dropped one's name is empty. */
static void check_again(write_place *p, paimon_env *sound, act which, paimon_message_list *messages, const char *what)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status s = run_act(sound, which, messages, &err);
    bool was_done = s == PAIMON_ALREADY_EXISTS || s == PAIMON_NOT_FOUND || (which == OVERWRITE && s == PAIMON_CONFLICT);
    if (s != PAIMON_OK && !((which == CREATE || which == RENAME || which == OVERWRITE) && was_done)) fail_msg("%s, again: %s", what, paimon_error_message(&err));
    paimon_error_clear(&err);
    check_states(sound, which, PAIMON_OK, what);
    if (which != DROP && which != DROP_DATABASE) return;
    paimon_catalog *catalog = NULL;
    paimon_table_definition definition = PAIMON_TABLE_DEFINITION_INIT;
    definition.schema_json = NEW_TABLE;
    (void)p;
    OK(paimon_catalog_open(sound, WAREHOUSE, NULL, 0, &catalog, err));
    OK(paimon_catalog_create_database(catalog, "db", true, err));
    OK(paimon_catalog_create_table(catalog, "db", "t", &definition, err));
    char *t = state_of(sound, "db", "t");
    is_one_of("t", t, "0 rows", "0 rows", what);
    free(t);
    paimon_catalog_free(catalog);
}

static write_place filled_place(paimon_message_list **messages)
{
    write_place p = write_place_new(NULL, FIELDS, "[\"p\"]", "\"bucket\":\"-1\"");
    committed(&p, written(&p, ROWS));
    *messages = written(&p, "[[1,\"x\"],[1,\"y\"]]");
    return p;
}

/* --- disk --- */

static bool fail_at(act which, int64_t at, pmn_fault_kind kind)
{
    char what[100];
    paimon_message_list *messages;
    write_place p = filled_place(&messages);
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_fault_plan(p.fault, at, kind);
    paimon_status s = run_act(p.env, which, messages, &err);
    bool reached = pmn_fault_count(p.fault) > at;
    snprintf(what, sizeof what, "act %d, operation %d as %d: %.60s", (int)which, (int)at, (int)kind, s == PAIMON_OK ? "OK" : paimon_error_message(&err));
    paimon_error_clear(&err);
    pmn_fault_plan(p.fault, -1, PMN_FAULT_NONE);
    if (!reached && s != PAIMON_OK) fail_msg("%s", what);
    check_states(p.env, which, s, what);
    check_again(&p, p.env, which, messages, what);
    paimon_message_list_free(messages);
    write_place_leave(&p);
    return reached;
}

static void a_disk_that_fails_anywhere_leaves_tables_as_they_were_or_as_asked(void **state)
{
    (void)state;
    for (int which = 0; which < N_ACTS; which++)
        for (int kind = PMN_FAULT_FAIL; kind <= PMN_FAULT_KILL_AFTER; kind++)
            for (int64_t at = 0; fail_at((act)which, at, (pmn_fault_kind)kind);) at++;
}

/* --- memory --- */

static bool refuse(act which, int64_t n, bool once)
{
    char what[200];
    paimon_message_list *messages;
    write_place p = filled_place(&messages);
    failing_env f;
    failing_env_begin(&f, p.fs);
    failing_env_refuse(&f, n, once);
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status s = run_act(f.env, which, messages, &err);
    bool reached = failing_env_relent(&f);
    snprintf(what, sizeof what, "act %d, %s: %.50s", (int)which, f.what, s == PAIMON_OK ? "OK" : paimon_error_message(&err));
    if (s != PAIMON_OK && s != PAIMON_NOMEM && !strstr(what, "memory")) fail_msg("%s", what);
    paimon_error_clear(&err);
    failing_env_end(&f);
    if (!reached && s != PAIMON_OK) fail_msg("%s", what);
    check_states(p.env, which, s, what);
    check_again(&p, p.env, which, messages, what);
    paimon_message_list_free(messages);
    write_place_leave(&p);
    return reached;
}

static void every_refused_allocation_leaves_tables_as_they_were_or_as_asked(void **state)
{
    (void)state;
    for (int which = 0; which < N_ACTS; which++)
        for (int once = 0; once < 2; once++)
            for (int64_t n = 0; refuse((act)which, n, once);) n += n < 60 ? 1 : 1 + n / 15;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_that_fails_anywhere_leaves_tables_as_they_were_or_as_asked),
        cmocka_unit_test(every_refused_allocation_leaves_tables_as_they_were_or_as_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
