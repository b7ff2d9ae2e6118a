/* How far a scan, a read, a write and a commit are, what they have cost, and that they stop when they are told to. */
#include <errno.h>

#include "support/write_table.h"

static const char fields[] = "{\"id\":0,\"name\":\"p\",\"type\":\"INT\"},{\"id\":1,\"name\":\"a\",\"type\":\"INT\"}";
static const char options[] = "\"bucket\":\"-1\",\"manifest.merge-min-count\":\"3\"";

typedef struct heard {
    int n;
    int stop_at; /* 0: never */
    paimon_progress last;
} heard;

static int hear(void *ctx, const paimon_progress *progress)
{
    heard *h = ctx;
    assert_int_equal(progress->struct_size, sizeof *progress);
    if (h->n) {
        assert_true(progress->done >= h->last.done);
        assert_true(progress->rows >= h->last.rows);
        assert_true(progress->bytes >= h->last.bytes);
    }
    h->last = *progress;
    h->n++;
    return h->stop_at && h->n >= h->stop_at;
}

static write_place new_place(void) { return write_place_new(NULL, fields, "[\"p\"]", options); }

static paimon_status plan_with(write_place *p, const char *where, paimon_cancel *cancel, heard *h, paimon_plan **plan, paimon_error *err)
{
    paimon_scan *scan = NULL;
    paimon_predicate *predicate = NULL;
    OK(paimon_scan_new(p->table, &scan, err));
    if (where) {
        OK(paimon_predicate_parse(where, &predicate, err));
        OK(paimon_scan_set_predicate(scan, predicate, err));
    }
    OK(paimon_scan_set_cancel(scan, cancel, err));
    if (h) OK(paimon_scan_set_progress(scan, hear, h, err));
    paimon_status status = paimon_scan_plan(scan, plan, err);
    paimon_predicate_free(predicate);
    paimon_scan_free(scan);
    return status;
}

static void a_plan_tells_what_it_cost_and_saved(void **state)
{
    (void)state;
    write_place p = new_place();
    committed(&p, written(&p, "[[1,10],[2,20]]"));
    committed(&p, written(&p, "[[1,11],[1,12]]"));
    paimon_plan *plan = NULL;
    heard h = { 0 };
    OK(plan_with(&p, NULL, NULL, &h, &plan, err));
    paimon_scan_metrics m = PAIMON_SCAN_METRICS_INIT;
    paimon_plan_metrics(plan, &m);
    assert_int_equal(m.manifests_read, 2);
    assert_int_equal(m.manifests_skipped, 0);
    assert_int_equal(m.entries, 3);
    assert_int_equal(m.files, 3);
    assert_int_equal(m.rows, 4);
    assert_true(m.bytes > 300 && m.bytes_read > 300 && m.time_us > 0);
    assert_int_equal(h.n, 2);
    assert_int_equal(h.last.activity, PAIMON_ACTIVITY_SCAN);
    assert_int_equal(h.last.done, 2);
    assert_int_equal(h.last.total, 2);
    assert_int_equal(h.last.files, 3);
    assert_int_equal(h.last.rows, 4);
    assert_int_equal(h.last.bytes, m.bytes_read);
    paimon_plan_free(plan);

    OK(plan_with(&p, "p = 2 AND a > 15", NULL, NULL, &plan, err));
    paimon_plan_metrics(plan, &m);
    assert_int_equal(m.manifests_skipped, 1); /* the second has partition 1 alone */
    assert_int_equal(m.manifests_read, 1);
    assert_int_equal(m.entries, 2);
    assert_int_equal(m.entries_skipped_partition, 1);
    assert_int_equal(m.entries_skipped_stats, 0);
    assert_int_equal(m.files, 1);
    paimon_plan_free(plan);

    OK(plan_with(&p, "a = 10", NULL, NULL, &plan, err));
    paimon_plan_metrics(plan, &m);
    assert_int_equal(m.entries, 3);
    assert_int_equal(m.entries_skipped_stats, 2);
    struct { /* of an older caller */
        size_t struct_size;
        int64_t manifests_read, untouched;
    } small = { 16, 0, -7 };
    paimon_plan_metrics(plan, (paimon_scan_metrics *)(void *)&small);
    assert_int_equal(small.manifests_read, 2);
    assert_int_equal(small.untouched, -7);
    assert_int_equal(small.struct_size, 16);
    paimon_plan_free(plan);
    write_place_leave(&p);
}

static void a_bucket_that_cannot_match_is_counted(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, fields, "[]", "\"bucket\":\"4\",\"bucket-key\":\"a\"");
    committed(&p, written(&p, "[[1,1],[1,2],[1,3],[1,4],[1,5],[1,6],[1,7],[1,8],[1,9]]"));
    paimon_plan *plan = NULL;
    paimon_scan_metrics m = PAIMON_SCAN_METRICS_INIT;
    OK(plan_with(&p, "a = 3", NULL, NULL, &plan, err));
    paimon_plan_metrics(plan, &m);
    assert_int_equal(m.files + m.entries_skipped_stats, 1);
    assert_int_equal(m.entries_skipped_bucket, m.entries - 1);
    paimon_plan_free(plan);
    write_place_leave(&p);
}

static void a_scan_stops_when_told(void **state)
{
    (void)state;
    write_place p = new_place();
    committed(&p, written(&p, "[[1,10],[2,20]]"));
    committed(&p, written(&p, "[[1,11]]"));
    paimon_plan *plan = NULL;
    heard h = { .stop_at = 1 };
    REFUSED(PAIMON_CANCELLED, "scan was cancelled", plan_with(&p, NULL, NULL, &h, &plan, err));
    assert_int_equal(h.n, 1);
    assert_null(plan);
    paimon_cancel *cancel = NULL;
    OK(paimon_cancel_new(&cancel, err));
    OK(plan_with(&p, NULL, cancel, NULL, &plan, err));
    paimon_plan_free(plan);
    plan = NULL;
    assert_false(paimon_cancel_requested(cancel));
    paimon_cancel_request(cancel);
    assert_true(paimon_cancel_requested(cancel));
    REFUSED(PAIMON_CANCELLED, "scan was cancelled", plan_with(&p, NULL, cancel, NULL, &plan, err));
    paimon_cancel_free(paimon_cancel_retain(cancel));
    paimon_cancel_free(cancel);
    paimon_cancel_free(NULL);
    paimon_cancel_request(NULL);
    write_place_leave(&p);
}

static void streams_of_one_token_stop_together(void **state)
{
    (void)state;
    write_place p = new_place();
    committed(&p, written(&p, "[[1,10],[2,20],[2,21]]"));
    committed(&p, written(&p, "[[1,11]]"));
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    paimon_cancel *cancel = NULL;
    struct ArrowArrayStream streams[3];
    struct ArrowArray batch;
    heard h = { 0 };
    OK(plan_with(&p, NULL, NULL, NULL, &plan, err));
    OK(paimon_cancel_new(&cancel, err));
    OK(paimon_read_new(p.table, &read, err));
    OK(paimon_read_set_cancel(read, cancel, err));
    OK(paimon_read_set_progress(read, hear, &h, err));
    OK(paimon_read_set_batch_rows(read, 1, err));
    for (int i = 0; i < 3; i++) OK(paimon_read_plan(read, plan, &streams[i], err));
    paimon_read_free(read);
    paimon_plan_free(plan);
    for (int i = 0; i < 2; i++) {
        h = (heard){ 0 };
        assert_int_equal(streams[i].get_next(&streams[i], &batch), 0);
        batch.release(&batch);
        assert_int_equal(h.n, 1);
        assert_int_equal(h.last.activity, PAIMON_ACTIVITY_READ);
        assert_int_equal(h.last.total, 3);
        assert_int_equal(h.last.rows, 1);
        assert_true(h.last.bytes > 0);
    }
    h.stop_at = 1;
    assert_int_equal(streams[0].get_next(&streams[0], &batch), ECANCELED);
    h.stop_at = 0;
    paimon_cancel_request(cancel);
    paimon_cancel_free(cancel);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(streams[i].get_next(&streams[i], &batch), ECANCELED);
        assert_non_null(strstr(streams[i].get_last_error(&streams[i]), "cancelled"));
        streams[i].release(&streams[i]);
    }
    write_place_leave(&p);
}

static void a_reader_counts_the_time_of_its_caller(void **state)
{
    (void)state;
    write_place p = new_place();
    committed(&p, written(&p, "[[1,10],[2,20],[2,21]]"));
    paimon_plan *plan = NULL;
    paimon_read *read = NULL;
    paimon_reader *reader = NULL;
    struct ArrowArrayStream stream;
    struct ArrowArray batch = { .release = NULL };
    OK(plan_with(&p, NULL, NULL, NULL, &plan, err));
    OK(paimon_read_new(p.table, &read, err));
    OK(paimon_read_plan(read, plan, &stream, err));
    OK(paimon_reader_of(&stream, &reader, err));
    while (stream.get_next(&stream, &batch) == 0 && batch.release) batch.release(&batch);
    paimon_read_metrics m = PAIMON_READ_METRICS_INIT;
    paimon_reader_metrics(reader, &m);
    assert_int_equal(m.rows_returned, 3);
    assert_true(m.time_us > 0);
    stream.release(&stream);
    paimon_reader_free(reader);
    paimon_read_free(read);
    paimon_plan_free(plan);
    write_place_leave(&p);
}

static void a_writer_tells_what_it_wrote(void **state)
{
    (void)state;
    write_place p = new_place();
    heard h = { 0 };
    paimon_write *write = writer_for(&p);
    paimon_write_metrics m = PAIMON_WRITE_METRICS_INIT;
    OK(paimon_write_set_progress(write, hear, &h, err));
    OK(write_json(&p, write, "[[1,10],[2,20]]", err));
    OK(write_json(&p, write, "[[1,11]]", err));
    paimon_write_get_metrics(write, &m);
    assert_int_equal(m.batches, 2);
    assert_int_equal(m.rows, 3);
    assert_int_equal(m.buckets, 2);
    assert_int_equal(m.files, 0);
    assert_int_equal(h.n, 2);
    assert_int_equal(h.last.activity, PAIMON_ACTIVITY_WRITE);
    assert_int_equal(h.last.rows, 3);
    assert_int_equal(h.last.total, -1);
    paimon_message_list_free(prepared(write));
    paimon_write_get_metrics(write, &m);
    assert_int_equal(m.files, 2);
    assert_true(m.bytes_written > 200 && m.time_us > 0);
    paimon_write_free(write);
    write_place_leave(&p);
}

static void a_write_that_is_cancelled_leaves_no_file(void **state)
{
    (void)state;
    for (int by_token = 0; by_token < 2; by_token++) {
        write_place p = new_place();
        heard h = { .stop_at = by_token ? 0 : 2 };
        paimon_cancel *cancel = NULL;
        paimon_message_list *list = NULL;
        OK(paimon_cancel_new(&cancel, err));
        paimon_write *write = writer_for(&p);
        OK(paimon_write_set_progress(write, hear, &h, err));
        OK(paimon_write_set_cancel(write, cancel, err));
        OK(write_json(&p, write, "[[1,10],[2,20]]", err));
        if (by_token) paimon_cancel_request(cancel);
        REFUSED(PAIMON_CANCELLED, "write was cancelled", write_json(&p, write, "[[1,11]]", err));
        assert_int_not_equal(paimon_write_prepare_commit(write, 1, &list, NULL), PAIMON_OK);
        paimon_write_free(write);
        paimon_cancel_free(cancel);
        assert_int_equal(data_files(&p), 0);
        write_place_leave(&p);
    }
}

static void a_commit_tells_what_it_wrote_and_merged(void **state)
{
    (void)state;
    write_place p = new_place();
    paimon_commit *commit = NULL;
    heard h = { 0 };
    OK(paimon_commit_new(p.table, NULL, &commit, err));
    OK(paimon_commit_set_progress(commit, hear, &h, err));
    paimon_commit_metrics m = PAIMON_COMMIT_METRICS_INIT;
    for (int i = 0; i < 4; i++) {
        paimon_message_list *list = written(&p, "[[1,10],[2,20]]");
        h = (heard){ 0 };
        OK(paimon_commit_append(commit, list, i, NULL, NULL, err));
        paimon_message_list_free(list);
        paimon_commit_get_metrics(commit, &m);
        assert_int_equal(h.n, 1);
        assert_int_equal(h.last.activity, PAIMON_ACTIVITY_COMMIT);
        assert_int_equal(m.attempts, 1);
        assert_int_equal(m.snapshots, 1);
        assert_int_equal(m.files_added, 2);
        assert_int_equal(m.rows_added, 2);
        assert_int_equal(m.files_deleted, 0);
        assert_true(m.bytes_written > 500 && m.time_us > 0);
        assert_int_equal(m.manifests_merged, i == 3 ? 3 : 0);
        assert_int_equal(m.manifests_written, i == 3 ? 2 : 1);
    }
    OK(paimon_commit_truncate(commit, 9, NULL, err));
    paimon_commit_get_metrics(commit, &m);
    assert_int_equal(m.files_deleted, 8);
    assert_int_equal(m.rows_deleted, 8);
    assert_int_equal(m.files_added, 0);
    paimon_commit_free(commit);
    write_place_leave(&p);
}

static void a_commit_that_is_cancelled_leaves_nothing_and_can_be_made_later(void **state)
{
    (void)state;
    for (int by_token = 0; by_token < 2; by_token++) {
        write_place p = new_place();
        paimon_commit *commit = NULL;
        paimon_cancel *cancel = NULL;
        heard h = { .stop_at = by_token ? 0 : 1 };
        paimon_message_list *list = written(&p, "[[1,10],[2,20]]");
        OK(paimon_cancel_new(&cancel, err));
        OK(paimon_commit_new(p.table, NULL, &commit, err));
        OK(paimon_commit_set_progress(commit, hear, &h, err));
        OK(paimon_commit_set_cancel(commit, cancel, err));
        if (by_token) paimon_cancel_request(cancel);
        REFUSED(PAIMON_CANCELLED, "commit was cancelled", paimon_commit_append(commit, list, 1, NULL, NULL, err));
        char *files = all_files(p.fs, WRITE_ROOT);
        assert_null(strstr(files, "manifest"));
        assert_null(strstr(files, "snapshot"));
        free(files);
        OK(paimon_commit_set_cancel(commit, NULL, err));
        OK(paimon_commit_set_progress(commit, NULL, NULL, err));
        OK(paimon_commit_append(commit, list, 1, NULL, NULL, err));
        paimon_commit_free(commit);
        paimon_cancel_free(cancel);
        paimon_message_list_free(list);
        write_place_leave(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_tells_what_it_cost_and_saved),
        cmocka_unit_test(a_bucket_that_cannot_match_is_counted),
        cmocka_unit_test(a_scan_stops_when_told),
        cmocka_unit_test(streams_of_one_token_stop_together),
        cmocka_unit_test(a_reader_counts_the_time_of_its_caller),
        cmocka_unit_test(a_writer_tells_what_it_wrote),
        cmocka_unit_test(a_write_that_is_cancelled_leaves_no_file),
        cmocka_unit_test(a_commit_tells_what_it_wrote_and_merged),
        cmocka_unit_test(a_commit_that_is_cancelled_leaves_nothing_and_can_be_made_later),
    };
    return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
