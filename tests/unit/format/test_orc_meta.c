/* What an ORC file tells of itself: messages, types, stripes, statistics; old writers, lies, damage, and memory that runs out. */
#include "codec/compress.h"
#include "format/orc/file.h"
#include "format/orc/proto.h"
#include "support/failing_alloc.h"
#include "support/memory_files.h"
#include "support/orc_bytes.h"
#include "support/unit.h"

#include "base/json.h"

enum { STRUCT = 12, LIST = 10, MAP = 11, UNION = 13, INT = 3, STRING = 7, DECIMAL = 14 };

/* ---- messages ---- */

static void fields_come_out_and_what_nobody_asks_about_is_passed_over(void **state)
{
    (void)state;
    orc_bytes b = { 0 };
    orc_number(&b, 1, 300);
    orc_signed(&b, 2, -5);
    orc_text(&b, 3, "abc");
    orc_double(&b, 4, 1.5);
    orc_put(&b, "\x2b\x33\x0a\x01x\x34\x2c", 7);  /* 5: group { 6: group { 1: "x" } } */
    orc_put(&b, "\x3d\x01\x00\x00\x00", 5);       /* 7: fixed32 */
    orc_put(&b, "\x42\x03\x01\xac\x02", 5);       /* 8: packed 1, 300 */
    int64_t number = 0;
    uint64_t packed[2];
    size_t n = 0;
    double real = 0;
    pmn_slice text = { NULL, 0 };
    pmn_proto p = pmn_proto_of(pmn_slice_of(b.data, b.n), "test", NULL);
    pmn_proto_field f;
    assert_int_equal(pmn_proto_next(&p, &f), PAIMON_OK);
    assert_int_equal(pmn_proto_i64(&p, &f, &number), PAIMON_OK);
    assert_int_equal(number, 300);
    assert_int_equal(pmn_proto_double(&p, &f, &real), PAIMON_CORRUPT);
    assert_int_equal(pmn_proto_next(&p, &f), PAIMON_OK);
    assert_int_equal(pmn_proto_zigzag(&p, &f, &number), PAIMON_OK);
    assert_int_equal(number, -5);
    assert_int_equal(pmn_proto_next(&p, &f), PAIMON_OK);
    assert_int_equal(pmn_proto_bytes(&p, &f, &text), PAIMON_OK);
    assert_int_equal(text.size, 3);
    assert_int_equal(pmn_proto_next(&p, &f), PAIMON_OK);
    assert_int_equal(pmn_proto_double(&p, &f, &real), PAIMON_OK);
    assert_true(real == 1.5);
    assert_int_equal(pmn_proto_next(&p, &f), PAIMON_OK);
    assert_int_equal(f.id, 5);
    assert_int_equal(pmn_proto_next(&p, &f), PAIMON_OK);
    assert_int_equal(f.number, 1);
    assert_int_equal(pmn_proto_next(&p, &f), PAIMON_OK);
    assert_int_equal(pmn_proto_count(&p, &f, &n), PAIMON_OK);
    assert_int_equal(n, 2);
    pmn_proto_numbers(&f, packed);
    assert_int_equal(packed[1], 300);
    assert_false(pmn_proto_left(&p));
}

static void no_message_is_read_past_its_end(void **state)
{
    (void)state;
    const char *const bad[] = { "\x08", ("\x0a\x05" "ab"), "\x09\x01\x02", "\x0d\x01", "\x0b\x08\x01", "\x0c", "\x0f", "\x00\x01",
                                "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b\x0b" };
    const size_t sizes[] = { 1, 4, 3, 2, 3, 1, 1, 2, 11, 18 };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pmn_proto p = pmn_proto_of(pmn_slice_of(bad[i], sizes[i]), "test", NULL);
        pmn_proto_field f;
        assert_int_equal(pmn_proto_next(&p, &f), PAIMON_CORRUPT);
    }
}

/* ---- files ---- */

typedef struct opened {
    paimon_fs *fs;
    pmn_format_file *file;
    paimon_error err;
} opened;

static paimon_status open_on(pmn_mem *mem, const orc_bytes *image, opened *o)
{
    o->fs = memory_files();
    o->err = (paimon_error)PAIMON_ERROR_INIT;
    put_file(o->fs, "mem:/x.orc", image->data, image->n);
    pmn_format_open_options options = { .mem = mem, .fs = o->fs, .path = "mem:/x.orc", .size_bytes = -1 };
    return pmn_format_orc.open(&options, &o->file, &o->err);
}

static void close_it(opened *o)
{
    pmn_format_file_close(o->file);
    paimon_error_clear(&o->err);
    paimon_fs_free(o->fs);
}

/* It is refused, with these words in the message. */
static void assert_refused(const orc_bytes *image, paimon_status expected, const char *words)
{
    opened o;
    paimon_status status = open_on(pmn_mem_default(), image, &o);
    if (status != expected || !strstr(paimon_error_message(&o.err), words))
        fail_msg("\"%s\" (%d), expected \"%s\"", paimon_error_message(&o.err), (int)status, words);
    close_it(&o);
}

/* struct<a: int, m: map<string, list<decimal>>>, one stripe of 20 rows in two row groups. */
static orc_bytes sample(unsigned compression)
{
    static const int root[] = { 1, 2, -1 }, map[] = { 3, 4, -1 }, list[] = { 5, -1 };
    orc_bytes file = { 0 }, footer = { 0 }, foot = { 0 }, index = { 0 }, entry = { 0 }, metadata = { 0 }, stats = { 0 }, item = { 0 }, none = { 0 }, all = { 0 };
    orc_bytes low = orc_integers(10, 0, 1, 9), high = orc_integers(9, 1, 100, 200), both = orc_integers(19, 1, 1, 200);
    orc_blob(&entry, 1, "\0\0", 2);
    orc_message(&entry, 2, &low);
    orc_message(&index, 1, &entry);
    entry.n = 0;
    orc_number(&entry, 1, 7); /* positions one by one */
    orc_number(&entry, 1, 8);
    orc_message(&entry, 2, &high);
    orc_message(&index, 1, &entry);
    size_t index_size = index.n + (compression ? 3 : 0);
    orc_stream(&foot, PMN_ORC_ROW_INDEX, 1, index_size);
    orc_stream(&foot, PMN_ORC_DATA, 1, 4);
    orc_encodings(&foot, 6);
    orc_text(&foot, 3, "Europe/Berlin");
    orc_number(&all, 1, 20);
    orc_message(&stats, 1, &all);
    orc_message(&stats, 1, &both);
    for (int i = 0; i < 4; i++) orc_message(&stats, 1, &none);
    orc_message(&metadata, 1, &stats);

    orc_put(&file, "ORC", 3);
    for (int i = 0; i < 2; i++) {
        const orc_bytes *part = i ? &foot : &index;
        if (compression) orc_put_byte(&file, (unsigned)(part->n << 1 | 1) & 0xff), orc_put_byte(&file, (unsigned)(part->n >> 7)), orc_put_byte(&file, 0);
        orc_put(&file, part->data, part->n);
        if (i == 0) orc_put(&file, "data", 4);
    }
    orc_stripe(&footer, 3, index_size, 4, foot.n + (compression ? 3 : 0), 20);
    orc_type(&footer, STRUCT, root, "a,m");
    orc_type(&footer, INT, NULL, NULL);
    orc_type(&footer, MAP, map, NULL);
    orc_type(&footer, STRING, NULL, NULL);
    orc_type(&footer, LIST, list, NULL);
    orc_type(&footer, DECIMAL, NULL, NULL);
    orc_text(&item, 1, "key");
    orc_text(&item, 2, "v\"alue");
    orc_message(&footer, 5, &item);
    orc_number(&footer, 6, 20);
    orc_number(&footer, 8, 10);
    orc_number(&footer, 9, 0);
    orc_text(&footer, 12, "1.9.8");
    if (compression) { /* whole chunks that are not compressed */
        orc_bytes m = { 0 }, f = { 0 };
        orc_put_byte(&m, (unsigned)(metadata.n << 1 | 1) & 0xff), orc_put_byte(&m, (unsigned)(metadata.n >> 7)), orc_put_byte(&m, 0);
        orc_put(&m, metadata.data, metadata.n);
        orc_put_byte(&f, (unsigned)(footer.n << 1 | 1) & 0xff), orc_put_byte(&f, (unsigned)(footer.n >> 7)), orc_put_byte(&f, 0);
        orc_put(&f, footer.data, footer.n);
        orc_end(&file, &m, &f, compression, 9);
    } else {
        orc_end(&file, &metadata, &footer, 0, 9);
    }
    return file;
}

static void types_stripes_and_statistics_come_out(void **state)
{
    (void)state;
    for (unsigned compression = 0; compression < 6; compression++) {
        if (compression == 3) continue; /* lzo */
        orc_bytes image = sample(compression);
        opened o;
        assert_int_equal(open_on(pmn_mem_default(), &image, &o), PAIMON_OK);
        pmn_orc_file *file = (pmn_orc_file *)o.file;
        assert_int_equal(o.file->ops->row_count(o.file), 20);
        assert_int_equal(file->meta.n_types, 6);
        assert_int_equal(file->meta.types[5]->precision, 38);
        assert_int_equal(file->meta.types[5]->scale, 18);
        assert_int_equal(file->meta.format_minor, 12);
        struct ArrowSchema schema;
        assert_int_equal(o.file->ops->schema(o.file, &schema, NULL), PAIMON_OK);
        assert_string_equal(schema.children[0]->format, "i");
        assert_string_equal(schema.children[1]->format, "+m");
        assert_string_equal(schema.children[1]->children[0]->children[1]->children[0]->format, "d:38,18");
        assert_int_equal(schema.children[1]->children[0]->children[0]->flags & ARROW_FLAG_NULLABLE, 0);
        schema.release(&schema);
        pmn_decompressor *d;
        pmn_arena arena;
        pmn_orc_stripe_footer footer;
        pmn_slice bytes;
        pmn_orc_stats stats;
        pmn_orc_index index;
        pmn_buf message;
        pmn_arena_init(&arena, pmn_mem_default());
        pmn_buf_init(&message, pmn_mem_default(), 1 << 20);
        assert_int_equal(pmn_decompressor_new(pmn_mem_default(), &d, NULL), PAIMON_OK);
        assert_int_equal(pmn_orc_stripe_open(file, 0, d, &arena, &footer, NULL), PAIMON_OK);
        assert_string_equal(footer.zone, "Europe/Berlin");
        assert_int_equal(footer.n_encodings, 6);
        assert_int_equal(footer.streams[1].offset, footer.streams[0].offset + footer.streams[0].size);
        assert_int_equal(pmn_orc_file_stripe_stats(file, d, 0, 1, &bytes, NULL), PAIMON_OK);
        assert_int_equal(pmn_orc_stats_parse(bytes, &stats, NULL), PAIMON_OK);
        assert_int_equal(stats.n_values, 19);
        assert_int_equal(stats.max_integer, 200);
        assert_int_equal(pmn_orc_file_message(file, d, footer.streams[0].offset, footer.streams[0].size, &message, NULL), PAIMON_OK);
        assert_int_equal(pmn_orc_index_parse(&arena, pmn_slice_of(message.data, message.size), &index, NULL), PAIMON_OK);
        assert_int_equal(index.n, 2);
        assert_int_equal(index.entries[0].n_positions, 2);
        assert_int_equal(index.entries[1].positions[1], 8);
        pmn_buf_free(&message);
        pmn_decompressor_free(d);
        pmn_arena_free(&arena);
        close_it(&o);
    }
}

static void descriptions_are_json(void **state)
{
    (void)state;
    orc_bytes image = sample(0);
    opened o;
    pmn_buf out;
    pmn_json *json;
    pmn_buf_init(&out, pmn_mem_default(), 1 << 20);
    assert_int_equal(open_on(pmn_mem_default(), &image, &o), PAIMON_OK);
    assert_int_equal(o.file->ops->describe(o.file, &out, NULL), PAIMON_OK);
    assert_int_equal(pmn_json_parse(pmn_slice_of(out.data, out.size), &json, NULL), PAIMON_OK);
    assert_string_equal(pmn_json_text(pmn_json_get(pmn_json_get(json, "metadata"), "key")), "v\"alue");
    assert_string_equal(pmn_json_text(pmn_json_get(json, "writer_software")), "1.9.8");
    const pmn_json *column = pmn_json_at(pmn_json_get(pmn_json_at(pmn_json_get(json, "stripes"), 0), "columns"), 0);
    assert_int_equal(pmn_json_int(pmn_json_get(pmn_json_get(column, "statistics"), "max")), 200);
    pmn_json_free(json);
    pmn_buf_free(&out);
    close_it(&o);
}

/* ---- old writers ---- */

static void the_magic_may_stand_at_the_beginning_only(void **state)
{
    (void)state;
    orc_bytes image = { 0 }, footer = { 0 }, ps = { 0 };
    opened o;
    orc_type(&footer, STRUCT, NULL, NULL);
    orc_number(&ps, 1, footer.n);
    for (int with_magic = 0; with_magic < 2; with_magic++) {
        image.n = 0;
        orc_put(&image, with_magic ? "ORC" : "CRO", 3);
        orc_put(&image, footer.data, footer.n);
        orc_put(&image, ps.data, ps.n);
        orc_put_byte(&image, (unsigned)ps.n);
        if (!with_magic) {
            assert_refused(&image, PAIMON_CORRUPT, "has ORC neither");
            continue;
        }
        assert_int_equal(open_on(pmn_mem_default(), &image, &o), PAIMON_OK);
        assert_int_equal(((pmn_orc_file *)o.file)->meta.format_minor, 11);
        close_it(&o);
    }
}

static void a_file_without_rows_need_not_have_a_footer(void **state)
{
    (void)state;
    orc_bytes image = { 0 }, none = { 0 };
    opened o;
    struct ArrowSchema schema;
    orc_put(&image, "ORC", 3);
    orc_end(&image, &none, &none, 5, 0);
    assert_int_equal(open_on(pmn_mem_default(), &image, &o), PAIMON_OK);
    assert_int_equal(o.file->ops->row_count(o.file), 0);
    assert_int_equal(o.file->ops->schema(o.file, &schema, NULL), PAIMON_OK);
    assert_int_equal(schema.n_children, 0);
    schema.release(&schema);
    close_it(&o);
}

static void a_root_that_is_no_struct_is_one_nameless_column(void **state)
{
    (void)state;
    orc_bytes image = { 0 }, footer = { 0 }, none = { 0 };
    opened o;
    struct ArrowSchema schema;
    orc_put(&image, "ORC", 3);
    orc_type(&footer, INT, NULL, NULL);
    orc_end(&image, &none, &footer, 0, 0);
    assert_int_equal(open_on(pmn_mem_default(), &image, &o), PAIMON_OK);
    assert_int_equal(o.file->ops->schema(o.file, &schema, NULL), PAIMON_OK);
    assert_int_equal(schema.n_children, 1);
    assert_string_equal(schema.children[0]->name, "");
    assert_string_equal(schema.children[0]->format, "i");
    schema.release(&schema);
    close_it(&o);
}

/* ---- lies ---- */

static orc_bytes with_footer(const orc_bytes *footer, unsigned compression)
{
    orc_bytes image = { 0 }, none = { 0 };
    orc_put(&image, "ORC1234567", 10);
    orc_end(&image, &none, footer, compression, 9);
    return image;
}

static void types_that_are_no_tree_are_refused(void **state)
{
    (void)state;
    static const int self[] = { 0, -1 }, twice[] = { 1, 1, -1 }, none[] = { -1 }, far[] = { 7, -1 }, two[] = { 1, 2, -1 }, swapped[] = { 2, 1, -1 };
    static const struct {
        unsigned kind;
        const int *children;
        const char *names;
        int ints; /* types behind it */
        const char *words;
    } cases[] = { { STRUCT, self, "a", 1, "has the child 0" },     { STRUCT, twice, "a,b", 2, "type 1 stands where" }, { MAP, far, NULL, 1, "expected 2" },
                  { LIST, two, NULL, 2, "expected 1" },           { STRUCT, far, "a", 1, "has the child 7" },        { STRUCT, two, "a", 2, "1 names" },
                  { STRUCT, swapped, "a,b", 2, "type 2 stands" }, { STRUCT, none, NULL, 1, "not part of the root" },  { INT, two, NULL, 2, "has 2 children" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orc_bytes footer = { 0 };
        orc_type(&footer, cases[i].kind, cases[i].children, cases[i].names);
        for (int k = 0; k < cases[i].ints; k++) orc_type(&footer, INT, NULL, NULL);
        orc_bytes image = with_footer(&footer, 0);
        assert_refused(&image, PAIMON_CORRUPT, cases[i].words);
    }
    orc_bytes footer = { 0 }, decimal = { 0 };
    for (int i = 0; i < 100; i++) {
        int child[] = { i + 1, -1 };
        orc_type(&footer, LIST, child, NULL);
    }
    orc_type(&footer, INT, NULL, NULL);
    orc_bytes image = with_footer(&footer, 0);
    assert_refused(&image, PAIMON_CORRUPT, "nested more than");
    footer.n = 0;
    orc_number(&decimal, 1, DECIMAL);
    orc_number(&decimal, 5, 10);
    orc_number(&decimal, 6, 11);
    orc_message(&footer, 4, &decimal);
    image = with_footer(&footer, 0);
    assert_refused(&image, PAIMON_CORRUPT, "decimal(10, 11)");
    footer.n = 0;
    orc_type(&footer, 19, NULL, NULL);
    image = with_footer(&footer, 0);
    assert_refused(&image, PAIMON_UNSUPPORTED, "unknown kind 19");
}

static void stripes_outside_the_file_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t offset, index, data, foot, rows, again;
        const char *words;
    } cases[] = { { 3, 1, 2, 5, 5, 0, "does not lie between" },
                  { 3, 1, 2, UINT64_C(1) << 62, 5, 0, "does not lie between" },
                  { UINT64_C(1) << 63, 1, 2, 3, 5, 0, "past 63 bits" },
                  { 3, 1, 2, 3, 6, 0, "the stripes have 6 rows, the file 5" },
                  { 3, 1, 1, 1, 5, 1, "does not lie between 6 and 10" },
                  { 3, 1, 1, 1, INT64_MAX, 4, "past 63 bits" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orc_bytes footer = { 0 };
        orc_stripe(&footer, cases[i].offset, cases[i].index, cases[i].data, cases[i].foot, cases[i].rows);
        if (cases[i].again) orc_stripe(&footer, cases[i].again == 4 ? 6 : 5, 1, 1, 1, cases[i].rows);
        orc_type(&footer, INT, NULL, NULL);
        orc_number(&footer, 6, 5);
        orc_bytes image = with_footer(&footer, 0);
        assert_refused(&image, PAIMON_CORRUPT, cases[i].words);
    }
}

static void what_is_not_supported_is_named(void **state)
{
    (void)state;
    orc_bytes footer = { 0 }, nothing = { 0 };
    orc_type(&footer, INT, NULL, NULL);
    orc_bytes image = with_footer(&footer, 3);
    assert_refused(&image, PAIMON_UNSUPPORTED, "lzo");
    image = with_footer(&footer, 99);
    assert_refused(&image, PAIMON_UNSUPPORTED, "unknown compression 99");
    orc_message(&footer, 10, &nothing);
    image = with_footer(&footer, 0);
    assert_refused(&image, PAIMON_UNSUPPORTED, "encrypted");
    static const int children[] = { 1, -1 };
    footer.n = 0;
    orc_type(&footer, UNION, children, NULL);
    orc_type(&footer, INT, NULL, NULL);
    image = with_footer(&footer, 0);
    opened o;
    struct ArrowSchema schema;
    assert_int_equal(open_on(pmn_mem_default(), &image, &o), PAIMON_OK);
    assert_int_equal(o.file->ops->schema(o.file, &schema, &o.err), PAIMON_UNSUPPORTED);
    assert_non_null(strstr(paimon_error_message(&o.err), "union"));
    close_it(&o);
}

static void stripe_footers_are_held_against_the_stripe(void **state)
{
    (void)state;
    static const pmn_orc_stripe stripe = { .offset = 3, .index_size = 2, .data_size = 4, .footer_size = 9, .n_rows = 1 };
    static const struct {
        unsigned kind, column;
        uint64_t size;
        int encodings;
        paimon_status status;
    } cases[] = { { 1, 0, 6, 1, PAIMON_OK },      { 1, 0, 7, 1, PAIMON_CORRUPT }, { 1, 1, 6, 1, PAIMON_CORRUPT }, { 1, 0, 6, 0, PAIMON_CORRUPT },
                  { 1, 0, 6, 2, PAIMON_CORRUPT }, { 1, 0, UINT64_MAX, 1, PAIMON_CORRUPT } };
    pmn_orc_meta meta = { .n_types = 1 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orc_bytes foot = { 0 };
        pmn_arena arena;
        pmn_orc_stripe_footer out;
        orc_stream(&foot, cases[i].kind, cases[i].column, cases[i].size);
        orc_encodings(&foot, cases[i].encodings);
        pmn_arena_init(&arena, pmn_mem_default());
        assert_int_equal(pmn_orc_stripe_footer_parse(&arena, pmn_slice_of(foot.data, foot.n), &meta, &stripe, &out, NULL), cases[i].status);
        pmn_arena_free(&arena);
    }
}

/* ---- chunks ---- */

static paimon_status read_chunk(pmn_codec codec, unsigned kind, size_t n, bool cut, size_t *got)
{
    orc_bytes image = { 0 }, footer = { 0 }, none = { 0 };
    static uint8_t zeros[4096];
    pmn_compressor *c;
    pmn_buf packed, out;
    opened o;
    pmn_decompressor *d;
    pmn_buf_init(&packed, pmn_mem_default(), 1 << 20);
    pmn_buf_init(&out, pmn_mem_default(), 1 << 20);
    assert_int_equal(pmn_compressor_new(pmn_mem_default(), codec, 0, &c, NULL), PAIMON_OK);
    assert_int_equal(pmn_compress_append(c, pmn_slice_of(zeros, n), &packed, NULL), PAIMON_OK);
    pmn_compressor_free(c);
    orc_put_byte(&image, (unsigned)(packed.size << 1) & 0xff);
    orc_put_byte(&image, (unsigned)(packed.size >> 7));
    orc_put_byte(&image, 0);
    orc_put(&image, packed.data, packed.size);
    orc_put(&image, "\x03\x00\x00z", 4); /* and a chunk of one byte as it is */
    size_t size = image.n - cut;
    orc_end(&image, &none, &footer, kind, 9);
    assert_int_equal(open_on(pmn_mem_default(), &image, &o), PAIMON_OK);
    assert_int_equal(pmn_decompressor_new(pmn_mem_default(), &d, NULL), PAIMON_OK);
    paimon_status status = pmn_orc_file_message((pmn_orc_file *)o.file, d, 0, (int64_t)size, &out, &o.err);
    *got = out.size;
    pmn_decompressor_free(d);
    pmn_buf_free(&packed);
    pmn_buf_free(&out);
    close_it(&o);
    return status;
}

static void chunks_are_put_together_and_bounded(void **state)
{
    (void)state;
    static const struct {
        pmn_codec codec;
        unsigned kind;
    } kinds[] = { { PMN_CODEC_SNAPPY, 2 }, { PMN_CODEC_LZ4_RAW, 4 }, { PMN_CODEC_ZSTD, 5 } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n;
        assert_int_equal(read_chunk(kinds[i].codec, kinds[i].kind, 1024, false, &n), PAIMON_OK);
        assert_int_equal(n, 1025);
        assert_int_equal(read_chunk(kinds[i].codec, kinds[i].kind, 1024, true, &n), PAIMON_CORRUPT);
        assert_int_equal(read_chunk(kinds[i].codec, kinds[i].kind, 4096, false, &n), PAIMON_CORRUPT); /* chunks hold 1024 */
    }
}

/* ---- damage ---- */

/* Whatever comes out, it comes out soundly. */
static void look_at_all(pmn_mem *mem, const orc_bytes *image)
{
    opened o;
    if (open_on(mem, image, &o) == PAIMON_OK) {
        struct ArrowSchema schema;
        pmn_buf out;
        pmn_buf_init(&out, mem, 1 << 20);
        if (o.file->ops->schema(o.file, &schema, NULL) == PAIMON_OK) schema.release(&schema);
        if (o.file->ops->describe(o.file, &out, NULL) != PAIMON_OK) pmn_buf_clear(&out);
        pmn_buf_free(&out);
    }
    close_it(&o);
}

static void no_damage_does_harm(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (unsigned compression = 0; compression < 3; compression += 2) {
        const orc_bytes whole = sample(compression);
        for (size_t n = 0; n < whole.n; n++) {
            orc_bytes cut = whole, flipped = whole, lost = { 0 };
            cut.n = n;
            look_at_all(pmn_mem_default(), &cut);
            for (int i = 0; i < 2; i++) {
                flipped.data[n] = (uint8_t)random_next(&random);
                look_at_all(pmn_mem_default(), &flipped);
            }
            orc_put(&lost, whole.data, n);
            orc_put(&lost, whole.data + n + 1, whole.n - n - 1);
            look_at_all(pmn_mem_default(), &lost);
        }
    }
}

static paimon_status open_and_describe(pmn_mem *mem, void *arg)
{
    opened o;
    struct ArrowSchema schema;
    pmn_buf out;
    pmn_buf_init(&out, mem, 1 << 20);
    paimon_status status = open_on(mem, arg, &o);
    if (status == PAIMON_OK) status = o.file->ops->schema(o.file, &schema, NULL);
    if (status == PAIMON_OK) {
        schema.release(&schema);
        status = o.file->ops->describe(o.file, &out, NULL);
    }
    pmn_buf_free(&out);
    close_it(&o);
    return status;
}

static void no_memory_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    for (unsigned compression = 0; compression < 3; compression += 2) {
        orc_bytes image = sample(compression);
        assert_true(failing_alloc_sweep(open_and_describe, &image) > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_come_out_and_what_nobody_asks_about_is_passed_over),
        cmocka_unit_test(no_message_is_read_past_its_end),
        cmocka_unit_test(types_stripes_and_statistics_come_out),
        cmocka_unit_test(descriptions_are_json),
        cmocka_unit_test(the_magic_may_stand_at_the_beginning_only),
        cmocka_unit_test(a_file_without_rows_need_not_have_a_footer),
        cmocka_unit_test(a_root_that_is_no_struct_is_one_nameless_column),
        cmocka_unit_test(types_that_are_no_tree_are_refused),
        cmocka_unit_test(stripes_outside_the_file_are_refused),
        cmocka_unit_test(what_is_not_supported_is_named),
        cmocka_unit_test(stripe_footers_are_held_against_the_stripe),
        cmocka_unit_test(chunks_are_put_together_and_bounded),
        cmocka_unit_test(no_damage_does_harm),
        cmocka_unit_test(no_memory_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
