/* Commit messages and committables as bytes: Java's vectors in every version, random ones there and back, and bytes that are none. */
#include "support/unit.h"

#include "paimon-c/message.h"
#include "support/failing_alloc.h"
#include "support/message_bytes.h"
#include "support/vectors.h"
#include "wire/message.h"

static pmn_slice written(test_env *t, const paimon_message_list *list, int32_t version, bool single)
{
    uint8_t *bytes = NULL;
    size_t n = 0;
    must(t, single ? paimon_message_serialize(list, 0, version, &bytes, &n, &t->err) : paimon_message_list_serialize(list, version, &bytes, &n, &t->err));
    pmn_slice copy = pmn_slice_of(pmn_arena_copy(&t->arena, bytes, n), n);
    paimon_bytes_free(bytes, n);
    return copy;
}

static paimon_message_list *read_back(test_env *t, pmn_slice bytes, int32_t version, bool single)
{
    paimon_message_list *list = NULL;
    must(t, single ? paimon_message_deserialize(NULL, version, bytes.data, bytes.size, &list, &t->err)
                   : paimon_message_list_deserialize(NULL, version, bytes.data, bytes.size, &list, &t->err));
    return list;
}

static void has_json(test_env *t, const paimon_message_list *list, json_t *expected, const char *what)
{
    char *text = NULL;
    json_error_t why;
    must(t, paimon_message_list_json(list, &text, &t->err));
    json_t *found = json_loads(text, 0, &why);
    if (!found) fail_msg("%s: %s", what, why.text);
    if (!json_equal(found, expected)) {
        char *other = json_dumps(expected, JSON_COMPACT);
        fail_msg("%s:\n  found    %s\n  expected %s", what, text, other);
    }
    json_decref(found);
    paimon_string_free(text);
}

/* --- Java's bytes --- */

static void check_vector(test_env *t, json_t *vector)
{
    int32_t version = (int32_t)json_integer_value(json_object_get(vector, "version"));
    const char *form = json_string_value(json_object_get(vector, "form"));
    char what[200];
    bool single = strcmp(form, "single") == 0;
    pmn_slice bytes = unhex(t, json_string_value(json_object_get(vector, "bytes")));
    snprintf(what, sizeof what, "version %d, %s, %s", (int)version, form, json_string_value(json_object_get(vector, "origin")));
    paimon_message_list *list = read_back(t, bytes, version, single);
    has_json(t, list, json_object_get(vector, "messages"), what);
    if (version >= PMN_MESSAGE_OLDEST_WRITTEN) assert_bytes(written(t, list, version, single), bytes, what);
    /* In the current version nothing is lost, whatever the first one was. */
    paimon_message_list *again = read_back(t, written(t, list, 0, false), paimon_commit_message_current_version(), false);
    has_json(t, again, json_object_get(vector, "messages"), what);
    paimon_message_list_free(again);
    paimon_message_list_free(list);
}

static void check_vectors(json_t *file)
{
    json_t *vector;
    size_t i;
    json_array_foreach(json_object_get(file, "vectors"), i, vector)
    {
        test_env t;
        env_begin(&t, NULL);
        check_vector(&t, vector);
        env_end(&t);
    }
}

static void java_messages_of_every_version_are_read_and_written(void **state)
{
    (void)state;
    char path[1000];
    json_error_t why;
    json_t *file = load_vectors("commit-message.json");
    check_vectors(file);
    json_decref(file);
    if (!shared_path("golden/vectors/commit-message.json", path, sizeof path)) return;
    file = json_load_file(path, 0, &why);
    if (!file) fail_msg("%s: %s", path, why.text);
    check_vectors(file);
    json_decref(file);
}

/* The newest list of the vectors. */
static pmn_slice vector_bytes(test_env *t, int32_t version, const char *form, size_t least)
{
    json_t *file = load_vectors("commit-message.json"), *vector;
    size_t i;
    pmn_slice bytes = { NULL, 0 };
    json_array_foreach(json_object_get(file, "vectors"), i, vector)
    {
        const char *hex = json_string_value(json_object_get(vector, "bytes"));
        if (json_integer_value(json_object_get(vector, "version")) == version && strcmp(json_string_value(json_object_get(vector, "form")), form) == 0 &&
            strlen(hex) / 2 >= least && !bytes.data)
            bytes = unhex(t, hex);
    }
    json_decref(file);
    assert_non_null(bytes.data);
    return bytes;
}

static void another_version_than_that_of_the_bytes_is_noticed(void **state)
{
    (void)state;
    static const int32_t versions[] = { 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13 };
    test_env t;
    env_begin(&t, NULL);
    for (size_t a = 0; a < sizeof versions / sizeof versions[0]; a++) {
        pmn_slice bytes = vector_bytes(&t, versions[a], versions[a] == 6 || versions[a] == 7 || versions[a] == 13 ? "list" : "single", 100);
        bool single = !(versions[a] == 6 || versions[a] == 7 || versions[a] == 13);
        for (int32_t said = PMN_MESSAGE_OLDEST; said <= PMN_MESSAGE_NEWEST; said++) {
            paimon_message_list *list = NULL;
            paimon_status status = single ? paimon_message_deserialize(NULL, said, bytes.data, bytes.size, &list, &t.err)
                                          : paimon_message_list_deserialize(NULL, said, bytes.data, bytes.size, &list, &t.err);
            pmn_message_layout mine = pmn_message_layout_of(versions[a]), other = pmn_message_layout_of(said);
            bool same_frame = versions[a] >= 10 ? said >= 10 : versions[a] >= 7 ? said >= 7 && said < 10 : versions[a] > 2 ? said > 2 && said < 7 : said == 2;
            if (versions[a] == 8) mine.file_arity = 20; /* a newer release wrote them */
            bool alike = said == versions[a] || (same_frame && (mine.file_arity == other.file_arity || (said == 8 && mine.file_arity == 20)));
            if (!alike) assert_int_equal(status, PAIMON_CORRUPT);
            if (said == versions[a]) assert_int_equal(status, PAIMON_OK);
            paimon_error_clear(&t.err);
            paimon_message_list_free(list);
        }
    }
    paimon_message_list *list = NULL;
    refused(&t, PAIMON_UNSUPPORTED, paimon_message_list_deserialize(NULL, 1, "", 0, &list, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, paimon_message_list_deserialize(NULL, 14, "", 0, &list, &t.err));
    assert_null(list);
    env_end(&t);
}

/* --- there and back --- */

static void random_messages_come_back_in_every_version(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        test_env t;
        paimon_message_list *list = NULL, *back;
        env_begin(&t, NULL);
        int32_t version = 10 + (int32_t)(seed % 4);
        must(&t, pmn_message_list_new(t.mem, &list, &t.err));
        for (uint64_t i = 0; i < seed % 5; i++) add_random_message(list, version, seed * 100 + i);
        pmn_slice bytes = written(&t, list, version, false);
        back = read_back(&t, bytes, version, false);
        assert_bytes(written(&t, back, version, false), bytes, "random messages");
        char *one = NULL, *two = NULL;
        must(&t, paimon_message_list_json(list, &one, &t.err));
        must(&t, paimon_message_list_json(back, &two, &t.err));
        assert_string_equal(one, two);
        paimon_string_free(one);
        paimon_string_free(two);
        assert_false(list->foreign);
        assert_true(back->foreign);
        paimon_message_list_free(list);
        paimon_message_list_free(back);
        env_end(&t);
    }
}

/* More than a buffer that grows as it goes would like. */
static void a_long_list_comes_back(void **state)
{
    (void)state;
    test_env t;
    paimon_message_list *list = NULL;
    env_begin(&t, NULL);
    must(&t, pmn_message_list_new(t.mem, &list, &t.err));
    for (uint64_t i = 0; i < 4000; i++) add_random_message(list, 13, i);
    pmn_slice bytes = written(&t, list, 13, false);
    assert_true(bytes.size > 9000000);
    paimon_message_list *back = read_back(&t, bytes, 13, false);
    assert_int_equal(paimon_message_list_size(back), 4000);
    assert_bytes(written(&t, back, 13, false), bytes, "a long list");
    paimon_message_list_free(back);
    paimon_message_list_free(list);
    env_end(&t);
}

static void what_a_version_cannot_say_is_refused_by_name(void **state)
{
    (void)state;
    static const int64_t sequences[] = { 1 };
    static const char *columns[] = { "v" };
    test_env t;
    uint8_t *bytes = NULL;
    size_t n;
    paimon_message_list *list = NULL;
    env_begin(&t, NULL);
    must(&t, pmn_message_list_new(t.mem, &list, &t.err));
    add_random_message(list, 10, 7);
    pmn_data_file file = { .name = "f", .creation_time_ms = PMN_NONE, .delete_row_count = PMN_NONE, .n_value_stats_cols = -1, .first_row_id = PMN_NONE,
                           .n_write_cols = 1, .write_cols = columns, .n_write_cols_sequences = 1, .write_cols_sequences = sequences };
    list->items[0].new_files = (pmn_data_files){ &file, 1 };
    assert_int_equal(paimon_message_list_serialize(list, 12, &bytes, &n, &t.err), PAIMON_UNSUPPORTED);
    assert_non_null(strstr(paimon_error_message(&t.err), "_WRITE_COLS_SEQUENCES"));
    paimon_error_clear(&t.err);
    refused(&t, PAIMON_UNSUPPORTED, paimon_message_list_serialize(list, 9, &bytes, &n, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, paimon_message_list_serialize(list, 14, &bytes, &n, &t.err));
    refused(&t, PAIMON_INVALID, paimon_message_serialize(list, 1, 13, &bytes, &n, &t.err));
    assert_null(bytes);
    paimon_message_list_free(list);
    env_end(&t);
}

/* --- bytes that are no messages --- */

/* Copied to their size, so that the sanitizer sees a step past it. Memory stays in proportion. */
static paimon_status try_bytes(pmn_slice bytes, int32_t version, bool single)
{
    pmn_mem *mem = pmn_mem_new(NULL, 0);
    paimon_message_list *list = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    uint8_t *copy = malloc(bytes.size ? bytes.size : 1);
    memcpy(copy, bytes.data, bytes.size);
    paimon_status status = single ? pmn_message_read(mem, pmn_slice_of(copy, bytes.size), version, &list, &err)
                                  : pmn_messages_read(mem, pmn_slice_of(copy, bytes.size), version, &list, &err);
    free(copy);
    if (status != PAIMON_OK) {
        assert_int_equal(status, PAIMON_CORRUPT);
        assert_true(*paimon_error_message(&err) != 0);
        assert_null(list);
    } else { /* whatever it is now, it can be shown and written */
        char *json = NULL;
        uint8_t *again = NULL;
        size_t n = 0;
        assert_int_equal(paimon_message_list_json(list, &json, NULL), PAIMON_OK);
        paimon_string_free(json);
        assert_int_equal(paimon_message_list_serialize(list, 0, &again, &n, NULL), PAIMON_OK);
        paimon_bytes_free(again, n);
    }
    assert_true(pmn_mem_peak(mem) < 200000 + 64 * (int64_t)bytes.size);
    paimon_error_clear(&err);
    paimon_message_list_free(list);
    assert_int_equal(pmn_mem_current(mem), 0);
    pmn_mem_release(mem);
    return status;
}

static void cut_and_extended_bytes_are_refused(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    pmn_slice list = vector_bytes(&t, 13, "single", 5000), old = vector_bytes(&t, 2, "list", 100);
    for (size_t n = 0; n < list.size; n++) assert_int_equal(try_bytes(pmn_slice_of(list.data, n), 13, true), PAIMON_CORRUPT);
    for (size_t n = 0; n < old.size; n++) assert_int_equal(try_bytes(pmn_slice_of(old.data, n), 2, false), PAIMON_CORRUPT);
    uint8_t *longer = pmn_arena_calloc(&t.arena, list.size + 64, 1);
    memcpy(longer, list.data, list.size);
    for (size_t more = 1; more <= 64; more++) assert_int_equal(try_bytes(pmn_slice_of(longer, list.size + more), 13, true), PAIMON_CORRUPT);
    env_end(&t);
}

static void altered_bytes_are_answered(void **state)
{
    (void)state;
    static const uint8_t flips[] = { 0x01, 0x80, 0xff };
    test_env t;
    env_begin(&t, NULL);
    for (int round = 0; round < 2; round++) {
        pmn_slice bytes = round ? vector_bytes(&t, 2, "list", 100) : vector_bytes(&t, 13, "single", 5000);
        uint8_t *copy = pmn_arena_copy(&t.arena, bytes.data, bytes.size);
        for (size_t i = 0; i < bytes.size; i++) {
            for (size_t f = 0; f < sizeof flips; f++) {
                copy[i] ^= flips[f];
                paimon_status status = try_bytes(pmn_slice_of(copy, bytes.size), round ? 2 : 13, !round);
                assert_true(status == PAIMON_OK || status == PAIMON_CORRUPT);
                copy[i] ^= flips[f];
            }
        }
    }
    env_end(&t);
}

static void absurd_counts_take_no_memory(void **state)
{
    (void)state;
    static const uint32_t counts[] = { 0x7fffffff, 0x80000000, 0xffffffff, 0x10000000, 1000 };
    test_env t;
    env_begin(&t, NULL);
    pmn_slice bytes = vector_bytes(&t, 13, "list", 1000);
    uint8_t *copy = pmn_arena_copy(&t.arena, bytes.data, bytes.size);
    for (size_t at = 0; at + 4 <= 400; at++) {
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            memcpy(copy, bytes.data, bytes.size);
            pmn_store_be32(copy + at, counts[i]);
            paimon_status status = try_bytes(pmn_slice_of(copy, bytes.size), 13, false);
            assert_true(status == PAIMON_OK || status == PAIMON_CORRUPT);
        }
    }
    env_end(&t);
}

/* --- committables --- */

static void committables_come_back(void **state)
{
    (void)state;
    static const paimon_option properties[] = { { "k", "v" }, { "\xf0\x9f\x90\x9f", "" } };
    for (int32_t version = 4; version <= 5; version++) {
        test_env t;
        paimon_message_list *list = NULL;
        paimon_committable *c = NULL, *back = NULL;
        uint8_t *bytes = NULL;
        size_t n = 0;
        bool has;
        const char *value;
        env_begin(&t, NULL);
        must(&t, pmn_message_list_new(t.mem, &list, &t.err));
        add_random_message(list, 10, 1);
        must(&t, paimon_committable_new(77, version == 5, -5, properties, version == 5 ? 2 : 0, list, &c, &t.err));
        paimon_message_list_free(list);
        must(&t, paimon_committable_serialize(c, version, 10, &bytes, &n, &t.err));
        must(&t, paimon_committable_deserialize(NULL, version, bytes, n, &back, &t.err));
        assert_int_equal(paimon_committable_identifier(back), 77);
        assert_int_equal(paimon_committable_watermark(back, &has), version == 5 ? -5 : 0);
        assert_int_equal(has, version == 5);
        assert_int_equal(paimon_committable_n_properties(back), version == 5 ? 2 : 0);
        if (version == 5) {
            assert_string_equal(paimon_committable_property_at(back, 1, &value), "\xf0\x9f\x90\x9f");
            assert_string_equal(value, "");
        }
        assert_null(paimon_committable_property_at(back, 2, &value));
        assert_bytes(written(&t, paimon_committable_messages(back), 10, false), written(&t, paimon_committable_messages(c), 10, false), "messages");
        for (size_t cut = 0; cut < n; cut++) {
            paimon_committable *none = NULL;
            refused(&t, PAIMON_CORRUPT, paimon_committable_deserialize(NULL, version, bytes, cut, &none, &t.err));
            assert_null(none);
        }
        paimon_committable_free(back);
        refused(&t, PAIMON_UNSUPPORTED, paimon_committable_deserialize(NULL, 6, bytes, n, &back, &t.err));
        assert_null(back);
        paimon_bytes_free(bytes, n);
        refused(&t, PAIMON_UNSUPPORTED, paimon_committable_serialize(c, 3, 10, &bytes, &n, &t.err));
        assert_null(bytes);
        paimon_committable_free(c);
        env_end(&t);
    }
}

/* --- memory --- */

static paimon_status attempt(pmn_mem *mem, void *arg)
{
    const pmn_slice *bytes = arg;
    paimon_message_list *list = NULL;
    uint8_t *again = NULL;
    size_t n = 0;
    char *json = NULL;
    PMN_TRY(pmn_messages_read(mem, *bytes, 2, &list, NULL));
    paimon_status status = paimon_message_list_serialize(list, 13, &again, &n, NULL);
    if (status == PAIMON_OK) status = paimon_message_list_json(list, &json, NULL);
    paimon_bytes_free(again, n);
    paimon_string_free(json);
    paimon_message_list_free(list);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    pmn_slice bytes = vector_bytes(&t, 2, "list", 100);
    failing_alloc_sweep(attempt, &bytes);
    env_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(java_messages_of_every_version_are_read_and_written),
        cmocka_unit_test(another_version_than_that_of_the_bytes_is_noticed),
        cmocka_unit_test(random_messages_come_back_in_every_version),
        cmocka_unit_test(a_long_list_comes_back),
        cmocka_unit_test(what_a_version_cannot_say_is_refused_by_name),
        cmocka_unit_test(cut_and_extended_bytes_are_refused),
        cmocka_unit_test(altered_bytes_are_answered),
        cmocka_unit_test(absurd_counts_take_no_memory),
        cmocka_unit_test(committables_come_back),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
