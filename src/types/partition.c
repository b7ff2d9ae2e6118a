/* Partition folders: "k1=v1/k2=v2/". Java: PartitionPathUtils, InternalRowPartitionComputer. */
#include "types/partition.h"

#include <string.h>

#include "base/utf8.h"

static bool needs_escape(uint8_t c) { return c < 0x20 || c == 0x7f || strchr("\"#%'*/:=?\\{}[]^", (char)c) != NULL; }

paimon_status pmn_partition_escape(pmn_buf *out, pmn_slice text, paimon_error *err)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (c < 0x80 && needs_escape(c)) PMN_TRY(pmn_buf_printf(out, err, "%%%02X", c));
        else PMN_TRY(pmn_buf_append_byte(out, c, err));
    }
    return PAIMON_OK;
}

static int escape_digit(uint8_t c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The two characters as Java's Integer.parseInt(…, 16) takes them, a '+' in front included. -1 if it would not. */
static int hex_pair(const uint8_t *p)
{
    int high = escape_digit(p[0]), low = escape_digit(p[1]);
    if (low < 0) return -1;
    if (p[0] == '+' || (p[0] == '-' && low == 0)) return low;
    return high < 0 ? -1 : high * 16 + low;
}

/* %XX stands for one UTF-16 unit: past 0x7F a character of two bytes. */
paimon_status pmn_partition_unescape(pmn_buf *out, pmn_slice text, paimon_error *err)
{
    for (size_t i = 0; i < text.size; i++) {
        int code = text.data[i] == '%' && i + 2 < text.size ? hex_pair(text.data + i + 1) : -1;
        if (code < 0) {
            PMN_TRY(pmn_buf_append_byte(out, text.data[i], err));
            continue;
        }
        uint8_t encoded[4];
        size_t n = pmn_utf8_encode((uint32_t)code, encoded);
        PMN_TRY(pmn_buf_append(out, encoded, n, err));
        i += 2;
    }
    return PAIMON_OK;
}

/* Character.isWhitespace: separators of Unicode but the no-break ones, and some controls. */
static bool is_java_space(uint32_t c)
{
    if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1c && c <= 0x1f);
    return c == 0x1680 || (c >= 0x2000 && c <= 0x200a && c != 0x2007) || c == 0x2028 || c == 0x2029 || c == 0x205f || c == 0x3000;
}

static bool is_blank(pmn_slice text)
{
    for (size_t pos = 0; pos < text.size;)
        if (!is_java_space(pmn_utf8_next(text, &pos))) return false;
    return true;
}

paimon_status pmn_partition_text(pmn_buf *out, const pmn_type *type, const pmn_datum *value, const char *default_name, bool legacy,
                                 paimon_error *err)
{
    if (value->is_null) return pmn_buf_append_text(out, default_name, err);
    size_t start = out->size;
    PMN_TRY(pmn_datum_print(type, value, legacy, out, err));
    if (out->size > start && !is_blank(pmn_slice_of(out->data + start, out->size - start))) return PAIMON_OK;
    out->size = start;
    return pmn_buf_append_text(out, default_name, err);
}

static paimon_status path_part(pmn_buf *out, pmn_buf *text, const pmn_field *field, const pmn_datum *value, const char *default_name,
                               bool legacy, paimon_error *err)
{
    pmn_buf_clear(text);
    paimon_status status = pmn_partition_text(text, field->type, value, default_name, legacy, err);
    if (status != PAIMON_OK) {
        pmn_error_prefix(err, "partition column '%.100s'", field->name);
        return status;
    }
    if (text->size == 0 || !*field->name) return pmn_fail(err, PAIMON_INVALID, "partition column '%.100s': an empty folder name", field->name);
    PMN_TRY(pmn_partition_escape(out, pmn_slice_text(field->name), err));
    PMN_TRY(pmn_buf_append_byte(out, '=', err));
    PMN_TRY(pmn_partition_escape(out, pmn_slice_of(text->data, text->size), err));
    return pmn_buf_append_byte(out, '/', err);
}

paimon_status pmn_partition_path(pmn_buf *out, const pmn_type *partition_type, const pmn_datum *values, const char *default_name,
                                 bool legacy, paimon_error *err)
{
    pmn_buf text;
    pmn_buf_init(&text, out->mem, PMN_BUF_NO_CEILING);
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < partition_type->n_fields && status == PAIMON_OK; i++)
        status = path_part(out, &text, &partition_type->fields[i], &values[i], default_name, legacy, err);
    pmn_buf_free(&text);
    return status;
}
