/* One pass over an Avro record that writes a BinaryRow. Everything is inlined into one function, so that the cursor and the place in the
 * row live in registers. */
#include "meta/manifest/record_row.h"

#include <string.h>

#include "base/checked.h"
#include "meta/manifest/file_row_layout.h"
#include "meta/snapshot/snapshot.h"

typedef enum field_form { FORM_LONG, FORM_SIZE, FORM_INT, FORM_BYTE, FORM_BYTES, FORM_ROW, FORM_NAME, FORM_TEXT, FORM_STATS, FORM_TEXTS, FORM_LONGS } field_form;

typedef struct field_shape {
    uint8_t form;
    bool nullable;
} field_shape;

static const field_shape shapes[PMN_FILE_ROW_NEWEST] = {
    [FIELD_FILE_NAME] = { FORM_NAME, false },       [FIELD_FILE_SIZE] = { FORM_SIZE, false },
    [FIELD_ROW_COUNT] = { FORM_SIZE, false },       [FIELD_MIN_KEY] = { FORM_ROW, false },
    [FIELD_MAX_KEY] = { FORM_ROW, false },          [FIELD_KEY_STATS] = { FORM_STATS, false },
    [FIELD_VALUE_STATS] = { FORM_STATS, false },    [FIELD_MIN_SEQUENCE] = { FORM_LONG, false },
    [FIELD_MAX_SEQUENCE] = { FORM_LONG, false },    [FIELD_SCHEMA_ID] = { FORM_LONG, false },
    [FIELD_LEVEL] = { FORM_INT, false },            [FIELD_EXTRA_FILES] = { FORM_TEXTS, false },
    [FIELD_CREATION_TIME] = { FORM_LONG, true },    [FIELD_DELETE_ROW_COUNT] = { FORM_LONG, true },
    [FIELD_EMBEDDED_INDEX] = { FORM_BYTES, true },  [FIELD_FILE_SOURCE] = { FORM_BYTE, true },
    [FIELD_VALUE_STATS_COLS] = { FORM_TEXTS, true }, [FIELD_EXTERNAL_PATH] = { FORM_TEXT, true },
    [FIELD_FIRST_ROW_ID] = { FORM_LONG, true },     [FIELD_WRITE_COLS] = { FORM_TEXTS, true },
    [FIELD_WRITE_COLS_SEQUENCES] = { FORM_LONGS, true },
};

/* --- Does a writer's schema fit? --- */

static bool is_kind(const pmn_avro_type *type, pmn_avro_kind kind) { return type && type->kind == kind; }
static bool is_whole_number(const pmn_avro_type *type) { return is_kind(type, PMN_AVRO_INT) || is_kind(type, PMN_AVRO_LONG); }

/* What stands behind branch 1 of a union with null; NULL for another type. */
static const pmn_avro_type *behind_null(const pmn_avro_type *type)
{
    int null_branch = 0;
    const pmn_avro_type *value = type ? pmn_avro_nullable(type, &null_branch) : NULL;
    return null_branch == 0 ? value : NULL;
}

static bool is_list(const pmn_avro_type *type) { return is_kind(type, PMN_AVRO_ARRAY); }

static bool is_stats(const pmn_avro_type *type)
{
    return is_kind(type, PMN_AVRO_RECORD) && type->n == FILE_ROW_STATS_ARITY && strcmp(type->fields[0].name, "_MIN_VALUES") == 0 &&
           is_kind(type->fields[0].type, PMN_AVRO_BYTES) && strcmp(type->fields[1].name, "_MAX_VALUES") == 0 &&
           is_kind(type->fields[1].type, PMN_AVRO_BYTES) && strcmp(type->fields[2].name, "_NULL_COUNTS") == 0 &&
           is_list(behind_null(type->fields[2].type)) &&
           is_whole_number(behind_null(behind_null(type->fields[2].type)->fields[0].type));
}

static bool fits_form(const pmn_avro_type *type, uint8_t form)
{
    switch (form) {
    case FORM_LONG:
    case FORM_SIZE:
    case FORM_INT:
    case FORM_BYTE: return is_whole_number(type);
    case FORM_BYTES:
    case FORM_ROW: return is_kind(type, PMN_AVRO_BYTES);
    case FORM_NAME:
    case FORM_TEXT: return is_kind(type, PMN_AVRO_STRING);
    case FORM_STATS: return is_stats(type);
    case FORM_TEXTS: return is_list(type) && is_kind(type->fields[0].type, PMN_AVRO_STRING);
    default: return is_list(type) && is_whole_number(type->fields[0].type);
    }
}

static bool fits_field(const pmn_avro_field *field, int32_t i)
{
    const pmn_avro_type *type = shapes[i].nullable ? behind_null(field->type) : field->type;
    return strcmp(field->name, pmn_file_row_names[i]) == 0 && fits_form(type, shapes[i].form);
}

#define RECORD_HEAD_FIELDS 5

int32_t pmn_record_row_fields(const pmn_avro_type *root)
{
    static const struct {
        const char *name;
        pmn_avro_kind kind;
    } record[RECORD_HEAD_FIELDS + 1] = { { "_VERSION", PMN_AVRO_INT }, { "_KIND", PMN_AVRO_INT },          { "_PARTITION", PMN_AVRO_BYTES },
                                         { "_BUCKET", PMN_AVRO_INT },  { "_TOTAL_BUCKETS", PMN_AVRO_INT }, { "_FILE", PMN_AVRO_RECORD } };
    if (root->kind != PMN_AVRO_RECORD || root->n <= RECORD_HEAD_FIELDS) return 0;
    for (int32_t i = 0; i <= RECORD_HEAD_FIELDS; i++)
        if (strcmp(root->fields[i].name, record[i].name) != 0 || !is_kind(root->fields[i].type, record[i].kind)) return 0;
    const pmn_avro_type *file = root->fields[RECORD_HEAD_FIELDS].type;
    int32_t n = file->n < PMN_FILE_ROW_NEWEST ? file->n : PMN_FILE_ROW_NEWEST;
    for (int32_t i = 0; i < n; i++)
        if (!fits_field(&file->fields[i], i)) return 0;
    for (int32_t i = n; i < file->n; i++) /* a field that is known, but elsewhere */
        for (int32_t k = 0; k < PMN_FILE_ROW_NEWEST; k++)
            if (strcmp(file->fields[i].name, pmn_file_row_names[k]) == 0) return 0;
    return n >= PMN_FILE_ROW_OLDEST ? n : 0;
}

/* --- From record to row --- */

/* A place in the row, as bytes from the start of `out`: its memory moves when it grows. */
typedef struct row_output {
    pmn_buf *out;
    uint8_t *data; /* of out */
    size_t capacity;
    size_t at; /* where the next item goes */
    paimon_status status;
    paimon_error *err;
} row_output;

static PMN_NOINLINE paimon_status grow_row(pmn_buf *out, size_t at, size_t more, paimon_error *err)
{
    size_t whole = at - out->size;
    return pmn_add_size(whole, more, &whole) ? pmn_buf_reserve(out, whole, err) : pmn_fail_nomem(err, "a file's row");
}

/* Room for `n` bytes at w->at, which moves behind them. */
PMN_INLINE bool take_room(row_output *w, size_t n)
{
    if (PMN_UNLIKELY(w->capacity - w->at < n)) {
        w->status = grow_row(w->out, w->at, n, w->err);
        if (w->status != PAIMON_OK) return false;
        w->data = w->out->data;
        w->capacity = w->out->capacity;
    }
    w->at += n;
    return true;
}

PMN_INLINE void put_slot(row_output *w, size_t slot, uint64_t value) { pmn_store_le64(w->data + slot, value); }
/* `slot` points at what lies from `from` to w->at, but for the padding; `start` is that of its row or array. */
PMN_INLINE void point_slot(row_output *w, size_t slot, size_t start, size_t from, size_t n) { put_slot(w, slot, (uint64_t)(from - start) << 32 | n); }

PMN_INLINE bool take_bytes(pmn_cursor *c, pmn_slice *bytes)
{
    uint64_t n;
    if (PMN_UNLIKELY(!pmn_cursor_varint(c, &n) || (n & 1) || n / 2 > pmn_cursor_left(c))) return false;
    return pmn_cursor_take(c, (size_t)(n / 2), bytes);
}

PMN_INLINE bool put_item(row_output *w, size_t slot, size_t start, pmn_slice bytes)
{
    if (bytes.size <= FILE_ROW_IN_SLOT) {
        uint8_t short_item[8] = { 0 };
        memcpy(short_item, bytes.data, bytes.size);
        short_item[7] = (uint8_t)(0x80 | bytes.size);
        memcpy(w->data + slot, short_item, 8);
        return true;
    }
    size_t from = w->at;
    if (!take_room(w, pmn_file_row_padded(bytes.size))) return false;
    put_slot(w, w->at - 8, 0); /* the padding */
    memcpy(w->data + from, bytes.data, bytes.size);
    point_slot(w, slot, start, from, bytes.size);
    return true;
}

/* A serialized row, or the empty one in place of nothing. */
PMN_INLINE bool put_row(row_output *w, size_t slot, size_t start, pmn_cursor *c)
{
    pmn_slice bytes;
    return take_bytes(c, &bytes) && put_item(w, slot, start, PMN_LIKELY(bytes.size) ? bytes : pmn_file_row_or_empty(bytes));
}

PMN_INLINE bool put_text(row_output *w, size_t slot, size_t start, size_t least, pmn_cursor *c)
{
    pmn_slice text;
    return take_bytes(c, &text) && text.size >= least && !memchr(text.data, 0, text.size) && put_item(w, slot, start, text);
}

/* The count of an array and room for its fixed part: null bits zeroed, elements not. */
PMN_INLINE bool begin_array(row_output *w, pmn_cursor *c, size_t *first, uint64_t *n)
{
    if (!pmn_cursor_varint(c, n) || (*n & 1)) return false; /* odd: negative, a block with its size */
    *n /= 2;
    if (*n > pmn_cursor_left(c) || *n > INT32_MAX) return false;
    size_t from = w->at, head = pmn_file_row_array((int32_t)*n) - 8 * (size_t)*n;
    if (!take_room(w, head + 8 * (size_t)*n)) return false;
    memset(w->data + from, 0, head);
    pmn_store_le32(w->data + from, (uint32_t)*n);
    *first = from + head;
    return true;
}

/* An empty array has been its own end. */
PMN_INLINE bool end_array(pmn_cursor *c, uint64_t n)
{
    uint8_t end = 0;
    return n == 0 || (pmn_cursor_u8(c, &end) && end == 0);
}

/* Null counts: nullable numbers, of which -1 stands for null too. */
PMN_INLINE bool put_counts(row_output *w, size_t slot, size_t start, pmn_cursor *c)
{
    size_t from = w->at, first;
    uint64_t n, branch, number;
    if (!begin_array(w, c, &first, &n)) return false;
    for (uint64_t k = 0; k < n; k++) {
        if (PMN_LIKELY(pmn_cursor_left(c) >= 2 && c->pos[0] == 2 && c->pos[1] < 0x80 && c->pos[1] != 1)) { /* a small number */
            put_slot(w, first + 8 * k, (uint64_t)pmn_zigzag64(c->pos[1]));
            c->pos += 2;
            continue;
        }
        if (!pmn_cursor_varint(c, &branch) || branch > 2 || branch == 1) return false;
        number = 1;
        if (branch == 2 && !pmn_cursor_varint(c, &number)) return false;
        if (number == 1) {
            w->data[from + 4 + k / 8] |= (uint8_t)(1u << k % 8);
            number = 0;
        }
        put_slot(w, first + 8 * k, (uint64_t)pmn_zigzag64(number));
    }
    point_slot(w, slot, start, from, w->at - from);
    return end_array(c, n);
}

PMN_INLINE bool put_longs(row_output *w, size_t slot, size_t start, pmn_cursor *c)
{
    size_t from = w->at, first;
    uint64_t n;
    int64_t value;
    if (!begin_array(w, c, &first, &n)) return false;
    for (uint64_t k = 0; k < n; k++) {
        if (!pmn_cursor_zigzag(c, &value) || value == PMN_NONE) return false; /* it stands for null */
        put_slot(w, first + 8 * k, (uint64_t)value);
    }
    point_slot(w, slot, start, from, w->at - from);
    return end_array(c, n);
}

PMN_INLINE bool put_texts(row_output *w, size_t slot, size_t start, pmn_cursor *c)
{
    size_t from = w->at, first;
    uint64_t n;
    if (!begin_array(w, c, &first, &n)) return false;
    for (uint64_t k = 0; k < n; k++)
        if (!put_text(w, first + 8 * k, from, 0, c)) return false;
    point_slot(w, slot, start, from, w->at - from);
    return end_array(c, n);
}

PMN_INLINE bool put_stats(row_output *w, size_t slot, size_t start, pmn_cursor *c)
{
    size_t from = w->at, slots = from + FILE_ROW_HEADER;
    uint64_t branch;
    if (!take_room(w, FILE_ROW_HEADER + 8 * FILE_ROW_STATS_ARITY)) return false;
    put_slot(w, from, 0);
    if (!put_row(w, slots, from, c) || !put_row(w, slots + 8, from, c) || !pmn_cursor_varint(c, &branch) || branch > 2 || branch == 1) return false;
    if (branch == 0) {
        w->data[from + 1] |= 1u << 2;
        put_slot(w, slots + 16, 0);
    } else if (!put_counts(w, slots + 16, from, c)) {
        return false;
    }
    point_slot(w, slot, start, from, w->at - from);
    return true;
}

PMN_INLINE bool put_number(row_output *w, size_t slot, uint8_t form, pmn_cursor *c)
{
    uint64_t number;
    if (!pmn_cursor_varint_mixed(c, &number)) return false;
    int64_t value = pmn_zigzag64(number);
    if (value == PMN_NONE) return false; /* it stands for null */
    if (form == FORM_SIZE && value < 0) return false;
    if (form == FORM_INT) {
        if (value < INT32_MIN || value > INT32_MAX) return false;
        value = (int64_t)(uint32_t)value;
    }
    if (form == FORM_BYTE && (value < 0 || value > INT8_MAX)) return false;
    put_slot(w, slot, (uint64_t)value);
    return true;
}

PMN_INLINE bool put_field(row_output *w, size_t slot, size_t start, uint8_t form, pmn_cursor *c)
{
    pmn_slice bytes;
    switch (form) {
    case FORM_BYTES: return take_bytes(c, &bytes) && put_item(w, slot, start, bytes);
    case FORM_ROW: return put_row(w, slot, start, c);
    case FORM_NAME: return put_text(w, slot, start, 1, c);
    case FORM_TEXT: return put_text(w, slot, start, 0, c);
    case FORM_STATS: return put_stats(w, slot, start, c);
    case FORM_TEXTS: return put_texts(w, slot, start, c);
    case FORM_LONGS: return put_longs(w, slot, start, c);
    default: return put_number(w, slot, form, c);
    }
}

/* Version, kind, partition, bucket and total buckets. */
PMN_INLINE bool skip_head(pmn_cursor *c)
{
    uint64_t version, kind, bucket, total;
    pmn_slice partition;
    return pmn_cursor_varint(c, &version) && pmn_cursor_varint(c, &kind) && (kind == 0 || kind == 2) && take_bytes(c, &partition) &&
           pmn_cursor_varint(c, &bucket) && bucket <= UINT32_MAX && pmn_cursor_varint(c, &total) && total <= UINT32_MAX;
}

/* The first `n_fields` are in the record; the row's others are null. */
static bool put_fields(row_output *w, pmn_cursor c, int32_t n_fields, int32_t arity)
{
    size_t start = w->at, slots = start + FILE_ROW_HEADER;
    if (!skip_head(&c) || !take_room(w, FILE_ROW_HEADER + 8 * (size_t)arity)) return false;
    memset(w->data + start, 0, w->at - start);
    for (int32_t i = 0; i < arity; i++) {
        uint64_t branch = i < n_fields ? 2 : 0;
        if (i < n_fields && shapes[i].nullable && (!pmn_cursor_varint(&c, &branch) || branch > 2 || branch == 1)) return false;
        if (branch == 0) w->data[start + (8 + (size_t)i) / 8] |= (uint8_t)(1u << i % 8);
        else if (!put_field(w, slots + 8 * (size_t)i, start, shapes[i].form, &c)) return false;
    }
    return w->at - start <= INT32_MAX;
}

paimon_status pmn_record_row_write(pmn_cursor record, int32_t n_fields, int32_t arity, pmn_buf *out, bool *done, paimon_error *err)
{
    *done = false;
    if (n_fields > arity) return PAIMON_OK; /* what is left out has to be looked at, too */
    row_output w = { out, out->data, out->capacity, out->size, PAIMON_OK, err };
    *done = take_room(&w, 4) && put_fields(&w, record, n_fields, arity);
    if (!*done) return w.status;
    pmn_store_be32(w.data + out->size, (uint32_t)(w.at - out->size - 4));
    out->size = w.at;
    return PAIMON_OK;
}
