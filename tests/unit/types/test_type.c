/* Data types: texts, JSON, Arrow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>

#include "support/failing_alloc.h"
#include "support/vectors.h"

static pmn_buf printed(test_env *t, const pmn_type *type)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    must(t, pmn_type_print(type, &out, &t->err));
    must(t, pmn_buf_terminate(&out, &t->err));
    return out;
}

static void texts_parse_and_print_as_java_writes_them(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "int", "INT" },
        { "INTEGER NOT NULL", "INT NOT NULL" },
        { "int null", "INT" },
        { "char", "CHAR(1)" },
        { "VARCHAR(2147483647)", "STRING" },
        { " varchar ( 3 ) not  null ", "VARCHAR(3) NOT NULL" },
        { "VARBINARY(2147483647)", "BYTES" },
        { "BINARY(7)", "BINARY(7)" },
        { "DEC", "DECIMAL(10, 0)" },
        { "NUMERIC(38,38)", "DECIMAL(38, 38)" },
        { "double precision", "DOUBLE" },
        { "TIME", "TIME(0)" },
        { "TIME(3) WITHOUT TIME ZONE", "TIME(3)" },
        { "TIMESTAMP", "TIMESTAMP(6)" },
        { "TIMESTAMP(9) without time zone", "TIMESTAMP(9)" },
        { "TIMESTAMP_LTZ(3)", "TIMESTAMP(3) WITH LOCAL TIME ZONE" },
        { "TIMESTAMP WITH LOCAL TIME ZONE NOT NULL", "TIMESTAMP(6) WITH LOCAL TIME ZONE NOT NULL" },
        { "INT NOT NULL ARRAY", "ARRAY<INT NOT NULL>" },
        { "STRING MULTISET NOT NULL", "MULTISET<STRING> NOT NULL" },
        { "MAP<STRING,ARRAY<DECIMAL(4,2)>>", "MAP<STRING, ARRAY<DECIMAL(4, 2)>>" },
        { "VECTOR<FLOAT, 128>", "VECTOR<FLOAT, 128>" },
        { "ROW<>", "ROW<>" },
        { "ROW<a INT 'x', `b``c` STRING COMMENT 'it''s' DEFAULT f('a,b>', 1)>", "ROW<`a` INT COMMENT 'x', `b``c` STRING COMMENT 'it''s' DEFAULT f('a,b>', 1)>" },
        { "VARIANT", "VARIANT" },
        { "blob", "BLOB" },
        { "GEOMETRY", "GEOMETRY(OGC:CRS84)" },
        { "GEOMETRY('4326')", "GEOMETRY('4326')" },
        { "GEOGRAPHY(EPSG:4326, Karney)", "GEOGRAPHY(EPSG:4326, karney)" },
    };
    test_env t;
    env_begin(&t, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const pmn_type *type, *again;
        must(&t, pmn_type_parse(&t.arena, cases[i][0], &type, &t.err));
        pmn_buf out = printed(&t, type);
        assert_string_equal((char *)out.data, cases[i][1]);
        must(&t, pmn_type_parse(&t.arena, (char *)out.data, &again, &t.err));
        assert_true(pmn_type_equal(type, again));
        pmn_buf_free(&out);
    }
    env_end(&t);
}

static void bad_texts_are_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "", "INTT", "INT INT", "INT(3)", "CHAR(0)", "CHAR(2147483648)", "CHAR(-1)", "CHAR(1", "CHAR()", "DECIMAL(39)", "DECIMAL(3,4)",
        "DECIMAL(0)", "TIME(10)", "TIMESTAMP(3) WITH TIME ZONE", "TIMESTAMP(3) WITH", "NOT NULL", "INT NOT", "ARRAY", "ARRAY<INT",
        "ARRAY<>", "MAP<INT>", "ROW<a>", "ROW<a INT, a STRING>", "ROW<` ` INT>", "VECTOR<STRING, 3>", "VECTOR<FLOAT, 0>", "VECTOR<FLOAT>",
        "ROW<`a INT>", "GEOMETRY()", "GEOMETRY('')", "GEOGRAPHY(x, flat)", "INTERVAL YEAR", ">", "<", "'x'",
    };
    test_env t;
    env_begin(&t, NULL);
    const pmn_type *type;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refused(&t, PAIMON_INVALID, pmn_type_parse(&t.arena, cases[i], &type, &t.err));
    env_end(&t);
}

static char *nested(const char *open, const char *inner, const char *shut, int depth)
{
    char *text = malloc((strlen(open) + strlen(shut)) * (size_t)depth + strlen(inner) + 1), *at = text;
    for (int i = 0; i < depth; i++) at += sprintf(at, "%s", open);
    at += sprintf(at, "%s", inner);
    for (int i = 0; i < depth; i++) at += sprintf(at, "%s", shut);
    return text;
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    const pmn_type *type;
    for (int depth = PMN_TYPE_MAX_DEPTH; depth < 200000; depth *= 20) {
        char *text = nested("ARRAY<", "INT", ">", depth), *json = nested("{\"type\":\"ARRAY\",\"element\":", "\"INT\"", "}", depth);
        pmn_json *parsed;
        if (depth == PMN_TYPE_MAX_DEPTH) {
            must(&t, pmn_type_parse(&t.arena, text, &type, &t.err));
            must(&t, pmn_json_parse(pmn_slice_text(json), &parsed, &t.err));
            must(&t, pmn_type_from_json(&t.arena, parsed, &type, &t.err));
            pmn_json_free(parsed);
        } else {
            refused(&t, PAIMON_INVALID, pmn_type_parse(&t.arena, text, &type, &t.err));
            if (pmn_json_parse(pmn_slice_text(json), &parsed, &t.err) == PAIMON_OK) {
                refused(&t, PAIMON_CORRUPT, pmn_type_from_json(&t.arena, parsed, &type, &t.err));
                pmn_json_free(parsed);
            }
        }
        free(text);
        free(json);
    }
    env_end(&t);
}

/* The "fields" of a schema file in the text, byte for byte. */
static void check_schema_file(test_env *t, const char *path)
{
    json_error_t why;
    json_t *file = json_load_file(path, 0, &why);
    if (!file) fail_msg("%s: %s", path, why.text);
    const pmn_field *fields;
    int32_t n;
    must(t, pmn_fields_from_json(&t->arena, (const pmn_json *)json_object_get(file, "fields"), &fields, &n, &t->err));
    pmn_buf out, whole;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&whole, t->mem, PMN_BUF_NO_CEILING);
    must(t, pmn_fields_to_json(&out, fields, n, 1, &t->err));
    must(t, pmn_buf_terminate(&out, &t->err));
    FILE *f = fopen(path, "rb");
    char part[4096];
    for (size_t got; (got = fread(part, 1, sizeof part, f)) > 0;) must(t, pmn_buf_append(&whole, part, got, &t->err));
    fclose(f);
    must(t, pmn_buf_terminate(&whole, &t->err));
    if (!strstr((char *)whole.data, (char *)out.data)) fail_msg("%s: printed differently\n%s", path, (char *)out.data);
    pmn_buf_free(&out);
    pmn_buf_free(&whole);
    json_decref(file);
}

static int check_schema_folder(test_env *t, const char *root)
{
    char path[2400];
    int n = 0;
    DIR *dir = opendir(root);
    if (!dir) return 0;
    for (struct dirent *e; (e = readdir(dir));) {
        if (strncmp(e->d_name, "schema-", 7) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", root, e->d_name);
        check_schema_file(t, path);
        n++;
    }
    closedir(dir);
    return n;
}

static void schema_files_of_java_print_back_byte_for_byte(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    char root[600], path[1200];
    const char *shared = getenv("PAIMON_SHARED");
    snprintf(root, sizeof root, shared ? "%s/golden" : PAIMON_SOURCE_DIR "/../shared/golden", shared);
    DIR *dir = opendir(root);
    if (!dir) {
        snprintf(root, sizeof root, "%s/tests/data/golden", PAIMON_SOURCE_DIR);
        print_message("without the shared golden tables: only those in tests/data/golden\n");
        dir = opendir(root);
    }
    int n = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        if (*e->d_name == '.') continue;
        snprintf(path, sizeof path, "%s/%s/wh/db.db/t/schema", root, e->d_name);
        n += check_schema_folder(&t, path);
    }
    closedir(dir);
    print_message("%d schema files\n", n);
    assert_true(n > 0);
    env_end(&t);
}

static paimon_status fields_of_text(test_env *t, const char *json, const pmn_field **fields, int32_t *n)
{
    pmn_json *parsed;
    must(t, pmn_json_parse(pmn_slice_text(json), &parsed, &t->err));
    paimon_status status = pmn_fields_from_json(&t->arena, parsed, fields, n, &t->err);
    pmn_json_free(parsed);
    return status;
}

static void fields_without_ids_are_numbered_only_if_all_lack_them(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    const pmn_field *fields;
    int32_t n;
    must(&t, fields_of_text(&t, "[{\"name\":\"a\",\"type\":{\"type\":\"ROW\",\"fields\":[{\"name\":\"x\",\"type\":\"INT\"}]}},{\"name\":\"b\",\"type\":\"INT\"}]", &fields, &n));
    assert_int_equal(n, 2);
    assert_int_equal(fields[0].id, 0);
    assert_int_equal(fields[0].type->fields[0].id, 1);
    assert_int_equal(fields[1].id, 2);
    static const char *const bad[] = {
        "[{\"name\":\"a\",\"type\":\"INT\",\"id\":0},{\"name\":\"b\",\"type\":\"INT\"}]",
        "[{\"name\":\"a\",\"type\":\"INT\"},{\"name\":\"b\",\"type\":\"INT\",\"id\":1}]",
        "[{\"name\":\"a\",\"id\":0,\"type\":{\"type\":\"ROW\",\"fields\":[{\"name\":\"x\",\"type\":\"INT\"}]}}]",
        "[{\"name\":\"a\",\"type\":\"INT\",\"id\":-1}]",
        "[{\"name\":\"a\",\"type\":\"INT\",\"id\":2147483648}]",
        "[{\"name\":\"a\",\"type\":\"INT\",\"id\":\"0\"}]",
        "[{\"type\":\"INT\",\"id\":0}]",
        "[{\"name\":\"a\",\"id\":0}]",
        "[{\"name\":\"a\",\"id\":0,\"type\":\"INTT\"}]",
        "[{\"name\":\"a\",\"id\":0,\"type\":{\"type\":\"LIST\"}}]",
        "[{\"name\":\"a\",\"id\":0,\"type\":{\"type\":\"ARRAY\"}}]",
        "[{\"name\":\"a\",\"id\":0,\"type\":{\"type\":\"MAP\",\"key\":\"INT\"}}]",
        "[{\"name\":\"a\",\"id\":0,\"type\":{\"type\":\"ROW\"}}]",
        "[{\"name\":\"a\",\"id\":0,\"type\":{\"type\":\"VECTOR\",\"element\":\"STRING\",\"length\":2}}]",
        "[{\"name\":\"a\",\"id\":0,\"type\":\"INT\"},{\"name\":\"a\",\"id\":1,\"type\":\"INT\"}]",
        "{}", "[1]", "[{\"name\":\"a\",\"id\":0,\"type\":7}]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused(&t, PAIMON_CORRUPT, fields_of_text(&t, bad[i], &fields, &n));
    env_end(&t);
}

static void assert_metadata(const struct ArrowSchema *schema, const char *key, const char *expected)
{
    const char *value;
    int32_t size;
    bool found = pmn_schema_metadata(schema, key, &value, &size);
    assert_int_equal(found, expected != NULL);
    if (!expected) return;
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(value, expected, (size_t)size);
}

static void arrow_types_are_those_of_the_table(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "CHAR(3)", "u" },          { "STRING", "u" },           { "BOOLEAN", "b" },      { "BINARY(2)", "z" },      { "BYTES", "z" },
        { "DECIMAL(10,2)", "d:10,2" }, { "TINYINT", "c" },        { "SMALLINT", "s" },     { "INT", "i" },            { "BIGINT", "l" },
        { "FLOAT", "f" },            { "DOUBLE", "g" },           { "DATE", "tdD" },       { "TIME(3)", "ttm" },      { "TIMESTAMP(0)", "tss:" },
        { "TIMESTAMP(1)", "tsm:" },  { "TIMESTAMP(3)", "tsm:" },  { "TIMESTAMP(4)", "tsu:" }, { "TIMESTAMP(6)", "tsu:" }, { "TIMESTAMP(7)", "tsn:" },
        { "TIMESTAMP(9)", "tsn:" },  { "TIMESTAMP_LTZ(3)", "tsm:UTC" }, { "ARRAY<INT>", "+l" }, { "VECTOR<FLOAT,4>", "+w:4" }, { "MAP<INT,INT>", "+m" },
        { "MULTISET<INT>", "+m" },   { "ROW<a INT>", "+s" },      { "VARIANT", "+s" },     { "BLOB", "Z" },
    };
    test_env t;
    env_begin(&t, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_field field = { 5, "x", NULL, NULL, NULL };
        struct ArrowSchema schema;
        must(&t, pmn_type_parse(&t.arena, cases[i][0], &field.type, &t.err));
        must(&t, pmn_field_to_arrow(t.mem, &field, &schema, &t.err));
        assert_string_equal(schema.format, cases[i][1]);
        assert_string_equal(schema.name, "x");
        assert_int_equal(schema.flags, ARROW_FLAG_NULLABLE);
        assert_metadata(&schema, "PARQUET:field_id", "5");
        assert_metadata(&schema, "paimon.extension.type", field.type->kind == PMN_BLOB ? "paimon.type.blob" : NULL);
        pmn_schema_release(&schema);
    }
    pmn_field geo = { 5, "x", NULL, NULL, NULL };
    struct ArrowSchema schema;
    must(&t, pmn_type_parse(&t.arena, "ARRAY<GEOMETRY>", &geo.type, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_field_to_arrow(t.mem, &geo, &schema, &t.err));
    assert_null(schema.release);
    env_end(&t);
}

/* The ids that Java's SpecialFields makes up: 536870911 ± (id × 1024 + depth). */
static void parts_carry_generated_field_ids(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    const pmn_type *row;
    struct ArrowSchema schema, copy;
    must(&t, pmn_type_parse(&t.arena, "ROW<a INT, m MAP<STRING, ARRAY<ROW<z INT NOT NULL>>> NOT NULL>", &row, &t.err));
    must(&t, pmn_row_to_arrow(t.mem, row, &schema, &t.err));
    must(&t, pmn_schema_copy(t.mem, &schema, &copy, &t.err));
    pmn_schema_release(&schema);
    const struct ArrowSchema *m = copy.children[1], *entries = m->children[0], *value = entries->children[1], *element = value->children[0];
    assert_int_equal(m->flags, 0);
    assert_string_equal(entries->name, "entries");
    assert_metadata(m, "PARQUET:field_id", "1");
    assert_metadata(entries, "PARQUET:field_id", "1");
    assert_metadata(entries->children[0], "PARQUET:field_id", "536869886");
    assert_metadata(value, "PARQUET:field_id", "536871936");
    assert_metadata(element, "PARQUET:field_id", "536871937");
    assert_metadata(element->children[0], "PARQUET:field_id", "2");
    assert_int_equal(entries->children[0]->flags, 0);
    assert_int_equal(element->children[0]->flags, 0);
    assert_int_equal(pmn_schema_find(&copy, "m"), 1);
    assert_int_equal(pmn_schema_find(&copy, "x"), -1);
    pmn_schema_release(&copy);
    env_end(&t);
}

static void types_survive_arrow_and_json(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "ROW<a INT, b STRING NOT NULL, c ARRAY<ROW<d DECIMAL(4, 2), e BYTES>>, f MAP<BIGINT NOT NULL, VECTOR<DOUBLE NOT NULL, 3>>> NOT NULL",
        "ARRAY<ARRAY<TIMESTAMP(3) NOT NULL> NOT NULL>", "BLOB", "TIMESTAMP(9) WITH LOCAL TIME ZONE", "DATE NOT NULL",
    };
    test_env t;
    env_begin(&t, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_field field = { 0, "x", NULL, NULL, NULL };
        const pmn_type *back, *copy;
        struct ArrowSchema schema;
        must(&t, pmn_type_parse(&t.arena, cases[i], &field.type, &t.err));
        must(&t, pmn_field_to_arrow(t.mem, &field, &schema, &t.err));
        must(&t, pmn_type_from_arrow(&t.arena, &schema, &back, &t.err));
        assert_true(pmn_type_equal(field.type, back));
        pmn_schema_release(&schema);
        must(&t, pmn_type_copy(&t.arena, back, &copy, &t.err));
        assert_true(pmn_type_equal(copy, back));
        assert_false(pmn_type_equal(copy, pmn_type_with_null(&t.arena, back, !back->nullable)));
        assert_true(pmn_type_equal_ignoring_null(copy, pmn_type_with_null(&t.arena, back, !back->nullable)));
        pmn_buf json;
        pmn_json *parsed;
        pmn_buf_init(&json, t.mem, PMN_BUF_NO_CEILING);
        must(&t, pmn_type_to_json(&json, field.type, 0, &t.err));
        must(&t, pmn_json_parse(pmn_slice_of(json.data, json.size), &parsed, &t.err));
        must(&t, pmn_type_from_json(&t.arena, parsed, &back, &t.err));
        assert_true(pmn_type_equal(field.type, back));
        pmn_json_free(parsed);
        pmn_buf_free(&json);
    }
    env_end(&t);
}

static void foreign_arrow_types_map_or_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "U", "STRING" }, { "vu", "STRING" }, { "Z", "BYTES" }, { "vz", "BYTES" }, { "w:5", "BINARY(5)" }, { "tdm", "DATE" },
        { "tts", "TIME(0)" }, { "tsn:Europe/Berlin", "TIMESTAMP(9) WITH LOCAL TIME ZONE" }, { "d:18,3,64", "DECIMAL(18, 3)" },
        { "C", NULL }, { "L", NULL }, { "e", NULL }, { "n", NULL }, { "tDs", NULL }, { "tin", NULL }, { "ttn", NULL },
        { "d:5,-2", NULL }, { "d:60,3,256", NULL }, { "+us:", NULL }, { "+r", NULL }, { "x", NULL }, { "", NULL }, { "w:", NULL }, { "d:3", NULL },
    };
    test_env t;
    env_begin(&t, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ArrowSchema schema;
        const pmn_type *type;
        must(&t, pmn_schema_new(t.mem, cases[i][0], "x", ARROW_FLAG_NULLABLE, 0, &schema, &t.err));
        if (cases[i][1]) {
            must(&t, pmn_type_from_arrow(&t.arena, &schema, &type, &t.err));
            pmn_buf out = printed(&t, type);
            assert_string_equal((char *)out.data, cases[i][1]);
            pmn_buf_free(&out);
        } else {
            refused(&t, PAIMON_UNSUPPORTED, pmn_type_from_arrow(&t.arena, &schema, &type, &t.err));
        }
        pmn_schema_release(&schema);
    }
    env_end(&t);
}

static paimon_status all_of_it(test_env *t)
{
    pmn_field field = { 0, "x", NULL, NULL, NULL };
    struct ArrowSchema schema, copy;
    const pmn_type *type;
    PMN_TRY(pmn_type_parse(&t->arena, "ROW<a INT COMMENT 'c', m MAP<STRING, ARRAY<BLOB>>, g GEOMETRY('a.b')>", &type, &t->err));
    PMN_TRY(pmn_type_parse(&t->arena, "ROW<a INT COMMENT 'c', m MAP<STRING, ARRAY<BLOB>>>", &field.type, &t->err));
    PMN_TRY(pmn_field_to_arrow(t->mem, &field, &schema, &t->err));
    paimon_status status = pmn_schema_copy(t->mem, &schema, &copy, &t->err);
    pmn_schema_release(&schema);
    if (status != PAIMON_OK) return status;
    status = pmn_type_from_arrow(&t->arena, &copy, &type, &t->err);
    pmn_schema_release(&copy);
    if (status != PAIMON_OK) return status;
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    status = pmn_type_to_json(&out, field.type, 0, &t->err);
    pmn_buf_free(&out);
    return status;
}

static void every_failing_allocation_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    failing_alloc f = { -1, 0 };
    paimon_allocator allocator = failing_alloc_interface(&f);
    for (int64_t n = 0;; n++) {
        test_env t;
        f.until_failure = -1;
        env_begin(&t, &allocator);
        f.until_failure = n;
        paimon_status status = all_of_it(&t);
        f.until_failure = -1;
        env_end(&t);
        assert_int_equal(f.alive, 0);
        if (status == PAIMON_OK) break;
        assert_int_equal(status, PAIMON_NOMEM);
        assert_true(n < 100000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_parse_and_print_as_java_writes_them),
        cmocka_unit_test(bad_texts_are_refused),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(schema_files_of_java_print_back_byte_for_byte),
        cmocka_unit_test(fields_without_ids_are_numbered_only_if_all_lack_them),
        cmocka_unit_test(arrow_types_are_those_of_the_table),
        cmocka_unit_test(parts_carry_generated_field_ids),
        cmocka_unit_test(types_survive_arrow_and_json),
        cmocka_unit_test(foreign_arrow_types_map_or_are_refused_by_name),
        cmocka_unit_test(every_failing_allocation_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
