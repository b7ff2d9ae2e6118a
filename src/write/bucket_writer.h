/* The files of one partition and bucket: rows in, rolled files and their metadata out. One thread at a time. */
#ifndef PMN_WRITE_BUCKET_WRITER_H
#define PMN_WRITE_BUCKET_WRITER_H

#include "meta/message.h"
#include "write/target.h"

typedef struct pmn_bucket_writer pmn_bucket_writer;

/* `partition` is serialized (BE arity in front) and copied; its folder follows from it. Sequence numbers start at `sequence`. `target` is
 * borrowed until the writer is freed. */
paimon_status pmn_bucket_writer_new(const pmn_write_target *target, pmn_slice partition, int32_t bucket, int64_t sequence,
                                    pmn_bucket_writer **out, paimon_error *err) PMN_MUST_USE;

/* Rows [first, first + count) of a struct array in the canonical layout of the table's row type. Borrowed; a share may be kept. */
paimon_status pmn_bucket_writer_write(pmn_bucket_writer *w, struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err) PMN_MUST_USE;

/* Memory of the open file's writer, at most; 0 without one. It is exact after measuring, which waits for what is being encoded. */
int64_t pmn_bucket_writer_memory(const pmn_bucket_writer *w);
paimon_status pmn_bucket_writer_measure(pmn_bucket_writer *w, paimon_error *err) PMN_MUST_USE;
/* Give it back, after measuring: where it pays, and another file of the system may be held open, a part of the file is ended; otherwise the file
 * is closed, and the next row begins another. */
paimon_status pmn_bucket_writer_shrink(pmn_bucket_writer *w, bool may_hold, paimon_error *err) PMN_MUST_USE;
bool pmn_bucket_writer_holds_file(const pmn_bucket_writer *w);

/* Close the open file and put what was written since the last forgetting into a message of `list`: nothing for no files. */
paimon_status pmn_bucket_writer_hand_over(pmn_bucket_writer *w, paimon_message_list *list, paimon_error *err) PMN_MUST_USE;
/* The list that was handed over reached its owner whole: its files are not this writer's any more. */
void pmn_bucket_writer_forget(pmn_bucket_writer *w);

/* Free; files that were not handed over are removed. NULL allowed. */
void pmn_bucket_writer_free(pmn_bucket_writer *w);

#endif
