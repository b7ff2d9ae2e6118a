/* Environments, their file systems, the fault wrapper, paths, and an embedder's own file system. */
#include "support/unit.h"

#include "io/env.h"
#include "io/fault.h"
#include "io/fs.h"
#include "io/fs_impl.h"
#include "io/path.h"
#include "support/failing_alloc.h"

static void null_means_the_default_environment(void **state)
{
    (void)state;
    paimon_env *env = pmn_env_default();
    paimon_fs *fs;
    int64_t current = -1, peak = -1;
    assert_ptr_equal(pmn_env_or_default(NULL), env);
    assert_ptr_equal(paimon_env_retain(env), env);
    paimon_env_free(env);
    paimon_env_free(env);
    paimon_env_free(NULL);
    assert_null(paimon_env_retain(NULL));
    assert_int_equal(pmn_env_fs(NULL, "/tmp", &fs, NULL), PAIMON_OK);
    assert_int_equal(pmn_env_fs(NULL, "file:/tmp", &fs, NULL), PAIMON_OK);
    bool there = false;
    assert_int_equal(pmn_fs_exists(fs, "file:/tmp", &there, NULL, NULL), PAIMON_OK);
    assert_true(there);
    paimon_env_memory(NULL, &current, &peak);
    assert_true(current >= 0 && peak >= current);
    assert_int_equal(paimon_env_register_fs(env, "x", fs, NULL), PAIMON_INVALID);
}

static void a_scheme_finds_its_file_system_the_latest_first(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_env *env;
    paimon_fs *one, *two, *found;
    assert_int_equal(paimon_env_new(NULL, &env, &err), PAIMON_OK);
    assert_int_equal(paimon_fs_memory(env, &one, &err), PAIMON_OK);
    assert_int_equal(paimon_fs_memory(env, &two, &err), PAIMON_OK);
    assert_int_equal(pmn_env_fs(env, "s3://b/k", &found, &err), PAIMON_UNSUPPORTED);
    assert_non_null(strstr(paimon_error_message(&err), "\"s3\""));
    assert_int_equal(paimon_env_register_fs(env, "s3", one, &err), PAIMON_OK);
    assert_int_equal(paimon_env_register_fs(env, "s3a", two, &err), PAIMON_OK);
    assert_int_equal(pmn_env_fs(env, "s3://b/k", &found, &err), PAIMON_OK);
    assert_ptr_equal(found, one);
    assert_int_equal(paimon_env_register_fs(env, "s3", two, &err), PAIMON_OK);
    assert_int_equal(pmn_env_fs(env, "s3:k", &found, &err), PAIMON_OK);
    assert_ptr_equal(found, two);
    assert_int_equal(paimon_env_register_fs(env, "file", two, &err), PAIMON_OK);
    assert_int_equal(pmn_env_fs(env, "file:/x", &found, &err), PAIMON_OK);
    assert_ptr_equal(found, two);
    static const char *const bad[] = { "", "3s", "a b", "a/", "\xc3\xa4" };
    for (size_t i = 0; i < 5; i++) assert_int_equal(paimon_env_register_fs(env, bad[i], one, &err), PAIMON_INVALID);
    assert_int_equal(paimon_env_register_fs(env, "x", NULL, &err), PAIMON_INVALID);
    paimon_env_free(env); /* the file systems keep what they need */
    paimon_fs_free(one);
    paimon_fs_free(two);
    paimon_error_clear(&err);
}

static void bad_options_are_invalid(void **state)
{
    (void)state;
    paimon_env *env;
    paimon_allocator a = { sizeof a, NULL, NULL, NULL, NULL };
    paimon_executor e = { sizeof e, NULL, 1, NULL };
    paimon_env_options o[5] = { PAIMON_ENV_OPTIONS_INIT, PAIMON_ENV_OPTIONS_INIT, PAIMON_ENV_OPTIONS_INIT, PAIMON_ENV_OPTIONS_INIT, PAIMON_ENV_OPTIONS_INIT };
    o[0].struct_size = 1;
    o[1].allocator = &a;
    o[2].executor = &e;
    o[3].memory_limit_bytes = -1;
    o[4].log_level = (paimon_log_level)9;
    for (int i = 0; i < 5; i++) {
        env = (paimon_env *)&a;
        assert_int_equal(paimon_env_new(&o[i], &env, NULL), PAIMON_INVALID);
        assert_null(env);
    }
    assert_int_equal(paimon_env_new(NULL, NULL, NULL), PAIMON_INVALID);
    paimon_env_options shorter = PAIMON_ENV_OPTIONS_INIT;
    shorter.struct_size = offsetof(paimon_env_options, memory_limit_bytes); /* an older caller's */
    shorter.memory_limit_bytes = 1;
    assert_int_equal(paimon_env_new(&shorter, &env, NULL), PAIMON_OK);
    paimon_env_free(env);
}

static void memory_is_counted_and_limited(void **state)
{
    (void)state;
    failing_alloc f = { -1, 0 };
    paimon_allocator a = failing_alloc_interface(&f);
    paimon_env_options o = PAIMON_ENV_OPTIONS_INIT;
    o.allocator = &a;
    o.memory_limit_bytes = 100000;
    paimon_env *env;
    paimon_fs *fs;
    assert_int_equal(paimon_env_new(&o, &env, NULL), PAIMON_OK);
    assert_int_equal(paimon_fs_memory(env, &fs, NULL), PAIMON_OK);
    static char big[200000];
    assert_int_equal(pmn_fs_write_new(fs, "big", big, sizeof big, NULL), PAIMON_NOMEM);
    assert_int_equal(pmn_fs_write_new(fs, "small", big, 50000, NULL), PAIMON_OK);
    int64_t current, peak;
    paimon_env_memory(env, &current, &peak);
    assert_true(current > 50000 && peak <= 100000);
    paimon_env_free(env);
    assert_true(f.alive > 0);
    paimon_fs_free(fs);
    assert_int_equal(f.alive, 0);
}

/* ---- faults ---- */

static void faults_come_where_they_are_planned(void **state)
{
    (void)state;
    paimon_fs *inner, *fs;
    pmn_fault *fault;
    paimon_publish_result result;
    bool there;
    const char *path;
    assert_int_equal(paimon_fs_memory(NULL, &inner, NULL), PAIMON_OK);
    assert_int_equal(pmn_fault_fs_new(pmn_mem_default(), inner, &fs, &fault, NULL), PAIMON_OK);

    assert_int_equal(pmn_fs_write_new(fs, "a", "x", 1, NULL), PAIMON_OK);
    assert_int_equal(pmn_fault_count(fault), 3);
    assert_int_equal(pmn_fault_op_at(fault, 0, &path), PMN_FAULT_OP_OPEN_WRITE);
    assert_string_equal(path, "a");
    assert_int_equal(pmn_fault_op_at(fault, 2, &path), PMN_FAULT_OP_FINISH_WRITE);

    for (int at = 0; at < 3; at++) {
        pmn_fault_plan(fault, at, PMN_FAULT_FAIL);
        assert_int_equal(pmn_fs_write_new(fs, "b", "x", 1, NULL), PAIMON_IO);
        assert_int_equal(pmn_fs_exists(fs, "b", &there, NULL, NULL), PAIMON_OK);
        assert_false(there);
    }
    pmn_fault_plan(fault, 0, PMN_FAULT_FAIL);
    assert_int_equal(pmn_fs_publish(fs, "p", "x", 1, &result, NULL), PAIMON_IO);
    assert_int_equal(pmn_fs_publish(fs, "p", "x", 1, &result, NULL), PAIMON_OK);
    assert_int_equal(result, PAIMON_PUBLISH_CREATED);

    pmn_fault_plan(fault, 0, PMN_FAULT_FAIL_AFTER); /* the lost answer */
    assert_int_equal(pmn_fs_publish(fs, "q", "x", 1, &result, NULL), PAIMON_OK);
    assert_int_equal(result, PAIMON_PUBLISH_UNKNOWN);
    assert_int_equal(pmn_fs_exists(fs, "q", &there, NULL, NULL), PAIMON_OK);
    assert_true(there);

    pmn_fault_plan(fault, 1, PMN_FAULT_KILL);
    assert_int_equal(pmn_fs_publish(fs, "k1", "x", 1, &result, NULL), PAIMON_OK);
    assert_int_equal(pmn_fs_publish(fs, "k2", "x", 1, &result, NULL), PAIMON_IO);
    assert_int_equal(pmn_fs_publish(fs, "k3", "x", 1, &result, NULL), PAIMON_IO);
    assert_int_equal(pmn_fs_exists(fs, "k1", &there, NULL, NULL), PAIMON_IO);
    assert_int_equal(pmn_fs_exists(inner, "k2", &there, NULL, NULL), PAIMON_OK);
    assert_false(there);
    paimon_fs_free(fs);
    paimon_fs_free(inner);
}

/* ---- an embedder's file system ---- */

static paimon_status silent_stat(void *ctx, const char *path, paimon_file_info *info, paimon_error *err)
{
    (void)ctx;
    (void)path;
    (void)info;
    (void)err;
    return PAIMON_IO; /* and says nothing */
}
static void note_release(void *ctx)
{
    ++*(int *)ctx;
}

static void an_embedder_s_silent_failures_still_name_the_path(void **state)
{
    (void)state;
    paimon_error err = PAIMON_ERROR_INIT;
    int released = 0;
    bool there;
    paimon_fs_vtable v = pmn_fs_local_default()->vtable;
    paimon_fs *fs;
    v.stat = silent_stat;
    v.release = note_release;
    assert_int_equal(paimon_fs_new(&v, &released, &fs, &err), PAIMON_OK);
    assert_int_equal(pmn_fs_exists(fs, "some/path", &there, NULL, &err), PAIMON_IO);
    assert_non_null(strstr(paimon_error_message(&err), "some/path"));
    paimon_fs_retain(fs);
    paimon_fs_free(fs);
    assert_int_equal(released, 0);
    paimon_fs_free(fs);
    assert_int_equal(released, 1);
    v.remove = NULL;
    assert_int_equal(paimon_fs_new(&v, NULL, &fs, &err), PAIMON_INVALID);
    v.struct_size = 8;
    assert_int_equal(paimon_fs_new(&v, NULL, &fs, &err), PAIMON_INVALID);
    paimon_error_clear(&err);
    paimon_fs_free(NULL);
    assert_null(paimon_fs_retain(NULL));
}

/* ---- paths ---- */

static void paths_join_with_one_slash_and_keep_their_scheme(void **state)
{
    (void)state;
    pmn_arena arena;
    pmn_arena_init(&arena, pmn_mem_default());
    assert_string_equal(pmn_path_join(&arena, "/a/b", "c"), "/a/b/c");
    assert_string_equal(pmn_path_join(&arena, "/a/b/", "c/d"), "/a/b/c/d");
    assert_string_equal(pmn_path_join(&arena, "", "c"), "c");
    assert_string_equal(pmn_path_join(&arena, "/", "c"), "/c");
    assert_string_equal(pmn_path_joinf(&arena, "s3://b", "snapshot-%d", 7), "s3://b/snapshot-7");
    assert_true(pmn_slice_equal(pmn_path_scheme("s3://b/k"), pmn_slice_text("s3")));
    assert_true(pmn_slice_equal(pmn_path_scheme("file:/k"), pmn_slice_text("file")));
    assert_int_equal(pmn_path_scheme("/a:b").size, 0);
    assert_int_equal(pmn_path_scheme("a/b:c").size, 0);
    assert_int_equal(pmn_path_scheme(":x").size, 0);
    assert_int_equal(pmn_path_scheme("plain").size, 0);
    assert_string_equal(pmn_path_name("/a/b"), "b");
    assert_string_equal(pmn_path_name("b"), "b");
    assert_string_equal(pmn_path_name("/a/"), "");
    pmn_arena_free(&arena);
}

static void every_refusal_while_making_one_leaks_nothing(void **state)
{
    (void)state;
    for (int64_t n = 0;; n++) {
        failing_alloc f = { n, 0 };
        paimon_allocator a = failing_alloc_interface(&f);
        paimon_env_options o = PAIMON_ENV_OPTIONS_INIT;
        o.allocator = &a;
        paimon_env *env = NULL;
        paimon_fs *fs = NULL;
        paimon_status status = paimon_env_new(&o, &env, NULL);
        if (status == PAIMON_OK) status = paimon_fs_memory(env, &fs, NULL);
        if (status == PAIMON_OK) status = paimon_env_register_fs(env, "memory", fs, NULL);
        paimon_fs_free(fs);
        paimon_env_free(env);
        assert_int_equal(f.alive, 0);
        if (status == PAIMON_OK) break;
        assert_int_equal(status, PAIMON_NOMEM);
        assert_true(n < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_means_the_default_environment),
        cmocka_unit_test(a_scheme_finds_its_file_system_the_latest_first),
        cmocka_unit_test(bad_options_are_invalid),
        cmocka_unit_test(memory_is_counted_and_limited),
        cmocka_unit_test(faults_come_where_they_are_planned),
        cmocka_unit_test(an_embedder_s_silent_failures_still_name_the_path),
        cmocka_unit_test(paths_join_with_one_slash_and_keep_their_scheme),
        cmocka_unit_test(every_refusal_while_making_one_leaks_nothing),
    };
    return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
