/* Pruning may keep too much, never too little: random columns, their statistics, row indexes and bloom filters against looking at each row; then
 * the single traps by name. */
#include <math.h>

#include "format/orc/bloom.h"
#include "format/orc/bounds.h"
#include "format/orc/file.h"
#include "predicate/ast.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"
#include "support/orc_bytes.h"
#include "support/unit.h"

enum { COL_I, COL_D, COL_S, COL_C, COL_T, N_COLUMNS };
#define ROW_TYPE "ROW<i INT, d DOUBLE, s STRING, c CHAR(3), t TIMESTAMP(9)>"
enum { GROUPS = 5, STRIDE = 6, ROWS = GROUPS * STRIDE - 2, BLOOM_BYTES = 16, BLOOM_HASHES = 3 };

static uint64_t random_state = 42;

typedef struct sample_file {
    paimon_fs *fs;
    pmn_format_file *file;
    pmn_orc_stripe_footer footer;
    pmn_decompressor *d;
    pmn_arena arena;
    struct ArrowSchema schema;
    pmn_want want;
    const pmn_type *row;
    pmn_datum values[ROWS][N_COLUMNS];
    char texts[ROWS][2][8];
    orc_bytes image;
} sample_file;

/* ---- values, and what a writer tells of them ---- */

static void random_row(sample_file *f, int row, int from)
{
    static const double reals[] = { -1.5, -0.0, 0.0, 2.25, INFINITY, NAN };
    static const char *const alphabet = "a b\1~";
    pmn_datum *v = f->values[row];
    for (int c = 0; c < N_COLUMNS; c++) v[c] = (pmn_datum){ .is_null = random_below(&random_state, 5) == 0 };
    v[COL_I].v.i = from + (int)random_below(&random_state, 6);
    v[COL_D].v.d = reals[random_below(&random_state, from % 2 ? 6 : 4)];
    for (int k = 0; k < 2; k++) {
        size_t n = random_below(&random_state, 3) + 1;
        for (size_t i = 0; i < n; i++) f->texts[row][k][i] = alphabet[random_below(&random_state, 5)];
        for (size_t i = n; i < 3; i++) f->texts[row][k][i] = ' '; /* CHAR is stored padded */
        v[k ? COL_C : COL_S].v.bytes = pmn_slice_of(f->texts[row][k], k ? 3 : n);
    }
    v[COL_T].v.ts = (pmn_timestamp){ from * 1000 - 3000 + (int)random_below(&random_state, 4) * 500, (int32_t)random_below(&random_state, 2) * 250 };
}

/* The order in which a writer compares: as stored. */
static int stored_order(int c, const pmn_datum *a, const pmn_datum *b)
{
    if (c == COL_S || c == COL_C) return pmn_slice_compare(a->v.bytes, b->v.bytes);
    if (c == COL_D) return (a->v.d > b->v.d) - (a->v.d < b->v.d);
    if (c == COL_I) return (a->v.i > b->v.i) - (a->v.i < b->v.i);
    if (a->v.ts.millis != b->v.ts.millis) return a->v.ts.millis > b->v.ts.millis ? 1 : -1;
    return a->v.ts.nanos_of_milli - b->v.ts.nanos_of_milli;
}

static void put_bounds(orc_bytes *stats, int c, const pmn_datum *min, const pmn_datum *max, double sum)
{
    orc_bytes bounds = { 0 };
    if (c == COL_I) {
        orc_signed(&bounds, 1, min->v.i);
        orc_signed(&bounds, 2, max->v.i);
        orc_message(stats, 2, &bounds);
    } else if (c == COL_D) {
        orc_double(&bounds, 1, min->v.d);
        orc_double(&bounds, 2, max->v.d);
        orc_double(&bounds, 3, sum);
        orc_message(stats, 3, &bounds);
    } else if (c == COL_T) {
        orc_signed(&bounds, 3, min->v.ts.millis);
        orc_signed(&bounds, 4, max->v.ts.millis);
        orc_number(&bounds, 5, (uint64_t)min->v.ts.nanos_of_milli + 1);
        orc_number(&bounds, 6, (uint64_t)max->v.ts.nanos_of_milli + 1);
        orc_message(stats, 9, &bounds);
    } else {
        orc_blob(&bounds, 1, min->v.bytes.data, min->v.bytes.size);
        orc_blob(&bounds, 2, max->v.bytes.data, max->v.bytes.size);
        orc_message(stats, 4, &bounds);
    }
}

/* As orc-java does: a NaN that comes first stays, one that comes later is left out. */
static orc_bytes stats_of(const sample_file *f, int c, int first, int end)
{
    orc_bytes stats = { 0 };
    const pmn_datum *min = NULL, *max = NULL;
    int n = 0;
    double sum = 0;
    for (int i = first; i < end; i++) {
        const pmn_datum *v = &f->values[i][c];
        if (v->is_null) continue;
        n++;
        if (c == COL_D) sum += v->v.d;
        if (!min || stored_order(c, v, min) < 0) min = v;
        if (!max || stored_order(c, v, max) > 0) max = v;
    }
    orc_number(&stats, 1, (uint64_t)n);
    if (n) put_bounds(&stats, c, min, max, sum);
    if (c % 2 == 0) orc_number(&stats, 10, n < end - first); /* some writers do not tell */
    return stats;
}

static void bloom_add(uint8_t bits[BLOOM_BYTES], uint64_t hash)
{
    for (uint32_t i = 1; i <= BLOOM_HASHES; i++) {
        int32_t place = (int32_t)((uint32_t)hash + i * (uint32_t)(hash >> 32));
        if (place < 0) place = ~place;
        bits[place % (BLOOM_BYTES * 8) / 8] |= (uint8_t)(1 << place % 8);
    }
}

static orc_bytes blooms_of(const sample_file *f, int c, unsigned field)
{
    orc_bytes blooms = { 0 };
    for (int g = 0; g < GROUPS; g++) {
        uint8_t bits[BLOOM_BYTES] = { 0 };
        orc_bytes bloom = { 0 };
        for (int i = g * STRIDE; i < (g + 1) * STRIDE && i < ROWS; i++) {
            const pmn_datum *v = &f->values[i][c];
            if (!v->is_null) bloom_add(bits, c == COL_I ? pmn_orc_hash_long(v->v.i) : c == COL_D ? pmn_orc_hash_double(v->v.d) : pmn_orc_hash_bytes(v->v.bytes));
        }
        orc_number(&bloom, 1, BLOOM_HASHES);
        if (field == 3) orc_blob(&bloom, 3, bits, sizeof bits);
        for (int w = 0; field == 2 && w < BLOOM_BYTES / 8; w++) {
            orc_put_byte(&bloom, 2 << 3 | 1);
            orc_put(&bloom, bits + 8 * w, 8);
        }
        orc_message(&blooms, 1, &bloom);
    }
    return blooms;
}

/* ---- the file ---- */

static void put_stream(orc_bytes *file, orc_bytes *foot, unsigned kind, unsigned column, const orc_bytes *bytes)
{
    orc_put(file, bytes->data, bytes->n);
    orc_stream(foot, kind, column, bytes->n);
}

static void build(sample_file *f, bool with_stripe_stats)
{
    static const int root[] = { 1, 2, 3, 4, 5, -1 };
    static const unsigned kinds[] = { 3, 6, 7, 17, 9 };
    orc_bytes footer = { 0 }, foot = { 0 }, stats = { 0 }, metadata = { 0 }, empty = { 0 };
    f->image.n = 0;
    orc_put(&f->image, "ORC", 3);
    for (int c = 0; c < N_COLUMNS; c++) {
        orc_bytes index = { 0 };
        for (int g = 0; g < GROUPS; g++) {
            orc_bytes entry = { 0 }, s = stats_of(f, c, g * STRIDE, (g + 1) * STRIDE < ROWS ? (g + 1) * STRIDE : ROWS);
            orc_message(&entry, 2, &s);
            orc_message(&index, 1, &entry);
        }
        put_stream(&f->image, &foot, PMN_ORC_ROW_INDEX, (unsigned)c + 1, &index);
        if (c > COL_S) continue;
        orc_bytes blooms = blooms_of(f, c, c == COL_I ? 2 : 3);
        put_stream(&f->image, &foot, c == COL_I ? PMN_ORC_BLOOM_FILTER : PMN_ORC_BLOOM_FILTER_UTF8, (unsigned)c + 1, &blooms);
    }
    size_t index_size = f->image.n - 3;
    orc_encodings(&foot, N_COLUMNS + 1);
    orc_text(&foot, 3, "UTC");
    orc_put(&f->image, foot.data, foot.n);
    orc_stripe(&footer, 3, index_size, 0, foot.n, ROWS);
    orc_type(&footer, 12, root, "i,d,s,c,t");
    orc_message(&stats, 1, &empty);
    for (int c = 0; c < N_COLUMNS; c++) {
        orc_bytes s = stats_of(f, c, 0, ROWS);
        orc_type(&footer, kinds[c], NULL, NULL);
        orc_message(&stats, 1, &s);
    }
    orc_message(&metadata, 1, &stats);
    orc_number(&footer, 6, ROWS);
    orc_number(&footer, 8, STRIDE);
    orc_end(&f->image, with_stripe_stats ? &metadata : &empty, &footer, 0, 9);
}

static paimon_status open_sample(sample_file *f, pmn_mem *mem)
{
    f->fs = memory_files();
    put_file(f->fs, "mem:/x.orc", f->image.data, f->image.n);
    pmn_format_open_options options = { .mem = mem, .fs = f->fs, .path = "mem:/x.orc", .size_bytes = -1 };
    f->d = NULL;
    f->schema.release = NULL;
    pmn_arena_init(&f->arena, mem);
    PMN_TRY(pmn_format_orc.open(&options, &f->file, NULL));
    pmn_orc_file *file = (pmn_orc_file *)f->file;
    PMN_TRY(f->file->ops->schema(f->file, &f->schema, NULL));
    PMN_TRY(pmn_type_parse(&f->arena, ROW_TYPE, &f->row, NULL));
    PMN_TRY(pmn_match(&f->arena, file->root.children, file->root.n_children, &f->schema, false, &f->want, NULL));
    PMN_TRY(pmn_decompressor_new(mem, &f->d, NULL));
    return pmn_orc_stripe_open(file, 0, f->d, &f->arena, &f->footer, NULL);
}

static void close_sample(sample_file *f)
{
    pmn_schema_release(&f->schema);
    pmn_format_file_close(f->file);
    pmn_decompressor_free(f->d);
    pmn_arena_free(&f->arena);
    paimon_fs_free(f->fs);
}

static paimon_status prune(sample_file *f, const pmn_pred *pred, pmn_row_ranges *keep)
{
    return pmn_orc_prune_stripe((pmn_orc_file *)f->file, 0, &f->footer, f->d, pred, &f->want, keep, NULL);
}

static const pmn_pred *bind(sample_file *f, const char *text)
{
    paimon_predicate *p;
    const pmn_pred *bound;
    paimon_error err = PAIMON_ERROR_INIT;
    if (pmn_predicate_parse(pmn_mem_default(), text, strlen(text), &p, &err) != PAIMON_OK) fail_msg("%s: %s", text, paimon_error_message(&err));
    if (pmn_pred_bind(&f->arena, f->row, p, &bound, &err) != PAIMON_OK) fail_msg("%s: %s", text, paimon_error_message(&err));
    paimon_predicate_free(p);
    return bound;
}

/* ---- random ---- */

static void random_leaf(char *out, size_t size)
{
    static const char *const ops[] = { "=", "<>", "<", "<=", ">", ">=" };
    static const char *const texts[] = { "a", "a~", "b", " a", "~", "ba", "a\1", "zz" };
    static const char *const reals[] = { "-1.5", "0.0", "2.25", "'NaN'", "7.0" };
    const char *op = ops[random_below(&random_state, 6)];
    switch (random_below(&random_state, 8)) {
    case 0: snprintf(out, size, "%c IS %sNULL", "idsct"[random_below(&random_state, 5)], random_below(&random_state, 2) ? "NOT " : ""); break;
    case 1: snprintf(out, size, "i IN (%d, %d)", (int)random_below(&random_state, 40), (int)random_below(&random_state, 40)); break;
    case 2: snprintf(out, size, "d %s %s", op, reals[random_below(&random_state, 5)]); break;
    case 3: snprintf(out, size, "s %s '%s'", op, texts[random_below(&random_state, 8)]); break;
    case 4: snprintf(out, size, "c %s '%s'", op, texts[random_below(&random_state, 8)]); break;
    case 5: snprintf(out, size, "t %s '1970-01-01 00:00:%02d.%d'", op, (int)random_below(&random_state, 30), 5 * (int)random_below(&random_state, 2)); break;
    case 6: snprintf(out, size, "s LIKE '%s%%'", texts[random_below(&random_state, 8)]); break;
    default: snprintf(out, size, "i %s %d", op, (int)random_below(&random_state, 40)); break;
    }
}

static void only_rows_that_cannot_match_are_pruned(void **state)
{
    (void)state;
    static sample_file f;
    int64_t pruned = 0, without = 0;
    for (int round = 0; round < 150; round++) {
        for (int i = 0; i < ROWS; i++) random_row(&f, i, i / STRIDE * 7);
        build(&f, round % 3 != 0);
        assert_int_equal(open_sample(&f, pmn_mem_default()), PAIMON_OK);
        for (int k = 0; k < 60; k++) {
            char text[256], a[100], b[100];
            random_leaf(a, sizeof a);
            random_leaf(b, sizeof b);
            if (k % 3) snprintf(text, sizeof text, "%s", a);
            else snprintf(text, sizeof text, "%s %s %s", a, k % 2 ? "AND" : "OR", b);
            const pmn_pred *pred = bind(&f, text);
            pmn_row_ranges keep;
            pmn_row_ranges_init(&keep, pmn_mem_default());
            assert_int_equal(prune(&f, pred, &keep), PAIMON_OK);
            pruned += ROWS - pmn_row_ranges_count(&keep);
            for (int i = 0, r = 0; i < ROWS; i++) {
                while (r < keep.n && keep.items[r].first + keep.items[r].count <= i) r++;
                bool kept = r < keep.n && keep.items[r].first <= i, matches = pmn_pred_eval_row(pred, f.values[i], N_COLUMNS);
                if (matches && !kept) fail_msg("round %d, row %d: %s", round, i, text);
                without += !matches;
            }
            pmn_row_ranges_free(&keep);
        }
        close_sample(&f);
    }
    assert_true(pruned * 3 > without); /* it is of use, too */
}

static void no_damaged_index_keeps_a_file_from_being_read(void **state)
{
    (void)state;
    static sample_file f;
    for (int i = 0; i < ROWS; i++) random_row(&f, i, i);
    build(&f, true);
    for (size_t n = 3; n < 2600 && n < f.image.n; n += 3) {
        uint8_t was = f.image.data[n];
        f.image.data[n] = (uint8_t)random_next(&random_state);
        if (open_sample(&f, pmn_mem_default()) == PAIMON_OK) {
            pmn_row_ranges keep;
            pmn_row_ranges_init(&keep, pmn_mem_default());
            assert_int_equal(prune(&f, bind(&f, "i = 3 OR d = 2.25 OR s = 'a' OR c = 'a' OR t IS NULL"), &keep), PAIMON_OK);
            pmn_row_ranges_free(&keep);
        }
        close_sample(&f);
        f.image.data[n] = was;
    }
}

/* bind() uses the file's arena, which may be refused: so predicates are bound before. */
typedef struct prepared {
    sample_file file;
    const pmn_pred *pred;
    pmn_arena arena;
} prepared;

static paimon_status prune_prepared(pmn_mem *mem, void *arg)
{
    prepared *p = arg;
    pmn_row_ranges keep;
    p->file.file = NULL;
    paimon_status status = open_sample(&p->file, mem);
    pmn_row_ranges_init(&keep, mem);
    if (status == PAIMON_OK) status = prune(&p->file, p->pred, &keep);
    pmn_row_ranges_free(&keep);
    close_sample(&p->file);
    return status;
}

static void no_memory_is_told(void **state)
{
    (void)state;
    static prepared p;
    for (int i = 0; i < ROWS; i++) random_row(&p.file, i, i);
    build(&p.file, true);
    assert_int_equal(open_sample(&p.file, pmn_mem_default()), PAIMON_OK);
    p.pred = bind(&p.file, "i = 3 OR s = 'a' OR c < 'a'");
    p.arena = p.file.arena;
    pmn_arena_init(&p.file.arena, pmn_mem_default());
    close_sample(&p.file);
    assert_true(failing_alloc_sweep(prune_prepared, &p) > 10);
    pmn_arena_free(&p.arena);
}

/* ---- traps ---- */

static pmn_stat bounds_of(const pmn_orc_meta *meta, const pmn_orc_type *column, const char *type, const char *zone, const orc_bytes *stats, pmn_arena *arena)
{
    const pmn_type *t;
    pmn_orc_stats s;
    pmn_stat out = { .row_count = 10 };
    pmn_orc_bounds_of_what what = { meta, column, zone, false, true, false, arena };
    assert_int_equal(pmn_type_parse(arena, type, &t, NULL), PAIMON_OK);
    assert_int_equal(pmn_orc_stats_parse(pmn_slice_of(stats->data, stats->n), &s, NULL), PAIMON_OK);
    pmn_orc_bounds_of(&what, t, &s, &out);
    return out;
}

static void nulls_are_counted_only_where_the_file_agrees_with_itself(void **state)
{
    (void)state;
    static const struct {
        int values, has_null, stride, expected;
    } cases[] = { { 10, 0, 5, 0 }, { 7, 1, 5, 3 }, { 7, 0, 5, -1 }, { 10, 1, 5, -1 }, { 0, 1, 5, 10 }, { 0, 0, 5, -1 }, { 0, 1, 0, -1 }, { 11, 0, 5, -1 } };
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_orc_meta meta = { .writer_version = 9, .row_index_stride = cases[i].stride };
        pmn_orc_type column = { .kind = PMN_ORC_INT };
        orc_bytes stats = orc_integers(cases[i].values, cases[i].has_null, 1, 2);
        assert_int_equal(bounds_of(&meta, &column, "INT", "", &stats, &arena).null_count, cases[i].expected);
    }
    pmn_arena_free(&arena);
}

static void bounds_that_may_be_wrong_are_not_used(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_orc_meta java = { .writer_version = 9, .row_index_stride = 5 }, first = { .writer_version = 0, .row_index_stride = 5 };
    pmn_orc_meta six = { .writer_version = 6, .row_index_stride = 5 }, cpp = { .writer = 1, .writer_version = 6, .row_index_stride = 5 };
    pmn_orc_type integer = { .kind = PMN_ORC_LONG }, real = { .kind = PMN_ORC_DOUBLE }, decimal = { .kind = PMN_ORC_DECIMAL, .precision = 9, .scale = 2 };
    orc_bytes stats = orc_integers(5, 1, -300, 70);
    assert_int_equal(bounds_of(&java, &integer, "BIGINT", "", &stats, &arena).min.v.i, -300);
    assert_true(bounds_of(&java, &integer, "TINYINT", "", &stats, &arena).min.is_null); /* not all of them fit */
    assert_true(bounds_of(&java, &integer, "DOUBLE", "", &stats, &arena).min.is_null);
    assert_true(bounds_of(&first, &integer, "BIGINT", "", &stats, &arena).max.is_null); /* HIVE-8732 */
    for (int nan = 0; nan < 2; nan++) {
        orc_bytes doubles = { 0 }, bounds = { 0 };
        orc_double(&bounds, 1, 1);
        orc_double(&bounds, 2, 2);
        orc_double(&bounds, 3, nan ? NAN : 3);
        orc_message(&doubles, 3, &bounds);
        assert_int_equal(bounds_of(&java, &real, "DOUBLE", "", &doubles, &arena).min.is_null, nan);
    }
    orc_bytes decimals = { 0 }, texts = { 0 };
    orc_text(&texts, 1, "-1.5");
    orc_text(&texts, 2, "20");
    orc_message(&decimals, 6, &texts);
    assert_true(bounds_of(&java, &decimal, "DECIMAL(9, 2)", "", &decimals, &arena).min.v.dec == -150);
    assert_true(bounds_of(&java, &decimal, "DECIMAL(9, 3)", "", &decimals, &arena).min.is_null);
    assert_true(bounds_of(&six, &decimal, "DECIMAL(9, 2)", "", &decimals, &arena).min.is_null);
    assert_true(bounds_of(&cpp, &decimal, "DECIMAL(9, 2)", "", &decimals, &arena).max.v.dec == 2000);
    pmn_arena_free(&arena);
}

static void bounds_of_chars_hold_without_blanks(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_orc_meta meta = { .writer_version = 9, .row_index_stride = 5 };
    pmn_orc_type column = { .kind = PMN_ORC_CHAR, .max_length = 3 };
    orc_bytes stats = { 0 }, texts = { 0 };
    orc_text(&texts, 1, "a\1 ");
    orc_text(&texts, 2, "b  ");
    orc_message(&stats, 4, &texts);
    pmn_stat s = bounds_of(&meta, &column, "CHAR(3)", "", &stats, &arena);
    assert_true(s.min.is_null); /* "a" is above it as stored, and below as seen */
    assert_int_equal(s.max.v.bytes.size, 2);
    assert_memory_equal(s.max.v.bytes.data, "b!", 2); /* "b\1" is below "b  " as stored, and above "b" as seen */
    pmn_arena_free(&arena);
}

static void bounds_of_timestamps_give_way(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_orc_meta meta = { .writer_version = 9, .row_index_stride = 5 }, old = { .writer_version = 5, .row_index_stride = 5 };
    pmn_orc_type wall = { .kind = PMN_ORC_TIMESTAMP }, instant = { .kind = PMN_ORC_INSTANT };
    orc_bytes stats = { 0 }, bounds = { 0 }, odd = { 0 };
    orc_signed(&bounds, 3, 1600000000000);
    orc_signed(&bounds, 4, 1600000000001);
    orc_number(&bounds, 5, 8);
    orc_message(&stats, 9, &bounds);
    pmn_stat s = bounds_of(&meta, &wall, "TIMESTAMP(9)", "UTC", &stats, &arena);
    assert_int_equal(s.min.v.ts.millis, 1600000000000);
    assert_int_equal(s.min.v.ts.nanos_of_milli, 7);
    assert_int_equal(s.max.v.ts.nanos_of_milli, 999999); /* not told */
    s = bounds_of(&meta, &wall, "TIMESTAMP(9)", "Asia/Shanghai", &stats, &arena);
    assert_int_equal(s.min.v.ts.millis, 1600000000000 - 3600000);
    assert_int_equal(s.max.v.ts.millis, 1600000000001 + 3600000);
    assert_true(bounds_of(&old, &wall, "TIMESTAMP(9)", "UTC", &stats, &arena).min.is_null);
    assert_true(bounds_of(&meta, &instant, "TIMESTAMP(9)", "UTC", &stats, &arena).min.is_null);
    assert_false(bounds_of(&meta, &instant, "TIMESTAMP(9) WITH LOCAL TIME ZONE", "", &stats, &arena).min.is_null);
    orc_number(&bounds, 6, 0); /* a negative one, as Arrow writes them */
    orc_message(&odd, 9, &bounds);
    assert_true(bounds_of(&meta, &wall, "TIMESTAMP(9)", "UTC", &odd, &arena).min.is_null);
    pmn_arena_free(&arena);
}

static void bloom_filters_of_old_cpp_writers_are_not_asked(void **state)
{
    (void)state;
    static const struct {
        int writer;
        const char *software;
        bool fits;
    } cases[] = { { -1, NULL, true }, { 0, "1.6.0", true }, { 1, NULL, false }, { 1, "1.6.0", false }, { 1, "1.7.0", false }, { 1, "1.7.1", true }, { 1, "2.1.0", true } };
    pmn_orc_type column = { .kind = PMN_ORC_INT };
    pmn_type type = { .kind = PMN_INT }, narrow = { .kind = PMN_SMALLINT };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmn_orc_meta meta = { .writer = cases[i].writer };
        if (cases[i].software) meta.software = pmn_slice_text(cases[i].software);
        assert_int_equal(pmn_orc_bloom_fits(&meta, PMN_ORC_BLOOM_FILTER_UTF8, &column, &type), cases[i].fits);
        assert_false(pmn_orc_bloom_fits(&meta, PMN_ORC_BLOOM_FILTER_UTF8, &column, &narrow));
    }
}

/* From a second implementation, after filters of orc-java and orc-cpp were found to hold what they must. */
static void hashes_are_those_of_the_writers(void **state)
{
    (void)state;
    assert_true(pmn_orc_hash_long(0) == UINT64_C(0x0));
    assert_true(pmn_orc_hash_long(-1) == UINT64_C(0x5bca868437950d03));
    assert_true(pmn_orc_hash_long(1234567) == UINT64_C(0xf815136befc3c4e4));
    assert_true(pmn_orc_hash_bytes(pmn_slice_text("")) == UINT64_C(0x74a18dc8f20adb48));
    assert_true(pmn_orc_hash_bytes(pmn_slice_text("hello")) == UINT64_C(0x3928100018224141));
    assert_true(pmn_orc_hash_bytes(pmn_slice_text("hello world, how are you")) == UINT64_C(0x988e5cd96dc0374f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_are_those_of_the_writers),
        cmocka_unit_test(only_rows_that_cannot_match_are_pruned),
        cmocka_unit_test(no_damaged_index_keeps_a_file_from_being_read),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(nulls_are_counted_only_where_the_file_agrees_with_itself),
        cmocka_unit_test(bounds_that_may_be_wrong_are_not_used),
        cmocka_unit_test(bounds_of_chars_hold_without_blanks),
        cmocka_unit_test(bounds_of_timestamps_give_way),
        cmocka_unit_test(bloom_filters_of_old_cpp_writers_are_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
