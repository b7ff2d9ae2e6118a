/* Reading bloom filters: see bloom.h for the layout. What is hashed how:
 *
 *   column in the file      predicate                   hash
 *   BYTE … LONG             integers at least as wide   of the number as 64 bits
 *   INT                     TIME                        the same
 *   DATE                    DATE                        of the day
 *   FLOAT, DOUBLE           DOUBLE, FLOAT of FLOAT      of the bits of the double: of both zeros; never asked for NaN
 *   STRING, VARCHAR         VARCHAR                     of the bytes, in filters of UTF-8 only: the older ones hash whatever the writer's
 *                                                       machine took for its charset
 *   BINARY                  BINARY, VARBINARY           of the bytes
 *
 * CHAR is hashed with its padding, decimals as texts and timestamps in zones that depend on the writer's version: not asked. */
#include "format/orc/bloom.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/orc/proto.h"

#define MOST_HASHES 256

/* ---- hashes ---- */

uint64_t pmn_orc_hash_long(int64_t value)
{
    /* Thomas Wang's; shifts to the right keep the sign. */
    uint64_t h = (uint64_t)value;
    h = ~h + (h << 21);
    h ^= (uint64_t)((int64_t)h >> 24);
    h = h + (h << 3) + (h << 8);
    h ^= (uint64_t)((int64_t)h >> 14);
    h = h + (h << 2) + (h << 4);
    h ^= (uint64_t)((int64_t)h >> 28);
    return h + (h << 31);
}

uint64_t pmn_orc_hash_double(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return pmn_orc_hash_long(bits);
}

static uint64_t orc_rotate(uint64_t v, int n) { return v << n | v >> (64 - n); }

static uint64_t orc_murmur_word(uint64_t word)
{
    return orc_rotate(word * UINT64_C(0x87c37b91114253d5), 31) * UINT64_C(0x4cf5ad432745937f);
}

/* The first half of Murmur3's 128 bits, alone: seed 104729. */
uint64_t pmn_orc_hash_bytes(pmn_slice bytes)
{
    uint64_t h = 104729, tail = 0;
    size_t whole = bytes.size / 8 * 8;
    for (size_t i = 0; i < whole; i += 8) h = orc_rotate(h ^ orc_murmur_word(pmn_load_le64(bytes.data + i)), 27) * 5 + 0x52dce729;
    for (size_t i = bytes.size; i > whole; i--) tail = tail << 8 | bytes.data[i - 1];
    if (bytes.size > whole) h ^= orc_murmur_word(tail);
    h ^= bytes.size;
    h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

bool pmn_orc_bloom_has(const pmn_orc_bloom *bloom, uint64_t hash)
{
    if (!bloom->bits) return true;
    uint32_t a = (uint32_t)hash, b = (uint32_t)(hash >> 32);
    for (int32_t i = 1; i <= bloom->n_hashes; i++) {
        uint32_t place = a + (uint32_t)i * b;
        if (place >> 31) place = ~place;
        place %= bloom->n_bits;
        if (!(bloom->bits[place / 8] >> (place % 8) & 1)) return false;
    }
    return true;
}

/* ---- parsing ---- */

/* Field 2, packed, or word by word and then put together. */
static paimon_status orc_bloom_words(pmn_arena *arena, pmn_proto p, size_t n_words, pmn_slice *out)
{
    pmn_proto_field f;
    size_t at = 0;
    uint8_t *words = n_words ? pmn_arena_alloc(arena, n_words * 8) : NULL;
    if (n_words && !words) return pmn_fail_nomem(p.err, "a bloom filter");
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id != 2) continue;
        if (f.wire == PMN_PROTO_LENGTH) *out = f.bytes;
        else pmn_store_le64(words + 8 * at++, f.number);
    }
    if (n_words) *out = pmn_slice_of(words, n_words * 8);
    return PAIMON_OK;
}

static paimon_status orc_bloom_parse(pmn_arena *arena, const pmn_proto *index, const pmn_proto_field *field, int32_t kind, pmn_orc_bloom *out)
{
    pmn_proto p;
    pmn_proto_field f;
    pmn_slice bits = { NULL, 0 };
    size_t n_words = 0;
    int64_t n_hashes = 0;
    PMN_TRY(pmn_proto_enter(index, field, "ORC bloom filter", &p));
    pmn_proto again = p;
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        if (f.id == 1) PMN_TRY(pmn_proto_i64(&p, &f, &n_hashes));
        else if (f.id == 2) n_words += f.wire != PMN_PROTO_LENGTH;
        else if (f.id == 3 && kind == PMN_ORC_BLOOM_FILTER_UTF8) PMN_TRY(pmn_proto_bytes(&p, &f, &bits));
    }
    if (kind == PMN_ORC_BLOOM_FILTER) PMN_TRY(orc_bloom_words(arena, again, n_words, &bits));
    bool sound = bits.size > 0 && bits.size % 8 == 0 && bits.size <= INT32_MAX / 8 && n_hashes >= 1 && n_hashes <= MOST_HASHES;
    if (!sound) return PAIMON_OK;
    *out = (pmn_orc_bloom){ bits.data, (uint32_t)bits.size * 8, (int32_t)n_hashes };
    return PAIMON_OK;
}

paimon_status pmn_orc_blooms_parse(pmn_arena *arena, pmn_slice bytes, int32_t kind, pmn_orc_blooms *out, paimon_error *err)
{
    pmn_proto p = pmn_proto_of(bytes, "ORC bloom filters", err), again = p;
    pmn_proto_field f;
    int64_t n = 0;
    memset(out, 0, sizeof *out);
    while (pmn_proto_left(&p)) {
        PMN_TRY(pmn_proto_next(&p, &f));
        n += f.id == 1;
    }
    if (n > INT32_MAX) return pmn_proto_corrupt(&p, "%lld filters", (long long)n);
    pmn_orc_bloom *filters = pmn_arena_calloc(arena, n ? (size_t)n : 1, sizeof *filters);
    if (!filters) return pmn_fail_nomem(err, "bloom filters");
    while (pmn_proto_left(&again)) {
        PMN_TRY(pmn_proto_next(&again, &f));
        if (f.id == 1) PMN_TRY(orc_bloom_parse(arena, &again, &f, kind, &filters[out->n++]));
    }
    out->filters = filters;
    return PAIMON_OK;
}

/* ---- values ---- */

static bool orc_bloom_integer(pmn_orc_kind kind, pmn_type_kind type)
{
    static const pmn_type_kind narrowest[] = { PMN_TINYINT, PMN_SMALLINT, PMN_INT, PMN_BIGINT };
    if (type == PMN_TIME) return kind == PMN_ORC_INT;
    return kind >= PMN_ORC_BYTE && kind <= PMN_ORC_LONG && type >= narrowest[kind - PMN_ORC_BYTE] && type <= PMN_BIGINT;
}

/* The C++ writer hashed otherwise than the Java writer up to 1.6.11 and in 1.7.0 (ORC-1024). Older ones do not tell their version. */
static bool orc_hashes_right(const pmn_orc_meta *meta)
{
    char text[16] = { 0 };
    int major = 0, minor = 0, patch = 0;
    if (meta->writer != 1) return true;
    if (!meta->software.data || meta->software.size >= sizeof text) return false;
    memcpy(text, meta->software.data, meta->software.size);
    if (sscanf(text, "%d.%d.%d", &major, &minor, &patch) < 3) return false;
    return major > 1 || (major == 1 && (minor > 7 || (minor == 7 && patch > 0)));
}

bool pmn_orc_bloom_fits(const pmn_orc_meta *meta, int32_t kind, const pmn_orc_type *column, const pmn_type *type)
{
    if (!orc_hashes_right(meta)) return false;
    switch (type->kind) {
    case PMN_TINYINT:
    case PMN_SMALLINT:
    case PMN_INT:
    case PMN_BIGINT:
    case PMN_TIME: return orc_bloom_integer(column->kind, type->kind);
    case PMN_DATE: return column->kind == PMN_ORC_DATE;
    case PMN_FLOAT: return column->kind == PMN_ORC_FLOAT && meta->writer <= 1; /* of others it is not known */
    case PMN_DOUBLE: return (column->kind == PMN_ORC_FLOAT || column->kind == PMN_ORC_DOUBLE) && meta->writer <= 1;
    case PMN_VARCHAR: return (column->kind == PMN_ORC_STRING || column->kind == PMN_ORC_VARCHAR) && kind == PMN_ORC_BLOOM_FILTER_UTF8;
    case PMN_BINARY:
    case PMN_VARBINARY: return column->kind == PMN_ORC_BINARY && meta->writer <= 1;
    default: return false;
    }
}

static bool orc_bloom_has_double(const pmn_orc_bloom *bloom, double value)
{
    if (isnan(value)) return true;
    if (value != 0) return pmn_orc_bloom_has(bloom, pmn_orc_hash_double(value));
    return pmn_orc_bloom_has(bloom, pmn_orc_hash_double(0.0)) || pmn_orc_bloom_has(bloom, pmn_orc_hash_double(-0.0));
}

bool pmn_orc_bloom_may_hold(const pmn_orc_bloom *bloom, int32_t kind, const pmn_orc_meta *meta, const pmn_orc_type *column, const pmn_type *type,
                            const pmn_datum *value)
{
    if (!pmn_orc_bloom_fits(meta, kind, column, type)) return true;
    if (type->kind == PMN_FLOAT) return orc_bloom_has_double(bloom, (double)value->v.f);
    if (type->kind == PMN_DOUBLE) return orc_bloom_has_double(bloom, value->v.d);
    if (pmn_datum_has_bytes(type)) return pmn_orc_bloom_has(bloom, pmn_orc_hash_bytes(value->v.bytes));
    return pmn_orc_bloom_has(bloom, pmn_orc_hash_long(value->v.i));
}
