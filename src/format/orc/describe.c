/* What is in an ORC file, as JSON for people and tools, in the form of the other formats:
 *
 *   {"format": "orc", "version", "writer", "writer_version", "size_bytes", "rows", "codec", …, "metadata", "schema": [{"name", "id", "type", …,
 *    "children"}], "columns": [of the whole file], "stripes": [{"rows", "offset", "bytes", …, "columns": [{"path", "id", "type", "encoding",
 *    "streams", "statistics"}]}]}
 *
 * Columns are all types but the root, in the order of their numbers. */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "format/orc/file.h"
#include "format/orc/proto.h"

typedef struct orc_describer {
    pmn_orc_file *file;
    pmn_buf *out;
    paimon_error *err;
    pmn_decompressor *d;
    pmn_arena arena; /* of the stripe that is described */
    int32_t stripe;
    const pmn_orc_stripe_footer *footer;
    const int32_t *first_stream; /* by column; -1: none */
    const int32_t *next_stream;
    const char *path[PMN_ORC_MAX_DEPTH + 2];
} orc_describer;

static paimon_status orc_put_text(orc_describer *d, const char *text) { return pmn_buf_append_text(d->out, text, d->err); }
static paimon_status orc_put_quoted(orc_describer *d, pmn_slice text) { return pmn_json_quote(d->out, text, d->err); }

static paimon_status orc_put_int(orc_describer *d, const char *key, int64_t value)
{
    return pmn_buf_printf(d->out, d->err, ", \"%s\": %lld", key, (long long)value);
}

static paimon_status orc_put_member(orc_describer *d, const char *key, pmn_slice value)
{
    PMN_TRY(pmn_buf_printf(d->out, d->err, ", \"%s\": ", key));
    return orc_put_quoted(d, value);
}

static paimon_status orc_put_real(orc_describer *d, const char *key, double value)
{
    if (isfinite(value)) return pmn_buf_printf(d->out, d->err, ", \"%s\": %.17g", key, value);
    return pmn_buf_printf(d->out, d->err, ", \"%s\": \"%s\"", key, isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

/* ---- schema ---- */

static paimon_status orc_put_type(orc_describer *d, const pmn_orc_type *type)
{
    PMN_TRY(pmn_buf_printf(d->out, d->err, ", \"type\": \"%s", pmn_orc_kind_name(type->kind)));
    if (type->kind == PMN_ORC_DECIMAL) PMN_TRY(pmn_buf_printf(d->out, d->err, "(%d, %d)", type->precision, type->scale));
    if ((type->kind == PMN_ORC_CHAR || type->kind == PMN_ORC_VARCHAR) && type->max_length > 0) PMN_TRY(pmn_buf_printf(d->out, d->err, "(%d)", type->max_length));
    return orc_put_text(d, "\"");
}

/* Recursion is bounded by PMN_ORC_MAX_DEPTH. */
static paimon_status orc_put_node(orc_describer *d, const pmn_orc_type *type)
{
    PMN_TRY(orc_put_text(d, "{\"name\": "));
    PMN_TRY(orc_put_quoted(d, pmn_slice_text(type->name)));
    PMN_TRY(orc_put_int(d, "id", type->id));
    if (type->field_id >= 0) PMN_TRY(orc_put_int(d, "field_id", type->field_id));
    PMN_TRY(orc_put_type(d, type));
    if (type->n_children > 0) PMN_TRY(orc_put_text(d, ", \"children\": ["));
    for (int32_t i = 0; i < type->n_children; i++) {
        if (i) PMN_TRY(orc_put_text(d, ", "));
        PMN_TRY(orc_put_node(d, type->children[i]));
    }
    return orc_put_text(d, type->n_children > 0 ? "]}" : "}");
}

static paimon_status orc_put_schema(orc_describer *d)
{
    const pmn_orc_type *root = d->file->meta.types[0];
    PMN_TRY(orc_put_text(d, ", \"schema\": ["));
    if (root->kind != PMN_ORC_STRUCT) PMN_TRY(orc_put_node(d, root));
    for (int32_t i = 0; root->kind == PMN_ORC_STRUCT && i < root->n_children; i++) {
        if (i) PMN_TRY(orc_put_text(d, ", "));
        PMN_TRY(orc_put_node(d, root->children[i]));
    }
    return orc_put_text(d, "]");
}

/* ---- statistics ---- */

static paimon_status orc_put_timestamp(orc_describer *d, const char *key, int64_t millis, int32_t nanos)
{
    return pmn_buf_printf(d->out, d->err, ", \"%s\": {\"millis\": %lld, \"nanos\": %d}", key, (long long)millis, nanos);
}

static paimon_status orc_put_bounds(orc_describer *d, const pmn_orc_stats *s)
{
    if (s->has_integers || s->has_dates) {
        PMN_TRY(orc_put_int(d, "min", s->min_integer));
        PMN_TRY(orc_put_int(d, "max", s->max_integer));
    } else if (s->has_timestamps) {
        PMN_TRY(orc_put_timestamp(d, "min", s->min_integer, s->min_nanos));
        PMN_TRY(orc_put_timestamp(d, "max", s->max_integer, s->max_nanos));
    } else if (s->has_doubles) {
        PMN_TRY(orc_put_real(d, "min", s->min_double));
        PMN_TRY(orc_put_real(d, "max", s->max_double));
    } else if (s->has_strings || s->has_decimals) {
        if (s->min_text.data) PMN_TRY(orc_put_member(d, "min", s->min_text));
        if (s->max_text.data) PMN_TRY(orc_put_member(d, "max", s->max_text));
        if (s->text_is_cut) PMN_TRY(orc_put_text(d, ", \"cut\": true"));
    } else if (s->has_booleans) {
        PMN_TRY(orc_put_int(d, "true", s->n_true));
    }
    return PAIMON_OK;
}

/* Statistics that do not parse are none. */
static paimon_status orc_put_statistics(orc_describer *d, pmn_slice bytes)
{
    pmn_orc_stats s;
    if (!bytes.data || pmn_orc_stats_parse(bytes, &s, NULL) != PAIMON_OK) return PAIMON_OK;
    PMN_TRY(orc_put_text(d, ", \"statistics\": {\"values\": "));
    if (s.n_values >= 0) PMN_TRY(pmn_buf_printf(d->out, d->err, "%lld", (long long)s.n_values));
    else PMN_TRY(orc_put_text(d, "null"));
    PMN_TRY(pmn_buf_printf(d->out, d->err, ", \"has_null\": %s", s.has_null ? "true" : "false"));
    PMN_TRY(orc_put_bounds(d, &s));
    return orc_put_text(d, "}");
}

/* ---- columns ---- */

static paimon_status orc_put_streams(orc_describer *d, int32_t column)
{
    static const char *const kinds[] = { "present", "data", "length", "dictionary_data", "dictionary_count", "secondary", "row_index", "bloom_filter", "bloom_filter_utf8" };
    static const char *const encodings[] = { "DIRECT", "DICTIONARY", "DIRECT_V2", "DICTIONARY_V2" };
    const pmn_orc_encoding *encoding = &d->footer->encodings[column];
    PMN_TRY(pmn_buf_printf(d->out, d->err, ", \"encoding\": \"%s\"", encodings[encoding->kind]));
    if (encoding->kind == PMN_ORC_DICTIONARY || encoding->kind == PMN_ORC_DICTIONARY_V2) PMN_TRY(orc_put_int(d, "dictionary_size", encoding->dictionary_size));
    PMN_TRY(orc_put_text(d, ", \"streams\": ["));
    for (int32_t i = d->first_stream[column]; i >= 0; i = d->next_stream[i]) {
        const pmn_orc_stream_info *s = &d->footer->streams[i];
        if (i != d->first_stream[column]) PMN_TRY(orc_put_text(d, ", "));
        if (s->kind <= PMN_ORC_BLOOM_FILTER_UTF8) PMN_TRY(pmn_buf_printf(d->out, d->err, "{\"kind\": \"%s\"", kinds[s->kind]));
        else PMN_TRY(pmn_buf_printf(d->out, d->err, "{\"kind\": \"%d\"", s->kind));
        PMN_TRY(pmn_buf_printf(d->out, d->err, ", \"offset\": %lld, \"bytes\": %lld}", (long long)s->offset, (long long)s->size));
    }
    return orc_put_text(d, "]");
}

static paimon_status orc_put_path(orc_describer *d, int depth)
{
    PMN_TRY(orc_put_text(d, "{\"path\": ["));
    for (int i = 0; i < depth; i++) {
        if (i) PMN_TRY(orc_put_text(d, ", "));
        PMN_TRY(orc_put_quoted(d, pmn_slice_text(d->path[i])));
    }
    return orc_put_text(d, "]");
}

/* A column and those in it, of the stripe (stripe ≥ 0) or of the whole file. */
static paimon_status orc_put_column(orc_describer *d, const pmn_orc_type *type, int depth, bool *any)
{
    const pmn_orc_meta *meta = &d->file->meta;
    pmn_slice stats = { NULL, 0 };
    if (type->id > 0 || type->kind != PMN_ORC_STRUCT) {
        if (*any) PMN_TRY(orc_put_text(d, ", "));
        *any = true;
        d->path[depth++] = type->name;
        PMN_TRY(orc_put_path(d, depth));
        PMN_TRY(orc_put_int(d, "id", type->id));
        PMN_TRY(orc_put_type(d, type));
        if (d->stripe >= 0) {
            PMN_TRY(orc_put_streams(d, type->id));
            PMN_TRY(pmn_orc_file_stripe_stats(d->file, d->d, d->stripe, type->id, &stats, d->err));
        } else if (type->id < meta->n_file_stats) {
            stats = meta->file_stats[type->id];
        }
        PMN_TRY(orc_put_statistics(d, stats));
        PMN_TRY(orc_put_text(d, "}"));
    }
    for (int32_t i = 0; i < type->n_children; i++) PMN_TRY(orc_put_column(d, type->children[i], depth, any));
    return PAIMON_OK;
}

static paimon_status orc_put_columns(orc_describer *d)
{
    bool any = false;
    PMN_TRY(orc_put_text(d, ", \"columns\": ["));
    PMN_TRY(orc_put_column(d, d->file->meta.types[0], 0, &any));
    return orc_put_text(d, "]");
}

/* Lists of streams by column. */
static paimon_status orc_index_streams(orc_describer *d)
{
    int32_t n = d->footer->n_streams, n_types = d->file->meta.n_types;
    int32_t *first = pmn_arena_alloc(&d->arena, (size_t)n_types * sizeof *first), *next = pmn_arena_alloc(&d->arena, (size_t)(n + 1) * sizeof *next);
    if (!first || !next) return pmn_fail_nomem(d->err, "the description of an ORC file");
    for (int32_t i = 0; i < n_types; i++) first[i] = -1;
    for (int32_t i = n - 1; i >= 0; i--) {
        next[i] = first[d->footer->streams[i].column];
        first[d->footer->streams[i].column] = i;
    }
    d->first_stream = first;
    d->next_stream = next;
    return PAIMON_OK;
}

static paimon_status orc_put_stripe(orc_describer *d, int32_t i)
{
    const pmn_orc_stripe *s = &d->file->meta.stripes[i];
    pmn_orc_stripe_footer footer;
    pmn_arena_free(&d->arena);
    PMN_TRY(pmn_orc_stripe_open(d->file, i, d->d, &d->arena, &footer, d->err));
    d->stripe = i;
    d->footer = &footer;
    PMN_TRY(orc_index_streams(d));
    PMN_TRY(pmn_buf_printf(d->out, d->err, "%s{\"rows\": %lld", i ? ", " : "", (long long)s->n_rows));
    PMN_TRY(orc_put_int(d, "offset", s->offset));
    PMN_TRY(orc_put_int(d, "bytes", s->index_size + s->data_size + s->footer_size));
    PMN_TRY(orc_put_int(d, "index_bytes", s->index_size));
    PMN_TRY(orc_put_int(d, "data_bytes", s->data_size));
    if (footer.zone[0]) PMN_TRY(orc_put_member(d, "time_zone", pmn_slice_text(footer.zone)));
    PMN_TRY(orc_put_columns(d));
    return orc_put_text(d, "}");
}

/* ---- the file ---- */

static const char *orc_writer_name(int32_t writer)
{
    static const char *const names[] = { "orc-java", "orc-cpp", "presto", "scritchley-go", "trino", "cudf" };
    return writer < 0 ? "" : writer < (int32_t)(sizeof names / sizeof *names) ? names[writer] : "other";
}

/* The user's metadata, straight from the footer. */
static paimon_status orc_put_metadata(orc_describer *d)
{
    pmn_proto p = pmn_proto_of(pmn_slice_of(d->file->footer.data, d->file->footer.size), "ORC footer", d->err), item;
    pmn_proto_field f;
    bool any = false;
    PMN_TRY(orc_put_text(d, ", \"metadata\": {"));
    while (pmn_proto_left(&p)) {
        pmn_slice name = { NULL, 0 }, value = { NULL, 0 };
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id != 5) continue;
        PMN_TRY(pmn_proto_enter(&p, &f, "ORC metadata item", &item));
        while (pmn_proto_left(&item)) {
            PMN_TRY(pmn_proto_next(&item, &f));
            if (f.id == 1) PMN_TRY(pmn_proto_bytes(&item, &f, &name));
            else if (f.id == 2) PMN_TRY(pmn_proto_bytes(&item, &f, &value));
        }
        if (any) PMN_TRY(orc_put_text(d, ", "));
        any = true;
        PMN_TRY(orc_put_quoted(d, name));
        PMN_TRY(orc_put_text(d, ": "));
        PMN_TRY(orc_put_quoted(d, value));
    }
    return orc_put_text(d, "}");
}

static paimon_status orc_put_file(orc_describer *d)
{
    const pmn_orc_meta *meta = &d->file->meta;
    PMN_TRY(pmn_buf_printf(d->out, d->err, "{\"format\": \"orc\", \"version\": \"%d.%d\"", meta->format_major, meta->format_minor));
    if (meta->writer >= 0) PMN_TRY(orc_put_member(d, "writer", pmn_slice_text(orc_writer_name(meta->writer))));
    PMN_TRY(orc_put_int(d, "writer_version", meta->writer_version));
    if (meta->software.data) PMN_TRY(orc_put_member(d, "writer_software", meta->software));
    PMN_TRY(orc_put_int(d, "size_bytes", d->file->size));
    PMN_TRY(orc_put_int(d, "rows", meta->n_rows));
    PMN_TRY(orc_put_member(d, "codec", pmn_slice_text(pmn_codec_name(meta->codec))));
    if (meta->codec != PMN_CODEC_NONE) PMN_TRY(orc_put_int(d, "chunk_bytes", meta->chunk_size));
    PMN_TRY(orc_put_int(d, "row_index_stride", meta->row_index_stride));
    PMN_TRY(orc_put_metadata(d));
    PMN_TRY(orc_put_schema(d));
    d->stripe = -1;
    PMN_TRY(orc_put_columns(d));
    PMN_TRY(orc_put_text(d, ", \"stripes\": ["));
    for (int32_t i = 0; i < meta->n_stripes; i++) PMN_TRY(orc_put_stripe(d, i));
    return orc_put_text(d, "]}");
}

paimon_status pmn_orc_describe(pmn_orc_file *file, pmn_buf *out, paimon_error *err)
{
    orc_describer d = { .file = file, .out = out, .err = err };
    pmn_arena_init(&d.arena, file->mem);
    paimon_status status = pmn_decompressor_new(file->mem, &d.d, err);
    if (status == PAIMON_OK) status = orc_put_file(&d);
    pmn_decompressor_free(d.d);
    pmn_arena_free(&d.arena);
    return status;
}
