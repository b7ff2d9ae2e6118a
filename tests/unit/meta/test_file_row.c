/* DataFileMeta as a row: held against Java's bytes, in every arity, and against damage. */
#include "support/unit.h"

#include "meta/manifest/file_row.h"
#include "support/file_meta_json.h"

static pmn_slice written(test_env *t, const pmn_data_file *file, int32_t arity)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    must(t, pmn_file_row_write(&out, file, arity, &t->err));
    pmn_slice copy = pmn_slice_of(pmn_arena_copy(&t->arena, out.data, out.size), out.size);
    pmn_buf_free(&out);
    assert_int_equal(pmn_load_be32(copy.data), copy.size - 4);
    return copy;
}

static pmn_slice row_of(pmn_slice framed) { return pmn_slice_of(framed.data + 4, framed.size - 4); }

static void files_are_written_as_java_writes_them(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *vectors = load_vectors("data-file-meta.json"), *vector;
    size_t i;
    json_array_foreach(json_object_get(vectors, "vectors"), i, vector) {
        pmn_data_file file = meta_of_json(&t, json_object_get(vector, "fields"));
        assert_bytes(written(&t, &file, 21), unhex(&t, json_string_value(json_object_get(vector, "bytes"))), file.name);
    }
    assert_int_equal(i, 12);
    json_decref(vectors);
    env_end(&t);
}

static void a_row_that_is_read_gives_the_same_row_again_in_every_arity(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *vectors = load_vectors("data-file-meta.json"), *vector;
    size_t i;
    json_array_foreach(json_object_get(vectors, "vectors"), i, vector) {
        pmn_data_file file = meta_of_json(&t, json_object_get(vector, "fields")), again;
        for (int32_t arity = PMN_FILE_ROW_OLDEST; arity <= PMN_FILE_ROW_NEWEST; arity++) {
            pmn_slice row = written(&t, &file, arity);
            must(&t, pmn_file_row_read(row_of(row), arity, &t.arena, &again, &t.err));
            assert_string_equal(again.name, file.name);
            assert_int_equal(again.creation_time_ms, file.creation_time_ms);
            assert_int_equal(again.first_row_id, arity > 18 ? file.first_row_id : PMN_NONE);
            assert_int_equal(again.n_write_cols_sequences, arity > 20 ? file.n_write_cols_sequences : -1);
            assert_bytes(written(&t, &again, arity), row, file.name);
        }
    }
    json_decref(vectors);
    env_end(&t);
}

static void what_an_older_row_cannot_say_is_named(void **state)
{
    (void)state;
    const char *texts[] = { "a" };
    const int64_t sequence = 7;
    pmn_data_file file;
    memset(&file, 0, sizeof file);
    file.first_row_id = PMN_NONE;
    file.n_value_stats_cols = file.n_write_cols = file.n_write_cols_sequences = -1;
    assert_null(pmn_file_row_lost(&file, 13));
    file.n_write_cols_sequences = 1;
    file.write_cols_sequences = &sequence;
    assert_string_equal(pmn_file_row_lost(&file, 20), "_WRITE_COLS_SEQUENCES");
    assert_null(pmn_file_row_lost(&file, 21));
    file.n_write_cols = 1;
    file.write_cols = texts;
    assert_string_equal(pmn_file_row_lost(&file, 19), "_WRITE_COLS");
    file.first_row_id = 0;
    assert_string_equal(pmn_file_row_lost(&file, 18), "_FIRST_ROW_ID");
    file.external_path = "x";
    assert_string_equal(pmn_file_row_lost(&file, 17), "_EXTERNAL_PATH");
    file.n_value_stats_cols = 0;
    assert_string_equal(pmn_file_row_lost(&file, 16), "_VALUE_STATS_COLS");
}

/* Either refused, or read to something that can be written: under the address sanitizer this is what finds a step past the end. */
static void try_row(test_env *t, pmn_slice row)
{
    pmn_data_file file;
    uint8_t *exact = malloc(row.size ? row.size : 1); /* its end is the end of a block */
    memcpy(exact, row.data, row.size);
    pmn_arena arena;
    pmn_arena_init(&arena, t->mem);
    paimon_status status = pmn_file_row_read(pmn_slice_of(exact, row.size), 21, &arena, &file, &t->err);
    if (status == PAIMON_OK) {
        pmn_buf out;
        pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
        must(t, pmn_file_row_write(&out, &file, 21, &t->err));
        pmn_buf_free(&out);
    } else {
        assert_int_equal(status, PAIMON_CORRUPT);
        paimon_error_clear(&t->err);
    }
    pmn_arena_free(&arena);
    free(exact);
}

static void damaged_rows_are_refused_or_harmless(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *vectors = load_vectors("data-file-meta.json"), *vector;
    size_t i;
    json_array_foreach(json_object_get(vectors, "vectors"), i, vector) {
        pmn_slice row = row_of(unhex(&t, json_string_value(json_object_get(vector, "bytes"))));
        uint8_t *bytes = pmn_arena_copy(&t.arena, row.data, row.size);
        for (size_t n = 0; n < row.size; n++) try_row(&t, pmn_slice_of(row.data, n));
        for (size_t at = 0; at < row.size; at++) {
            static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0x88, 0xff };
            for (size_t k = 0; k < sizeof values; k++) {
                bytes[at] = values[k];
                try_row(&t, pmn_slice_of(bytes, row.size));
            }
            bytes[at] = row.data[at];
        }
    }
    json_decref(vectors);
    env_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_written_as_java_writes_them),
        cmocka_unit_test(a_row_that_is_read_gives_the_same_row_again_in_every_arity),
        cmocka_unit_test(what_an_older_row_cannot_say_is_named),
        cmocka_unit_test(damaged_rows_are_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
