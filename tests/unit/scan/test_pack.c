/* Grouping, ordering and packing, against a plain model of Java's rules on random entries. */
#include "support/unit.h"

#include "meta/source.h"
#include "scan/pack.h"

#define MOST 400

typedef struct setting {
    pmn_table_schema schema;
    pmn_source source;
} setting;

static void set_up(setting *s, const char *target, const char *cost)
{
    static const pmn_type none = { .kind = PMN_ROW };
    memset(s, 0, sizeof *s);
    s->schema.row = s->schema.partition_type = &none;
    s->source.schema = &s->schema;
    s->source.path = "/t";
    s->source.mem = pmn_mem_default();
    pmn_arena_init(&s->source.arena, s->source.mem);
    pmn_options_init(&s->source.options, &s->source.arena);
    assert_int_equal(pmn_options_set(&s->source.options, "source.split.target-size", target, NULL), PAIMON_OK);
    assert_int_equal(pmn_options_set(&s->source.options, "source.split.open-file-cost", cost, NULL), PAIMON_OK);
}

static paimon_plan *make_plan(uint64_t *random, int n, int n_partitions, int n_buckets)
{
    paimon_plan *plan = NULL;
    assert_int_equal(pmn_plan_new(pmn_mem_default(), "/t", &plan, NULL), PAIMON_OK);
    pmn_entries *set = &plan->entries;
    for (int p = 0; p < n_partitions; p++) {
        uint8_t bytes[16] = { 0 };
        bytes[15] = (uint8_t)p;
        int32_t number = -1;
        assert_int_equal(pmn_entries_partition(set, pmn_slice_of(bytes, sizeof bytes), &number, NULL), PAIMON_OK);
        assert_int_equal(number, p);
    }
    set->items = pmn_calloc(set->mem, MOST, sizeof *set->items);
    set->capacity = MOST;
    set->n = (size_t)n;
    for (int i = 0; i < n; i++)
        set->items[i] = (pmn_entry){ .name = "f",
                                     .size = (int64_t)random_below(random, 100),
                                     .row_count = 1,
                                     .min_sequence = (int64_t)random_below(random, 8),
                                     .partition = (int32_t)random_below(random, (uint64_t)n_partitions),
                                     .bucket = (int32_t)random_below(random, (uint64_t)n_buckets),
                                     .total_buckets = i };
    return plan;
}

/* The model: quadratic and plain. */
static void check(const paimon_plan *plan, int64_t target, int64_t cost)
{
    const pmn_entries *set = &plan->entries;
    bool taken[MOST] = { false };
    size_t split = 0;
    for (size_t first = 0; first < set->n; first++) {
        if (taken[first]) continue;
        int32_t partition = set->items[first].partition;
        for (size_t lead = first; lead < set->n; lead++) { /* buckets of this partition as they appear */
            if (taken[lead] || set->items[lead].partition != partition) continue;
            int32_t bucket = set->items[lead].bucket;
            uint32_t files[MOST];
            uint32_t n = 0;
            for (int64_t sequence = 0; sequence < 8; sequence++) /* stable by sequence number */
                for (size_t i = 0; i < set->n; i++)
                    if (set->items[i].partition == partition && set->items[i].bucket == bucket && set->items[i].min_sequence == sequence) {
                        files[n++] = (uint32_t)i;
                        taken[i] = true;
                    }
            for (uint32_t at = 0; at < n;) {
                assert_true(split < plan->n_splits);
                const paimon_split *s = &plan->splits[split++];
                assert_int_equal(s->partition, partition);
                assert_int_equal(s->bucket, bucket);
                assert_int_equal(s->total_buckets, set->items[lead].total_buckets); /* of the first that appeared */
                int64_t weight = 0;
                uint32_t k = 0;
                for (; at < n; at++, k++) {
                    int64_t size = set->items[files[at]].size, w = size > cost ? size : cost;
                    if (k > 0 && weight + w > target) break;
                    weight += w;
                    assert_true(k < s->n_files);
                    assert_int_equal(s->files[k], files[at]);
                }
                assert_int_equal(s->n_files, k);
            }
        }
    }
    assert_int_equal(split, plan->n_splits);
}

static void random_plans_are_packed_as_the_model_packs_them(void **state)
{
    (void)state;
    uint64_t random = 7;
    static const struct {
        const char *target, *cost;
        int64_t t, c;
    } sizes[] = { { "200 b", "10 b", 200, 10 }, { "50 b", "40 b", 50, 40 }, { "1 b", "1 b", 1, 1 }, { "1 gb", "4 mb", 1 << 30, 4 << 20 } };
    for (int round = 0; round < 400; round++) {
        setting s;
        size_t k = random_below(&random, 4);
        set_up(&s, sizes[k].target, sizes[k].cost);
        int n = (int)random_below(&random, MOST);
        paimon_plan *plan = make_plan(&random, n, 1 + (int)random_below(&random, 9), 1 + (int)random_below(&random, round % 2 ? 3 : 200));
        assert_int_equal(pmn_plan_pack(plan, &s.source, NULL), PAIMON_OK);
        check(plan, sizes[k].t, sizes[k].c);
        assert_int_equal(plan->n_files, n);
        pmn_plan_release(plan);
        pmn_arena_free(&s.source.arena);
    }
}

static void a_bad_size_is_named(void **state)
{
    (void)state;
    setting s;
    uint64_t random = 1;
    paimon_error err = PAIMON_ERROR_INIT;
    set_up(&s, "many", "1 b");
    paimon_plan *plan = make_plan(&random, 3, 1, 1);
    assert_int_equal(pmn_plan_pack(plan, &s.source, &err), PAIMON_INVALID);
    assert_non_null(strstr(paimon_error_message(&err), "source.split.target-size"));
    paimon_error_clear(&err);
    pmn_plan_release(plan);
    pmn_arena_free(&s.source.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_plans_are_packed_as_the_model_packs_them),
        cmocka_unit_test(a_bad_size_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
