/* Format strings and schemas: what Arrow C++ exports, and what nobody should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "support/arrow_random.h"
#include "support/failing_alloc.h"

/* A schema as the corpus spells it: { format, name, nullable, children, dictionary }. */
static void schema_from_json(test_env *t, json_t *json, struct ArrowSchema *out)
{
    json_t *children = json_object_get(json, "children"), *dictionary = json_object_get(json, "dictionary");
    int64_t flags = json_is_true(json_object_get(json, "nullable")) ? ARROW_FLAG_NULLABLE : 0;
    if (json_is_true(json_object_get(json, "map_keys_sorted"))) flags |= ARROW_FLAG_MAP_KEYS_SORTED;
    if (json_is_true(json_object_get(json, "dictionary_ordered"))) flags |= ARROW_FLAG_DICTIONARY_ORDERED;
    const char *format = json_string_value(json_object_get(json, "format")), *name = json_string_value(json_object_get(json, "name"));
    must(t, pmn_schema_new(t->mem, format, name, flags, (int)json_array_size(children), out, &t->err));
    for (size_t i = 0; i < json_array_size(children); i++) schema_from_json(t, json_array_get(children, i), out->children[i]);
    if (dictionary) {
        struct ArrowSchema d;
        schema_from_json(t, dictionary, &d);
        must(t, pmn_schema_set_dictionary(out, &d, &t->err));
    }
}

static void assert_same_schema(const struct ArrowSchema *a, const struct ArrowSchema *b)
{
    assert_string_equal(a->format, b->format);
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->n_children, b->n_children);
    for (int64_t i = 0; i < a->n_children; i++) assert_same_schema(a->children[i], b->children[i]);
    assert_int_equal(a->dictionary != NULL, b->dictionary != NULL);
    if (a->dictionary) assert_same_schema(a->dictionary, b->dictionary);
}

/* Parse every format of the tree; arrays of nulls of it can be made. */
static void check_exported(test_env *t, const struct ArrowSchema *schema)
{
    pmn_arrow_type type;
    must(t, pmn_arrow_type_parse(schema->format, &type, &t->err));
    assert_true(*pmn_arrow_kind_name(type.kind));
    for (int64_t i = 0; i < schema->n_children; i++) check_exported(t, schema->children[i]);
    if (schema->dictionary) check_exported(t, schema->dictionary);
}

static void formats_that_arrow_cpp_exports_are_all_known(void **state)
{
    (void)state;
    char path[1024], line[16384];
    const char *shared = getenv("PAIMON_SHARED");
    snprintf(path, sizeof path, "%s/corpus/arrow/cdata_schema.jsonl", shared ? shared : PAIMON_SOURCE_DIR "/../shared");
    FILE *f = fopen(path, "r");
    if (!f) {
        print_message("skipped: no %s\n", path);
        skip();
    }
    int n = 0;
    while (fgets(line, sizeof line, f)) {
        test_env t;
        json_error_t why;
        struct ArrowSchema schema, copy;
        struct ArrowArray nulls;
        json_t *json = json_loads(line, 0, &why);
        assert_non_null(json);
        env_begin(&t, NULL);
        schema_from_json(&t, json_object_get(json, "schema"), &schema);
        must(&t, pmn_schema_copy(t.mem, &schema, &copy, &t.err));
        assert_same_schema(&schema, &copy);
        pmn_schema_release(&schema);
        check_exported(&t, &copy);
        must(&t, pmn_array_nulls(t.pool, &copy, 3, &nulls, &t.err));
        pmn_array_release(&nulls);
        pmn_schema_release(&copy);
        env_end(&t);
        json_decref(json);
        n++;
    }
    fclose(f);
    assert_true(n > 100);
}

static void format_strings_are_taken_apart(void **state)
{
    (void)state;
    pmn_arrow_type type;
    assert_int_equal(pmn_arrow_type_parse("d:38,-10,256", &type, NULL), PAIMON_OK);
    assert_int_equal(type.kind, PMN_ARROW_DECIMAL);
    assert_int_equal(type.precision, 38);
    assert_int_equal(type.scale, -10);
    assert_int_equal(type.width, 256);
    assert_int_equal(pmn_arrow_type_parse("tsu:Asia/Shanghai", &type, NULL), PAIMON_OK);
    assert_int_equal(type.unit, PMN_UNIT_MICRO);
    assert_string_equal(type.zone, "Asia/Shanghai");
    assert_int_equal(pmn_arrow_type_parse("+w:7", &type, NULL), PAIMON_OK);
    assert_int_equal(type.width, 7);
    assert_int_equal(pmn_arrow_type_parse("ttn", &type, NULL), PAIMON_OK);
    assert_int_equal(type.kind, PMN_ARROW_TIME64);
    assert_int_equal(type.unit, PMN_UNIT_NANO);
}

static void strings_that_are_no_formats_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", "q", "ii", "d", "d:", "d:1", "d:1,", "d:39,0", "d:0,0", "d:10,2,12", "d:10,2,64x", "d:99999999999,1", "w:", "w:-1", "w:x", "w:99999999999",
        "ts", "tsx:", "tss", "td", "tdx", "tt", "ttx", "tD", "ti", "+", "+x", "+w", "+w:", "+v", "+u", "v", "vx",
    };
    pmn_arrow_type type;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_int_equal(pmn_arrow_type_parse(bad[i], &type, NULL), PAIMON_UNSUPPORTED);
    assert_int_equal(pmn_arrow_type_parse(NULL, &type, NULL), PAIMON_INVALID);
}

static void metadata_is_found_copied_and_replaced(void **state)
{
    (void)state;
    test_env t;
    struct ArrowSchema schema, copy;
    const char *const keys[] = { "a", "key" }, *const values[] = { "", "the value" }, *value;
    int32_t size;
    env_begin(&t, NULL);
    must(&t, pmn_schema_new(t.mem, "i", NULL, 0, 0, &schema, &t.err));
    assert_false(pmn_schema_metadata(&schema, "key", &value, &size));
    must(&t, pmn_schema_set_metadata(&schema, keys, values, 1, &t.err));
    must(&t, pmn_schema_set_metadata(&schema, keys, values, 2, &t.err));
    must(&t, pmn_schema_copy(t.mem, &schema, &copy, &t.err));
    pmn_schema_release(&schema);
    assert_true(pmn_schema_metadata(&copy, "key", &value, &size));
    assert_int_equal(size, 9);
    assert_memory_equal(value, "the value", 9);
    assert_false(pmn_schema_metadata(&copy, "ke", &value, &size));
    pmn_schema_release(&copy);
    pmn_schema_release(&copy);
    env_end(&t);
}

static void copies_of_deep_or_broken_schemas_are_refused(void **state)
{
    (void)state;
    test_env t;
    struct ArrowSchema copy, link[PMN_ARROW_MAX_DEPTH + 3], *children[PMN_ARROW_MAX_DEPTH + 3];
    env_begin(&t, NULL);
    memset(link, 0, sizeof link);
    for (int i = 0; i < PMN_ARROW_MAX_DEPTH + 3; i++) {
        link[i].format = "+l";
        link[i].release = (void (*)(struct ArrowSchema *))1; /* never called */
        children[i] = i + 1 < PMN_ARROW_MAX_DEPTH + 3 ? &link[i + 1] : NULL;
        link[i].children = &children[i];
        link[i].n_children = 1;
    }
    refused(&t, PAIMON_UNSUPPORTED, pmn_schema_copy(t.mem, link, &copy, &t.err));
    assert_null(copy.release);
    link[1].n_children = -1;
    refused(&t, PAIMON_INVALID, pmn_schema_copy(t.mem, link, &copy, &t.err));
    link[1].n_children = 0;
    link[1].release = NULL;
    refused(&t, PAIMON_INVALID, pmn_schema_copy(t.mem, link, &copy, &t.err));
    env_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_that_arrow_cpp_exports_are_all_known), cmocka_unit_test(format_strings_are_taken_apart),
        cmocka_unit_test(strings_that_are_no_formats_are_refused),      cmocka_unit_test(metadata_is_found_copied_and_replaced),
        cmocka_unit_test(copies_of_deep_or_broken_schemas_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
