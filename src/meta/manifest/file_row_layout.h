/* Where the fields of a file's row are, for those who write and read it. Private to this room. */
#ifndef PMN_META_FILE_ROW_LAYOUT_H
#define PMN_META_FILE_ROW_LAYOUT_H

#include "meta/manifest/file_row.h"

enum {
    FIELD_FILE_NAME,
    FIELD_FILE_SIZE,
    FIELD_ROW_COUNT,
    FIELD_MIN_KEY,
    FIELD_MAX_KEY,
    FIELD_KEY_STATS,
    FIELD_VALUE_STATS,
    FIELD_MIN_SEQUENCE,
    FIELD_MAX_SEQUENCE,
    FIELD_SCHEMA_ID,
    FIELD_LEVEL,
    FIELD_EXTRA_FILES,
    FIELD_CREATION_TIME,
    FIELD_DELETE_ROW_COUNT,
    FIELD_EMBEDDED_INDEX,
    FIELD_FILE_SOURCE,
    FIELD_VALUE_STATS_COLS,
    FIELD_EXTERNAL_PATH,
    FIELD_FIRST_ROW_ID,
    FIELD_WRITE_COLS,
    FIELD_WRITE_COLS_SEQUENCES
};

extern const char *const pmn_file_row_names[PMN_FILE_ROW_NEWEST];

#define FILE_ROW_HEADER 8u /* kind and null bits of up to 56 fields */
#define FILE_ROW_STATS_ARITY 3
#define FILE_ROW_IN_SLOT 7 /* so many bytes of an item lie in its slot */

PMN_INLINE size_t pmn_file_row_padded(size_t n) { return (n + 7) & ~(size_t)7; }
/* Count, null bits, and 8 bytes an element. */
PMN_INLINE size_t pmn_file_row_array(int32_t n) { return pmn_file_row_padded(4 + ((size_t)n + 31) / 32 * 4) + 8 * (size_t)n; }
/* A file without statistics or keys carries the row without fields, its count in front. */
pmn_slice pmn_file_row_or_empty(pmn_slice row);

#endif
