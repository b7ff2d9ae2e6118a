/* Splits as the user sees them: getters, their bytes, and the same as JSON. */
#include "paimon-c/split.h"

#include "io/env.h"
#include "meta/split.h"
#include "wire/json.h"
#include "wire/split.h"

#define SPLIT_TYPICAL_HEAD 512
#define SPLIT_TYPICAL_FILE 640
#define SPLIT_TYPICAL_FILES 16 /* of more files the first one tells how large they are */

size_t paimon_split_n_files(const paimon_split *split) { return split ? split->n_files : 0; }
int64_t paimon_split_row_count(const paimon_split *split) { return split ? split->row_count : 0; }
int64_t paimon_split_size_bytes(const paimon_split *split) { return split ? split->size_bytes : 0; }
int32_t paimon_split_bucket(const paimon_split *split) { return split ? split->bucket : 0; }
int32_t paimon_split_total_buckets(const paimon_split *split) { return split ? split->total_buckets : 0; }
int64_t paimon_split_snapshot_id(const paimon_split *split) { return split ? split->snapshot_id : 0; }
const char *paimon_split_bucket_path(const paimon_split *split) { return split ? split->bucket_path : NULL; }

paimon_split *paimon_split_retain(paimon_split *split)
{
    if (split) pmn_plan_retain(split->plan);
    return split;
}

void paimon_split_free(paimon_split *split)
{
    if (split) pmn_plan_release(split->plan);
}

const char *paimon_split_file_name(const paimon_split *split, size_t i)
{
    return split && i < split->n_files ? pmn_split_file(split, (uint32_t)i)->name : NULL;
}
int64_t paimon_split_file_rows(const paimon_split *split, size_t i)
{
    return split && i < split->n_files ? pmn_split_file(split, (uint32_t)i)->row_count : -1;
}
int64_t paimon_split_file_size_bytes(const paimon_split *split, size_t i)
{
    return split && i < split->n_files ? pmn_split_file(split, (uint32_t)i)->size : -1;
}

int32_t paimon_split_current_version(void) { return PMN_SPLIT_VERSION; }

paimon_status paimon_split_serialize(const paimon_split *split, int32_t version, uint8_t **bytes, size_t *n, paimon_error *err)
{
    if (!split || !bytes || !n) return pmn_fail(err, PAIMON_INVALID, "paimon_split_serialize: split, bytes or n is NULL");
    *bytes = NULL;
    *n = 0;
    pmn_buf out;
    pmn_buf_init(&out, split->plan->mem, PMN_BUF_NO_CEILING);
    size_t files = split->n_files < SPLIT_TYPICAL_FILES ? split->n_files : 1;
    paimon_status status = pmn_buf_reserve(&out, SPLIT_TYPICAL_HEAD + files * SPLIT_TYPICAL_FILE, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_begin(&out, err);
    if (status == PAIMON_OK) status = pmn_split_write(split, version == 0 ? PMN_SPLIT_VERSION : version, false, &out, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_take(&out, bytes, n, err);
    pmn_buf_free(&out);
    return status;
}

paimon_status paimon_split_deserialize(paimon_env *env, const void *bytes, size_t n, paimon_split **split, paimon_error *err)
{
    if (!split || (n > 0 && !bytes)) return pmn_fail(err, PAIMON_INVALID, "paimon_split_deserialize: split or bytes is NULL");
    *split = NULL;
    paimon_plan *plan = NULL;
    PMN_TRY(pmn_split_read(pmn_env_or_default(env)->mem, pmn_slice_of(bytes, n), &plan, err));
    *split = &plan->splits[0]; /* the plan's reference is the split's */
    return PAIMON_OK;
}

paimon_status paimon_split_json(const paimon_split *split, char **json, paimon_error *err)
{
    if (!split || !json) return pmn_fail(err, PAIMON_INVALID, "paimon_split_json: split or json is NULL");
    *json = NULL;
    pmn_buf out;
    pmn_buf_init(&out, split->plan->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_json_put_split(&out, split, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_text(&out, "a split's JSON", json, err);
    pmn_buf_free(&out);
    return status;
}
