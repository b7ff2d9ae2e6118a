/* Reading split-block bloom filters: see bloom.h for the layout. */
#include "format/parquet/bloom.h"

#include "base/xxhash.h"

/* What is read at first: most filters whole, of bigger ones the header. Blocks behind it are read one by one. */
#define BLOOM_FIRST_READ (64 * 1024)

/* The bit of a hash in word `i` of its block. */
static inline uint32_t bit_of(uint64_t hash, int i)
{
    static const uint32_t salt[8] = { 0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du, 0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u };
    return 1u << (((uint32_t)hash * salt[i]) >> 27);
}

bool pmn_parquet_bloom_block_has(const uint8_t *block, uint64_t hash)
{
    uint32_t missing = 0;
    for (int i = 0; i < 8; i++) missing |= bit_of(hash, i) & ~pmn_load_le32(block + 4 * i);
    return missing == 0;
}

void pmn_parquet_bloom_block_add(uint8_t *block, uint64_t hash)
{
    for (int i = 0; i < 8; i++) pmn_store_le32(block + 4 * i, pmn_load_le32(block + 4 * i) | bit_of(hash, i));
}

/* A union whose only member we know is 1: algorithm BLOCK, hash XXHASH, compression UNCOMPRESSED. */
static paimon_status bloom_kind(pmn_thrift *t, const pmn_thrift_field *field, bool *ours)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    PMN_TRY(pmn_thrift_expect(t, field, PMN_THRIFT_STRUCT));
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        if (f.id != 1) *ours = false;
        PMN_TRY(pmn_thrift_skip(t, &f));
    }
}

static paimon_status bloom_header(pmn_thrift *t, int32_t *n_bytes, bool *ours)
{
    pmn_thrift_struct s;
    pmn_thrift_field f;
    *ours = true;
    *n_bytes = 0;
    PMN_TRY(pmn_thrift_begin(t, &s));
    while (true) {
        PMN_TRY(pmn_thrift_next(t, &s, &f));
        if (f.type == PMN_THRIFT_STOP) return PAIMON_OK;
        if (f.id == 1) PMN_TRY(pmn_thrift_i32(t, &f, n_bytes));
        else if (f.id >= 2 && f.id <= 4) PMN_TRY(bloom_kind(t, &f, ours));
        else PMN_TRY(pmn_thrift_skip(t, &f));
    }
}

paimon_status pmn_parquet_bloom_load(pmn_parquet_file *file, int32_t group, int32_t leaf, pmn_arena *arena, pmn_parquet_bloom *out,
                                     bool *found, paimon_error *err)
{
    const pmn_parquet_chunk *chunk = &file->meta.groups[group].chunks[leaf];
    *found = false;
    if (chunk->encrypted || chunk->bloom_offset < 4 || chunk->bloom_offset >= file->size) return PAIMON_OK;
    int64_t n = file->size - chunk->bloom_offset;
    if (chunk->bloom_length > 0 && chunk->bloom_length < n) n = chunk->bloom_length;
    if (n > BLOOM_FIRST_READ) n = BLOOM_FIRST_READ;
    uint8_t *bytes = pmn_arena_alloc(arena, (size_t)n);
    if (!bytes) return pmn_fail_nomem(err, "a bloom filter");
    PMN_TRY(pmn_parquet_file_read(file, chunk->bloom_offset, n, bytes, err));
    pmn_thrift t = pmn_thrift_of(pmn_slice_of(bytes, (size_t)n), chunk->bloom_offset, "bloom filter header", NULL);
    int32_t n_bytes;
    bool ours;
    if (bloom_header(&t, &n_bytes, &ours) != PAIMON_OK || !ours) return PAIMON_OK;
    size_t header = pmn_cursor_offset(&t.cursor);
    int64_t rest = file->size - chunk->bloom_offset - (int64_t)header;
    if (n_bytes < PMN_BLOOM_BLOCK || n_bytes % PMN_BLOOM_BLOCK != 0 || n_bytes > rest) return PAIMON_OK;
    out->file = file;
    out->bits_offset = chunk->bloom_offset + (int64_t)header;
    out->n_blocks = (uint32_t)n_bytes / PMN_BLOOM_BLOCK;
    out->head = bytes + header;
    out->head_size = (size_t)n - header;
    *found = true;
    return PAIMON_OK;
}

paimon_status pmn_parquet_bloom_may_contain(const pmn_parquet_bloom *bloom, pmn_slice plain, bool *may, paimon_error *err)
{
    uint64_t hash = pmn_xxhash64(plain.data, plain.size, 0);
    size_t place = (size_t)pmn_parquet_bloom_block_of(hash, bloom->n_blocks) * PMN_BLOOM_BLOCK;
    uint8_t block[PMN_BLOOM_BLOCK];
    const uint8_t *bits = bloom->head + place;
    if (place + PMN_BLOOM_BLOCK > bloom->head_size) {
        PMN_TRY(pmn_parquet_file_read(bloom->file, bloom->bits_offset + (int64_t)place, PMN_BLOOM_BLOCK, block, err));
        bits = block;
    }
    *may = pmn_parquet_bloom_block_has(bits, hash);
    return PAIMON_OK;
}
