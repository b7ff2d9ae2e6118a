/* From a footer's schema to columns: the list and map rules, levels, Arrow types, and matching a wanted schema. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/parquet/schema.h"

#define REQ PMN_PQ_REQUIRED
#define OPT PMN_PQ_OPTIONAL
#define REP PMN_PQ_REPEATED

static pmn_parquet_element group_of(const char *name, pmn_parquet_repetition repetition, int n_children, pmn_parquet_logical_kind kind)
{
    pmn_parquet_element e = { .name = name, .physical = PMN_PQ_GROUP, .repetition = repetition, .n_children = n_children, .field_id = -1 };
    e.logical.kind = kind;
    return e;
}

static pmn_parquet_element leaf_of(const char *name, pmn_parquet_repetition repetition, pmn_parquet_physical physical)
{
    pmn_parquet_element e = { .name = name, .physical = physical, .repetition = repetition, .field_id = -1 };
    return e;
}

typedef struct built {
    pmn_arena arena;
    pmn_parquet_schema schema;
    struct ArrowSchema arrow;
    char text[1024];
} built;

/* name: format children …, '?' for nullable */
static void print_arrow(const struct ArrowSchema *s, char *out, size_t size)
{
    size_t n = strlen(out);
    snprintf(out + n, size - n, "%s:%s%s", s->name, s->format, s->flags & ARROW_FLAG_NULLABLE ? "?" : "");
    if (s->n_children == 0) return;
    strncat(out, "{", size - strlen(out) - 1);
    for (int64_t i = 0; i < s->n_children; i++) {
        if (i) strncat(out, " ", size - strlen(out) - 1);
        print_arrow(s->children[i], out, size);
    }
    strncat(out, "}", size - strlen(out) - 1);
}

static void build(built *b, const pmn_parquet_element *elements, int n)
{
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_parquet_meta meta = { .elements = elements, .n_elements = n };
    memset(b, 0, sizeof *b);
    pmn_arena_init(&b->arena, pmn_mem_default());
    if (pmn_parquet_schema_build(&b->arena, &meta, &b->schema, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    assert_int_equal(pmn_parquet_schema_arrow(pmn_mem_default(), &b->schema, &b->arrow, NULL), PAIMON_OK);
    print_arrow(&b->arrow, b->text, sizeof b->text);
}

static void unbuild(built *b)
{
    pmn_schema_release(&b->arrow);
    pmn_arena_free(&b->arena);
}

static void expect(const pmn_parquet_element *elements, int n, const char *text)
{
    built b;
    build(&b, elements, n);
    assert_string_equal(b.text, text);
    unbuild(&b);
}
#define EXPECT(elements, text) expect(elements, (int)(sizeof(elements) / sizeof *(elements)), text)

static void refuse(const pmn_parquet_element *elements, int n, paimon_status status, const char *words)
{
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_arena arena;
    pmn_parquet_schema schema;
    pmn_parquet_meta meta = { .elements = elements, .n_elements = n };
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(pmn_parquet_schema_build(&arena, &meta, &schema, &err), status);
    if (!strstr(paimon_error_message(&err), words)) fail_msg("\"%s\" lacks \"%s\"", paimon_error_message(&err), words);
    paimon_error_clear(&err);
    pmn_arena_free(&arena);
}

static void standard_lists_have_three_levels(void **state)
{
    (void)state;
    const pmn_parquet_element e[] = { group_of("root", REQ, 1, 0), group_of("a", OPT, 1, PMN_PQ_LOGICAL_LIST), group_of("list", REP, 1, 0),
                                      leaf_of("element", OPT, PMN_PQ_INT32) };
    EXPECT(e, ":+s{a:+l?{element:i?}}");
    built b;
    build(&b, e, 4);
    const pmn_parquet_field *list = &b.schema.fields[0], *element = &list->children[0];
    assert_int_equal(list->slot_def, 0);
    assert_int_equal(list->value_def, 1);
    assert_int_equal(list->element_def, 2);
    assert_int_equal(list->element_rep, 1);
    assert_int_equal(element->slot_def, 2);
    assert_int_equal(element->slot_rep, 1);
    assert_int_equal(element->value_def, 3);
    assert_string_equal(pmn_parquet_leaf_path(&b.arena, b.schema.leaves[0]), "a.list.element");
    unbuild(&b);
}

static void old_lists_are_told_by_the_compatibility_rules(void **state)
{
    (void)state;
    /* a repeated leaf is the element */
    const pmn_parquet_element leaf[] = { group_of("root", REQ, 1, 0), group_of("a", OPT, 1, PMN_PQ_LOGICAL_LIST), leaf_of("element", REP, PMN_PQ_INT32) };
    EXPECT(leaf, ":+s{a:+l?{element:i}}");
    /* so is a repeated group of several fields */
    const pmn_parquet_element pair[] = { group_of("root", REQ, 1, 0), group_of("a", REQ, 1, PMN_PQ_LOGICAL_LIST), group_of("element", REP, 2, 0),
                                         leaf_of("x", REQ, PMN_PQ_INT32), leaf_of("y", OPT, PMN_PQ_INT64) };
    EXPECT(pair, ":+s{a:+l{element:+s{x:i y:l?}}}");
    /* a group of one field named array, or after the list */
    const pmn_parquet_element array[] = { group_of("root", REQ, 1, 0), group_of("a", OPT, 1, PMN_PQ_LOGICAL_LIST), group_of("array", REP, 1, 0),
                                          leaf_of("x", REQ, PMN_PQ_INT32) };
    EXPECT(array, ":+s{a:+l?{array:+s{x:i}}}");
    const pmn_parquet_element tuple[] = { group_of("root", REQ, 1, 0), group_of("a", OPT, 1, PMN_PQ_LOGICAL_LIST), group_of("a_tuple", REP, 1, 0),
                                          leaf_of("x", REQ, PMN_PQ_INT32) };
    EXPECT(tuple, ":+s{a:+l?{a_tuple:+s{x:i}}}");
    /* a group whose one field is repeated */
    const pmn_parquet_element twice[] = { group_of("root", REQ, 1, 0), group_of("a", OPT, 1, PMN_PQ_LOGICAL_LIST), group_of("list", REP, 1, 0),
                                          leaf_of("x", REP, PMN_PQ_INT32) };
    EXPECT(twice, ":+s{a:+l?{list:+s{x:+l{x:i}}}}");
    /* a list that is directly the repeated node of another */
    const pmn_parquet_element nested[] = { group_of("root", REQ, 1, 0), group_of("a", OPT, 1, PMN_PQ_LOGICAL_LIST), group_of("array", REP, 1, PMN_PQ_LOGICAL_LIST),
                                           leaf_of("array", REP, PMN_PQ_INT32) };
    EXPECT(nested, ":+s{a:+l?{array:+l{array:i}}}");
    /* Hive's bag */
    const pmn_parquet_element hive[] = { group_of("root", REQ, 1, 0), group_of("a", OPT, 1, PMN_PQ_LOGICAL_LIST), group_of("bag", REP, 1, 0),
                                         leaf_of("array_element", OPT, PMN_PQ_INT32) };
    EXPECT(hive, ":+s{a:+l?{array_element:i?}}");
}

static void a_bare_repeated_column_is_a_list_of_itself(void **state)
{
    (void)state;
    const pmn_parquet_element e[] = { group_of("root", REQ, 1, 0), group_of("s", OPT, 2, 0), leaf_of("x", REP, PMN_PQ_INT64), group_of("g", REP, 1, 0),
                                      leaf_of("y", OPT, PMN_PQ_DOUBLE) };
    EXPECT(e, ":+s{s:+s?{x:+l{x:l} g:+l{g:+s{y:g?}}}}");
    built b;
    build(&b, e, 5);
    const pmn_parquet_field *x = &b.schema.fields[0].children[0];
    assert_int_equal(x->value_def, 1); /* null only with its struct */
    assert_int_equal(x->element_def, 2);
    assert_int_equal(x->element_rep, 1);
    assert_int_equal(x->children[0].value_def, 2);
    unbuild(&b);
}

static void maps_come_with_any_names(void **state)
{
    (void)state;
    const pmn_parquet_element map[] = { group_of("root", REQ, 1, 0), group_of("m", OPT, 1, PMN_PQ_LOGICAL_MAP), group_of("key_value", REP, 2, 0),
                                        leaf_of("key", REQ, PMN_PQ_INT32), leaf_of("value", OPT, PMN_PQ_INT64) };
    EXPECT(map, ":+s{m:+m?{key_value:+s{key:i value:l?}}}");
    const pmn_parquet_element old[] = { group_of("root", REQ, 1, 0), group_of("m", OPT, 1, PMN_PQ_LOGICAL_MAP_KEY_VALUE), group_of("map", REP, 2, 0),
                                        leaf_of("num", OPT, PMN_PQ_INT32), leaf_of("str", REQ, PMN_PQ_BYTE_ARRAY) };
    EXPECT(old, ":+s{m:+m?{map:+s{num:i str:z}}}");
    const pmn_parquet_element set[] = { group_of("root", REQ, 1, 0), group_of("m", OPT, 1, PMN_PQ_LOGICAL_MAP), group_of("key_value", REP, 1, 0),
                                        leaf_of("key", REQ, PMN_PQ_INT32) };
    EXPECT(set, ":+s{m:+l?{key:i}}");
    built b;
    build(&b, map, 5);
    const pmn_parquet_field *m = &b.schema.fields[0];
    assert_int_equal(m->element_def, 2);
    assert_int_equal(m->element_rep, 1);
    assert_int_equal(m->children[0].slot_def, 2);
    assert_int_equal(m->children[0].value_def, 2);
    assert_int_equal(m->children[0].children[1].value_def, 3);
    unbuild(&b);
}

static pmn_parquet_element typed(pmn_parquet_physical physical, pmn_parquet_logical logical, int length)
{
    pmn_parquet_element e = { .name = "x", .physical = physical, .repetition = REQ, .field_id = 7, .type_length = length, .logical = logical };
    return e;
}

static void leaf_types_follow_annotations(void **state)
{
    (void)state;
    const struct {
        pmn_parquet_physical physical;
        pmn_parquet_logical logical;
        int length;
        const char *format;
    } cases[] = {
        { PMN_PQ_INT32, { .kind = PMN_PQ_LOGICAL_INTEGER, .bits = 8, .is_signed = true }, 0, "c" },
        { PMN_PQ_INT32, { .kind = PMN_PQ_LOGICAL_INTEGER, .bits = 16 }, 0, "S" },
        { PMN_PQ_INT32, { .kind = PMN_PQ_LOGICAL_INTEGER, .bits = 32 }, 0, "I" },
        { PMN_PQ_INT64, { .kind = PMN_PQ_LOGICAL_INTEGER, .bits = 64 }, 0, "L" },
        { PMN_PQ_INT32, { .kind = PMN_PQ_LOGICAL_DATE }, 0, "tdD" },
        { PMN_PQ_INT32, { .kind = PMN_PQ_LOGICAL_TIME, .unit = PMN_PQ_MILLIS }, 0, "ttm" },
        { PMN_PQ_INT64, { .kind = PMN_PQ_LOGICAL_TIME, .unit = PMN_PQ_NANOS }, 0, "ttn" },
        { PMN_PQ_INT64, { .kind = PMN_PQ_LOGICAL_TIMESTAMP, .unit = PMN_PQ_MICROS }, 0, "tsu:" },
        { PMN_PQ_INT64, { .kind = PMN_PQ_LOGICAL_TIMESTAMP, .unit = PMN_PQ_NANOS, .utc = true }, 0, "tsn:UTC" },
        { PMN_PQ_INT96, { 0 }, 0, "tsn:" },
        { PMN_PQ_INT32, { .kind = PMN_PQ_LOGICAL_DECIMAL, .precision = 9, .scale = 2 }, 0, "d:9,2" },
        { PMN_PQ_FIXED, { .kind = PMN_PQ_LOGICAL_DECIMAL, .precision = 38, .scale = 0 }, 16, "d:38,0" },
        { PMN_PQ_FIXED, { .kind = PMN_PQ_LOGICAL_DECIMAL, .precision = 50, .scale = 10 }, 21, "d:50,10,256" },
        { PMN_PQ_FIXED, { .kind = PMN_PQ_LOGICAL_FLOAT16 }, 2, "e" },
        { PMN_PQ_FIXED, { .kind = PMN_PQ_LOGICAL_UUID }, 16, "w:16" },
        { PMN_PQ_FIXED, { .kind = PMN_PQ_LOGICAL_INTERVAL }, 12, "w:12" },
        { PMN_PQ_BYTE_ARRAY, { .kind = PMN_PQ_LOGICAL_STRING }, 0, "u" },
        { PMN_PQ_BYTE_ARRAY, { .kind = PMN_PQ_LOGICAL_JSON }, 0, "u" },
        { PMN_PQ_BYTE_ARRAY, { .kind = PMN_PQ_LOGICAL_ENUM }, 0, "z" },
        { PMN_PQ_BYTE_ARRAY, { .kind = PMN_PQ_LOGICAL_BSON }, 0, "z" },
        { PMN_PQ_INT32, { .kind = PMN_PQ_LOGICAL_NULL }, 0, "n" },
        { PMN_PQ_INT64, { .kind = PMN_PQ_LOGICAL_OTHER }, 0, "l" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        const pmn_parquet_element e[] = { group_of("root", REQ, 1, 0), typed(cases[i].physical, cases[i].logical, cases[i].length) };
        snprintf(text, sizeof text, ":+s{x:%s}", cases[i].format);
        EXPECT(e, text);
    }
}

static void field_ids_come_out_as_metadata(void **state)
{
    (void)state;
    pmn_parquet_logical none = { 0 };
    const pmn_parquet_element e[] = { group_of("root", REQ, 1, 0), typed(PMN_PQ_INT32, none, 0) };
    built b;
    const char *value;
    int32_t size;
    build(&b, e, 2);
    assert_true(pmn_schema_metadata(b.arrow.children[0], "PARQUET:field_id", &value, &size));
    assert_int_equal(size, 1);
    assert_int_equal(value[0], '7');
    unbuild(&b);
}

static void impossible_schemas_are_refused(void **state)
{
    (void)state;
    const pmn_parquet_element few[] = { group_of("root", REQ, 2, 0), leaf_of("x", REQ, PMN_PQ_INT32) };
    refuse(few, 2, PAIMON_CORRUPT, "has 2 elements, but its groups count 2 children");
    const pmn_parquet_element many[] = { group_of("root", REQ, 1, 0), leaf_of("x", REQ, PMN_PQ_INT32), leaf_of("y", REQ, PMN_PQ_INT32) };
    refuse(many, 3, PAIMON_CORRUPT, "3 elements");
    const pmn_parquet_element empty[] = { group_of("root", REQ, 1, 0), group_of("g", REQ, 0, 0) };
    refuse(empty, 2, PAIMON_CORRUPT, "\"g\" of the Parquet file is a group without children");
    /* groups whose counts add up, but not in order */
    const pmn_parquet_element twisted[] = { group_of("root", REQ, 1, 0), leaf_of("x", REQ, PMN_PQ_INT32), group_of("g", REQ, 1, 0) };
    refuse(twisted, 3, PAIMON_CORRUPT, "behind its last column");
    pmn_parquet_logical bad = { .kind = PMN_PQ_LOGICAL_DECIMAL, .precision = 3, .scale = 5 };
    const pmn_parquet_element decimal[] = { group_of("root", REQ, 1, 0), typed(PMN_PQ_INT32, bad, 0) };
    refuse(decimal, 2, PAIMON_CORRUPT, "DECIMAL(3, 5)");
    pmn_parquet_element deep[200];
    for (int i = 0; i < 199; i++) deep[i] = group_of("g", OPT, 1, 0);
    deep[199] = leaf_of("x", REQ, PMN_PQ_INT32);
    refuse(deep, 200, PAIMON_UNSUPPORTED, "64 levels");
}

/* ---- matching ---- */

static const pmn_parquet_element people[] = {
    { .name = "root", .physical = PMN_PQ_GROUP, .n_children = 4, .field_id = -1 },
    { .name = "id", .physical = PMN_PQ_INT64, .repetition = PMN_PQ_REQUIRED, .field_id = -1 },
    { .name = "Name", .physical = PMN_PQ_BYTE_ARRAY, .repetition = PMN_PQ_OPTIONAL, .field_id = -1 },
    { .name = "home", .physical = PMN_PQ_GROUP, .n_children = 2, .repetition = PMN_PQ_OPTIONAL, .field_id = -1 },
    { .name = "zip", .physical = PMN_PQ_INT32, .repetition = PMN_PQ_OPTIONAL, .field_id = -1 },
    { .name = "city", .physical = PMN_PQ_BYTE_ARRAY, .repetition = PMN_PQ_OPTIONAL, .field_id = -1 },
    { .name = "NAME", .physical = PMN_PQ_BYTE_ARRAY, .repetition = PMN_PQ_OPTIONAL, .field_id = -1 },
};

static void add_wanted(struct ArrowSchema *parent, int at, const char *name, const char *format, bool nullable, int n_children)
{
    assert_int_equal(pmn_schema_new(pmn_mem_default(), format, name, nullable ? ARROW_FLAG_NULLABLE : 0, n_children, parent->children[at], NULL), PAIMON_OK);
}

static void wanted_columns_are_found_by_name_and_missing_ones_are_null(void **state)
{
    (void)state;
    built b;
    struct ArrowSchema wanted;
    pmn_want want;
    build(&b, people, 7);
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "+s", "", 0, 3, &wanted, NULL), PAIMON_OK);
    add_wanted(&wanted, 0, "home", "+s", true, 2);
    add_wanted(wanted.children[0], 0, "city", "u", true, 0);
    add_wanted(wanted.children[0], 1, "street", "u", true, 0);
    add_wanted(&wanted, 1, "age", "i", true, 0);
    add_wanted(&wanted, 2, "id", "l", false, 0);
    assert_int_equal(pmn_parquet_match(&b.arena, &b.schema, &wanted, false, &want, NULL), PAIMON_OK);
    assert_int_equal(want.n_children, 3);
    assert_int_equal(pmn_parquet_level_leaf(&want.children[0]), 3); /* home.city, the wanted one */
    assert_int_equal(pmn_parquet_wanted(&want.children[0].children[0])->first_leaf, 3);
    assert_null(want.children[0].children[1].field);
    assert_null(want.children[1].field);
    assert_int_equal(pmn_parquet_level_leaf(&want.children[1]), -1);
    assert_int_equal(pmn_parquet_wanted(&want.children[2])->first_leaf, 0);
    pmn_schema_release(&wanted);
    unbuild(&b);
}

static void match_one(const char *name, const char *format, bool nullable, bool fold, paimon_status status, const char *words, int leaf)
{
    built b;
    struct ArrowSchema wanted;
    pmn_want want;
    paimon_error err = PAIMON_ERROR_INIT;
    build(&b, people, 7);
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "+s", "", 0, 1, &wanted, NULL), PAIMON_OK);
    add_wanted(&wanted, 0, name, format, nullable, 0);
    assert_int_equal(pmn_parquet_match(&b.arena, &b.schema, &wanted, fold, &want, &err), status);
    if (status == PAIMON_OK) assert_int_equal(pmn_parquet_level_leaf(&want.children[0]), leaf);
    else if (!strstr(paimon_error_message(&err), words)) fail_msg("\"%s\" lacks \"%s\"", paimon_error_message(&err), words);
    paimon_error_clear(&err);
    pmn_schema_release(&wanted);
    unbuild(&b);
}

static void names_may_differ_in_case_only_where_asked(void **state)
{
    (void)state;
    match_one("ID", "l", true, false, PAIMON_OK, "", -1);
    match_one("ID", "l", true, true, PAIMON_OK, "", 0);
    match_one("NAME", "u", true, true, PAIMON_OK, "", 4);
    match_one("name", "u", true, true, PAIMON_CORRUPT, "may be \"Name\" or \"NAME\"", 0);
    match_one("ID", "l", false, false, PAIMON_CORRUPT, "\"ID\" may not be null, but the file lacks it", 0);
    match_one("home", "i", true, false, PAIMON_CORRUPT, "is asked as a single value (Arrow i), but is a struct", 0);
    match_one("id", "+s", true, false, PAIMON_CORRUPT, "is asked as a struct", 0);
}

static void a_file_matches_its_own_schema_even_with_repeated_names(void **state)
{
    (void)state;
    const pmn_parquet_element e[] = { group_of("root", REQ, 2, 0), leaf_of("x", REQ, PMN_PQ_INT32), leaf_of("x", REQ, PMN_PQ_INT64) };
    built b;
    pmn_want want;
    build(&b, e, 3);
    assert_int_equal(pmn_parquet_match(&b.arena, &b.schema, &b.arrow, false, &want, NULL), PAIMON_OK);
    assert_int_equal(pmn_parquet_level_leaf(&want.children[0]), 0);
    assert_int_equal(pmn_parquet_level_leaf(&want.children[1]), 1);
    unbuild(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_lists_have_three_levels), cmocka_unit_test(old_lists_are_told_by_the_compatibility_rules),
        cmocka_unit_test(a_bare_repeated_column_is_a_list_of_itself), cmocka_unit_test(maps_come_with_any_names),
        cmocka_unit_test(leaf_types_follow_annotations), cmocka_unit_test(field_ids_come_out_as_metadata),
        cmocka_unit_test(impossible_schemas_are_refused), cmocka_unit_test(wanted_columns_are_found_by_name_and_missing_ones_are_null),
        cmocka_unit_test(names_may_differ_in_case_only_where_asked), cmocka_unit_test(a_file_matches_its_own_schema_even_with_repeated_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
