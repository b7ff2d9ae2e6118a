/* Table options: text pairs with Paimon's key names, and what the library makes of them. Defaults are Paimon's. */
#ifndef PMN_META_OPTIONS_H
#define PMN_META_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

typedef struct pmn_option {
    const char *key;
    const char *value;
} pmn_option;

/* A list in order of appearance; later pairs of a key win in lookups. In an arena; grow it only before it is shared. */
typedef struct pmn_options {
    pmn_arena *arena;
    pmn_option *items;
    int32_t n;
    size_t capacity;
} pmn_options;

void pmn_options_init(pmn_options *options, pmn_arena *arena);
paimon_status pmn_options_set(pmn_options *options, const char *key, const char *value, paimon_error *err) PMN_MUST_USE; /* copies */
const char *pmn_options_get(const pmn_options *options, const char *key); /* NULL if absent */

/* Typed reads: the key and the bad text in the message. */
paimon_status pmn_options_int(const pmn_options *options, const char *key, int64_t fallback, int64_t *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_options_bool(const pmn_options *options, const char *key, bool fallback, bool *out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_options_bytes(const pmn_options *options, const char *key, int64_t fallback, int64_t *out, paimon_error *err) PMN_MUST_USE;       /* "128 mb" */
paimon_status pmn_options_duration(const pmn_options *options, const char *key, int64_t fallback_ms, int64_t *out_ms, paimon_error *err) PMN_MUST_USE; /* "1 h" */

/* The syntaxes alone. */
bool pmn_parse_memory_size(const char *text, int64_t *bytes);
bool pmn_parse_duration(const char *text, int64_t *ms);

#endif
