/* Statistics of columns. The numbers of their fields:
 *
 *   1 values, 10 has null
 *   2 integers    1 minimum, 2 maximum (sint64)                  3 doubles   1 minimum, 2 maximum, 3 sum
 *   4 strings     1 minimum, 2 maximum, 4 lower bound, 5 upper   5 buckets   1 counts: of booleans, how many are true
 *   6 decimals    1 minimum, 2 maximum, as text                  7 dates     1 minimum, 2 maximum (sint32)
 *   9 timestamps  3 minimum, 4 maximum (UTC), 5 and 6 their nanoseconds past the millisecond, plus one. 1 and 2, of older writers, depend on
 *                 the time zone that they ran in: they are not told
 *
 *   Metadata      1 statistics of stripes (1 statistics of columns, by number) */
#include <math.h>
#include <string.h>

#include "format/orc/file.h"
#include "format/orc/proto.h"

/* What the statistics of all stripes may decompress to; more are done without. */
#define MOST_METADATA (256u * 1024 * 1024)

/* ---- one column ---- */

static paimon_status orc_integer_stats(pmn_proto p, bool is_sint32, bool *has, pmn_orc_stats *out)
{
    pmn_proto_field f;
    bool has_min = false, has_max = false;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 1) {
            PMN_TRY(pmn_proto_zigzag(&p, &f, &out->min_integer));
            has_min = true;
        } else if (f.id == 2) {
            PMN_TRY(pmn_proto_zigzag(&p, &f, &out->max_integer));
            has_max = true;
        }
    }
    bool fits = !is_sint32 || (out->min_integer >= INT32_MIN && out->min_integer <= INT32_MAX && out->max_integer >= INT32_MIN && out->max_integer <= INT32_MAX);
    *has = has_min && has_max && fits && out->min_integer <= out->max_integer;
    return PAIMON_OK;
}

/* A NaN that comes first stays minimum and maximum of a row group in orc-java, whatever follows, and then is lost when groups are put
 * together. Only the sum shows it: it stays NaN. (Infinities of both signs do that too, which is no harm.) */
static paimon_status orc_double_stats(pmn_proto p, pmn_orc_stats *out)
{
    pmn_proto_field f;
    double min = NAN, max = NAN, sum = NAN;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 1) PMN_TRY(pmn_proto_double(&p, &f, &min));
        else if (f.id == 2) PMN_TRY(pmn_proto_double(&p, &f, &max));
        else if (f.id == 3) PMN_TRY(pmn_proto_double(&p, &f, &sum));
    }
    out->min_double = min;
    out->max_double = max;
    out->has_doubles = !isnan(sum) && min <= max;
    return PAIMON_OK;
}

static paimon_status orc_text_stats(pmn_proto p, bool is_decimal, bool *has, pmn_orc_stats *out)
{
    pmn_proto_field f;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 1) PMN_TRY(pmn_proto_bytes(&p, &f, &out->min_text));
        if (f.id == 2) PMN_TRY(pmn_proto_bytes(&p, &f, &out->max_text));
        if (is_decimal || (f.id != 4 && f.id != 5)) continue;
        PMN_TRY(pmn_proto_bytes(&p, &f, f.id == 4 ? &out->min_text : &out->max_text));
        out->text_is_cut = true;
    }
    *has = out->min_text.data || out->max_text.data;
    return PAIMON_OK;
}

/* Stored plus one; what is not told is 0 of a minimum and 999999 of a maximum. Arrow's writer stores negative ones before 1970. */
static bool orc_nanos(int32_t stored, bool told, int32_t otherwise, int32_t *out)
{
    *out = told ? stored - 1 : otherwise;
    return !told || (stored >= 1 && stored <= 1000000);
}

static paimon_status orc_timestamp_stats(pmn_proto p, pmn_orc_stats *out)
{
    pmn_proto_field f;
    bool has_min = false, has_max = false, min_told = false, max_told = false;
    int32_t min = 0, max = 0;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 3) {
            PMN_TRY(pmn_proto_zigzag(&p, &f, &out->min_integer));
            has_min = true;
        } else if (f.id == 4) {
            PMN_TRY(pmn_proto_zigzag(&p, &f, &out->max_integer));
            has_max = true;
        } else if (f.id == 5) {
            PMN_TRY(pmn_proto_i32_signed(&p, &f, &min));
            min_told = true;
        } else if (f.id == 6) {
            PMN_TRY(pmn_proto_i32_signed(&p, &f, &max));
            max_told = true;
        }
    }
    bool sound = orc_nanos(min, min_told, 0, &out->min_nanos);
    sound = orc_nanos(max, max_told, 999999, &out->max_nanos) && sound;
    out->has_timestamps = has_min && has_max && sound && out->min_integer <= out->max_integer;
    return PAIMON_OK;
}

static paimon_status orc_bucket_stats(pmn_proto p, pmn_orc_stats *out)
{
    pmn_proto_field f;
    while (pmn_proto_left(&p)) {
        size_t n;
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id != 1 || out->has_booleans) continue;
        PMN_TRY(pmn_proto_count(&p, &f, &n));
        pmn_cursor c = pmn_cursor_of(f.bytes.data, f.bytes.size);
        uint64_t count = f.number;
        if (n == 0 || (f.wire == PMN_PROTO_LENGTH && !pmn_cursor_varint(&c, &count)) || count > INT64_MAX) continue;
        out->n_true = (int64_t)count;
        out->has_booleans = true;
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_stats_parse(pmn_slice bytes, pmn_orc_stats *out, paimon_error *err)
{
    pmn_proto p = pmn_proto_of(bytes, "ORC column statistics", err), sub;
    pmn_proto_field f;
    memset(out, 0, sizeof *out);
    out->n_values = -1;
    out->has_null = true;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 1) PMN_TRY(pmn_proto_i64(&p, &f, &out->n_values));
        else if (f.id == 10) PMN_TRY(pmn_proto_bool(&p, &f, &out->has_null));
        if ((f.id < 2 || f.id > 7) && f.id != 9) continue;
        PMN_TRY(pmn_proto_enter(&p, &f, "ORC column statistics", &sub));
        switch (f.id) {
        case 2: PMN_TRY(orc_integer_stats(sub, false, &out->has_integers, out)); break;
        case 3: PMN_TRY(orc_double_stats(sub, out)); break;
        case 4: PMN_TRY(orc_text_stats(sub, false, &out->has_strings, out)); break;
        case 5: PMN_TRY(orc_bucket_stats(sub, out)); break;
        case 6: PMN_TRY(orc_text_stats(sub, true, &out->has_decimals, out)); break;
        case 7: PMN_TRY(orc_integer_stats(sub, true, &out->has_dates, out)); break;
        default: PMN_TRY(orc_timestamp_stats(sub, out)); break;
        }
    }
    /* Bounds share their room: of a column that claims to be of two types nothing is known. */
    int kinds = out->has_integers + out->has_doubles + out->has_strings + out->has_decimals + out->has_dates + out->has_timestamps + out->has_booleans;
    if (kinds > 1) out->has_integers = out->has_doubles = out->has_strings = out->has_decimals = out->has_dates = out->has_timestamps = out->has_booleans = false;
    return PAIMON_OK;
}

/* ---- all stripes ---- */

struct pmn_orc_stripe_stats {
    pmn_buf bytes;
    int32_t n;
    pmn_slice stripes[]; /* by stripe */
};

static size_t orc_stripe_stats_size(int32_t n) { return sizeof(struct pmn_orc_stripe_stats) + (size_t)n * sizeof(pmn_slice); }

void pmn_orc_stripe_stats_free(pmn_mem *mem, struct pmn_orc_stripe_stats *stats)
{
    if (!stats) return;
    pmn_buf_free(&stats->bytes);
    pmn_free(mem, stats, orc_stripe_stats_size(stats->n));
}

/* Statistics of another number of stripes are of no use: whose are they? */
static void orc_stripe_stats_index(struct pmn_orc_stripe_stats *stats)
{
    pmn_proto p = pmn_proto_of(pmn_slice_of(stats->bytes.data, stats->bytes.size), "ORC metadata", NULL);
    pmn_proto_field f;
    int32_t n = 0;
    bool sound = true;
    while (sound && pmn_proto_left(&p)) {
        sound = pmn_proto_next(&p, &f) == PAIMON_OK;
        if (!sound || f.id != 1) continue;
        sound = f.wire == PMN_PROTO_LENGTH && n < stats->n;
        if (sound) stats->stripes[n++] = f.bytes;
    }
    if (!sound || n != stats->n) memset(stats->stripes, 0, (size_t)stats->n * sizeof *stats->stripes);
}

/* Damaged or oversized ones count as none. */
static paimon_status orc_stripe_stats_load(pmn_orc_file *file, pmn_decompressor *d, struct pmn_orc_stripe_stats **out, paimon_error *err)
{
    const pmn_orc_meta *meta = &file->meta;
    struct pmn_orc_stripe_stats *stats = pmn_calloc(file->mem, 1, orc_stripe_stats_size(meta->n_stripes));
    if (!stats) return pmn_fail_nomem(err, "the statistics of an ORC file");
    stats->n = meta->n_stripes;
    pmn_buf_init(&stats->bytes, file->mem, MOST_METADATA);
    paimon_status status = pmn_orc_file_message(file, d, meta->metadata_offset, meta->metadata_size, &stats->bytes, err);
    bool too_large = status == PAIMON_NOMEM && stats->bytes.size + (size_t)meta->chunk_size > MOST_METADATA;
    if (status == PAIMON_IO || (status == PAIMON_NOMEM && !too_large)) {
        pmn_orc_stripe_stats_free(file->mem, stats);
        return status;
    }
    if (status == PAIMON_OK) {
        orc_stripe_stats_index(stats);
    } else {
        paimon_error_clear(err);
        pmn_buf_free(&stats->bytes);
    }
    *out = stats;
    return PAIMON_OK;
}

paimon_status pmn_orc_file_stripe_stats(pmn_orc_file *file, pmn_decompressor *d, int32_t i, int32_t column, pmn_slice *out, paimon_error *err)
{
    struct pmn_orc_stripe_stats *stats = atomic_load_explicit(&file->stripe_stats, memory_order_acquire), *known = NULL;
    *out = pmn_slice_of(NULL, 0);
    if (file->meta.metadata_size == 0) return PAIMON_OK;
    if (!stats) {
        PMN_TRY(orc_stripe_stats_load(file, d, &stats, err));
        if (!atomic_compare_exchange_strong_explicit(&file->stripe_stats, &known, stats, memory_order_acq_rel, memory_order_acquire)) {
            pmn_orc_stripe_stats_free(file->mem, stats); /* another thread was faster */
            stats = known;
        }
    }
    if (!stats->stripes[i].data) return PAIMON_OK;
    pmn_proto p = pmn_proto_of(stats->stripes[i], "ORC metadata", NULL);
    pmn_proto_field f;
    int32_t at = 0;
    while (pmn_proto_left(&p) && pmn_proto_next(&p, &f) == PAIMON_OK) {
        if (f.id != 1 || at++ != column) continue;
        if (f.wire == PMN_PROTO_LENGTH) *out = f.bytes;
        break;
    }
    return PAIMON_OK;
}
