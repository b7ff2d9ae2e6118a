/* Bucket pruning: every column of the bucket key must be fixed by a conjunct of the form `= v`, `IN (…)`, or an OR of such on
 * one column; the candidate keys are their product. Java: BucketSelector. Where a value equals others that hash differently
 * (0.0 and -0.0, NaNs, blank-padded CHARs), or where a column's type has changed since older files were written, nothing is
 * pruned. */
#include "scan/buckets.h"

#include <string.h>

#include "base/bitmap.h"

#define BUCKET_MAX_CANDIDATES 1000
#define BUCKET_MAX_SETS 64

/* The values that a column may have: borrowed from the predicate, or in the arena. */
typedef struct candidates {
    const pmn_datum *values;
    int32_t n;
    bool known;
} candidates;

static bool is_equality(const pmn_pred *p)
{
    return p->kind == PMN_PRED_LEAF && p->n_path == 1 && (p->op == PAIMON_OP_EQ || p->op == PAIMON_OP_IN);
}

/* All literals of an equality or of an OR of equalities on column `c`; n = -1 if it is something else. */
static paimon_status collect_literals(pmn_arena *arena, const pmn_pred *p, int32_t c, candidates *out, paimon_error *err)
{
    out->n = -1;
    if (is_equality(p)) {
        if (p->path[0] == c) *out = (candidates){ p->literals, p->n_literals, true };
        return PAIMON_OK;
    }
    if (p->kind != PMN_PRED_OR) return PAIMON_OK;
    int64_t total = 0;
    for (int32_t i = 0; i < p->n_children; i++) {
        const pmn_pred *child = p->children[i];
        if (!is_equality(child) || child->path[0] != c) return PAIMON_OK;
        total += child->n_literals;
    }
    if (total > BUCKET_MAX_CANDIDATES) return PAIMON_OK;
    pmn_datum *all = pmn_arena_calloc(arena, (size_t)total, sizeof *all);
    if (!all) return pmn_fail_nomem(err, "bucket candidates");
    int32_t n = 0;
    for (int32_t i = 0; i < p->n_children; i++)
        for (int32_t k = 0; k < p->children[i]->n_literals; k++) all[n++] = p->children[i]->literals[k];
    *out = (candidates){ all, n, true };
    return PAIMON_OK;
}

/* Keep of `into` what is in `other` too. */
static paimon_status intersect_candidates(pmn_arena *arena, const pmn_type *type, candidates *into, const candidates *other, paimon_error *err)
{
    pmn_datum *both = pmn_arena_calloc(arena, (size_t)into->n + 1, sizeof *both);
    if (!both) return pmn_fail_nomem(err, "bucket candidates");
    int32_t n = 0;
    for (int32_t i = 0; i < into->n; i++)
        for (int32_t k = 0; k < other->n; k++)
            if (pmn_datum_equal(type, &into->values[i], &other->values[k])) {
                both[n++] = into->values[i];
                break;
            }
    into->values = both;
    into->n = n;
    return PAIMON_OK;
}

static paimon_status column_candidates(pmn_arena *arena, const pmn_pred *pred, int32_t c, const pmn_type *type, candidates *out,
                                       paimon_error *err)
{
    *out = (candidates){ NULL, 0, false };
    bool is_and = pred->kind == PMN_PRED_AND;
    int32_t n = is_and ? pred->n_children : 1;
    for (int32_t i = 0; i < n; i++) {
        candidates found;
        PMN_TRY(collect_literals(arena, is_and ? pred->children[i] : pred, c, &found, err));
        if (found.n < 0) continue;
        if (!out->known) *out = found;
        else PMN_TRY(intersect_candidates(arena, type, out, &found, err));
    }
    return PAIMON_OK;
}

/* Does equality of values mean equality of hashes? */
static bool hashes_as_it_compares(const pmn_type *type)
{
    return type->kind != PMN_CHAR && type->kind != PMN_FLOAT && type->kind != PMN_DOUBLE && pmn_type_is_atomic(type);
}

/* Files are bucketed by the key's type of their time. */
static paimon_status key_never_changed(pmn_source *source, const pmn_type *key_type, bool *same, paimon_error *err)
{
    *same = true;
    for (int64_t id = source->schema->id - 1; id >= 0 && *same; id--) {
        const pmn_table_schema *old = NULL;
        paimon_error ignored = PAIMON_ERROR_INIT;
        paimon_status status = pmn_source_schema(source, id, &old, &ignored);
        paimon_error_clear(&ignored);
        if (status == PAIMON_NOMEM) return pmn_fail_nomem(err, "an older schema");
        if (status != PAIMON_OK) *same = false;
        for (int32_t i = 0; i < key_type->n_fields && *same; i++) {
            int at = pmn_row_find_id(old->row, key_type->fields[i].id);
            *same = at >= 0 && pmn_type_equal_ignoring_null(old->row->fields[at].type, key_type->fields[i].type);
        }
    }
    return PAIMON_OK;
}

/* ROW of the bucket-key columns, in key order, and their numbers; NULL type when the table is not bucketed by a hash. */
static paimon_status key_columns(pmn_source *source, pmn_arena *arena, const pmn_type **key_type, int32_t **columns, paimon_error *err)
{
    const pmn_table_schema *schema = source->schema;
    int64_t bucket = -1;
    *key_type = NULL;
    PMN_TRY(pmn_options_int(&schema->options, "bucket", -1, &bucket, err));
    if (bucket <= 0 || schema->n_bucket_keys <= 0) return PAIMON_OK;
    pmn_field *fields = pmn_arena_calloc(arena, (size_t)schema->n_bucket_keys, sizeof *fields);
    int32_t *numbers = pmn_arena_calloc(arena, (size_t)schema->n_bucket_keys, sizeof *numbers);
    pmn_type *row = pmn_arena_calloc(arena, 1, sizeof *row);
    if (!fields || !numbers || !row) return pmn_fail_nomem(err, "the bucket key");
    for (int32_t i = 0; i < schema->n_bucket_keys; i++) {
        int at = pmn_row_find(schema->row, schema->bucket_keys[i]);
        if (at < 0 || !hashes_as_it_compares(schema->row->fields[at].type)) return PAIMON_OK;
        fields[i] = schema->row->fields[at];
        numbers[i] = at;
    }
    row->kind = PMN_ROW;
    row->n_fields = schema->n_bucket_keys;
    row->fields = fields;
    *key_type = row;
    *columns = numbers;
    return PAIMON_OK;
}

/* The product of the columns' candidates as rows, the last column running fastest. */
static paimon_status build_bucket_keys(pmn_buckets *buckets, const candidates *columns, int64_t n_rows, paimon_error *err)
{
    int32_t n = buckets->key_type->n_fields;
    pmn_datum *keys = pmn_arena_calloc(buckets->arena, (size_t)(n_rows * n), sizeof *keys);
    if (!keys) return pmn_fail_nomem(err, "bucket candidates");
    for (int64_t r = 0; r < n_rows; r++) {
        int64_t left = r;
        for (int32_t c = n - 1; c >= 0; c--) {
            keys[r * n + c] = columns[c].values[left % columns[c].n];
            left /= columns[c].n;
        }
    }
    buckets->keys = keys;
    buckets->n_keys = (int32_t)n_rows;
    buckets->active = true;
    return PAIMON_OK;
}

paimon_status pmn_buckets_init(pmn_buckets *buckets, pmn_source *source, pmn_arena *arena, const pmn_pred *pred, paimon_error *err)
{
    *buckets = (pmn_buckets){ .mem = source->mem, .arena = arena };
    int32_t *numbers = NULL;
    if (!pred) return PAIMON_OK;
    PMN_TRY(key_columns(source, arena, &buckets->key_type, &numbers, err));
    if (!buckets->key_type) return PAIMON_OK;
    const char *function = pmn_options_get(&source->schema->options, "bucket-function.type");
    paimon_error ignored = PAIMON_ERROR_INIT;
    paimon_status status = pmn_bucket_function_parse(function ? function : "default", &buckets->function, &ignored);
    paimon_error_clear(&ignored);
    if (status != PAIMON_OK) return PAIMON_OK;

    int32_t n = buckets->key_type->n_fields;
    candidates *columns = pmn_arena_calloc(arena, (size_t)n, sizeof *columns);
    if (!columns) return pmn_fail_nomem(err, "bucket candidates");
    int64_t n_rows = 1;
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(column_candidates(arena, pred, numbers[i], buckets->key_type->fields[i].type, &columns[i], err));
        if (columns[i].n <= 0) return PAIMON_OK;
        n_rows *= columns[i].n;
        if (n_rows > BUCKET_MAX_CANDIDATES) return PAIMON_OK;
    }
    bool same = false;
    PMN_TRY(key_never_changed(source, buckets->key_type, &same, err));
    return same ? build_bucket_keys(buckets, columns, n_rows, err) : PAIMON_OK;
}

/* The set for a bucket count, NULL when it cannot be made (then every bucket is kept). */
static const pmn_bucket_set *bucket_set_of(pmn_buckets *b, int32_t total)
{
    for (int32_t i = 0; i < b->n_sets; i++)
        if (b->sets[i].total == total) return b->sets[i].wanted ? &b->sets[i] : NULL;
    if (b->n_sets == BUCKET_MAX_SETS) return NULL;
    if (!b->sets) {
        b->sets = pmn_arena_calloc(b->arena, BUCKET_MAX_SETS, sizeof *b->sets);
        if (!b->sets) return NULL;
    }
    pmn_bucket_set *set = &b->sets[b->n_sets++];
    set->total = total;
    uint8_t *wanted = pmn_arena_calloc(b->arena, pmn_bitmap_bytes(total), 1);
    if (!wanted) return NULL;
    int32_t width = b->key_type->n_fields;
    for (int32_t i = 0; i < b->n_keys; i++) {
        int32_t bucket = -1;
        paimon_error ignored = PAIMON_ERROR_INIT;
        paimon_status status = pmn_bucket_of(b->mem, b->function, b->key_type, b->keys + (size_t)i * (size_t)width, total, &bucket, &ignored);
        paimon_error_clear(&ignored);
        if (status != PAIMON_OK || bucket < 0 || bucket >= total) return NULL;
        pmn_bit_set(wanted, bucket);
    }
    set->wanted = wanted;
    return set;
}

bool pmn_buckets_keep(pmn_buckets *buckets, int32_t bucket, int32_t total_buckets)
{
    /* A count past a million would cost memory for nothing that is real. */
    if (!buckets->active || total_buckets <= 0 || total_buckets > 1000000 || bucket < 0 || bucket >= total_buckets) return true;
    const pmn_bucket_set *set = bucket_set_of(buckets, total_buckets);
    return !set || pmn_bit_get(set->wanted, bucket);
}
