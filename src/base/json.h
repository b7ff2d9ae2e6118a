/* The thin face over jansson: reading Paimon's metadata files and writing texts. Replace the library here. */
#ifndef PMN_BASE_JSON_H
#define PMN_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/status.h"

typedef struct json_t pmn_json; /* jansson's; only base/json.c includes its header */

/* Parse a whole text; PAIMON_CORRUPT with line and column. Depth is bounded. `*out` is freed with pmn_json_free. */
paimon_status pmn_json_parse(pmn_slice text, pmn_json **out, paimon_error *err) PMN_MUST_USE;
void pmn_json_free(pmn_json *json);

typedef enum pmn_json_kind { PMN_JSON_NULL, PMN_JSON_BOOL, PMN_JSON_INT, PMN_JSON_REAL, PMN_JSON_TEXT, PMN_JSON_ARRAY, PMN_JSON_OBJECT } pmn_json_kind;
pmn_json_kind pmn_json_kind_of(const pmn_json *json); /* NULL counts as null */
const pmn_json *pmn_json_get(const pmn_json *object, const char *key); /* borrowed; NULL if absent or not an object */
size_t pmn_json_size(const pmn_json *array);                           /* 0 if not an array (object: members) */
const pmn_json *pmn_json_at(const pmn_json *array, size_t i);
/* Members in file order. `iter` starts NULL; false at the end. */
bool pmn_json_next(const pmn_json *object, void **iter, const char **key, const pmn_json **value);
bool pmn_json_bool(const pmn_json *json);
int64_t pmn_json_int(const pmn_json *json);
double pmn_json_real(const pmn_json *json);
const char *pmn_json_text(const pmn_json *json); /* NULL if not a text */

/* Typed members with errors that name the key: required ones fail when absent or null; *_or give `fallback` then. */
paimon_status pmn_json_need_int(const pmn_json *object, const char *key, int64_t *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_json_need_text(const pmn_json *object, const char *key, const char **out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_json_int_or(const pmn_json *object, const char *key, int64_t fallback, int64_t *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_json_text_or(const pmn_json *object, const char *key, const char *fallback, const char **out, paimon_error *err) PMN_MUST_USE;

/* `text` as a JSON string with its quotes, escaping only '"', '\' and what is below 0x20. Invalid UTF-8 becomes U+FFFD. */
paimon_status pmn_json_quote(pmn_buf *out, pmn_slice text, paimon_error *err) PMN_MUST_USE;

#endif
