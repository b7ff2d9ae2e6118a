/* A pass over a Parquet file: what is its own of it. See format/pass.h. */
#include "format/parquet/prune.h"
#include "format/parquet/top.h"
#include "format/pass.h"

typedef struct parquet_pass {
    pmn_parquet_file *file; /* counted */
    pmn_decompressors decompressors;
} parquet_pass;

static paimon_status pass_schema(void *ctx, struct ArrowSchema *out, paimon_error *err)
{
    const pmn_parquet_file *file = ((parquet_pass *)ctx)->file;
    return pmn_parquet_schema_arrow(file->mem, &file->schema, out, err);
}

static void pass_group(const void *ctx, int32_t group, int64_t *first_row, int64_t *n_rows)
{
    const pmn_parquet_group *g = &((const parquet_pass *)ctx)->file->meta.groups[group];
    *first_row = g->first_row;
    *n_rows = g->n_rows;
}

static paimon_status pass_prune(void *ctx, int32_t group, const pmn_read_filter *filter, pmn_row_ranges *may, paimon_error *err)
{
    return pmn_parquet_prune_group(((parquet_pass *)ctx)->file, group, filter->pred, &filter->want, may, err);
}

static paimon_status pass_columns(void *ctx, pmn_colset *set, pmn_arena *arena, paimon_error *err)
{
    parquet_pass *p = ctx;
    for (int32_t i = 0; i < set->n_columns; i++) {
        pmn_colset_column *c = &set->columns[i];
        if (c->want->field) PMN_TRY(pmn_parquet_top_new(p->file, c->want, &p->decompressors, arena, set->pool, &c->column, &c->weight, err));
    }
    return PAIMON_OK;
}

static void pass_release(void *ctx)
{
    parquet_pass *p = ctx;
    pmn_mem *mem = pmn_mem_retain(p->file->mem);
    pmn_decompressors_free(&p->decompressors);
    pmn_parquet_file_release(p->file);
    pmn_free(mem, p, sizeof *p);
    pmn_mem_release(mem);
}

static const pmn_pass_ops parquet_pass_ops = { pass_schema, pass_group, NULL, NULL, pass_prune, pass_columns, &pmn_parquet_top_ops, pass_release };

paimon_status pmn_parquet_reader_new(pmn_parquet_file *file, const pmn_format_read_options *options, pmn_format_reader **out, paimon_error *err)
{
    *out = NULL;
    parquet_pass *p = (parquet_pass *)pmn_calloc(file->mem, 1, sizeof *p);
    if (!p) return pmn_fail_nomem(err, "a Parquet reader");
    p->file = pmn_parquet_file_retain(file);
    if (!pmn_decompressors_init(&p->decompressors, file->mem)) {
        pass_release(p);
        return pmn_fail_nomem(err, "a Parquet reader");
    }
    pmn_pass_file pass = { &parquet_pass_ops, p,          file->mem, file->path, file->meta.n_groups, file->schema.shown,
                           file->schema.n_fields, file->case_insensitive };
    return pmn_pass_new(&pass, options, out, err);
}
