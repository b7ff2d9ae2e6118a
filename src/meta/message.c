/* Lists of commit messages: made by writers, concatenated by coordinators, counted for people. */
#include "meta/message.h"

paimon_status pmn_message_list_new(pmn_mem *mem, paimon_message_list **out, paimon_error *err)
{
    paimon_message_list *list = pmn_calloc(mem, 1, sizeof *list);
    if (!list) return pmn_fail_nomem(err, "a list of commit messages");
    atomic_init(&list->refs, 1);
    atomic_init(&list->given, false);
    list->mem = pmn_mem_retain(mem);
    pmn_arena_init(&list->arena, mem);
    *out = list;
    return PAIMON_OK;
}

static paimon_status reserve_messages(paimon_message_list *list, size_t more, paimon_error *err)
{
    if (more == 0) return PAIMON_OK;
    pmn_message *grown = pmn_grow(list->mem, list->items, list->n, more, &list->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "commit messages");
    list->items = grown;
    return PAIMON_OK;
}

paimon_status pmn_message_list_add(paimon_message_list *list, pmn_message **out, paimon_error *err)
{
    PMN_TRY(reserve_messages(list, 1, err));
    *out = &list->items[list->n++];
    **out = (pmn_message){ .bucket = 0 };
    return PAIMON_OK;
}

size_t paimon_message_list_size(const paimon_message_list *list)
{
    return list ? list->n : 0;
}

int64_t paimon_message_list_rows(const paimon_message_list *list)
{
    int64_t rows = 0;
    for (size_t i = 0; list && i < list->n; i++)
        for (int32_t f = 0; f < list->items[i].new_files.n; f++) rows += list->items[i].new_files.items[f].row_count;
    return rows;
}

int64_t paimon_message_list_files(const paimon_message_list *list)
{
    int64_t files = 0;
    for (size_t i = 0; list && i < list->n; i++) files += list->items[i].new_files.n;
    return files;
}

/* The other lists are immutable and counted, so the new one keeps them and points into them. Of a list that was made here before, its
 * parts are kept: lists that grow by one again and again would else nest without end. */
static paimon_status keep_lists(paimon_message_list *list, paimon_message_list *const *lists, size_t n, paimon_error *err)
{
    size_t n_parts = 0;
    for (size_t i = 0; i < n; i++) {
        if (!lists[i]) return pmn_fail(err, PAIMON_INVALID, "concatenating commit messages: list %zu is NULL", i);
        n_parts += lists[i]->n_parts ? lists[i]->n_parts : 1;
    }
    list->parts = pmn_arena_calloc(&list->arena, n_parts + 1, sizeof *list->parts);
    if (!list->parts) return pmn_fail_nomem(err, "a list of commit messages");
    for (size_t i = 0; i < n; i++) {
        PMN_TRY(reserve_messages(list, lists[i]->n, err));
        for (size_t k = 0; k < lists[i]->n; k++) list->items[list->n++] = lists[i]->items[k];
        if (!lists[i]->n_parts) list->parts[list->n_parts++] = paimon_message_list_retain(lists[i]);
        for (size_t k = 0; k < lists[i]->n_parts; k++) list->parts[list->n_parts++] = paimon_message_list_retain(lists[i]->parts[k]);
        list->foreign |= lists[i]->foreign;
    }
    return PAIMON_OK;
}

paimon_status paimon_message_list_concat(paimon_message_list *const *lists, size_t n, paimon_message_list **out, paimon_error *err)
{
    paimon_message_list *list = NULL;
    if (!out || (n && !lists)) return pmn_fail(err, PAIMON_INVALID, "concatenating commit messages: NULL where a pointer is needed");
    PMN_TRY(pmn_message_list_new(n && lists[0] ? lists[0]->mem : pmn_mem_default(), &list, err));
    paimon_status status = keep_lists(list, lists, n, err);
    if (status != PAIMON_OK) {
        paimon_message_list_free(list);
        return status;
    }
    *out = list;
    return PAIMON_OK;
}

bool pmn_message_list_give(const paimon_message_list *list)
{
    if (!list->n_parts) return atomic_exchange(&((paimon_message_list *)list)->given, true); /* the one thing of a list that changes */
    bool before = false;
    for (size_t i = 0; i < list->n_parts; i++) before |= atomic_exchange(&list->parts[i]->given, true);
    return before;
}

paimon_message_list *paimon_message_list_retain(paimon_message_list *list)
{
    if (list) atomic_fetch_add_explicit(&list->refs, 1, memory_order_relaxed);
    return list;
}

void paimon_message_list_free(paimon_message_list *list)
{
    if (!list || atomic_fetch_sub_explicit(&list->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = list->mem;
    for (size_t i = 0; i < list->n_parts; i++) paimon_message_list_free(list->parts[i]);
    pmn_free(mem, list->items, list->capacity * sizeof *list->items);
    pmn_arena_free(&list->arena);
    pmn_free(mem, list, sizeof *list);
    pmn_mem_release(mem);
}
