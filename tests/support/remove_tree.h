/* Remove a folder of a test with all that is in it. */
#ifndef TESTS_SUPPORT_REMOVE_TREE_H
#define TESTS_SUPPORT_REMOVE_TREE_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static inline void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        char child[1000];
        if (snprintf(child, sizeof child, "%s/%s", path, e->d_name) >= (int)sizeof child) continue; /* no test makes names so long */
        if (unlink(child) != 0) remove_tree(child);
    }
    closedir(dir);
    rmdir(path);
}

#endif
