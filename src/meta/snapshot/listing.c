/* Listing metadata folders. Java: FileUtils.listVersionedFiles. */
#include "meta/snapshot/listing.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

bool pmn_parse_id(const char *text, size_t n, int64_t *id)
{
    int64_t value = 0;
    if (n == 0) return false;
    for (size_t i = 0; i < n; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        if (!pmn_mul_i64(value, 10, &value) || !pmn_add_i64(value, text[i] - '0', &value)) return false;
    }
    *id = value;
    return true;
}

typedef struct listing {
    pmn_arena *arena;
    const char *prefix;
    bool folders; /* which kind of entry is wanted */
    bool want_ids;
    pmn_buf found; /* int64_t ids, or char pointers */
    paimon_status status;
    paimon_error *err;
} listing;

static int take_listed(void *arg, const paimon_file_info *info)
{
    listing *l = arg;
    size_t n = strlen(l->prefix);
    if (info->is_directory != l->folders || strncmp(info->name, l->prefix, n) != 0) return 0;
    const char *rest = info->name + n;
    if (l->want_ids) {
        int64_t id;
        if (!pmn_parse_id(rest, strlen(rest), &id)) return 0;
        l->status = pmn_buf_append(&l->found, &id, sizeof id, l->err);
    } else {
        char *copy = pmn_arena_strdup(l->arena, rest);
        l->status = copy ? pmn_buf_append(&l->found, &copy, sizeof copy, l->err) : pmn_fail_nomem(l->err, "a listing");
    }
    return l->status != PAIMON_OK;
}

/* List, and move what was found into the arena. */
static paimon_status run_listing(listing *l, paimon_fs *fs, const char *dir, size_t item_size, void **items, int32_t *n, paimon_error *err)
{
    pmn_buf_init(&l->found, l->arena->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_fs_list(fs, dir, take_listed, l, err);
    if (status == PAIMON_OK) status = l->status;
    if (status == PAIMON_OK && l->found.size / item_size > INT32_MAX) status = pmn_fail(err, PAIMON_UNSUPPORTED, "%s: too many files", dir);
    if (status == PAIMON_OK) {
        *n = (int32_t)(l->found.size / item_size);
        *items = pmn_arena_copy(l->arena, l->found.data, l->found.size);
        if (!*items) status = pmn_fail_nomem(err, "a listing");
    }
    pmn_buf_free(&l->found);
    return status;
}

static int compare_ids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int compare_texts_behind(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

paimon_status pmn_list_ids(pmn_arena *arena, paimon_fs *fs, const char *dir, const char *prefix, int64_t **ids, int32_t *n, paimon_error *err)
{
    listing l = { .arena = arena, .prefix = prefix, .want_ids = true, .status = PAIMON_OK, .err = err };
    void *items = NULL;
    PMN_TRY(run_listing(&l, fs, dir, sizeof(int64_t), &items, n, err));
    *ids = items;
    if (*n > 1) qsort(*ids, (size_t)*n, sizeof **ids, compare_ids);
    return PAIMON_OK;
}

paimon_status pmn_list_names(pmn_arena *arena, paimon_fs *fs, const char *dir, const char *prefix, bool folders, const char ***names, int32_t *n,
                             paimon_error *err)
{
    listing l = { .arena = arena, .prefix = prefix, .folders = folders, .status = PAIMON_OK, .err = err };
    void *items = NULL;
    PMN_TRY(run_listing(&l, fs, dir, sizeof(char *), &items, n, err));
    *names = items;
    if (*n > 1) qsort(*names, (size_t)*n, sizeof **names, compare_texts_behind);
    return PAIMON_OK;
}
