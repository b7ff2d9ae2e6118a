/* Packing as Java does it, so that splits of both are the same lists.
 *
 *   groups   partitions in order of first appearance, inside one its buckets likewise
 *   order    inside a group stable by _MIN_SEQUENCE_NUMBER
 *   bins     walk in order; weight = max(size, source.split.open-file-cost); close the bin when it is not empty and the next
 *            weight would take it past source.split.target-size (BinPacking.packForOrdered)
 */
#include "scan/pack.h"

#include <stdlib.h>
#include <string.h>

#include "io/path.h"
#include "meta/bucket_path.h"
#include "types/row_codec.h"

typedef struct file_group {
    int32_t partition, bucket, total_buckets;
    int32_t next;       /* of the same partition, in order of appearance; -1: last */
    uint32_t n_files;
    uint32_t first;     /* its place in `order` */
} file_group;

typedef struct packing {
    paimon_plan *plan;
    pmn_mem *mem;
    file_group *groups;
    int32_t n_groups, groups_capacity;
    int32_t *slots; /* hash table of (partition, bucket) → group, -1: free; a power of two */
    size_t n_slots;
    int32_t *heads, *tails;     /* first and last group of each partition; -1: none */
    int32_t *partition_order;   /* partitions as they appeared */
    int32_t n_partitions;
    int32_t *group_of;          /* of each entry */
    uint32_t *order, *scratch;  /* entry numbers, group by group */
    size_t n_entries, n_all_partitions;
    int64_t target_bytes, open_cost_bytes;
} packing;

/* A partition by its values, for `scan.plan-sort-partition`. */
typedef struct sorted_partition {
    int32_t number;
    const pmn_type *type;
    const pmn_datum *values;
} sorted_partition;

static size_t slot_of(int32_t partition, int32_t bucket, size_t n_slots)
{
    uint64_t h = ((uint64_t)(uint32_t)partition << 32 | (uint32_t)bucket) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20) & (n_slots - 1);
}

static int32_t *find_slot(const packing *p, int32_t partition, int32_t bucket)
{
    size_t i = slot_of(partition, bucket, p->n_slots);
    for (;; i = (i + 1) & (p->n_slots - 1)) {
        int32_t g = p->slots[i];
        if (g < 0 || (p->groups[g].partition == partition && p->groups[g].bucket == bucket)) return &p->slots[i];
    }
}

/* Room for twice as many groups, in the table of slots too (kept at most half full). */
static paimon_status grow_groups(packing *p, paimon_error *err)
{
    size_t old = (size_t)p->groups_capacity, more = old ? old * 2 : 64;
    void *grown = pmn_realloc(p->mem, p->groups, old * sizeof *p->groups, more * sizeof *p->groups);
    if (!grown) return pmn_fail_nomem(err, "a plan's buckets");
    p->groups = grown;
    p->groups_capacity = (int32_t)more;
    int32_t *slots = pmn_calloc(p->mem, more * 2, sizeof *slots);
    if (!slots) return pmn_fail_nomem(err, "a plan's buckets");
    pmn_free(p->mem, p->slots, p->n_slots * sizeof *p->slots);
    p->slots = slots;
    p->n_slots = more * 2;
    memset(slots, 0xff, p->n_slots * sizeof *slots);
    for (int32_t g = 0; g < p->n_groups; g++) *find_slot(p, p->groups[g].partition, p->groups[g].bucket) = g;
    return PAIMON_OK;
}

static paimon_status find_file_group(packing *p, const pmn_entry *entry, int32_t *out, paimon_error *err)
{
    if (p->n_groups == p->groups_capacity) PMN_TRY(grow_groups(p, err));
    int32_t *slot = find_slot(p, entry->partition, entry->bucket);
    if (*slot < 0) {
        int32_t g = p->n_groups++;
        p->groups[g] = (file_group){ .partition = entry->partition, .bucket = entry->bucket, .total_buckets = entry->total_buckets, .next = -1 };
        if (p->heads[entry->partition] < 0) {
            p->heads[entry->partition] = g;
            p->partition_order[p->n_partitions++] = entry->partition;
        } else {
            p->groups[p->tails[entry->partition]].next = g;
        }
        p->tails[entry->partition] = g;
        *slot = g;
    }
    *out = *slot;
    return PAIMON_OK;
}

static paimon_status assign_groups(packing *p, paimon_error *err)
{
    int32_t last = -1;
    for (size_t i = 0; i < p->n_entries; i++) {
        const pmn_entry *e = &p->plan->entries.items[i];
        int32_t g = last;
        if (g < 0 || p->groups[g].partition != e->partition || p->groups[g].bucket != e->bucket) PMN_TRY(find_file_group(p, e, &g, err));
        p->group_of[i] = g;
        p->groups[g].n_files++;
        last = g;
    }
    uint32_t at = 0;
    for (int32_t i = 0; i < p->n_partitions; i++)
        for (int32_t g = p->heads[p->partition_order[i]]; g >= 0; g = p->groups[g].next) {
            p->groups[g].first = at;
            at += p->groups[g].n_files;
            p->groups[g].n_files = 0;
        }
    for (size_t i = 0; i < p->n_entries; i++) {
        file_group *g = &p->groups[p->group_of[i]];
        p->order[g->first + g->n_files++] = (uint32_t)i;
    }
    return PAIMON_OK;
}

/* Bottom-up merge sort: stable, and one pass over what is in order already. */
static void sort_files(const pmn_entry *items, uint32_t *files, uint32_t *scratch, size_t n)
{
    size_t i = 1;
    while (i < n && items[files[i - 1]].min_sequence <= items[files[i]].min_sequence) i++;
    if (i >= n) return;
    uint32_t *from = files, *to = scratch;
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t mid = low + width < n ? low + width : n, high = mid + width < n ? mid + width : n;
            size_t a = low, b = mid, k = low;
            while (a < mid && b < high) to[k++] = items[from[b]].min_sequence < items[from[a]].min_sequence ? from[b++] : from[a++];
            while (a < mid) to[k++] = from[a++];
            while (b < high) to[k++] = from[b++];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != files) memcpy(files, from, n * sizeof *files);
}

static void add_split(packing *p, const file_group *g, const char *bucket_path, const uint32_t *files, uint32_t n)
{
    paimon_plan *plan = p->plan;
    paimon_split *split = &plan->splits[plan->n_splits++];
    *split = (paimon_split){ .plan = plan,
                             .partition = g->partition,
                             .bucket = g->bucket,
                             .total_buckets = g->total_buckets,
                             .raw_convertible = true,
                             .snapshot_id = plan->snapshot_id,
                             .bucket_path = bucket_path,
                             .files = files,
                             .n_files = n };
    for (uint32_t i = 0; i < n; i++) {
        split->row_count += plan->entries.items[files[i]].row_count;
        split->size_bytes += plan->entries.items[files[i]].size;
    }
    plan->n_files += n;
}

/* The end of the bin that begins with file `first`. */
static uint32_t fill_bin(const packing *p, const file_group *g, const uint32_t *files, uint32_t first)
{
    int64_t weight = 0;
    for (uint32_t i = first; i < g->n_files; i++) {
        int64_t size = p->plan->entries.items[files[i]].size;
        int64_t w = size > p->open_cost_bytes ? size : p->open_cost_bytes;
        if (i > first && (w > p->target_bytes || weight > p->target_bytes - w)) return i;
        weight = weight > INT64_MAX - w ? INT64_MAX : weight + w;
    }
    return g->n_files;
}

/* Field by field, nulls first. */
static int compare_partitions(const void *a, const void *b)
{
    const sorted_partition *x = a, *y = b;
    for (int32_t i = 0; i < x->type->n_fields; i++) {
        const pmn_datum *v = &x->values[i], *w = &y->values[i];
        int c = v->is_null || w->is_null ? (int)w->is_null - (int)v->is_null : pmn_datum_compare(x->type->fields[i].type, v, w);
        if (c != 0) return c;
    }
    return x->number < y->number ? -1 : 1;
}

static paimon_status load_partitions(packing *p, const pmn_source *source, pmn_arena *arena, sorted_partition *all, paimon_error *err)
{
    const pmn_type *type = source->schema->partition_type;
    for (int32_t i = 0; i < p->n_partitions; i++) {
        pmn_row_view row;
        pmn_datum *values = pmn_arena_calloc(arena, (size_t)type->n_fields, sizeof *values);
        if (!values) return pmn_fail_nomem(err, "a partition's values");
        PMN_TRY(pmn_row_parse(p->plan->entries.partitions[p->partition_order[i]], &row, err));
        PMN_TRY(pmn_row_get_all(&row, type, values, err));
        all[i] = (sorted_partition){ p->partition_order[i], type, values };
    }
    return PAIMON_OK;
}

static paimon_status sort_partitions(packing *p, const pmn_source *source, paimon_error *err)
{
    bool wanted = false;
    PMN_TRY(pmn_options_bool(&source->options, "scan.plan-sort-partition", false, &wanted, err));
    if (!wanted || source->schema->n_partition_keys == 0 || p->n_partitions < 2) return PAIMON_OK;
    pmn_arena arena;
    pmn_arena_init(&arena, p->mem);
    sorted_partition *all = pmn_arena_calloc(&arena, (size_t)p->n_partitions, sizeof *all);
    paimon_status status = all ? load_partitions(p, source, &arena, all, err) : pmn_fail_nomem(err, "a plan's partitions");
    if (status == PAIMON_OK) {
        qsort(all, (size_t)p->n_partitions, sizeof *all, compare_partitions);
        for (int32_t i = 0; i < p->n_partitions; i++) p->partition_order[i] = all[i].number;
    }
    pmn_arena_free(&arena);
    return status;
}

static paimon_status make_bucket_path(packing *p, const pmn_source *source, const file_group *g, pmn_buf *buf, const char **out, paimon_error *err)
{
    PMN_TRY(pmn_bucket_path(source, p->plan->entries.partitions[g->partition], g->bucket, buf, err));
    *out = pmn_arena_strndup(&p->plan->arena, (const char *)buf->data, buf->size);
    return *out ? PAIMON_OK : pmn_fail_nomem(err, "a bucket's path");
}

/* How many splits there will be: 100 000 large files make 25 000 splits, which should not be moved while they grow. */
static paimon_status count_splits(packing *p, paimon_error *err)
{
    size_t n = 0;
    for (int32_t k = 0; k < p->n_groups; k++) {
        const file_group *g = &p->groups[k];
        uint32_t *files = p->order + g->first;
        sort_files(p->plan->entries.items, files, p->scratch, g->n_files);
        for (uint32_t i = 0; i < g->n_files; n++) i = fill_bin(p, g, files, i);
    }
    p->plan->splits = pmn_arena_alloc(&p->plan->arena, (n + 1) * sizeof *p->plan->splits);
    return p->plan->splits ? PAIMON_OK : pmn_fail_nomem(err, "a plan's splits");
}

static paimon_status make_splits(packing *p, const pmn_source *source, pmn_buf *buf, paimon_error *err)
{
    PMN_TRY(count_splits(p, err));
    for (int32_t i = 0; i < p->n_partitions; i++)
        for (int32_t n = p->heads[p->partition_order[i]]; n >= 0; n = p->groups[n].next) {
            const file_group *g = &p->groups[n];
            uint32_t *files = p->order + g->first;
            const char *bucket_path = NULL;
            PMN_TRY(make_bucket_path(p, source, g, buf, &bucket_path, err));
            for (uint32_t first = 0; first < g->n_files;) {
                uint32_t end = fill_bin(p, g, files, first);
                add_split(p, g, bucket_path, files + first, end - first);
                first = end;
            }
        }
    return PAIMON_OK;
}

static paimon_status allocate_packing(packing *p, paimon_error *err)
{
    p->n_all_partitions = p->plan->entries.n_partitions;
    p->order = pmn_arena_alloc(&p->plan->arena, (p->n_entries + 1) * sizeof *p->order);
    p->scratch = pmn_calloc(p->mem, p->n_entries + 1, sizeof *p->scratch);
    p->group_of = pmn_calloc(p->mem, p->n_entries + 1, sizeof *p->group_of);
    p->heads = pmn_calloc(p->mem, p->n_all_partitions + 1, sizeof *p->heads);
    p->tails = pmn_calloc(p->mem, p->n_all_partitions + 1, sizeof *p->tails);
    p->partition_order = pmn_calloc(p->mem, p->n_all_partitions + 1, sizeof *p->partition_order);
    if (!p->order || !p->scratch || !p->group_of || !p->heads || !p->tails || !p->partition_order) return pmn_fail_nomem(err, "a plan's order");
    for (size_t i = 0; i < p->n_all_partitions; i++) p->heads[i] = -1;
    return PAIMON_OK;
}

paimon_status pmn_plan_pack(paimon_plan *plan, const pmn_source *source, paimon_error *err)
{
    packing p = { .plan = plan, .mem = plan->mem, .n_entries = plan->entries.n };
    pmn_buf buf;
    pmn_buf_init(&buf, plan->mem, 1 << 20);
    paimon_status status = PAIMON_OK;
    PMN_GOTO(status, pmn_options_bytes(&source->options, "source.split.target-size", 128 << 20, &p.target_bytes, err), done);
    PMN_GOTO(status, pmn_options_bytes(&source->options, "source.split.open-file-cost", 4 << 20, &p.open_cost_bytes, err), done);
    PMN_GOTO(status, allocate_packing(&p, err), done);
    PMN_GOTO(status, assign_groups(&p, err), done);
    PMN_GOTO(status, sort_partitions(&p, source, err), done);
    PMN_GOTO(status, make_splits(&p, source, &buf, err), done);
done:
    pmn_free(p.mem, p.scratch, (p.n_entries + 1) * sizeof *p.scratch);
    pmn_free(p.mem, p.group_of, (p.n_entries + 1) * sizeof *p.group_of);
    pmn_free(p.mem, p.heads, (p.n_all_partitions + 1) * sizeof *p.heads);
    pmn_free(p.mem, p.tails, (p.n_all_partitions + 1) * sizeof *p.tails);
    pmn_free(p.mem, p.slots, p.n_slots * sizeof *p.slots);
    pmn_free(p.mem, p.partition_order, (p.n_all_partitions + 1) * sizeof *p.partition_order);
    pmn_free(p.mem, p.groups, (size_t)p.groups_capacity * sizeof *p.groups);
    pmn_buf_free(&buf);
    return status;
}
