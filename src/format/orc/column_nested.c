/* Columns of structs, lists and maps. Children have values only where their parent has one: a struct hands its bits down, a list its number of
 * elements. */
#include <string.h>

#include "arrow/array.h"
#include "format/orc/column.h"

/* Elements of one array at most: lengths are believed to a file's byte, and a few bytes may claim very many. */
#define MOST_ELEMENTS (INT64_C(256) * 1024 * 1024)

static paimon_status array_of(pmn_orc_column *c, int n_buffers, int n_children, struct ArrowArray *array, paimon_error *err)
{
    pmn_buffer *buffers[2] = { c->out.validity, c->out.values };
    size_t width = c->out.kind == PMN_LEAF_VAR64 ? 8 : 4;
    if (buffers[0]) buffers[0]->size = (size_t)(c->out.n + 7) / 8;
    if (buffers[1]) buffers[1]->size = (size_t)(c->out.n + 1) * width;
    c->out.validity = NULL;
    if (n_buffers > 1) c->out.values = NULL;
    return pmn_array_new(c->mem, c->out.n, c->out.n_nulls, n_buffers, buffers, n_children, array, err);
}

/* The array of child `i` of `c` with `n` rows; nulls if it is not read. */
static paimon_status finish_child(pmn_orc_column *c, const pmn_want *want, int32_t i, int64_t n, struct ArrowArray *array, paimon_error *err)
{
    return c->children[i] ? pmn_orc_column_finish(c->children[i], array, err) : pmn_array_nulls(c->pool, want->schema, n, array, err);
}

/* --- structs --- */

static void begin_struct(pmn_orc_column *c, const pmn_orc_section *section)
{
    (void)c;
    (void)section;
}

static paimon_status append_struct(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err)
{
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) PMN_TRY(pmn_orc_column_block(c->children[i], n, bits, n_valid, err));
    }
    return PAIMON_OK;
}

static paimon_status skip_struct(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) PMN_TRY(pmn_orc_column_skip(c->children[i], n, err));
    }
    return PAIMON_OK;
}

static paimon_status seek_struct(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err)
{
    (void)c;
    (void)positions;
    (void)err;
    return PAIMON_OK;
}

static paimon_status finish_struct(pmn_orc_column *c, struct ArrowArray *array, paimon_error *err)
{
    int64_t n = c->out.n;
    PMN_TRY(array_of(c, 1, c->want->n_children, array, err));
    for (int32_t i = 0; i < c->want->n_children; i++) {
        paimon_status status = finish_child(c, &c->want->children[i], i, n, array->children[i], err);
        if (status == PAIMON_OK) continue;
        pmn_array_release(array);
        return status;
    }
    return PAIMON_OK;
}

static const pmn_orc_column_ops struct_ops = { begin_struct, append_struct, skip_struct, seek_struct, finish_struct, NULL };

/* --- lists and maps --- */

static void begin_list(pmn_orc_column *c, const pmn_orc_section *section)
{
    pmn_orc_ints_begin(&c->second, pmn_orc_section_stream(section, c->type->id, PMN_ORC_LENGTH), c->encoding.kind == PMN_ORC_DIRECT_V2);
}

static paimon_status sum_lengths(pmn_orc_column *c, int64_t n, int64_t *total, paimon_error *err)
{
    const int64_t *lengths = c->work->numbers;
    int64_t sum = 0, all = 0;
    PMN_TRY(pmn_orc_ints_read(&c->second, c->work->numbers, n, err));
    for (int64_t i = 0; i < n; i++) {
        all |= lengths[i];
        sum += (int32_t)lengths[i];
    }
    if (all < 0 || all > INT32_MAX) return pmn_fail(err, PAIMON_CORRUPT, "a list's length is out of bounds");
    *total = sum;
    return PAIMON_OK;
}

static void put_ends(pmn_orc_column *c, int64_t n, const uint64_t *bits)
{
    const int64_t *lengths = c->work->numbers;
    int64_t at = c->out.data_size, next = 0;
    int32_t *ends = (int32_t *)(void *)c->out.values->data + c->out.n + 1;
    int64_t *wide = (int64_t *)(void *)c->out.values->data + c->out.n + 1;
    for (int64_t i = 0; i < n; i++) {
        if (!bits || pmn_bit_get((const uint8_t *)bits, i)) at += lengths[next++];
        if (c->out.kind == PMN_LEAF_VAR64) wide[i] = at;
        else ends[i] = (int32_t)at;
    }
    c->out.data_size = at;
}

static paimon_status append_list(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err)
{
    int64_t total;
    PMN_TRY(sum_lengths(c, n_valid, &total, err));
    if (c->out.data_size + total > MOST_ELEMENTS) {
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%lld list elements at once are not supported", (long long)(c->out.data_size + total));
    }
    put_ends(c, n, bits);
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) PMN_TRY(pmn_orc_column_append(c->children[i], total, err));
    }
    return PAIMON_OK;
}

static paimon_status skip_list(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    while (n > 0) {
        int64_t m = n < PMN_ORC_BLOCK ? n : PMN_ORC_BLOCK, total;
        PMN_TRY(sum_lengths(c, m, &total, err));
        for (int32_t i = 0; i < c->n_children; i++) {
            if (c->children[i]) PMN_TRY(pmn_orc_column_skip(c->children[i], total, err));
        }
        n -= m;
    }
    return PAIMON_OK;
}

static paimon_status seek_list(pmn_orc_column *c, pmn_orc_positions *positions, paimon_error *err) { return pmn_orc_ints_seek(&c->second, positions, err); }

static paimon_status finish_entries(pmn_orc_column *c, int64_t n, struct ArrowArray *array, paimon_error *err)
{
    const pmn_want *entries = &c->want->children[0];
    pmn_buffer *no_validity = NULL;
    PMN_TRY(pmn_array_new(c->mem, n, 0, 1, &no_validity, entries->n_children, array, err));
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < entries->n_children && status == PAIMON_OK; i++) status = finish_child(c, &entries->children[i], i, n, array->children[i], err);
    if (status == PAIMON_OK && entries->n_children > 0 && array->children[0]->null_count > 0) {
        status = pmn_fail(err, PAIMON_CORRUPT, "a map has a null key, which Arrow does not allow");
    }
    if (status != PAIMON_OK) pmn_array_release(array);
    return status;
}

static paimon_status finish_list(pmn_orc_column *c, struct ArrowArray *array, paimon_error *err)
{
    int64_t n = c->out.data_size;
    PMN_TRY(array_of(c, 2, 1, array, err));
    paimon_status status = c->type->kind == PMN_ORC_MAP ? finish_entries(c, n, array->children[0], err)
                                                        : finish_child(c, &c->want->children[0], 0, n, array->children[0], err);
    if (status != PAIMON_OK) pmn_array_release(array);
    return status;
}

static const pmn_orc_column_ops list_ops = { begin_list, append_list, skip_list, seek_list, finish_list, NULL };

bool pmn_orc_plan_nested(pmn_orc_column *c)
{
    pmn_arrow_kind kind = c->want->type.kind;
    if (c->type->kind == PMN_ORC_STRUCT) {
        c->ops = &struct_ops;
        pmn_leaf_out_init(&c->out, c->pool, PMN_LEAF_FIXED, 0);
        return kind == PMN_ARROW_STRUCT;
    }
    c->ops = &list_ops;
    pmn_leaf_out_init(&c->out, c->pool, kind == PMN_ARROW_LARGE_LIST ? PMN_LEAF_VAR64 : PMN_LEAF_VAR32, 0);
    if (c->type->kind == PMN_ORC_MAP) return kind == PMN_ARROW_MAP && c->want->n_children == 1;
    return kind == PMN_ARROW_LIST || kind == PMN_ARROW_LARGE_LIST;
}
