/* The Parquet writer against our reader: random types, rows, slices and options come back equal; bounds, page indexes and errors are held
 * against the plain rows. What others make of the files is judged by the interop tests. */
#include <math.h>

#include "arrow/array.h"
#include "base/env.h"
#include "format/format.h"
#include "format/parquet/bloom.h"
#include "format/parquet/file.h"
#include "format/parquet/write_range.h"
#include "io/fault.h"
#include "support/arrow_rows.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"
#include "support/unit.h"
#include "types/datum.h"

#define PATH "/t/bucket-0/data.parquet"

/* ---- random rows in the canonical layout ---- */

typedef struct maker {
    uint64_t seed;
    pmn_arena arena;
    pmn_buffer_pool *pool;
    int32_t next_id;
} maker;

static uint64_t pick(maker *m, uint64_t n) { return random_below(&m->seed, n); }

static const pmn_type *random_type(maker *m, int depth)
{
    static const struct { pmn_type_kind kind; int32_t length, scale; } flat[] = {
        { PMN_BOOLEAN, 0, 0 },      { PMN_TINYINT, 0, 0 },       { PMN_SMALLINT, 0, 0 },      { PMN_INT, 0, 0 },
        { PMN_BIGINT, 0, 0 },       { PMN_FLOAT, 0, 0 },         { PMN_DOUBLE, 0, 0 },        { PMN_DECIMAL, 7, 2 },
        { PMN_DECIMAL, 18, 3 },     { PMN_DECIMAL, 19, 0 },      { PMN_DECIMAL, 38, 10 },     { PMN_DATE, 0, 0 },
        { PMN_TIME, 3, 0 },         { PMN_TIMESTAMP, 0, 0 },     { PMN_TIMESTAMP, 3, 0 },     { PMN_TIMESTAMP, 6, 0 },
        { PMN_TIMESTAMP, 9, 0 },    { PMN_TIMESTAMP_LTZ, 3, 0 }, { PMN_TIMESTAMP_LTZ, 6, 0 }, { PMN_TIMESTAMP_LTZ, 9, 0 },
        { PMN_VARCHAR, 2147483647, 0 }, { PMN_CHAR, 200, 0 },    { PMN_VARBINARY, 2147483647, 0 }, { PMN_BLOB, 0, 0 },
    };
    bool nullable = pick(m, 4) != 0;
    uint64_t kind = depth > 0 ? pick(m, 10) : 9;
    if (kind > 3) {
        size_t i = pick(m, sizeof flat / sizeof *flat);
        return pmn_type_new(&m->arena, flat[i].kind, nullable, flat[i].length, flat[i].scale);
    }
    pmn_field *fields = pmn_arena_calloc(&m->arena, 3, sizeof *fields);
    static const char *const row_names[] = { "x", "y", "z" };
    int32_t n = kind == 0 ? 1 + (int32_t)pick(m, 3) : kind == 2 ? 2 : 1;
    for (int32_t i = 0; i < n; i++) {
        fields[i].id = kind == 0 ? m->next_id++ : -1;
        fields[i].name = kind == 0 ? row_names[i] : kind == 1 ? "element" : i == 0 ? "key" : "value";
        fields[i].type = random_type(m, depth - 1);
    }
    if (kind >= 2) fields[0].type = pmn_type_with_null(&m->arena, fields[0].type, false);
    if (kind == 0) return pmn_type_row(&m->arena, nullable, fields, n);
    pmn_type *type = pmn_arena_calloc(&m->arena, 1, sizeof *type);
    type->kind = kind == 1 ? PMN_ARRAY : kind == 2 ? PMN_MAP : PMN_MULTISET;
    type->nullable = nullable;
    type->n_fields = n;
    type->fields = fields;
    return type;
}

static pmn_buffer *new_buffer(maker *m, size_t n)
{
    pmn_buffer *b;
    assert_int_equal(pmn_buffer_new(m->pool, n + 1, &b, NULL), PAIMON_OK);
    memset(b->data, 0, n + 1);
    b->size = n;
    return b;
}

static void put_fixed_value(maker *m, const pmn_type *type, uint8_t *to, size_t width, bool few)
{
    int64_t v = few ? (int64_t)pick(m, 5) - 2 : (int64_t)random_next(&m->seed);
    static const double special[] = { 0.0, -0.0, 1.5, -INFINITY, 1e30, 0.25 };
    double d = few ? special[pick(m, 6)] : (double)v / 1024;
    if (pick(m, 3000) == 0) d = NAN;
    float f = (float)d;
    pmn_i128 wide;
    switch (type->kind) {
    case PMN_TIME: v = (int64_t)pick(m, few ? 3 : 86400000); break;
    case PMN_TIMESTAMP:
        if (type->length == 0) v %= INT64_C(1000000000000000);
        break;
    case PMN_FLOAT: memcpy(to, &f, 4); return;
    case PMN_DOUBLE: memcpy(to, &d, 8); return;
    case PMN_DECIMAL:
        wide = ((pmn_i128)v * (few ? 1 : (int64_t)random_next(&m->seed))) % pmn_pow10_i128(type->length);
        memcpy(to, &wide, 16);
        return;
    default: break;
    }
    memcpy(to, &v, width);
}

static pmn_buffer *random_bytes_of(maker *m, bool few, int64_t n, bool large, pmn_buffer **offsets)
{
    static const char *const words[] = { "", "a", "b", "abcdefgh", "abcdefgz", "zé中", "the quick brown fox jumps over the lazy dog, and over the other sixty bytes",
                                         "\xf0\x9f\x98\x80 smile" };
    pmn_buffer *data = new_buffer(m, (size_t)n * 120);
    size_t at = 0;
    *offsets = new_buffer(m, (size_t)(n + 1) * (large ? 8 : 4));
    for (int64_t i = 0; i < n; i++) {
        char text[120];
        int size = snprintf(text, sizeof text, "%s", words[pick(m, 8)]);
        if (!few) size += snprintf(text + size, sizeof text - (size_t)size, "%llx", (unsigned long long)random_next(&m->seed));
        memcpy(data->data + at, text, (size_t)size);
        at += (size_t)size;
        if (large) ((int64_t *)(void *)(*offsets)->data)[i + 1] = (int64_t)at;
        else ((int32_t *)(void *)(*offsets)->data)[i + 1] = (int32_t)at;
    }
    return data;
}

static void random_rows(maker *m, const pmn_type *type, int64_t n, struct ArrowArray *out);

static void random_list(maker *m, const pmn_type *type, int64_t total, pmn_buffer *valid, struct ArrowArray *out)
{
    pmn_buffer *buffers[2] = { valid, new_buffer(m, (size_t)(total + 1) * 4) };
    int32_t at = 2; /* the first elements belong to nobody */
    for (int64_t i = 0; i <= total; i++) {
        ((int32_t *)(void *)buffers[1]->data)[i] = at;
        if (i < total) at += (int32_t)(pick(m, 3) == 0 ? 0 : pick(m, pick(m, 40) == 0 ? 90 : 4));
    }
    assert_int_equal(pmn_array_new(pmn_mem_default(), total, -1, 2, buffers, 1, out, NULL), PAIMON_OK);
    if (type->kind == PMN_ARRAY) {
        random_rows(m, type->fields[0].type, at + 1, out->children[0]);
        return;
    }
    static const pmn_type count = { PMN_INT, false, 0, 0, 0, NULL, NULL };
    pmn_buffer *none[1] = { NULL };
    assert_int_equal(pmn_array_new(pmn_mem_default(), at + 3, 0, 1, none, 2, out->children[0], NULL), PAIMON_OK);
    random_rows(m, type->fields[0].type, at + 3, out->children[0]->children[0]);
    random_rows(m, type->kind == PMN_MAP ? type->fields[1].type : &count, at + 3, out->children[0]->children[1]);
}

static void random_leaf_array(maker *m, const pmn_type *type, int64_t total, pmn_buffer *valid, struct ArrowArray *out)
{
    pmn_buffer *buffers[3] = { valid, NULL, NULL };
    bool few = pick(m, 2);
    static const int widths[] = { [PMN_DECIMAL] = 16, [PMN_TINYINT] = 1, [PMN_SMALLINT] = 2, [PMN_INT] = 4, [PMN_BIGINT] = 8, [PMN_FLOAT] = 4,
                                  [PMN_DOUBLE] = 8, [PMN_DATE] = 4, [PMN_TIME] = 4, [PMN_TIMESTAMP] = 8, [PMN_TIMESTAMP_LTZ] = 8 };
    int n_buffers = 2;
    if (type->kind == PMN_BOOLEAN) {
        buffers[1] = new_buffer(m, (size_t)total / 8 + 1);
        for (int64_t i = 0; i < total; i++)
            if (few ? pick(m, 50) == 0 : pick(m, 2)) pmn_bit_set(buffers[1]->data, i);
    } else if (type->kind < sizeof widths / sizeof *widths && widths[type->kind]) {
        size_t width = (size_t)widths[type->kind];
        buffers[1] = new_buffer(m, (size_t)total * width + 16);
        for (int64_t i = 0; i < total; i++) put_fixed_value(m, type, buffers[1]->data + (size_t)i * width, width, few);
    } else {
        buffers[2] = random_bytes_of(m, few, total, type->kind == PMN_BLOB, &buffers[1]);
        n_buffers = 3;
    }
    assert_int_equal(pmn_array_new(pmn_mem_default(), total, -1, n_buffers, buffers, 0, out, NULL), PAIMON_OK);
}

/* `n` rows behind an offset. */
static void random_rows(maker *m, const pmn_type *type, int64_t n, struct ArrowArray *out)
{
    int64_t offset = (int64_t)pick(m, 4), total = n + offset;
    pmn_buffer *valid = type->nullable && pick(m, 3) ? new_buffer(m, (size_t)total / 8 + 1) : NULL;
    uint64_t rarity = 1 + pick(m, 20);
    for (int64_t i = 0; valid && i < total; i++)
        if (pick(m, rarity) != 0) pmn_bit_set(valid->data, i);
    switch (type->kind) {
    case PMN_ARRAY:
    case PMN_MAP:
    case PMN_MULTISET: random_list(m, type, total, valid, out); break;
    case PMN_ROW:
        assert_int_equal(pmn_array_new(pmn_mem_default(), total, -1, 1, &valid, type->n_fields, out, NULL), PAIMON_OK);
        for (int32_t i = 0; i < type->n_fields; i++) random_rows(m, type->fields[i].type, total, out->children[i]);
        break;
    default: random_leaf_array(m, type, total, valid, out);
    }
    out->offset = offset;
    out->length = n;
}

static const pmn_type *random_row_type(maker *m)
{
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    int32_t n = 1 + (int32_t)pick(m, 5);
    pmn_field *fields = pmn_arena_calloc(&m->arena, (size_t)n, sizeof *fields);
    for (int32_t i = 0; i < n; i++) {
        fields[i].id = m->next_id++;
        fields[i].name = names[i];
        fields[i].type = random_type(m, 3);
    }
    return pmn_type_row(&m->arena, false, fields, n);
}

static void maker_start(maker *m, uint64_t seed)
{
    memset(m, 0, sizeof *m);
    m->seed = seed;
    pmn_arena_init(&m->arena, pmn_mem_default());
    m->pool = pmn_buffer_pool_new(pmn_mem_default(), 1 << 20);
    assert_non_null(m->pool);
}

static void maker_end(maker *m)
{
    pmn_arena_free(&m->arena);
    pmn_buffer_pool_release(m->pool);
}

/* ---- writing and reading back ---- */

typedef struct setting {
    const char *keys[16], *values[16];
    int n;
} setting;

static const char *get_setting(const void *ctx, const char *key)
{
    const setting *s = ctx;
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->keys[i], key) == 0) return s->values[i];
    return NULL;
}

static void set(setting *s, const char *key, const char *value)
{
    s->keys[s->n] = key;
    s->values[s->n++] = value;
}

static setting random_setting(maker *m)
{
    static const char *const codecs[] = { "none", "snappy", "gzip", "lz4", "lz4_raw", "zstd", "ZSTD" };
    static const char *const sizes[] = { "1 kb", "5000", "1 mb" };
    setting s = { .n = 0 };
    set(&s, "file.compression", codecs[pick(m, 7)]);
    set(&s, "parquet.page.size", sizes[pick(m, 3)]);
    if (pick(m, 2)) set(&s, "parquet.page.row.count.limit", pick(m, 2) ? "100" : "7");
    if (pick(m, 2)) set(&s, "file.block-size", pick(m, 2) ? "20kb" : "1000");
    if (pick(m, 3) == 0) set(&s, "parquet.enable.dictionary", "false");
    if (pick(m, 3) == 0) set(&s, "parquet.enable.dictionary#b", "false");
    if (pick(m, 3) == 0) set(&s, "parquet.dictionary.page.size", "300");
    if (pick(m, 2)) set(&s, "parquet.writer.version", "v2");
    if (pick(m, 3) == 0) set(&s, "parquet.columnindex.truncate.length", "3");
    if (pick(m, 3) == 0) set(&s, "parquet.compression#a", "gzip");
    if (pick(m, 4) == 0) set(&s, "parquet.bloom.filter.enabled", "true");
    set(&s, "parquet.bloom.filter.max.bytes", "8192");
    return s;
}

static paimon_status write_file(pmn_mem *mem, paimon_fs *fs, const pmn_type *row, const setting *s, int threads, struct ArrowArray *batches,
                                int n_batches, pmn_format_writer **writer, pmn_format_written *written, paimon_error *err)
{
    pmn_format_write_options options = { .mem = mem, .fs = fs, .path = PATH, .row = row, .get = get_setting, .options_ctx = s,
                                         .executor = threads > 1 ? pmn_executor_default() : NULL, .n_threads = threads };
    *writer = NULL;
    PMN_TRY(pmn_format_parquet.create(&options, writer, err));
    for (int i = 0; i < n_batches; i++) {
        int64_t half = batches[i].length / 3;
        PMN_TRY((*writer)->ops->write(*writer, &batches[i], 0, half, err));
        PMN_TRY((*writer)->ops->write(*writer, &batches[i], half, batches[i].length - half, err));
    }
    return (*writer)->ops->finish(*writer, written, err);
}

static pmn_format_file *open_written(paimon_fs *fs)
{
    pmn_format_file *file;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_format_open_options options = { .mem = pmn_mem_default(), .fs = fs, .path = PATH, .size_bytes = -1, .verify_checksums = true };
    if (pmn_parquet_open(&options, &file, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    return file;
}

static void read_rows(pmn_format_file *file, maker *m, const struct ArrowSchema *schema, const pmn_pred *filter, row_list *rows)
{
    pmn_format_reader *reader;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_format_read_options options = { .schema = schema, .filter = filter, .filter_schema = schema, .batch_rows = 500, .pool = m->pool, .n_threads = 1 };
    if (file->ops->read(file, &options, &reader, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
    while (true) {
        pmn_format_batch batch;
        if (reader->ops->next(reader, &batch, &err) != PAIMON_OK) fail_msg("%s", paimon_error_message(&err));
        if (!batch.array.release) break;
        row_list_add(rows, schema, &batch.array);
        pmn_array_release(&batch.array);
    }
    pmn_format_reader_free(reader);
}

/* ---- judges ---- */

static bool is_zero_float(const pmn_type *type, const pmn_datum *v)
{
    return (type->kind == PMN_FLOAT && v->v.f == 0) || (type->kind == PMN_DOUBLE && v->v.d == 0);
}

static bool sign_of(const pmn_type *type, const pmn_datum *v) { return type->kind == PMN_FLOAT ? signbit(v->v.f) : signbit(v->v.d); }

static void judge_bounds(const pmn_type *type, const struct ArrowSchema *schema, const struct ArrowArray *batches, int n_batches, int32_t column,
                         const pmn_column_bounds *bounds)
{
    pmn_datum min = { .is_null = true }, max = { .is_null = true };
    int64_t nulls = 0;
    bool nan = false, unordered = type->kind == PMN_BLOB || ((type->kind == PMN_TIMESTAMP || type->kind == PMN_TIMESTAMP_LTZ) && type->length > 6);
    for (int b = 0; b < n_batches; b++) {
        for (int64_t r = 0; r < batches[b].length; r++) {
            pmn_datum v;
            assert_int_equal(pmn_datum_from_arrow(type, schema, batches[b].children[column], batches[b].offset + r, &v, NULL), PAIMON_OK);
            nulls += v.is_null;
            if (v.is_null) continue;
            nan |= pmn_datum_is_nan(type, &v);
            if (min.is_null || pmn_datum_compare(type, &v, &min) < 0) min = v;
            if (max.is_null || pmn_datum_compare(type, &v, &max) > 0) max = v;
        }
    }
    assert_int_equal(bounds->null_count, nulls);
    bool known = !min.is_null && !nan && !unordered;
    assert_int_equal(bounds->min.is_null, !known);
    assert_int_equal(bounds->max.is_null, !known);
    if (!known) return;
    if (is_zero_float(type, &min)) assert_true(is_zero_float(type, &bounds->min) && sign_of(type, &bounds->min));
    else assert_int_equal(pmn_datum_compare(type, &min, &bounds->min), 0);
    if (is_zero_float(type, &max)) assert_true(is_zero_float(type, &bounds->max) && !sign_of(type, &bounds->max));
    else assert_int_equal(pmn_datum_compare(type, &max, &bounds->max), 0);
}

/* A comparison with a value of the rows: pruning by statistics, page index and dictionary must not lose or add a row. */
static void judge_filter(maker *m, pmn_format_file *file, const pmn_type *row, const struct ArrowSchema *schema, const struct ArrowArray *batches,
                         int n_batches)
{
    static const paimon_predicate_op ops[] = { PAIMON_OP_EQ, PAIMON_OP_LT, PAIMON_OP_LE, PAIMON_OP_GT, PAIMON_OP_GE, PAIMON_OP_IS_NULL, PAIMON_OP_IS_NOT_NULL };
    int32_t c = (int32_t)pick(m, (uint64_t)row->n_fields);
    const pmn_type *type = row->fields[c].type;
    pmn_pred leaf = { .kind = PMN_PRED_LEAF, .op = ops[pick(m, 7)], .n_path = 1, .path = &c, .type = type };
    pmn_datum literal;
    if (!pmn_type_is_atomic(type) || type->kind == PMN_BLOB || batches[0].length == 0) return;
    int64_t at = (int64_t)pick(m, (uint64_t)batches[0].length);
    assert_int_equal(pmn_datum_from_arrow(type, schema->children[c], batches[0].children[c], batches[0].offset + at, &literal, NULL), PAIMON_OK);
    bool null_test = leaf.op == PAIMON_OP_IS_NULL || leaf.op == PAIMON_OP_IS_NOT_NULL;
    if (!null_test && (literal.is_null || is_zero_float(type, &literal))) return;
    if (!null_test) {
        leaf.n_literals = 1;
        leaf.literals = &literal;
    }
    int64_t expected = 0;
    for (int b = 0; b < n_batches; b++) {
        for (int64_t r = 0; r < batches[b].length; r++) {
            pmn_datum v;
            assert_int_equal(pmn_datum_from_arrow(type, schema->children[c], batches[b].children[c], batches[b].offset + r, &v, NULL), PAIMON_OK);
            expected += pmn_pred_test(&leaf, &v);
        }
    }
    row_list got;
    row_list_init(&got);
    read_rows(file, m, schema, &leaf, &got);
    assert_int_equal(got.n, expected);
    row_list_free(&got);
}

static void judge_file(maker *m, paimon_fs *fs, const pmn_type *row, const struct ArrowArray *batches, int n_batches, const pmn_format_written *written)
{
    struct ArrowSchema schema;
    row_list before, after;
    row_list_init(&before);
    row_list_init(&after);
    assert_int_equal(pmn_row_to_arrow(pmn_mem_default(), row, &schema, NULL), PAIMON_OK);
    for (int i = 0; i < n_batches; i++) row_list_add(&before, &schema, &batches[i]);
    pmn_format_file *file = open_written(fs);
    read_rows(file, m, &schema, NULL, &after);
    assert_int_equal(before.n, after.n);
    assert_int_equal(before.n, written->rows);
    for (int64_t i = 0; i < before.n; i++)
        if (!pmn_slice_equal(row_list_at(&before, i), row_list_at(&after, i))) fail_msg("row %lld differs", (long long)i);
    for (int32_t c = 0; c < row->n_fields; c++)
        if (pmn_type_is_atomic(row->fields[c].type)) judge_bounds(row->fields[c].type, schema.children[c], batches, n_batches, c, &written->bounds[c]);
    for (int i = 0; i < 4; i++) judge_filter(m, file, row, &schema, batches, n_batches);
    pmn_format_file_close(file);
    pmn_schema_release(&schema);
    row_list_free(&before);
    row_list_free(&after);
}

static void file_bytes(paimon_fs *fs, pmn_buf *out)
{
    pmn_buf_init(out, pmn_mem_default(), PMN_BUF_NO_CEILING);
    assert_int_equal(pmn_fs_read_all(pmn_mem_default(), fs, PATH, SIZE_MAX / 2, out, NULL), PAIMON_OK);
}

/* For judges from outside: the files of this test, if they are asked for. */
static void keep_file(uint64_t seed, const pmn_buf *bytes)
{
    char path[1024];
    const char *folder = getenv("PAIMON_KEEP_WRITTEN");
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%llu.parquet", folder, (unsigned long long)seed);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes->data, 1, bytes->size, file), bytes->size);
    assert_int_equal(fclose(file), 0);
}

static void round_trip(uint64_t seed)
{
    maker m;
    struct ArrowArray batches[3];
    paimon_error err = PAIMON_ERROR_INIT;
    maker_start(&m, seed);
    const pmn_type *row = random_row_type(&m);
    setting s = random_setting(&m);
    int n_batches = 1 + (int)pick(&m, 3);
    for (int i = 0; i < n_batches; i++) random_rows(&m, row, (int64_t)pick(&m, pick(&m, 3) ? 300 : 4000), &batches[i]);
    pmn_buf bytes[2];
    for (int i = 0; i < 2; i++) {
        paimon_fs *fs = memory_files();
        pmn_format_writer *writer;
        pmn_format_written written;
        if (write_file(pmn_mem_default(), fs, row, &s, i ? 3 : 1, batches, n_batches, &writer, &written, &err) != PAIMON_OK) fail_msg("seed %llu: %s", (unsigned long long)seed, paimon_error_message(&err));
        pmn_format_measure measure;
        assert_int_equal(writer->ops->measure(writer, &measure, &err), PAIMON_OK);
        assert_int_equal(measure.size_bytes, written.size_bytes);
        if (i == 0) judge_file(&m, fs, row, batches, n_batches, &written);
        file_bytes(fs, &bytes[i]);
        assert_int_equal(bytes[i].size, written.size_bytes);
        pmn_format_writer_free(writer);
        paimon_fs_free(fs);
    }
    assert_true(pmn_slice_equal(pmn_slice_of(bytes[0].data, bytes[0].size), pmn_slice_of(bytes[1].data, bytes[1].size)));
    keep_file(seed, &bytes[0]);
    for (int i = 0; i < 2; i++) pmn_buf_free(&bytes[i]);
    for (int i = 0; i < n_batches; i++) pmn_array_release(&batches[i]);
    maker_end(&m);
}

static void random_rows_come_back_whatever_the_types_and_options_and_threads_change_no_byte(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (UNIT_WATCHES_THREADS ? 60 : 250); seed++) round_trip(seed * 7919);
}

/* ---- single things ---- */

static const pmn_type *one_column(maker *m, const char *type)
{
    pmn_field *field = pmn_arena_calloc(&m->arena, 1, sizeof *field);
    field->id = 0;
    field->name = "v";
    assert_int_equal(pmn_type_parse(&m->arena, type, &field->type, NULL), PAIMON_OK);
    return pmn_type_row(&m->arena, false, field, 1);
}

/* A batch of one BIGINT column with `distinct` values. */
static void long_rows(maker *m, int64_t n, int64_t distinct, struct ArrowArray *out)
{
    pmn_buffer *none[1] = { NULL }, *buffers[2] = { NULL, new_buffer(m, (size_t)n * 8) };
    for (int64_t i = 0; i < n; i++) ((int64_t *)(void *)buffers[1]->data)[i] = i % distinct;
    assert_int_equal(pmn_array_new(pmn_mem_default(), n, 0, 1, none, 1, out, NULL), PAIMON_OK);
    assert_int_equal(pmn_array_new(pmn_mem_default(), n, 0, 2, buffers, 0, out->children[0], NULL), PAIMON_OK);
}

static void check_encodings(int64_t distinct, const char *dictionary_size, const char *expected)
{
    maker m;
    struct ArrowArray batch;
    pmn_format_writer *writer;
    pmn_format_written written;
    setting s = { .n = 0 };
    set(&s, "parquet.page.row.count.limit", "1000");
    if (dictionary_size) set(&s, "parquet.dictionary.page.size", dictionary_size);
    maker_start(&m, 1);
    long_rows(&m, 5000, distinct, &batch);
    paimon_fs *fs = memory_files();
    assert_int_equal(write_file(pmn_mem_default(), fs, one_column(&m, "BIGINT"), &s, 1, &batch, 1, &writer, &written, NULL), PAIMON_OK);
    pmn_format_file *file = open_written(fs);
    const pmn_parquet_chunk *chunk = &((pmn_parquet_file *)file)->meta.groups[0].chunks[0];
    char text[200] = "";
    for (int32_t i = 0; i < chunk->n_page_counts; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s x%d", i ? ", " : "", pmn_parquet_encoding_name(chunk->page_counts[i].encoding), (int)chunk->page_counts[i].count);
    }
    assert_string_equal(text, expected);
    assert_true(chunk->column_index_offset > 0 && chunk->offset_index_offset > 0);
    pmn_format_file_close(file);
    pmn_format_writer_free(writer);
    paimon_fs_free(fs);
    pmn_array_release(&batch);
    maker_end(&m);
}

static void a_dictionary_is_kept_while_it_pays_and_given_up_where_it_does_not(void **state)
{
    (void)state;
    check_encodings(10, NULL, "PLAIN_DICTIONARY x1, PLAIN_DICTIONARY x5");
    check_encodings(5000, NULL, "PLAIN x5");
    check_encodings(700, "3000", "PLAIN x5"); /* past its limit within the first page */
}

/* The share, in a thousand, of values that are not there but may be; -1: the chunk has no filter. */
static int bloom_answers(int64_t distinct, const char *expected_values)
{
    maker m;
    struct ArrowArray batch;
    pmn_format_writer *writer;
    pmn_format_written written;
    pmn_parquet_bloom bloom;
    bool found, may;
    int wrong = 0;
    setting s = { .n = 0 };
    set(&s, "parquet.bloom.filter.enabled#v", "true");
    if (expected_values) set(&s, "parquet.bloom.filter.expected.ndv#v", expected_values);
    maker_start(&m, 1);
    long_rows(&m, 5000, distinct, &batch);
    paimon_fs *fs = memory_files();
    assert_int_equal(write_file(pmn_mem_default(), fs, one_column(&m, "BIGINT"), &s, 1, &batch, 1, &writer, &written, NULL), PAIMON_OK);
    pmn_format_file *file = open_written(fs);
    assert_int_equal(pmn_parquet_bloom_load((pmn_parquet_file *)file, 0, 0, &m.arena, &bloom, &found, NULL), PAIMON_OK);
    for (int64_t i = 0; found && i < 10000; i++) {
        uint8_t value[8];
        pmn_store_le64(value, (uint64_t)i);
        assert_int_equal(pmn_parquet_bloom_may_contain(&bloom, pmn_slice_of(value, 8), &may, NULL), PAIMON_OK);
        if (i < distinct) assert_true(may);
        else wrong += may;
    }
    if (found && expected_values) assert_true(bloom.n_blocks * PMN_BLOOM_BLOCK < 20000);
    if (found && !expected_values) assert_int_equal(bloom.n_blocks * PMN_BLOOM_BLOCK, 1 << 20);
    pmn_format_file_close(file);
    pmn_format_writer_free(writer);
    paimon_fs_free(fs);
    pmn_array_release(&batch);
    maker_end(&m);
    return found ? wrong / 5 : -1;
}

static void a_bloom_filter_holds_every_value_and_few_others_where_no_dictionary_tells_them(void **state)
{
    (void)state;
    assert_int_equal(bloom_answers(10, "5000"), -1);
    assert_in_range(bloom_answers(5000, "5000"), 0, 20);
    assert_int_equal(bloom_answers(5000, NULL), 0);
}

static void a_null_in_a_required_column_is_refused_by_column_and_row(void **state)
{
    (void)state;
    static const char *const types[] = { "BIGINT NOT NULL", "BIGINT" };
    for (int nullable = 0; nullable < 2; nullable++) {
        maker m;
        struct ArrowArray batch;
        pmn_format_writer *writer;
        pmn_format_written written;
        paimon_error err = PAIMON_ERROR_INIT;
        setting s = { .n = 0 };
        maker_start(&m, 1);
        pmn_buffer *none[1] = { NULL }, *buffers[2] = { new_buffer(&m, 10), new_buffer(&m, 80 * 8) };
        memset(buffers[0]->data, 0xff, 10);
        pmn_bit_clear(buffers[0]->data, 77);
        assert_int_equal(pmn_array_new(pmn_mem_default(), 80, 0, 1, none, 1, &batch, NULL), PAIMON_OK);
        assert_int_equal(pmn_array_new(pmn_mem_default(), 80, -1, 2, buffers, 0, batch.children[0], NULL), PAIMON_OK);
        paimon_fs *fs = memory_files();
        paimon_status status = write_file(pmn_mem_default(), fs, one_column(&m, types[nullable]), &s, 1, &batch, 1, &writer, &written, &err);
        assert_int_equal(status, nullable ? PAIMON_OK : PAIMON_INVALID);
        if (!nullable) {
            assert_non_null(strstr(paimon_error_message(&err), "column v, row 77"));
            assert_int_equal(writer->ops->finish(writer, &written, NULL), PAIMON_STATE);
        }
        pmn_format_writer_free(writer);
        bool exists;
        assert_int_equal(pmn_fs_exists(fs, PATH, &exists, NULL, NULL), PAIMON_OK);
        assert_int_equal(exists, nullable);
        paimon_error_clear(&err);
        paimon_fs_free(fs);
        pmn_array_release(&batch);
        maker_end(&m);
    }
}

static void refuse(const char *key, const char *value, paimon_status expected, const char *words)
{
    maker m;
    setting s = { .n = 0 };
    pmn_format_writer *writer;
    paimon_error err = PAIMON_ERROR_INIT;
    set(&s, key, value);
    maker_start(&m, 1);
    paimon_fs *fs = memory_files();
    pmn_format_write_options options = { .mem = pmn_mem_default(), .fs = fs, .path = PATH, .row = one_column(&m, "INT"), .get = get_setting, .options_ctx = &s, .n_threads = 1 };
    assert_int_equal(pmn_format_parquet.create(&options, &writer, &err), expected);
    assert_non_null(strstr(paimon_error_message(&err), words));
    assert_null(writer);
    paimon_error_clear(&err);
    paimon_fs_free(fs);
    maker_end(&m);
}

static void options_that_cannot_be_met_are_refused_by_name(void **state)
{
    (void)state;
    refuse("file.compression", "middle-out", PAIMON_INVALID, "file.compression");
    refuse("file.compression", "lzo", PAIMON_UNSUPPORTED, "lzo");
    refuse("parquet.compression#v", "brotli", PAIMON_UNSUPPORTED, "parquet.compression#v");
    refuse("parquet.page.size", "0", PAIMON_INVALID, "parquet.page.size");
    refuse("file.block-size", "many", PAIMON_INVALID, "file.block-size");
    refuse("parquet.writer.version", "v3", PAIMON_INVALID, "parquet.writer.version");
    refuse("parquet.enable.dictionary#v", "maybe", PAIMON_INVALID, "parquet.enable.dictionary#v");
    refuse("parquet.bloom.filter.enabled#v", "perhaps", PAIMON_INVALID, "parquet.bloom.filter.enabled#v");
    refuse("file.compression.zstd-level", "99", PAIMON_INVALID, "zstd-level");
}

static void cut(const char *value, bool text, bool max, size_t limit, const char *expected)
{
    pmn_buf out;
    pmn_buf_init(&out, pmn_mem_default(), PMN_BUF_NO_CEILING);
    assert_int_equal(pmn_pqw_cut_bound(&out, pmn_slice_text(value), text, max, limit, NULL), PAIMON_OK);
    assert_int_equal(out.size, strlen(expected));
    assert_memory_equal(out.data, expected, out.size);
    pmn_buf_free(&out);
}

static void bounds_are_cut_between_characters_and_maxima_raised(void **state)
{
    (void)state;
    cut("abcdef", true, false, 3, "abc");
    cut("abcdef", true, true, 3, "abd");
    cut("abc", true, true, 3, "abc");
    cut("ab\xc3\xa9xyz", true, false, 3, "ab");          /* not through é */
    cut("ab\xc3\xa9xyz", true, true, 3, "ac");
    cut("a\xf4\x8f\xbf\xbfzz", true, true, 5, "b");      /* the last character has no next one */
    cut("\xf4\x8f\xbf\xbfzz", true, true, 4, "\xf4\x8f\xbf\xbfzz");
    cut("\xed\x9f\xbfzz", true, true, 3, "\xee\x80\x80"); /* over the surrogates */
    cut("a\xff\xffz", false, true, 3, "b");
    cut("\xff\xff\xffz", false, true, 3, "\xff\xff\xffz");
}

/* ---- failures ---- */

typedef struct attempt {
    const pmn_type *row;
    struct ArrowArray *batch;
    setting s;
} attempt;

static paimon_status attempt_write(pmn_mem *mem, void *arg)
{
    const attempt *a = arg;
    pmn_format_writer *writer;
    pmn_format_written written;
    paimon_fs *fs = memory_files();
    bool exists;
    paimon_status status = write_file(mem, fs, a->row, &a->s, 1, a->batch, 1, &writer, &written, NULL);
    pmn_format_writer_free(writer);
    assert_int_equal(pmn_fs_exists(fs, PATH, &exists, NULL, NULL), PAIMON_OK);
    assert_int_equal(exists, status == PAIMON_OK);
    paimon_fs_free(fs);
    return status;
}

static void prepare_attempt(maker *m, attempt *a, struct ArrowArray *batch)
{
    maker_start(m, 99);
    pmn_field *fields = pmn_arena_calloc(&m->arena, 3, sizeof *fields);
    static const char *const types[] = { "STRING", "ARRAY<DECIMAL(30, 2)>", "DOUBLE NOT NULL" }, *const names[] = { "a", "b", "c" };
    for (int32_t i = 0; i < 3; i++) {
        fields[i].id = i;
        fields[i].name = names[i];
        assert_int_equal(pmn_type_parse(&m->arena, types[i], &fields[i].type, NULL), PAIMON_OK);
    }
    a->row = pmn_type_row(&m->arena, false, fields, 3);
    a->batch = batch;
    memset(&a->s, 0, sizeof a->s);
    set(&a->s, "parquet.page.row.count.limit", "100");
    set(&a->s, "file.block-size", "3000");
    random_rows(m, a->row, 700, batch);
}

static void a_refused_allocation_anywhere_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    maker m;
    attempt a;
    struct ArrowArray batch;
    prepare_attempt(&m, &a, &batch);
    failing_alloc_sweep(attempt_write, &a);
    pmn_array_release(&batch);
    maker_end(&m);
}

static void a_failing_disk_is_told_and_leaves_nothing(void **state)
{
    (void)state;
    maker m;
    attempt a;
    struct ArrowArray batch;
    prepare_attempt(&m, &a, &batch);
    bool failed = true;
    for (int64_t at = 0; failed; at++) {
        paimon_fs *inner = memory_files(), *fs;
        pmn_fault *fault;
        pmn_format_writer *writer;
        pmn_format_written written;
        bool exists;
        assert_int_equal(pmn_fault_fs_new(pmn_mem_default(), inner, &fs, &fault, NULL), PAIMON_OK);
        pmn_fault_plan(fault, at, PMN_FAULT_FAIL);
        paimon_status status = write_file(pmn_mem_default(), fs, a.row, &a.s, 1, &batch, 1, &writer, &written, NULL);
        pmn_format_writer_free(writer);
        failed = status != PAIMON_OK;
        if (failed) assert_int_equal(status, PAIMON_IO);
        else assert_true(at > 5);
        assert_int_equal(pmn_fs_exists(inner, PATH, &exists, NULL, NULL), PAIMON_OK);
        assert_int_equal(exists, !failed);
        paimon_fs_free(fs);
        paimon_fs_free(inner);
    }
    pmn_array_release(&batch);
    maker_end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows_come_back_whatever_the_types_and_options_and_threads_change_no_byte),
        cmocka_unit_test(a_dictionary_is_kept_while_it_pays_and_given_up_where_it_does_not),
        cmocka_unit_test(a_bloom_filter_holds_every_value_and_few_others_where_no_dictionary_tells_them),
        cmocka_unit_test(a_null_in_a_required_column_is_refused_by_column_and_row),
        cmocka_unit_test(options_that_cannot_be_met_are_refused_by_name),
        cmocka_unit_test(bounds_are_cut_between_characters_and_maxima_raised),
        cmocka_unit_test(a_refused_allocation_anywhere_is_told_and_leaves_nothing),
        cmocka_unit_test(a_failing_disk_is_told_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
