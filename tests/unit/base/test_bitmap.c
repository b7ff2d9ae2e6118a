/* Every bit tool against a plain loop, at every small offset and length and at random large ones. Maps are allocated to their
 * exact size, so that the address sanitizer sees a byte read too many. */
#include "support/unit.h"

#include "base/bitmap.h"

static uint8_t *random_map(uint64_t *seed, int64_t n_bits)
{
    size_t n = pmn_bitmap_bytes(n_bits);
    uint8_t *map = malloc(n ? n : 1);
    for (size_t i = 0; i < n; i++) map[i] = (uint8_t)random_next(seed);
    return map;
}

typedef void (*judge)(uint64_t *seed, int64_t a, int64_t b, int64_t n);

static void try_shapes(judge one)
{
    uint64_t seed = 7;
    for (int64_t a = 0; a < 9; a++)
        for (int64_t b = 0; b < 9; b++)
            for (int64_t n = 0; n < 150; n += n < 80 ? 1 : 7) one(&seed, a, b, n);
    for (int i = 0; i < 300; i++) one(&seed, (int64_t)random_below(&seed, 300), (int64_t)random_below(&seed, 300), (int64_t)random_below(&seed, 5000));
}

static void judge_count(uint64_t *seed, int64_t a, int64_t b, int64_t n)
{
    (void)b;
    uint8_t *map = random_map(seed, a + n);
    int64_t expected = 0;
    for (int64_t i = 0; i < n; i++) expected += pmn_bit_get(map, a + i);
    assert_int_equal(pmn_bitmap_count(map, a, n), expected);
    free(map);
}

static void judge_copy(uint64_t *seed, int64_t a, int64_t b, int64_t n)
{
    uint8_t *src = random_map(seed, b + n), *dst = random_map(seed, a + n + 3), *expected = malloc(pmn_bitmap_bytes(a + n + 3));
    memcpy(expected, dst, pmn_bitmap_bytes(a + n + 3));
    for (int64_t i = 0; i < n; i++) {
        if (pmn_bit_get(src, b + i)) pmn_bit_set(expected, a + i);
        else pmn_bit_clear(expected, a + i);
    }
    pmn_bitmap_copy(dst, a, src, b, n);
    assert_memory_equal(dst, expected, pmn_bitmap_bytes(a + n + 3));
    free(src);
    free(dst);
    free(expected);
}

static void judge_fill(uint64_t *seed, int64_t a, int64_t b, int64_t n)
{
    uint8_t *map = random_map(seed, a + n + 3), *expected = malloc(pmn_bitmap_bytes(a + n + 3));
    memcpy(expected, map, pmn_bitmap_bytes(a + n + 3));
    for (int64_t i = 0; i < n; i++) {
        if (b & 1) pmn_bit_set(expected, a + i);
        else pmn_bit_clear(expected, a + i);
    }
    pmn_bitmap_fill(map, a, n, b & 1);
    assert_memory_equal(map, expected, pmn_bitmap_bytes(a + n + 3));
    free(map);
    free(expected);
}

static void judge_and_or(uint64_t *seed, int64_t a, int64_t b, int64_t n)
{
    (void)a;
    bool both = b & 1;
    uint8_t *src = random_map(seed, n), *dst = random_map(seed, n), *expected = malloc(pmn_bitmap_bytes(n) + 1);
    memcpy(expected, dst, pmn_bitmap_bytes(n));
    for (int64_t i = 0; i < n; i++) {
        bool x = pmn_bit_get(dst, i), y = pmn_bit_get(src, i);
        if (both ? x && y : x || y) pmn_bit_set(expected, i);
        else pmn_bit_clear(expected, i);
    }
    if (both) pmn_bitmap_and(dst, src, n);
    else pmn_bitmap_or(dst, src, n);
    assert_memory_equal(dst, expected, pmn_bitmap_bytes(n));
    free(src);
    free(dst);
    free(expected);
}

static void counts_like_a_loop(void **state)
{
    (void)state;
    try_shapes(judge_count);
}
static void copies_like_a_loop_and_leaves_what_is_around(void **state)
{
    (void)state;
    try_shapes(judge_copy);
}
static void fills_like_a_loop_and_leaves_what_is_around(void **state)
{
    (void)state;
    try_shapes(judge_fill);
}
static void combines_like_a_loop_and_leaves_the_last_bits(void **state)
{
    (void)state;
    try_shapes(judge_and_or);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_like_a_loop),
        cmocka_unit_test(copies_like_a_loop_and_leaves_what_is_around),
        cmocka_unit_test(fills_like_a_loop_and_leaves_what_is_around),
        cmocka_unit_test(combines_like_a_loop_and_leaves_the_last_bits),
    };
    return cmocka_run_group_tests_name("bitmap", tests, NULL, NULL);
}
