/* A manifest's record straight into a file's row, without a DataFileMeta in between: whoever plans a large table sends 100 000 of them.
 * Private to this room.
 *
 * It takes the records that today's writers make: fields in the row's order, each array in one block. For any other, and for a damaged one,
 * it says so, and the way by pmn_data_file has the last word: both must give the same bytes. */
#ifndef PMN_META_RECORD_ROW_H
#define PMN_META_RECORD_ROW_H

#include "base/buf.h"
#include "base/cursor.h"
#include "format/avro/schema.h"

/* How many of the file's fields the records of a writer with this schema have, in the row's order; 0: not this way. */
int32_t pmn_record_row_fields(const pmn_avro_type *root);

/* Append the row of the record at the cursor, with its length in front, as pmn_file_row_write would. `*done` false: not this way, and
 * nothing was appended. */
paimon_status pmn_record_row_write(pmn_cursor record, int32_t n_fields, int32_t arity, pmn_buf *out, bool *done, paimon_error *err) PMN_MUST_USE;

#endif
