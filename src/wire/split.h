/* Splits as Java's bytes.
 *
 *   DataSplit          magic, version | snapshot, partition, bucket, path, [buckets] | files before | files | flags
 *                      version 1 has neither magic nor version
 *   FallbackDataSplit  DataSplit, one byte
 *   IndexedSplit       magic, version, DataSplit | ranges of row ids | [scores]
 *   outer form         "SPLIT_V1", version, type of split, then one of the above, an IncrementalSplit, a ChainSplit, or
 *                      (QueryAuthSplit, FallbackSplitImpl) another outer form with something around
 *
 * Java: DataSplit, FallbackReadFileStoreTable, IndexedSplit, IncrementalSplit, ChainSplit, QueryAuthSplit, SplitSerializer. */
#ifndef PMN_WIRE_SPLIT_H
#define PMN_WIRE_SPLIT_H

#include "meta/split.h"

#define PMN_SPLIT_VERSION 9
#define PMN_SPLIT_OLDEST_WRITTEN 8

/* A plan of one split. `table_path` of it is NULL. `bytes` are borrowed for the call. */
paimon_status pmn_split_read(pmn_mem *mem, pmn_slice bytes, paimon_plan **out, paimon_error *err) PMN_MUST_USE;

/* Append. `enveloped`: in the outer form; a kind that has no other comes in it anyway. */
paimon_status pmn_split_write(const paimon_split *split, int32_t version, bool enveloped, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* What an ObjectOutputStream wrote with one object in it that writes itself (Serializable with writeObject): the bytes that the object
 * wrote, appended. `*is_one` false, and nothing appended, if `bytes` are no such stream. */
paimon_status pmn_java_object_unwrap(pmn_slice bytes, bool *is_one, pmn_buf *out, paimon_error *err) PMN_MUST_USE;

/* --- what reading and writing share --- */

#define PMN_SPLIT_MAGIC ((int64_t)UINT64_C(0xdec3d2302c19ec66))
#define PMN_INDEXED_SPLIT_MAGIC ((int64_t)UINT64_C(0xf2f9e05442242e31))
#define PMN_SPLIT_ENVELOPE_MAGIC ((int64_t)UINT64_C(0x53504c49545f5631)) /* "SPLIT_V1" */

typedef enum pmn_split_type {
    PMN_SPLIT_TYPE_DATA = 1,
    PMN_SPLIT_TYPE_INCREMENTAL = 2,
    PMN_SPLIT_TYPE_INDEXED = 3,
    PMN_SPLIT_TYPE_CHAIN = 4,
    PMN_SPLIT_TYPE_QUERY_AUTH = 5,
    PMN_SPLIT_TYPE_FALLBACK_DATA = 6,
    PMN_SPLIT_TYPE_FALLBACK = 7
} pmn_split_type;

/* Fields of DataFileMeta in a DataSplit of a version. */
static inline int32_t pmn_split_file_arity(int32_t version)
{
    static const int8_t arities[] = { 0, 15, 16, 17, 17, 18, 18, 19, 20, 21 };
    return arities[version];
}

#endif
