#include "format/parquet/bloom_write.h"

#include <math.h>

#include "base/xxhash.h"
#include "format/parquet/bloom.h"
#include "format/parquet/thrift_write.h"

/* A power of two from one block to `most`, whatever is asked. */
static size_t power_of_two(double wanted, size_t most)
{
    size_t n = PMN_BLOOM_BLOCK;
    while ((double)n < wanted && n <= most / 2) n *= 2;
    return n;
}

/* Each value sets eight bits, one in each word of its block. */
static double bytes_for(double n_values, double false_share)
{
    return -n_values / log(1 - pow(false_share, 1.0 / 8));
}

void pmn_pqw_bloom_init(pmn_pqw_bloom *bloom, pmn_mem *mem, const pmn_pqw_column_options *options)
{
    double most = (double)options->bloom_most_bytes;
    bloom->mem = mem;
    bloom->bits = NULL;
    bloom->n_bytes = 0;
    if (options->bloom) bloom->n_bytes = power_of_two(options->bloom_values ? bytes_for((double)options->bloom_values, options->bloom_false_share) : most, (size_t)options->bloom_most_bytes);
}

void pmn_pqw_bloom_free(pmn_pqw_bloom *bloom)
{
    if (bloom->bits) pmn_free(bloom->mem, bloom->bits, bloom->n_bytes);
    bloom->bits = NULL;
}

static void add_value(pmn_pqw_bloom *bloom, const uint8_t *bytes, size_t n)
{
    uint64_t hash = pmn_xxhash64(bytes, n, 0);
    uint32_t block = pmn_parquet_bloom_block_of(hash, (uint32_t)(bloom->n_bytes / PMN_BLOOM_BLOCK));
    pmn_parquet_bloom_block_add(bloom->bits + (size_t)block * PMN_BLOOM_BLOCK, hash);
}

paimon_status pmn_pqw_bloom_add(pmn_pqw_bloom *bloom, int64_t width, pmn_slice plain, paimon_error *err)
{
    if (plain.size == 0) return PAIMON_OK;
    if (!bloom->bits) bloom->bits = pmn_calloc(bloom->mem, 1, bloom->n_bytes);
    if (!bloom->bits) return pmn_fail_nomem(err, "a bloom filter");
    for (const uint8_t *at = plain.data, *end = at + plain.size; at < end;) {
        size_t n = (size_t)width;
        if (width == 0) {
            n = pmn_load_le32(at);
            at += 4;
        }
        add_value(bloom, at, n);
        at += n;
    }
    return PAIMON_OK;
}

/* A union whose only member is an empty struct. */
static void put_kind(pmn_thrift_out *t, int32_t id)
{
    pmn_thrift_put_struct(t, id);
    pmn_thrift_put_struct(t, 1);
    pmn_thrift_put_end(t);
    pmn_thrift_put_end(t);
}

paimon_status pmn_pqw_bloom_put(const pmn_pqw_bloom *bloom, pmn_buf *out, paimon_error *err)
{
    if (!bloom->bits) return PAIMON_OK;
    pmn_thrift_out t = pmn_thrift_out_of(out, err);
    pmn_thrift_put_i32(&t, 1, (int32_t)bloom->n_bytes);
    put_kind(&t, 2); /* algorithm: blocks */
    put_kind(&t, 3); /* hash: XXH64 */
    put_kind(&t, 4); /* compression: none */
    pmn_thrift_put_end(&t);
    PMN_TRY(t.status);
    return pmn_buf_append(out, bloom->bits, bloom->n_bytes, err);
}
