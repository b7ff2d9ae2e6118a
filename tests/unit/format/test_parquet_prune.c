/* Pruning may keep too much, never too little: random columns, statistics, page indexes and bloom filters against looking at each row;
 * then the single traps by name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/xxhash.h"
#include "format/parquet/bloom.h"
#include "format/parquet/bounds.h"
#include "format/parquet/index.h"
#include "format/parquet/prune.h"
#include "types/type.h"

enum { COL_I, COL_D, COL_S, COL_T, COL_C, N_COLUMNS };
#define ROW_TYPE "ROW<i INT, d DOUBLE, s STRING, t TIMESTAMP(3), c DECIMAL(9, 2)>"
#define MAX_ROWS 64

static uint64_t random_state = 88172645463325252u;
static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % n;
}

static const pmn_parquet_element elements[] = {
    { .name = "root", .physical = PMN_PQ_GROUP, .n_children = N_COLUMNS, .field_id = -1 },
    { .name = "i", .physical = PMN_PQ_INT32, .repetition = PMN_PQ_OPTIONAL, .field_id = -1 },
    { .name = "d", .physical = PMN_PQ_DOUBLE, .repetition = PMN_PQ_OPTIONAL, .field_id = -1 },
    { .name = "s", .physical = PMN_PQ_BYTE_ARRAY, .repetition = PMN_PQ_OPTIONAL, .field_id = -1, .logical = { .kind = PMN_PQ_LOGICAL_STRING } },
    { .name = "t", .physical = PMN_PQ_INT64, .repetition = PMN_PQ_OPTIONAL, .field_id = -1, .logical = { .kind = PMN_PQ_LOGICAL_TIMESTAMP, .unit = PMN_PQ_MICROS } },
    { .name = "c", .physical = PMN_PQ_FIXED, .type_length = 5, .repetition = PMN_PQ_OPTIONAL, .field_id = -1, .logical = { .kind = PMN_PQ_LOGICAL_DECIMAL, .precision = 9, .scale = 2 } },
};

/* A file of one row group that exists only as its footer, indexes and filters. */
typedef struct fake_file {
    pmn_parquet_file file;
    pmn_parquet_group group;
    pmn_parquet_chunk chunks[N_COLUMNS];
    pmn_parquet_order orders[N_COLUMNS];
    struct ArrowSchema arrow;
    pmn_want want;
    pmn_arena arena;
    const pmn_type *row;
    pmn_datum values[MAX_ROWS][N_COLUMNS];
    int n_rows;
    pmn_buf bytes; /* of the file from offset 0 */
} fake_file;

static void put(fake_file *f, const void *bytes, size_t n) { assert_int_equal(pmn_buf_append(&f->bytes, bytes, n, NULL), PAIMON_OK); }
static void put_byte(fake_file *f, unsigned b) { assert_int_equal(pmn_buf_append_byte(&f->bytes, (uint8_t)b, NULL), PAIMON_OK); }
static void put_varint(fake_file *f, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) put_byte(f, (unsigned)(v & 0x7f) | 0x80);
    put_byte(f, (unsigned)v);
}
static void put_zigzag(fake_file *f, int64_t v) { put_varint(f, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63)); }
static void put_list(fake_file *f, int step, unsigned type, int n)
{
    put_byte(f, (unsigned)step << 4 | PMN_THRIFT_LIST);
    put_byte(f, 0xf0 | type);
    put_varint(f, (uint64_t)n);
}

static void fake_init(fake_file *f)
{
    memset(f, 0, sizeof *f);
    pmn_arena_init(&f->arena, pmn_mem_default());
    pmn_arena_init(&f->file.arena, pmn_mem_default());
    pmn_buf_init(&f->bytes, pmn_mem_default(), 1 << 20);
    put(f, "PAR1----", 8);
    assert_int_equal(pmn_type_parse(&f->arena, ROW_TYPE, &f->row, NULL), PAIMON_OK);
    f->file.mem = pmn_mem_default();
    f->file.meta = (pmn_parquet_meta){ .elements = elements, .n_elements = N_COLUMNS + 1, .groups = &f->group, .n_groups = 1, .orders = f->orders, .n_orders = N_COLUMNS };
    f->group = (pmn_parquet_group){ .chunks = f->chunks, .n_chunks = N_COLUMNS, .first_row = 100 };
    for (int c = 0; c < N_COLUMNS; c++) {
        f->orders[c] = PMN_PQ_ORDER_TYPE;
        f->chunks[c] = (pmn_parquet_chunk){ .bloom_offset = -1, .bloom_length = -1, .column_index_offset = -1, .offset_index_offset = -1, .first_offset = 4, .compressed_bytes = 1 << 16 };
        f->chunks[c].statistics.null_count = -1;
    }
    assert_int_equal(pmn_parquet_schema_build(&f->arena, &f->file.meta, &f->file.schema, NULL), PAIMON_OK);
    assert_int_equal(pmn_parquet_schema_arrow(pmn_mem_default(), &f->file.schema, &f->arrow, NULL), PAIMON_OK);
    assert_int_equal(pmn_parquet_match(&f->arena, &f->file.schema, &f->arrow, false, &f->want, NULL), PAIMON_OK);
}

static void fake_free(fake_file *f)
{
    pmn_schema_release(&f->arrow);
    pmn_arena_free(&f->arena);
    pmn_arena_free(&f->file.arena);
    pmn_buf_free(&f->bytes);
}

static void fake_seal(fake_file *f)
{
    f->group.n_rows = f->n_rows;
    f->file.size = (int64_t)f->bytes.size;
    f->file.tail = f->bytes.data;
    f->file.tail_size = f->bytes.size;
}

/* ---- values and their stored bytes ---- */

static const double doubles[] = { -1.5, -0.0, 0.0, 1.0, 3.0, 7.25, INFINITY, NAN };
static const char *const strings[] = { "", "a", "ab", "abc", "b", "ba", "c", "\xc3\xa9" };

static void random_value(fake_file *f, int column, pmn_datum *out)
{
    memset(out, 0, sizeof *out);
    out->is_null = random_below(5) == 0;
    if (out->is_null) return;
    uint32_t pick = random_below(8);
    switch (column) {
    case COL_I: out->v.i = (int64_t)pick - 3; break;
    case COL_D: out->v.d = doubles[pick]; break;
    case COL_S: out->v.bytes = pmn_slice_text(strings[pick]); break;
    case COL_T: out->v.ts.millis = ((int64_t)pick - 4) * 500; break;
    default: out->v.dec = ((pmn_i128)pick - 4) * 125; break;
    }
    (void)f;
}

static pmn_slice store(fake_file *f, int column, const pmn_datum *v)
{
    uint8_t b[8];
    switch (column) {
    case COL_I: pmn_store_le32(b, (uint32_t)v->v.i); return pmn_slice_of(pmn_arena_copy(&f->arena, b, 4), 4);
    case COL_D: {
        uint64_t bits;
        memcpy(&bits, &v->v.d, 8);
        pmn_store_le64(b, bits);
        return pmn_slice_of(pmn_arena_copy(&f->arena, b, 8), 8);
    }
    case COL_S: return pmn_slice_of(pmn_arena_copy(&f->arena, v->v.bytes.data, v->v.bytes.size), v->v.bytes.size);
    case COL_T: pmn_store_le64(b, (uint64_t)(v->v.ts.millis * 1000 + v->v.ts.nanos_of_milli / 1000)); return pmn_slice_of(pmn_arena_copy(&f->arena, b, 8), 8);
    default: pmn_store_be64(b, (uint64_t)v->v.dec); return pmn_slice_of(pmn_arena_copy(&f->arena, b + 3, 5), 5);
    }
}

/* Bounds of rows [first, end) as a writer makes them: no nulls, no NaN, zeros of any sign. */
static bool bounds_of(fake_file *f, int column, int first, int end, pmn_slice *min, pmn_slice *max, int64_t *nulls)
{
    const pmn_type *type = f->row->fields[column].type;
    const pmn_datum *low = NULL, *high = NULL;
    *nulls = 0;
    for (int r = first; r < end; r++) {
        const pmn_datum *v = &f->values[r][column];
        if (v->is_null) ++*nulls;
        if (v->is_null || pmn_datum_is_nan(type, v)) continue;
        if (!low || pmn_datum_compare(type, v, low) < 0) low = v;
        if (!high || pmn_datum_compare(type, v, high) > 0) high = v;
    }
    if (!low) return false;
    pmn_datum a = *low, b = *high;
    if (column == COL_D && a.v.d == 0) a.v.d = random_below(2) ? 0.0 : -0.0;
    if (column == COL_D && b.v.d == 0) b.v.d = random_below(2) ? 0.0 : -0.0;
    *min = store(f, column, &a);
    *max = store(f, column, &b);
    return true;
}

static void random_statistics(fake_file *f, int column)
{
    pmn_parquet_statistics *s = &f->chunks[column].statistics;
    pmn_slice min = { 0 }, max = { 0 };
    int64_t nulls;
    bool has = bounds_of(f, column, 0, f->n_rows, &min, &max, &nulls);
    if (random_below(4)) s->null_count = nulls;
    if (!has) return;
    if (random_below(4)) s->min_value = min;
    if (random_below(4)) s->max_value = max;
    if (column != COL_S && column != COL_C && random_below(3) == 0) {
        s->legacy_min = min;
        s->legacy_max = max;
    }
    if (random_below(6) == 0) f->orders[column] = PMN_PQ_ORDER_UNDEFINED;
}

static void random_page_index(fake_file *f, int column)
{
    pmn_parquet_chunk *chunk = &f->chunks[column];
    int starts[MAX_ROWS + 1], n = 0;
    for (int r = 0; r < f->n_rows; r++) {
        if (r == 0 || random_below(6) == 0) starts[n++] = r;
    }
    starts[n] = f->n_rows;
    pmn_slice min[MAX_ROWS], max[MAX_ROWS];
    int64_t nulls[MAX_ROWS];
    bool has[MAX_ROWS];
    for (int p = 0; p < n; p++) {
        has[p] = bounds_of(f, column, starts[p], starts[p + 1], &min[p], &max[p], &nulls[p]);
        /* a page of NaN alone has no bounds, so a writer gives the chunk no column index */
        if (!has[p] && nulls[p] != starts[p + 1] - starts[p]) return;
    }
    chunk->column_index_offset = (int64_t)f->bytes.size;
    put_list(f, 1, PMN_THRIFT_TRUE, n);
    for (int p = 0; p < n; p++) put_byte(f, has[p] ? 2 : 1);
    for (int which = 0; which < 2; which++) {
        put_list(f, 1, PMN_THRIFT_BINARY, n);
        for (int p = 0; p < n; p++) {
            pmn_slice bytes = has[p] ? (which ? max[p] : min[p]) : pmn_slice_of("", 0);
            put_varint(f, bytes.size);
            put(f, bytes.data, bytes.size);
        }
    }
    put_byte(f, 0x15);
    put_zigzag(f, 0);
    if (random_below(3)) {
        put_list(f, 1, PMN_THRIFT_I64, n);
        for (int p = 0; p < n; p++) put_zigzag(f, nulls[p]);
    }
    put_byte(f, 0);
    chunk->column_index_length = (int32_t)((int64_t)f->bytes.size - chunk->column_index_offset);
    chunk->offset_index_offset = (int64_t)f->bytes.size;
    put_list(f, 1, PMN_THRIFT_STRUCT, n);
    for (int p = 0; p < n; p++) {
        put_byte(f, 0x16);
        put_zigzag(f, 4 + 10 * p);
        put_byte(f, 0x15);
        put_zigzag(f, 10);
        put_byte(f, 0x16);
        put_zigzag(f, starts[p]);
        put_byte(f, 0);
    }
    put_byte(f, 0);
    chunk->offset_index_length = (int32_t)((int64_t)f->bytes.size - chunk->offset_index_offset);
}

static void set_bloom_bits(uint8_t *bits, uint32_t n_blocks, uint64_t hash)
{
    static const uint32_t salt[8] = { 0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du, 0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u };
    uint8_t *block = bits + (size_t)(((hash >> 32) * n_blocks) >> 32) * 32;
    for (int i = 0; i < 8; i++) pmn_store_le32(block + 4 * i, pmn_load_le32(block + 4 * i) | 1u << (((uint32_t)hash * salt[i]) >> 27));
}

static void add_bloom(fake_file *f, int column, uint32_t n_blocks)
{
    static const uint8_t header_end[] = { 0x1c, 0x1c, 0x00, 0x00, 0x1c, 0x1c, 0x00, 0x00, 0x1c, 0x1c, 0x00, 0x00, 0x00 };
    uint8_t *bits = calloc(n_blocks, 32);
    for (int r = 0; r < f->n_rows; r++) {
        if (f->values[r][column].is_null) continue;
        pmn_slice plain = store(f, column, &f->values[r][column]);
        set_bloom_bits(bits, n_blocks, pmn_xxhash64(plain.data, plain.size, 0));
    }
    f->chunks[column].bloom_offset = (int64_t)f->bytes.size;
    put_byte(f, 0x15);
    put_zigzag(f, (int64_t)n_blocks * 32);
    put(f, header_end, sizeof header_end);
    put(f, bits, (size_t)n_blocks * 32);
    free(bits);
}

static void fake_random(fake_file *f)
{
    fake_init(f);
    f->n_rows = 1 + (int)random_below(MAX_ROWS);
    for (int r = 0; r < f->n_rows; r++) {
        for (int c = 0; c < N_COLUMNS; c++) random_value(f, c, &f->values[r][c]);
    }
    for (int c = 0; c < N_COLUMNS; c++) {
        random_statistics(f, c);
        if (random_below(3)) random_page_index(f, c);
        if (random_below(3) == 0) add_bloom(f, c, 1 + random_below(3));
    }
    fake_seal(f);
}

/* ---- random predicates ---- */

static void random_literal(char *out, size_t size, int column)
{
    static const char *const reals[] = { "-1.5", "0.0", "-0.0", "1.0", "3.0", "5", "7.25", "9e99" };
    static const char *const texts[] = { "''", "'a'", "'ab'", "'abd'", "'b'", "'bb'", "'c'", "'zz'" };
    static const char *const times[] = { "'1969-12-31 23:59:58.000'", "'1969-12-31 23:59:59.500'", "'1970-01-01 00:00:00'", "'1970-01-01 00:00:00.250'",
                                         "'1970-01-01 00:00:00.500'", "'1970-01-01 00:00:01'", "'1970-01-01 00:00:01.5'", "'2000-01-01 00:00:00'" };
    static const char *const decimals[] = { "-5.00", "-1.25", "0", "1.25", "2.50", "3", "3.75", "99" };
    uint32_t pick = random_below(8);
    switch (column) {
    case COL_I: snprintf(out, size, "%d", (int)pick - 3); break;
    case COL_D: snprintf(out, size, "%s", reals[pick]); break;
    case COL_S: snprintf(out, size, "%s", texts[pick]); break;
    case COL_T: snprintf(out, size, "%s", times[pick]); break;
    default: snprintf(out, size, "%s", decimals[pick]); break;
    }
}

static void random_leaf(char *out, size_t size)
{
    static const char names[] = "idstc";
    static const char *const ops[] = { "=", "<>", "<", "<=", ">", ">=" };
    int c = (int)random_below(N_COLUMNS);
    char a[64], b[64];
    random_literal(a, sizeof a, c);
    random_literal(b, sizeof b, c);
    switch (random_below(9)) {
    case 0: snprintf(out, size, "%c IS NULL", names[c]); break;
    case 1: snprintf(out, size, "%c IS NOT NULL", names[c]); break;
    case 2: snprintf(out, size, "%c IN (%s, %s)", names[c], a, b); break;
    case 3: snprintf(out, size, "%c NOT IN (%s, %s)", names[c], a, b); break;
    case 4: snprintf(out, size, "%c %sBETWEEN %s AND %s", names[c], random_below(2) ? "NOT " : "", a, b); break;
    case 5:
        if (c == COL_S) {
            snprintf(out, size, "s LIKE 'a%%'");
            break;
        }
        snprintf(out, size, "%c = %s", names[c], a);
        break;
    default: snprintf(out, size, "%c %s %s", names[c], ops[random_below(6)], a); break;
    }
}

static void random_predicate(char *out, size_t size, int depth)
{
    char a[1024], b[1024];
    if (depth == 0 || random_below(3) == 0) {
        random_leaf(out, size);
        return;
    }
    random_predicate(a, sizeof a, depth - 1);
    random_predicate(b, sizeof b, depth - 1);
    snprintf(out, size, "%s(%s %s %s)", random_below(5) ? "" : "NOT ", a, random_below(2) ? "AND" : "OR", b);
}

static const pmn_pred *bind(fake_file *f, const char *text)
{
    paimon_predicate *p;
    const pmn_pred *bound;
    paimon_error err = PAIMON_ERROR_INIT;
    if (paimon_predicate_parse(text, &p, &err) != PAIMON_OK) fail_msg("%s: %s", text, paimon_error_message(&err));
    if (pmn_pred_bind(&f->arena, f->row, p, &bound, &err) != PAIMON_OK) fail_msg("%s: %s", text, paimon_error_message(&err));
    paimon_predicate_free(p);
    return bound;
}

static bool kept(const pmn_row_ranges *ranges, int64_t row)
{
    for (int32_t i = 0; i < ranges->n; i++) {
        if (row >= ranges->items[i].first && row < ranges->items[i].first + ranges->items[i].count) return true;
    }
    return false;
}

static void check_shape(const fake_file *f, const pmn_row_ranges *ranges)
{
    int64_t end = f->group.first_row - 1; /* adjacent ranges would have been joined */
    for (int32_t i = 0; i < ranges->n; i++) {
        assert_true(ranges->items[i].first > end && ranges->items[i].count > 0);
        end = ranges->items[i].first + ranges->items[i].count;
    }
    assert_true(end <= f->group.first_row + f->group.n_rows);
}

static void no_matching_row_is_ever_pruned(void **state)
{
    (void)state;
    int64_t rows = 0, dropped = 0;
    for (int round = 0; round < 4000; round++) {
        fake_file f;
        char text[4096];
        fake_random(&f);
        for (int q = 0; q < 8; q++) {
            random_predicate(text, sizeof text, 3);
            const pmn_pred *pred = bind(&f, text);
            pmn_row_ranges keep;
            pmn_row_ranges_init(&keep, pmn_mem_default());
            assert_int_equal(pmn_parquet_prune_group(&f.file, 0, pred, &f.want, &keep, NULL), PAIMON_OK);
            check_shape(&f, &keep);
            for (int r = 0; r < f.n_rows; r++) {
                if (pmn_pred_eval_row(pred, f.values[r], N_COLUMNS) && !kept(&keep, 100 + r)) fail_msg("round %d: row %d meets %s, but was pruned", round, r, text);
            }
            rows += f.n_rows;
            dropped += f.n_rows - pmn_row_ranges_count(&keep);
            pmn_row_ranges_free(&keep);
        }
        fake_free(&f);
    }
    /* and it is of use */
    if (dropped * 10 < rows) fail_msg("only %lld of %lld rows were pruned", (long long)dropped, (long long)rows);
}

/* ---- traps ---- */

static int64_t keep_count(fake_file *f, const char *text)
{
    pmn_row_ranges keep;
    pmn_row_ranges_init(&keep, pmn_mem_default());
    fake_seal(f);
    assert_int_equal(pmn_parquet_prune_group(&f->file, 0, bind(f, text), &f->want, &keep, NULL), PAIMON_OK);
    int64_t n = pmn_row_ranges_count(&keep);
    pmn_row_ranges_free(&keep);
    return n;
}

static pmn_slice real_bytes(fake_file *f, double v)
{
    pmn_datum d = { .v.d = v };
    return store(f, COL_D, &d);
}

static void nan_is_above_every_maximum(void **state)
{
    (void)state;
    fake_file f;
    fake_init(&f);
    f.n_rows = 10;
    pmn_parquet_statistics *s = &f.chunks[COL_D].statistics;
    *s = (pmn_parquet_statistics){ .null_count = 0, .min_value = real_bytes(&f, 3), .max_value = real_bytes(&f, 3) };
    assert_int_equal(keep_count(&f, "d <> 3.0"), 10);
    assert_int_equal(keep_count(&f, "d > 5"), 10);
    assert_int_equal(keep_count(&f, "d NOT IN (3.0)"), 10);
    assert_int_equal(keep_count(&f, "d = 5"), 0);
    assert_int_equal(keep_count(&f, "d BETWEEN 4 AND 5"), 0);
    assert_int_equal(keep_count(&f, "d < 2"), 0);
    /* a NaN bound says nothing about either side */
    s->max_value = real_bytes(&f, NAN);
    assert_int_equal(keep_count(&f, "d < 2"), 10);
    fake_free(&f);
}

static void zeros_of_either_sign_are_one_value(void **state)
{
    (void)state;
    fake_file f;
    fake_init(&f);
    f.n_rows = 10;
    f.chunks[COL_D].statistics = (pmn_parquet_statistics){ .null_count = 0, .min_value = real_bytes(&f, 0.0), .max_value = real_bytes(&f, -0.0) };
    assert_int_equal(keep_count(&f, "d = 0.0"), 10);
    assert_int_equal(keep_count(&f, "d = -0.0"), 10);
    assert_int_equal(keep_count(&f, "d <= -0.0"), 10);
    fake_free(&f);
}

static void missing_null_counts_are_unknown(void **state)
{
    (void)state;
    fake_file f;
    fake_init(&f);
    f.n_rows = 10;
    assert_int_equal(keep_count(&f, "i IS NULL"), 10);
    assert_int_equal(keep_count(&f, "i IS NOT NULL"), 10);
    f.chunks[COL_I].statistics.null_count = 0;
    assert_int_equal(keep_count(&f, "i IS NULL"), 0);
    f.chunks[COL_I].statistics.null_count = 10;
    assert_int_equal(keep_count(&f, "i IS NOT NULL"), 0);
    assert_int_equal(keep_count(&f, "i = 1"), 0);
    f.chunks[COL_I].statistics.null_count = 11; /* more nulls than rows: nonsense */
    assert_int_equal(keep_count(&f, "i IS NOT NULL"), 10);
    fake_free(&f);
}

static void old_statistics_count_only_for_numbers(void **state)
{
    (void)state;
    fake_file f;
    fake_init(&f);
    f.n_rows = 10;
    pmn_datum one = { .v.i = 1 }, text = { .v.bytes = pmn_slice_text("b") };
    pmn_slice i = store(&f, COL_I, &one), s = store(&f, COL_S, &text);
    f.chunks[COL_I].statistics = (pmn_parquet_statistics){ .null_count = 0, .legacy_min = i, .legacy_max = i };
    f.chunks[COL_S].statistics = (pmn_parquet_statistics){ .null_count = 0, .legacy_min = s, .legacy_max = s };
    assert_int_equal(keep_count(&f, "i = 2"), 0);
    assert_int_equal(keep_count(&f, "s = 'c'"), 10);
    /* the new ones need a column order */
    f.chunks[COL_S].statistics = (pmn_parquet_statistics){ .null_count = 0, .min_value = s, .max_value = s };
    assert_int_equal(keep_count(&f, "s = 'c'"), 0);
    f.orders[COL_S] = PMN_PQ_ORDER_UNDEFINED;
    assert_int_equal(keep_count(&f, "s = 'c'"), 10);
    fake_free(&f);
}

static void a_column_that_the_file_lacks_is_null(void **state)
{
    (void)state;
    fake_file f;
    fake_init(&f);
    f.n_rows = 10;
    pmn_want columns[N_COLUMNS], want = f.want;
    memcpy(columns, f.want.children, sizeof columns);
    columns[COL_I].field = NULL;
    want.children = columns;
    f.want = want;
    assert_int_equal(keep_count(&f, "i > 0"), 0);
    assert_int_equal(keep_count(&f, "i IS NULL"), 10);
    fake_free(&f);
}

static void damaged_indexes_are_left_out(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        fake_file f;
        char text[4096];
        fake_random(&f);
        for (int i = 0; i < 3 && f.bytes.size > 8; i++) f.bytes.data[8 + random_below((uint32_t)f.bytes.size - 8)] ^= (uint8_t)(1u << random_below(8));
        random_predicate(text, sizeof text, 2);
        pmn_row_ranges keep;
        pmn_row_ranges_init(&keep, pmn_mem_default());
        assert_int_equal(pmn_parquet_prune_group(&f.file, 0, bind(&f, text), &f.want, &keep, NULL), PAIMON_OK);
        check_shape(&f, &keep);
        pmn_row_ranges_free(&keep);
        fake_free(&f);
    }
}

/* ---- single bounds ---- */

static bool bound_one(const char *type_text, pmn_parquet_element e, pmn_slice min, pmn_slice max, pmn_stat *out)
{
    pmn_arena arena;
    const pmn_type *type;
    pmn_parquet_node node = { .element = &e };
    pmn_parquet_bytes_bounds bounds = { min, max, false };
    pmn_arena_init(&arena, pmn_mem_default());
    assert_int_equal(pmn_type_parse(&arena, type_text, &type, NULL), PAIMON_OK);
    pmn_pred leaf = { .kind = PMN_PRED_LEAF, .op = PAIMON_OP_EQ, .type = type };
    memset(out, 0, sizeof *out);
    pmn_parquet_bounds_of(&node, &leaf, &bounds, out);
    pmn_arena_free(&arena);
    return !out->min.is_null && !out->max.is_null;
}

static void bounds_need_types_that_agree(void **state)
{
    (void)state;
    const uint8_t four[4] = { 1, 0, 0, 0 }, eight[8] = { 1, 0, 0, 0, 0, 0, 0, 0 }, twelve[12] = { 1 };
    pmn_slice b4 = pmn_slice_of(four, 4), b8 = pmn_slice_of(eight, 8), b12 = pmn_slice_of(twelve, 12);
    pmn_stat out;
    pmn_parquet_element i32 = { .physical = PMN_PQ_INT32 }, i64 = { .physical = PMN_PQ_INT64 }, i96 = { .physical = PMN_PQ_INT96 };
    assert_true(bound_one("INT", i32, b4, b4, &out));
    assert_true(bound_one("BIGINT", i32, b4, b4, &out));
    assert_true(bound_one("INT", i64, b8, b8, &out));
    assert_false(bound_one("INT", i32, b8, b8, &out)); /* wrong size */
    assert_false(bound_one("TIMESTAMP(9)", i96, b12, b12, &out));
    assert_false(bound_one("TIMESTAMP(3)", i64, b8, b8, &out)); /* no unit */
    i32.logical = (pmn_parquet_logical){ .kind = PMN_PQ_LOGICAL_INTEGER, .bits = 32 };
    assert_false(bound_one("INT", i32, b4, b4, &out)); /* unsigned */
    i32.logical = (pmn_parquet_logical){ .kind = PMN_PQ_LOGICAL_DECIMAL, .precision = 9, .scale = 2 };
    assert_true(bound_one("DECIMAL(9, 2)", i32, b4, b4, &out));
    assert_false(bound_one("DECIMAL(9, 3)", i32, b4, b4, &out));
    assert_false(bound_one("INT", i32, b4, b4, &out));
}

static void timestamps_keep_their_exact_value_across_units(void **state)
{
    (void)state;
    uint8_t b[8];
    pmn_stat out;
    pmn_parquet_element e = { .physical = PMN_PQ_INT64, .logical = { .kind = PMN_PQ_LOGICAL_TIMESTAMP, .unit = PMN_PQ_NANOS } };
    pmn_store_le64(b, (uint64_t)(int64_t)-1);
    assert_true(bound_one("TIMESTAMP(9)", e, pmn_slice_of(b, 8), pmn_slice_of(b, 8), &out));
    assert_int_equal(out.min.v.ts.millis, -1);
    assert_int_equal(out.min.v.ts.nanos_of_milli, 999999);
    /* a coarser type sees rounded values: the bounds widen to whole units */
    assert_true(bound_one("TIMESTAMP(3)", e, pmn_slice_of(b, 8), pmn_slice_of(b, 8), &out));
    assert_int_equal(out.min.v.ts.millis, -1);
    assert_int_equal(out.min.v.ts.nanos_of_milli, 0);
    assert_int_equal(out.max.v.ts.millis, 0);
    e.logical.unit = PMN_PQ_MILLIS;
    pmn_store_le64(b, (uint64_t)INT64_MAX);
    assert_false(bound_one("TIMESTAMP(0)", e, pmn_slice_of(b, 8), pmn_slice_of(b, 8), &out)); /* its second would not fit */
}

static void char_bounds_count_only_where_blanks_cannot_change_the_order(void **state)
{
    (void)state;
    pmn_parquet_element e = { .physical = PMN_PQ_BYTE_ARRAY, .logical = { .kind = PMN_PQ_LOGICAL_STRING } };
    pmn_stat out;
    assert_true(bound_one("CHAR(5)", e, pmn_slice_text("ab"), pmn_slice_text("b"), &out));
    bound_one("CHAR(5)", e, pmn_slice_text("a\1"), pmn_slice_text("b "), &out);
    assert_true(out.min.is_null && out.max.is_null);
    assert_true(bound_one("STRING", e, pmn_slice_text("a\1"), pmn_slice_text("b "), &out));
}

static void bloom_hashes_are_those_of_the_specification(void **state)
{
    (void)state;
    /* XXH64 with seed 0, from the xxHash repository's sanity checks and common tables */
    assert_true(pmn_xxhash64("", 0, 0) == 0xEF46DB3751D8E999u);
    assert_true(pmn_xxhash64("a", 1, 0) == 0xD24EC4F1A98C6E5Bu);
    assert_true(pmn_xxhash64("abc", 3, 0) == 0x44BC2CF5AD770999u);
    assert_true(pmn_xxhash64("The quick brown fox jumps over the lazy dog", 43, 0) == 0x0B242D361FDA71BCu);
    uint8_t block[32] = { 0 };
    set_bloom_bits(block, 1, 0x123456789abcdef0u);
    assert_true(pmn_parquet_bloom_block_has(block, 0x123456789abcdef0u));
    assert_false(pmn_parquet_bloom_block_has(block, 0x123456789abcdef1u));
}

static void a_bloom_filter_rules_out_what_it_does_not_hold(void **state)
{
    (void)state;
    fake_file f;
    fake_init(&f);
    f.n_rows = 3;
    for (int r = 0; r < 3; r++) {
        f.values[r][COL_I].v.i = r * 1000;
        f.values[r][COL_S].v.bytes = pmn_slice_text(strings[r + 1]);
    }
    add_bloom(&f, COL_I, 64);
    add_bloom(&f, COL_S, 4000); /* past what is read at once */
    assert_int_equal(keep_count(&f, "i = 1000"), 3);
    assert_int_equal(keep_count(&f, "i = 1001"), 0);
    assert_int_equal(keep_count(&f, "i IN (7, 2000)"), 3);
    assert_int_equal(keep_count(&f, "i IN (7, 8)"), 0);
    assert_int_equal(keep_count(&f, "s = 'abc'"), 3);
    assert_int_equal(keep_count(&f, "s = 'nothing'"), 0);
    assert_int_equal(keep_count(&f, "s = 'nothing' OR i = 0"), 3);
    assert_int_equal(keep_count(&f, "s = 'abc' AND i = 1"), 0);
    assert_int_equal(keep_count(&f, "i > 5000"), 3);
    fake_free(&f);
}

static void ranges_meet_and_unite(void **state)
{
    (void)state;
    for (int round = 0; round < 2000; round++) {
        bool a[40], b[40];
        pmn_row_ranges ra, rb, both, any;
        pmn_row_ranges *all[] = { &ra, &rb, &both, &any };
        for (int i = 0; i < 4; i++) pmn_row_ranges_init(all[i], pmn_mem_default());
        for (int i = 0; i < 40; i++) {
            a[i] = random_below(2);
            b[i] = random_below(3) == 0;
            if (a[i]) assert_int_equal(pmn_row_ranges_add(&ra, i, 1, NULL), PAIMON_OK);
            if (b[i]) assert_int_equal(pmn_row_ranges_add(&rb, i, 1, NULL), PAIMON_OK);
        }
        assert_int_equal(pmn_row_ranges_intersect(ra.items, ra.n, rb.items, rb.n, &both, NULL), PAIMON_OK);
        assert_int_equal(pmn_row_ranges_union(ra.items, ra.n, rb.items, rb.n, &any, NULL), PAIMON_OK);
        for (int i = 0; i < 40; i++) {
            assert_int_equal(kept(&both, i), a[i] && b[i]);
            assert_int_equal(kept(&any, i), a[i] || b[i]);
        }
        for (int i = 0; i < 4; i++) pmn_row_ranges_free(all[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_matching_row_is_ever_pruned), cmocka_unit_test(nan_is_above_every_maximum), cmocka_unit_test(zeros_of_either_sign_are_one_value),
        cmocka_unit_test(missing_null_counts_are_unknown), cmocka_unit_test(old_statistics_count_only_for_numbers),
        cmocka_unit_test(a_column_that_the_file_lacks_is_null), cmocka_unit_test(damaged_indexes_are_left_out), cmocka_unit_test(bounds_need_types_that_agree),
        cmocka_unit_test(timestamps_keep_their_exact_value_across_units), cmocka_unit_test(char_bounds_count_only_where_blanks_cannot_change_the_order),
        cmocka_unit_test(bloom_hashes_are_those_of_the_specification), cmocka_unit_test(a_bloom_filter_rules_out_what_it_does_not_hold),
        cmocka_unit_test(ranges_meet_and_unite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
