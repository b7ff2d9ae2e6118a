/* What stands beside the data of a stripe: its footer, and the row indexes of its columns. The numbers of their fields:
 *
 *   StripeFooter  1 streams (1 kind, 2 column, 3 length), 2 encodings (1 kind, 2 dictionary size, 3 bloom encoding), 3 writer's time zone
 *   RowIndex      1 entries (1 positions, 2 statistics)
 *
 * Streams lie one behind the other in the order told, those of the indexes first. */
#include "format/orc/file.h"

#include <string.h>

#include "base/checked.h"
#include "format/orc/proto.h"

/* What a stripe footer may decompress to. */
#define MOST_STRIPE_FOOTER (64u * 1024 * 1024)

/* ---- stripe footer ---- */

static paimon_status orc_stream_parse(const pmn_proto *footer, const pmn_proto_field *field, const pmn_orc_meta *meta, pmn_orc_stream_info *out)
{
    pmn_proto p;
    pmn_proto_field f;
    PMN_TRY(pmn_proto_enter(footer, field, "ORC stream", &p));
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 1) PMN_TRY(pmn_proto_i32(&p, &f, &out->kind));
        else if (f.id == 2) PMN_TRY(pmn_proto_i32(&p, &f, &out->column));
        else if (f.id == 3) PMN_TRY(pmn_proto_i64(&p, &f, &out->size));
    }
    if (out->column >= meta->n_types) return pmn_proto_corrupt(footer, "a stream of column %d, of %d", out->column, meta->n_types);
    return PAIMON_OK;
}

static paimon_status orc_encoding_parse(const pmn_proto *footer, const pmn_proto_field *field, pmn_orc_encoding *out)
{
    pmn_proto p;
    pmn_proto_field f;
    int32_t kind = 0;
    PMN_TRY(pmn_proto_enter(footer, field, "ORC column encoding", &p));
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 1) PMN_TRY(pmn_proto_i32(&p, &f, &kind));
        else if (f.id == 2) PMN_TRY(pmn_proto_i64(&p, &f, &out->dictionary_size));
        else if (f.id == 3) PMN_TRY(pmn_proto_i32(&p, &f, &out->bloom_encoding));
    }
    if (kind > PMN_ORC_DICTIONARY_V2) return pmn_proto_corrupt(footer, "the column encoding %d is unknown", kind);
    out->kind = (pmn_orc_encoding_kind)kind;
    return PAIMON_OK;
}

static paimon_status orc_footer_zone(pmn_arena *arena, const pmn_proto *p, const pmn_proto_field *f, const char **out)
{
    pmn_slice text;
    PMN_TRY(pmn_proto_bytes(p, f, &text));
    if (memchr(text.data, 0, text.size)) return pmn_proto_corrupt(p, "the time zone has a zero byte");
    *out = pmn_arena_strndup(arena, (const char *)text.data, text.size);
    return *out ? PAIMON_OK : pmn_fail_nomem(p->err, "an ORC stripe footer");
}

static paimon_status orc_footer_counts_of(pmn_proto p, int64_t *n_streams, int64_t *n_encodings)
{
    pmn_proto_field f;
    *n_streams = *n_encodings = 0;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        *n_streams += f.id == 1;
        *n_encodings += f.id == 2;
    }
    return PAIMON_OK;
}

/* Where each stream is. */
static paimon_status orc_streams_place(const pmn_proto *p, const pmn_orc_stripe *stripe, pmn_orc_stream_info *streams, int32_t n)
{
    int64_t at = stripe->offset, end = stripe->offset + stripe->index_size + stripe->data_size;
    for (int32_t i = 0; i < n; i++) {
        if (streams[i].size > end - at)
            return pmn_proto_corrupt(p, "stream %d has %lld bytes, but of the stripe's %lld + %lld are %lld left", i, (long long)streams[i].size,
                                     (long long)stripe->index_size, (long long)stripe->data_size, (long long)(end - at));
        streams[i].offset = at;
        at += streams[i].size;
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_stripe_footer_parse(pmn_arena *arena, pmn_slice bytes, const pmn_orc_meta *meta, const pmn_orc_stripe *stripe,
                                          pmn_orc_stripe_footer *out, paimon_error *err)
{
    pmn_proto p = pmn_proto_of(bytes, "ORC stripe footer", err);
    pmn_proto_field f;
    int64_t n_streams, n_encodings;
    memset(out, 0, sizeof *out);
    out->zone = "";
    PMN_TRY(orc_footer_counts_of(p, &n_streams, &n_encodings));
    /* A column has no more streams than there are kinds. */
    if (n_streams > (int64_t)meta->n_types * 32) return pmn_proto_corrupt(&p, "%lld streams of %d columns", (long long)n_streams, meta->n_types);
    if (n_encodings != meta->n_types) return pmn_proto_corrupt(&p, "%lld encodings of %d columns", (long long)n_encodings, meta->n_types);
    pmn_orc_stream_info *streams = pmn_arena_calloc(arena, n_streams ? (size_t)n_streams : 1, sizeof *streams);
    pmn_orc_encoding *encodings = pmn_arena_calloc(arena, (size_t)n_encodings, sizeof *encodings);
    if (!streams || !encodings) return pmn_fail_nomem(err, "an ORC stripe footer");
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 1) PMN_TRY(orc_stream_parse(&p, &f, meta, &streams[out->n_streams++]));
        else if (f.id == 2) PMN_TRY(orc_encoding_parse(&p, &f, &encodings[out->n_encodings++]));
        else if (f.id == 3) PMN_TRY(orc_footer_zone(arena, &p, &f, &out->zone));
    }
    out->streams = streams;
    out->encodings = encodings;
    return orc_streams_place(&p, stripe, streams, out->n_streams);
}

paimon_status pmn_orc_stripe_open(pmn_orc_file *file, int32_t i, pmn_decompressor *d, pmn_arena *arena, pmn_orc_stripe_footer *out, paimon_error *err)
{
    const pmn_orc_stripe *stripe = &file->meta.stripes[i];
    pmn_buf bytes;
    paimon_status status;
    pmn_buf_init(&bytes, file->mem, MOST_STRIPE_FOOTER);
    PMN_GOTO(status, pmn_orc_file_message(file, d, stripe->offset + stripe->index_size + stripe->data_size, stripe->footer_size, &bytes, err), done);
    status = pmn_orc_stripe_footer_parse(arena, pmn_slice_of(bytes.data, bytes.size), &file->meta, stripe, out, err);
done:
    pmn_buf_free(&bytes);
    if (status != PAIMON_OK && status != PAIMON_NOMEM && status != PAIMON_IO) pmn_error_prefix(err, "stripe %d", i);
    return status;
}

/* ---- row index ---- */

static paimon_status orc_index_entry_parse(pmn_arena *arena, const pmn_proto *index, const pmn_proto_field *field, pmn_orc_index_entry *out)
{
    pmn_proto p;
    pmn_proto_field f;
    size_t n = 0, some;
    PMN_TRY(pmn_proto_enter(index, field, "ORC row index entry", &p));
    pmn_proto again = p;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 2) PMN_TRY(pmn_proto_bytes(&p, &f, &out->stats));
        if (f.id != 1) continue;
        PMN_TRY(pmn_proto_count(&p, &f, &some));
        n += some;
    }
    if (n > 64) return pmn_proto_corrupt(&p, "%zu positions, where no column has more than a dozen", n);
    uint64_t *positions = pmn_arena_calloc(arena, n ? n : 1, sizeof *positions);
    if (!positions) return pmn_fail_nomem(p.err, "an ORC row index");
    out->positions = positions;
    out->n_positions = (int32_t)n;
    while (pmn_proto_left(&again)) {
        PMN_TRY(pmn_proto_next(&again, &f));
        if (f.id != 1) continue;
        PMN_TRY(pmn_proto_count(&again, &f, &some));
        pmn_proto_numbers(&f, positions);
        positions += some;
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_index_parse(pmn_arena *arena, pmn_slice bytes, pmn_orc_index *out, paimon_error *err)
{
    pmn_proto p = pmn_proto_of(bytes, "ORC row index", err), again = p;
    pmn_proto_field f;
    int64_t n = 0;
    memset(out, 0, sizeof *out);
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        n += f.id == 1;
    }
    if (n > INT32_MAX) return pmn_proto_corrupt(&p, "%lld entries", (long long)n);
    pmn_orc_index_entry *entries = pmn_arena_calloc(arena, n ? (size_t)n : 1, sizeof *entries);
    if (!entries) return pmn_fail_nomem(err, "an ORC row index");
    while (pmn_proto_left(&again)) {
        PMN_TRY(pmn_proto_next(&again, &f));
        if (f.id == 1) PMN_TRY(orc_index_entry_parse(arena, &again, &f, &entries[out->n++]));
    }
    out->entries = entries;
    return PAIMON_OK;
}
