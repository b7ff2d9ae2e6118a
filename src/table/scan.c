/* Scan objects: what was asked, and plans made of it. */
#include "paimon-c/scan.h"

#include "predicate/bound.h"
#include "scan/plan.h"
#include "table/table.h"

struct paimon_scan {
    paimon_table *table;
    paimon_predicate *predicate;
    int64_t limit;
    pmn_watch watch;
};

paimon_status paimon_scan_new(paimon_table *table, paimon_scan **scan, paimon_error *err)
{
    if (!table || !scan) return pmn_fail(err, PAIMON_INVALID, "paimon_scan_new: table or scan is NULL");
    paimon_scan *s = pmn_calloc(table->source->mem, 1, sizeof *s);
    *scan = s;
    if (!s) return pmn_fail_nomem(err, "a scan");
    s->table = paimon_table_retain(table);
    s->limit = -1;
    return PAIMON_OK;
}

void paimon_scan_free(paimon_scan *scan)
{
    if (!scan) return;
    paimon_table *table = scan->table;
    paimon_predicate_free(scan->predicate);
    pmn_watch_release(&scan->watch);
    pmn_free(table->source->mem, scan, sizeof *scan);
    paimon_table_free(table);
}

/* Does the predicate fit the table's columns? */
static paimon_status try_predicate(const paimon_table *table, const paimon_predicate *predicate, paimon_error *err)
{
    pmn_arena arena;
    const pmn_pred *bound = NULL;
    pmn_arena_init(&arena, table->source->mem);
    paimon_status status = pmn_pred_bind(&arena, table->source->schema->row, predicate, &bound, err);
    pmn_arena_free(&arena);
    return status;
}

paimon_status paimon_scan_set_predicate(paimon_scan *scan, paimon_predicate *predicate, paimon_error *err)
{
    if (!scan) return pmn_fail(err, PAIMON_INVALID, "paimon_scan_set_predicate: scan is NULL");
    if (predicate) PMN_TRY(try_predicate(scan->table, predicate, err));
    paimon_predicate *old = scan->predicate;
    scan->predicate = predicate ? paimon_predicate_retain(predicate) : NULL;
    paimon_predicate_free(old);
    return PAIMON_OK;
}

paimon_status paimon_scan_set_limit(paimon_scan *scan, int64_t limit, paimon_error *err)
{
    if (!scan) return pmn_fail(err, PAIMON_INVALID, "paimon_scan_set_limit: scan is NULL");
    scan->limit = limit < 0 ? -1 : limit;
    return PAIMON_OK;
}

paimon_status paimon_scan_set_cancel(paimon_scan *scan, paimon_cancel *cancel, paimon_error *err)
{
    if (!scan) return pmn_fail(err, PAIMON_INVALID, "paimon_scan_set_cancel: scan is NULL");
    pmn_watch_set_cancel(&scan->watch, cancel);
    return PAIMON_OK;
}

paimon_status paimon_scan_set_progress(paimon_scan *scan, paimon_progress_fn fn, void *ctx, paimon_error *err)
{
    if (!scan) return pmn_fail(err, PAIMON_INVALID, "paimon_scan_set_progress: scan is NULL");
    pmn_watch_set_progress(&scan->watch, fn, ctx);
    return PAIMON_OK;
}

paimon_status paimon_scan_plan(const paimon_scan *scan, paimon_plan **plan, paimon_error *err)
{
    if (!scan || !plan) return pmn_fail(err, PAIMON_INVALID, "paimon_scan_plan: scan or plan is NULL");
    return pmn_plan_make(scan->table->source, scan->predicate, scan->limit, &scan->watch, plan, err);
}

void paimon_plan_free(paimon_plan *plan) { pmn_plan_release(plan); }
int64_t paimon_plan_snapshot_id(const paimon_plan *plan) { return plan ? plan->snapshot_id : 0; }
size_t paimon_plan_n_splits(const paimon_plan *plan) { return plan ? plan->n_splits : 0; }
int64_t paimon_plan_n_files(const paimon_plan *plan) { return plan ? plan->n_files : 0; }
paimon_split *paimon_plan_split(const paimon_plan *plan, size_t i) { return plan && i < plan->n_splits ? &plan->splits[i] : NULL; }

void paimon_plan_metrics(const paimon_plan *plan, paimon_scan_metrics *metrics)
{
    if (plan) pmn_sized_copy(metrics, &plan->metrics, sizeof plan->metrics);
}
