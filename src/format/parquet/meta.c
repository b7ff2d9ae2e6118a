/* The footer: FileMetaData and what it holds, from Thrift. Field numbers stand in the comments beside their cases.
 *
 * Every list is allocated only after its count was held against the bytes left: `LEAST_*` is what the smallest valid element takes,
 * so that a short hostile footer cannot ask for much more memory than it has bytes. */
#include "format/parquet/meta.h"

#include <string.h>

#include "base/checked.h"

#define LEAST_ELEMENT 5
#define LEAST_GROUP 7
#define LEAST_CHUNK 3
#define LEAST_KEY_VALUE 3
#define LEAST_PAGE_COUNT 7

typedef struct meta_parser {
    pmn_thrift t;
    pmn_arena *arena;
} meta_parser;

static paimon_status meta_nomem(meta_parser *p) { return pmn_fail_nomem(p->t.err, "the Parquet footer"); }

static paimon_status meta_list(meta_parser *p, const pmn_thrift_field *f, size_t item_size, size_t least, pmn_thrift_list *list, void *out)
{
    PMN_TRY(pmn_thrift_list_begin(&p->t, f, list));
    if ((size_t)list->size > pmn_cursor_left(&p->t.cursor) / least)
        return pmn_thrift_corrupt(&p->t, "a list has %d elements, but %zu bytes are left", list->size, pmn_cursor_left(&p->t.cursor));
    void *items = pmn_arena_calloc(p->arena, list->size ? (size_t)list->size : 1, item_size);
    if (!items) return meta_nomem(p);
    memcpy(out, &items, sizeof items);
    return PAIMON_OK;
}

static paimon_status meta_bytes(meta_parser *p, const pmn_thrift_field *f, pmn_slice *out)
{
    pmn_slice raw;
    PMN_TRY(pmn_thrift_binary(&p->t, f, &raw));
    char *copy = pmn_arena_strndup(p->arena, (const char *)raw.data, raw.size);
    if (!copy) return meta_nomem(p);
    *out = pmn_slice_of(copy, raw.size);
    return PAIMON_OK;
}

static paimon_status meta_name(meta_parser *p, const pmn_thrift_field *f, const char **out)
{
    pmn_slice name;
    PMN_TRY(meta_bytes(p, f, &name));
    if (name.size && memchr(name.data, 0, name.size)) return pmn_thrift_corrupt(&p->t, "the name of a column has a zero byte");
    *out = (const char *)name.data;
    return PAIMON_OK;
}

static paimon_status meta_count(meta_parser *p, const pmn_thrift_field *f, const char *what, int64_t *out)
{
    PMN_TRY(pmn_thrift_i64(&p->t, f, out));
    if (*out < 0) return pmn_thrift_corrupt(&p->t, "%s is %lld, below 0", what, (long long)*out);
    return PAIMON_OK;
}

/* ---- schema ---- */

static paimon_status parse_time_unit(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_logical *out)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_expect(&p->t, field, PMN_THRIFT_STRUCT));
    PMN_TRY(pmn_thrift_begin(&p->t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(&p->t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        if (f.id < PMN_PQ_MILLIS || f.id > PMN_PQ_NANOS) return pmn_thrift_corrupt(&p->t, "time unit %d is not known", f.id);
        out->unit = (pmn_parquet_unit)f.id;
        PMN_TRY(pmn_thrift_skip(&p->t, &f));
    }
}

/* The struct inside a member of LogicalType, whose field numbers depend on the member. */
static paimon_status parse_logical_member(meta_parser *p, const pmn_thrift_field *member, pmn_parquet_logical *out)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_expect(&p->t, member, PMN_THRIFT_STRUCT));
    PMN_TRY(pmn_thrift_begin(&p->t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(&p->t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        bool is_time = out->kind == PMN_PQ_LOGICAL_TIME || out->kind == PMN_PQ_LOGICAL_TIMESTAMP;
        if (out->kind == PMN_PQ_LOGICAL_DECIMAL && f.id == 1) {
            PMN_TRY(pmn_thrift_i32(&p->t, &f, &out->scale));
        } else if (out->kind == PMN_PQ_LOGICAL_DECIMAL && f.id == 2) {
            PMN_TRY(pmn_thrift_i32(&p->t, &f, &out->precision));
        } else if (is_time && f.id == 1) {
            PMN_TRY(pmn_thrift_bool(&p->t, &f, &out->utc));
        } else if (is_time && f.id == 2) {
            PMN_TRY(parse_time_unit(p, &f, out));
        } else if (out->kind == PMN_PQ_LOGICAL_INTEGER && f.id == 1) {
            PMN_TRY(pmn_thrift_i32(&p->t, &f, &out->bits));
        } else if (out->kind == PMN_PQ_LOGICAL_INTEGER && f.id == 2) {
            PMN_TRY(pmn_thrift_bool(&p->t, &f, &out->is_signed));
        } else {
            PMN_TRY(pmn_thrift_skip(&p->t, &f));
        }
    }
    if ((out->kind == PMN_PQ_LOGICAL_TIME || out->kind == PMN_PQ_LOGICAL_TIMESTAMP) && out->unit == 0)
        return pmn_thrift_corrupt(&p->t, "a time or timestamp has no unit");
    return PAIMON_OK;
}

static paimon_status parse_logical(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_logical *out)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_expect(&p->t, field, PMN_THRIFT_STRUCT));
    PMN_TRY(pmn_thrift_begin(&p->t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(&p->t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        bool known = f.id >= PMN_PQ_LOGICAL_STRING && f.id <= PMN_PQ_LOGICAL_GEOGRAPHY && f.id != 9;
        out->kind = known ? (pmn_parquet_logical_kind)f.id : PMN_PQ_LOGICAL_OTHER;
        if (known) PMN_TRY(parse_logical_member(p, &f, out));
        else PMN_TRY(pmn_thrift_skip(&p->t, &f));
    }
}

static void set_time(pmn_parquet_logical *out, pmn_parquet_logical_kind kind, pmn_parquet_unit unit)
{
    out->kind = kind;
    out->unit = unit;
    out->utc = true; /* converted types mean instants */
}

static void set_integer(pmn_parquet_logical *out, int bits, bool is_signed)
{
    out->kind = PMN_PQ_LOGICAL_INTEGER;
    out->bits = bits;
    out->is_signed = is_signed;
}

/* ConvertedType, which older writers give instead of a logical type. */
static void logical_from_converted(int32_t converted, int32_t precision, int32_t scale, pmn_parquet_logical *out)
{
    switch (converted) {
    case 0: out->kind = PMN_PQ_LOGICAL_STRING; break;
    case 1: out->kind = PMN_PQ_LOGICAL_MAP; break;
    case 2: out->kind = PMN_PQ_LOGICAL_MAP_KEY_VALUE; break;
    case 3: out->kind = PMN_PQ_LOGICAL_LIST; break;
    case 4: out->kind = PMN_PQ_LOGICAL_ENUM; break;
    case 5:
        out->kind = PMN_PQ_LOGICAL_DECIMAL;
        out->precision = precision;
        out->scale = scale;
        break;
    case 6: out->kind = PMN_PQ_LOGICAL_DATE; break;
    case 7: set_time(out, PMN_PQ_LOGICAL_TIME, PMN_PQ_MILLIS); break;
    case 8: set_time(out, PMN_PQ_LOGICAL_TIME, PMN_PQ_MICROS); break;
    case 9: set_time(out, PMN_PQ_LOGICAL_TIMESTAMP, PMN_PQ_MILLIS); break;
    case 10: set_time(out, PMN_PQ_LOGICAL_TIMESTAMP, PMN_PQ_MICROS); break;
    case 11:
    case 12:
    case 13:
    case 14: set_integer(out, 8 << (converted - 11), false); break;
    case 15:
    case 16:
    case 17:
    case 18: set_integer(out, 8 << (converted - 15), true); break;
    case 19: out->kind = PMN_PQ_LOGICAL_JSON; break;
    case 20: out->kind = PMN_PQ_LOGICAL_BSON; break;
    case 21: out->kind = PMN_PQ_LOGICAL_INTERVAL; break;
    default: out->kind = PMN_PQ_LOGICAL_OTHER; break;
    }
}

static paimon_status parse_element(meta_parser *p, bool is_root, pmn_parquet_element *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_struct s;
    pmn_thrift_field f;
    int32_t physical = -1, repetition = -1, converted = -1, precision = 0, scale = 0;
    out->field_id = -1;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        switch (f.id) {
        case 1: PMN_TRY(pmn_thrift_i32(t, &f, &physical)); break;
        case 2: PMN_TRY(pmn_thrift_i32(t, &f, &out->type_length)); break;
        case 3: PMN_TRY(pmn_thrift_i32(t, &f, &repetition)); break;
        case 4: PMN_TRY(meta_name(p, &f, &out->name)); break;
        case 5: PMN_TRY(pmn_thrift_i32(t, &f, &out->n_children)); break;
        case 6: PMN_TRY(pmn_thrift_i32(t, &f, &converted)); break;
        case 7: PMN_TRY(pmn_thrift_i32(t, &f, &scale)); break;
        case 8: PMN_TRY(pmn_thrift_i32(t, &f, &precision)); break;
        case 9: PMN_TRY(pmn_thrift_i32(t, &f, &out->field_id)); break;
        case 10: PMN_TRY(parse_logical(p, &f, &out->logical)); break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    if (!out->name) return pmn_thrift_corrupt(t, "a column has no name");
    if (out->n_children < 0) return pmn_thrift_corrupt(t, "column \"%s\" has %d children", out->name, out->n_children);
    if (out->n_children > 0 || is_root) physical = PMN_PQ_GROUP;
    if (physical < PMN_PQ_GROUP || physical > PMN_PQ_FIXED) return pmn_thrift_corrupt(t, "column \"%s\" has physical type %d", out->name, physical);
    out->physical = (pmn_parquet_physical)physical;
    if (is_root) repetition = PMN_PQ_REQUIRED;
    if (repetition < PMN_PQ_REQUIRED || repetition > PMN_PQ_REPEATED)
        return pmn_thrift_corrupt(t, "column \"%s\" has repetition %d, expected 0, 1 or 2", out->name, repetition);
    out->repetition = (pmn_parquet_repetition)repetition;
    if (out->physical == PMN_PQ_FIXED && out->type_length < 1)
        return pmn_thrift_corrupt(t, "column \"%s\" of fixed length has length %d", out->name, out->type_length);
    if (out->logical.kind == PMN_PQ_LOGICAL_NONE && converted >= 0) logical_from_converted(converted, precision, scale, &out->logical);
    return PAIMON_OK;
}

/* ---- row groups ---- */

static paimon_status parse_statistics(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_statistics *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_expect(t, field, PMN_THRIFT_STRUCT));
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        switch (f.id) {
        case 1: PMN_TRY(meta_bytes(p, &f, &out->legacy_max)); break;
        case 2: PMN_TRY(meta_bytes(p, &f, &out->legacy_min)); break;
        case 3: PMN_TRY(pmn_thrift_i64(t, &f, &out->null_count)); break;
        case 4: PMN_TRY(pmn_thrift_i64(t, &f, &out->distinct_count)); break;
        case 5: PMN_TRY(meta_bytes(p, &f, &out->max_value)); break;
        case 6: PMN_TRY(meta_bytes(p, &f, &out->min_value)); break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    /* a count below 0 is nonsense of some writers: unknown */
    if (out->null_count < 0) out->null_count = -1;
    if (out->distinct_count < 0) out->distinct_count = -1;
    return PAIMON_OK;
}

static paimon_status parse_page_counts(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_chunk *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_list list;
    pmn_parquet_page_count *items;
    PMN_TRY(meta_list(p, field, sizeof *items, LEAST_PAGE_COUNT, &list, &items));
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) {
        pmn_thrift_struct s;
        pmn_thrift_field f;
        PMN_TRY(pmn_thrift_expect(t, &item, PMN_THRIFT_STRUCT));
        PMN_TRY(pmn_thrift_begin(t, &s));
        while (true) {
            PMN_TRY(pmn_thrift_next(t, &s, &f));
            if (f.type == PMN_THRIFT_STOP) break;
            switch (f.id) {
            case 1: PMN_TRY(pmn_thrift_i32(t, &f, &items[i].page_type)); break;
            case 2: PMN_TRY(pmn_thrift_i32(t, &f, &items[i].encoding)); break;
            case 3: PMN_TRY(pmn_thrift_i32(t, &f, &items[i].count)); break;
            default: PMN_TRY(pmn_thrift_skip(t, &f));
            }
        }
    }
    out->page_counts = items;
    out->n_page_counts = list.size;
    return PAIMON_OK;
}

static paimon_status parse_encodings(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_chunk *out)
{
    pmn_thrift_list list;
    int32_t *items;
    PMN_TRY(meta_list(p, field, sizeof *items, 1, &list, &items));
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) PMN_TRY(pmn_thrift_i32(&p->t, &item, &items[i]));
    out->encodings = items;
    out->n_encodings = list.size;
    return PAIMON_OK;
}

static paimon_status parse_path(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_chunk *out)
{
    pmn_thrift_list list;
    pmn_slice *items;
    PMN_TRY(meta_list(p, field, sizeof *items, 1, &list, &items));
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) PMN_TRY(meta_bytes(p, &item, &items[i]));
    out->path = items;
    out->n_path = list.size;
    return PAIMON_OK;
}

static paimon_status check_column_meta(meta_parser *p, int32_t physical, int32_t codec, uint32_t seen, pmn_parquet_chunk *out)
{
    pmn_thrift *t = &p->t;
    const uint32_t required = 1u << 1 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 9;
    if ((seen & required) != required) return pmn_thrift_corrupt(t, "the metadata of a column chunk lacks a required field");
    if (physical < PMN_PQ_BOOLEAN || physical > PMN_PQ_FIXED) return pmn_thrift_corrupt(t, "a column chunk has physical type %d", physical);
    if (codec < PMN_PQ_UNCOMPRESSED || codec > PMN_PQ_LZ4_RAW) return pmn_thrift_corrupt(t, "a column chunk has compression codec %d", codec);
    out->physical = (pmn_parquet_physical)physical;
    out->codec = (pmn_parquet_codec)codec;
    /* The dictionary page stands before the data; an offset of 0 or past the data is what some writers put for "none". */
    if (out->dictionary_page_offset <= 0 || out->dictionary_page_offset >= out->data_page_offset) out->dictionary_page_offset = -1;
    out->first_offset = out->dictionary_page_offset >= 0 ? out->dictionary_page_offset : out->data_page_offset;
    return PAIMON_OK;
}

static paimon_status parse_column_meta(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_chunk *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_struct s;
    pmn_thrift_field f;
    int32_t physical = -1, codec = -1;
    uint32_t seen = 0;
    PMN_TRY(pmn_thrift_expect(t, field, PMN_THRIFT_STRUCT));
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        if (f.id >= 0 && f.id < 32) seen |= 1u << f.id;
        switch (f.id) {
        case 1: PMN_TRY(pmn_thrift_i32(t, &f, &physical)); break;
        case 2: PMN_TRY(parse_encodings(p, &f, out)); break;
        case 3: PMN_TRY(parse_path(p, &f, out)); break;
        case 4: PMN_TRY(pmn_thrift_i32(t, &f, &codec)); break;
        case 5: PMN_TRY(meta_count(p, &f, "the number of values of a column chunk", &out->n_values)); break;
        case 6: PMN_TRY(meta_count(p, &f, "the uncompressed size of a column chunk", &out->uncompressed_bytes)); break;
        case 7: PMN_TRY(meta_count(p, &f, "the compressed size of a column chunk", &out->compressed_bytes)); break;
        case 9: PMN_TRY(meta_count(p, &f, "the data page offset of a column chunk", &out->data_page_offset)); break;
        case 11: PMN_TRY(pmn_thrift_i64(t, &f, &out->dictionary_page_offset)); break;
        case 12: PMN_TRY(parse_statistics(p, &f, &out->statistics)); break;
        case 13: PMN_TRY(parse_page_counts(p, &f, out)); break;
        case 14: PMN_TRY(pmn_thrift_i64(t, &f, &out->bloom_offset)); break;
        case 15:
            /* a draft of the format had a list under this number, and files with it exist */
            if (f.type == PMN_THRIFT_I32) PMN_TRY(pmn_thrift_i32(t, &f, &out->bloom_length));
            else PMN_TRY(pmn_thrift_skip(t, &f));
            break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    return check_column_meta(p, physical, codec, seen, out);
}

static paimon_status parse_chunk(meta_parser *p, pmn_parquet_chunk *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_struct s;
    pmn_thrift_field f;
    pmn_slice other;
    bool has_meta = false;
    out->statistics.null_count = out->statistics.distinct_count = -1;
    out->dictionary_page_offset = out->bloom_offset = out->column_index_offset = out->offset_index_offset = -1;
    out->bloom_length = -1;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        switch (f.id) {
        case 1:
            PMN_TRY(pmn_thrift_binary(t, &f, &other));
            out->other_file = other.size > 0;
            break;
        case 3:
            PMN_TRY(parse_column_meta(p, &f, out));
            has_meta = true;
            break;
        case 4: PMN_TRY(pmn_thrift_i64(t, &f, &out->offset_index_offset)); break;
        case 5: PMN_TRY(pmn_thrift_i32(t, &f, &out->offset_index_length)); break;
        case 6: PMN_TRY(pmn_thrift_i64(t, &f, &out->column_index_offset)); break;
        case 7: PMN_TRY(pmn_thrift_i32(t, &f, &out->column_index_length)); break;
        case 8:
        case 9:
            PMN_TRY(pmn_thrift_skip(t, &f));
            out->encrypted = true;
            break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    /* an encrypted column may keep its metadata encrypted too */
    if (!has_meta && !out->encrypted) return pmn_thrift_corrupt(t, "a column chunk has no metadata");
    return PAIMON_OK;
}

static paimon_status parse_chunks(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_group *out)
{
    pmn_thrift_list list;
    pmn_parquet_chunk *items;
    PMN_TRY(meta_list(p, field, sizeof *items, LEAST_CHUNK, &list, &items));
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) {
        PMN_TRY(pmn_thrift_expect(&p->t, &item, PMN_THRIFT_STRUCT));
        PMN_TRY(parse_chunk(p, &items[i]));
    }
    out->chunks = items;
    out->n_chunks = list.size;
    return PAIMON_OK;
}

static paimon_status parse_group(meta_parser *p, pmn_parquet_group *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_struct s;
    pmn_thrift_field f;
    bool has_rows = false;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        switch (f.id) {
        case 1: PMN_TRY(parse_chunks(p, &f, out)); break;
        case 2: PMN_TRY(pmn_thrift_i64(t, &f, &out->total_bytes)); break;
        case 3:
            PMN_TRY(meta_count(p, &f, "the number of rows of a row group", &out->n_rows));
            has_rows = true;
            break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    if (!has_rows) return pmn_thrift_corrupt(t, "a row group does not tell its number of rows");
    return PAIMON_OK;
}

/* ---- the whole ---- */

static paimon_status parse_elements(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_meta *out)
{
    pmn_thrift_list list;
    pmn_parquet_element *items;
    PMN_TRY(meta_list(p, field, sizeof *items, LEAST_ELEMENT, &list, &items));
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) {
        PMN_TRY(pmn_thrift_expect(&p->t, &item, PMN_THRIFT_STRUCT));
        PMN_TRY(parse_element(p, i == 0, &items[i]));
    }
    out->elements = items;
    out->n_elements = list.size;
    return PAIMON_OK;
}

static paimon_status parse_groups(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_meta *out)
{
    pmn_thrift_list list;
    pmn_parquet_group *items;
    PMN_TRY(meta_list(p, field, sizeof *items, LEAST_GROUP, &list, &items));
    pmn_thrift_field item = pmn_thrift_item(&list);
    int64_t rows = 0;
    for (int32_t i = 0; i < list.size; i++) {
        PMN_TRY(pmn_thrift_expect(&p->t, &item, PMN_THRIFT_STRUCT));
        PMN_TRY(parse_group(p, &items[i]));
        items[i].first_row = rows;
        if (!pmn_add_i64(rows, items[i].n_rows, &rows)) return pmn_thrift_corrupt(&p->t, "the rows of the row groups exceed 64 bits");
    }
    out->groups = items;
    out->n_groups = list.size;
    return PAIMON_OK;
}

static paimon_status parse_key_values(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_meta *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_list list;
    pmn_parquet_key_value *items;
    PMN_TRY(meta_list(p, field, sizeof *items, LEAST_KEY_VALUE, &list, &items));
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) {
        pmn_thrift_struct s;
        pmn_thrift_field f;
        PMN_TRY(pmn_thrift_expect(t, &item, PMN_THRIFT_STRUCT));
        PMN_TRY(pmn_thrift_begin(t, &s));
        while (true) {
            PMN_TRY(pmn_thrift_next(t, &s, &f));
            if (f.type == PMN_THRIFT_STOP) break;
            if (f.id == 1) PMN_TRY(meta_bytes(p, &f, &items[i].key));
            else if (f.id == 2) PMN_TRY(meta_bytes(p, &f, &items[i].value));
            else PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    out->key_values = items;
    out->n_key_values = list.size;
    return PAIMON_OK;
}

static paimon_status parse_orders(meta_parser *p, const pmn_thrift_field *field, pmn_parquet_meta *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_list list;
    pmn_parquet_order *items;
    PMN_TRY(meta_list(p, field, sizeof *items, 1, &list, &items));
    pmn_thrift_field item = pmn_thrift_item(&list);
    for (int32_t i = 0; i < list.size; i++) {
        pmn_thrift_struct s;
        pmn_thrift_field f;
        PMN_TRY(pmn_thrift_expect(t, &item, PMN_THRIFT_STRUCT));
        PMN_TRY(pmn_thrift_begin(t, &s));
        while (true) {
            PMN_TRY(pmn_thrift_next(t, &s, &f));
            if (f.type == PMN_THRIFT_STOP) break;
            items[i] = f.id == 1 ? PMN_PQ_ORDER_TYPE : PMN_PQ_ORDER_OTHER;
            PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    out->orders = items;
    out->n_orders = list.size;
    return PAIMON_OK;
}

static paimon_status parse_file(meta_parser *p, pmn_parquet_meta *out)
{
    pmn_thrift *t = &p->t;
    pmn_thrift_struct s;
    pmn_thrift_field f;
    bool has_rows = false;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) break;
        switch (f.id) {
        case 1: PMN_TRY(pmn_thrift_i32(t, &f, &out->version)); break;
        case 2: PMN_TRY(parse_elements(p, &f, out)); break;
        case 3:
            PMN_TRY(meta_count(p, &f, "the number of rows", &out->n_rows));
            has_rows = true;
            break;
        case 4: PMN_TRY(parse_groups(p, &f, out)); break;
        case 5: PMN_TRY(parse_key_values(p, &f, out)); break;
        case 6: PMN_TRY(meta_bytes(p, &f, &out->created_by)); break;
        case 7: PMN_TRY(parse_orders(p, &f, out)); break;
        default: PMN_TRY(pmn_thrift_skip(t, &f));
        }
    }
    if (out->n_elements == 0) return pmn_thrift_corrupt(t, "no schema");
    if (!has_rows) return pmn_thrift_corrupt(t, "no number of rows");
    return PAIMON_OK;
}

paimon_status pmn_parquet_meta_parse(pmn_arena *arena, pmn_slice bytes, int64_t base, pmn_parquet_meta *out, paimon_error *err)
{
    meta_parser p = { pmn_thrift_of(bytes, base, "footer", err), arena };
    memset(out, 0, sizeof *out);
    return parse_file(&p, out);
}

static paimon_status check_chunk(const pmn_parquet_chunk *chunk, int32_t group, int32_t column, pmn_parquet_physical physical, int64_t file_size, paimon_error *err)
{
    if (chunk->encrypted || chunk->other_file) return PAIMON_OK; /* refused when the column is read */
    if (chunk->physical != physical)
        return pmn_fail(err, PAIMON_CORRUPT, "row group %d, column %d holds %s, but the schema says %s", group, column,
                        pmn_parquet_physical_name(chunk->physical), pmn_parquet_physical_name(physical));
    int64_t end;
    if (!pmn_add_i64(chunk->first_offset, chunk->compressed_bytes, &end) || end > file_size)
        return pmn_fail(err, PAIMON_CORRUPT, "row group %d, column %d lies at bytes %lld + %lld of a file of %lld", group, column,
                        (long long)chunk->first_offset, (long long)chunk->compressed_bytes, (long long)file_size);
    return PAIMON_OK;
}

paimon_status pmn_parquet_meta_check(const pmn_parquet_meta *meta, const pmn_parquet_physical *physical, int32_t n_leaves, int64_t file_size, paimon_error *err)
{
    int64_t rows = 0;
    for (int32_t g = 0; g < meta->n_groups; g++) {
        const pmn_parquet_group *group = &meta->groups[g];
        if (group->n_chunks != n_leaves)
            return pmn_fail(err, PAIMON_CORRUPT, "row group %d has %d column chunks, but the schema has %d columns", g, group->n_chunks, n_leaves);
        for (int32_t c = 0; c < n_leaves; c++) PMN_TRY(check_chunk(&group->chunks[c], g, c, physical[c], file_size, err));
        rows += group->n_rows; /* checked while parsing */
    }
    if (rows != meta->n_rows)
        return pmn_fail(err, PAIMON_CORRUPT, "the row groups have %lld rows, but the footer says %lld", (long long)rows, (long long)meta->n_rows);
    return PAIMON_OK;
}

const char *pmn_parquet_physical_name(pmn_parquet_physical physical)
{
    static const char *const names[] = { "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY" };
    if (physical == PMN_PQ_GROUP) return "group";
    return (unsigned)physical < sizeof names / sizeof *names ? names[physical] : "unknown";
}

const char *pmn_parquet_encoding_name(int32_t encoding)
{
    static const char *const names[] = { "PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
                                         "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT" };
    return encoding >= 0 && (size_t)encoding < sizeof names / sizeof *names ? names[encoding] : "unknown";
}

const char *pmn_parquet_codec_name(pmn_parquet_codec codec)
{
    static const char *const names[] = { "UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW" };
    return (unsigned)codec < sizeof names / sizeof *names ? names[codec] : "unknown";
}
