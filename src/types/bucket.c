/* From key values to a bucket. Java: DefaultBucketFunction, ModBucketFunction, HiveBucketFunction. Java's int arithmetic wraps, so
 * hashes are computed unsigned. */
#include "types/bucket.h"

#include <string.h>

paimon_status pmn_bucket_function_parse(const char *name, pmn_bucket_function *out, paimon_error *err)
{
    static const char *const names[] = { "default", "mod", "hive" };
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) != 0) continue;
        *out = (pmn_bucket_function)i;
        return PAIMON_OK;
    }
    return pmn_fail(err, PAIMON_UNSUPPORTED, "bucket-function.type '%.100s'", name);
}

int32_t pmn_bucket_of_row(pmn_slice row, int32_t n_buckets)
{
    int64_t hash = pmn_row_hash(row);
    return (int32_t)((hash < 0 ? -hash : hash) % n_buckets); /* Java: Math.abs(hash % n) */
}

static paimon_status default_bucket(pmn_buf *scratch, const pmn_type *key_type, const pmn_datum *key, int32_t n_buckets, int32_t *bucket, paimon_error *err)
{
    pmn_buf_clear(scratch);
    PMN_TRY(pmn_row_write(scratch, key_type, key, err));
    *bucket = pmn_bucket_of_row(pmn_slice_of(scratch->data, scratch->size), n_buckets);
    return PAIMON_OK;
}

static paimon_status mod_bucket(const pmn_type *key_type, const pmn_datum *key, int32_t n_buckets, int32_t *bucket, paimon_error *err)
{
    pmn_type_kind kind = key_type->n_fields == 1 ? key_type->fields[0].type->kind : PMN_ROW;
    if (kind != PMN_INT && kind != PMN_BIGINT)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "bucket-function.type 'mod' of a key that is not one INT or BIGINT");
    int64_t rest = key[0].is_null ? 0 : key[0].v.i % n_buckets;
    *bucket = (int32_t)(rest < 0 ? rest + n_buckets : rest);
    return PAIMON_OK;
}

static uint32_t hash_long(uint64_t v) { return (uint32_t)(v ^ v >> 32); }

static uint32_t hash_bytes(pmn_slice bytes)
{
    uint32_t h = 0;
    for (size_t i = 0; i < bytes.size; i++) h = 31 * h + (uint32_t)(int8_t)bytes.data[i];
    return h;
}

/* BigInteger.hashCode: 31-based over the big-endian ints of the magnitude without leading zeros, times the sign. */
static uint32_t hash_unscaled(pmn_i128 value)
{
    pmn_u128 magnitude = value < 0 ? -(pmn_u128)value : (pmn_u128)value;
    uint32_t h = 0;
    for (int shift = 96; shift >= 0; shift -= 32) h = 31 * h + (uint32_t)(magnitude >> shift);
    return value < 0 ? 0 - h : h;
}

/* BigDecimal.hashCode once trailing zeros are gone. Java computes it differently when the unscaled value fits a long
 * (BigDecimal keeps it as one): the two halves of its magnitude, 31-based, times the sign; equal to the above. */
static uint32_t hash_decimal(pmn_i128 value, int32_t scale)
{
    if (value == 0) return 0;
    while (scale > 0 && value % 10 == 0) {
        value /= 10;
        scale--;
    }
    return 31 * hash_unscaled(value) + (uint32_t)scale;
}

/* floatToIntBits and doubleToLongBits make every NaN the same; -0.0 counts as 0.0. */
static uint32_t hash_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    if (f != f) return 0x7fc00000u;
    return f == 0 ? 0 : bits;
}

static uint32_t hash_double(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    if (d != d) bits = 0x7ff8000000000000u;
    return d == 0 ? 0 : hash_long(bits);
}

static paimon_status hive_hash(const pmn_type *type, const pmn_datum *value, uint32_t *out, paimon_error *err)
{
    *out = 0;
    if (value->is_null) return PAIMON_OK;
    switch (type->kind) {
    case PMN_BOOLEAN:
    case PMN_TINYINT:
    case PMN_SMALLINT:
    case PMN_INT:
    case PMN_DATE:
    case PMN_TIME: *out = (uint32_t)value->v.i; return PAIMON_OK;
    case PMN_BIGINT: *out = hash_long((uint64_t)value->v.i); return PAIMON_OK;
    case PMN_FLOAT: *out = hash_float(value->v.f); return PAIMON_OK;
    case PMN_DOUBLE: *out = hash_double(value->v.d); return PAIMON_OK;
    case PMN_DECIMAL: *out = hash_decimal(value->v.dec, type->scale); return PAIMON_OK;
    case PMN_CHAR:
    case PMN_VARCHAR:
    case PMN_BINARY:
    case PMN_VARBINARY: *out = hash_bytes(value->v.bytes); return PAIMON_OK;
    default: return pmn_fail(err, PAIMON_UNSUPPORTED, "bucket-function.type 'hive' of a %s", pmn_type_kind_name(type->kind));
    }
}

static paimon_status hive_bucket(const pmn_type *key_type, const pmn_datum *key, int32_t n_buckets, int32_t *bucket, paimon_error *err)
{
    uint32_t hash = 0, field;
    for (int32_t i = 0; i < key_type->n_fields; i++) {
        PMN_TRY(hive_hash(key_type->fields[i].type, &key[i], &field, err));
        hash = 31 * hash + field;
    }
    *bucket = (int32_t)((hash & INT32_MAX) % (uint32_t)n_buckets);
    return PAIMON_OK;
}

paimon_status pmn_bucket_with(pmn_buf *scratch, pmn_bucket_function function, const pmn_type *key_type, const pmn_datum *key, int32_t n_buckets,
                              int32_t *bucket, paimon_error *err)
{
    if (n_buckets <= 0) return pmn_fail(err, PAIMON_INVALID, "%d buckets", (int)n_buckets);
    switch (function) {
    case PMN_BUCKET_MOD: return mod_bucket(key_type, key, n_buckets, bucket, err);
    case PMN_BUCKET_HIVE: return hive_bucket(key_type, key, n_buckets, bucket, err);
    default: return default_bucket(scratch, key_type, key, n_buckets, bucket, err);
    }
}

paimon_status pmn_bucket_of(pmn_mem *mem, pmn_bucket_function function, const pmn_type *key_type, const pmn_datum *key, int32_t n_buckets,
                            int32_t *bucket, paimon_error *err)
{
    pmn_buf scratch;
    pmn_buf_init(&scratch, mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_bucket_with(&scratch, function, key_type, key, n_buckets, bucket, err);
    pmn_buf_free(&scratch);
    return status;
}
