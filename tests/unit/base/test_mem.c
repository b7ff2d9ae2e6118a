#include "support/unit.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "paimon-c/predicate.h"
#include "support/failing_alloc.h"

static void counts_what_is_alive_and_the_peak(void **state)
{
    (void)state;
    pmn_mem *mem = pmn_mem_new(NULL, 0);
    char *a = pmn_alloc(mem, 100), *b = pmn_alloc(mem, 50);
    assert_int_equal(pmn_mem_current(mem), 150);
    pmn_free(mem, a, 100);
    b = pmn_realloc(mem, b, 50, 60);
    assert_int_equal(pmn_mem_current(mem), 60);
    assert_int_equal(pmn_mem_peak(mem), 150);
    pmn_free(mem, b, 60);
    assert_int_equal(pmn_mem_current(mem), 0);
    pmn_mem_release(mem);
}

static void refuses_past_the_limit_and_keeps_the_old_block(void **state)
{
    (void)state;
    pmn_mem *mem = pmn_mem_new(NULL, 100);
    char *a = pmn_alloc(mem, 100);
    assert_non_null(a);
    assert_null(pmn_alloc(mem, 1));
    assert_null(pmn_realloc(mem, a, 100, 101));
    a[99] = 1;
    assert_int_equal(pmn_mem_current(mem), 100);
    pmn_free(mem, a, 100);
    assert_int_equal(pmn_mem_current(mem), 0);
    pmn_mem_release(mem);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    assert_null(pmn_calloc(pmn_mem_default(), SIZE_MAX / 2, 3));
    assert_null(pmn_alloc(pmn_mem_default(), SIZE_MAX));
    assert_null(pmn_alloc(pmn_mem_default(), SIZE_MAX / 2));
    assert_null(pmn_strndup(pmn_mem_default(), "", SIZE_MAX));
    void *nothing = pmn_alloc(pmn_mem_default(), 0);
    assert_non_null(nothing);
    pmn_free(pmn_mem_default(), nothing, 0);
}

static void handed_out_text_outlives_its_environment(void **state)
{
    (void)state;
    failing_alloc f = { -1, 0 };
    paimon_allocator a = failing_alloc_interface(&f);
    pmn_mem *mem = pmn_mem_new(&a, 0);
    char *text = pmn_handout_text(mem, "hello", 5);
    pmn_mem_release(mem);
    assert_string_equal(text, "hello");
    paimon_string_free(text);
    paimon_string_free(NULL);
    assert_int_equal(f.alive, 0);
}

static void arena_pieces_are_aligned_and_do_not_overlap(void **state)
{
    (void)state;
    enum { N = 3000 };
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    uint64_t seed = 1;
    uint8_t *pieces[N];
    size_t sizes[N];
    for (int i = 0; i < N; i++) {
        sizes[i] = (size_t)random_below(&seed, i % 100 == 0 ? 100000 : 60);
        if (i % 3 == 0) {
            char text[60];
            memset(text, 'x', sizeof text);
            if (sizes[i] > sizeof text) sizes[i] = sizeof text;
            pieces[i] = (uint8_t *)pmn_arena_strndup(&arena, text, sizes[i]);
            assert_int_equal(pieces[i][sizes[i]], 0);
        } else {
            pieces[i] = pmn_arena_alloc(&arena, sizes[i]);
            assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        }
        memset(pieces[i], i & 0xff, sizes[i]);
    }
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(pieces[i][k], i & 0xff);
    assert_null(pmn_arena_calloc(&arena, SIZE_MAX / 2, 4));
    pmn_arena_free(&arena);
    assert_int_equal(arena.total, 0);
    assert_string_equal(pmn_arena_strdup(&arena, "again"), "again");
    pmn_arena_free(&arena);
}

static void an_array_grows_item_by_item_and_keeps_what_it_holds(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    pmn_mem *mem = pmn_mem_new(NULL, 0);
    size_t room = 0, arena_room = 0, moved = 0;
    int64_t *items = NULL, *others = NULL;
    for (int64_t i = 0; i < 1000; i++) {
        size_t before = room;
        items = pmn_grow(mem, items, (size_t)i, 1, &room, sizeof *items);
        others = pmn_arena_grow(&arena, others, (size_t)i, &arena_room, sizeof *others);
        assert_true(items && others && room > (size_t)i && arena_room > (size_t)i);
        assert_int_equal(pmn_mem_current(mem), room * sizeof *items);
        assert_int_equal(others[i], 0); /* new ones of an arena are zeroed */
        moved += room != before;
        items[i] = others[i] = i + 1;
    }
    assert_true(moved < 12);
    for (int64_t i = 0; i < 1000; i++) assert_true(items[i] == i + 1 && others[i] == i + 1);
    items = pmn_grow(mem, items, 1000, 5000, &room, sizeof *items);
    assert_true(items && room >= 6000 && items[999] == 1000);
    pmn_free(mem, items, room * sizeof *items);
    assert_int_equal(pmn_mem_current(mem), 0);
    pmn_mem_release(mem);
    pmn_arena_free(&arena);
}

/* Counts of 32 bits must not run over, and a refusal leaves everything as it was. */
static void an_array_does_not_grow_past_32_bits_or_the_limit(void **state)
{
    (void)state;
    pmn_mem *mem = pmn_mem_new(NULL, 100);
    size_t room = 0;
    char *items = pmn_grow(mem, NULL, 0, 60, &room, 1);
    assert_int_equal(room, 60);
    memset(items, 7, 60);
    assert_null(pmn_grow(mem, items, 60, 1, &room, 1));
    assert_true(room == 60 && items[59] == 7);
    pmn_free(mem, items, room);
    pmn_mem_release(mem);
    assert_int_equal(pmn_grown_capacity(INT32_MAX, 1, INT32_MAX), 0);
    assert_int_equal(pmn_grown_capacity(1, SIZE_MAX, 4), 0);
    assert_int_equal(pmn_grown_capacity(INT32_MAX - 1, 1, INT32_MAX - 1), INT32_MAX);
}

static void buffer_grows_to_its_ceiling_and_not_past_it(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_buf buf;
    pmn_buf_init(&buf, pmn_mem_default(), 100);
    for (int i = 0; i < 100; i++) assert_int_equal(pmn_buf_append_byte(&buf, (uint8_t)i, &err), PAIMON_OK);
    assert_int_equal(pmn_buf_append_byte(&buf, 0, &err), PAIMON_NOMEM);
    assert_non_null(strstr(paimon_error_message(&err), "100"));
    assert_int_equal(pmn_buf_printf(&buf, &err, "x"), PAIMON_NOMEM);
    assert_int_equal(pmn_buf_terminate(&buf, &err), PAIMON_OK);
    assert_int_equal(buf.size, 100);
    for (int i = 0; i < 100; i++) assert_int_equal(buf.data[i], i);
    assert_int_equal(pmn_buf_reserve(&buf, SIZE_MAX, &err), PAIMON_NOMEM);
    paimon_error_clear(&err);
    pmn_buf_free(&buf);
}

static void buffer_formats_texts_of_any_length(void **state)
{
    (void)state;
    pmn_buf buf;
    pmn_buf_init(&buf, pmn_mem_default(), PMN_BUF_NO_CEILING);
    char expected[8000] = "";
    for (int i = 0; i < 300; i++) {
        assert_int_equal(pmn_buf_printf(&buf, NULL, "%d-%s;", i, i % 7 ? "a" : "a much longer piece of text"), PAIMON_OK);
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%d-%s;", i, i % 7 ? "a" : "a much longer piece of text");
    }
    assert_int_equal(pmn_buf_terminate(&buf, NULL), PAIMON_OK);
    assert_string_equal((char *)buf.data, expected);
    pmn_buf_free(&buf);
}

static void map_finds_what_was_put_and_nothing_else(void **state)
{
    (void)state;
    enum { N = 5000 };
    static char keys[N][16];
    pmn_map map;
    pmn_map_init(&map, pmn_mem_default());
    assert_null(pmn_map_find(&map, pmn_slice_text("x")));
    uint64_t *value;
    bool inserted;
    for (int i = 0; i < N; i++) {
        int n = snprintf(keys[i], sizeof keys[i], "%d", i * 7);
        assert_int_equal(pmn_map_put(&map, pmn_slice_of(keys[i], (size_t)n), &value, &inserted, NULL), PAIMON_OK);
        assert_true(inserted);
        assert_int_equal(*value, 0);
        *value = (uint64_t)i;
    }
    assert_int_equal(pmn_map_put(&map, pmn_slice_text("0"), &value, &inserted, NULL), PAIMON_OK);
    assert_false(inserted);
    assert_int_equal(map.count, N);
    for (int i = 0; i < 7 * N; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        value = pmn_map_find(&map, pmn_slice_text(key));
        if (i % 7) assert_null(value);
        else assert_int_equal(*value, i / 7);
    }
    pmn_map_free(&map);
}

static void map_takes_the_empty_key(void **state)
{
    (void)state;
    pmn_map map;
    pmn_map_init(&map, pmn_mem_default());
    uint64_t *value;
    assert_int_equal(pmn_map_put(&map, pmn_slice_of(NULL, 0), &value, NULL, NULL), PAIMON_OK);
    *value = 9;
    assert_int_equal(*pmn_map_find(&map, pmn_slice_text("")), 9);
    pmn_map_free(&map);
}

static paimon_status use_everything(pmn_mem *mem, void *arg)
{
    (void)arg;
    pmn_arena arena;
    pmn_buf buf;
    pmn_map map;
    pmn_arena_init(&arena, mem);
    pmn_buf_init(&buf, mem, 100000);
    pmn_map_init(&map, mem);
    paimon_status status = PAIMON_NOMEM;
    for (uint64_t i = 0; i < 200; i++) {
        uint64_t *key = pmn_arena_copy(&arena, &i, sizeof i), *value;
        if (!key || !pmn_arena_strdup(&arena, "some text") || !pmn_arena_alloc(&arena, i * 40)) goto done;
        PMN_GOTO(status, pmn_map_put(&map, pmn_slice_of(key, sizeof i), &value, NULL, NULL), done);
        PMN_GOTO(status, pmn_buf_printf(&buf, NULL, "%llu", (unsigned long long)i), done);
        PMN_GOTO(status, pmn_buf_terminate(&buf, NULL), done);
        status = PAIMON_NOMEM;
    }
    char *text = pmn_handout_text(mem, "x", 1);
    if (!text) goto done;
    paimon_string_free(text);
    status = PAIMON_OK;
done:
    pmn_map_free(&map);
    pmn_buf_free(&buf);
    pmn_arena_free(&arena);
    return status;
}

static void every_refusal_is_told_and_leaks_nothing(void **state)
{
    (void)state;
    assert_true(failing_alloc_sweep(use_everything, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_is_alive_and_the_peak),
        cmocka_unit_test(refuses_past_the_limit_and_keeps_the_old_block),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(handed_out_text_outlives_its_environment),
        cmocka_unit_test(arena_pieces_are_aligned_and_do_not_overlap),
        cmocka_unit_test(an_array_grows_item_by_item_and_keeps_what_it_holds),
        cmocka_unit_test(an_array_does_not_grow_past_32_bits_or_the_limit),
        cmocka_unit_test(buffer_grows_to_its_ceiling_and_not_past_it),
        cmocka_unit_test(buffer_formats_texts_of_any_length),
        cmocka_unit_test(map_finds_what_was_put_and_nothing_else),
        cmocka_unit_test(map_takes_the_empty_key),
        cmocka_unit_test(every_refusal_is_told_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
