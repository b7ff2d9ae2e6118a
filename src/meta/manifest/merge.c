/* Merging entries by identity, in place. A table of entry numbers, open addressing, no more than half full. */
#include "meta/manifest/merge.h"

#include <string.h>

#include "base/hash.h"

static const pmn_entry_extra no_extra = { .n_write_cols = -1, .n_write_cols_sequences = -1 };

static bool same_text(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static bool same_extra(const pmn_entry_extra *a, const pmn_entry_extra *b)
{
    if (a == b) return true;
    if (!a) a = &no_extra;
    if (!b) b = &no_extra;
    if (a->n_extra_files != b->n_extra_files || a->has_embedded_index != b->has_embedded_index || !same_text(a->external_path, b->external_path))
        return false;
    for (int32_t i = 0; i < a->n_extra_files; i++)
        if (strcmp(a->extra_files[i], b->extra_files[i]) != 0) return false;
    return !a->has_embedded_index || pmn_slice_equal(a->embedded_index, b->embedded_index);
}

bool pmn_entry_same_file(const pmn_entry *a, const pmn_entry *b)
{
    return a->partition == b->partition && a->bucket == b->bucket && a->level == b->level && strcmp(a->name, b->name) == 0 &&
           same_extra(a->extra, b->extra);
}

typedef struct merge_slot {
    uint32_t hash;  /* of the name: file names are random, so they alone tell nearly all apart */
    uint32_t entry; /* number + 1; 0: free; MERGE_GONE: was here */
} merge_slot;

#define MERGE_GONE UINT32_MAX

typedef struct merge_table {
    merge_slot *slots;
    size_t mask;
} merge_table;

static merge_slot *find_file(const merge_table *table, const pmn_entries *set, const pmn_entry *entry, uint32_t hash, merge_slot **free_slot)
{
    *free_slot = NULL;
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        merge_slot *slot = &table->slots[i];
        if (slot->entry == 0) {
            if (!*free_slot) *free_slot = slot;
            return NULL;
        }
        if (slot->entry == MERGE_GONE) {
            if (!*free_slot) *free_slot = slot;
        } else if (slot->hash == hash && pmn_entry_same_file(&set->items[slot->entry - 1], entry)) {
            return slot;
        }
    }
}

#define MERGE_DEAD 2 /* a kind of our own for entries that cancelled out */

static paimon_status cancel_pairs(merge_table *table, pmn_entries *set, paimon_error *err)
{
    for (size_t i = 0; i < set->n; i++) {
        pmn_entry *entry = &set->items[i];
        uint32_t hash = (uint32_t)pmn_hash64(entry->name, strlen(entry->name), 0);
        merge_slot *free_slot, *slot = find_file(table, set, entry, hash, &free_slot);
        if (!slot) {
            free_slot->hash = hash;
            free_slot->entry = (uint32_t)i + 1;
            continue;
        }
        pmn_entry *before = &set->items[slot->entry - 1];
        if (before->kind == entry->kind) {
            if (entry->kind == PMN_FILE_ADD)
                return pmn_fail(err, PAIMON_CORRUPT, "file %s (bucket %d, level %d) is added twice", entry->name, (int)entry->bucket, (int)entry->level);
            entry->kind = MERGE_DEAD; /* deleted again: once is enough */
            continue;
        }
        /* ADD then DELETE; or DELETE then ADD, which happens where a rewrite has changed the order of entries. */
        before->kind = entry->kind = MERGE_DEAD;
        slot->entry = MERGE_GONE;
    }
    return PAIMON_OK;
}

paimon_status pmn_entries_merge(pmn_entries *set, bool keep_deletes, paimon_error *err)
{
    if (set->n_deletes == 0) return PAIMON_OK;
    if (set->n >= UINT32_MAX / 4) return pmn_fail(err, PAIMON_UNSUPPORTED, "a plan of %zu entries", set->n);
    size_t capacity = 16;
    while (capacity < set->n * 2) capacity *= 2;
    merge_table table = { pmn_calloc(set->mem, capacity, sizeof(merge_slot)), capacity - 1 };
    if (!table.slots) return pmn_fail_nomem(err, "plan");
    paimon_status status = cancel_pairs(&table, set, err);
    pmn_free(set->mem, table.slots, capacity * sizeof(merge_slot));
    PMN_TRY(status);
    size_t n = 0;
    set->n_deletes = 0;
    for (size_t i = 0; i < set->n; i++) {
        uint8_t kind = set->items[i].kind;
        if (kind == PMN_FILE_ADD || (kind == PMN_FILE_DELETE && keep_deletes)) {
            if (n != i) set->items[n] = set->items[i];
            set->n_deletes += kind == PMN_FILE_DELETE;
            n++;
        }
    }
    set->n = n;
    return PAIMON_OK;
}
