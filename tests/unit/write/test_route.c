/* Rows to partitions and buckets, against the plain way: each row's values read, made a row, hashed. */
#include "support/write_table.h"

#include "types/bucket.h"
#include "types/value_reader.h"
#include "write/route.h"

#define FIELDS                                                                                                          \
    "{\"id\":0,\"name\":\"ps\",\"type\":\"STRING\"},{\"id\":1,\"name\":\"pb\",\"type\":\"BOOLEAN\"},{\"id\":2,\"name\":\"pd\",\"type\":\"DECIMAL(20, 2)\"},"   \
    "{\"id\":3,\"name\":\"ki\",\"type\":\"INT\"},{\"id\":4,\"name\":\"kl\",\"type\":\"BIGINT\"},{\"id\":5,\"name\":\"kd\",\"type\":\"DATE\"},"            \
    "{\"id\":6,\"name\":\"ks\",\"type\":\"STRING\"},{\"id\":7,\"name\":\"pt\",\"type\":\"SMALLINT\"}"
#define N_ROWS 700

typedef struct plain_way {
    const pmn_write_target *target;
    struct ArrowSchema schema;
    struct ArrowArray *batch;
} plain_way;

static void read_columns(const plain_way *p, const pmn_type *type, const int32_t *columns, int64_t row, pmn_datum *out)
{
    for (int32_t i = 0; i < type->n_fields; i++) {
        pmn_value_reader reader;
        OK(pmn_value_reader_init(&reader, type->fields[i].type, p->schema.children[columns[i]], err));
        OK(pmn_value_read(&reader, p->batch->children[columns[i]], row, &out[i], err));
    }
}

static void judge_row(const plain_way *p, const pmn_row_group *group, int64_t row)
{
    const pmn_table_schema *schema = p->target->source->schema;
    pmn_datum values[8];
    int32_t bucket = 0;
    pmn_buf partition;
    pmn_buf_init(&partition, pmn_mem_default(), PMN_BUF_NO_CEILING);
    read_columns(p, schema->partition_type, schema->partition_columns, row, values);
    OK(pmn_row_write_serialized(&partition, schema->partition_type, values, err));
    assert_true(pmn_slice_equal(group->partition, pmn_slice_of(partition.data, partition.size)));
    pmn_buf_free(&partition);
    if (p->target->n_buckets > 1) {
        read_columns(p, p->target->bucket_type, p->target->bucket_columns, row, values);
        OK(pmn_bucket_of(pmn_mem_default(), p->target->function, p->target->bucket_type, values, p->target->n_buckets, &bucket, err));
    }
    assert_int_equal(group->bucket, bucket);
}

static uint64_t below(uint64_t *seed, uint64_t n) { return random_below(seed, n); }

static const char *or_null(uint64_t *seed, const char *text) { return below(seed, 6) ? text : "null"; }

/* Rows as JSON, many as the one before. */
static char *random_json(uint64_t *seed, int64_t distinct)
{
    shown out = { 0 };
    char cells[8][40], row[400] = "";
    show(&out, "[");
    for (int i = 0; i < N_ROWS; i++) {
        if (i == 0 || below(seed, 3)) {
            uint64_t x = below(seed, (uint64_t)distinct), y = below(seed, (uint64_t)distinct);
            snprintf(cells[0], 40, "\"%.*s%d\"", (int)(x % 12), "partition by", (int)(x % 5));
            snprintf(cells[2], 40, "\"%d.%02d\"", (int)x - 3, (int)(y % 100));
            snprintf(cells[3], 40, "%d", (int)y - 50);
            snprintf(cells[4], 40, "%lld", (long long)(x * y * 1000003));
            snprintf(cells[5], 40, "\"20%02d-02-11\"", (int)(x % 90));
            snprintf(cells[6], 40, "\"key %d of many\"", (int)y);
            snprintf(cells[7], 40, "%d", (int)(y % 3));
            snprintf(row, sizeof row, "[%s,%s,%s,%s,%s,%s,%s,%s]", or_null(seed, cells[0]), or_null(seed, x % 2 ? "true" : "false"), or_null(seed, cells[2]),
                     or_null(seed, cells[3]), or_null(seed, cells[4]), or_null(seed, cells[5]), or_null(seed, cells[6]), or_null(seed, cells[7]));
        }
        show(&out, "%s%s", i ? "," : "", row);
    }
    show(&out, "]");
    return out.text;
}

static void judge_split(const char *keys, const char *options, uint64_t seed, int64_t distinct)
{
    write_place p = write_place_new(NULL, FIELDS, keys, options);
    pmn_arena arena;
    pmn_write_target target;
    pmn_router *router;
    struct ArrowArray batch;
    pmn_arena_init(&arena, pmn_mem_default());
    OK(pmn_write_target_make(&arena, p.table->source, 1, &target, err));
    OK(pmn_router_new(&target, &router, err));
    plain_way plain = { .target = &target, .batch = &batch };
    OK(paimon_table_arrow_schema(p.table, &plain.schema, err));
    for (int round = 0; round < 2; round++) {
        const pmn_row_group *groups;
        int32_t n;
        int64_t rows = 0;
        char *json = random_json(&seed, distinct);
        batch_of(&p.t, p.table->source->schema->row, json, &batch);
        OK(pmn_router_split(router, &batch, &groups, &n, err));
        for (int32_t g = 0; g < n; g++, rows += groups[g - 1].n) {
            for (int64_t i = 0; i < groups[g].n; i++) {
                if (i > 0) assert_true(groups[g].rows[i] > groups[g].rows[i - 1]);
                judge_row(&plain, &groups[g], groups[g].rows[i]);
            }
            for (int32_t h = 0; h < g; h++) assert_false(groups[h].bucket == groups[g].bucket && pmn_slice_equal(groups[h].partition, groups[g].partition));
            if (g > 0) assert_true(groups[g].rows[0] > groups[g - 1].rows[0]); /* in the order of their first rows */
        }
        assert_int_equal(rows, N_ROWS);
        pmn_array_release(&batch);
        free(json);
    }
    pmn_schema_release(&plain.schema);
    pmn_router_free(router);
    pmn_arena_free(&arena);
    write_place_leave(&p);
}

static void rows_go_where_their_values_say(void **state)
{
    (void)state;
    static const char *const keys[] = { "[]", "[\"ps\"]", "[\"pb\",\"pd\"]", "[\"pt\",\"ps\",\"pb\"]" };
    static const char *const buckets[] = { "\"bucket\":\"-1\"", "\"bucket\":\"7\",\"bucket-key\":\"ki,kl,kd\"", "\"bucket\":\"5\",\"bucket-key\":\"ks\"",
                                           "\"bucket\":\"16\",\"bucket-key\":\"kl\",\"bucket-function.type\":\"mod\"",
                                           "\"bucket\":\"1000\",\"bucket-key\":\"kd,ks\",\"bucket-function.type\":\"hive\"" };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        for (size_t b = 0; b < sizeof buckets / sizeof *buckets; b++) {
            if (k == 0 && b == 0) continue; /* one group, whose rows have no numbers */
            judge_split(keys[k], buckets[b], 31 * k + b + 1, 4);
            judge_split(keys[k], buckets[b], 131 * k + b + 1, 300);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_go_where_their_values_say) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
