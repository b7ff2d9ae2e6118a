/* Every table that Paimon Java wrote for us: those in tests/data/golden, and all of the outside collection when it is there
 * (PAIMON_SHARED, or the folder "shared" beside the repository). */
#ifndef TESTS_SUPPORT_TABLES_H
#define TESTS_SUPPORT_TABLES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef void (*each_table_fn)(void *ctx, const char *name, const char *root);

static inline int each_table_in(const char *folder, each_table_fn fn, void *ctx)
{
    DIR *dir = opendir(folder);
    int n = 0;
    if (!dir) return 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        char root[8192];
        struct stat info;
        snprintf(root, sizeof root, "%s/%s/wh/db.db/t", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(root, &info) != 0) continue;
        fn(ctx, entry->d_name, root);
        n++;
    }
    closedir(dir);
    return n;
}

/* How many tables were visited; says aloud when the outside ones are missing. */
static inline int each_table(each_table_fn fn, void *ctx)
{
    char folder[6000];
    const char *shared = getenv("PAIMON_SHARED");
    int own = each_table_in(PAIMON_SOURCE_DIR "/tests/data/golden", fn, ctx);
    snprintf(folder, sizeof folder, "%s/golden", shared ? shared : PAIMON_SOURCE_DIR "/../shared");
    int outside = each_table_in(folder, fn, ctx);
    printf("%d tables of the repository, %d from outside\n", own, outside);
    if (outside == 0) printf("SKIPPED: no tables in %s (set PAIMON_SHARED)\n", folder);
    return own + outside;
}

#endif
