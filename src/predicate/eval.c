/* Evaluation on Arrow: the tree is walked once a batch, each leaf compares its whole column into a bitmap.
 *
 * AND hands the rows that are still alive from one child to the next, cheap children first, and stops when none is left; OR
 * hands on those not yet selected. Nulls never meet a kernel: the rows where any level of the column's path is null are taken
 * out before. A dictionary is evaluated once, then looked up. */
#include <string.h>

#include "predicate/eval.h"

/* Twice what a tree made from a predicate can have (NOT BETWEEN adds a level); two work areas a level. */
enum { MAX_LEVELS = 2 * 200 + 8 };

typedef struct evaluation {
    const struct ArrowSchema *schema;
    const struct ArrowArray *batch;
    const int32_t *columns;
    int64_t n;
    int64_t n_words;
    pmn_arena arena;
    uint64_t *present; /* rows of the domain that are not null, for the leaf at hand */
    uint64_t *work[MAX_LEVELS][2];
} evaluation;

uint64_t pmn_eval_load_bits(const uint8_t *bits, int64_t at, int64_t n)
{
    const uint8_t *p = bits + at / 8;
    unsigned shift = (unsigned)(at % 8);
    size_t bytes = (shift + (size_t)n + 7) / 8;
    uint64_t word = 0;
    if (bytes >= 8) {
        word = pmn_load_le64(p) >> shift;
        if (bytes > 8) word |= (uint64_t)p[8] << (64 - shift);
    } else {
        for (size_t i = 0; i < bytes; i++) word |= (uint64_t)p[i] << (8 * i);
        word >>= shift;
    }
    return n == 64 ? word : word & (((uint64_t)1 << n) - 1);
}

paimon_status pmn_eval_wrong_type(const pmn_eval_values *v, paimon_error *err)
{
    char name[96] = "another type";
    pmn_buf type;
    pmn_buf_init(&type, v->arena->mem, 512);
    if (pmn_type_print(v->leaf->type, &type, NULL) == PAIMON_OK && type.size < sizeof name) {
        memcpy(name, type.data, type.size);
        name[type.size] = 0;
    }
    pmn_buf_free(&type);
    return pmn_fail(err, PAIMON_INVALID, "predicate: a column of Arrow format '%s' cannot hold %s", v->format, name);
}

static uint64_t *new_words(evaluation *e, int64_t n_words, paimon_error *err)
{
    uint64_t *words = pmn_arena_alloc(&e->arena, (size_t)n_words * sizeof *words);
    if (!words) pmn_fail_nomem(err, "the bitmaps of a predicate");
    return words;
}

static bool any_set(const uint64_t *words, int64_t n)
{
    uint64_t any = 0;
    for (int64_t i = 0; i < n; i++) any |= words[i];
    return any != 0;
}

static void set_all(uint64_t *words, int64_t n_rows)
{
    int64_t n_words = pmn_eval_words(n_rows);
    memset(words, 0xFF, (size_t)n_words * sizeof *words);
    if (n_rows % 64) words[n_words - 1] = ((uint64_t)1 << (n_rows % 64)) - 1;
}

/* words &= validity of `array`, whose row 0 lies at `start`. */
static void and_validity(uint64_t *words, int64_t n, const struct ArrowArray *array, int64_t start)
{
    const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
    if (!bits || array->null_count == 0) return;
    for (int64_t w = 0; w < pmn_eval_words(n); w++) {
        if (words[w]) words[w] &= pmn_eval_load_bits(bits, start + w * 64, n - w * 64 < 64 ? n - w * 64 : 64);
    }
}

/* --- dictionaries --- */

static int64_t dictionary_index(pmn_arrow_kind kind, const void *indices, int64_t at)
{
    const uint8_t *p = indices;
    switch (kind) {
    case PMN_ARROW_INT8:
        return (int8_t)p[at];
    case PMN_ARROW_UINT8:
        return p[at];
    case PMN_ARROW_INT16:
        return (int16_t)pmn_load_le16(p + at * 2);
    case PMN_ARROW_UINT16:
        return pmn_load_le16(p + at * 2);
    case PMN_ARROW_INT32:
        return (int32_t)pmn_load_le32(p + at * 4);
    case PMN_ARROW_UINT32:
        return pmn_load_le32(p + at * 4);
    default:
        return (int64_t)pmn_load_le64(p + at * 8);
    }
}

static paimon_status bad_index(int64_t index, int64_t n, paimon_error *err)
{
    return pmn_fail(err, PAIMON_INVALID, "predicate: a dictionary index of %lld, the dictionary has %lld values", (long long)index, (long long)n);
}

/* out = the dictionary's bit of each row in the domain. */
static paimon_status look_up(const pmn_eval_values *v, const uint64_t *bits, int64_t n_bits, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    const void *indices = v->array->buffers[1];
    for (int64_t w = 0; w < pmn_eval_words(v->n); w++) {
        uint64_t todo = domain[w], found = 0;
        while (todo) {
            int j = pmn_ctz64(todo);
            int64_t index = dictionary_index(v->arrow.kind, indices, v->start + w * 64 + j);
            todo &= todo - 1;
            if (index < 0 || index >= n_bits) return bad_index(index, n_bits, err);
            found |= (bits[index >> 6] >> (index & 63) & 1) << j;
        }
        out[w] = found;
    }
    return PAIMON_OK;
}

static paimon_status eval_values(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err);

/* Which of the dictionary's values are TRUE, or for the null tests: are not null. */
static paimon_status eval_dictionary(evaluation *e, const pmn_eval_values *v, const struct ArrowSchema *schema, const uint64_t *domain, uint64_t *out,
                                     paimon_error *err)
{
    const struct ArrowArray *dictionary = v->array->dictionary;
    if (v->arrow.kind < PMN_ARROW_INT8 || v->arrow.kind > PMN_ARROW_UINT64) return pmn_eval_wrong_type(v, err);
    if (dictionary->length == 0) return any_set(domain, e->n_words) ? bad_index(0, 0, err) : PAIMON_OK;
    pmn_eval_values inner = { v->leaf, dictionary, { 0 }, schema->format, dictionary->offset, dictionary->length, v->arena };
    uint64_t *present = new_words(e, pmn_eval_words(inner.n), err), *bits = new_words(e, pmn_eval_words(inner.n), err);
    if (!present || !bits) return PAIMON_NOMEM;
    PMN_TRY(pmn_arrow_type_parse(schema->format, &inner.arrow, err));
    set_all(present, inner.n);
    and_validity(present, inner.n, dictionary, inner.start);
    if (v->leaf->op == PAIMON_OP_IS_NULL || v->leaf->op == PAIMON_OP_IS_NOT_NULL) return look_up(v, present, inner.n, domain, out, err);
    PMN_TRY(eval_values(&inner, present, bits, err));
    return look_up(v, bits, inner.n, domain, out, err);
}

/* --- leaves --- */

/* TRUE rows of `domain`, none of which is null. */
static paimon_status eval_values(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    int64_t n_words = pmn_eval_words(v->n);
    PMN_TRY(pmn_type_is_text(v->leaf->type) || pmn_type_is_bytes(v->leaf->type) ? pmn_eval_text(v, domain, out, err)
                                                                                : pmn_eval_fixed(v, domain, out, err));
    for (int64_t w = 0; w < n_words; w++) out[w] &= domain[w];
    return PAIMON_OK;
}

static paimon_status bad_batch(const char *what, paimon_error *err) { return pmn_fail(err, PAIMON_INVALID, "predicate: the batch %s", what); }

/* Walk to the leaf's column; `v` gets it, and e->present the rows of the domain where no level above it is null. */
static paimon_status find_values(evaluation *e, const pmn_pred *leaf, pmn_eval_values *v, const struct ArrowSchema **schema_out, paimon_error *err)
{
    const struct ArrowSchema *schema = e->schema;
    const struct ArrowArray *array = e->batch;
    int64_t start = array->offset;
    for (int32_t i = 0; i < leaf->n_path; i++) {
        int64_t child = i ? leaf->path[i] : e->columns[leaf->path[0]];
        if (strcmp(schema->format, "+s") != 0) return bad_batch("has no struct where a column's path needs one", err);
        if (child < 0 || child >= schema->n_children || child >= array->n_children) return bad_batch("lacks a column of the predicate", err);
        and_validity(e->present, e->n, array, start);
        schema = schema->children[child];
        const struct ArrowArray *next = array->children[child];
        if (next->length < start + e->n) return bad_batch("has a column that is shorter than itself", err);
        array = next;
        start += array->offset;
    }
    *v = (pmn_eval_values){ leaf, array, { 0 }, schema->format, start, e->n, &e->arena };
    *schema_out = schema;
    return pmn_arrow_type_parse(schema->format, &v->arrow, err);
}

static paimon_status eval_leaf(evaluation *e, const pmn_pred *leaf, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    pmn_eval_values v;
    const struct ArrowSchema *schema = NULL;
    bool is_null = leaf->op == PAIMON_OP_IS_NULL, null_test = is_null || leaf->op == PAIMON_OP_IS_NOT_NULL;
    memcpy(e->present, domain, (size_t)e->n_words * sizeof *domain);
    PMN_TRY(find_values(e, leaf, &v, &schema, err));
    if (v.arrow.kind == PMN_ARROW_NULL) {
        memset(e->present, 0, (size_t)e->n_words * sizeof *domain);
    } else if (v.arrow.kind == PMN_ARROW_RUN_END || v.arrow.kind == PMN_ARROW_DENSE_UNION || v.arrow.kind == PMN_ARROW_SPARSE_UNION) {
        return pmn_fail(err, PAIMON_UNSUPPORTED, "predicate: a column of Arrow format '%s' is not supported yet", schema->format);
    } else {
        and_validity(e->present, e->n, v.array, v.start);
    }
    bool by_dictionary = v.array->dictionary && schema->dictionary && v.arrow.kind != PMN_ARROW_NULL;
    if (!null_test || by_dictionary) {
        if (!any_set(e->present, e->n_words))
            memset(out, 0, (size_t)e->n_words * sizeof *out);
        else if (by_dictionary)
            PMN_TRY(eval_dictionary(e, &v, schema->dictionary, e->present, out, err));
        else
            PMN_TRY(eval_values(&v, e->present, out, err));
    } else {
        memcpy(out, e->present, (size_t)e->n_words * sizeof *out);
    }
    for (int64_t w = 0; is_null && w < e->n_words; w++) out[w] = domain[w] & ~out[w];
    return PAIMON_OK;
}

/* --- the tree --- */

/* 0 cheap … 4 dear: compounds come after leaves, since they are several of them. */
static int cost(const pmn_pred *pred)
{
    if (pred->kind != PMN_PRED_LEAF) return pred->kind == PMN_PRED_AND || pred->kind == PMN_PRED_OR ? 4 : 0;
    if (pred->op == PAIMON_OP_IS_NULL || pred->op == PAIMON_OP_IS_NOT_NULL) return 0;
    if (!pmn_type_is_text(pred->type) && !pmn_type_is_bytes(pred->type)) return pred->n_literals > 4 ? 2 : 1;
    return pred->op == PAIMON_OP_EQ || pred->op == PAIMON_OP_NE ? 2 : 3;
}

static paimon_status eval_node(evaluation *e, const pmn_pred *pred, int level, const uint64_t *domain, uint64_t *out, paimon_error *err);

static paimon_status work_area(evaluation *e, int level, int i, uint64_t **out, paimon_error *err)
{
    if (level >= MAX_LEVELS) return pmn_fail(err, PAIMON_INTERNAL, "predicate: nested deeper than %d levels", MAX_LEVELS);
    if (!e->work[level][i]) e->work[level][i] = new_words(e, e->n_words, err);
    *out = e->work[level][i];
    return *out ? PAIMON_OK : PAIMON_NOMEM;
}

/* `out` holds the rows that passed all children so far. */
static paimon_status eval_and(evaluation *e, const pmn_pred *pred, int level, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    uint64_t *passed;
    PMN_TRY(work_area(e, level, 0, &passed, err));
    memcpy(out, domain, (size_t)e->n_words * sizeof *out);
    for (int price = 0; price <= 4; price++) {
        for (int32_t i = 0; i < pred->n_children; i++) {
            if (cost(pred->children[i]) != price) continue;
            if (!any_set(out, e->n_words)) return PAIMON_OK;
            PMN_TRY(eval_node(e, pred->children[i], level + 1, out, passed, err));
            memcpy(out, passed, (size_t)e->n_words * sizeof *out);
        }
    }
    return PAIMON_OK;
}

static paimon_status eval_or(evaluation *e, const pmn_pred *pred, int level, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    uint64_t *open, *found;
    PMN_TRY(work_area(e, level, 0, &open, err));
    PMN_TRY(work_area(e, level, 1, &found, err));
    memcpy(open, domain, (size_t)e->n_words * sizeof *open);
    memset(out, 0, (size_t)e->n_words * sizeof *out);
    for (int price = 0; price <= 4; price++) {
        for (int32_t i = 0; i < pred->n_children; i++) {
            if (cost(pred->children[i]) != price) continue;
            if (!any_set(open, e->n_words)) return PAIMON_OK;
            PMN_TRY(eval_node(e, pred->children[i], level + 1, open, found, err));
            for (int64_t w = 0; w < e->n_words; w++) {
                out[w] |= found[w];
                open[w] &= ~found[w];
            }
        }
    }
    return PAIMON_OK;
}

/* out = the TRUE rows of `domain`, and nothing else. The two never overlap. */
static paimon_status eval_node(evaluation *e, const pmn_pred *pred, int level, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    switch (pred->kind) {
    case PMN_PRED_TRUE:
        memcpy(out, domain, (size_t)e->n_words * sizeof *out);
        return PAIMON_OK;
    case PMN_PRED_FALSE:
        memset(out, 0, (size_t)e->n_words * sizeof *out);
        return PAIMON_OK;
    case PMN_PRED_AND:
        return eval_and(e, pred, level, domain, out, err);
    case PMN_PRED_OR:
        return eval_or(e, pred, level, domain, out, err);
    case PMN_PRED_LEAF:
        return eval_leaf(e, pred, domain, out, err);
    }
    return pmn_fail(err, PAIMON_INTERNAL, "predicate: node kind %d", (int)pred->kind);
}

static void store_selection(const uint64_t *words, int64_t n, uint8_t *selected, int64_t *n_selected)
{
    size_t left = pmn_bitmap_bytes(n);
    *n_selected = 0;
    for (int64_t w = 0; w < pmn_eval_words(n); w++) {
        uint64_t little = PMN_LE64(words[w]);
        size_t take = left < 8 ? left : 8;
        memcpy(selected + w * 8, &little, take);
        left -= take;
        *n_selected += pmn_popcount64(words[w]);
    }
}

paimon_status pmn_pred_eval(const pmn_pred *pred, const struct ArrowSchema *schema, const struct ArrowArray *batch, const int32_t *columns,
                            pmn_mem *mem, uint8_t *selected, int64_t *n_selected, paimon_error *err)
{
    evaluation e;
    paimon_status status = PAIMON_NOMEM;
    memset(&e, 0, sizeof e);
    e.schema = schema;
    e.batch = batch;
    e.columns = columns;
    e.n = batch->length;
    e.n_words = pmn_eval_words(e.n);
    *n_selected = 0;
    if (e.n <= 0) return PAIMON_OK;
    pmn_arena_init(&e.arena, mem);
    e.present = new_words(&e, e.n_words * 3, err);
    if (e.present) {
        uint64_t *domain = e.present + e.n_words, *out = domain + e.n_words;
        set_all(domain, e.n);
        status = eval_node(&e, pred, 0, domain, out, err);
        if (status == PAIMON_OK) store_selection(out, e.n, selected, n_selected);
    }
    pmn_arena_free(&e.arena);
    return status;
}
