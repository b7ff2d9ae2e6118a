#include "meta/split.h"

#include "io/path.h"

paimon_plan *pmn_plan_retain(paimon_plan *plan)
{
    atomic_fetch_add_explicit(&plan->refs, 1, memory_order_relaxed);
    return plan;
}

void pmn_plan_release(paimon_plan *plan)
{
    if (!plan || atomic_fetch_sub_explicit(&plan->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = plan->mem;
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
    pmn_arena_init(&plan->arena, plan->mem);
    pmn_entries_init(&plan->entries, plan->mem);
    plan->table_path = pmn_arena_strdup(&plan->arena, table_path);
    if (!plan->table_path) {
        pmn_plan_release(plan);
        return pmn_fail_nomem(err, "a plan");
    }
    *out = plan;
    return PAIMON_OK;
}

const char *pmn_split_file_path(const paimon_split *split, uint32_t i, pmn_arena *arena)
{
    const pmn_entry *file = pmn_split_file(split, i);
    if (file->extra && file->extra->external_path) return file->extra->external_path;
    return pmn_path_join(arena, split->bucket_path, file->name);
}
