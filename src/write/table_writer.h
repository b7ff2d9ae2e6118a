/* Rows of a table to the writers of their partitions and buckets. One thread at a time. */
#ifndef PMN_WRITE_TABLE_WRITER_H
#define PMN_WRITE_TABLE_WRITER_H

#include "meta/message.h"
#include "base/watch.h"
#include "meta/source.h"
#include "paimon-c/write.h"

typedef struct pmn_table_writer pmn_table_writer;

/* `schema`: of all batches; moved on success and on failure. The source is retained. */
paimon_status pmn_table_writer_new(pmn_source *source, struct ArrowSchema *schema, int32_t n_threads, pmn_table_writer **out, paimon_error *err) PMN_MUST_USE;

/* Where the caller says that all rows of a batch belong: checked row by row. */
typedef struct pmn_write_place {
    const char *const *partition; /* texts in key order, NULL for a null */
    int32_t bucket;
} pmn_write_place;

/* The rows of a struct array; borrowed (a foreign one is turned into a counted one in place). `place` NULL: the library routes. */
paimon_status pmn_table_writer_write(pmn_table_writer *w, struct ArrowArray *batch, const pmn_write_place *place, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_table_writer_prepare(pmn_table_writer *w, paimon_message_list **out, paimon_error *err) PMN_MUST_USE;
int64_t pmn_table_writer_rows(const pmn_table_writer *w);
pmn_watch *pmn_table_writer_watch(pmn_table_writer *w);
void pmn_table_writer_metrics(const pmn_table_writer *w, paimon_write_metrics *out); /* all but struct_size */
/* NULL allowed; files that were not handed over are removed. */
void pmn_table_writer_free(pmn_table_writer *w);

#endif
