#include "meta/split.h"

#include "io/path.h"

/* What is decoded of manifests at a time: all of 100 000 entries for one thread, a part for those beside it. */
#define PLAN_LENS_BYTES ((size_t)64 << 20)
#define PLAN_OTHER_LENS_BYTES ((size_t)8 << 20)

paimon_plan *pmn_plan_retain(paimon_plan *plan)
{
    atomic_fetch_add_explicit(&plan->refs, 1, memory_order_relaxed);
    return plan;
}

void pmn_plan_release(paimon_plan *plan)
{
    if (!plan || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = plan->mem;
    for (int i = 0; i < plan->n_lenses; i++) pmn_manifest_lens_free(plan->lenses[i]);
    pthread_mutex_destroy(&plan->lock);
    pmn_entries_free(&plan->entries);
    pmn_arena_free(&plan->arena);
    pmn_free(mem, plan, sizeof *plan);
    pmn_mem_release(mem);
}

paimon_status pmn_plan_new(pmn_mem *mem, const char *table_path, paimon_plan **out, paimon_error *err)
{
    paimon_plan *plan = pmn_calloc(mem, 1, sizeof *plan);
    if (!plan) return pmn_fail_nomem(err, "a plan");
    atomic_init(&plan->refs, 1);
    plan->mem = pmn_mem_retain(mem);
    pthread_mutex_init(&plan->lock, NULL);
    pmn_arena_init(&plan->arena, plan->mem);
    pmn_entries_init(&plan->entries, plan->mem);
    plan->table_path = table_path ? pmn_arena_strdup(&plan->arena, table_path) : NULL;
    if (table_path && !plan->table_path) {
        pmn_plan_release(plan);
        return pmn_fail_nomem(err, "a plan");
    }
    *out = plan;
    return PAIMON_OK;
}

paimon_status pmn_plan_take_lens(paimon_plan *plan, pmn_manifest_lens **out, paimon_error *err)
{
    *out = NULL;
    if (plan->entries.n_manifests == 0) return PAIMON_OK;
    pthread_mutex_lock(&plan->lock);
    bool first = plan->n_lenses == 0 && plan->lenses_made++ == 0;
    if (plan->n_lenses > 0) *out = plan->lenses[--plan->n_lenses];
    pthread_mutex_unlock(&plan->lock);
    if (*out) return PAIMON_OK;
    return pmn_manifest_lens_new(plan->mem, first ? PLAN_LENS_BYTES : PLAN_OTHER_LENS_BYTES, out, err);
}

void pmn_plan_return_lens(paimon_plan *plan, pmn_manifest_lens *lens)
{
    if (!lens) return;
    pthread_mutex_lock(&plan->lock);
    bool kept = plan->n_lenses < PMN_PLAN_LENSES;
    if (kept) plan->lenses[plan->n_lenses++] = lens;
    pthread_mutex_unlock(&plan->lock);
    if (!kept) pmn_manifest_lens_free(lens);
}

const pmn_split_more *pmn_split_more_of(const paimon_split *split)
{
    static const pmn_split_more plain = { .kind = PMN_SPLIT_DATA };
    return split->more ? split->more : &plain;
}

const char *pmn_split_file_path(const paimon_split *split, uint32_t i, pmn_arena *arena)
{
    const pmn_entry *file = pmn_split_file(split, i);
    if (file->extra && file->extra->external_path) return file->extra->external_path;
    return pmn_path_join(arena, split->bucket_path, file->name);
}
