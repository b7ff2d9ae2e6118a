/* Whole folders, by the small operations that every file system has. */
#include "io/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/fs_impl.h"
#include "io/path.h"

#define TREE_MAX_DEPTH 256

typedef struct name_list {
    pmn_arena *arena;
    const char **names;
    size_t n, capacity;
    bool failed;
} name_list;

static int take_tree_entry(void *arg, const paimon_file_info *info)
{
    name_list *l = arg;
    const char **grown = pmn_arena_grow(l->arena, l->names, l->n, &l->capacity, sizeof *grown);
    if (!grown) return l->failed = true;
    l->names = grown;
    l->names[l->n] = pmn_arena_strdup(l->arena, info->name);
    l->failed = !l->names[l->n];
    l->n += !l->failed;
    return l->failed;
}

static int compare_entries(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

paimon_status pmn_fs_names(pmn_arena *arena, paimon_fs *fs, const char *path, const char ***names, size_t *n, paimon_error *err)
{
    name_list list = { .arena = arena };
    PMN_TRY(pmn_fs_list(fs, path, take_tree_entry, &list, err));
    if (list.failed) return pmn_fail_nomem(err, "the names in a folder");
    if (list.n > 1) qsort(list.names, list.n, sizeof *list.names, compare_entries);
    *names = list.names;
    *n = list.n;
    return PAIMON_OK;
}

/* Is it gone, or is it a folder? Listings say "folder" of a link to one, so removing it as a file is tried first: that takes the link
 * and fails for a folder. Object stores say "removed" of what is only a prefix, so the caller goes on to list in that case. */
static paimon_status try_as_file(paimon_fs *fs, const char *path, paimon_error *err)
{
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = fs->vtable.remove(fs->ctx, &path, 1, &why);
    if (status == PAIMON_IO && (why.sys_errno == EISDIR || why.sys_errno == 0)) status = PAIMON_OK;
    if (status == PAIMON_OK) paimon_error_clear(&why);
    else pmn_error_move(err, &why);
    return status;
}

static paimon_status remove_empty(paimon_fs *fs, const char *path, paimon_error *err)
{
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = fs->vtable.remove_directory(fs->ctx, path, &why);
    if (status == PAIMON_OK || status == PAIMON_NOT_FOUND) {
        paimon_error_clear(&why);
        return PAIMON_OK;
    }
    pmn_error_move(err, &why);
    return status;
}

static paimon_status remove_below(pmn_mem *mem, paimon_fs *fs, const char *path, int depth, paimon_error *err)
{
    pmn_arena arena;
    const char **names = NULL;
    size_t n = 0;
    if (depth > TREE_MAX_DEPTH) return pmn_fail(err, PAIMON_STATE, "%s: folders nested deeper than %d", path, TREE_MAX_DEPTH);
    PMN_TRY(try_as_file(fs, path, err));
    bool exists = false;
    PMN_TRY(pmn_fs_exists(fs, path, &exists, NULL, err));
    pmn_arena_init(&arena, mem);
    paimon_status status = pmn_fs_names(&arena, fs, path, &names, &n, err);
    for (size_t i = 0; status == PAIMON_OK && i < n; i++) {
        const char *child = pmn_path_join(&arena, path, names[i]);
        status = child ? remove_below(mem, fs, child, depth + 1, err) : pmn_fail_nomem(err, "a path");
    }
    pmn_arena_free(&arena);
    if (status == PAIMON_OK && exists) status = remove_empty(fs, path, err);
    return status;
}

paimon_status pmn_fs_remove_tree(pmn_mem *mem, paimon_fs *fs, const char *path, paimon_error *err)
{
    return remove_below(mem, fs, path, 0, err);
}

paimon_status pmn_fs_rename_directory(paimon_fs *fs, const char *from, const char *to, paimon_error *err)
{
    if (!fs->vtable.rename_directory)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: renaming a folder is not supported by this file system", from);
    return fs->vtable.rename_directory(fs->ctx, from, to, err);
}

paimon_status pmn_fs_make_directories(paimon_fs *fs, const char *path, paimon_error *err)
{
    return fs->vtable.make_directories(fs->ctx, path, err);
}
