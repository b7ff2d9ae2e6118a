/* Foreign arrays that break the rules of the C data interface, one rule a case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arrow/import.h"
#include "support/arrow_random.h"

/* A good array of three rows and what a case does to it. */
typedef struct broken_case {
    const char *schema;
    void (*breaks)(struct ArrowArray *array);
} broken_case;

static void set_i32(struct ArrowArray *a, int buffer, int64_t i, int32_t v) { ((int32_t *)(uintptr_t)a->buffers[buffer])[i] = v; }

static void negative_length(struct ArrowArray *a) { a->length = -1; }
static void negative_offset(struct ArrowArray *a) { a->offset = -1; }
static void huge_offset(struct ArrowArray *a) { a->offset = INT64_MAX - 1; }
static void null_count_past_length(struct ArrowArray *a) { a->null_count = 4; }
static void negative_null_count(struct ArrowArray *a) { a->null_count = -2; }
static void too_few_buffers(struct ArrowArray *a) { a->n_buffers = 1; }
static void too_many_buffers(struct ArrowArray *a) { a->n_buffers = 9; }
static void negative_buffers(struct ArrowArray *a) { a->n_buffers = -1; }
static void no_buffer_table(struct ArrowArray *a) { a->buffers = NULL; }
static void no_values(struct ArrowArray *a) { a->buffers[1] = NULL; }
static void no_data(struct ArrowArray *a) { a->buffers[2] = NULL; }
static void nulls_without_bitmap(struct ArrowArray *a) { a->buffers[0] = NULL, a->null_count = 1; }
static void negative_start(struct ArrowArray *a) { set_i32(a, 1, 0, -5); }
static void falling_offsets(struct ArrowArray *a) { set_i32(a, 1, 1, 100), set_i32(a, 1, 2, 50); }
static void past_the_child(struct ArrowArray *a) { set_i32(a, 1, 3, 1000); }
static void no_children(struct ArrowArray *a) { a->n_children = 0; }
static void too_many_children(struct ArrowArray *a) { a->n_children = 5; }
static void no_child_table(struct ArrowArray *a) { a->children = NULL; }
static void short_child(struct ArrowArray *a) { a->children[0]->length = 2; }
static void released_child(struct ArrowArray *a) { a->children[0]->release = NULL; }
static void broken_grandchild(struct ArrowArray *a) { a->children[0]->length = -7; }
static void negative_index(struct ArrowArray *a) { ((int8_t *)(uintptr_t)a->buffers[1])[2] = -1; }
static void index_past_dictionary(struct ArrowArray *a) { ((int8_t *)(uintptr_t)a->buffers[1])[2] = 7; }
static void no_dictionary(struct ArrowArray *a) { a->dictionary = NULL; }
static void view_of_negative_length(struct ArrowArray *a) { set_i32(a, 1, 4, -1); }
static void view_of_no_buffer(struct ArrowArray *a) { set_i32(a, 1, 4, 20), set_i32(a, 1, 6, 1), set_i32(a, 1, 7, 0); }
static void view_past_its_buffer(struct ArrowArray *a) { set_i32(a, 1, 4, 20), set_i32(a, 1, 6, 0), set_i32(a, 1, 7, 95); }
static void view_at_negative_offset(struct ArrowArray *a) { set_i32(a, 1, 4, 20), set_i32(a, 1, 6, 0), set_i32(a, 1, 7, -1); }
static void list_view_past_child(struct ArrowArray *a) { set_i32(a, 2, 1, 30), set_i32(a, 1, 1, 0); }
static void list_view_of_negative_size(struct ArrowArray *a) { set_i32(a, 2, 1, -1); }

static const broken_case cases[] = {
    { "!i", negative_length }, { "!i", negative_offset }, { "!i", huge_offset }, { "i", null_count_past_length }, { "i", negative_null_count },
    { "!i", too_few_buffers }, { "!i", too_many_buffers }, { "!i", negative_buffers }, { "!i", no_buffer_table }, { "!i", no_values }, { "!b", no_values },
    { "i", nulls_without_bitmap }, { "!u", too_few_buffers }, { "!u", no_values }, { "!u", no_data }, { "!u", negative_start }, { "!u", falling_offsets },
    { "!vu", too_few_buffers }, { "!vu", no_values }, { "!vu", view_of_negative_length }, { "!vu", view_of_no_buffer }, { "!vu", view_past_its_buffer },
    { "!vu", view_at_negative_offset }, { "!+l(i)", past_the_child }, { "!+l(i)", falling_offsets }, { "!+l(i)", negative_start }, { "!+l(i)", no_children },
    { "!+l(i)", no_child_table }, { "!+l(i)", released_child }, { "!+vl(i)", list_view_past_child }, { "!+vl(i)", list_view_of_negative_size },
    { "!+w:2(!i)", short_child }, { "!+s(!i,!u)", short_child }, { "!+s(!i,!u)", too_many_children }, { "!+s(!i,!u)", broken_grandchild },
    { "!+m(!+s(!i,i))", past_the_child }, { "!c=!u", negative_index }, { "!c=!u", index_past_dictionary }, { "!c=!u", no_dictionary },
};

/* Private copies of what the cases overwrite, so that the real array can still be released. */
static void check_case(test_env *t, const broken_case *c, size_t number)
{
    test_random r = { 5 + number };
    struct ArrowSchema schema;
    struct ArrowArray array;
    schema_from_text(t, c->schema, &schema);
    do { /* at offset 0 */
        random_array(t, &r, &schema, 3, &array);
        if (array.offset == 0) break;
        pmn_array_release(&array);
    } while (true);
    must(t, pmn_array_import_check(&schema, &array, &t->err));
    struct ArrowArray copy = array, children[2], *pointers[5] = { &children[0], &children[1], &children[0], &children[0], &children[0] };
    const void *buffers[9] = { 0 };
    for (int64_t i = 0; i < array.n_buffers; i++) buffers[i] = array.buffers[i];
    for (int64_t i = 0; i < array.n_children; i++) children[i] = *array.children[i];
    copy.buffers = buffers;
    if (array.n_children) copy.children = pointers;
    c->breaks(&copy);
    paimon_status status = pmn_array_import_check(&schema, &copy, &t->err);
    if (status != PAIMON_INVALID) fail_msg("case %zu (%s): status %d", number, c->schema, status);
    assert_non_null(strstr(paimon_error_message(&t->err), "'x'"));
    pmn_array_release(&array);
    pmn_schema_release(&schema);
}

static void each_broken_rule_is_refused_with_the_name_of_the_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_env t;
        env_begin(&t, NULL);
        check_case(&t, &cases[i], i);
        env_end(&t);
    }
}

static void empty_arrays_may_lack_their_buffers(void **state)
{
    (void)state;
    static const char *const kinds[] = { "i", "b", "u", "Z", "vu", "+l(i)", "+vL(i)", "+m(!+s(!i,i))", "+s(i)", "+w:3(i)", "d:10,2", "w:5" };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        test_env t;
        test_random r = { 1 };
        struct ArrowSchema schema;
        struct ArrowArray array, out;
        env_begin(&t, NULL);
        schema_from_text(&t, kinds[k], &schema);
        do random_array(&t, &r, &schema, 0, &array);
        while (array.offset != 0 && (pmn_array_release(&array), true));
        for (int64_t i = 0; i < array.n_buffers; i++) array.buffers[i] = NULL;
        must(&t, pmn_array_import_check(&schema, &array, &t.err));
        must(&t, pmn_array_gather(t.pool, &schema, &array, NULL, 0, &out, &t.err));
        pmn_array_release(&out);
        pmn_array_release(&array);
        pmn_schema_release(&schema);
        env_end(&t);
    }
}

static void layouts_that_are_not_taken_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const kinds[][2] = { { "+us:0,1(i,u)", "sparse union" }, { "+ud:0,1(i,u)", "dense union" }, { "+l(+ud:0(i))", "dense union" } };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        test_env t;
        test_random r = { 1 };
        struct ArrowSchema schema;
        struct ArrowArray array;
        env_begin(&t, NULL);
        schema_from_text(&t, kinds[k][0], &schema);
        random_array(&t, &r, &schema, 3, &array);
        assert_int_equal(pmn_array_import_check(&schema, &array, &t.err), PAIMON_UNSUPPORTED);
        assert_non_null(strstr(paimon_error_message(&t.err), kinds[k][1]));
        pmn_array_release(&array);
        pmn_schema_release(&schema);
        env_end(&t);
    }
}

static void no_release(struct ArrowArray *array) { array->release = NULL; }
static void no_schema_release(struct ArrowSchema *schema) { schema->release = NULL; }

static void endless_nesting_is_refused(void **state)
{
    (void)state;
    test_env t;
    int32_t offsets[2] = { 0, 0 };
    const void *buffers[2] = { NULL, offsets };
    struct ArrowSchema schema = { "+l", "x", NULL, 0, 1, NULL, NULL, no_schema_release, NULL }, *schemas[1] = { &schema };
    struct ArrowArray array = { 1, 0, 0, 2, 1, buffers, NULL, NULL, no_release, NULL }, *arrays[1] = { &array }, out;
    schema.children = schemas; /* its own child */
    array.children = arrays;
    env_begin(&t, NULL);
    refused(&t, PAIMON_UNSUPPORTED, pmn_array_import_check(&schema, &array, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_array_share(t.mem, &array, 0, 1, &out, &t.err));
    assert_ptr_equal(array.release, no_release);
    env_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_broken_rule_is_refused_with_the_name_of_the_column),
        cmocka_unit_test(empty_arrays_may_lack_their_buffers),
        cmocka_unit_test(layouts_that_are_not_taken_are_refused_by_name),
        cmocka_unit_test(endless_nesting_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
