/* What a data file's name tells of its kind. */
#ifndef PMN_META_FILE_NAME_H
#define PMN_META_FILE_NAME_H

#include <string.h>

typedef enum pmn_file_shape { PMN_ORDINARY_FILE, PMN_NO_FILE_NAME, PMN_VECTOR_FILE, PMN_BLOB_FILE } pmn_file_shape;

/* In one walk: a '/' has no place in a name, ".vector." marks a file of VECTOR columns, ".blob" at the end one of a BLOB column. */
static inline pmn_file_shape pmn_file_shape_of(const char *name)
{
    if (!*name) return PMN_NO_FILE_NAME;
    for (const char *p = name; (p = strpbrk(p, "/.")) != NULL; p++) {
        if (*p == '/') return PMN_NO_FILE_NAME;
        if (strncmp(p, ".vector.", 8) == 0) return PMN_VECTOR_FILE;
        if (strcmp(p, ".blob") == 0) return PMN_BLOB_FILE;
    }
    return PMN_ORDINARY_FILE;
}

#endif
