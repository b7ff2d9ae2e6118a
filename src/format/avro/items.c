/* Walking arrays whose encoded bytes a program captured. */
#include "format/avro/program.h"

/* Items of no bytes (null, a record without fields) cost a file nothing, but us something. */
#define AVRO_MAX_EMPTY_ITEMS (1u << 20)

pmn_avro_items pmn_avro_items_of(const pmn_avro_type *array, pmn_slice encoded)
{
    pmn_avro_items it = { pmn_cursor_of(encoded.data, encoded.size), array->fields[0].type, array->kind == PMN_AVRO_MAP, 0, NULL };
    return it;
}

bool pmn_avro_items_next(pmn_avro_items *it, bool *more)
{
    *more = false;
    if (it->left == 0) {
        int64_t n, size;
        if (it->block_end && it->block_end != it->c.pos) return false;
        it->block_end = NULL;
        if (!pmn_cursor_zigzag(&it->c, &n)) return false;
        if (n == 0) return true;
        if (n < 0) {
            if (n == INT64_MIN || !pmn_cursor_zigzag(&it->c, &size) || size < 0 || (uint64_t)size > pmn_cursor_left(&it->c)) return false;
            it->block_end = it->c.pos + size;
            n = -n;
        }
        uint64_t bound = it->is_map || it->item->min_bytes ? pmn_cursor_left(&it->c) : AVRO_MAX_EMPTY_ITEMS;
        if ((uint64_t)n > bound) return false;
        it->left = n;
    }
    it->left--;
    *more = true;
    return true;
}

bool pmn_avro_take_nullable(pmn_cursor *c, const pmn_avro_type *type, const pmn_avro_type **value, bool *is_null)
{
    int null_branch = 0;
    uint64_t branch;
    *is_null = false;
    *value = pmn_avro_nullable(type, &null_branch);
    if (!*value) {
        *value = type;
        return true;
    }
    if (!pmn_cursor_varint(c, &branch) || (branch != 0 && branch != 2)) return false;
    *is_null = (int)(branch / 2) == null_branch;
    return true;
}

/* How many items: a first walk, so that the second can fill an array of the right size. */
static bool count_items(const pmn_avro_type *array, pmn_slice encoded, int32_t *n)
{
    pmn_avro_items it = pmn_avro_items_of(array, encoded);
    int64_t total = 0;
    for (bool more;;) {
        if (!pmn_avro_items_next(&it, &more)) return false;
        if (!more) break;
        if (!pmn_avro_skip(it.item, &it.c) || ++total == INT32_MAX) return false;
    }
    *n = (int32_t)total;
    return true;
}

static paimon_status damaged(paimon_error *err) { return pmn_fail(err, PAIMON_CORRUPT, "an Avro array is cut or damaged"); }

/* The integers of an array that is one block, as writers make it, in one walk: null counts come in hundreds of thousands. `*n` -1: it is
 * not, or is damaged. */
static paimon_status one_block_of_longs(pmn_arena *arena, const pmn_avro_type *array, pmn_slice encoded, int64_t null_value, const int64_t **out,
                                        int32_t *n, paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(encoded.data, encoded.size);
    int null_branch = 0;
    int64_t count = 0;
    *n = -1;
    const pmn_avro_type *value = pmn_avro_nullable(array->fields[0].type, &null_branch);
    if (!value || array->kind != PMN_AVRO_ARRAY || (value->kind != PMN_AVRO_INT && value->kind != PMN_AVRO_LONG)) return PAIMON_OK;
    if (!pmn_cursor_zigzag(&c, &count) || count < 0 || (uint64_t)count > pmn_cursor_left(&c) || count >= INT32_MAX) return PAIMON_OK;
    int64_t *values = pmn_arena_alloc(arena, ((size_t)count + 1) * sizeof *values);
    if (!values) return pmn_fail_nomem(err, "Avro array");
    for (int64_t i = 0; i < count; i++) {
        uint8_t branch;
        if (!pmn_cursor_u8(&c, &branch) || (branch != 0 && branch != 2)) return PAIMON_OK;
        values[i] = null_value;
        if (branch / 2 != null_branch && !pmn_cursor_zigzag(&c, &values[i])) return PAIMON_OK;
    }
    if (count > 0 && (pmn_cursor_left(&c) == 0 || *c.pos != 0)) return PAIMON_OK;
    *out = values;
    *n = (int32_t)count;
    return PAIMON_OK;
}

paimon_status pmn_avro_items_longs(pmn_arena *arena, const pmn_avro_type *array, pmn_slice encoded, int64_t null_value, const int64_t **out,
                                   int32_t *n, paimon_error *err)
{
    PMN_TRY(one_block_of_longs(arena, array, encoded, null_value, out, n, err));
    if (PMN_LIKELY(*n >= 0)) return PAIMON_OK;
    if (!count_items(array, encoded, n)) return damaged(err);
    int64_t *values = pmn_arena_calloc(arena, (size_t)*n + 1, sizeof *values);
    if (!values) return pmn_fail_nomem(err, "Avro array");
    pmn_avro_items it = pmn_avro_items_of(array, encoded);
    for (int32_t i = 0; i < *n; i++) {
        bool more, is_null;
        const pmn_avro_type *value;
        if (!pmn_avro_items_next(&it, &more) || !more || !pmn_avro_take_nullable(&it.c, it.item, &value, &is_null)) return damaged(err);
        if (value->kind != PMN_AVRO_INT && value->kind != PMN_AVRO_LONG)
            return pmn_fail(err, PAIMON_CORRUPT, "an Avro array holds %s, not integers", pmn_avro_kind_name(value->kind));
        values[i] = null_value;
        if (!is_null && !pmn_cursor_zigzag(&it.c, &values[i])) return damaged(err);
    }
    *out = values;
    return PAIMON_OK;
}

paimon_status pmn_avro_items_texts(pmn_arena *arena, const pmn_avro_type *array, pmn_slice encoded, const char ***out, int32_t *n, paimon_error *err)
{
    if (!count_items(array, encoded, n)) return damaged(err);
    const char **texts = pmn_arena_calloc(arena, (size_t)*n + 1, sizeof *texts);
    if (!texts) return pmn_fail_nomem(err, "Avro array");
    pmn_avro_items it = pmn_avro_items_of(array, encoded);
    for (int32_t i = 0; i < *n; i++) {
        bool more, is_null;
        const pmn_avro_type *value;
        int64_t length;
        if (!pmn_avro_items_next(&it, &more) || !more || !pmn_avro_take_nullable(&it.c, it.item, &value, &is_null)) return damaged(err);
        if (value->kind != PMN_AVRO_STRING || is_null)
            return pmn_fail(err, PAIMON_CORRUPT, "an Avro array holds %s, not texts", is_null ? "null" : pmn_avro_kind_name(value->kind));
        if (!pmn_cursor_zigzag(&it.c, &length) || length < 0 || (uint64_t)length > pmn_cursor_left(&it.c)) return damaged(err);
        texts[i] = pmn_arena_strndup(arena, (const char *)it.c.pos, (size_t)length);
        if (!texts[i]) return pmn_fail_nomem(err, "Avro array");
        it.c.pos += length;
    }
    *out = texts;
    return PAIMON_OK;
}
