/* Splits as bytes: Java's vectors there and back, every damage, every refused allocation. */
#include "support/unit.h"

#include "meta/manifest/file_row.h"
#include "support/failing_alloc.h"
#include "support/file_meta_json.h"
#include "wire/split.h"

static paimon_split *read_one(test_env *t, pmn_slice bytes)
{
    paimon_plan *plan = NULL;
    must(t, pmn_split_read(t->mem, bytes, &plan, &t->err));
    assert_int_equal(plan->n_splits, 1);
    return &plan->splits[0];
}

static void done_with(paimon_split *split) { pmn_plan_release(split->plan); }

static pmn_slice write_one(test_env *t, const paimon_split *split, int32_t version, bool enveloped)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    must(t, pmn_split_write(split, version, enveloped, &out, &t->err));
    pmn_slice copy = pmn_slice_of(pmn_arena_copy(&t->arena, out.data, out.size), out.size);
    pmn_buf_free(&out);
    return copy;
}

static pmn_slice again(test_env *t, pmn_slice bytes, int32_t version)
{
    paimon_split *split = read_one(t, bytes);
    pmn_slice written = write_one(t, split, version, pmn_split_more_of(split)->enveloped);
    done_with(split);
    return written;
}

static json_t *vectors_of(json_t *file) { return json_object_get(file, "vectors"); }
static pmn_slice bytes_of(test_env *t, json_t *vector) { return unhex(t, json_string_value(json_object_get(vector, "bytes"))); }

static void splits_of_today_are_written_as_java_writes_them(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("data-split.json"), *vector;
    size_t i;
    int seen[10] = { 0 };
    json_array_foreach(vectors_of(file), i, vector) {
        int32_t version = (int32_t)json_integer_value(json_object_get(vector, "version"));
        pmn_slice bytes = bytes_of(&t, vector);
        seen[version]++;
        if (version >= 8) assert_bytes(again(&t, bytes, version), bytes, json_string_value(json_object_get(vector, "origin")));
    }
    for (int version = 1; version <= 9; version++) assert_true(seen[version] > 0);
    json_decref(file);
    env_end(&t);
}

static void check_deletions(json_t *expected, const pmn_deletion_list *list, uint32_t n)
{
    assert_int_equal(list->there, json_is_array(expected));
    for (uint32_t i = 0; list->there && i < n; i++) {
        json_t *one = json_array_get(expected, i);
        assert_int_equal(list->items[i].path != NULL, json_is_object(one));
        if (!list->items[i].path) continue;
        assert_string_equal(list->items[i].path, meta_text(one, "path"));
        assert_int_equal(list->items[i].offset, meta_long(one, "offset"));
        assert_int_equal(list->items[i].length, meta_long(one, "length"));
        assert_int_equal(list->items[i].cardinality, meta_long(one, "cardinality"));
    }
}

static void check_files(test_env *t, json_t *expected, const paimon_split *split)
{
    json_t *fields;
    size_t i;
    assert_int_equal(json_array_size(expected), split->n_files);
    json_array_foreach(expected, i, fields) {
        pmn_data_file file = meta_of_json(t, fields);
        pmn_manifest_entry entry;
        pmn_buf found, wanted;
        pmn_buf_init(&found, t->mem, PMN_BUF_NO_CEILING);
        pmn_buf_init(&wanted, t->mem, PMN_BUF_NO_CEILING);
        must(t, pmn_entries_detail(&split->plan->entries, pmn_split_file(split, (uint32_t)i), NULL, &t->arena, &entry, &t->err));
        must(t, pmn_file_row_write(&found, &entry.file, 21, &t->err));
        must(t, pmn_file_row_write(&wanted, &file, 21, &t->err));
        assert_bytes(pmn_slice_of(found.data, found.size), pmn_slice_of(wanted.data, wanted.size), file.name);
        assert_string_equal(pmn_split_file(split, (uint32_t)i)->name, file.name);
        assert_int_equal(pmn_split_file(split, (uint32_t)i)->schema_id, file.schema_id);
        pmn_buf_free(&found);
        pmn_buf_free(&wanted);
    }
}

static void splits_of_every_version_are_read_as_java_reads_them(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("data-split.json"), *vector;
    size_t i;
    json_array_foreach(vectors_of(file), i, vector) {
        json_t *fields = json_object_get(vector, "fields");
        paimon_split *split = read_one(&t, bytes_of(&t, vector));
        const pmn_split_more *more = pmn_split_more_of(split);
        assert_int_equal(split->snapshot_id, meta_long(fields, "snapshot"));
        assert_bytes(pmn_split_partition(split), unhex(&t, meta_text(fields, "partition")), "partition");
        assert_int_equal(split->bucket, meta_long(fields, "bucket"));
        assert_string_equal(split->bucket_path, meta_text(fields, "bucketPath"));
        assert_int_equal(more->no_total_buckets, json_is_null(json_object_get(fields, "totalBuckets")));
        if (!more->no_total_buckets) assert_int_equal(split->total_buckets, meta_long(fields, "totalBuckets"));
        assert_int_equal(split->is_streaming, json_is_true(json_object_get(fields, "isStreaming")));
        assert_int_equal(split->raw_convertible, json_is_true(json_object_get(fields, "rawConvertible")));
        check_deletions(json_object_get(fields, "deletionFiles"), &more->deletions, split->n_files);
        check_files(&t, json_object_get(fields, "dataFiles"), split);
        /* what was read of an old one is told whole by a new one */
        pmn_slice today = write_one(&t, split, 9, false);
        assert_bytes(again(&t, today, 9), today, "rewritten");
        done_with(split);
    }
    json_decref(file);
    env_end(&t);
}

static void splits_in_the_outer_form_keep_it(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("split-envelope.json"), *vector;
    size_t i;
    json_array_foreach(vectors_of(file), i, vector) {
        pmn_slice bytes = bytes_of(&t, vector);
        assert_bytes(again(&t, bytes, 9), bytes, "outer form");
        paimon_split *split = read_one(&t, bytes);
        assert_bytes(write_one(&t, split, 9, false), pmn_slice_of(bytes.data + 16, bytes.size - 16), "without it");
        done_with(split);
    }
    assert_true(i >= 10);
    json_decref(file);
    env_end(&t);
}

/* --- kinds that the vectors lack, put together here --- */

static void put_envelope(test_env *t, pmn_buf *out, uint8_t type)
{
    must(t, pmn_buf_append(out, "SPLIT_V1\0\0\0\1\0\0\0", 15, &t->err));
    must(t, pmn_buf_append_byte(out, type, &t->err));
}

static void put(test_env *t, pmn_buf *out, const void *bytes, size_t n) { must(t, pmn_buf_append(out, bytes, n, &t->err)); }

static pmn_slice taken(test_env *t, pmn_buf *out)
{
    pmn_slice copy = pmn_slice_of(pmn_arena_copy(&t->arena, out->data, out->size), out->size);
    pmn_buf_free(out);
    return copy;
}

/* Vector `i` of version 9: 1 has two files and a partition, 2 has three files and deletion files. */
static pmn_slice plain_split(test_env *t, json_t *file, size_t i) { return bytes_of(t, json_array_get(vectors_of(file), i)); }

static pmn_slice indexed_split(test_env *t, json_t *file, bool with_scores)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    pmn_slice inner = plain_split(t, file, 1);
    put(t, &out, "\xf2\xf9\xe0\x54\x42\x24\x2e\x31\0\0\0\1", 12);
    put(t, &out, inner.data, inner.size);
    put(t, &out, "\0\0\0\2" "\0\0\0\0\0\0\0\5" "\0\0\0\0\0\0\0\5" "\0\0\0\0\0\0\1\0" "\0\0\0\0\0\0\1\x7f", 36);
    if (with_scores) put(t, &out, "\1\0\0\0\2\x3f\x80\0\0\x40\x49\x0f\xdb", 13);
    else put(t, &out, "\0", 1);
    return taken(t, &out);
}

/* The list of files of a plain split, its count in front, cut out between "files before" and the two flags at the end. */
static pmn_slice file_list(test_env *t, json_t *file, size_t i)
{
    pmn_slice bytes = plain_split(t, file, i);
    size_t at = 8 + 4 + 8;
    at += 4 + pmn_load_be32(bytes.data + at) + 4;
    at += 2 + pmn_load_be16(bytes.data + at);
    at += bytes.data[at] ? 5 : 1;
    at += 5;
    return pmn_slice_of(bytes.data + at, bytes.size - 2 - at); /* with the deletion list behind */
}

static pmn_slice incremental_split(test_env *t, json_t *file)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    pmn_slice before = file_list(t, file, 1), after = file_list(t, file, 2);
    put_envelope(t, &out, 2);
    put(t, &out, "\0\0\0\2" "\0\0\0\0\0\0\0\7" "\0\0\0\x0c\0\0\0\0\0\0\0\0\0\0\0\0" "\0\0\0\3" "\0\0\0\4", 36);
    put(t, &out, before.data, before.size);
    put(t, &out, after.data, after.size);
    put(t, &out, "\1", 1);
    return taken(t, &out);
}

static pmn_slice chain_split(test_env *t, json_t *file)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    pmn_slice files = file_list(t, file, 2);
    size_t deletions = files.size - 5;
    while (pmn_load_be32(files.data + deletions + 1) != 3 || files.data[deletions] != 1) deletions--; /* "1, count 3" begins them */
    put_envelope(t, &out, 4);
    put(t, &out, "\0\0\0\3" "\0\0\0\x0c\0\0\0\0\0\0\0\0\0\0\0\0", 20);
    put(t, &out, files.data, deletions);
    put(t, &out, "\0\0\0\1" "\0\1f" "\0\6file:/" "\0\0\0\2" "\0\1f\0\4main" "\0\1g\0\5delta", 4 + 3 + 8 + 4 + 9 + 10);
    put(t, &out, files.data + deletions, files.size - deletions);
    return taken(t, &out);
}

/* Authorization around a fallback around a plain split. */
static pmn_slice wrapped_split(test_env *t, json_t *file)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    pmn_slice inner = plain_split(t, file, 0);
    put_envelope(t, &out, 5);
    put_envelope(t, &out, 7);
    put(t, &out, "\1", 1);
    put_envelope(t, &out, 1);
    put(t, &out, inner.data, inner.size);
    put(t, &out, "\1" "\1\0\0\0\2" "\0\0\0\2{}" "\xff\xff\xff\xff" "\1\0\0\0\1" "\0\0\0\1a" "\0\0\0\2[]", 32);
    return taken(t, &out);
}

static pmn_slice fallback_split(test_env *t, json_t *file)
{
    pmn_buf out;
    pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
    pmn_slice inner = plain_split(t, file, 0);
    put(t, &out, inner.data, inner.size);
    put(t, &out, "\1", 1);
    return taken(t, &out);
}

#define N_KINDS 6

static pmn_slice split_of_kind(test_env *t, json_t *file, int kind)
{
    switch (kind) {
    case 0: return indexed_split(t, file, false);
    case 1: return indexed_split(t, file, true);
    case 2: return incremental_split(t, file);
    case 3: return chain_split(t, file);
    case 4: return wrapped_split(t, file);
    default: return fallback_split(t, file);
    }
}

static void every_kind_comes_back_byte_for_byte(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("data-split.json");
    for (int kind = 0; kind < N_KINDS; kind++) {
        pmn_slice bytes = split_of_kind(&t, file, kind);
        assert_bytes(again(&t, bytes, 9), bytes, "kind");
        pmn_slice older = again(&t, bytes, 8); /* tells the same but for what only a newer one has */
        assert_bytes(again(&t, older, 8), older, "kind of version 8");
    }
    json_decref(file);
    env_end(&t);
}

static void what_the_kinds_hold_is_there(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("data-split.json");
    paimon_split *split = read_one(&t, indexed_split(&t, file, true));
    assert_int_equal(split->more->kind, PMN_SPLIT_INDEXED);
    assert_int_equal(split->more->n_ranges, 2);
    assert_int_equal(split->more->ranges[3], 0x17f);
    assert_int_equal(split->more->scores[0], 0x3f800000);
    done_with(split);
    split = read_one(&t, incremental_split(&t, file));
    assert_int_equal(split->more->kind, PMN_SPLIT_INCREMENTAL);
    assert_int_equal(split->more->n_before, 2);
    assert_int_equal(split->n_files, 3);
    assert_true(split->more->deletions.there && !split->more->before_deletions.there);
    done_with(split);
    split = read_one(&t, chain_split(&t, file));
    assert_int_equal(split->more->kind, PMN_SPLIT_CHAIN);
    assert_string_equal(split->more->bucket_paths[0].value, "file:/");
    assert_string_equal(split->more->branches[1].value, "delta");
    assert_true(split->more->deletions.there);
    done_with(split);
    split = read_one(&t, wrapped_split(&t, file));
    assert_int_equal(split->more->n_wrappers, 2);
    assert_true(split->more->wrappers[0].is_auth && !split->more->wrappers[1].is_auth && split->more->wrappers[1].is_fallback);
    assert_string_equal(split->more->wrappers[0].filter[0], "{}");
    assert_null(split->more->wrappers[0].filter[1]);
    assert_string_equal(split->more->wrappers[0].masking[0].value, "[]");
    done_with(split);
    split = read_one(&t, fallback_split(&t, file));
    assert_true(split->more->kind == PMN_SPLIT_FALLBACK_DATA && split->more->is_fallback);
    done_with(split);
    json_decref(file);
    env_end(&t);
}

/* --- versions --- */

static void newer_versions_are_refused_with_both_numbers(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("data-split.json");
    pmn_slice plain = plain_split(&t, file, 0), indexed = indexed_split(&t, file, false);
    static const struct {
        int kind; /* -1: plain */
        size_t at;
        const char *words;
    } cases[] = { { -1, 11, "version 99, where this library reads 1 to 9" }, { 0, 11, "version 99, where this library reads 1 to 1" },
                  { 2, 19, "version 99, where this library reads 1 to 2" },  { 3, 19, "version 99, where this library reads 1 to 3" },
                  { 2, 11, "version 99, where this library reads 1 to 1" },  { 2, 15, "a split of type 99" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pmn_slice good = cases[i].kind < 0 ? plain : cases[i].kind == 0 ? indexed : split_of_kind(&t, file, cases[i].kind);
        uint8_t *bytes = pmn_arena_copy(&t.arena, good.data, good.size);
        paimon_plan *plan;
        bytes[cases[i].at] = 99;
        assert_int_equal(pmn_split_read(t.mem, pmn_slice_of(bytes, good.size), &plan, &t.err), PAIMON_UNSUPPORTED);
        if (!strstr(paimon_error_message(&t.err), cases[i].words)) fail_msg("%s", paimon_error_message(&t.err));
        paimon_error_clear(&t.err);
    }
    paimon_split *split = read_one(&t, plain);
    pmn_buf out;
    pmn_buf_init(&out, t.mem, PMN_BUF_NO_CEILING);
    refused(&t, PAIMON_UNSUPPORTED, pmn_split_write(split, 7, false, &out, &t.err));
    refused(&t, PAIMON_UNSUPPORTED, pmn_split_write(split, 10, false, &out, &t.err));
    pmn_buf_free(&out);
    done_with(split);
    json_decref(file);
    env_end(&t);
}

/* --- damage --- */

/* Refused, or a split that can be written again. The bytes end where their block ends, so that the address sanitizer sees a step too far. */
static bool try_bytes(test_env *t, pmn_slice bytes)
{
    uint8_t *exact = malloc(bytes.size ? bytes.size : 1);
    paimon_plan *plan = NULL;
    memcpy(exact, bytes.data, bytes.size);
    paimon_status status = pmn_split_read(t->mem, pmn_slice_of(exact, bytes.size), &plan, &t->err);
    free(exact);
    if (status == PAIMON_OK) {
        pmn_buf out;
        pmn_buf_init(&out, t->mem, PMN_BUF_NO_CEILING);
        must(t, pmn_split_write(&plan->splits[0], 9, false, &out, &t->err));
        pmn_buf_free(&out);
        pmn_plan_release(plan);
        return true;
    }
    if (status != PAIMON_CORRUPT && status != PAIMON_UNSUPPORTED) fail_msg("status %d: %s", status, paimon_error_message(&t->err));
    paimon_error_clear(&t->err);
    return false;
}

static void damage(test_env *t, pmn_slice good)
{
    uint8_t *bytes = pmn_arena_alloc(&t->arena, good.size + 3);
    memset(bytes, 0, good.size + 3);
    memcpy(bytes, good.data, good.size);
    assert_true(try_bytes(t, good));
    for (size_t n = 0; n < good.size; n++)
        if (try_bytes(t, pmn_slice_of(bytes, n)) && n != good.size - 1) fail_msg("cut to %zu bytes, and taken", n);
    assert_false(try_bytes(t, pmn_slice_of(bytes, good.size + 2)));
    assert_false(try_bytes(t, pmn_slice_of(bytes, good.size + 3)));
    static const uint8_t values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
    for (size_t at = 0; at < good.size; at++) {
        for (size_t k = 0; k < sizeof values; k++) {
            bytes[at] = values[k];
            try_bytes(t, pmn_slice_of(bytes, good.size));
        }
        bytes[at] = good.data[at];
    }
    for (size_t at = 0; at + 4 <= good.size; at++) { /* absurd counts and lengths */
        static const uint8_t absurd[][4] = { { 0x7f, 0xff, 0xff, 0xff }, { 0xff, 0xff, 0xff, 0xff }, { 0x00, 0x10, 0x00, 0x00 } };
        for (size_t k = 0; k < 3; k++) {
            memcpy(bytes + at, absurd[k], 4);
            try_bytes(t, pmn_slice_of(bytes, good.size));
        }
        memcpy(bytes + at, good.data + at, 4);
    }
}

static void damaged_splits_are_refused_or_harmless(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("data-split.json");
    damage(&t, plain_split(&t, file, 0));
    damage(&t, plain_split(&t, file, 2));
    damage(&t, plain_split(&t, file, 11)); /* version 1 */
    for (int kind = 0; kind < N_KINDS; kind++) damage(&t, split_of_kind(&t, file, kind));
    json_decref(file);
    env_end(&t);
}

static void splits_within_splits_are_bounded(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("data-split.json");
    pmn_slice inner = plain_split(&t, file, 0);
    for (int n = 15; n <= 100000; n = n < 18 ? n + 1 : n * 10) {
        pmn_buf out;
        pmn_buf_init(&out, t.mem, PMN_BUF_NO_CEILING);
        for (int i = 0; i < n; i++) {
            put_envelope(&t, &out, 7);
            put(&t, &out, "\0", 1);
        }
        put_envelope(&t, &out, 1);
        put(&t, &out, inner.data, inner.size);
        assert_int_equal(try_bytes(&t, pmn_slice_of(out.data, out.size)), n <= 16);
        pmn_buf_free(&out);
    }
    json_decref(file);
    env_end(&t);
}

static void nothing_but_bytes_is_refused_in_words(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    static const char *const others[] = { "", "x", "Obj\1some avro file, say", "{\"version\": 3, \"id\": 1, \"schemaId\": 0}", "PAR1aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) assert_false(try_bytes(&t, pmn_slice_text(others[i])));
    env_end(&t);
}

typedef struct sweep_bytes {
    pmn_slice bytes;
} sweep_bytes;

static paimon_status read_and_write(pmn_mem *mem, void *arg)
{
    const sweep_bytes *s = arg;
    paimon_plan *plan = NULL;
    PMN_TRY(pmn_split_read(mem, s->bytes, &plan, NULL));
    pmn_buf out;
    pmn_buf_init(&out, mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_split_write(&plan->splits[0], 9, true, &out, NULL);
    pmn_buf_free(&out);
    pmn_plan_release(plan);
    return status;
}

static void refused_memory_is_told_and_nothing_leaks(void **state)
{
    (void)state;
    test_env t;
    env_begin(&t, NULL);
    json_t *file = load_vectors("data-split.json");
    for (int kind = -1; kind < N_KINDS; kind++) {
        sweep_bytes s = { kind < 0 ? plain_split(&t, file, 2) : split_of_kind(&t, file, kind) };
        failing_alloc_sweep(read_and_write, &s);
    }
    json_decref(file);
    env_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_of_today_are_written_as_java_writes_them),
        cmocka_unit_test(splits_of_every_version_are_read_as_java_reads_them),
        cmocka_unit_test(splits_in_the_outer_form_keep_it),
        cmocka_unit_test(every_kind_comes_back_byte_for_byte),
        cmocka_unit_test(what_the_kinds_hold_is_there),
        cmocka_unit_test(newer_versions_are_refused_with_both_numbers),
        cmocka_unit_test(damaged_splits_are_refused_or_harmless),
        cmocka_unit_test(splits_within_splits_are_bounded),
        cmocka_unit_test(nothing_but_bytes_is_refused_in_words),
        cmocka_unit_test(refused_memory_is_told_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
