/* paimon_inspect on every metadata file of every table there is, on Avro files of other writers, and on damaged ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/json.h"
#include "paimon-c/inspect.h"
#include "paimon-c/predicate.h"
#include "support/tables.h"

typedef struct tally {
    int files, refused;
} tally;

static paimon_error err = PAIMON_ERROR_INIT;

/* The type as paimon_inspect finds it out: the copy has another name. */
static const char *type_of(const char *path)
{
    static const char *const types[] = { "schema", "snapshot", "changelog", "manifest-list", "index-manifest", "manifest" };
    const char *name = strrchr(path, '/') + 1;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(name, types[i], strlen(types[i])) == 0) return types[i];
    return NULL;
}

/* What was encoded again, encoded again, is the same. */
static void rewrite_twice(const char *path)
{
    uint8_t *once = NULL, *twice = NULL;
    size_t n_once = 0, n_twice = 0;
    char copy[] = "/tmp/paimon-rewrite-XXXXXX";
    if (!type_of(path)) return;
    int fd = mkstemp(copy);
    if (paimon_inspect_rewrite(NULL, path, NULL, 0, &once, &n_once, &err) != PAIMON_OK) fail_msg("%s: %s", path, paimon_error_message(&err));
    assert_int_equal(write(fd, once, n_once), n_once);
    if (paimon_inspect_rewrite(NULL, copy, type_of(path), 0, &twice, &n_twice, &err) != PAIMON_OK) fail_msg("%s: %s", path, paimon_error_message(&err));
    assert_int_equal(n_once, n_twice);
    assert_memory_equal(once, twice, n_once);
    close(fd);
    unlink(copy);
    paimon_bytes_free(once, n_once);
    paimon_bytes_free(twice, n_twice);
}

static void inspect_file(tally *t, const char *path, const char *type)
{
    char *json = NULL;
    paimon_status status = paimon_inspect(NULL, path, type, &json, &err);
    t->files++;
    if (status == PAIMON_UNSUPPORTED) {
        assert_true(strstr(paimon_error_message(&err), "codec"));
        paimon_error_clear(&err);
        t->refused++;
        return;
    }
    if (status != PAIMON_OK) fail_msg("%s: %s", path, paimon_error_message(&err));
    pmn_json *parsed = NULL;
    if (pmn_json_parse(pmn_slice_text(json), &parsed, &err) != PAIMON_OK) fail_msg("%s: %s", path, paimon_error_message(&err));
    assert_int_equal(pmn_json_kind_of(parsed), PMN_JSON_OBJECT);
    pmn_json_free(parsed);
    paimon_string_free(json);
    if (!type) rewrite_twice(path);
}

static int each_file(const char *folder, const char *ending, void (*fn)(tally *, const char *, const char *), tally *t)
{
    DIR *dir = opendir(folder);
    if (!dir) return 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char path[8192];
        size_t n = strlen(entry->d_name), m = strlen(ending);
        if (entry->d_type == DT_DIR || n < m || strcmp(entry->d_name + n - m, ending) != 0) continue;
        if (strcmp(entry->d_name, "LATEST") == 0 || strcmp(entry->d_name, "EARLIEST") == 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        fn(t, path, NULL);
    }
    closedir(dir);
    return 1;
}

static void inspect_table(void *ctx, const char *name, const char *root)
{
    (void)name;
    static const char *const folders[] = { "schema", "snapshot", "tag", "changelog", "manifest" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[8192];
        snprintf(folder, sizeof folder, "%.6000s/%s", root, folders[i]);
        each_file(folder, "", inspect_file, ctx);
    }
}

static void metadata_of_every_table_is_shown_as_json(void **state)
{
    (void)state;
    tally t = { 0, 0 };
    assert_true(each_table(inspect_table, &t) > 0);
    printf("%d files\n", t.files);
    assert_int_equal(t.refused, 0);
}

static void inspect_avro_file(tally *t, const char *path, const char *type)
{
    (void)type;
    inspect_file(t, path, "avro");
}

static void inspect_damaged(tally *t, const char *path, const char *type)
{
    (void)type;
    static const char *const types[] = { "avro", "manifest", "manifest-list", "index-manifest" };
    for (int i = 0; i < 4; i++) {
        char *json = NULL;
        paimon_status status = paimon_inspect(NULL, path, types[i], &json, NULL);
        assert_true(status == PAIMON_OK || status == PAIMON_CORRUPT || status == PAIMON_UNSUPPORTED || status == PAIMON_NOMEM);
        assert_int_equal(json != NULL, status == PAIMON_OK);
        paimon_string_free(json);
    }
    t->files++;
}

static void avro_files_of_other_writers_are_shown_and_damaged_ones_do_no_harm(void **state)
{
    (void)state;
    char folder[8192];
    tally good = { 0, 0 }, bad = { 0, 0 };
    const char *shared = getenv("PAIMON_SHARED");
    if (!shared) shared = PAIMON_SOURCE_DIR "/../shared";
    snprintf(folder, sizeof folder, "%.6000s/corpus/avro", shared);
    if (!each_file(folder, ".avro", inspect_avro_file, &good)) {
        printf("SKIPPED: no Avro files in %s (set PAIMON_SHARED)\n", folder);
        return;
    }
    snprintf(folder, sizeof folder, "%.6000s/corpus/bad", shared);
    each_file(folder, ".avro", inspect_damaged, &bad);
    printf("%d good files (%d refused by name), %d damaged ones\n", good.files, good.refused, bad.files);
}

static void what_is_asked_wrongly_is_told(void **state)
{
    (void)state;
    char *json = NULL;
    const char *readme = PAIMON_SOURCE_DIR "/tests/data/avro/README.md";
    assert_int_equal(paimon_inspect(NULL, NULL, NULL, &json, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_inspect(NULL, readme, NULL, NULL, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_inspect(NULL, readme, "poem", &json, &err), PAIMON_INVALID);
    assert_non_null(strstr(paimon_error_message(&err), "poem"));
    assert_int_equal(paimon_inspect(NULL, readme, NULL, &json, &err), PAIMON_INVALID);
    assert_int_equal(paimon_inspect(NULL, readme, "statistics", &json, &err), PAIMON_UNSUPPORTED);
    assert_int_equal(paimon_inspect(NULL, readme, "split", &json, &err), PAIMON_CORRUPT);
    assert_int_equal(paimon_inspect(NULL, readme, "message", &json, &err), PAIMON_CORRUPT);
    assert_int_equal(paimon_inspect(NULL, readme, "messages", &json, &err), PAIMON_CORRUPT);
    assert_int_equal(paimon_inspect(NULL, readme, "committable", &json, &err), PAIMON_CORRUPT);
    assert_int_equal(paimon_inspect(NULL, readme, "manifest", &json, &err), PAIMON_CORRUPT);
    assert_int_equal(paimon_inspect(NULL, readme, "schema", &json, &err), PAIMON_CORRUPT);
    assert_int_equal(paimon_inspect(NULL, PAIMON_SOURCE_DIR "/nothing/here", NULL, &json, &err), PAIMON_NOT_FOUND);
    assert_null(json);
    paimon_error_clear(&err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metadata_of_every_table_is_shown_as_json),
        cmocka_unit_test(avro_files_of_other_writers_are_shown_and_damaged_ones_do_no_harm),
        cmocka_unit_test(what_is_asked_wrongly_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
