/* IndexFileMeta as a BinaryRow, the form that travels inside commit messages. */
#ifndef PMN_META_INDEX_ROW_H
#define PMN_META_INDEX_ROW_H

#include "base/buf.h"
#include "meta/manifest/manifest.h"

/* The layouts, oldest first. Each adds to the one before. */
typedef enum pmn_index_layout {
    PMN_INDEX_V0 = 0, /* type, name, size, rows (release 0.7) */
    PMN_INDEX_V1 = 1, /* + ranges of deletion vectors: file, offset, length */
    PMN_INDEX_V2 = 2, /* + cardinality in a range */
    PMN_INDEX_V3 = 3, /* + external path */
    PMN_INDEX_V4 = 4, /* + global index */
    PMN_INDEX_V5 = 5  /* + source meta in a global index */
} pmn_index_layout;

/* Texts, ranges and bytes go into the arena; kind, partition and bucket are not in the row and stay 0. PAIMON_CORRUPT. */
paimon_status pmn_index_row_read(pmn_slice row, pmn_index_layout layout, pmn_arena *arena, pmn_index_entry *out, paimon_error *err) PMN_MUST_USE;
/* Append the row. PAIMON_UNSUPPORTED if the layout has no place for something that the entry has. */
paimon_status pmn_index_row_write(pmn_buf *out, pmn_index_layout layout, const pmn_index_entry *entry, paimon_error *err) PMN_MUST_USE;

#endif
