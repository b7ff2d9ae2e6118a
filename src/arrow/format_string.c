/* The format strings of the Arrow C data interface, taken apart. */
#include <string.h>

#include "arrow/schema.h"

static const char *const kind_names[] = {
    [PMN_ARROW_NULL] = "null",
    [PMN_ARROW_BOOL] = "bool",
    [PMN_ARROW_INT8] = "int8",
    [PMN_ARROW_UINT8] = "uint8",
    [PMN_ARROW_INT16] = "int16",
    [PMN_ARROW_UINT16] = "uint16",
    [PMN_ARROW_INT32] = "int32",
    [PMN_ARROW_UINT32] = "uint32",
    [PMN_ARROW_INT64] = "int64",
    [PMN_ARROW_UINT64] = "uint64",
    [PMN_ARROW_HALF] = "half float",
    [PMN_ARROW_FLOAT] = "float",
    [PMN_ARROW_DOUBLE] = "double",
    [PMN_ARROW_DECIMAL] = "decimal",
    [PMN_ARROW_BINARY] = "binary",
    [PMN_ARROW_LARGE_BINARY] = "large binary",
    [PMN_ARROW_BINARY_VIEW] = "binary view",
    [PMN_ARROW_STRING] = "utf8",
    [PMN_ARROW_LARGE_STRING] = "large utf8",
    [PMN_ARROW_STRING_VIEW] = "utf8 view",
    [PMN_ARROW_FIXED_BINARY] = "fixed-size binary",
    [PMN_ARROW_DATE32] = "date32",
    [PMN_ARROW_DATE64] = "date64",
    [PMN_ARROW_TIME32] = "time32",
    [PMN_ARROW_TIME64] = "time64",
    [PMN_ARROW_TIMESTAMP] = "timestamp",
    [PMN_ARROW_DURATION] = "duration",
    [PMN_ARROW_INTERVAL] = "interval",
    [PMN_ARROW_LIST] = "list",
    [PMN_ARROW_LARGE_LIST] = "large list",
    [PMN_ARROW_LIST_VIEW] = "list view",
    [PMN_ARROW_LARGE_LIST_VIEW] = "large list view",
    [PMN_ARROW_FIXED_LIST] = "fixed-size list",
    [PMN_ARROW_STRUCT] = "struct",
    [PMN_ARROW_MAP] = "map",
    [PMN_ARROW_SPARSE_UNION] = "sparse union",
    [PMN_ARROW_DENSE_UNION] = "dense union",
    [PMN_ARROW_RUN_END] = "run-end encoded",
};

const char *pmn_arrow_kind_name(pmn_arrow_kind kind) { return kind_names[kind]; }

typedef struct letter {
    char text[4];
    pmn_arrow_kind kind;
    int32_t width;
} letter;

/* What is a whole format string by itself. */
static const letter letters[] = {
    { "n", PMN_ARROW_NULL, 0 },          { "b", PMN_ARROW_BOOL, 0 },          { "c", PMN_ARROW_INT8, 1 },
    { "C", PMN_ARROW_UINT8, 1 },         { "s", PMN_ARROW_INT16, 2 },         { "S", PMN_ARROW_UINT16, 2 },
    { "i", PMN_ARROW_INT32, 4 },         { "I", PMN_ARROW_UINT32, 4 },        { "l", PMN_ARROW_INT64, 8 },
    { "L", PMN_ARROW_UINT64, 8 },        { "e", PMN_ARROW_HALF, 2 },          { "f", PMN_ARROW_FLOAT, 4 },
    { "g", PMN_ARROW_DOUBLE, 8 },        { "z", PMN_ARROW_BINARY, 0 },        { "Z", PMN_ARROW_LARGE_BINARY, 0 },
    { "vz", PMN_ARROW_BINARY_VIEW, 16 }, { "u", PMN_ARROW_STRING, 0 },        { "U", PMN_ARROW_LARGE_STRING, 0 },
    { "vu", PMN_ARROW_STRING_VIEW, 16 }, { "tdD", PMN_ARROW_DATE32, 4 },      { "tdm", PMN_ARROW_DATE64, 8 },
    { "tts", PMN_ARROW_TIME32, 4 },      { "ttm", PMN_ARROW_TIME32, 4 },      { "ttu", PMN_ARROW_TIME64, 8 },
    { "ttn", PMN_ARROW_TIME64, 8 },      { "tDs", PMN_ARROW_DURATION, 8 },    { "tDm", PMN_ARROW_DURATION, 8 },
    { "tDu", PMN_ARROW_DURATION, 8 },    { "tDn", PMN_ARROW_DURATION, 8 },    { "tiM", PMN_ARROW_INTERVAL, 4 },
    { "tiD", PMN_ARROW_INTERVAL, 8 },    { "tin", PMN_ARROW_INTERVAL, 16 },   { "+l", PMN_ARROW_LIST, 0 },
    { "+L", PMN_ARROW_LARGE_LIST, 0 },   { "+vl", PMN_ARROW_LIST_VIEW, 0 },   { "+vL", PMN_ARROW_LARGE_LIST_VIEW, 0 },
    { "+s", PMN_ARROW_STRUCT, 0 },       { "+m", PMN_ARROW_MAP, 0 },          { "+r", PMN_ARROW_RUN_END, 0 },
};

static bool unit_of(char c, pmn_time_unit *out)
{
    const char *units = "smun", *found = c ? strchr(units, c) : NULL;
    if (!found) return false;
    *out = (pmn_time_unit)(found - units);
    return true;
}

/* A decimal number that fits an int32; *text moves behind it. */
static bool take_format_number(const char **text, bool may_be_negative, int32_t *out)
{
    bool negative = may_be_negative && **text == '-';
    const char *p = *text + negative;
    int64_t v = 0;
    if (*p < '0' || *p > '9') return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        v = v * 10 + (*p - '0');
        if (v > INT32_MAX) return false;
    }
    *text = p;
    *out = (int32_t)(negative ? -v : v);
    return true;
}

/* "d:precision,scale[,bits]" */
static bool parse_decimal(const char *text, pmn_arrow_type *out)
{
    out->kind = PMN_ARROW_DECIMAL;
    out->width = 128;
    if (!take_format_number(&text, false, &out->precision) || *text++ != ',' || !take_format_number(&text, true, &out->scale)) return false;
    if (*text == ',') {
        text++;
        if (!take_format_number(&text, false, &out->width)) return false;
    }
    int32_t most = out->width == 32 ? 9 : out->width == 64 ? 18 : out->width == 128 ? 38 : out->width == 256 ? 76 : 0;
    return *text == '\0' && out->precision >= 1 && out->precision <= most;
}

static bool parse_sized(const char *text, pmn_arrow_kind kind, pmn_arrow_type *out)
{
    out->kind = kind;
    return take_format_number(&text, false, &out->width) && *text == '\0';
}

/* "ts" + unit + ':' + zone */
static bool parse_timestamp(const char *format, pmn_arrow_type *out)
{
    if (!unit_of(format[2], &out->unit) || format[3] != ':') return false;
    out->kind = PMN_ARROW_TIMESTAMP;
    out->width = 8;
    out->zone = format + 4;
    return true;
}

static bool parse_letters(const char *format, pmn_arrow_type *out)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (strcmp(letters[i].text, format) != 0) continue;
        out->kind = letters[i].kind;
        out->width = letters[i].width;
        if (out->kind == PMN_ARROW_TIME32 || out->kind == PMN_ARROW_TIME64 || out->kind == PMN_ARROW_DURATION)
            return unit_of(format[2], &out->unit);
        return true;
    }
    return false;
}

paimon_status pmn_arrow_type_parse(const char *format, pmn_arrow_type *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    out->zone = "";
    if (!format) return pmn_fail(err, PAIMON_INVALID, "Arrow schema without a format string");
    bool ok;
    if (strncmp(format, "d:", 2) == 0) ok = parse_decimal(format + 2, out);
    else if (strncmp(format, "w:", 2) == 0) ok = parse_sized(format + 2, PMN_ARROW_FIXED_BINARY, out);
    else if (strncmp(format, "+w:", 3) == 0) ok = parse_sized(format + 3, PMN_ARROW_FIXED_LIST, out);
    else if (strncmp(format, "ts", 2) == 0) ok = parse_timestamp(format, out);
    else if (strncmp(format, "+us:", 4) == 0) ok = (out->kind = PMN_ARROW_SPARSE_UNION, true);
    else if (strncmp(format, "+ud:", 4) == 0) ok = (out->kind = PMN_ARROW_DENSE_UNION, true);
    else ok = parse_letters(format, out);
    if (!ok) return pmn_fail(err, PAIMON_UNSUPPORTED, "Arrow type of format '%s'", format);
    return PAIMON_OK;
}
