/* Whole folders: removing and renaming them. */
#ifndef PMN_IO_TREE_H
#define PMN_IO_TREE_H

#include "base/arena.h"
#include "io/fs.h"

/* Remove what is at `path`, a folder with all that is in it, too. A link is removed itself, never what it points at. An absent path
 * counts as removed; the first failure ends it. */
paimon_status pmn_fs_remove_tree(pmn_mem *mem, paimon_fs *fs, const char *path, paimon_error *err) PMN_MUST_USE;
/* The names in a folder, in the arena, sorted by bytes; an absent one has none. */
paimon_status pmn_fs_names(pmn_arena *arena, paimon_fs *fs, const char *path, const char ***names, size_t *n, paimon_error *err) PMN_MUST_USE;
/* Another name for a folder. PAIMON_UNSUPPORTED where the file system cannot. */
paimon_status pmn_fs_rename_directory(paimon_fs *fs, const char *from, const char *to, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_fs_make_directories(paimon_fs *fs, const char *path, paimon_error *err) PMN_MUST_USE;

#endif
