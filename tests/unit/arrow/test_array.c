/* Arrays: sharing, gathering, nulls and repeats of every kind, against the plain way: looking at rows one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arrow/import.h"
#include "support/arrow_random.h"
#include "support/failing_alloc.h"

/* Every kind the interface has but run-end, and nests of them. */
static const char *const kinds[] = {
    "n", "b", "c", "C", "s", "S", "i", "I", "l", "L", "e", "f", "g", "d:9,2,32", "d:18,2,64", "d:38,10", "d:70,5,256", "z", "Z", "vz", "u", "U", "vu",
    "w:3", "w:16", "w:0", "tdD", "tdm", "ttm", "ttn", "tsu:", "tsn:UTC", "tDs", "tiM", "tiD", "tin", "+l(i)", "+L(u)", "+vl(s)", "+vL(b)", "+w:4(f)",
    "+w:4(!f)", "+w:3(u)", "+w:0(i)", "+s", "+s(i,u,b)", "+m(!+s(!u,l))", "c=u", "i=l", "S=+l(u)", "+us:0,1(i,u)", "+ud:0,1(i,u)", "+l(+s(i,+l(u)))",
    "+s(+s(+s(+w:2(vu))))", "+l(+m(!+s(!i,+vl(z))))", "+w:2(+l(+w:2(d:10,2)))", "+l(i=vu)", "+vl(+us:0,1(b,+l(c)))",
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static bool has_unions(const char *kind) { return strstr(kind, "+u") != NULL; }

static void assert_rows(test_env *t, const struct ArrowSchema *schema, const struct ArrowArray *from, const int32_t *rows, int64_t n, const struct ArrowArray *found)
{
    assert_int_equal(found->length, n);
    assert_int_equal(found->offset, 0);
    int64_t nulls = 0;
    for (int64_t i = 0; i < n; i++) {
        assert_string_equal(row_text(t, schema, found, i), row_text(t, schema, from, rows[i]));
        if (found->n_buffers && *schema->format != 'n' && !has_unions(schema->format)) nulls += pmn_array_is_null(found, i);
    }
    if (*schema->format != 'n') assert_int_equal(found->null_count, nulls);
    if (nulls == 0 && found->n_buffers && !has_unions(schema->format)) assert_null(found->buffers[0]);
    if (!has_unions(schema->format)) return;
}

static int32_t *some_rows(test_random *r, int64_t length, int64_t n)
{
    int32_t *rows = malloc(sizeof *rows * (size_t)(n + 1));
    for (int64_t i = 0; i < n; i++) rows[i] = (int32_t)(next_random(r) % (uint64_t)length);
    return rows;
}

static void gathered_rows_are_those_asked_for(void **state)
{
    (void)state;
    test_random r = { 42 };
    for (size_t k = 0; k < N_KINDS; k++) {
        for (int round = 0; round < 6; round++) {
            test_env t;
            struct ArrowSchema schema;
            struct ArrowArray array, out;
            env_begin(&t, NULL);
            assert_int_equal(*schema_from_text(&t, kinds[k], &schema), 0);
            int64_t length = round == 5 ? 1 : 1 + (int64_t)(next_random(&r) % 70), n = round == 0 ? 0 : (int64_t)(next_random(&r) % 50);
            random_array(&t, &r, &schema, length, &array);
            bool foreign = round % 2;
            if (foreign) make_foreign(&array);
            int32_t *rows = some_rows(&r, length, n);
            must(&t, pmn_array_gather(t.pool, &schema, &array, rows, n, &out, &t.err));
            assert_rows(&t, &schema, &array, rows, n, &out);
            if (!has_unions(kinds[k])) must(&t, pmn_array_import_check(&schema, &out, &t.err));
            if (foreign) { /* what was gathered must not need the foreign memory */
                char *text = n ? row_text(&t, &schema, &out, n - 1) : NULL;
                pmn_array_release(&array);
                if (n) assert_string_equal(row_text(&t, &schema, &out, n - 1), text);
            }
            pmn_array_release(&array);
            pmn_array_release(&out);
            free(rows);
            pmn_schema_release(&schema);
            env_end(&t);
        }
    }
}

static void shared_rows_outlive_what_they_came_from(void **state)
{
    (void)state;
    test_random r = { 7 };
    for (size_t k = 0; k < N_KINDS; k++) {
        for (int foreign = 0; foreign < 2; foreign++) {
            test_env t;
            struct ArrowSchema schema;
            struct ArrowArray array, first, second;
            env_begin(&t, NULL);
            schema_from_text(&t, kinds[k], &schema);
            random_array(&t, &r, &schema, 40, &array);
            char *texts[40];
            for (int64_t i = 0; i < 40; i++) texts[i] = row_text(&t, &schema, &array, i);
            if (foreign) make_foreign(&array);
            must(&t, pmn_array_share(t.mem, &array, 5, 30, &first, &t.err));
            must(&t, pmn_array_share(t.mem, &first, 10, 20, &second, &t.err));
            for (int64_t i = 0; i < 40; i++) assert_string_equal(row_text(&t, &schema, &array, i), texts[i]);
            pmn_array_release(&array);
            for (int64_t i = 0; i < 30; i++) assert_string_equal(row_text(&t, &schema, &first, i), texts[5 + i]);
            pmn_array_release(&first);
            for (int64_t i = 0; i < 20; i++) assert_string_equal(row_text(&t, &schema, &second, i), texts[15 + i]);
            refused(&t, PAIMON_INTERNAL, pmn_array_share(t.mem, &second, 10, 11, &first, &t.err));
            pmn_array_release(&second);
            pmn_schema_release(&schema);
            env_end(&t);
        }
    }
}

static void child_taken_out_of_an_array_lives_on_alone(void **state)
{
    (void)state;
    test_random r = { 9 };
    test_env t;
    struct ArrowSchema schema;
    struct ArrowArray array, child;
    env_begin(&t, NULL);
    schema_from_text(&t, "+s(u,i)", &schema);
    random_array(&t, &r, &schema, 10, &array);
    char *text = row_text(&t, schema.children[0], array.children[0], 3);
    pmn_array_move(&child, array.children[0]);
    pmn_array_release(&array);
    assert_string_equal(row_text(&t, schema.children[0], &child, 3), text);
    pmn_array_release(&child);
    pmn_schema_release(&schema);
    env_end(&t);
}

static void nulls_are_null_in_every_kind(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_KINDS; k++) {
        for (int64_t n = 0; n < 20; n += 19) {
            test_env t;
            struct ArrowSchema schema;
            struct ArrowArray array;
            env_begin(&t, NULL);
            schema_from_text(&t, kinds[k], &schema);
            must(&t, pmn_array_nulls(t.pool, &schema, n, &array, &t.err));
            assert_int_equal(array.length, n);
            if (!has_unions(kinds[k])) must(&t, pmn_array_import_check(&schema, &array, &t.err));
            for (int64_t i = 0; i < n; i++) assert_non_null(strstr(row_text(&t, &schema, &array, i), "null"));
            pmn_array_release(&array);
            pmn_schema_release(&schema);
            env_end(&t);
        }
    }
}

static void repeated_row_is_the_same_in_every_place(void **state)
{
    (void)state;
    test_random r = { 11 };
    for (size_t k = 0; k < N_KINDS; k++) {
        test_env t;
        struct ArrowSchema schema;
        struct ArrowArray array, out;
        env_begin(&t, NULL);
        schema_from_text(&t, kinds[k], &schema);
        random_array(&t, &r, &schema, 12, &array);
        must(&t, pmn_array_repeat(t.pool, &schema, &array, 7, 5, &out, &t.err));
        assert_int_equal(out.length, 5);
        for (int64_t i = 0; i < 5; i++) assert_string_equal(row_text(&t, &schema, &out, i), row_text(&t, &schema, &array, 7));
        pmn_array_release(&out);
        pmn_array_release(&array);
        pmn_schema_release(&schema);
        env_end(&t);
    }
}

/* The size of a fixed list multiplies the rows. */
static void nulls_of_huge_fixed_lists_are_refused(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    struct ArrowSchema schema;
    struct ArrowArray out;
    must(&t, pmn_schema_new(t.mem, "+w:2147483647", "v", ARROW_FLAG_NULLABLE, 1, &schema, &t.err));
    must(&t, pmn_schema_new(t.mem, "+w:2147483647", "w", ARROW_FLAG_NULLABLE, 1, schema.children[0], &t.err));
    must(&t, pmn_schema_new(t.mem, "g", "x", ARROW_FLAG_NULLABLE, 0, schema.children[0]->children[0], &t.err));
    must(&t, pmn_array_nulls(t.pool, &schema, 0, &out, &t.err));
    pmn_array_release(&out);
    for (int64_t n = 1; n <= 8192; n *= 8192) refused(&t, PAIMON_INVALID, pmn_array_nulls(t.pool, &schema, n, &out, &t.err));
    pmn_schema_release(&schema);
    env_end(&t);
}

static void run_end_encoded_rows_are_refused_by_name(void **state)
{
    (void)state;
    test_env t;
    struct ArrowSchema schema;
    struct ArrowArray array, out;
    int32_t row = 0;
    env_begin(&t, NULL);
    schema_from_text(&t, "+r(i,i)", &schema);
    must(&t, pmn_array_new(t.mem, 1, 0, 0, NULL, 2, &array, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_array_gather(t.pool, &schema, &array, &row, 1, &out, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_array_nulls(t.pool, &schema, 1, &out, &t.err));
    pmn_array_release(&array);
    pmn_schema_release(&schema);
    env_end(&t);
}

static paimon_status all_ways(test_env *t, const struct ArrowSchema *schema, struct ArrowArray *array)
{
    static const int32_t rows[] = { 3, 1, 1, 0, 8 };
    struct ArrowArray out, shared;
    PMN_TRY(pmn_array_gather(t->pool, schema, array, rows, 5, &out, &t->err));
    pmn_array_release(&out);
    PMN_TRY(pmn_array_share(t->mem, array, 1, 5, &shared, &t->err));
    pmn_array_release(&shared);
    PMN_TRY(pmn_array_repeat(t->pool, schema, array, 2, 3, &out, &t->err));
    pmn_array_release(&out);
    PMN_TRY(pmn_array_nulls(t->pool, schema, 3, &out, &t->err));
    pmn_array_release(&out);
    return PAIMON_OK;
}

static void every_failing_allocation_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    failing_alloc f = { -1, 0 };
    paimon_allocator allocator = failing_alloc_interface(&f);
    for (size_t k = 0; k < N_KINDS; k++) {
        for (int64_t n = 0;; n++) {
            test_env t;
            struct ArrowSchema schema;
            struct ArrowArray array;
            test_random r = { 3 };
            f.until_failure = -1;
            env_begin(&t, &allocator);
            schema_from_text(&t, kinds[k], &schema);
            random_array(&t, &r, &schema, 9, &array);
            if (n % 2) make_foreign(&array);
            f.until_failure = n / 2;
            paimon_status status = all_ways(&t, &schema, &array);
            f.until_failure = -1;
            assert_true(array.release != NULL);
            pmn_array_release(&array);
            pmn_schema_release(&schema);
            env_end(&t);
            assert_int_equal(f.alive, 0);
            if (status == PAIMON_OK && n % 2) break;
            if (status != PAIMON_OK) assert_int_equal(status, PAIMON_NOMEM);
            assert_true(n < 10000);
        }
    }
}

/* Slices of several random arrays behind each other, some foreign, some empty. */
static void arrays_put_together_have_the_rows_of_all(void **state)
{
    (void)state;
    test_random r = { 77 };
    int refused = 0;
    for (size_t k = 0; k < N_KINDS; k++) {
        for (int round = 0; round < 6; round++) {
            test_env t;
            struct ArrowSchema schema;
            struct ArrowArray arrays[4], out;
            const struct ArrowArray *pointers[4];
            int n = round % 5;
            env_begin(&t, NULL);
            schema_from_text(&t, kinds[k], &schema);
            for (int i = 0; i < n; i++) {
                struct ArrowArray whole;
                int64_t length = (int64_t)(next_random(&r) % 40), first = length ? (int64_t)(next_random(&r) % (uint64_t)length) : 0;
                random_array(&t, &r, &schema, length, &whole);
                if (i % 2) make_foreign(&whole);
                must(&t, pmn_array_share(t.mem, &whole, first, length - first, &arrays[i], &t.err));
                pmn_array_release(&whole);
                pointers[i] = &arrays[i];
            }
            paimon_status status = pmn_array_concat(t.pool, &schema, pointers, n, &out, &t.err);
            refused += status != PAIMON_OK;
            if (status != PAIMON_OK) assert_int_equal(status, PAIMON_UNSUPPORTED);
            int64_t row = 0;
            for (int i = 0; i < n && status == PAIMON_OK; i++)
                for (int64_t j = 0; j < arrays[i].length; j++, row++) assert_string_equal(row_text(&t, &schema, &out, row), row_text(&t, &schema, &arrays[i], j));
            if (status == PAIMON_OK) assert_int_equal(out.length, row);
            paimon_error_clear(&t.err);
            if (status == PAIMON_OK) pmn_array_release(&out);
            for (int i = 0; i < n; i++) pmn_array_release(&arrays[i]);
            pmn_schema_release(&schema);
            env_end(&t);
        }
    }
    assert_true(refused < (int)N_KINDS * 6 / 2); /* those with dictionaries, views and unions */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gathered_rows_are_those_asked_for),
        cmocka_unit_test(shared_rows_outlive_what_they_came_from),
        cmocka_unit_test(child_taken_out_of_an_array_lives_on_alone),
        cmocka_unit_test(nulls_are_null_in_every_kind),
        cmocka_unit_test(arrays_put_together_have_the_rows_of_all),
        cmocka_unit_test(repeated_row_is_the_same_in_every_place),
        cmocka_unit_test(run_end_encoded_rows_are_refused_by_name),
        cmocka_unit_test(nulls_of_huge_fixed_lists_are_refused),
        cmocka_unit_test(every_failing_allocation_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
