/* Trees of decoders: what all kinds have in common. See column.h. */
#include "format/orc/column.h"

#include <string.h>

#include "arrow/array.h"
#include "base/bitmap.h"

/* --- making --- */

/* What is read as Arrow's null type, or is not there, needs no decoder. */
static bool is_read(const pmn_want *want) { return want->field && want->type.kind != PMN_ARROW_NULL; }

static paimon_status refuse(const pmn_orc_column *c, paimon_error *err)
{
    const char *kind = pmn_orc_kind_name(c->type->kind);
    if (c->type->kind == PMN_ORC_UNION) return pmn_fail(err, PAIMON_UNSUPPORTED, "a union is not supported");
    if (c->type->kind == PMN_ORC_DECIMAL && c->want->type.kind == PMN_ARROW_DECIMAL && c->type->scale != c->want->type.scale) {
        return pmn_fail(err, PAIMON_CORRUPT, "a decimal of scale %d is stored, scale %d is wanted", (int)c->type->scale, (int)c->want->type.scale);
    }
    return pmn_fail(err, PAIMON_UNSUPPORTED, "stored %s cannot be read as the Arrow type \"%s\"", kind, c->want->schema->format);
}

static bool plan(pmn_orc_column *c)
{
    if (c->want->schema->dictionary) return false;
    switch (c->type->kind) {
    case PMN_ORC_BOOLEAN:
    case PMN_ORC_BYTE:
    case PMN_ORC_SHORT:
    case PMN_ORC_INT:
    case PMN_ORC_LONG:
    case PMN_ORC_FLOAT:
    case PMN_ORC_DOUBLE:
    case PMN_ORC_DATE: return pmn_orc_plan_number(c);
    case PMN_ORC_STRING:
    case PMN_ORC_VARCHAR:
    case PMN_ORC_CHAR:
    case PMN_ORC_BINARY: return pmn_orc_plan_text(c);
    case PMN_ORC_DECIMAL: return pmn_orc_plan_decimal(c);
    case PMN_ORC_TIMESTAMP:
    case PMN_ORC_INSTANT: return pmn_orc_plan_time(c);
    case PMN_ORC_LIST:
    case PMN_ORC_MAP:
    case PMN_ORC_STRUCT: return pmn_orc_plan_nested(c);
    default: return false;
    }
}

static paimon_status new_column(const pmn_orc_column *like, const pmn_want *want, pmn_decompressors *decompressors, pmn_orc_column **out, paimon_error *err)
{
    pmn_mem *mem = like->mem;
    pmn_orc_column *c = (pmn_orc_column *)pmn_calloc(mem, 1, sizeof *c);
    *out = c;
    if (!c) return pmn_fail_nomem(err, "a column's reader");
    c->file = like->file;
    c->mem = mem;
    c->pool = like->pool;
    c->want = want;
    c->type = want->field->node;
    c->is_top = like->is_top;
    pmn_arena_init(&c->index_arena, mem);
    pmn_orc_bits_init(&c->present, c->file, decompressors);
    pmn_orc_stream_init(&c->data, c->file, decompressors);
    pmn_orc_ints_init(&c->ints, c->file, decompressors, true);
    pmn_orc_ints_init(&c->second, c->file, decompressors, false);
    pmn_orc_bytes_init(&c->bytes, c->file, decompressors);
    pmn_orc_bits_init(&c->booleans, c->file, decompressors);
    if (!plan(c)) return refuse(c, err);
    /* The entries of a map are the map's own: its children are key and value. */
    const pmn_want *parent = c->type->kind == PMN_ORC_MAP ? &want->children[0] : want;
    if (parent->n_children == 0) return PAIMON_OK;
    c->children = (pmn_orc_column **)pmn_calloc(mem, (size_t)parent->n_children, sizeof(pmn_orc_column *));
    if (!c->children) return pmn_fail_nomem(err, "a column's reader");
    c->n_children = parent->n_children;
    pmn_orc_column below = *like;
    below.is_top = false;
    for (int32_t i = 0; i < parent->n_children; i++) {
        const pmn_want *child = &parent->children[i];
        if (!is_read(child)) continue;
        paimon_status status = new_column(&below, child, decompressors, &c->children[i], err);
        if (status != PAIMON_OK) {
            pmn_error_prefix(err, "field \"%s\"", child->schema->name ? child->schema->name : "");
            return status;
        }
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_column_new(pmn_orc_file *file, const pmn_want *want, pmn_decompressors *decompressors, pmn_buffer_pool *pool,
                                 pmn_orc_column **out, paimon_error *err)
{
    pmn_orc_column like = { .file = file, .mem = file->mem, .pool = pool, .is_top = true };
    return new_column(&like, want, decompressors, out, err);
}

void pmn_orc_column_free(pmn_orc_column *c)
{
    if (!c) return;
    for (int32_t i = 0; i < c->n_children; i++) pmn_orc_column_free(c->children[i]);
    if (c->children) pmn_free(c->mem, c->children, (size_t)c->n_children * sizeof(pmn_orc_column *));
    pmn_orc_bits_free(&c->present);
    pmn_orc_stream_free(&c->data);
    pmn_orc_ints_free(&c->ints);
    pmn_orc_ints_free(&c->second);
    pmn_orc_bytes_free(&c->bytes);
    pmn_orc_bits_free(&c->booleans);
    pmn_orc_dictionary_free(c);
    pmn_leaf_out_free(&c->out);
    pmn_arena_free(&c->index_arena);
    pmn_free(c->mem, c, sizeof *c);
}

void pmn_orc_column_lend(pmn_orc_column *c, pmn_orc_work *work)
{
    c->work = work;
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) pmn_orc_column_lend(c->children[i], work);
    }
}

paimon_status pmn_orc_misfit(const pmn_orc_column *c, int64_t at, paimon_error *err)
{
    return pmn_fail(err, PAIMON_CORRUPT, "a value (%lld of its block) does not fit the type that is wanted, Arrow \"%s\"", (long long)at, c->want->schema->format);
}

/* --- going through a stripe --- */

void pmn_orc_column_begin_stripe(pmn_orc_column *c, const pmn_orc_section *section)
{
    const pmn_orc_stream_info *present = pmn_orc_section_stream(section, c->type->id, PMN_ORC_PRESENT);
    c->has_present = present != NULL;
    c->encoding = pmn_orc_section_encoding(section, c->type->id);
    c->stripe_rows = section->n_rows;
    c->index_tried = false;
    pmn_orc_bits_begin(&c->present, present);
    c->ops->begin(c, section);
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) pmn_orc_column_begin_stripe(c->children[i], section);
    }
}

/* Integers are written a few past the end. */
static int64_t past_end(const pmn_orc_column *c) { return c->out.width <= PMN_ORC_WIDEST ? PMN_ORC_INTS_SLACK : 0; }

paimon_status pmn_orc_column_begin(pmn_orc_column *c, int64_t rows, paimon_error *err)
{
    PMN_TRY(pmn_leaf_out_begin(&c->out, rows + past_end(c), err));
    /* How many elements there will be is not known: as many as rows are a beginning. */
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) PMN_TRY(pmn_orc_column_begin(c->children[i], rows, err));
    }
    return PAIMON_OK;
}

/* `bits` of as many slots as `slots` has, to the rows of the slots. */
static void spread_bits(uint64_t *bits, const uint64_t *slots, int64_t n)
{
    uint64_t spread[PMN_ORC_BLOCK / 64 + 2];
    int64_t at = 0;
    memset(spread, 0, pmn_bitmap_bytes(n) + 8);
    for (int64_t i = 0; i < n; i++) {
        if (!pmn_bit_get((const uint8_t *)slots, i)) continue;
        if (pmn_bit_get((const uint8_t *)bits, at++)) pmn_bit_set((uint8_t *)spread, i);
    }
    memcpy(bits, spread, pmn_bitmap_bytes(n));
}

static paimon_status append_fixed(pmn_orc_column *c, int64_t n, const uint64_t *bits, int64_t n_valid, paimon_error *err)
{
    uint8_t *dst = c->out.values->data + c->out.n * c->out.width;
    if (!bits) return c->ops->decode(c, n, dst, err);
    if (n_valid) PMN_TRY(c->ops->decode(c, n_valid, c->work->compact, err));
    else memset(c->work->compact, 0, PMN_ORC_WIDEST);
    pmn_spread(c->work->compact, bits, n, c->out.width, dst);
    return PAIMON_OK;
}

paimon_status pmn_orc_column_block(pmn_orc_column *c, int64_t n, const uint64_t *slots, int64_t n_slots, paimon_error *err)
{
    const uint64_t *bits = slots;
    int64_t n_valid = slots ? n_slots : n;
    if (c->has_present) {
        PMN_TRY(pmn_orc_bits_read(&c->present, c->bits, n_valid, err));
        n_valid = pmn_bitmap_count((const uint8_t *)c->bits, 0, n_valid);
        if (slots && n_slots < n) spread_bits(c->bits, slots, n);
        bits = c->bits;
    }
    if (n_valid == n) bits = NULL;
    PMN_TRY(pmn_leaf_out_reserve(&c->out, n + past_end(c), err));
    PMN_TRY(pmn_leaf_out_validity(&c->out, (const uint8_t *)bits, n, n_valid, err));
    PMN_TRY(c->ops->append ? c->ops->append(c, n, bits, n_valid, err) : append_fixed(c, n, bits, n_valid, err));
    c->out.n += n;
    return PAIMON_OK;
}

paimon_status pmn_orc_column_append(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    while (n > 0) {
        int64_t m = n < PMN_ORC_BLOCK ? n : PMN_ORC_BLOCK;
        PMN_TRY(pmn_orc_column_block(c, m, NULL, 0, err));
        n -= m;
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_column_skip(pmn_orc_column *c, int64_t n, paimon_error *err)
{
    if (!c->has_present) return n ? c->ops->skip(c, n, err) : PAIMON_OK;
    int64_t n_valid = 0;
    for (int64_t left = n; left > 0;) {
        int64_t m = left < PMN_ORC_BLOCK ? left : PMN_ORC_BLOCK;
        PMN_TRY(pmn_orc_bits_read(&c->present, c->bits, m, err));
        n_valid += pmn_bitmap_count((const uint8_t *)c->bits, 0, m);
        left -= m;
    }
    return n_valid ? c->ops->skip(c, n_valid, err) : PAIMON_OK;
}

paimon_status pmn_orc_column_finish(pmn_orc_column *c, struct ArrowArray *array, paimon_error *err)
{
    return c->ops->finish ? c->ops->finish(c, array, err) : pmn_leaf_out_finish(&c->out, array, err);
}

int64_t pmn_orc_column_held(const pmn_orc_column *c)
{
    int64_t bytes = c->out.n * (c->out.width > 0 ? c->out.width : 4) + (c->n_children ? 0 : c->out.data_size);
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) bytes += pmn_orc_column_held(c->children[i]);
    }
    return bytes;
}

int64_t pmn_orc_column_bytes_read(const pmn_orc_column *c)
{
    int64_t bytes = c->present.bytes.s.bytes_read + c->data.bytes_read + c->ints.s.bytes_read + c->second.s.bytes_read + c->bytes.s.bytes_read
                    + c->booleans.bytes.s.bytes_read;
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) bytes += pmn_orc_column_bytes_read(c->children[i]);
    }
    return bytes;
}

/* --- the row index --- */

static paimon_status load_index(pmn_orc_column *c, const pmn_orc_section *section, pmn_decompressors *decompressors, paimon_error *err)
{
    const pmn_orc_stream_info *info = pmn_orc_section_stream(section, c->type->id, PMN_ORC_ROW_INDEX);
    pmn_decompressor *d;
    pmn_buf bytes;
    c->index_tried = true;
    c->index.n = 0;
    pmn_arena_free(&c->index_arena);
    if (!info) return PAIMON_OK;
    PMN_TRY(pmn_decompressors_borrow(decompressors, &d, err));
    pmn_buf_init(&bytes, c->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_orc_file_message(c->file, d, info->offset, info->size, &bytes, err);
    pmn_decompressors_return(decompressors, d);
    /* Positions lie in the arena, statistics in the bytes: those are not needed here. */
    if (status == PAIMON_OK) status = pmn_orc_index_parse(&c->index_arena, pmn_slice_of(bytes.data, bytes.size), &c->index, err);
    pmn_buf_free(&bytes);
    return status;
}

/* Whether all columns of the tree tell where the row group begins. */
static paimon_status has_entry(pmn_orc_column *c, const pmn_orc_section *section, int64_t group, pmn_decompressors *decompressors, bool *found, paimon_error *err)
{
    if (!c->index_tried) PMN_TRY(load_index(c, section, decompressors, err));
    *found = group < c->index.n && (c->index.entries[group].n_positions > 0 || c->n_children > 0);
    for (int32_t i = 0; *found && i < c->n_children; i++) {
        if (c->children[i]) PMN_TRY(has_entry(c->children[i], section, group, decompressors, found, err));
    }
    return PAIMON_OK;
}

static paimon_status go_to_entry(pmn_orc_column *c, int64_t group, paimon_error *err)
{
    const pmn_orc_index_entry *entry = &c->index.entries[group];
    pmn_orc_positions positions = { entry->positions, entry->positions + entry->n_positions };
    if (c->has_present) PMN_TRY(pmn_orc_bits_seek(&c->present, &positions, err));
    PMN_TRY(c->ops->seek(c, &positions, err));
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i]) PMN_TRY(go_to_entry(c->children[i], group, err));
    }
    return PAIMON_OK;
}

paimon_status pmn_orc_column_seek(pmn_orc_column *c, const pmn_orc_section *section, int64_t group, pmn_decompressors *decompressors, bool *found,
                                  paimon_error *err)
{
    PMN_TRY(has_entry(c, section, group, decompressors, found, err));
    return *found ? go_to_entry(c, group, err) : PAIMON_OK;
}
