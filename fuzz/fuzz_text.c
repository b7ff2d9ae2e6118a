/* The small parsers of texts: decimals, dates, times, sizes, durations, UTF-8, JSON. What parses must print to what parses to the
 * same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/datetime.h"
#include "base/decimal.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "meta/schema/options.h"

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void try_decimal(pmn_slice text)
{
    for (int scale = 0; scale <= 38; scale += 19) {
        pmn_i128 value, again;
        char printed[PMN_DECIMAL_TEXT_MAX];
        if (!pmn_decimal_parse(text, 38, scale, &value)) continue;
        size_t n = pmn_decimal_print(value, scale, printed);
        must(n < sizeof printed && pmn_decimal_parse(pmn_slice_of(printed, n), 38, scale, &again) && value == again, "decimal");
    }
}

static void try_times(pmn_slice text)
{
    int64_t seconds, again, days, nanos_of_day;
    int32_t nanos, nanos_again;
    bool zone;
    char printed[PMN_DATETIME_TEXT_MAX];
    if (pmn_timestamp_parse(text, &seconds, &nanos, &zone)) {
        size_t n = pmn_timestamp_print(seconds, nanos, 'T', printed);
        bool back = pmn_timestamp_parse(pmn_slice_of(printed, n), &again, &nanos_again, &zone);
        /* an offset may push a time out of the years that parse */
        if (back) must(again == seconds && nanos_again == nanos, "timestamp");
    }
    if (pmn_date_parse(text, &days)) {
        size_t n = pmn_date_print(days, printed);
        must(pmn_date_parse(pmn_slice_of(printed, n), &again) && again == days, "date");
    }
    if (pmn_time_parse(text, &nanos_of_day)) {
        size_t n = pmn_time_print(nanos_of_day, printed);
        must(pmn_time_parse(pmn_slice_of(printed, n), &again) && again == nanos_of_day, "time");
    }
}

static void try_utf8(pmn_slice text)
{
    int64_t count = 0;
    bool valid = true;
    for (size_t pos = 0; pos < text.size; count++) {
        size_t before = pos;
        uint32_t c = pmn_utf8_next(text, &pos);
        uint8_t bytes[4];
        size_t n = pmn_utf8_encode(c, bytes);
        valid = valid && n == pos - before && memcmp(bytes, text.data + before, n) == 0;
        if (count < 64) must(pmn_utf8_prefix(text, count + 1) == pos, "prefix"); /* quadratic: only the first ones */
    }
    must(pmn_utf8_length(text) == count && pmn_utf8_valid(text) == valid, "UTF-8");
    (void)pmn_java_string_hash((const char *)text.data, text.size);
}

static void try_json(pmn_slice text)
{
    pmn_json *json;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_buf quoted;
    paimon_status status = pmn_json_parse(text, &json, &err);
    must(status == PAIMON_OK || status == PAIMON_CORRUPT, "JSON");
    paimon_error_clear(&err);
    pmn_json_free(json);
    pmn_buf_init(&quoted, pmn_mem_default(), PMN_BUF_NO_CEILING);
    must(pmn_json_quote(&quoted, text, NULL) == PAIMON_OK, "no memory");
    must(pmn_json_parse(pmn_slice_of(quoted.data, quoted.size), &json, NULL) == PAIMON_OK, "quoted");
    pmn_json_free(json);
    pmn_buf_free(&quoted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_slice text = pmn_slice_of(data, size);
    int64_t v;
    try_decimal(text);
    try_times(text);
    try_utf8(text);
    try_json(text);
    char *terminated = pmn_strndup(pmn_mem_default(), (const char *)data, size);
    must(terminated != NULL, "no memory");
    if (pmn_parse_memory_size(terminated, &v)) must(v >= 0, "size");
    if (pmn_parse_duration(terminated, &v)) must(v >= 0, "duration");
    pmn_free(pmn_mem_default(), terminated, size + 1);
    return 0;
}
