/* What paimon_inspect and paimon_inspect_rewrite share: one file, and for each type how it is shown and how it is encoded again. */
#ifndef PMN_TABLE_INSPECTION_H
#define PMN_TABLE_INSPECTION_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "io/fs.h"

typedef struct pmn_inspection {
    pmn_mem *mem;
    paimon_fs *fs;
    const char *path;
    const char *type;
    int32_t version; /* of bytes that do not say it themselves; 0: the current one */
    pmn_arena arena;
    pmn_buf bytes; /* the whole file; see pmn_inspection_read */
    pmn_buf out;   /* the JSON, or the bytes encoded again */
} pmn_inspection;

/* The file into `bytes`, once. */
paimon_status pmn_inspection_read(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
/* The same for a file of records; one in ORC is made into the Avro container that it would have been. */
paimon_status pmn_inspection_read_records(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
static inline pmn_slice pmn_inspection_bytes(const pmn_inspection *in) { return pmn_slice_of(in->bytes.data, in->bytes.size); }

/* inspect_split.c */
paimon_status pmn_inspect_split(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rewrite_split(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
/* inspect_message.c */
paimon_status pmn_inspect_message(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_inspect_messages(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_inspect_committable(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rewrite_message(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rewrite_messages(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rewrite_committable(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
/* inspect_rewrite.c */
paimon_status pmn_rewrite_schema(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rewrite_snapshot(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rewrite_manifest(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rewrite_manifest_list(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_rewrite_index_manifest(pmn_inspection *in, paimon_error *err) PMN_MUST_USE;

#endif
