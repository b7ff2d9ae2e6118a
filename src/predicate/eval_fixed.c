/* Values of fixed width: every comparison becomes a range, so that one kernel a width serves them all.
 *
 *   integers, dates, times, timestamps, decimals   = v, < v, BETWEEN …  →  low ≤ x ≤ high in the unit of the Arrow column, maybe
 *                                                  turned round (<> is not =, >= is not <)
 *   floats     the same, with NaN above all and -0.0 equal to 0.0: x ≤ v is plain, x > v is "not x ≤ v", which NaN meets
 *   booleans   which of the two values are TRUE
 *   long IN    a sorted list, searched a row at a time
 *
 * Literals are reckoned in 128 bits, then cut to the width of the column: what cannot be met never reaches a kernel. */
#include <math.h>
#include <string.h>

#include "predicate/eval.h"

/* How the outcome of a kernel reads. */
typedef struct fixed_plan {
    bool constant; /* no kernel: all of the domain, or none of it */
    bool all;
    bool complement;
    pmn_i128 low, high;
} fixed_plan;

/* Lists up to this long are compared value by value over whole words, longer ones searched. */
enum { SHORT_LIST = 8 };

static void fill(const uint64_t *domain, uint64_t *out, int64_t n_words, bool all)
{
    if (all)
        memmove(out, domain, (size_t)n_words * sizeof *out);
    else
        memset(out, 0, (size_t)n_words * sizeof *out);
}

static void turn_round(uint64_t *out, int64_t n_words)
{
    for (int64_t w = 0; w < n_words; w++) out[w] = ~out[w];
}

/* --- kernels --- */

/* One word of results; `TEST` sees x, low and high. The loop has a fixed length and no branch, so that compilers vectorise it. */
#define FIXED_BLOCK(name, type, stride, test)                                                                                                        \
    PMN_INLINE uint64_t name##_block(const type *PMN_RESTRICT values, type low, type high)                                                           \
    {                                                                                                                                                \
        uint8_t hit[64];                                                                                                                             \
        (void)low, (void)high;                                                                                                                       \
        for (int j = 0; j < 64; j++) {                                                                                                               \
            const type x = values[j * (stride)];                                                                                                     \
            hit[j] = (uint8_t)(0 - (test));                                                                                                          \
        }                                                                                                                                            \
        return pmn_eval_pack(hit);                                                                                                                   \
    }

/* All words. Foreign columns may start at any byte and end with their last value: such words go through a copy. */
#define FIXED_KERNEL(name, type, stride, test)                                                                                                       \
    FIXED_BLOCK(name, type, stride, test)                                                                                                            \
    PMN_INLINE void name##_body(const uint8_t *data, int64_t n, type low, type high, const uint64_t *domain, uint64_t *out)                          \
    {                                                                                                                                                \
        const size_t row = sizeof(type) * (stride);                                                                                                  \
        const bool aligned = (uintptr_t)data % _Alignof(type) == 0;                                                                                  \
        for (int64_t w = 0; w < pmn_eval_words(n); w++) {                                                                                            \
            const uint8_t *at = data + (size_t)w * 64 * row;                                                                                         \
            int64_t left = n - w * 64;                                                                                                               \
            if (domain[w] == 0) {                                                                                                                    \
                out[w] = 0;                                                                                                                          \
            } else if (aligned && left >= 64) {                                                                                                      \
                out[w] = name##_block((const type *)(const void *)at, low, high);                                                                    \
            } else {                                                                                                                                 \
                type copy[64 * (stride)];                                                                                                            \
                memset(copy, 0, sizeof copy);                                                                                                        \
                memcpy(copy, at, (size_t)(left < 64 ? left : 64) * row);                                                                             \
                out[w] = name##_block(copy, low, high);                                                                                              \
            }                                                                                                                                        \
        }                                                                                                                                            \
    }                                                                                                                                                \
    PMN_EVAL_DISPATCH(name, (const uint8_t *data, int64_t n, type low, type high, const uint64_t *domain, uint64_t *out),                            \
                      (data, n, low, high, domain, out))

FIXED_KERNEL(range_8, int8_t, 1, (x >= low) & (x <= high))
FIXED_KERNEL(range_16, int16_t, 1, (x >= low) & (x <= high))
FIXED_KERNEL(range_32, int32_t, 1, (x >= low) & (x <= high))
FIXED_KERNEL(range_64, int64_t, 1, (x >= low) & (x <= high))
FIXED_KERNEL(equal_8, int8_t, 1, x == low)
FIXED_KERNEL(equal_16, int16_t, 1, x == low)
FIXED_KERNEL(equal_32, int32_t, 1, x == low)
FIXED_KERNEL(equal_64, int64_t, 1, x == low)
/* The low halves of 128-bit values, enough where the precision keeps all values in 64 bits. */
FIXED_KERNEL(range_low_64, int64_t, 2, (x >= low) & (x <= high))
FIXED_KERNEL(range_float, float, 1, (x >= low) & (x <= high))
FIXED_KERNEL(range_double, double, 1, (x >= low) & (x <= high))
FIXED_KERNEL(below_float, float, 1, x < high)
FIXED_KERNEL(below_double, double, 1, x < high)

static pmn_i128 load_128(const uint8_t *p) { return (pmn_i128)(((pmn_u128)pmn_load_le64(p + 8) << 64) | pmn_load_le64(p)); }

static void range_128(const uint8_t *data, int64_t n, pmn_i128 low, pmn_i128 high, const uint64_t *domain, uint64_t *out)
{
    const pmn_u128 span = (pmn_u128)high - (pmn_u128)low;
    for (int64_t w = 0; w < pmn_eval_words(n); w++) {
        int64_t rows = n - w * 64 < 64 ? n - w * 64 : 64;
        uint64_t bits = 0;
        for (int64_t j = 0; domain[w] && j < rows; j++) {
            pmn_u128 x = (pmn_u128)load_128(data + (w * 64 + j) * 16);
            bits |= (uint64_t)(x - (pmn_u128)low <= span) << j;
        }
        out[w] = bits;
    }
}

/* --- integers of any kind --- */

/* What a stored integer counts: x × multiplier ÷ divisor is in the unit of the literal. One of the two is 1. */
typedef struct int_column {
    int bits;            /* 8, 16, 32, 64, 128 */
    bool narrow_values;  /* of 128 bits, but all within 64 */
    pmn_i128 multiplier; /* literals × this = column's unit */
    pmn_i128 divisor;    /* literals ÷ this = column's unit */
} int_column;

static bool time_scale(const pmn_eval_values *v, int_column *c)
{
    static const int64_t PER_SECOND[] = { 1, 1000, 1000000, 1000000000 };
    if (v->leaf->type->kind == PMN_TIME) { /* literals count milliseconds */
        c->bits = v->arrow.kind == PMN_ARROW_TIME32 ? 32 : 64;
        if (v->arrow.unit == PMN_UNIT_SECOND)
            c->divisor = 1000;
        else
            c->multiplier = PER_SECOND[v->arrow.unit] / 1000;
        return v->arrow.kind == PMN_ARROW_TIME32 || v->arrow.kind == PMN_ARROW_TIME64;
    }
    c->bits = 64; /* literals count nanoseconds */
    c->divisor = 1000000000 / PER_SECOND[v->arrow.unit];
    return v->arrow.kind == PMN_ARROW_TIMESTAMP;
}

static bool int_column_of(const pmn_eval_values *v, int_column *c)
{
    *c = (int_column){ 64, false, 1, 1 };
    switch (v->leaf->type->kind) {
    case PMN_TINYINT:
    case PMN_SMALLINT:
    case PMN_INT:
    case PMN_BIGINT:
        c->bits = v->arrow.width * 8;
        return v->arrow.kind == PMN_ARROW_INT8 || v->arrow.kind == PMN_ARROW_INT16 || v->arrow.kind == PMN_ARROW_INT32 ||
               v->arrow.kind == PMN_ARROW_INT64;
    case PMN_DATE:
        c->bits = v->arrow.kind == PMN_ARROW_DATE32 ? 32 : 64;
        if (v->arrow.kind == PMN_ARROW_DATE64) c->multiplier = 86400000;
        return v->arrow.kind == PMN_ARROW_DATE32 || v->arrow.kind == PMN_ARROW_DATE64;
    case PMN_TIME:
    case PMN_TIMESTAMP:
    case PMN_TIMESTAMP_LTZ:
        return time_scale(v, c);
    case PMN_DECIMAL:
        c->bits = v->arrow.width;
        c->narrow_values = v->arrow.precision <= 18;
        return v->arrow.kind == PMN_ARROW_DECIMAL && v->arrow.scale == v->leaf->type->scale && c->bits <= 128;
    default:
        return false;
    }
}

static pmn_i128 literal_integer(const pmn_type *type, const pmn_datum *d)
{
    if (type->kind == PMN_DECIMAL) return d->v.dec;
    if (type->kind == PMN_TIMESTAMP || type->kind == PMN_TIMESTAMP_LTZ) return (pmn_i128)d->v.ts.millis * 1000000 + d->v.ts.nanos_of_milli;
    return d->v.i;
}

/* The literal in the column's unit, rounded down; *exact if nothing was lost. */
static pmn_i128 in_unit(const int_column *c, const pmn_type *type, const pmn_datum *d, bool *exact)
{
    pmn_i128 value = literal_integer(type, d) * c->multiplier;
    pmn_i128 quotient = value / c->divisor, rest = value % c->divisor;
    *exact = rest == 0;
    return rest < 0 ? quotient - 1 : quotient;
}

static fixed_plan plan_integers(const pmn_eval_values *v, const int_column *c)
{
    const pmn_pred *leaf = v->leaf;
    fixed_plan plan = { false, false, false, 0, 0 };
    const pmn_i128 max = (pmn_i128)((((pmn_u128)1) << (c->bits - 1)) - 1), min = -max - 1;
    bool exact;
    pmn_i128 value = in_unit(c, leaf->type, &leaf->literals[0], &exact), ceiling = exact ? value : value + 1;
    plan.low = min;
    plan.high = max;
    switch (leaf->op) {
    case PAIMON_OP_NE:
        plan.complement = true; /* fall through */
    case PAIMON_OP_EQ:
        plan.low = ceiling;
        plan.high = value;
        break;
    case PAIMON_OP_GE:
        plan.complement = true; /* fall through */
    case PAIMON_OP_LT:
        plan.high = ceiling - 1;
        break;
    case PAIMON_OP_GT:
        plan.complement = true; /* fall through */
    case PAIMON_OP_LE:
        plan.high = value;
        break;
    default: /* BETWEEN */
        plan.low = ceiling;
        plan.high = in_unit(c, leaf->type, &leaf->literals[1], &exact);
    }
    if (plan.low < min) plan.low = min;
    if (plan.high > max) plan.high = max;
    plan.constant = plan.low > plan.high || (plan.low == min && plan.high == max);
    plan.all = (plan.low <= plan.high) != plan.complement;
    return plan;
}

static void run_integers(const int_column *c, const uint8_t *data, int64_t n, const fixed_plan *p, const uint64_t *domain, uint64_t *out)
{
    const bool one = p->low == p->high;
    switch (c->bits) {
    case 8:
        if (one)
            equal_8(data, n, (int8_t)p->low, 0, domain, out);
        else
            range_8(data, n, (int8_t)p->low, (int8_t)p->high, domain, out);
        break;
    case 16:
        if (one)
            equal_16(data, n, (int16_t)p->low, 0, domain, out);
        else
            range_16(data, n, (int16_t)p->low, (int16_t)p->high, domain, out);
        break;
    case 32:
        if (one)
            equal_32(data, n, (int32_t)p->low, 0, domain, out);
        else
            range_32(data, n, (int32_t)p->low, (int32_t)p->high, domain, out);
        break;
    case 64:
        if (one)
            equal_64(data, n, (int64_t)p->low, 0, domain, out);
        else
            range_64(data, n, (int64_t)p->low, (int64_t)p->high, domain, out);
        break;
    default:
        if (c->narrow_values) {
            pmn_i128 low = p->low < INT64_MIN ? INT64_MIN : p->low, high = p->high > INT64_MAX ? INT64_MAX : p->high;
            range_low_64(data, n, (int64_t)low, (int64_t)high, domain, out);
        } else {
            range_128(data, n, p->low, p->high, domain, out);
        }
    }
}

static int64_t load_64(const uint8_t *data, int64_t at, int bits)
{
    switch (bits) {
    case 8:
        return (int8_t)data[at];
    case 16:
        return (int16_t)pmn_load_le16(data + at * 2);
    case 32:
        return (int32_t)pmn_load_le32(data + at * 4);
    default:
        return (int64_t)pmn_load_le64(data + at * 8);
    }
}

static bool found_64(const int64_t *list, int32_t n, int64_t x)
{
    int32_t base = 0;
    while (n > 1) { /* without a branch on the data: long lists are searched for rows that mostly miss */
        int32_t half = n / 2;
        base += list[base + half] <= x ? half : 0;
        n -= half;
    }
    return list[base] == x;
}

static bool found_128(const pmn_i128 *list, int32_t n, pmn_i128 x)
{
    int32_t base = 0;
    while (n > 1) {
        int32_t half = n / 2;
        base += list[base + half] <= x ? half : 0;
        n -= half;
    }
    return list[base] == x;
}

/* Only where the value lies between the first and the last of the list, which a kernel has found out. */
static void search_integers(const int_column *c, const uint8_t *data, int64_t n, const pmn_i128 *list, const int64_t *list_64, int32_t n_list,
                            uint64_t *hits)
{
    for (int64_t w = 0; w < pmn_eval_words(n); w++) {
        uint64_t todo = hits[w], bits = 0;
        while (todo) {
            int j = pmn_ctz64(todo);
            int64_t row = w * 64 + j;
            todo &= todo - 1;
            bool hit = c->bits == 128 ? found_128(list, n_list, load_128(data + row * 16)) : found_64(list_64, n_list, load_64(data, row, c->bits));
            bits |= (uint64_t)hit << j;
        }
        hits[w] = bits;
    }
}

/* The list in the column's unit and width, still sorted; *n counts what can be met at all. */
static pmn_i128 *list_of_integers(const pmn_eval_values *v, const int_column *c, int32_t *n)
{
    const pmn_i128 max = (pmn_i128)((((pmn_u128)1) << (c->bits - 1)) - 1);
    uint8_t *room = pmn_arena_alloc(v->arena, (size_t)v->leaf->n_literals * sizeof(pmn_i128) + 8);
    if (!room) return NULL;
    pmn_i128 *list = (pmn_i128 *)(void *)(room + (uintptr_t)room % 16); /* arenas align to 8 */
    *n = 0;
    for (int32_t i = 0; i < v->leaf->n_literals; i++) {
        bool exact;
        pmn_i128 value = in_unit(c, v->leaf->type, &v->leaf->literals[i], &exact);
        if (exact && value <= max && value >= -max - 1) list[(*n)++] = value;
    }
    return list;
}

static paimon_status in_long_list(const pmn_eval_values *v, const int_column *c, const uint8_t *data, const pmn_i128 *list, int32_t n,
                                  const uint64_t *domain, uint64_t *hits, paimon_error *err)
{
    fixed_plan span = { false, false, false, list[0], list[n - 1] };
    int64_t *list_64 = c->bits == 128 ? NULL : pmn_arena_calloc(v->arena, (size_t)n, sizeof *list_64);
    if (c->bits != 128 && !list_64) return pmn_fail_nomem(err, "the list of a predicate");
    for (int32_t i = 0; list_64 && i < n; i++) list_64[i] = (int64_t)list[i];
    run_integers(c, data, v->n, &span, domain, hits);
    for (int64_t w = 0; w < pmn_eval_words(v->n); w++) hits[w] &= domain[w];
    search_integers(c, data, v->n, list, list_64, n, hits);
    return PAIMON_OK;
}

static paimon_status in_integers(const pmn_eval_values *v, const int_column *c, const uint8_t *data, const uint64_t *domain, uint64_t *out,
                                 paimon_error *err)
{
    int64_t n_words = pmn_eval_words(v->n);
    int32_t n;
    pmn_i128 *list = list_of_integers(v, c, &n);
    uint64_t *hits = pmn_arena_calloc(v->arena, (size_t)n_words * 2, sizeof *hits);
    if (!list || !hits) return pmn_fail_nomem(err, "the list of a predicate");
    if (n > SHORT_LIST) {
        PMN_TRY(in_long_list(v, c, data, list, n, domain, hits, err));
    } else {
        for (int32_t i = 0; i < n; i++) {
            fixed_plan one = { false, false, false, list[i], list[i] };
            run_integers(c, data, v->n, &one, domain, hits + n_words);
            for (int64_t w = 0; w < n_words; w++) hits[w] |= hits[n_words + w];
        }
    }
    memcpy(out, hits, (size_t)n_words * sizeof *out);
    if (v->leaf->op == PAIMON_OP_NOT_IN) turn_round(out, n_words);
    return PAIMON_OK;
}

static paimon_status eval_integers(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    int_column c;
    if (!int_column_of(v, &c)) return pmn_eval_wrong_type(v, err);
    const uint8_t *data = (const uint8_t *)v->array->buffers[1] + v->start * (c.bits / 8);
    if (v->leaf->op == PAIMON_OP_IN || v->leaf->op == PAIMON_OP_NOT_IN) return in_integers(v, &c, data, domain, out, err);
    fixed_plan plan = plan_integers(v, &c);
    if (plan.constant) {
        fill(domain, out, pmn_eval_words(v->n), plan.all);
        return PAIMON_OK;
    }
    run_integers(&c, data, v->n, &plan, domain, out);
    if (plan.complement) turn_round(out, pmn_eval_words(v->n));
    return PAIMON_OK;
}

/* --- floats --- */

static double real_literal(const pmn_eval_values *v, int32_t i)
{
    const pmn_datum *d = &v->leaf->literals[i];
    return v->leaf->type->kind == PMN_FLOAT ? (double)d->v.f : d->v.d;
}

static void run_range(const pmn_eval_values *v, const uint8_t *data, double low, double high, const uint64_t *domain, uint64_t *out)
{
    if (v->arrow.kind == PMN_ARROW_FLOAT)
        range_float(data, v->n, (float)low, (float)high, domain, out);
    else
        range_double(data, v->n, low, high, domain, out);
}

static void run_below(const pmn_eval_values *v, const uint8_t *data, double value, const uint64_t *domain, uint64_t *out)
{
    if (isnan(value))
        run_range(v, data, -(double)INFINITY, (double)INFINITY, domain, out); /* all but NaN itself */
    else if (v->arrow.kind == PMN_ARROW_FLOAT)
        below_float(data, v->n, 0, (float)value, domain, out);
    else
        below_double(data, v->n, 0, value, domain, out);
}

static void run_not_above(const pmn_eval_values *v, const uint8_t *data, double value, const uint64_t *domain, uint64_t *out)
{
    if (isnan(value))
        fill(domain, out, pmn_eval_words(v->n), true);
    else
        run_range(v, data, -(double)INFINITY, value, domain, out);
}

static void run_equal(const pmn_eval_values *v, const uint8_t *data, double value, const uint64_t *domain, uint64_t *out)
{
    if (!isnan(value)) {
        run_range(v, data, value, value, domain, out);
        return;
    }
    run_range(v, data, -(double)INFINITY, (double)INFINITY, domain, out);
    turn_round(out, pmn_eval_words(v->n));
}

static void search_reals(const pmn_eval_values *v, const uint8_t *data, const uint64_t *domain, uint64_t *out)
{
    bool is_float = v->arrow.kind == PMN_ARROW_FLOAT;
    for (int64_t w = 0; w < pmn_eval_words(v->n); w++) {
        uint64_t todo = domain[w], bits = 0;
        while (todo) {
            int j = pmn_ctz64(todo);
            pmn_datum x;
            todo &= todo - 1;
            x.is_null = false;
            if (is_float)
                memcpy(&x.v.f, data + (w * 64 + j) * 4, 4);
            else
                memcpy(&x.v.d, data + (w * 64 + j) * 8, 8);
            bits |= (uint64_t)pmn_pred_test(v->leaf, &x) << j;
        }
        out[w] = bits;
    }
}

static void run_between(const pmn_eval_values *v, const uint8_t *data, const uint64_t *domain, uint64_t *out)
{
    double low = real_literal(v, 0), high = real_literal(v, 1); /* low < high, so only high may be NaN */
    if (!isnan(high)) {
        run_range(v, data, low, high, domain, out);
        return;
    }
    run_below(v, data, low, domain, out);
    turn_round(out, pmn_eval_words(v->n));
}

static paimon_status eval_reals(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    bool is_float = v->leaf->type->kind == PMN_FLOAT, complement = false;
    if (v->arrow.kind != (is_float ? PMN_ARROW_FLOAT : PMN_ARROW_DOUBLE)) return pmn_eval_wrong_type(v, err);
    const uint8_t *data = (const uint8_t *)v->array->buffers[1] + v->start * (is_float ? 4 : 8);
    double value = real_literal(v, 0);
    switch (v->leaf->op) {
    case PAIMON_OP_NE:
        complement = true; /* fall through */
    case PAIMON_OP_EQ:
        run_equal(v, data, value, domain, out);
        break;
    case PAIMON_OP_GE:
        complement = true; /* fall through */
    case PAIMON_OP_LT:
        run_below(v, data, value, domain, out);
        break;
    case PAIMON_OP_GT:
        complement = true; /* fall through */
    case PAIMON_OP_LE:
        run_not_above(v, data, value, domain, out);
        break;
    case PAIMON_OP_BETWEEN:
        run_between(v, data, domain, out);
        break;
    default:
        search_reals(v, data, domain, out);
    }
    if (complement) turn_round(out, pmn_eval_words(v->n));
    return PAIMON_OK;
}

/* --- booleans --- */

static paimon_status eval_booleans(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    if (v->arrow.kind != PMN_ARROW_BOOL) return pmn_eval_wrong_type(v, err);
    pmn_datum no = { false, { .i = 0 } }, yes = { false, { .i = 1 } };
    const uint64_t if_no = pmn_pred_test(v->leaf, &no) ? ~(uint64_t)0 : 0, if_yes = pmn_pred_test(v->leaf, &yes) ? ~(uint64_t)0 : 0;
    for (int64_t w = 0; w < pmn_eval_words(v->n); w++) {
        int64_t rows = v->n - w * 64 < 64 ? v->n - w * 64 : 64;
        uint64_t bits = domain[w] ? pmn_eval_load_bits(v->array->buffers[1], v->start + w * 64, rows) : 0;
        out[w] = (bits & if_yes) | (~bits & if_no);
    }
    return PAIMON_OK;
}

paimon_status pmn_eval_fixed(const pmn_eval_values *v, const uint64_t *domain, uint64_t *out, paimon_error *err)
{
    if (v->array->n_buffers < 2 || !v->array->buffers[1]) return pmn_eval_wrong_type(v, err);
    switch (v->leaf->type->kind) {
    case PMN_BOOLEAN:
        return eval_booleans(v, domain, out, err);
    case PMN_FLOAT:
    case PMN_DOUBLE:
        return eval_reals(v, domain, out, err);
    default:
        return eval_integers(v, domain, out, err);
    }
}

#undef FIXED_BLOCK
#undef FIXED_KERNEL
