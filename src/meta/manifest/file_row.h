/* DataFileMeta as a BinaryRow: the form in which splits and commit messages carry it between processes.
 *
 *   int32 BE length | 8 bytes row kind and null bits | 8 bytes a field | variable part, items padded to 8
 *
 * Newer releases added fields behind the old ones, and a split's or a message's version tells how many a row has: 13 … 21. The header has
 * room for 56 null bits, so a field's place does not depend on their number. Java: DataFileMetaSerializer and its legacy forms. */
#ifndef PMN_META_FILE_ROW_H
#define PMN_META_FILE_ROW_H

#include "base/arena.h"
#include "base/buf.h"
#include "meta/manifest/manifest.h"

#define PMN_FILE_ROW_OLDEST 13 /* up to _CREATION_TIME */
#define PMN_FILE_ROW_NEWEST 21 /* up to _WRITE_COLS_SEQUENCES */

/* Append the row of `file` with its length in front. Fields behind `arity` are left out: see pmn_file_row_fits. */
paimon_status pmn_file_row_write(pmn_buf *out, const pmn_data_file *file, int32_t arity, paimon_error *err) PMN_MUST_USE;
/* The first field that `file` has and a row of `arity` fields cannot say; NULL: none. Without it a reader could go wrong. Fields that only
 * help (file source) do not count. */
const char *pmn_file_row_lost(const pmn_data_file *file, int32_t arity);

/* From a row without the length in front. Everything is checked. Bytes are borrowed from the row, and so are texts where a zero byte of the
 * padding ends them; the others, and lists, go into the arena. Missing fields come out as null. */
paimon_status pmn_file_row_read(pmn_slice row, int32_t arity, pmn_arena *arena, pmn_data_file *out, paimon_error *err) PMN_MUST_USE;

#endif
