/** Splits: the contract between the control plane and the data plane.
 *
 *  A split says which files one task reads, and all that a reader needs to know of them. It is made by a plan (scan.h), possibly in another
 *  process, possibly by Paimon Java; and read (read.h) with the table's path and schema alone. Between processes it travels as Java's bytes:
 *
 *      // coordinator                                                   // worker
 *      paimon_split_serialize(split, 0, &bytes, &n, &err);              paimon_split_deserialize(env, bytes, n, &split, &err);
 *      send(bytes, n); paimon_bytes_free(bytes, n);                     paimon_read_splits(read, &split, 1, &stream, &err);
 *
 *  Splits are immutable, counted, and may be shared by threads.
 */
#ifndef PAIMON_C_SPLIT_H
#define PAIMON_C_SPLIT_H

#include <stddef.h>
#include <stdint.h>

#include "paimon-c/env.h"
#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_split paimon_split;

/** One more reference, so that the split outlives its plan; returns `split`. NULL gives NULL. Any thread. */
PAIMON_API paimon_split *paimon_split_retain(paimon_split *split);
/** Give up a reference that paimon_split_retain() or paimon_split_deserialize() gave; not one borrowed from a plan. NULL is allowed. */
PAIMON_API void paimon_split_free(paimon_split *split);

PAIMON_API size_t paimon_split_n_files(const paimon_split *split);
/** Rows of its files, as their manifest counts them: what to weigh tasks by. */
PAIMON_API int64_t paimon_split_row_count(const paimon_split *split);
/** Bytes of its files as stored. */
PAIMON_API int64_t paimon_split_size_bytes(const paimon_split *split);
PAIMON_API int32_t paimon_split_bucket(const paimon_split *split);
/** How many buckets the partition had when it was written; -1: it is not bucketed, or the split does not say. */
PAIMON_API int32_t paimon_split_total_buckets(const paimon_split *split);
PAIMON_API int64_t paimon_split_snapshot_id(const paimon_split *split);
/** The folder of its files, partition folders included; "" for kinds of splits whose files lie in several. Borrowed from the split. */
PAIMON_API const char *paimon_split_bucket_path(const paimon_split *split);
/** Of file `i` in reading order: name (borrowed), rows, bytes. NULL and -1 past the end. */
PAIMON_API const char *paimon_split_file_name(const paimon_split *split, size_t i);
PAIMON_API int64_t paimon_split_file_rows(const paimon_split *split, size_t i);
PAIMON_API int64_t paimon_split_file_size_bytes(const paimon_split *split, size_t i);
/** The split as one JSON object on one line: snapshot, partition (hex of the row), bucket, bucketPath, totalBuckets, isStreaming,
 *  rawConvertible, deletionFiles, dataFiles with all of DataFileMeta; then, for kinds other than Java's DataSplit, `kind` and what they have
 *  beside that. Owned by the caller: paimon_string_free(). */
PAIMON_API paimon_status paimon_split_json(const paimon_split *split, char **json, paimon_error *err);

/** The version that splits are written in unless a call asks for an older one: 9. */
PAIMON_API int32_t paimon_split_current_version(void);

/** The split as Java's DataSplit bytes (DataSplit.serialize), without the outer form of SplitSerializer.
 *
 *  @param version  9, or 8 for readers such as Paimon Java 1.3.1, which read no newer one; 0: the current version. Version 8 leaves out the
 *                  sequence numbers of single columns, which no reader of rows needs.
 *  @param bytes    out; owned by the caller: paimon_bytes_free(bytes, n)
 *  @return PAIMON_UNSUPPORTED for another version, naming those there are; PAIMON_NOMEM; PAIMON_CORRUPT if a manifest of the plan, decoded
 *          for it, does not parse
 *
 *  Kinds that have no bytes of their own without the outer form (incremental, chain, query authorization, fallback) come in it.
 *  Cheapest in the order of the plan: each part of a manifest is then decoded once. Any number of threads.
 */
PAIMON_API paimon_status paimon_split_serialize(const paimon_split *split, int32_t version, uint8_t **bytes, size_t *n, paimon_error *err);

/** The way back, from every version since 1, with or without the outer form ("SPLIT_V1"); of all kinds that Java's plans hold.
 *
 *  @param env    borrowed, kept by a reference; NULL: the default one
 *  @param bytes  borrowed for the call
 *  @param split  out; owned by the caller: paimon_split_free()
 *  @return PAIMON_CORRUPT for bytes that are cut, altered or too long, with the place; PAIMON_UNSUPPORTED for a version newer than is known,
 *          with both versions. A kind that is parsed but cannot be read yet is refused, by name, by paimon_read_splits().
 *
 *  The bytes do not say which table they are of: read them with the right one. Files are taken to be where the split says.
 */
PAIMON_API paimon_status paimon_split_deserialize(paimon_env *env, const void *bytes, size_t n, paimon_split **split, paimon_error *err);

#ifdef __cplusplus
}
#endif

#endif
