/* The decoding loops of the Parquet reader against plain ones. */
#include "base/bitmap.h"
#include "base/decimal.h"
#include "format/gather.h"
#include "format/parquet/convert.h"
#include "format/parquet/delta.h"
#include "format/parquet/levels.h"
#include "format/parquet/marks.h"
#include "format/parquet/page.h"
#include "format/parquet/unpack.h"
#include "support/unit.h"

/* A bit writer, least significant bit first. */
typedef struct bit_writer {
    uint8_t *bytes;
    int64_t n;
} bit_writer;

static void put_bits(bit_writer *w, uint64_t value, unsigned width)
{
    for (unsigned b = 0; b < width; b++, w->n++) {
        if (value >> b & 1) w->bytes[w->n >> 3] |= (uint8_t)(1u << (w->n & 7));
    }
}

static uint64_t random_width(uint64_t *seed, unsigned width)
{
    uint64_t v = random_next(seed);
    return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static void unpacking_gives_the_packed_values_at_every_width_and_place(void **state)
{
    (void)state;
    uint64_t seed = 1;
    static uint8_t bytes[1200 * 8 + 64];
    static uint64_t values[1200], got64[1200 + 8];
    static uint32_t got[1200 + 8], plain[1200 + 8];
    for (unsigned width = 0; width <= 64; width++) {
        bit_writer w = { bytes, 0 };
        memset(bytes, 0, sizeof bytes);
        for (int i = 0; i < 1200; i++) put_bits(&w, values[i] = random_width(&seed, width), width);
        pmn_parquet_unpack64(bytes, 1200, width, got64);
        assert_memory_equal(got64, values, sizeof values);
        if (width > 32) continue;
        for (int64_t first = 0; first < 20; first++) {
            for (int64_t n = 0; n <= 1000; n += 1 + (int64_t)random_below(&seed, 60)) {
                got[n] = 0xabababab;
                pmn_parquet_unpack32(bytes, first, n, width, got);
                pmn_parquet_unpack32_plain(bytes, first, n, width, plain);
                assert_int_equal(got[n], 0xabababab); /* nothing behind the last one is written */
                assert_memory_equal(got, plain, (size_t)n * 4);
                for (int64_t i = 0; i < n; i++) assert_int_equal(plain[i], (uint32_t)values[first + i]);
            }
        }
    }
}

/* Random runs of both kinds; what they say goes to `values`. */
static size_t write_hybrid(uint64_t *seed, unsigned width, uint8_t *bytes, uint32_t *values, int64_t *n)
{
    size_t at = 0;
    *n = 0;
    for (int run = 0; run < 40; run++) {
        if (random_below(seed, 2)) {
            int64_t count = (int64_t)random_below(seed, 200);
            uint32_t value = (uint32_t)random_width(seed, width);
            uint64_t header = (uint64_t)count << 1;
            for (; header >= 0x80; header >>= 7) bytes[at++] = (uint8_t)(header | 0x80);
            bytes[at++] = (uint8_t)header;
            for (unsigned b = 0; b < (width + 7) / 8; b++) bytes[at++] = (uint8_t)(value >> (8 * b));
            for (int64_t i = 0; i < count; i++) values[(*n)++] = value;
        } else {
            int groups = 1 + (int)random_below(seed, 60);
            bytes[at++] = (uint8_t)(groups << 1 | 1);
            if (groups > 63) abort();
            memset(bytes + at, 0, (size_t)groups * width);
            bit_writer w = { bytes + at, 0 };
            for (int i = 0; i < groups * 8; i++) put_bits(&w, values[(*n)++] = (uint32_t)random_width(seed, width), width);
            at += (size_t)groups * width;
        }
    }
    return at;
}

static void hybrid_runs_give_their_values_in_any_portions(void **state)
{
    (void)state;
    uint64_t seed = 2;
    static uint8_t bytes[40 * 500 * 4 + 64];
    static uint32_t values[40 * 520], got[40 * 520];
    for (unsigned width = 0; width <= 32; width++) {
        int64_t n, at = 0;
        size_t size = write_hybrid(&seed, width, bytes, values, &n);
        pmn_parquet_hybrid h;
        pmn_parquet_hybrid_init(&h, pmn_slice_of(bytes, size), width);
        while (at < n) {
            int64_t m = (int64_t)random_below(&seed, 300);
            if (m > n - at) m = n - at;
            uint32_t value;
            int64_t run = pmn_parquet_hybrid_peek(&h, &value);
            for (int64_t i = 0; i < run; i++) assert_int_equal(values[at + i], value);
            if (random_below(&seed, 3) == 0) {
                assert_int_equal(pmn_parquet_hybrid_skip(&h, m), m);
            } else {
                assert_int_equal(pmn_parquet_hybrid_get32(&h, got, m), m);
                assert_memory_equal(got, values + at, (size_t)m * 4);
            }
            at += m;
        }
        assert_int_equal(pmn_parquet_hybrid_get32(&h, got, 1), 0);
    }
}

static void hybrid_levels_and_bits_agree_with_the_wide_form(void **state)
{
    (void)state;
    uint64_t seed = 3;
    static uint8_t bytes[40 * 500 + 64], got[40 * 520], bits[40 * 520 / 8 + 16];
    static uint32_t values[40 * 520];
    for (unsigned width = 0; width <= 8; width++) {
        int64_t n, at = 0;
        size_t size = write_hybrid(&seed, width, bytes, values, &n);
        pmn_parquet_hybrid h;
        pmn_parquet_hybrid_init(&h, pmn_slice_of(bytes, size), width);
        while (at < n) {
            int64_t m = 1 + (int64_t)random_below(&seed, 200);
            if (m > n - at) m = n - at;
            assert_int_equal(pmn_parquet_hybrid_get8(&h, got, m), m);
            for (int64_t i = 0; i < m; i++) assert_int_equal(got[i], values[at + i]);
            at += m;
        }
        if (width != 1) continue;
        pmn_parquet_hybrid_init(&h, pmn_slice_of(bytes, size), 1);
        for (at = 0; at < n;) {
            int64_t m = 1 + (int64_t)random_below(&seed, 200), offset = (int64_t)random_below(&seed, 20), ones, expected = 0;
            if (m > n - at) m = n - at;
            assert_int_equal(pmn_parquet_hybrid_bits(&h, bits, offset, m, &ones), m);
            for (int64_t i = 0; i < m; i++) {
                assert_int_equal(pmn_bit_get(bits, offset + i), values[at + i]);
                expected += values[at + i];
            }
            assert_int_equal(ones, expected);
            at += m;
        }
    }
}

static void old_bit_packed_levels_are_most_significant_bit_first(void **state)
{
    (void)state;
    /* The values 0 … 7 of 3 bits: the example of the format's description. */
    const uint8_t stored[3] = { 0x05, 0x39, 0x77 };
    uint8_t repacked[3 + 64] = { 0 }, got[8];
    pmn_parquet_hybrid h;
    pmn_parquet_repack_levels(stored, 8, 3, repacked);
    pmn_parquet_hybrid_packed(&h, pmn_slice_of(repacked, 3), 3, 8);
    assert_int_equal(pmn_parquet_hybrid_get8(&h, got, 8), 8);
    for (int i = 0; i < 8; i++) assert_int_equal(got[i], i);
}

static void put_varint(uint8_t *bytes, size_t *at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) bytes[(*at)++] = (uint8_t)(v | 0x80);
    bytes[(*at)++] = (uint8_t)v;
}

static uint64_t zigzag(int64_t v) { return (uint64_t)v << 1 ^ (uint64_t)(v >> 63); }

static size_t write_delta(const int64_t *values, int64_t n, int64_t block, int64_t miniblocks, uint8_t *bytes)
{
    size_t at = 0;
    put_varint(bytes, &at, (uint64_t)block);
    put_varint(bytes, &at, (uint64_t)miniblocks);
    put_varint(bytes, &at, (uint64_t)n);
    put_varint(bytes, &at, zigzag(values[0]));
    for (int64_t i = 1; i < n; i += block) {
        int64_t m = n - i < block ? n - i : block, min = INT64_MAX, mini = block / miniblocks;
        for (int64_t k = 0; k < m; k++) {
            int64_t d = (int64_t)((uint64_t)values[i + k] - (uint64_t)values[i + k - 1]);
            if (d < min) min = d;
        }
        put_varint(bytes, &at, zigzag(min));
        uint8_t *widths = bytes + at;
        at += (size_t)miniblocks;
        for (int64_t b = 0; b < miniblocks; b++) {
            uint64_t all = 0;
            for (int64_t k = b * mini; k < (b + 1) * mini && k < m; k++) all |= (uint64_t)values[i + k] - (uint64_t)values[i + k - 1] - (uint64_t)min;
            unsigned width = all ? 64 - (unsigned)__builtin_clzll(all) : 0;
            widths[b] = (uint8_t)width;
            if (b * mini >= m) continue;
            memset(bytes + at, 0, (size_t)mini * width / 8);
            bit_writer w = { bytes + at, 0 };
            for (int64_t k = b * mini; k < (b + 1) * mini && k < m; k++) put_bits(&w, (uint64_t)values[i + k] - (uint64_t)values[i + k - 1] - (uint64_t)min, width);
            at += (size_t)mini * width / 8;
        }
    }
    return at;
}

static void deltas_give_back_what_was_written_and_tell_their_end(void **state)
{
    (void)state;
    uint64_t seed = 4;
    static uint8_t bytes[2000 * 10 + 4096];
    static int64_t values[2000], got[2000];
    for (int round = 0; round < 200; round++) {
        int64_t n = 1 + (int64_t)random_below(&seed, 1999), miniblocks = 1 + (int64_t)random_below(&seed, 4);
        int64_t block = miniblocks * 32 * (1 + (int64_t)random_below(&seed, 3));
        unsigned width = (unsigned)random_below(&seed, 65);
        for (int64_t i = 0; i < n; i++) values[i] = (int64_t)random_width(&seed, width);
        size_t size = write_delta(values, n, block, miniblocks, bytes);
        pmn_parquet_delta d;
        const uint8_t *end;
        assert_int_equal(pmn_parquet_delta_init(&d, pmn_slice_of(bytes, size), n, NULL), PAIMON_OK);
        assert_int_equal(pmn_parquet_delta_end(&d, &end, NULL), PAIMON_OK);
        assert_ptr_equal(end, bytes + size);
        for (int64_t at = 0; at < n;) {
            int64_t m = 1 + (int64_t)random_below(&seed, 100);
            if (m > n - at) m = n - at;
            assert_int_equal(pmn_parquet_delta_get(&d, got, m, NULL), PAIMON_OK);
            assert_memory_equal(got, values + at, (size_t)m * 8);
            at += m;
        }
        assert_int_equal(pmn_parquet_delta_get(&d, got, 1, NULL), PAIMON_CORRUPT);
        /* Cut anywhere, it is refused or gives fewer values, and reads nothing past its end. */
        size_t cut = (size_t)random_below(&seed, size);
        if (pmn_parquet_delta_init(&d, pmn_slice_of(bytes, cut), n, NULL) == PAIMON_OK) (void)!pmn_parquet_delta_get(&d, got, n, NULL);
    }
}

static void gathering_and_spreading_follow_indices_and_bits(void **state)
{
    (void)state;
    uint64_t seed = 5;
    static const int32_t widths[] = { 1, 2, 4, 8, 12, 16, 5 };
    static uint8_t table[256 * 16 + 64], out[1024 * 16 + 64], compact[1024 * 16 + 64];
    static uint32_t index[1024];
    static uint64_t bits[16];
    for (size_t i = 0; i < sizeof table; i++) table[i] = (uint8_t)random_next(&seed);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        int32_t width = widths[w];
        for (int round = 0; round < 30; round++) {
            int64_t n = (int64_t)random_below(&seed, 1025), j = 0;
            uint32_t max = 0;
            for (int64_t i = 0; i < n; i++) {
                index[i] = (uint32_t)random_below(&seed, 256);
                max = index[i] > max ? index[i] : max;
            }
            assert_true(pmn_all_below(index, n, max + 1));
            if (n > 0 && max > 0) assert_false(pmn_all_below(index, n, max));
            pmn_gather(table, index, n, width, out);
            for (int64_t i = 0; i < n; i++) assert_memory_equal(out + i * width, table + index[i] * (uint32_t)width, (size_t)width);
            unsigned nulls = (unsigned)random_below(&seed, 4);
            for (int i = 0; i < 16; i++) bits[i] = nulls == 0 ? UINT64_MAX : nulls == 1 ? random_next(&seed) : random_next(&seed) | random_next(&seed) | random_next(&seed);
            memcpy(compact, out, sizeof compact);
            pmn_spread(compact, bits, n, width, out);
            for (int64_t i = 0; i < n; i++) {
                if (!pmn_bit_get((const uint8_t *)bits, i)) continue;
                assert_memory_equal(out + i * width, compact + j++ * width, (size_t)width);
            }
        }
    }
}

static void strings_from_slots_lie_one_behind_the_other(void **state)
{
    (void)state;
    uint64_t seed = 6;
    static uint8_t slots[50 * 64], out[1024 * 64 + 128];
    static int32_t lengths[50], ends[1025];
    static uint32_t index[1024];
    for (int32_t stride = 16; stride <= 64; stride *= 2) {
        for (size_t i = 0; i < sizeof slots; i++) slots[i] = (uint8_t)random_next(&seed);
        for (int i = 0; i < 50; i++) lengths[i] = (int32_t)random_below(&seed, (uint64_t)stride + 1);
        for (int i = 0; i < 1000; i++) index[i] = (uint32_t)random_below(&seed, 50);
        int64_t end = pmn_gather_slots(slots, stride, lengths, index, 1000, out, 7, ends);
        int64_t at = 7;
        for (int i = 0; i < 1000; i++) {
            assert_memory_equal(out + at, slots + (int64_t)index[i] * stride, (size_t)lengths[index[i]]);
            at += lengths[index[i]];
            assert_int_equal(ends[i], at);
        }
        assert_int_equal(end, at);
    }
}

static void null_strings_end_where_the_one_before_ends(void **state)
{
    (void)state;
    uint64_t seed = 8;
    static int32_t ends[1025], out[1024];
    static uint64_t bits[16];
    for (int round = 0; round < 50; round++) {
        ends[0] = (int32_t)random_below(&seed, 100);
        for (int i = 1; i <= 1024; i++) ends[i] = ends[i - 1] + (int32_t)random_below(&seed, 9);
        for (int i = 0; i < 16; i++) bits[i] = random_below(&seed, 2) ? UINT64_MAX : random_next(&seed);
        int64_t n = (int64_t)random_below(&seed, 1025), j = 0;
        pmn_spread_ends(ends, bits, n, out);
        for (int64_t i = 0; i < n; i++) {
            j += pmn_bit_get((const uint8_t *)bits, i);
            assert_int_equal(out[i], ends[j]);
        }
    }
}

static void byte_streams_join_from_any_place(void **state)
{
    (void)state;
    uint64_t seed = 9;
    static uint8_t stored[500 * 16], split[500 * 16 + 64], out[500 * 16 + 64];
    for (int32_t width = 1; width <= 16; width++) {
        for (int i = 0; i < 500 * width; i++) stored[i] = (uint8_t)random_next(&seed);
        for (int i = 0; i < 500; i++) {
            for (int32_t b = 0; b < width; b++) split[b * 500 + i] = stored[i * width + b];
        }
        int64_t first = (int64_t)random_below(&seed, 400), n = (int64_t)random_below(&seed, 100);
        pmn_parquet_join_streams(split, 500, first, n, width, out);
        assert_memory_equal(out, stored + first * width, (size_t)(n * width));
    }
}

static void marks_from_levels_agree_with_one_pair_at_a_time(void **state)
{
    (void)state;
    uint64_t seed = 11;
    static uint8_t defs[1000 + 64], reps[1000 + 64];
    static uint64_t bits[1000 / 64 + 2], plain_bits[1000 / 64 + 2];
    static int32_t offsets[1002], plain_offsets[1002];
    for (int round = 0; round < 2000; round++) {
        int64_t n = (int64_t)random_below(&seed, 1001), valid, plain_valid;
        int max_def = 1 + (int)random_below(&seed, 6), max_rep = (int)random_below(&seed, 3);
        for (int64_t i = 0; i < n; i++) {
            defs[i] = (uint8_t)(random_below(&seed, 3) ? (uint64_t)max_def : random_below(&seed, (uint64_t)max_def + 1));
            reps[i] = (uint8_t)random_below(&seed, (uint64_t)max_rep + 1);
        }
        int slot_def = (int)random_below(&seed, (uint64_t)max_def + 1), slot_rep = (int)random_below(&seed, (uint64_t)max_rep + 1);
        int value_def = slot_def + (int)random_below(&seed, (uint64_t)(max_def - slot_def) + 1);
        const uint8_t *some_reps = random_below(&seed, 2) ? reps : NULL;
        int64_t slots = pmn_parquet_mark_slots(defs, some_reps, n, slot_def, slot_rep, value_def, bits, &valid);
        assert_int_equal(slots, pmn_parquet_mark_slots_plain(defs, some_reps, n, slot_def, slot_rep, value_def, plain_bits, &plain_valid));
        assert_int_equal(valid, plain_valid);
        assert_memory_equal(bits, plain_bits, (size_t)(slots / 64 * 8));
        if (slots % 64) assert_int_equal(bits[slots / 64], plain_bits[slots / 64]);
        slots = pmn_parquet_mark_slots(defs, reps, n, slot_def, slot_rep, value_def, bits, &valid);
        if (slots > 0) assert_false(pmn_parquet_mark_lists(defs, reps, n, slot_def, slot_rep, value_def, max_rep, slots - 1, offsets));
        assert_true(pmn_parquet_mark_lists(defs, reps, n, slot_def, slot_rep, value_def, max_rep, slots, offsets));
        assert_true(pmn_parquet_mark_lists_plain(defs, reps, n, slot_def, slot_rep, value_def, max_rep, slots, plain_offsets));
        assert_memory_equal(offsets, plain_offsets, (size_t)(slots + 1) * 4);
        int64_t zeros = 0;
        for (int64_t i = 0; i < n; i++) zeros += reps[i] == 0;
        assert_int_equal(pmn_parquet_count_level(reps, n, 0), zeros);
    }
}

/* A leaf of one physical and logical type, to plan conversions for. */
static paimon_status plan(pmn_parquet_element *e, const char *format, pmn_parquet_convert *c)
{
    pmn_parquet_node node = { .element = e };
    pmn_arrow_type type;
    assert_int_equal(pmn_arrow_type_parse(format, &type, NULL), PAIMON_OK);
    return pmn_parquet_convert_plan(&node, &type, format, c, NULL);
}

static void fixed_decimals_of_every_width_keep_their_value(void **state)
{
    (void)state;
    uint64_t seed = 10;
    pmn_parquet_convert c;
    for (int32_t width = 1; width <= 16; width++) {
        pmn_parquet_element e = { .physical = PMN_PQ_FIXED, .type_length = width, .logical = { .kind = PMN_PQ_LOGICAL_DECIMAL, .precision = 38 } };
        assert_int_equal(plan(&e, "d:38,0", &c), PAIMON_OK);
        uint8_t bytes[16 * 20 + 64], out[16 * 20];
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)random_next(&seed);
        assert_int_equal(c.fn(&c, bytes, 20, out), -1);
        for (int i = 0; i < 20; i++) {
            pmn_i128 expected, got;
            assert_true(pmn_i128_from_be(pmn_slice_of(bytes + i * width, (size_t)width), &expected));
            memcpy(&got, out + i * 16, 16);
            assert_true(got == expected);
        }
    }
}

static void integers_that_do_not_fit_are_told_by_their_place(void **state)
{
    (void)state;
    pmn_parquet_convert c;
    uint8_t out[64];
    pmn_parquet_element int32 = { .physical = PMN_PQ_INT32 }, int64 = { .physical = PMN_PQ_INT64 };
    pmn_parquet_element u32 = { .physical = PMN_PQ_INT32, .logical = { .kind = PMN_PQ_LOGICAL_INTEGER, .bits = 32 } };
    const int32_t small[4] = { 127, -128, 0, 128 };
    assert_int_equal(plan(&int32, "c", &c), PAIMON_OK);
    assert_int_equal(c.fn(&c, (const uint8_t *)small, 3, out), -1);
    assert_int_equal(c.fn(&c, (const uint8_t *)small, 4, out), 3);
    const int64_t wide[3] = { INT32_MAX, INT32_MIN, INT64_C(1) << 31 };
    assert_int_equal(plan(&int64, "i", &c), PAIMON_OK);
    assert_int_equal(c.fn(&c, (const uint8_t *)wide, 2, out), -1);
    assert_int_equal(c.fn(&c, (const uint8_t *)wide, 3, out), 2);
    const uint32_t top[1] = { UINT32_MAX };
    int64_t value;
    assert_int_equal(plan(&u32, "l", &c), PAIMON_OK);
    assert_int_equal(c.fn(&c, (const uint8_t *)top, 1, out), -1);
    memcpy(&value, out, 8);
    assert_int_equal(value, UINT32_MAX);
    assert_int_equal(plan(&int32, "u", &c), PAIMON_UNSUPPORTED);
    pmn_parquet_element date = { .physical = PMN_PQ_INT32, .logical = { .kind = PMN_PQ_LOGICAL_DATE } };
    assert_int_equal(plan(&date, "l", &c), PAIMON_UNSUPPORTED);
}

static void timestamps_scale_and_refuse_what_overflows(void **state)
{
    (void)state;
    pmn_parquet_convert c;
    int64_t got[3];
    pmn_parquet_element millis = { .physical = PMN_PQ_INT64, .logical = { .kind = PMN_PQ_LOGICAL_TIMESTAMP, .unit = PMN_PQ_MILLIS } };
    const int64_t values[3] = { -1, 1999, INT64_MAX / 1000 };
    assert_int_equal(plan(&millis, "tss:", &c), PAIMON_OK);
    assert_int_equal(c.fn(&c, (const uint8_t *)values, 3, (uint8_t *)got), -1);
    assert_int_equal(got[0], -1); /* toward minus infinity */
    assert_int_equal(got[1], 1);
    assert_int_equal(plan(&millis, "tsn:", &c), PAIMON_OK);
    assert_int_equal(c.fn(&c, (const uint8_t *)values, 3, (uint8_t *)got), 2);

    pmn_parquet_element int96 = { .physical = PMN_PQ_INT96 };
    uint8_t stored[3 * 12] = { 0 };
    pmn_store_le64(stored, 5);
    pmn_store_le32(stored + 8, 2440588);
    pmn_store_le64(stored + 12, (uint64_t)INT64_C(-1)); /* as Java writes an instant before 1970 */
    pmn_store_le32(stored + 20, 2440588);
    pmn_store_le32(stored + 32, 3000000); /* past the range of nanoseconds */
    assert_int_equal(plan(&int96, "tsn:", &c), PAIMON_OK);
    assert_int_equal(c.fn(&c, stored, 2, (uint8_t *)got), -1);
    assert_int_equal(got[0], 5);
    assert_int_equal(got[1], -1);
    assert_int_equal(c.fn(&c, stored, 3, (uint8_t *)got), 2);
    assert_int_equal(plan(&int96, "tsm:", &c), PAIMON_OK);
    assert_int_equal(c.fn(&c, stored, 3, (uint8_t *)got), -1);
    assert_int_equal(got[1], -1);
    assert_int_equal(got[2], INT64_C(86400000) * (3000000 - 2440588));
}

static void a_decimal_of_another_scale_is_refused(void **state)
{
    (void)state;
    pmn_parquet_convert c;
    pmn_parquet_element e = { .physical = PMN_PQ_INT64, .logical = { .kind = PMN_PQ_LOGICAL_DECIMAL, .precision = 10, .scale = 2 } };
    assert_int_equal(plan(&e, "d:10,2", &c), PAIMON_OK);
    assert_int_equal(plan(&e, "d:10,3", &c), PAIMON_CORRUPT);
}

static void a_page_header_that_lies_is_refused(void **state)
{
    (void)state;
    /* PageHeader: type 0, uncompressed 10, compressed 10, data header (1 value, PLAIN, RLE, RLE). */
    const uint8_t good[] = { 0x15, 0x00, 0x15, 0x14, 0x15, 0x14, 0x2c, 0x15, 0x02, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0x00, 0x00 };
    pmn_parquet_page page;
    size_t size;
    assert_int_equal(pmn_parquet_page_header_parse(pmn_slice_of(good, sizeof good), 4, &page, &size, NULL), PAIMON_OK);
    assert_int_equal(size, sizeof good);
    assert_int_equal(page.n_values, 1);
    assert_int_equal(page.compressed, 10);
    for (size_t n = 0; n < sizeof good; n++) {
        assert_int_equal(pmn_parquet_page_header_parse(pmn_slice_of(good, n), 4, &page, &size, NULL), PAIMON_CORRUPT);
    }
    uint8_t bad[sizeof good];
    memcpy(bad, good, sizeof bad);
    bad[3] = 0x13; /* -10 bytes */
    assert_int_equal(pmn_parquet_page_header_parse(pmn_slice_of(bad, sizeof bad), 4, &page, &size, NULL), PAIMON_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpacking_gives_the_packed_values_at_every_width_and_place),
        cmocka_unit_test(hybrid_runs_give_their_values_in_any_portions),
        cmocka_unit_test(hybrid_levels_and_bits_agree_with_the_wide_form),
        cmocka_unit_test(old_bit_packed_levels_are_most_significant_bit_first),
        cmocka_unit_test(deltas_give_back_what_was_written_and_tell_their_end),
        cmocka_unit_test(gathering_and_spreading_follow_indices_and_bits),
        cmocka_unit_test(strings_from_slots_lie_one_behind_the_other),
        cmocka_unit_test(null_strings_end_where_the_one_before_ends),
        cmocka_unit_test(byte_streams_join_from_any_place),
        cmocka_unit_test(marks_from_levels_agree_with_one_pair_at_a_time),
        cmocka_unit_test(fixed_decimals_of_every_width_keep_their_value),
        cmocka_unit_test(integers_that_do_not_fit_are_told_by_their_place),
        cmocka_unit_test(timestamps_scale_and_refuse_what_overflows),
        cmocka_unit_test(a_decimal_of_another_scale_is_refused),
        cmocka_unit_test(a_page_header_that_lies_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
