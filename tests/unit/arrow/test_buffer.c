#include "support/unit.h"

#include <pthread.h>

#include "arrow/buffer.h"
#include "support/failing_alloc.h"

static void buffers_are_aligned_and_have_their_slack(void **state)
{
    (void)state;
    pmn_buffer_pool *pool = pmn_buffer_pool_new(pmn_mem_default(), 1 << 20);
    uint64_t seed = 1;
    for (int i = 0; i < 2000; i++) {
        size_t wanted = (size_t)random_below(&seed, (uint64_t)1 << (1 + i % 20));
        pmn_buffer *b;
        assert_int_equal(pmn_buffer_new(pool, wanted, &b, NULL), PAIMON_OK);
        assert_true(b->capacity >= wanted && b->capacity <= wanted + wanted / 4 + 64);
        assert_int_equal((uintptr_t)b->data % 64, 0);
        memset(b->data, 0xab, b->capacity + PMN_BUFFER_SLACK);
        pmn_buffer_release(b);
    }
    pmn_buffer_pool_release(pool);
}

static void freed_buffers_are_reused_up_to_what_may_be_kept(void **state)
{
    (void)state;
    pmn_mem *mem = pmn_mem_new(NULL, 0);
    pmn_buffer_pool *pool = pmn_buffer_pool_new(mem, 10000);
    pmn_buffer *a, *b;
    assert_int_equal(pmn_buffer_new(pool, 4000, &a, NULL), PAIMON_OK);
    uint8_t *data = a->data;
    pmn_buffer_release(a);
    int64_t kept = pmn_mem_current(mem);
    assert_true(kept > 4000);
    assert_int_equal(pmn_buffer_new(pool, 3900, &b, NULL), PAIMON_OK);
    assert_ptr_equal(b->data, data);
    assert_int_equal(pmn_mem_current(mem), kept);
    assert_int_equal(pmn_buffer_new(pool, 100000, &a, NULL), PAIMON_OK);
    pmn_buffer_release(a); /* too large to keep */
    assert_int_equal(pmn_mem_current(mem), kept);
    pmn_buffer_pool_release(pool); /* the buffer holds it */
    assert_ptr_equal(pmn_buffer_pool_mem(b->pool), mem);
    pmn_buffer_release(b);
    assert_int_equal(pmn_mem_current(mem), 0);
    pmn_mem_release(mem);
}

static void growing_keeps_the_contents_and_doubles(void **state)
{
    (void)state;
    pmn_buffer_pool *pool = pmn_buffer_pool_new(pmn_mem_default(), 0);
    pmn_buffer *b;
    assert_int_equal(pmn_buffer_new(pool, 1, &b, NULL), PAIMON_OK);
    size_t n = 0, moves = 0;
    for (; n < 100000; n++) {
        size_t before = b->capacity;
        assert_int_equal(pmn_buffer_grow(&b, n + 1, NULL), PAIMON_OK);
        moves += b->capacity != before;
        b->data[n] = (uint8_t)(n * 7);
    }
    assert_true(moves < 16);
    for (size_t i = 0; i < n; i++) assert_int_equal(b->data[i], (uint8_t)(i * 7));
    assert_null(pmn_buffer_retain(NULL));
    pmn_buffer_release(NULL);
    pmn_buffer_retain(b);
    pmn_buffer_release(b);
    pmn_buffer_release(b);
    pmn_buffer_pool_release(pool);
}

static void absurd_sizes_are_refused(void **state)
{
    (void)state;
    pmn_buffer_pool *pool = pmn_buffer_pool_new(pmn_mem_default(), 0);
    pmn_buffer *b;
    for (int shift = 40; shift < 64; shift++) {
        assert_int_equal(pmn_buffer_new(pool, (size_t)1 << shift, &b, NULL), PAIMON_NOMEM);
        assert_null(b);
    }
    assert_int_equal(pmn_buffer_new(pool, SIZE_MAX, &b, NULL), PAIMON_NOMEM);
    pmn_buffer_pool_release(pool);
}

static void *churn(void *arg)
{
    uint64_t seed = (uint64_t)(uintptr_t)&seed;
    for (int i = 0; i < 2000; i++) {
        pmn_buffer *b;
        if (pmn_buffer_new(arg, (size_t)random_below(&seed, 2000), &b, NULL) != PAIMON_OK) abort();
        memset(b->data, i, b->capacity);
        pmn_buffer_retain(b);
        pmn_buffer_release(b);
        pmn_buffer_release(b);
    }
    return NULL;
}

static void threads_share_a_pool(void **state)
{
    (void)state;
    pmn_mem *mem = pmn_mem_new(NULL, 0);
    pmn_buffer_pool *pool = pmn_buffer_pool_new(mem, 5000);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, churn, pool), 0);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    pmn_buffer_pool_release(pool);
    assert_int_equal(pmn_mem_current(mem), 0);
    pmn_mem_release(mem);
}

static paimon_status make_and_grow(pmn_mem *mem, void *arg)
{
    (void)arg;
    pmn_buffer_pool *pool = pmn_buffer_pool_new(mem, 1000);
    pmn_buffer *b = NULL;
    if (!pool) return PAIMON_NOMEM;
    paimon_status status = pmn_buffer_new(pool, 10, &b, NULL);
    for (size_t n = 1; status == PAIMON_OK && n < 10000; n *= 2) status = pmn_buffer_grow(&b, n, NULL);
    pmn_buffer_release(b);
    pmn_buffer_pool_release(pool);
    return status;
}

static void every_refusal_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    assert_true(failing_alloc_sweep(make_and_grow, NULL) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_aligned_and_have_their_slack), cmocka_unit_test(freed_buffers_are_reused_up_to_what_may_be_kept),
        cmocka_unit_test(growing_keeps_the_contents_and_doubles),   cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(threads_share_a_pool),                     cmocka_unit_test(every_refusal_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("buffer", tests, NULL, NULL);
}
