/* Options as text pairs, and Paimon's syntaxes for sizes and durations: a whole number, blanks, a unit in any case; no unit is
 * bytes or milliseconds. Numbers and booleans are taken without blanks around them, as Java's parseLong does. */
#include "meta/schema/options.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"

void pmn_options_init(pmn_options *options, pmn_arena *arena)
{
    memset(options, 0, sizeof *options);
    options->arena = arena;
}

/* The pair of `key` that counts: the last. */
static pmn_option *find_option(const pmn_options *options, const char *key)
{
    for (int32_t i = options->n; i-- > 0;)
        if (strcmp(options->items[i].key, key) == 0) return &options->items[i];
    return NULL;
}

static paimon_status grow_options(pmn_options *options, paimon_error *err)
{
    pmn_option *grown = (pmn_option *)pmn_arena_grow(options->arena, options->items, (size_t)options->n, &options->capacity, sizeof *grown);
    if (!grown) return pmn_fail_nomem(err, "options");
    options->items = grown;
    return PAIMON_OK;
}

paimon_status pmn_options_set(pmn_options *options, const char *key, const char *value, paimon_error *err)
{
    PMN_TRY(grow_options(options, err));
    char *key_copy = pmn_arena_strdup(options->arena, key);
    char *value_copy = pmn_arena_strdup(options->arena, value);
    if (!key_copy || !value_copy) return pmn_fail_nomem(err, "options");
    options->items[options->n].key = key_copy;
    options->items[options->n++].value = value_copy;
    return PAIMON_OK;
}

const char *pmn_options_get(const pmn_options *options, const char *key)
{
    const pmn_option *option = options ? find_option(options, key) : NULL;
    return option ? option->value : NULL;
}

static paimon_status fail_value(const char *key, const char *value, const char *expected, paimon_error *err)
{
    return pmn_fail(err, PAIMON_INVALID, "the option '%s' is '%s', expected %s", key, value, expected);
}

/* ---- syntaxes ---- */

static bool is_trimmed(char c)
{
    return (unsigned char)c <= ' '; /* Java's trim */
}

/* Decimal digits at *text, moved behind them; false for none or more than 63 bits hold. */
static bool take_whole_number(const char **text, int64_t *out)
{
    const char *p = *text;
    int64_t v = 0;
    if (*p < '0' || *p > '9') return false;
    for (; *p >= '0' && *p <= '9'; p++)
        if (!pmn_mul_i64(v, 10, &v) || !pmn_add_i64(v, *p - '0', &v)) return false;
    *text = p;
    *out = v;
    return true;
}

static char lower_ascii(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_unit(pmn_slice text, const char *unit)
{
    if (strlen(unit) != text.size) return false;
    for (size_t i = 0; i < text.size; i++)
        if (lower_ascii((char)text.data[i]) != unit[i]) return false;
    return true;
}

/* Number and unit; the unit is empty if there is none. */
static bool split_quantity(const char *text, int64_t *number, pmn_slice *unit)
{
    while (*text && is_trimmed(*text)) text++;
    if (!take_whole_number(&text, number)) return false;
    while (*text && is_trimmed(*text)) text++;
    size_t n = strlen(text);
    while (n > 0 && is_trimmed(text[n - 1])) n--;
    *unit = pmn_slice_of(text, n);
    return true;
}

bool pmn_parse_memory_size(const char *text, int64_t *bytes)
{
    static const struct {
        const char *names[3];
        int shift;
    } units[] = {
        { { "", "b", "bytes" }, 0 },        { { "k", "kb", "kibibytes" }, 10 },  { { "m", "mb", "mebibytes" }, 20 },
        { { "g", "gb", "gibibytes" }, 30 }, { { "t", "tb", "tebibytes" }, 40 },
    };
    int64_t number;
    pmn_slice unit;
    if (!split_quantity(text, &number, &unit)) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        for (size_t k = 0; k < 3; k++)
            if (same_unit(unit, units[i].names[k])) return pmn_mul_i64(number, (int64_t)1 << units[i].shift, bytes);
    return false;
}

bool pmn_parse_duration(const char *text, int64_t *ms)
{
    /* Up to two spellings that take a plural s, then one that does not. */
    static const struct {
        const char *plural[2];
        const char *exact[2];
        int64_t multiply;
        int64_t divide;
    } units[] = {
        { { "milli", "millisecond" }, { "", "ms" }, 1, 1 },
        { { "sec", "second" }, { "s", NULL }, 1000, 1 },
        { { "minute", NULL }, { "min", "m" }, 60000, 1 },
        { { "hour", NULL }, { "h", NULL }, 3600000, 1 },
        { { "day", NULL }, { "d", NULL }, 86400000, 1 },
        { { "micro", "microsecond" }, { "\xc2\xb5s", NULL }, 1, 1000 },
        { { "nano", "nanosecond" }, { "ns", NULL }, 1, 1000000 },
    };
    int64_t number;
    pmn_slice unit;
    if (!split_quantity(text, &number, &unit)) return false;
    pmn_slice singular = unit;
    if (unit.size > 1 && lower_ascii((char)unit.data[unit.size - 1]) == 's') singular.size--;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        bool match = false;
        for (size_t k = 0; k < 2; k++) {
            const char *plural = units[i].plural[k], *exact = units[i].exact[k];
            match = match || (plural && (same_unit(unit, plural) || same_unit(singular, plural))) || (exact && same_unit(unit, exact));
        }
        if (!match) continue;
        if (!pmn_mul_i64(number, units[i].multiply, &number)) return false;
        *ms = number / units[i].divide;
        return true;
    }
    return false;
}

/* ---- typed reads ---- */

static bool parse_option_int(const char *text, int64_t *out)
{
    bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    int64_t v = 0;
    if (!*text) return false;
    for (; *text; text++) { /* downwards: the lowest number has no positive twin */
        if (*text < '0' || *text > '9') return false;
        if (!pmn_mul_i64(v, 10, &v) || !pmn_sub_i64(v, *text - '0', &v)) return false;
    }
    return negative ? (*out = v, true) : pmn_sub_i64(0, v, out);
}

paimon_status pmn_options_int(const pmn_options *options, const char *key, int64_t fallback, int64_t *out, paimon_error *err)
{
    const char *value = pmn_options_get(options, key);
    *out = fallback;
    return !value || parse_option_int(value, out) ? PAIMON_OK : fail_value(key, value, "a whole number", err);
}

paimon_status pmn_options_bool(const pmn_options *options, const char *key, bool fallback, bool *out, paimon_error *err)
{
    const char *value = pmn_options_get(options, key);
    *out = fallback;
    if (!value) return PAIMON_OK;
    *out = same_unit(pmn_slice_text(value), "true");
    return *out || same_unit(pmn_slice_text(value), "false") ? PAIMON_OK : fail_value(key, value, "true or false", err);
}

paimon_status pmn_options_bytes(const pmn_options *options, const char *key, int64_t fallback, int64_t *out, paimon_error *err)
{
    const char *value = pmn_options_get(options, key);
    *out = fallback;
    return !value || pmn_parse_memory_size(value, out) ? PAIMON_OK : fail_value(key, value, "a size such as '128 mb'", err);
}

paimon_status pmn_options_duration(const pmn_options *options, const char *key, int64_t fallback_ms, int64_t *out_ms, paimon_error *err)
{
    const char *value = pmn_options_get(options, key);
    *out_ms = fallback_ms;
    return !value || pmn_parse_duration(value, out_ms) ? PAIMON_OK : fail_value(key, value, "a duration such as '10 min'", err);
}
