/* What formats share before they decode: matching of columns, filters, the caller's row ranges. */
#include "support/unit.h"

#include "format/filter.h"
#include "format/ranges.h"

static const pmn_file_field entry_children[] = { { .shape = PMN_SHAPE_LEAF, .name = "k" }, { .shape = PMN_SHAPE_LEAF, .name = "v" } };
static const pmn_file_field map_children[] = { { .shape = PMN_SHAPE_STRUCT, .name = "entries", .children = entry_children, .n_children = 2 } };
static const pmn_file_field struct_children[] = { { .shape = PMN_SHAPE_LEAF, .name = "x" }, { .shape = PMN_SHAPE_LEAF, .name = "y" } };
static const pmn_file_field list_children[] = { { .shape = PMN_SHAPE_STRUCT, .name = "item", .children = struct_children, .n_children = 2 } };
#define N_FIELDS 4
static const pmn_file_field fields[N_FIELDS] = {
    { .shape = PMN_SHAPE_LEAF, .name = "id" },
    { .shape = PMN_SHAPE_MAP, .name = "m", .children = map_children, .n_children = 1 },
    { .shape = PMN_SHAPE_LIST, .name = "l", .children = list_children, .n_children = 1 },
    { .shape = PMN_SHAPE_LEAF, .name = "Id" },
};

static struct ArrowSchema new_struct(int n)
{
    struct ArrowSchema schema;
    assert_int_equal(pmn_schema_new(pmn_mem_default(), "+s", "", 0, n, &schema, NULL), PAIMON_OK);
    return schema;
}

static struct ArrowSchema *put(struct ArrowSchema *parent, int at, const char *name, const char *format, bool nullable, int n_children)
{
    assert_int_equal(pmn_schema_new(pmn_mem_default(), format, name, nullable ? ARROW_FLAG_NULLABLE : 0, n_children, parent->children[at], NULL), PAIMON_OK);
    return parent->children[at];
}

static void collections_match_by_place_and_structs_by_name(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_want want;
    struct ArrowSchema wanted = new_struct(2);
    struct ArrowSchema *list = put(&wanted, 0, "l", "+L", true, 1), *element = put(list, 0, "any name", "+s", true, 2);
    put(element, 0, "y", "i", true, 0);
    put(element, 1, "z", "i", true, 0);
    struct ArrowSchema *map = put(&wanted, 1, "m", "+m", true, 1), *entries = put(map, 0, "e", "+s", false, 2);
    put(entries, 0, "a", "u", false, 0);
    put(entries, 1, "b", "i", true, 0);
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(pmn_match(&arena, fields, N_FIELDS, &wanted, false, &want, NULL), PAIMON_OK);
    assert_ptr_equal(want.children[0].field, &fields[2]);
    assert_ptr_equal(want.children[0].children[0].field, &list_children[0]);
    assert_ptr_equal(want.children[0].children[0].children[0].field, &struct_children[1]);
    assert_null(want.children[0].children[0].children[1].field);
    assert_ptr_equal(want.children[1].children[0].field, &map_children[0]);
    assert_ptr_equal(want.children[1].children[0].children[1].field, &entry_children[1]);
    pmn_arena_free(&arena);
    pmn_schema_release(&wanted);
}

static void refused(const char *name, const char *format, bool nullable, bool fold, const char *words)
{
    pmn_arena arena;
    pmn_want want;
    paimon_error err = PAIMON_ERROR_INIT;
    struct ArrowSchema wanted = new_struct(1);
    put(&wanted, 0, name, format, nullable, 0);
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(pmn_match(&arena, fields, N_FIELDS, &wanted, fold, &want, &err), PAIMON_CORRUPT);
    if (!strstr(paimon_error_message(&err), words)) fail_msg("\"%s\" lacks \"%s\"", paimon_error_message(&err), words);
    paimon_error_clear(&err);
    pmn_arena_free(&arena);
    pmn_schema_release(&wanted);
}

static void what_does_not_fit_is_refused_by_name(void **state)
{
    (void)state;
    refused("ID", "l", true, true, "column \"ID\" may be \"id\" or \"Id\"");
    refused("none", "l", false, false, "\"none\" may not be null, but the file lacks it");
    refused("l", "l", true, false, "\"l\" is asked as a single value (Arrow l), but is a list");
    refused("id", "+s", true, false, "\"id\" is asked as a struct (Arrow +s), but is a single value");
}

static void filters_take_what_the_file_lacks_as_null(void **state)
{
    (void)state;
    static const int32_t first[] = { 0 }, second[] = { 1 };
    static const pmn_type type = { .kind = PMN_BIGINT, .nullable = true };
    const pmn_pred lacks_it = { .kind = PMN_PRED_LEAF, .op = PAIMON_OP_IS_NULL, .n_path = 1, .path = first, .type = &type };
    const pmn_pred has_it = { .kind = PMN_PRED_LEAF, .op = PAIMON_OP_IS_NULL, .n_path = 1, .path = second, .type = &type };
    const pmn_pred not_null = { .kind = PMN_PRED_LEAF, .op = PAIMON_OP_IS_NOT_NULL, .n_path = 1, .path = first, .type = &type };
    pmn_arena arena;
    pmn_read_filter filter;
    struct ArrowSchema schema = new_struct(2);
    put(&schema, 0, "none", "l", true, 0);
    put(&schema, 1, "id", "l", true, 0);
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(pmn_read_filter_init(&filter, &arena, NULL, NULL, fields, N_FIELDS, false, NULL), PAIMON_OK);
    assert_null(filter.pred);
    assert_int_equal(pmn_read_filter_init(&filter, &arena, &lacks_it, &schema, fields, N_FIELDS, false, NULL), PAIMON_OK);
    assert_null(filter.pred); /* always true */
    assert_int_equal(pmn_read_filter_init(&filter, &arena, &not_null, &schema, fields, N_FIELDS, false, NULL), PAIMON_OK);
    assert_true(filter.pred && filter.none);
    assert_int_equal(pmn_read_filter_init(&filter, &arena, &has_it, &schema, fields, N_FIELDS, false, NULL), PAIMON_OK);
    assert_true(filter.pred && !filter.none && !filter.used[0] && filter.used[1]);
    assert_int_equal(filter.n_used, 1);
    assert_string_equal(filter.schema.children[0]->name, "id");
    assert_int_equal(filter.bound->path[0], 0);
    pmn_arena_free(&arena);
    pmn_schema_release(&schema);
}

static paimon_status take(const pmn_row_range *asked, int32_t n, int64_t *count)
{
    pmn_row_ranges ranges;
    pmn_row_ranges_init(&ranges, pmn_mem_default());
    paimon_status status = pmn_row_ranges_take(&ranges, asked, n, NULL);
    *count = pmn_row_ranges_count(&ranges);
    pmn_row_ranges_free(&ranges);
    return status;
}

static void ranges_of_callers_ascend_and_do_not_overlap(void **state)
{
    (void)state;
    static const pmn_row_range good[] = { { 0, 3 }, { 3, 0 }, { 3, 2 }, { 10, INT64_MAX - 10 } };
    static const pmn_row_range bad[][2] = { { { 0, 3 }, { 2, 1 } }, { { 5, 1 }, { 0, 1 } }, { { -1, 3 }, { 5, 1 } }, { { 0, 1 }, { 1, -1 } }, { { 0, 1 }, { 10, INT64_MAX } } };
    int64_t n;
    assert_int_equal(take(NULL, 0, &n), PAIMON_OK);
    assert_int_equal(take(good, 4, &n), PAIMON_OK);
    assert_int_equal(n, INT64_MAX - 5);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_int_equal(take(bad[i], 2, &n), PAIMON_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collections_match_by_place_and_structs_by_name), cmocka_unit_test(what_does_not_fit_is_refused_by_name),
        cmocka_unit_test(filters_take_what_the_file_lacks_as_null), cmocka_unit_test(ranges_of_callers_ascend_and_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
