/* Index files as rows: Java's vectors, every older layout, and bytes that are not rows. */
#include "support/unit.h"

#include "meta/manifest/index_row.h"
#include "meta/snapshot/snapshot.h"
#include "support/vectors.h"

/* A vector's row, without the length in front. */
static pmn_slice vector_row(test_env *t, json_t *vector)
{
    pmn_slice framed = unhex(t, json_string_value(json_object_get(vector, "bytes")));
    assert_int_equal(pmn_load_be32(framed.data), framed.size - 4);
    return pmn_slice_of(framed.data + 4, framed.size - 4);
}

static void same_text(const char *found, json_t *expected)
{
    if (json_is_null(expected)) assert_null(found);
    else assert_string_equal(found, json_string_value(expected));
}

static void same_bytes(test_env *t, pmn_slice found, json_t *expected)
{
    if (json_is_null(expected)) assert_null(found.data);
    else assert_bytes(found, unhex(t, json_string_value(expected)), "bytes of a global index");
}

static void same_ranges(const pmn_index_entry *entry, json_t *expected)
{
    assert_int_equal(entry->n_ranges, json_is_null(expected) ? -1 : (int)json_array_size(expected));
    for (int32_t i = 0; i < entry->n_ranges; i++) {
        json_t *range = json_array_get(expected, (size_t)i);
        assert_string_equal(entry->ranges[i].data_file, json_string_value(json_array_get(range, 0)));
        assert_int_equal(entry->ranges[i].offset, json_integer_value(json_array_get(range, 1)));
        assert_int_equal(entry->ranges[i].length, json_integer_value(json_array_get(range, 2)));
        json_t *count = json_array_get(range, 3);
        assert_true(entry->ranges[i].cardinality == (json_is_null(count) ? PMN_NONE : json_integer_value(count)));
    }
}

static void same_global(test_env *t, const pmn_index_entry *entry, json_t *expected)
{
    assert_int_equal(entry->has_global, !json_is_null(expected));
    if (!entry->has_global) return;
    assert_int_equal(entry->row_range_start, json_integer_value(json_object_get(expected, "_ROW_RANGE_START")));
    assert_int_equal(entry->row_range_end, json_integer_value(json_object_get(expected, "_ROW_RANGE_END")));
    assert_int_equal(entry->index_field_id, json_integer_value(json_object_get(expected, "_INDEX_FIELD_ID")));
    json_t *ids = json_object_get(expected, "_EXTRA_FIELD_IDS");
    assert_int_equal(entry->n_extra_field_ids, json_is_null(ids) ? -1 : (int)json_array_size(ids));
    for (int32_t i = 0; i < entry->n_extra_field_ids; i++)
        assert_int_equal(entry->extra_field_ids[i], json_integer_value(json_array_get(ids, (size_t)i)));
    same_bytes(t, entry->index_meta, json_object_get(expected, "_INDEX_META"));
    same_bytes(t, entry->source_meta, json_object_get(expected, "_SOURCE_META"));
}

static void java_rows_are_read_and_written_to_the_byte(void **state)
{
    (void)state;
    test_env t;
    json_t *file = load_vectors("index-file-meta.json"), *vector;
    size_t i;
    env_begin(&t, NULL);
    json_array_foreach(json_object_get(file, "vectors"), i, vector)
    {
        pmn_index_entry entry;
        pmn_buf out;
        json_t *fields = json_object_get(vector, "fields");
        pmn_slice row = vector_row(&t, vector);
        must(&t, pmn_index_row_read(row, PMN_INDEX_V5, &t.arena, &entry, &t.err));
        same_text(entry.index_type, json_object_get(fields, "_INDEX_TYPE"));
        same_text(entry.file_name, json_object_get(fields, "_FILE_NAME"));
        assert_int_equal(entry.file_size, json_integer_value(json_object_get(fields, "_FILE_SIZE")));
        assert_int_equal(entry.row_count, json_integer_value(json_object_get(fields, "_ROW_COUNT")));
        same_ranges(&entry, json_object_get(fields, "_DELETIONS_VECTORS_RANGES"));
        same_text(entry.external_path, json_object_get(fields, "_EXTERNAL_PATH"));
        same_global(&t, &entry, json_object_get(fields, "_GLOBAL_INDEX"));
        pmn_buf_init(&out, t.mem, PMN_BUF_NO_CEILING);
        must(&t, pmn_index_row_write(&out, PMN_INDEX_V5, &entry, &t.err));
        assert_bytes(pmn_slice_of(out.data, out.size), row, "an index file written again");
        pmn_buf_free(&out);
    }
    env_end(&t);
    json_decref(file);
}

static pmn_index_entry an_entry(void)
{
    static const pmn_deletion_range ranges[] = { { "data-a.parquet", 1, 22, 3 }, { "b", 31, 40, PMN_NONE } };
    return (pmn_index_entry){ .index_type = "DELETION_VECTORS",
                              .file_name = "index-1",
                              .file_size = 99,
                              .row_count = 2,
                              .n_ranges = 2,
                              .ranges = ranges,
                              .n_extra_field_ids = -1 };
}

static void every_layout_gives_back_what_it_has_a_place_for(void **state)
{
    (void)state;
    static const int32_t ids[] = { 4, 5, 6 };
    test_env t;
    env_begin(&t, NULL);
    for (int layout = PMN_INDEX_V0; layout <= PMN_INDEX_V5; layout++) {
        pmn_index_entry entry = an_entry(), back;
        pmn_buf out;
        if (layout == PMN_INDEX_V0) entry.n_ranges = -1;
        if (layout >= PMN_INDEX_V3) entry.external_path = "s3://far/away/index-1";
        if (layout >= PMN_INDEX_V4) {
            entry.has_global = true;
            entry.row_range_end = 77;
            entry.index_field_id = 3;
            entry.extra_field_ids = ids;
            entry.n_extra_field_ids = 3;
            entry.index_meta = pmn_slice_text("meta of an index");
        }
        if (layout >= PMN_INDEX_V5) entry.source_meta = pmn_slice_text("");
        pmn_buf_init(&out, t.mem, PMN_BUF_NO_CEILING);
        must(&t, pmn_index_row_write(&out, (pmn_index_layout)layout, &entry, &t.err));
        must(&t, pmn_index_row_read(pmn_slice_of(out.data, out.size), (pmn_index_layout)layout, &t.arena, &back, &t.err));
        assert_string_equal(back.file_name, entry.file_name);
        assert_int_equal(back.n_ranges, entry.n_ranges);
        assert_true(back.n_ranges < 0 || back.ranges[0].cardinality == (layout >= PMN_INDEX_V2 ? 3 : PMN_NONE));
        assert_int_equal(back.external_path != NULL, layout >= PMN_INDEX_V3);
        assert_int_equal(back.has_global, layout >= PMN_INDEX_V4);
        assert_int_equal(back.n_extra_field_ids, layout >= PMN_INDEX_V4 ? 3 : -1);
        assert_int_equal(back.source_meta.data != NULL, layout >= PMN_INDEX_V5);
        pmn_buf_free(&out);
    }
    env_end(&t);
}

static void what_a_layout_has_no_place_for_is_refused(void **state)
{
    (void)state;
    test_env t;
    pmn_buf out;
    env_begin(&t, NULL);
    pmn_buf_init(&out, t.mem, PMN_BUF_NO_CEILING);
    pmn_index_entry entry = an_entry();
    refused(&t, PAIMON_UNSUPPORTED, pmn_index_row_write(&out, PMN_INDEX_V0, &entry, &t.err));
    entry.external_path = "far";
    refused(&t, PAIMON_UNSUPPORTED, pmn_index_row_write(&out, PMN_INDEX_V2, &entry, &t.err));
    entry.has_global = true;
    refused(&t, PAIMON_UNSUPPORTED, pmn_index_row_write(&out, PMN_INDEX_V3, &entry, &t.err));
    entry.source_meta = pmn_slice_text("s");
    refused(&t, PAIMON_UNSUPPORTED, pmn_index_row_write(&out, PMN_INDEX_V4, &entry, &t.err));
    assert_int_equal(out.size, 0);
    pmn_buf_free(&out);
    env_end(&t);
}

/* Cut anywhere, each byte altered: an answer, and no read past the end (the sanitizer looks on: rows are copied to their size). */
static void damaged_rows_are_answered(void **state)
{
    (void)state;
    test_env t;
    json_t *file = load_vectors("index-file-meta.json"), *vector;
    size_t i;
    env_begin(&t, NULL);
    json_array_foreach(json_object_get(file, "vectors"), i, vector)
    {
        pmn_slice row = vector_row(&t, vector);
        for (size_t n = 0; n < row.size; n++) {
            pmn_index_entry entry;
            uint8_t *copy = malloc(n ? n : 1);
            memcpy(copy, row.data, n);
            if (pmn_index_row_read(pmn_slice_of(copy, n), PMN_INDEX_V5, &t.arena, &entry, &t.err) != PAIMON_OK) paimon_error_clear(&t.err);
            free(copy);
            copy = malloc(row.size);
            static const uint8_t flips[] = { 0x01, 0x80, 0xff };
            for (size_t f = 0; f < sizeof flips; f++) {
                memcpy(copy, row.data, row.size);
                copy[n] ^= flips[f];
                for (int layout = PMN_INDEX_V0; layout <= PMN_INDEX_V5; layout++) {
                    pmn_arena arena;
                    pmn_arena_init(&arena, t.mem);
                    if (pmn_index_row_read(pmn_slice_of(copy, row.size), (pmn_index_layout)layout, &arena, &entry, &t.err) != PAIMON_OK)
                        paimon_error_clear(&t.err);
                    assert_true(arena.total < 100000);
                    pmn_arena_free(&arena);
                }
            }
            free(copy);
        }
    }
    env_end(&t);
    json_decref(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(java_rows_are_read_and_written_to_the_byte),
        cmocka_unit_test(every_layout_gives_back_what_it_has_a_place_for),
        cmocka_unit_test(what_a_layout_has_no_place_for_is_refused),
        cmocka_unit_test(damaged_rows_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
