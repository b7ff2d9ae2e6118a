#include "format/parquet/write_options.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/checked.h"

static const char *get_option(const pmn_format_write_options *given, const char *key)
{
    return given->get ? given->get(given->options_ctx, key) : NULL;
}

static paimon_status refuse_option(const char *key, const char *value, paimon_error *err)
{
    return pmn_fail(err, PAIMON_INVALID, "option %s: \"%s\" is not a valid value", key, value);
}

/* Digits and one of Java's units of memory. */
static bool parse_bytes(const char *text, int64_t *out)
{
    static const struct { const char *name; int shift; } units[] = {
        { "", 0 },    { "b", 0 },   { "bytes", 0 },      { "k", 10 }, { "kb", 10 }, { "kibibytes", 10 }, { "m", 20 }, { "mb", 20 },
        { "mebibytes", 20 }, { "g", 30 }, { "gb", 30 }, { "gibibytes", 30 }, { "t", 40 }, { "tb", 40 }, { "tebibytes", 40 },
    };
    int64_t value = 0;
    while (isspace((unsigned char)*text)) text++;
    if (!isdigit((unsigned char)*text)) return false;
    for (; isdigit((unsigned char)*text); text++)
        if (!pmn_mul_i64(value, 10, &value) || !pmn_add_i64(value, *text - '0', &value)) return false;
    while (isspace((unsigned char)*text)) text++;
    size_t n = strlen(text);
    while (n > 0 && isspace((unsigned char)text[n - 1])) n--;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == n && strncasecmp(text, units[i].name, n) == 0) return pmn_mul_i64(value, (int64_t)1 << units[i].shift, out);
    }
    return false;
}

/* A positive number of at most `most`; `*out` is what it is without the option. */
static paimon_status read_size(const pmn_format_write_options *given, const char *key, int64_t most, int64_t *out, paimon_error *err)
{
    const char *text = get_option(given, key);
    int64_t value;
    if (!text) return PAIMON_OK;
    if (!parse_bytes(text, &value) || value <= 0) return refuse_option(key, text, err);
    *out = value < most ? value : most;
    return PAIMON_OK;
}

static paimon_status read_flag(const char *key, const char *text, bool *out, paimon_error *err)
{
    if (strcasecmp(text, "true") == 0) *out = true;
    else if (strcasecmp(text, "false") == 0) *out = false;
    else return refuse_option(key, text, err);
    return PAIMON_OK;
}

static paimon_status read_version(const pmn_format_write_options *given, bool *v2, paimon_error *err)
{
    const char *key = "parquet.writer.version", *text = get_option(given, key);
    if (!text) return PAIMON_OK;
    if (strcasecmp(text, "v2") == 0 || strcasecmp(text, "PARQUET_2_0") == 0) *v2 = true;
    else if (strcasecmp(text, "v1") == 0 || strcasecmp(text, "PARQUET_1_0") == 0) *v2 = false;
    else return refuse_option(key, text, err);
    return PAIMON_OK;
}

static paimon_status read_level(const pmn_format_write_options *given, int *out, paimon_error *err)
{
    const char *key = "parquet.compression.codec.zstd.level", *text = get_option(given, key);
    if (!text) text = get_option(given, key = "file.compression.zstd-level");
    if (!text) return PAIMON_OK;
    int level;
    char rest;
    if (sscanf(text, "%d %c", &level, &rest) != 1 || level < -131072 || level > 22) return refuse_option(key, text, err);
    *out = level;
    return PAIMON_OK;
}

paimon_status pmn_pqw_options_read(const pmn_format_write_options *given, pmn_pqw_options *out, paimon_error *err)
{
    const pmn_pqw_options defaults = { .group_bytes = 128 << 20, .page_bytes = 1 << 20, .page_rows = 20000, .dictionary_bytes = 1 << 20,
                                       .index_cut = 64, .statistics_cut = INT32_MAX, .v2 = false, .zstd_level = 1 };
    *out = defaults;
    PMN_TRY(read_size(given, "parquet.block.size", INT64_MAX, &out->group_bytes, err));
    PMN_TRY(read_size(given, "file.block-size", INT64_MAX, &out->group_bytes, err));
    PMN_TRY(read_size(given, "parquet.page.size", 1 << 28, &out->page_bytes, err)); /* sizes of pages are 32 bits */
    PMN_TRY(read_size(given, "parquet.page.row.count.limit", 1 << 24, &out->page_rows, err));
    PMN_TRY(read_size(given, "parquet.dictionary.page.size", 1 << 28, &out->dictionary_bytes, err));
    PMN_TRY(read_size(given, "parquet.columnindex.truncate.length", INT32_MAX, &out->index_cut, err));
    PMN_TRY(read_size(given, "parquet.statistics.truncate.length", INT32_MAX, &out->statistics_cut, err));
    PMN_TRY(read_version(given, &out->v2, err));
    return read_level(given, &out->zstd_level, err);
}

static paimon_status read_codec(const char *key, const char *text, pmn_pqw_column_options *out, paimon_error *err)
{
    static const struct { const char *name; pmn_parquet_codec codec; pmn_codec compression; } names[] = {
        { "none", PMN_PQ_UNCOMPRESSED, PMN_CODEC_NONE }, { "uncompressed", PMN_PQ_UNCOMPRESSED, PMN_CODEC_NONE },
        { "snappy", PMN_PQ_SNAPPY, PMN_CODEC_SNAPPY },   { "gzip", PMN_PQ_GZIP, PMN_CODEC_GZIP },
        { "lz4", PMN_PQ_LZ4, PMN_CODEC_LZ4_HADOOP },     { "lz4_raw", PMN_PQ_LZ4_RAW, PMN_CODEC_LZ4_RAW },
        { "zstd", PMN_PQ_ZSTD, PMN_CODEC_ZSTD },         { "brotli", PMN_PQ_BROTLI, PMN_CODEC_BROTLI },
        { "lzo", PMN_PQ_LZO, PMN_CODEC_LZO },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(text, names[i].name) != 0) continue;
        out->codec = names[i].codec;
        out->compression = names[i].compression;
        if (out->codec == PMN_PQ_BROTLI || out->codec == PMN_PQ_LZO) return pmn_fail(err, PAIMON_UNSUPPORTED, "option %s: writing Parquet with %s is not supported", key, names[i].name);
        return PAIMON_OK;
    }
    return refuse_option(key, text, err);
}

/* "key#path", or the key alone. `key` gets the one that is set. */
static paimon_status column_option(const pmn_format_write_options *given, const char *name, const char *path, pmn_buf *key, const char **text, paimon_error *err)
{
    pmn_buf_clear(key);
    PMN_TRY(pmn_buf_printf(key, err, "%s#%s", name, path));
    PMN_TRY(pmn_buf_terminate(key, err));
    *text = get_option(given, (const char *)key->data);
    if (*text) return PAIMON_OK;
    pmn_buf_clear(key);
    PMN_TRY(pmn_buf_append_text(key, name, err));
    PMN_TRY(pmn_buf_terminate(key, err));
    *text = get_option(given, name);
    return PAIMON_OK;
}

/* What a column's filter is to hold, and how big it may get. */
static paimon_status read_bloom(const pmn_format_write_options *given, const char *path, pmn_buf *key, pmn_pqw_column_options *out, paimon_error *err)
{
    const char *text;
    char *end;
    out->bloom_most_bytes = 1 << 20;
    out->bloom_false_share = 0.01;
    PMN_TRY(column_option(given, "parquet.bloom.filter.enabled", path, key, &text, err));
    if (text) PMN_TRY(read_flag((const char *)key->data, text, &out->bloom, err));
    if (!out->bloom) return PAIMON_OK;
    PMN_TRY(read_size(given, "parquet.bloom.filter.max.bytes", PMN_PQW_MOST_BLOOM_BYTES, &out->bloom_most_bytes, err));
    PMN_TRY(column_option(given, "parquet.bloom.filter.expected.ndv", path, key, &text, err));
    if (text) PMN_TRY(read_size(given, (const char *)key->data, INT64_MAX, &out->bloom_values, err));
    PMN_TRY(column_option(given, "parquet.bloom.filter.fpp", path, key, &text, err));
    if (!text) return PAIMON_OK;
    out->bloom_false_share = strtod(text, &end);
    if (end == text || *end || !(out->bloom_false_share > 0 && out->bloom_false_share < 1)) return refuse_option((const char *)key->data, text, err);
    return PAIMON_OK;
}

static paimon_status read_column(const pmn_format_write_options *given, const char *path, pmn_buf *key, pmn_pqw_column_options *out, paimon_error *err)
{
    const char *text;
    PMN_TRY(column_option(given, "parquet.enable.dictionary", path, key, &text, err));
    if (text) PMN_TRY(read_flag((const char *)key->data, text, &out->dictionary, err));
    PMN_TRY(read_bloom(given, path, key, out, err));
    PMN_TRY(column_option(given, "parquet.compression", path, key, &text, err));
    if (text) return read_codec((const char *)key->data, text, out, err);
    text = get_option(given, "file.compression");
    return read_codec("file.compression", text ? text : "zstd", out, err);
}

paimon_status pmn_pqw_column_options_read(const pmn_format_write_options *given, const char *path, pmn_pqw_column_options *out, paimon_error *err)
{
    pmn_buf key;
    pmn_buf_init(&key, given->mem, PMN_BUF_NO_CEILING);
    memset(out, 0, sizeof *out);
    out->dictionary = true;
    paimon_status status = read_column(given, path, &key, out, err);
    pmn_buf_free(&key);
    return status;
}
