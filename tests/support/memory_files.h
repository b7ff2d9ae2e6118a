/* Files in a file system in memory, for tests of what reads them. */
#ifndef TESTS_SUPPORT_MEMORY_FILES_H
#define TESTS_SUPPORT_MEMORY_FILES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/fs.h"

static inline paimon_fs *memory_files(void)
{
    paimon_fs *fs = NULL;
    if (paimon_fs_memory(NULL, &fs, NULL) != PAIMON_OK) abort();
    return fs;
}

static inline void put_file(paimon_fs *fs, const char *path, const void *bytes, size_t n)
{
    paimon_error err = PAIMON_ERROR_INIT;
    if (pmn_fs_replace(fs, path, bytes, n, &err) == PAIMON_OK) return;
    fprintf(stderr, "%s: %s\n", path, paimon_error_message(&err));
    abort();
}

static inline void put_text_file(paimon_fs *fs, const char *path, const char *text) { put_file(fs, path, text, strlen(text)); }

/* A file of the repository's tests, malloc'ed. */
static inline unsigned char *test_file(const char *name, size_t *n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/%s", PAIMON_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be read\n", path);
        abort();
    }
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*n + 1);
    if (!bytes || fread(bytes, 1, *n, file) != *n) abort();
    fclose(file);
    return bytes;
}

/* Copy a folder of the repository's tests into a file system in memory. */
static inline void copy_test_folder(paimon_fs *fs, const char *name, const char *to)
{
    char from[1024], file[2048], target[2048], path[4096];
    snprintf(from, sizeof from, "%s/tests/%s", PAIMON_SOURCE_DIR, name);
    DIR *dir = opendir(from);
    if (!dir) abort();
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        struct stat info;
        if (e->d_name[0] == '.') continue;
        snprintf(file, sizeof file, "%s/%s", name, e->d_name);
        snprintf(target, sizeof target, "%s/%s", to, e->d_name);
        snprintf(path, sizeof path, "%s/%s", from, e->d_name);
        if (stat(path, &info) != 0) abort();
        if (S_ISDIR(info.st_mode)) {
            copy_test_folder(fs, file, target);
        } else {
            size_t n = 0;
            unsigned char *bytes = test_file(file, &n);
            put_file(fs, target, bytes, n);
            free(bytes);
        }
    }
    closedir(dir);
}

#endif
