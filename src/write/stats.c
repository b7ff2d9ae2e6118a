#include "write/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "types/row_codec.h"

#define STATS_DEFAULT "truncate(16)"
#define LAST_BEFORE_SURROGATES 0xd7ffu
#define FIRST_BEHIND_SURROGATES 0xe000u
#define LAST_CODE_POINT 0x10ffffu

/* --- modes --- */

static bool parse_truncate(const char *text, int32_t *length)
{
    if (strncasecmp(text, "truncate(", 9) != 0) return false;
    char *end;
    long n = strtol(text + 9, &end, 10);
    if (end == text + 9 || strcmp(end, ")") != 0 || n <= 0 || n > INT32_MAX) return false;
    *length = (int32_t)n;
    return true;
}

paimon_status pmn_stats_mode_parse(const char *key, const char *text, pmn_stats_mode *out, paimon_error *err)
{
    static const struct {
        const char *name;
        pmn_stats_kind kind;
    } names[] = { { "none", PMN_STATS_NONE }, { "counts", PMN_STATS_COUNTS }, { "full", PMN_STATS_FULL } };
    *out = (pmn_stats_mode){ PMN_STATS_TRUNCATE, 0 };
    if (parse_truncate(text, &out->length)) return PAIMON_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(text, names[i].name) == 0) {
            out->kind = names[i].kind;
            return PAIMON_OK;
        }
    return pmn_fail(err, PAIMON_INVALID, "option %s = '%s': none, counts, full or truncate(n) is expected", key, text);
}

/* Types that statistics are kept of; Java leaves nested ones out as if their mode were none. */
static bool has_order(const pmn_type *type)
{
    return pmn_type_is_atomic(type) && type->kind != PMN_BLOB && type->kind != PMN_GEOMETRY && type->kind != PMN_GEOGRAPHY;
}

static paimon_status column_mode(pmn_arena *arena, const pmn_field *field, const pmn_options *options, pmn_stats_mode general, int64_t keep_first,
                                 int64_t *n_kept, pmn_stats_mode *out, paimon_error *err)
{
    size_t n = strlen(field->name) + sizeof "fields..stats-mode";
    char *key = pmn_arena_alloc(arena, n);
    if (!key) return pmn_fail_nomem(err, "an option's name");
    snprintf(key, n, "fields.%s.stats-mode", field->name);
    const char *own = pmn_options_get(options, key);
    *out = general;
    if (own) PMN_TRY(pmn_stats_mode_parse(key, own, out, err));
    else if (keep_first >= 0 && *n_kept >= keep_first) out->kind = PMN_STATS_NONE;
    if (!has_order(field->type)) out->kind = PMN_STATS_NONE;
    if (out->kind != PMN_STATS_NONE) ++*n_kept;
    return PAIMON_OK;
}

static paimon_status stored_columns(pmn_arena *arena, const pmn_type *row, bool dense, pmn_stats_plan *out, paimon_error *err)
{
    pmn_field *fields = pmn_arena_calloc(arena, (size_t)row->n_fields + 1, sizeof *fields);
    pmn_type *stored = pmn_arena_calloc(arena, 1, sizeof *stored);
    out->columns = pmn_arena_calloc(arena, (size_t)row->n_fields + 1, sizeof *out->columns);
    out->names = pmn_arena_calloc(arena, (size_t)row->n_fields + 1, sizeof *out->names);
    if (!fields || !stored || !out->columns || !out->names) return pmn_fail_nomem(err, "columns with statistics");
    int32_t n = 0;
    for (int32_t i = 0; i < row->n_fields; i++) {
        if (dense && out->modes[i].kind == PMN_STATS_NONE) continue;
        fields[n] = row->fields[i];
        fields[n].type = pmn_type_with_null(arena, row->fields[i].type, true);
        if (!fields[n].type) return pmn_fail_nomem(err, "columns with statistics");
        out->names[n] = row->fields[i].name;
        out->columns[n++] = i;
    }
    *stored = (pmn_type){ .kind = PMN_ROW, .n_fields = n, .fields = fields };
    out->stored = stored;
    out->keeps_all = n == row->n_fields;
    return PAIMON_OK;
}

paimon_status pmn_stats_plan_make(pmn_arena *arena, const pmn_type *row, const pmn_options *options, pmn_stats_plan *out, paimon_error *err)
{
    const char *text = pmn_options_get(options, "metadata.stats-mode");
    pmn_stats_mode general;
    int64_t keep_first, n_kept = 0;
    bool dense;
    *out = (pmn_stats_plan){ .row = row };
    PMN_TRY(pmn_stats_mode_parse("metadata.stats-mode", text ? text : STATS_DEFAULT, &general, err));
    PMN_TRY(pmn_options_int(options, "metadata.stats-keep-first-n-columns", -1, &keep_first, err));
    PMN_TRY(pmn_options_bool(options, "metadata.stats-dense-store", true, &dense, err));
    out->modes = pmn_arena_calloc(arena, (size_t)row->n_fields + 1, sizeof *out->modes);
    if (!out->modes) return pmn_fail_nomem(err, "statistics modes");
    for (int32_t i = 0; i < row->n_fields; i++)
        PMN_TRY(column_mode(arena, &row->fields[i], options, general, keep_first, &n_kept, &out->modes[i], err));
    return stored_columns(arena, row, dense, out, err);
}

/* --- cutting --- */

/* The code point behind `c`, or 0 if there is none. Surrogates cannot be stored in UTF-8 and are stepped over. */
static uint32_t next_code_point(uint32_t c)
{
    if (c >= LAST_CODE_POINT) return 0;
    return c == LAST_BEFORE_SURROGATES ? FIRST_BEHIND_SURROGATES : c + 1;
}

/* Raise the last code point of the prefix that can be raised and drop what follows it; 0: none can. `text` has room for 4 bytes more. */
static size_t step_text_up(uint8_t *text, size_t n)
{
    while (n > 0) {
        size_t start = n - 1;
        while (start > 0 && (text[start] & 0xc0) == 0x80) start--;
        size_t pos = 0;
        uint32_t raised = next_code_point(pmn_utf8_next(pmn_slice_of(text + start, n - start), &pos));
        if (raised) return start + pmn_utf8_encode(raised, text + start);
        n = start;
    }
    return 0;
}

static size_t step_bytes_up(uint8_t *bytes, size_t n)
{
    while (n > 0 && bytes[n - 1] == 0xff) n--;
    if (n > 0) bytes[n - 1]++;
    return n;
}

paimon_status pmn_stats_truncate(pmn_arena *arena, const pmn_type *type, int32_t length, pmn_datum *min, pmn_datum *max, paimon_error *err)
{
    bool text = pmn_type_is_text(type);
    if (!text && !pmn_type_is_bytes(type)) return PAIMON_OK;
    if (!min->is_null) {
        size_t n = text ? pmn_utf8_prefix(min->v.bytes, length) : (size_t)length;
        if (n < min->v.bytes.size) min->v.bytes.size = n;
    }
    if (max->is_null) return PAIMON_OK;
    size_t n = text ? pmn_utf8_prefix(max->v.bytes, length) : (size_t)length;
    if (n >= max->v.bytes.size) return PAIMON_OK;
    uint8_t *raised = pmn_arena_alloc(arena, n + 4);
    if (!raised) return pmn_fail_nomem(err, "a column's maximum");
    memcpy(raised, max->v.bytes.data, n);
    n = text ? step_text_up(raised, n) : step_bytes_up(raised, n);
    if (n == 0) min->is_null = max->is_null = true;
    else max->v.bytes = pmn_slice_of(raised, n);
    return PAIMON_OK;
}

/* --- making --- */

static paimon_status column_stats(const pmn_stats_plan *plan, int32_t column, const pmn_column_bounds *bounds, pmn_arena *arena, pmn_datum *min,
                                  pmn_datum *max, int64_t *null_count, paimon_error *err)
{
    pmn_stats_mode mode = plan->modes[column];
    min->is_null = max->is_null = true;
    *null_count = -1;
    if (mode.kind == PMN_STATS_NONE || !bounds) return PAIMON_OK;
    *null_count = bounds[column].null_count;
    if (mode.kind == PMN_STATS_COUNTS || bounds[column].min.is_null || bounds[column].max.is_null) return PAIMON_OK;
    *min = bounds[column].min;
    *max = bounds[column].max;
    if (mode.kind != PMN_STATS_TRUNCATE) return PAIMON_OK;
    return pmn_stats_truncate(arena, plan->row->fields[column].type, mode.length, min, max, err);
}

static paimon_status row_into_arena(pmn_arena *arena, const pmn_type *row, const pmn_datum *values, pmn_slice *out, paimon_error *err)
{
    pmn_buf buf;
    pmn_buf_init(&buf, arena->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_row_write_serialized(&buf, row, values, err);
    if (status == PAIMON_OK) {
        void *copy = pmn_arena_copy(arena, buf.data, buf.size);
        *out = pmn_slice_of(copy, buf.size);
        if (!copy) status = pmn_fail_nomem(err, "statistics");
    }
    pmn_buf_free(&buf);
    return status;
}

paimon_status pmn_stats_make(const pmn_stats_plan *plan, const pmn_column_bounds *bounds, pmn_arena *arena, pmn_data_file *file, paimon_error *err)
{
    int32_t n = plan->stored->n_fields;
    pmn_datum *values = pmn_arena_calloc(arena, 2 * (size_t)n + 1, sizeof *values);
    int64_t *null_counts = pmn_arena_calloc(arena, (size_t)n + 1, sizeof *null_counts);
    if (!values || !null_counts) return pmn_fail_nomem(err, "statistics");
    for (int32_t i = 0; i < n; i++) PMN_TRY(column_stats(plan, plan->columns[i], bounds, arena, &values[i], &values[n + i], &null_counts[i], err));
    PMN_TRY(row_into_arena(arena, plan->stored, values, &file->value_stats.min, err));
    PMN_TRY(row_into_arena(arena, plan->stored, values + n, &file->value_stats.max, err));
    file->value_stats.n_null_counts = n;
    file->value_stats.null_counts = null_counts;
    file->n_value_stats_cols = plan->keeps_all ? -1 : n;
    file->value_stats_cols = plan->names;
    return PAIMON_OK;
}

paimon_status pmn_stats_empty(pmn_arena *arena, pmn_slice *row, pmn_simple_stats *stats, paimon_error *err)
{
    static const pmn_type no_columns = { .kind = PMN_ROW };
    PMN_TRY(row_into_arena(arena, &no_columns, NULL, row, err));
    *stats = (pmn_simple_stats){ .min = *row, .max = *row, .n_null_counts = 0 };
    return PAIMON_OK;
}
