/* Which statistics bound which values:
 *
 *   predicate             column in the file          bounds
 *   BOOLEAN               BOOLEAN                     from the number of true ones
 *   TINYINT … BIGINT      BYTE … LONG                 if both are inside the predicate's type
 *   TIME                  INT, LONG                   the same
 *   DATE                  DATE                        yes
 *   FLOAT, DOUBLE         FLOAT; DOUBLE for DOUBLE    yes; a zero of either sign may stand for both
 *   DECIMAL               DECIMAL of the same scale   yes, but for decimals of 64 bits by orc-java 1.5.0 to 1.5.5, which were wrong
 *   TIMESTAMP             TIMESTAMP                   widened: see below
 *   TIMESTAMP_LTZ         INSTANT                     the same
 *   CHAR, VARCHAR         STRING, VARCHAR, CHAR       without trailing blanks if one of both is CHAR
 *   all others            anything                    -
 *
 * Maxima of whole stripes by the oldest Java writer are wrong (HIVE-8732): it has bounds of row groups only.
 *
 * The wall clock of a TIMESTAMP was turned to milliseconds with the writer's time zone as its machine knew it, which is what ours says for the last
 * decades, about. Before 1970 readers differ by a second for values with a fraction, because writers cut toward zero. Bounds give way so far. */
#include "format/orc/bounds.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"

#define JAVA_FIRST 0 /* versions of the Java writer */
#define JAVA_TIMESTAMPS_IN_UTC 6
#define ZONE_AT_MOST 86400000 /* no offset was ever as large as a day */

static bool orc_is_java(const pmn_orc_meta *meta) { return meta->writer <= 0; }

/* ---- nulls ---- */

static int64_t orc_null_count(const pmn_orc_bounds_of_what *what, const pmn_orc_stats *s, int64_t rows)
{
    if (s->n_values < 0 || s->n_values > rows) return -1;
    int64_t nulls = rows - s->n_values;
    /* Old writers that were told to write no index counted nothing, and said so: 0 values, no nulls. */
    if (nulls == rows) return s->has_null && what->meta->row_index_stride > 0 ? nulls : -1;
    /* Values below null structs are not written by orc-java; others may count them. */
    if (what->is_nested) return orc_is_java(what->meta) && (nulls > 0 || !s->has_null) ? nulls : -1;
    return s->has_null == (nulls > 0) ? nulls : -1;
}

/* ---- values ---- */

typedef struct orc_bounds {
    const pmn_orc_bounds_of_what *what;
    const pmn_type *type;
    const pmn_orc_stats *stats;
    pmn_stat *out;
} orc_bounds;

static void orc_bound_integers(const orc_bounds *b, int64_t min, int64_t max, int64_t least, int64_t most)
{
    if (min < least || max > most) return; /* what becomes of the values outside is the reader's to say */
    b->out->min = (pmn_datum){ .v.i = min };
    b->out->max = (pmn_datum){ .v.i = max };
}

static void orc_bound_numbers(const orc_bounds *b, int64_t least, int64_t most)
{
    pmn_orc_kind kind = b->what->column->kind;
    if (kind < PMN_ORC_BYTE || kind > PMN_ORC_LONG || !b->stats->has_integers) return;
    orc_bound_integers(b, b->stats->min_integer, b->stats->max_integer, least, most);
}

static void orc_bound_booleans(const orc_bounds *b)
{
    const pmn_orc_stats *s = b->stats;
    if (b->what->column->kind != PMN_ORC_BOOLEAN || !s->has_booleans || s->n_values <= 0 || s->n_true > s->n_values) return;
    if (b->what->is_nested && !orc_is_java(b->what->meta)) return; /* see orc_null_count */
    orc_bound_integers(b, s->n_true == s->n_values, s->n_true > 0, 0, 1);
}

static void orc_bound_reals(const orc_bounds *b)
{
    pmn_orc_kind kind = b->what->column->kind;
    double min = b->stats->min_double, max = b->stats->max_double;
    if ((kind != PMN_ORC_FLOAT && kind != PMN_ORC_DOUBLE) || !b->stats->has_doubles) return;
    if (min == 0) min = -0.0;
    if (max == 0) max = 0.0;
    if (b->type->kind == PMN_DOUBLE) {
        b->out->min = (pmn_datum){ .v.d = min };
        b->out->max = (pmn_datum){ .v.d = max };
    } else if (kind == PMN_ORC_FLOAT && (double)(float)min == min && (double)(float)max == max) {
        b->out->min = (pmn_datum){ .v.f = (float)min };
        b->out->max = (pmn_datum){ .v.f = (float)max };
    }
}

static void orc_bound_decimals(const orc_bounds *b)
{
    const pmn_orc_type *column = b->what->column;
    if (column->kind != PMN_ORC_DECIMAL || column->scale != b->type->scale || !b->stats->has_decimals) return;
    if (orc_is_java(b->what->meta) && b->what->meta->writer_version == JAVA_TIMESTAMPS_IN_UTC && column->precision <= 18) return;
    pmn_datum min = { .is_null = true }, max = { .is_null = true };
    if (b->stats->min_text.data) min.is_null = !pmn_decimal_parse(b->stats->min_text, 38, b->type->scale, &min.v.dec);
    if (b->stats->max_text.data) max.is_null = !pmn_decimal_parse(b->stats->max_text, 38, b->type->scale, &max.v.dec);
    b->out->min = min;
    b->out->max = max;
}

static bool orc_is_utc(const char *zone)
{
    static const char *const names[] = { "UTC", "GMT", "Etc/UTC", "Etc/GMT", "Z", "Zulu", "UCT" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(zone, names[i]) == 0) return true;
    }
    return false;
}

/* How far a bound gives way, in milliseconds. */
static int64_t orc_timestamp_slack(int64_t millis, bool utc)
{
    static const int64_t day = 86400000, year_2037 = INT64_C(2114380800000);
    if (utc) return millis < 2000 ? 1000 : 0;
    return millis < 2 * day || millis > year_2037 ? 2 * day : 3600000;
}

static void orc_bound_timestamps(const orc_bounds *b)
{
    const pmn_orc_stats *s = b->stats;
    const pmn_orc_meta *meta = b->what->meta;
    bool instant = b->type->kind == PMN_TIMESTAMP_LTZ;
    if (b->what->column->kind != (instant ? PMN_ORC_INSTANT : PMN_ORC_TIMESTAMP) || !s->has_timestamps) return;
    if (orc_is_java(meta) && meta->writer_version < JAVA_TIMESTAMPS_IN_UTC) return;
    bool utc = instant || orc_is_utc(b->what->zone);
    int64_t below = orc_timestamp_slack(s->min_integer, utc), above = orc_timestamp_slack(s->max_integer, utc);
    if (instant && b->what->instants_are_local) below = above = ZONE_AT_MOST; /* values are moved by a zone's offset, the bounds are not */
    pmn_datum min = { .v.ts = { 0, below ? 0 : s->min_nanos } }, max = { .v.ts = { 0, above ? 999999 : s->max_nanos } };
    min.is_null = !pmn_sub_i64(s->min_integer, below, &min.v.ts.millis);
    max.is_null = !pmn_add_i64(s->max_integer, above, &max.v.ts.millis);
    b->out->min = min;
    b->out->max = max;
}

/* Where trailing blanks do not count, "a" comes after "a\1" as stored (padded or not) and before it as seen. So a minimum holds only if it has no byte
 * below the blank, and above everything that begins like a maximum and goes on below the blank is the maximum with a byte above it. */
static void orc_trim_bounds(const orc_bounds *b, pmn_datum *min, pmn_datum *max)
{
    pmn_slice low = min->v.bytes, high = max->v.bytes;
    for (size_t i = 0; !min->is_null && i < low.size; i++) min->is_null = low.data[i] < ' ';
    while (!min->is_null && low.size > 0 && low.data[low.size - 1] == ' ') low.size--;
    min->v.bytes = low;
    if (max->is_null || high.size == 0 || high.data[high.size - 1] != ' ') return;
    while (high.size > 0 && high.data[high.size - 1] == ' ') high.size--;
    uint8_t *wider = pmn_arena_alloc(b->what->arena, high.size + 1);
    max->is_null = !wider;
    if (!wider) return;
    memcpy(wider, high.data, high.size);
    wider[high.size] = ' ' + 1;
    max->v.bytes = pmn_slice_of(wider, high.size + 1);
}

static void orc_bound_texts(const orc_bounds *b)
{
    pmn_orc_kind kind = b->what->column->kind;
    if ((kind != PMN_ORC_STRING && kind != PMN_ORC_VARCHAR && kind != PMN_ORC_CHAR) || !b->stats->has_strings) return;
    pmn_datum min = { .is_null = !b->stats->min_text.data, .v.bytes = b->stats->min_text };
    pmn_datum max = { .is_null = !b->stats->max_text.data, .v.bytes = b->stats->max_text };
    if (kind == PMN_ORC_CHAR || b->type->kind == PMN_CHAR) orc_trim_bounds(b, &min, &max);
    b->out->min = min;
    b->out->max = max;
}

void pmn_orc_bounds_of(const pmn_orc_bounds_of_what *what, const pmn_type *type, const pmn_orc_stats *stats, pmn_stat *out)
{
    orc_bounds b = { what, type, stats, out };
    out->null_count = orc_null_count(what, stats, out->row_count);
    out->min = out->max = (pmn_datum){ .is_null = true };
    if (what->is_merged && orc_is_java(what->meta) && what->meta->writer_version == JAVA_FIRST) return;
    switch (type->kind) {
    case PMN_BOOLEAN: orc_bound_booleans(&b); break;
    case PMN_TINYINT: orc_bound_numbers(&b, INT8_MIN, INT8_MAX); break;
    case PMN_SMALLINT: orc_bound_numbers(&b, INT16_MIN, INT16_MAX); break;
    case PMN_INT: orc_bound_numbers(&b, INT32_MIN, INT32_MAX); break;
    case PMN_BIGINT: orc_bound_numbers(&b, INT64_MIN, INT64_MAX); break;
    case PMN_TIME:
        if (what->column->kind == PMN_ORC_INT || what->column->kind == PMN_ORC_LONG) orc_bound_numbers(&b, INT32_MIN, INT32_MAX);
        break;
    case PMN_DATE:
        if (what->column->kind == PMN_ORC_DATE && stats->has_dates) orc_bound_integers(&b, stats->min_integer, stats->max_integer, INT32_MIN, INT32_MAX);
        break;
    case PMN_FLOAT:
    case PMN_DOUBLE: orc_bound_reals(&b); break;
    case PMN_DECIMAL: orc_bound_decimals(&b); break;
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ: orc_bound_timestamps(&b); break;
    case PMN_CHAR:
    case PMN_VARCHAR: orc_bound_texts(&b); break;
    default: break;
    }
    bool upside_down = !out->min.is_null && !out->max.is_null && pmn_datum_compare(type, &out->min, &out->max) > 0;
    if (upside_down) out->min.is_null = out->max.is_null = true;
}
