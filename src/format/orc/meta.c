/* Postscript and footer. The numbers of their fields:
 *
 *   PostScript  1 footer length, 2 compression, 3 chunk size, 4 version (two numbers), 5 metadata length, 6 writer version, 8000 magic
 *   Footer      3 stripes, 4 types, 5 user metadata, 6 rows, 7 statistics by column, 8 row index stride, 9 writer, 10 encryption,
 *               12 version of the software
 *   Stripe      1 offset, 2 index length, 3 data length, 4 footer length, 5 rows, 6 encrypt stripe id
 *   Type        1 kind, 2 subtypes, 3 field names, 4 maximum length, 5 precision, 6 scale, 7 attributes (1 key, 2 value)
 *
 * A footer is small, but what it decompresses to need not be: every count is bounded before anything is allocated for it. */
#include "format/orc/meta.h"

#include <string.h>

#include "base/checked.h"
#include "format/orc/proto.h"

#define DEFAULT_CHUNK (256 * 1024)
#define MOST_TYPES (1 << 20)
#define HIVE_PRECISION 38 /* decimals of writers that did not know it */
#define HIVE_SCALE 18

static const char *const orc_kind_names[] = { "boolean", "tinyint", "smallint", "int",   "bigint", "float", "double",  "string", "binary",  "timestamp",
                                              "array",   "map",     "struct",   "union", "decimal", "date", "varchar", "char", "timestamp with local time zone" };

const char *pmn_orc_kind_name(pmn_orc_kind kind) { return (int)kind >= 0 && kind <= PMN_ORC_INSTANT ? orc_kind_names[kind] : "unknown"; }

/* ---- postscript ---- */

static paimon_status orc_codec(const pmn_proto *p, const pmn_proto_field *f, pmn_codec *out)
{
    static const pmn_codec codecs[] = { PMN_CODEC_NONE, PMN_CODEC_DEFLATE, PMN_CODEC_SNAPPY, PMN_CODEC_LZO, PMN_CODEC_LZ4_RAW, PMN_CODEC_ZSTD, PMN_CODEC_BROTLI };
    int64_t kind;
    PMN_TRY(pmn_proto_i64(p, f, &kind));
    if (kind >= (int64_t)(sizeof codecs / sizeof *codecs)) return pmn_fail(p->err, PAIMON_UNSUPPORTED, "an ORC file with the unknown compression %lld", (long long)kind);
    *out = codecs[kind];
    if (*out == PMN_CODEC_LZO) return pmn_fail(p->err, PAIMON_UNSUPPORTED, "an ORC file compressed with lzo is not supported");
    return PAIMON_OK;
}

/* Major and minor, packed or one by one. */
static paimon_status orc_version(const pmn_proto *p, const pmn_proto_field *f, int32_t *n_known, pmn_orc_postscript *out)
{
    size_t n;
    uint64_t numbers[2];
    PMN_TRY(pmn_proto_count(p, f, &n));
    if (*n_known + n > 2) return pmn_proto_corrupt(p, "a version of more than two numbers");
    pmn_proto_numbers(f, numbers);
    for (size_t i = 0; i < n; i++, ++*n_known) {
        if (numbers[i] > INT32_MAX) return pmn_proto_corrupt(p, "version number %llu", (unsigned long long)numbers[i]);
        if (*n_known == 0) out->format_major = (int32_t)numbers[i];
        else out->format_minor = (int32_t)numbers[i];
    }
    return PAIMON_OK;
}

static paimon_status orc_postscript_field(pmn_proto *p, const pmn_proto_field *f, int32_t *n_version, pmn_orc_postscript *out)
{
    pmn_slice magic;
    switch (f->id) {
    case 1: return pmn_proto_i64(p, f, &out->footer_size);
    case 2: return orc_codec(p, f, &out->codec);
    case 3: return pmn_proto_i64(p, f, &out->chunk_size);
    case 4: return orc_version(p, f, n_version, out);
    case 5: return pmn_proto_i64(p, f, &out->metadata_size);
    case 6: return pmn_proto_i32(p, f, &out->writer_version);
    case 8000:
        PMN_TRY(pmn_proto_bytes(p, f, &magic));
        out->has_magic = pmn_slice_equal(magic, pmn_slice_text("ORC"));
        return out->has_magic ? PAIMON_OK : pmn_proto_corrupt(p, "the magic is not ORC");
    default: return PAIMON_OK;
    }
}

paimon_status pmn_orc_postscript_parse(pmn_slice bytes, pmn_orc_postscript *out, paimon_error *err)
{
    pmn_proto p = pmn_proto_of(bytes, "ORC postscript", err);
    pmn_proto_field f;
    int32_t n_version = 0;
    memset(out, 0, sizeof *out);
    out->chunk_size = DEFAULT_CHUNK;
    out->format_minor = 11;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        PMN_TRY(orc_postscript_field(&p, &f, &n_version, out));
    }
    if (out->codec == PMN_CODEC_NONE) out->chunk_size = DEFAULT_CHUNK; /* there are none */
    if (out->chunk_size < 1 || out->chunk_size > PMN_ORC_MAX_CHUNK)
        return pmn_fail(err, PAIMON_CORRUPT, "ORC postscript: chunks of %lld bytes, expected 1 to %d", (long long)out->chunk_size, PMN_ORC_MAX_CHUNK);
    if (out->format_major > 1) return pmn_fail(err, PAIMON_UNSUPPORTED, "an ORC file of version %d.%d is not supported", out->format_major, out->format_minor);
    return PAIMON_OK;
}

/* ---- types ---- */

typedef struct orc_type_build {
    pmn_arena *arena;
    pmn_proto *p; /* the footer, for messages */
    pmn_orc_type *types;
    int32_t n;
    int32_t next; /* the number that the next type in preorder must have */
    const uint64_t **subtypes;
} orc_type_build;

static paimon_status orc_attribute(const pmn_proto *p, const pmn_proto_field *field, pmn_orc_type *type)
{
    pmn_proto a;
    pmn_proto_field f;
    pmn_slice key = { NULL, 0 }, value = { NULL, 0 };
    PMN_TRY(pmn_proto_enter(p, field, "ORC type attribute", &a));
    while (pmn_proto_left(&a)) {
        PMN_TRY(pmn_proto_next(&a, &f));
        if (f.id == 1) PMN_TRY(pmn_proto_bytes(&a, &f, &key));
        else if (f.id == 2) PMN_TRY(pmn_proto_bytes(&a, &f, &value));
    }
    if (!pmn_slice_equal(key, pmn_slice_text("paimon.id")) || value.size == 0 || value.size > 10) return PAIMON_OK;
    int64_t id = 0;
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') return PAIMON_OK;
        id = id * 10 + (value.data[i] - '0');
    }
    if (id <= INT32_MAX) type->field_id = (int32_t)id;
    return PAIMON_OK;
}

/* The numbers of a type, and how many children and names it tells. */
static paimon_status orc_type_numbers(pmn_proto p, pmn_orc_type *type, size_t *n_subtypes, size_t *n_names)
{
    pmn_proto_field f;
    int64_t kind = -1;
    size_t n;
    *n_subtypes = *n_names = 0;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        switch (f.id) {
        case 1: PMN_TRY(pmn_proto_i64(&p, &f, &kind)); break;
        case 2:
            PMN_TRY(pmn_proto_count(&p, &f, &n));
            *n_subtypes += n;
            break;
        case 3: ++*n_names; break;
        case 4: /* not past 31 bits where it means something */
            if (f.wire == PMN_PROTO_VARINT && f.number <= INT32_MAX) type->max_length = (int32_t)f.number;
            break;
        case 5: PMN_TRY(pmn_proto_i32(&p, &f, &type->precision)); break;
        case 6: PMN_TRY(pmn_proto_i32(&p, &f, &type->scale)); break;
        case 7: PMN_TRY(orc_attribute(&p, &f, type)); break;
        default: break;
        }
    }
    if (kind < 0) return pmn_proto_corrupt(&p, "type %d has no kind", type->id);
    if (kind > PMN_ORC_INSTANT) return pmn_fail(p.err, PAIMON_UNSUPPORTED, "ORC type %d is of the unknown kind %lld", type->id, (long long)kind);
    type->kind = (pmn_orc_kind)kind;
    return PAIMON_OK;
}

static paimon_status orc_type_check(const pmn_proto *p, pmn_orc_type *type, size_t n_subtypes, size_t n_names)
{
    const char *name = pmn_orc_kind_name(type->kind);
    if (type->kind == PMN_ORC_STRUCT) {
        if (n_names != n_subtypes) return pmn_proto_corrupt(p, "type %d is a struct of %zu fields with %zu names", type->id, n_subtypes, n_names);
    } else if (type->kind == PMN_ORC_LIST || type->kind == PMN_ORC_MAP) {
        size_t expected = type->kind == PMN_ORC_LIST ? 1 : 2;
        if (n_subtypes != expected) return pmn_proto_corrupt(p, "type %d, %s, has %zu children, expected %zu", type->id, name, n_subtypes, expected);
    } else if (type->kind != PMN_ORC_UNION && n_subtypes != 0) {
        return pmn_proto_corrupt(p, "type %d, %s, has %zu children", type->id, name, n_subtypes);
    }
    if (type->kind != PMN_ORC_DECIMAL) return PAIMON_OK;
    if (type->precision == 0) {
        type->precision = HIVE_PRECISION;
        type->scale = HIVE_SCALE;
    }
    if (type->precision > 38 || type->scale > type->precision) return pmn_proto_corrupt(p, "type %d is a decimal(%d, %d)", type->id, type->precision, type->scale);
    return PAIMON_OK;
}

static paimon_status orc_type_children(orc_type_build *b, pmn_proto p, pmn_orc_type *type, size_t n)
{
    uint64_t *subtypes = pmn_arena_calloc(b->arena, n ? n : 1, sizeof *subtypes);
    const pmn_orc_type **children = (const pmn_orc_type **)pmn_arena_calloc(b->arena, n ? n : 1, sizeof *children);
    if (!subtypes || !children) return pmn_fail_nomem(p.err, "the types of an ORC file");
    pmn_proto_field f;
    size_t at = 0, some;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id != 2) continue;
        PMN_TRY(pmn_proto_count(&p, &f, &some));
        pmn_proto_numbers(&f, subtypes + at);
        at += some;
    }
    for (size_t i = 0; i < n; i++) {
        /* Greater than its parent, so that nothing is its own child; the walk below sees to the rest. */
        if (subtypes[i] <= (uint64_t)type->id || subtypes[i] >= (uint64_t)b->n)
            return pmn_proto_corrupt(&p, "type %d has the child %llu, expected %d to %d", type->id, (unsigned long long)subtypes[i], type->id + 1, b->n - 1);
        children[i] = &b->types[subtypes[i]];
    }
    b->subtypes[type->id] = subtypes;
    type->children = children;
    type->n_children = (int32_t)n;
    return PAIMON_OK;
}

static paimon_status orc_type_names(orc_type_build *b, pmn_proto p, const pmn_orc_type *type)
{
    pmn_proto_field f;
    pmn_slice text;
    int32_t at = 0;
    while (type->kind == PMN_ORC_STRUCT && pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id != 3) continue;
        PMN_TRY(pmn_proto_bytes(&p, &f, &text));
        if (memchr(text.data, 0, text.size)) return pmn_proto_corrupt(&p, "the name of field %d of type %d has a zero byte", at, type->id);
        const char *name = pmn_arena_strndup(b->arena, (const char *)text.data, text.size);
        if (!name) return pmn_fail_nomem(p.err, "the types of an ORC file");
        b->types[b->subtypes[type->id][at++]].name = name;
    }
    if (type->kind == PMN_ORC_LIST) b->types[b->subtypes[type->id][0]].name = "element";
    if (type->kind == PMN_ORC_MAP) {
        b->types[b->subtypes[type->id][0]].name = "key";
        b->types[b->subtypes[type->id][1]].name = "value";
    }
    return PAIMON_OK;
}

static paimon_status orc_type_parse(orc_type_build *b, const pmn_proto_field *field, int32_t id, size_t *children_left)
{
    pmn_orc_type *type = &b->types[id];
    pmn_proto p;
    size_t n_subtypes, n_names;
    type->id = id;
    type->field_id = -1;
    if (!type->name) type->name = "";
    PMN_TRY(pmn_proto_enter(b->p, field, "ORC type", &p));
    PMN_TRY(orc_type_numbers(p, type, &n_subtypes, &n_names));
    PMN_TRY(orc_type_check(&p, type, n_subtypes, n_names));
    /* Every type but the root is one child, once: so all counts together are bounded. */
    if (n_subtypes > *children_left) return pmn_proto_corrupt(b->p, "types have more children than there are types");
    *children_left -= n_subtypes;
    PMN_TRY(orc_type_children(b, p, type, n_subtypes));
    return orc_type_names(b, p, type);
}

/* Recursion is bounded by PMN_ORC_MAX_DEPTH. */
static paimon_status orc_type_walk(orc_type_build *b, const pmn_orc_type *type, int depth)
{
    if (type->id != b->next) return pmn_proto_corrupt(b->p, "type %d stands where type %d is next in order", type->id, b->next);
    b->next++;
    if (depth > PMN_ORC_MAX_DEPTH) return pmn_proto_corrupt(b->p, "types are nested more than %d levels deep", PMN_ORC_MAX_DEPTH);
    for (int32_t i = 0; i < type->n_children; i++) PMN_TRY(orc_type_walk(b, type->children[i], depth + 1));
    return PAIMON_OK;
}

static paimon_status orc_types(pmn_arena *arena, pmn_proto *p, pmn_proto again, int32_t n, pmn_orc_meta *out)
{
    orc_type_build b = { .arena = arena, .p = p, .n = n };
    pmn_proto_field f;
    size_t children_left = (size_t)n - 1;
    int32_t id = 0;
    const pmn_orc_type **types = (const pmn_orc_type **)pmn_arena_calloc(arena, (size_t)n, sizeof *types);
    b.types = pmn_arena_calloc(arena, (size_t)n, sizeof *b.types);
    b.subtypes = (const uint64_t **)pmn_arena_calloc(arena, (size_t)n, sizeof *b.subtypes);
    if (!types || !b.types || !b.subtypes) return pmn_fail_nomem(p->err, "the types of an ORC file");
    while (pmn_proto_left(&again)) {
        PMN_TRY(pmn_proto_next(&again, &f));
        if (f.id != 4) continue;
        PMN_TRY(orc_type_parse(&b, &f, id, &children_left));
        types[id] = &b.types[id];
        id++;
    }
    PMN_TRY(orc_type_walk(&b, types[0], 0));
    if (b.next != n) return pmn_proto_corrupt(p, "type %d is not part of the root", b.next);
    out->types = types;
    out->n_types = n;
    return PAIMON_OK;
}

/* A file without rows need not say its types. */
static paimon_status orc_no_types(pmn_arena *arena, pmn_orc_meta *out, paimon_error *err)
{
    pmn_orc_type *root = pmn_arena_calloc(arena, 1, sizeof *root);
    const pmn_orc_type **types = (const pmn_orc_type **)pmn_arena_calloc(arena, 1, sizeof *types);
    if (!root || !types) return pmn_fail_nomem(err, "the types of an ORC file");
    root->kind = PMN_ORC_STRUCT;
    root->name = "";
    root->field_id = -1;
    types[0] = root;
    out->types = types;
    out->n_types = 1;
    return PAIMON_OK;
}

/* ---- stripes ---- */

static paimon_status orc_stripe_parse(const pmn_proto *footer, const pmn_proto_field *field, pmn_orc_stripe *out)
{
    pmn_proto p;
    pmn_proto_field f;
    PMN_TRY(pmn_proto_enter(footer, field, "ORC stripe information", &p));
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        switch (f.id) {
        case 1: PMN_TRY(pmn_proto_i64(&p, &f, &out->offset)); break;
        case 2: PMN_TRY(pmn_proto_i64(&p, &f, &out->index_size)); break;
        case 3: PMN_TRY(pmn_proto_i64(&p, &f, &out->data_size)); break;
        case 4: PMN_TRY(pmn_proto_i64(&p, &f, &out->footer_size)); break;
        case 5: PMN_TRY(pmn_proto_i64(&p, &f, &out->n_rows)); break;
        default: break;
        }
    }
    return PAIMON_OK;
}

/* Where the stripe ends; stripes lie one behind the other. */
static paimon_status orc_stripe_check(const pmn_proto *p, const pmn_orc_stripe *s, int32_t i, int64_t from, int64_t content_size, int64_t *end)
{
    bool fits = pmn_add_i64(s->offset, s->index_size, end) && pmn_add_i64(*end, s->data_size, end) && pmn_add_i64(*end, s->footer_size, end);
    if (fits && s->offset >= from && *end <= content_size) return PAIMON_OK;
    return pmn_proto_corrupt(p, "stripe %d at %lld with %lld + %lld + %lld bytes does not lie between %lld and %lld", i, (long long)s->offset, (long long)s->index_size,
                             (long long)s->data_size, (long long)s->footer_size, (long long)from, (long long)content_size);
}

static paimon_status orc_stripes(pmn_arena *arena, pmn_proto *p, pmn_proto again, int32_t n, int64_t content_size, pmn_orc_meta *out)
{
    pmn_orc_stripe *stripes = pmn_arena_calloc(arena, n ? (size_t)n : 1, sizeof *stripes);
    pmn_proto_field f;
    int64_t end = 0, rows = 0;
    int32_t i = 0;
    if (!stripes) return pmn_fail_nomem(p->err, "the stripes of an ORC file");
    while (pmn_proto_left(&again)) {
        PMN_TRY(pmn_proto_next(&again, &f));
        if (f.id != 3) continue;
        PMN_TRY(orc_stripe_parse(p, &f, &stripes[i]));
        PMN_TRY(orc_stripe_check(p, &stripes[i], i, end, content_size, &end));
        stripes[i].first_row = rows;
        if (!pmn_add_i64(rows, stripes[i].n_rows, &rows)) return pmn_proto_corrupt(p, "the rows of the stripes are past 63 bits");
        i++;
    }
    if (out->n_rows < 0) out->n_rows = rows; /* not told */
    if (rows != out->n_rows) return pmn_proto_corrupt(p, "the stripes have %lld rows, the file %lld", (long long)rows, (long long)out->n_rows);
    out->stripes = stripes;
    out->n_stripes = n;
    return PAIMON_OK;
}

/* ---- footer ---- */

static paimon_status orc_file_stats(pmn_arena *arena, pmn_proto *p, pmn_proto again, int64_t n, pmn_orc_meta *out)
{
    if (n != out->n_types) return PAIMON_OK; /* of no use: whose are they? */
    pmn_slice *stats = pmn_arena_calloc(arena, (size_t)n, sizeof *stats);
    pmn_proto_field f;
    int32_t i = 0;
    if (!stats) return pmn_fail_nomem(p->err, "the statistics of an ORC file");
    while (pmn_proto_left(&again)) {
        PMN_TRY(pmn_proto_next(&again, &f));
        if (f.id == 7) PMN_TRY(pmn_proto_bytes(&again, &f, &stats[i++]));
    }
    out->file_stats = stats;
    out->n_file_stats = out->n_types;
    return PAIMON_OK;
}

typedef struct orc_footer_counts {
    int64_t stripes, types, stats;
} orc_footer_counts;

static paimon_status orc_footer_numbers(pmn_proto *p, orc_footer_counts *n, pmn_orc_meta *out)
{
    pmn_proto_field f;
    while (pmn_proto_left(p)) {
        PMN_TRY(pmn_proto_next(p, &f));
        switch (f.id) {
        case 3: n->stripes++; break;
        case 4: n->types++; break;
        case 6: PMN_TRY(pmn_proto_i64(p, &f, &out->n_rows)); break;
        case 7: n->stats++; break;
        case 8: PMN_TRY(pmn_proto_i64(p, &f, &out->row_index_stride)); break;
        case 9: PMN_TRY(pmn_proto_i32(p, &f, &out->writer)); break;
        case 10: return pmn_fail(p->err, PAIMON_UNSUPPORTED, "an ORC file with encrypted columns is not supported");
        case 12: PMN_TRY(pmn_proto_bytes(p, &f, &out->software)); break;
        default: break;
        }
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_footer_parse(pmn_arena *arena, pmn_slice bytes, int64_t content_size, pmn_orc_meta *out, paimon_error *err)
{
    pmn_proto p = pmn_proto_of(bytes, "ORC footer", err), again = p;
    orc_footer_counts n = { 0, 0, 0 };
    out->writer = -1;
    out->n_rows = -1;
    PMN_TRY(orc_footer_numbers(&p, &n, out));
    if (n.types > MOST_TYPES) return pmn_fail(err, PAIMON_UNSUPPORTED, "an ORC file of %lld columns, nested ones included: at most %d are supported", (long long)n.types, MOST_TYPES);
    /* One without a byte says nothing and holds nothing; with that, there are no more than bytes. */
    if (n.stripes > content_size || n.stripes > INT32_MAX) return pmn_proto_corrupt(&p, "%lld stripes in %lld bytes", (long long)n.stripes, (long long)content_size);
    PMN_TRY(orc_stripes(arena, &p, again, (int32_t)n.stripes, content_size, out));
    if (n.types > 0) PMN_TRY(orc_types(arena, &p, again, (int32_t)n.types, out));
    else if (out->n_rows == 0) PMN_TRY(orc_no_types(arena, out, err));
    else return pmn_proto_corrupt(&p, "%lld rows, but no types", (long long)out->n_rows);
    return orc_file_stats(arena, &p, again, n.stats, out);
}
