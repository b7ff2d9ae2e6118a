/* Running the operations of plan.c over records. A value is a switch over its code, a bounds check of what it reads and a store: room was made
 * before, types were settled, a null costs a bit. Whatever fails leaves the loop, and what to say about it is found out there. */
#include "format/avro/decode.h"

#include <string.h>

#include "arrow/array.h"
#include "format/avro/program.h"

/* Items of no bytes (nulls, records without fields) cost a file nothing, but us something. */
#define AVRO_MAX_EMPTY_ITEMS (1u << 20)

typedef enum decode_fault {
    FAULT_CUT,  /* cut, or no value of the type */
    FAULT_NULL, /* a null that may not be */
    FAULT_MISFIT,
    FAULT_TOLD /* the error is filled in */
} decode_fault;

typedef struct decode_run {
    pmn_avro_decoder *d;
    const uint8_t *base;
    uint32_t *starts;
    decode_fault fault;
    int64_t value; /* the one that does not fit */
    paimon_status status;
    paimon_error *err;
} decode_run;

static const pmn_avro_op *run_rows(decode_run *run, const pmn_avro_op *first, const pmn_avro_op *end, pmn_avro_level *level, int64_t count, pmn_cursor *cursor);

/* A length in front of bytes, or the known one. */
PMN_INLINE bool read_length(pmn_cursor *c, uint32_t known, size_t *n)
{
    uint64_t number;
    *n = known;
    if (known) return known <= pmn_cursor_left(c);
    if (PMN_UNLIKELY(!pmn_cursor_varint(c, &number))) return false;
    *n = (size_t)(number >> 1);
    return !(number & 1) && *n <= pmn_cursor_left(c); /* odd: a negative length */
}

/* A null cell: of lists of a fixed length the items as well, of structs all below. Bodies of lists get nothing. */
static bool blank_cells(decode_run *run, const pmn_avro_op *op, const pmn_avro_op *end, int64_t row)
{
    const pmn_avro_op *ops = run->d->ops;
    while (op < end) {
        pmn_avro_column *column = op->column;
        if (column) {
            pmn_avro_column_blank(column, row);
            if (PMN_UNLIKELY(column->kind == PMN_AVRO_COLUMN_FIXED_LIST)) {
                run->d->columns.used += (size_t)(column->width * column->items->row_bytes);
                run->status = pmn_avro_level_reserve(&run->d->columns, column->items, column->width, run->err);
                if (run->status != PAIMON_OK) return false;
                for (int32_t i = 0; i < column->width; i++) {
                    if (!blank_cells(run, op + 1, ops + op->end, column->items->n)) return false;
                    column->items->n++;
                }
            }
        }
        op = op->code == PMN_AVRO_OP_LIST ? ops + op->end : op + 1;
    }
    return true;
}

static bool avro_put_bytes(decode_run *run, pmn_avro_column *column, const uint8_t *bytes, size_t n, size_t readable)
{
    if (PMN_UNLIKELY(n >= column->data_room - column->data_size)) { /* so that there is room even before the first byte */
        run->status = pmn_avro_column_reserve_data(&run->d->columns, column, n + 1, run->err);
        if (run->status != PAIMON_OK) return false;
    }
    uint8_t *to = column->data + column->data_size;
    if (n <= 16 && readable >= 16) memcpy(to, bytes, 16); /* buffers have the slack; a copy of any length costs more */
    else memcpy(to, bytes, n);
    column->data_size += n;
    run->d->columns.used += n;
    return true;
}

/* Big-endian two's complement of any length into `width` bytes, little-endian; false if it does not fit. */
static bool put_decimal(const uint8_t *p, size_t n, size_t width, uint8_t *dst)
{
    if (n == 0) return false;
    uint8_t sign = p[0] & 0x80 ? 0xff : 0;
    for (; n > width; p++, n--) {
        if (p[0] != sign || ((p[1] ^ sign) & 0x80)) return false;
    }
    if (n <= 8) {
        uint64_t v = (uint64_t)(int64_t)(int8_t)sign;
        for (size_t i = 0; i < n; i++) v = v << 8 | p[i];
        if (width >= 8) {
            pmn_store_le64(dst, v);
            if (width > 8) memset(dst + 8, sign, width - 8);
            return true;
        }
        pmn_store_le32(dst, (uint32_t)v);
        return true;
    }
    memset(dst, sign, width);
    for (size_t i = 0; i < n; i++) dst[i] = p[n - 1 - i];
    return true;
}

PMN_INLINE bool put_integer(pmn_avro_column *column, const pmn_avro_op *op, int64_t row, int64_t v)
{
    if (PMN_UNLIKELY(v < op->low || v > op->high)) return false;
    switch (op->width) {
    case 1: column->values[row] = (uint8_t)v; break;
    case 2: pmn_store_le16(column->values + 2 * row, (uint16_t)v); break;
    case 4: pmn_store_le32(column->values + 4 * row, (uint32_t)v); break;
    default: pmn_store_le64(column->values + 8 * row, (uint64_t)v); break;
    }
    return true;
}

static bool put_scaled(pmn_avro_column *column, const pmn_avro_op *op, int64_t row, int64_t v)
{
    int64_t scaled;
    if (op->code == PMN_AVRO_OP_MULTIPLY) {
        if (__builtin_mul_overflow(v, op->low, &scaled)) return false;
    } else {
        scaled = v / op->low - (v % op->low < 0);
    }
    if (op->width == 8) {
        pmn_store_le64(column->values + 8 * row, (uint64_t)scaled);
        return true;
    }
    pmn_store_le32(column->values + 4 * row, (uint32_t)scaled);
    return scaled == (int32_t)scaled;
}

static bool put_symbol(decode_run *run, const pmn_avro_op *op, int64_t row, uint64_t number)
{
    const char *name = op->type->fields[number >> 1].name;
    size_t n = strlen(name);
    if (!avro_put_bytes(run, op->column, (const uint8_t *)name, n, n)) return false;
    if (op->column->kind == PMN_AVRO_COLUMN_VAR32) ((int32_t *)(void *)op->column->values)[row + 1] = (int32_t)op->column->data_size;
    else ((int64_t *)(void *)op->column->values)[row + 1] = (int64_t)op->column->data_size;
    return true;
}

static const pmn_avro_op *fault_at(decode_run *run, const pmn_avro_op *op, decode_fault fault)
{
    run->fault = fault;
    return op;
}

/* An array or a map: blocks of (count, items) until a count of 0; a negative count has the block's size in bytes behind it. */
static const pmn_avro_op *run_list(decode_run *run, const pmn_avro_op *op, int64_t row, pmn_cursor *c)
{
    pmn_avro_column *column = op->column;
    pmn_avro_level *items = column->items;
    const pmn_avro_op *body = op + 1, *end = run->d->ops + op->end;
    int64_t before = items->n, empty = 0;
    for (;;) {
        int64_t n, size;
        const uint8_t *block_end = NULL;
        if (!pmn_cursor_zigzag(c, &n)) return fault_at(run, op, FAULT_CUT);
        if (n == 0) break;
        if (n < 0) {
            if (n == INT64_MIN || !pmn_cursor_zigzag(c, &size) || size < 0 || (uint64_t)size > pmn_cursor_left(c)) return fault_at(run, op, FAULT_CUT);
            block_end = c->pos + size;
            n = -n;
        }
        if (op->n ? (uint64_t)n > pmn_cursor_left(c) / op->n : (uint64_t)n > (uint64_t)(AVRO_MAX_EMPTY_ITEMS - empty)) return fault_at(run, op, FAULT_CUT);
        if (!op->n) empty += n;
        run->d->columns.used += (size_t)(n * items->row_bytes);
        run->status = pmn_avro_level_reserve(&run->d->columns, items, n, run->err);
        if (run->status != PAIMON_OK) return fault_at(run, op, FAULT_TOLD);
        const pmn_avro_op *failed = run_rows(run, body, end, items, n, c);
        if (failed) return failed;
        if (block_end && c->pos != block_end) return fault_at(run, op, FAULT_CUT);
    }
    if (column->kind == PMN_AVRO_COLUMN_LIST32) {
        ((int32_t *)(void *)column->values)[row + 1] = (int32_t)items->n;
    } else if (column->kind == PMN_AVRO_COLUMN_LIST64) {
        ((int64_t *)(void *)column->values)[row + 1] = items->n;
    } else if (items->n - before != column->width) {
        run->value = items->n - before;
        return fault_at(run, op, FAULT_MISFIT);
    }
    return NULL;
}

/* Operations [first, end) for `count` rows. Returns the one that failed, or NULL. The cursor is a copy so that it can live in registers. */
static const pmn_avro_op *run_rows(decode_run *run, const pmn_avro_op *first, const pmn_avro_op *end, pmn_avro_level *level, int64_t count, pmn_cursor *cursor)
{
    pmn_cursor c = *cursor;
    const pmn_avro_op *const ops = run->d->ops;
    const bool is_top = level == run->d->top;
    const pmn_avro_op *op = first;
    int64_t row = level->n, begin = row, last = row + count;
    uint64_t number = 0;
    size_t length = 0;
    decode_fault fault = FAULT_CUT;
    for (; row < last; row++) {
        if (is_top) {
            if (PMN_UNLIKELY(run->d->columns.used > PMN_AVRO_BATCH_BYTES) && row > begin) break;
            if (run->starts) run->starts[row - begin] = (uint32_t)(c.pos - run->base);
        }
        for (op = first; op < end; op++) {
            pmn_avro_column *const column = op->column;
            if (op->in_union) {
                if (PMN_UNLIKELY(!pmn_cursor_varint(&c, &number))) goto failed;
                if (number != op->value_code) {
                    if (number != op->null_code || op->null_code == PMN_AVRO_NO_BRANCH) goto failed;
                    fault = FAULT_NULL;
                    if (op->refuses_null) goto failed;
                    fault = FAULT_TOLD;
                    if (!column) { /* skipped, or a null type */
                    } else if (op->end == (uint32_t)(op - ops) + 1) {
                        pmn_avro_column_blank(column, row);
                    } else if (!blank_cells(run, op, ops + op->end, row)) {
                        goto failed;
                    }
                    fault = FAULT_CUT;
                    op = ops + op->end - 1;
                    continue;
                }
            }
            switch (op->code) {
            case PMN_AVRO_OP_I64:
                if (PMN_UNLIKELY(!pmn_cursor_varint_mixed(&c, &number))) goto failed;
                pmn_store_le64(column->values + 8 * row, (uint64_t)pmn_zigzag64(number));
                break;
            case PMN_AVRO_OP_INTEGER:
                if (PMN_UNLIKELY(!pmn_cursor_varint_mixed(&c, &number))) goto failed;
                if (PMN_UNLIKELY(!put_integer(column, op, row, pmn_zigzag64(number)))) goto misfit;
                break;
            case PMN_AVRO_OP_MULTIPLY:
            case PMN_AVRO_OP_DIVIDE:
                if (PMN_UNLIKELY(!pmn_cursor_varint_mixed(&c, &number))) goto failed;
                if (PMN_UNLIKELY(!put_scaled(column, op, row, pmn_zigzag64(number)))) goto misfit;
                break;
            case PMN_AVRO_OP_F64:
                if (PMN_UNLIKELY(pmn_cursor_left(&c) < 8)) goto failed;
                memcpy(column->values + 8 * row, c.pos, 8);
                c.pos += 8;
                break;
            case PMN_AVRO_OP_F32:
                if (PMN_UNLIKELY(pmn_cursor_left(&c) < 4)) goto failed;
                memcpy(column->values + 4 * row, c.pos, 4);
                c.pos += 4;
                break;
            case PMN_AVRO_OP_F32_TO_F64: {
                uint32_t bits;
                float narrow;
                if (PMN_UNLIKELY(!pmn_cursor_le32(&c, &bits))) goto failed;
                memcpy(&narrow, &bits, sizeof narrow);
                ((double *)(void *)column->values)[row] = (double)narrow;
                break;
            }
            case PMN_AVRO_OP_F64_TO_F32: {
                uint64_t bits;
                double wide;
                if (PMN_UNLIKELY(!pmn_cursor_le64(&c, &bits))) goto failed;
                memcpy(&wide, &bits, sizeof wide);
                ((float *)(void *)column->values)[row] = (float)wide;
                break;
            }
            case PMN_AVRO_OP_BOOL:
                if (PMN_UNLIKELY(c.pos == c.end || *c.pos > 1)) goto failed;
                column->values[row >> 3] |= (uint8_t)(*c.pos << (row & 7));
                c.pos++;
                break;
            case PMN_AVRO_OP_VAR32:
                if (PMN_UNLIKELY(!read_length(&c, op->n, &length))) goto failed;
                if (PMN_UNLIKELY(!avro_put_bytes(run, column, c.pos, length, pmn_cursor_left(&c)))) goto told;
                c.pos += length;
                ((int32_t *)(void *)column->values)[row + 1] = (int32_t)column->data_size;
                break;
            case PMN_AVRO_OP_VAR64:
                if (PMN_UNLIKELY(!read_length(&c, op->n, &length))) goto failed;
                if (PMN_UNLIKELY(!avro_put_bytes(run, column, c.pos, length, pmn_cursor_left(&c)))) goto told;
                c.pos += length;
                ((int64_t *)(void *)column->values)[row + 1] = (int64_t)column->data_size;
                break;
            case PMN_AVRO_OP_ENUM:
                if (!pmn_cursor_varint(&c, &number) || (number & 1) || number >> 1 >= (uint64_t)op->type->n) goto failed;
                if (!put_symbol(run, op, row, number)) goto told;
                break;
            case PMN_AVRO_OP_FIXED:
                if (!read_length(&c, op->low ? 0 : op->n, &length)) goto failed;
                if (length != op->n) {
                    run->value = (int64_t)length;
                    goto misfit_told;
                }
                memcpy(column->values + (size_t)op->n * (size_t)row, c.pos, length);
                c.pos += length;
                break;
            case PMN_AVRO_OP_DECIMAL:
                if (PMN_UNLIKELY(!read_length(&c, op->n, &length))) goto failed;
                run->value = (int64_t)length;
                if (PMN_UNLIKELY(!put_decimal(c.pos, length, op->width, column->values + (size_t)op->width * (size_t)row))) goto misfit_told;
                c.pos += length;
                break;
            case PMN_AVRO_OP_LIST: {
                *cursor = c;
                const pmn_avro_op *inner = run_list(run, op, row, cursor);
                if (PMN_UNLIKELY(inner != NULL)) {
                    level->n = row;
                    return inner;
                }
                c = *cursor;
                op = ops + op->end - 1;
                break;
            }
            case PMN_AVRO_OP_SKIP_LONGS:
                for (uint32_t i = 0; i < op->n; i++)
                    if (PMN_UNLIKELY(!pmn_cursor_varint_mixed(&c, &number))) goto failed;
                break;
            case PMN_AVRO_OP_SKIP_BYTES:
                if (PMN_UNLIKELY(!read_length(&c, 0, &length))) goto failed;
                c.pos += length;
                break;
            case PMN_AVRO_OP_SKIP_FIXED:
                if (PMN_UNLIKELY(!pmn_cursor_skip(&c, op->n))) goto failed;
                break;
            case PMN_AVRO_OP_SKIP_TREE:
                if (PMN_UNLIKELY(!pmn_avro_skip(op->type, &c))) goto failed;
                break;
            case PMN_AVRO_OP_MARK: run->d->marks[op->n] = c.pos; break;
            case PMN_AVRO_OP_BACK: c.pos = run->d->marks[op->n]; break;
            default: break; /* a struct, or a root: go on inside */
            }
        }
    }
    level->n = row;
    *cursor = c;
    return NULL;
misfit:
    run->value = pmn_zigzag64(number);
misfit_told:
    fault = FAULT_MISFIT;
    goto failed;
told:
    fault = FAULT_TOLD;
failed:
    level->n = row;
    *cursor = c;
    return fault_at(run, op, fault);
}

static paimon_status tell_fault(const decode_run *run, const pmn_avro_op *op)
{
    const char *path = op->path ? op->path : "?", *kind = op->type ? pmn_avro_kind_name(op->type->kind) : "?", *format = op->format ? op->format : "?";
    switch (run->fault) {
    case FAULT_TOLD: return run->status;
    case FAULT_NULL: return pmn_fail(run->err, PAIMON_CORRUPT, "column %s may not be null, but is", path);
    case FAULT_CUT: return pmn_fail(run->err, PAIMON_CORRUPT, "column %s (%s) is cut or damaged", path, kind);
    case FAULT_MISFIT: break;
    }
    const char *what = op->code == PMN_AVRO_OP_DECIMAL ? "a decimal of this many bytes: " : op->code == PMN_AVRO_OP_FIXED ? "bytes of this length: " :
                       op->code == PMN_AVRO_OP_LIST ? "this many items: " : "";
    return pmn_fail(run->err, PAIMON_CORRUPT, "column %s: %s%lld does not fit the Arrow type \"%s\"", path, what, (long long)run->value, format);
}

paimon_status pmn_avro_decode(pmn_avro_decoder *d, pmn_cursor *c, int64_t n, bool alone, const uint8_t *base, uint32_t *starts, int64_t *done,
                              paimon_error *err)
{
    decode_run run = { .d = d, .base = base, .starts = starts, .status = PAIMON_OK, .err = err };
    int64_t before = d->top->n;
    *done = 0;
    PMN_TRY(pmn_avro_level_reserve(&d->columns, d->top, n, err));
    const pmn_avro_op *failed = NULL;
    if (d->n_ops) {
        failed = run_rows(&run, d->ops, d->ops + (alone ? d->n_needed : d->n_ops), d->top, n, c);
    } else {
        for (int64_t i = 0; starts && i < n; i++) starts[i] = (uint32_t)(c->pos - base);
        d->top->n += n;
    }
    *done = d->top->n - before;
    if (!failed) return PAIMON_OK;
    paimon_status status = tell_fault(&run, failed);
    return status;
}

/* ---- handing over ---- */

static paimon_status take_out(pmn_avro_decoder *d, const pmn_avro_out *out, int64_t n, struct ArrowArray *array, paimon_error *err)
{
    if (!out->column) return pmn_array_nulls(d->columns.pool, out->schema, n, array, err);
    int64_t inner = out->column->items ? out->column->items->n : n;
    PMN_TRY(pmn_avro_column_take(&d->columns, out->column, n, out->n_children, array, err));
    for (int32_t i = 0; i < out->n_children; i++) {
        paimon_status status = take_out(d, &out->children[i], inner, array->children[i], err);
        if (status == PAIMON_OK) continue;
        pmn_array_release(array);
        return status;
    }
    return PAIMON_OK;
}

paimon_status pmn_avro_decoder_take(pmn_avro_decoder *d, struct ArrowArray *out, paimon_error *err)
{
    pmn_buffer *none = NULL;
    int64_t n = d->top->n;
    paimon_status status = PAIMON_OK;
    out->release = NULL;
    /* Consumers like to see addresses, even of nothing. */
    for (pmn_avro_level *level = d->columns.levels; level && status == PAIMON_OK; level = level->next) {
        if (level->capacity == 0) status = pmn_avro_level_reserve(&d->columns, level, 1, err);
    }
    if (status == PAIMON_OK) status = pmn_array_new(pmn_buffer_pool_mem(d->columns.pool), n, 0, 1, &none, d->n_outs, out, err);
    for (int32_t i = 0; i < d->n_outs && status == PAIMON_OK; i++) status = take_out(d, &d->outs[i], n, out->children[i], err);
    pmn_avro_columns_reset(&d->columns);
    if (status != PAIMON_OK) pmn_array_release(out);
    return status;
}

void pmn_avro_decoder_free(pmn_avro_decoder *d)
{
    if (!d->columns.pool) return;
    pmn_avro_columns_reset(&d->columns);
    pmn_buffer_pool_release(d->columns.pool);
    d->columns.pool = NULL;
}
