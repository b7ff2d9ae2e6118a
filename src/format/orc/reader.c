/* A pass over an ORC file: what is its own of it. See format/pass.h. */
#include <string.h>

#include "base/bitmap.h"
#include "format/orc/top.h"
#include "format/pass.h"

typedef struct orc_pass {
    pmn_orc_file *file; /* counted */
    pmn_decompressors decompressors;
    pmn_orc_sections sections;
    pmn_orc_zone zones;
    bool needs_zone;
} orc_pass;

static paimon_status orc_pass_schema(void *ctx, struct ArrowSchema *out, paimon_error *err) { return pmn_orc_schema_arrow(((orc_pass *)ctx)->file, out, err); }

static void orc_pass_group(const void *ctx, int32_t group, int64_t *first_row, int64_t *n_rows)
{
    const pmn_orc_stripe *stripe = &((const orc_pass *)ctx)->file->meta.stripes[group];
    *first_row = stripe->first_row;
    *n_rows = stripe->n_rows;
}

/* Some writers tell for each row that it is there. */
static paimon_status check_rows(orc_pass *p, const pmn_orc_section *section, paimon_error *err)
{
    const pmn_orc_stream_info *info = pmn_orc_section_stream(section, 0, PMN_ORC_PRESENT);
    if (!info || p->file->meta.types[0]->kind != PMN_ORC_STRUCT) return PAIMON_OK;
    pmn_orc_bits present;
    uint64_t bits[PMN_ORC_MOST_BITS / 64 + 2];
    paimon_status status = PAIMON_OK;
    pmn_orc_bits_init(&present, p->file, &p->decompressors);
    pmn_orc_bits_begin(&present, info);
    for (int64_t left = section->n_rows; left > 0 && status == PAIMON_OK;) {
        int64_t n = left < PMN_ORC_MOST_BITS ? left : PMN_ORC_MOST_BITS;
        status = pmn_orc_bits_read(&present, bits, n, err);
        if (status == PAIMON_OK && pmn_bitmap_count((const uint8_t *)bits, 0, n) < n) {
            status = pmn_fail(err, PAIMON_UNSUPPORTED, "stripe %d: rows that are null as a whole are not supported", (int)section->stripe);
        }
        left -= n;
    }
    pmn_orc_bits_free(&present);
    return status;
}

static paimon_status orc_pass_open(void *ctx, int32_t group, paimon_error *err)
{
    orc_pass *p = ctx;
    pmn_decompressor *d;
    void *grown = pmn_grow(p->file->mem, p->sections.items, (size_t)p->sections.n, 1, &p->sections.capacity, sizeof(pmn_orc_section *));
    if (!grown) return pmn_fail_nomem(err, "a stripe");
    p->sections.items = grown;
    PMN_TRY(pmn_decompressors_borrow(&p->decompressors, &d, err));
    paimon_status status = pmn_orc_section_open(p->file, group, d, p->needs_zone ? &p->zones : NULL, &p->sections.items[p->sections.n], err);
    pmn_decompressors_return(&p->decompressors, d);
    PMN_TRY(status);
    return check_rows(p, p->sections.items[p->sections.n++], err);
}

static void orc_pass_close(void *ctx, int32_t group)
{
    orc_pass *p = ctx;
    int32_t done = 0;
    while (done < p->sections.n && p->sections.items[done]->stripe < group) pmn_orc_section_free(p->sections.items[done++]);
    if (done == 0) return;
    p->sections.n -= done;
    memmove(p->sections.items, p->sections.items + done, (size_t)p->sections.n * sizeof(pmn_orc_section *));
}

static paimon_status orc_pass_prune(void *ctx, int32_t group, const pmn_read_filter *filter, pmn_row_ranges *may, paimon_error *err)
{
    orc_pass *p = ctx;
    pmn_decompressor *d;
    PMN_TRY(pmn_decompressors_borrow(&p->decompressors, &d, err));
    paimon_status status = pmn_orc_prune_stripe(p->file, group, &p->sections.items[p->sections.n - 1]->footer, d, filter->pred, &filter->want, may, err);
    pmn_decompressors_return(&p->decompressors, d);
    return status;
}

/* Whether something is read that needs the writer's zone. */
static bool has_wall_clock(const pmn_orc_column *c)
{
    if (c->type->kind == PMN_ORC_TIMESTAMP || (c->type->kind == PMN_ORC_INSTANT && c->file->instants_are_local)) return true;
    for (int32_t i = 0; i < c->n_children; i++) {
        if (c->children[i] && has_wall_clock(c->children[i])) return true;
    }
    return false;
}

static paimon_status orc_pass_columns(void *ctx, pmn_colset *set, pmn_arena *arena, paimon_error *err)
{
    orc_pass *p = ctx;
    (void)arena;
    for (int32_t i = 0; i < set->n_columns; i++) {
        pmn_colset_column *c = &set->columns[i];
        pmn_orc_top *top;
        if (!c->want->field || c->want->type.kind == PMN_ARROW_NULL) continue;
        PMN_TRY(pmn_orc_top_new(p->file, c->want, &p->decompressors, &p->sections, set->pool, &top, err));
        c->column = top;
        c->weight = top->row_bytes;
        p->needs_zone |= has_wall_clock(top->column);
    }
    return PAIMON_OK;
}

static void orc_pass_free(void *ctx)
{
    orc_pass *p = ctx;
    pmn_mem *mem = pmn_mem_retain(p->file->mem);
    while (p->sections.n > 0) pmn_orc_section_free(p->sections.items[--p->sections.n]);
    pmn_free(mem, p->sections.items, p->sections.capacity * sizeof(pmn_orc_section *));
    pmn_orc_zone_free(&p->zones);
    pmn_decompressors_free(&p->decompressors);
    pmn_orc_file_release(p->file);
    pmn_free(mem, p, sizeof *p);
    pmn_mem_release(mem);
}

static const pmn_pass_ops orc_pass_ops = { orc_pass_schema,  orc_pass_group,   orc_pass_open,    orc_pass_close,
                                           orc_pass_prune,   orc_pass_columns, &pmn_orc_top_ops, orc_pass_free };

paimon_status pmn_orc_reader_new(pmn_orc_file *file, const pmn_format_read_options *options, pmn_format_reader **out, paimon_error *err)
{
    *out = NULL;
    orc_pass *p = (orc_pass *)pmn_calloc(file->mem, 1, sizeof *p);
    if (!p) return pmn_fail_nomem(err, "an ORC reader");
    p->file = pmn_orc_file_retain(file);
    if (!pmn_decompressors_init(&p->decompressors, file->mem)) {
        orc_pass_free(p);
        return pmn_fail_nomem(err, "an ORC reader");
    }
    pmn_pass_file pass = { &orc_pass_ops, p, file->mem, file->path, file->meta.n_stripes, file->root.children, file->root.n_children, file->case_insensitive };
    return pmn_pass_new(&pass, options, out, err);
}
