/* What a predicate says on partition columns is decided in each partition; the rest must mean the same as before. */
#include "support/unit.h"

#include "read/partition_filter.h"

static const pmn_field fields[] = {
    { .id = 0, .name = "p", .type = &(const pmn_type){ .kind = PMN_INT, .nullable = true } },
    { .id = 1, .name = "q", .type = &(const pmn_type){ .kind = PMN_INT, .nullable = true } },
    { .id = 2, .name = "x", .type = &(const pmn_type){ .kind = PMN_INT, .nullable = true } },
};
static const pmn_type row = { .kind = PMN_ROW, .n_fields = 3, .fields = fields };

static const pmn_pred *fix_text(pmn_arena *arena, const char *text, const pmn_datum *values)
{
    static const bool fixed[] = { true, true, false };
    paimon_predicate *p = NULL;
    const pmn_pred *bound = NULL, *out = NULL;
    assert_int_equal(paimon_predicate_parse(text, &p, NULL), PAIMON_OK);
    assert_int_equal(pmn_pred_bind(arena, &row, p, &bound, NULL), PAIMON_OK);
    paimon_predicate_free(p);
    assert_int_equal(pmn_pred_fix(arena, bound, fixed, values, 3, &out, NULL), PAIMON_OK);
    return out;
}

static pmn_datum number(int64_t i) { return (pmn_datum){ .v.i = i }; }

static void constants_take_the_place_of_partition_columns(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_datum values[3] = { number(1), { .is_null = true }, { .is_null = true } };
    assert_int_equal(fix_text(&arena, "p = 1", values)->kind, PMN_PRED_TRUE);
    assert_int_equal(fix_text(&arena, "p = 2", values)->kind, PMN_PRED_FALSE);
    assert_int_equal(fix_text(&arena, "q = 1", values)->kind, PMN_PRED_FALSE);
    assert_int_equal(fix_text(&arena, "q <> 1", values)->kind, PMN_PRED_FALSE);
    assert_int_equal(fix_text(&arena, "q IS NULL AND p IN (3, 1)", values)->kind, PMN_PRED_TRUE);
    assert_int_equal(fix_text(&arena, "p = 1 AND x = 5", values)->kind, PMN_PRED_LEAF);
    assert_int_equal(fix_text(&arena, "p = 2 AND x = 5", values)->kind, PMN_PRED_FALSE);
    assert_int_equal(fix_text(&arena, "p = 1 OR x = 5", values)->kind, PMN_PRED_TRUE);
    assert_int_equal(fix_text(&arena, "p = 2 OR x = 5", values)->kind, PMN_PRED_LEAF);
    assert_int_equal(fix_text(&arena, "(p = 2 OR x = 5) AND (x > 1 OR q IS NULL)", values)->kind, PMN_PRED_LEAF);
    assert_int_equal(fix_text(&arena, "(p = 2 OR x = 5) AND x > 1", values)->kind, PMN_PRED_AND);
    pmn_arena_free(&arena);
}

/* All combinations of small values: fixed and then evaluated is the same as evaluated at once. */
static void fixing_changes_no_answer(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "p = 1 AND (q = 2 OR x = 1)", "NOT (p = 1 AND x = 2)", "p IS NULL OR NOT (q > 0 OR x < 2)", "p BETWEEN 0 AND 1 AND x IN (0, 2)",
        "(p = 0 OR q = 0 OR x = 0) AND (p <> 2 OR x IS NULL)", "p NOT IN (1, 2) OR x NOT BETWEEN 1 AND 2",
    };
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        paimon_predicate *p = NULL;
        const pmn_pred *bound = NULL;
        assert_int_equal(paimon_predicate_parse(texts[t], &p, NULL), PAIMON_OK);
        assert_int_equal(pmn_pred_bind(&arena, &row, p, &bound, NULL), PAIMON_OK);
        paimon_predicate_free(p);
        for (int i = 0; i < 64; i++) {
            pmn_datum values[3];
            for (int c = 0; c < 3; c++) {
                int v = (i >> (2 * c)) & 3;
                values[c] = number(v);
                values[c].is_null = v == 3;
            }
            assert_int_equal(pmn_pred_eval_row(fix_text(&arena, texts[t], values), values, 3), pmn_pred_eval_row(bound, values, 3));
        }
    }
    pmn_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_take_the_place_of_partition_columns),
        cmocka_unit_test(fixing_changes_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
