/* A file of the table, as the rules of its kind see it. */
#ifndef PMN_COMMIT_LIVING_H
#define PMN_COMMIT_LIVING_H

#include "meta/manifest/manifest.h"

typedef struct pmn_living {
    const char *name;
    pmn_slice partition;
    int32_t bucket, level;
    pmn_slice min_key, max_key;
    int64_t first_row_id; /* PMN_NONE: none */
    int64_t row_count;
} pmn_living;

/* Texts and slices are those of the entry. */
static inline pmn_living pmn_living_of(const pmn_manifest_entry *entry)
{
    return (pmn_living){ .name = entry->file.name,
                         .partition = entry->partition,
                         .bucket = entry->bucket,
                         .level = entry->file.level,
                         .min_key = entry->file.min_key,
                         .max_key = entry->file.max_key,
                         .first_row_id = entry->file.first_row_id,
                         .row_count = entry->file.row_count };
}

#endif
