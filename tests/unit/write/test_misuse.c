/* Schemas and batches that lie: every member of every node is broken in turn. The answer is a refusal or the right rows, never a crash, and
 * what was handed over is released once. */
#include "support/write_table.h"

#include "arrow/array.h"

#define FIELDS                                                                                                                        \
    "{\"id\":0,\"name\":\"i\",\"type\":\"INT\"},{\"id\":1,\"name\":\"s\",\"type\":\"STRING\"},{\"id\":2,\"name\":\"b\",\"type\":\"BOOLEAN\"},"      \
    "{\"id\":3,\"name\":\"d\",\"type\":\"DECIMAL(20, 3)\"},{\"id\":4,\"name\":\"a\",\"type\":{\"type\":\"ARRAY\",\"element\":\"STRING\"}},"        \
    "{\"id\":5,\"name\":\"m\",\"type\":{\"type\":\"MAP\",\"key\":\"INT NOT NULL\",\"value\":\"STRING\"}},"                                      \
    "{\"id\":6,\"name\":\"r\",\"type\":{\"type\":\"ROW\",\"fields\":[{\"id\":7,\"name\":\"x\",\"type\":\"DATE\"},{\"id\":8,\"name\":\"y\",\"type\":{\"type\":\"ARRAY\",\"element\":\"INT\"}}]}}"
#define ROWS                                                                                                                          \
    "[[1,\"one\",true,\"1.000\",[\"p\",null],[[1,\"u\"]],[\"2020-01-01\",[1,2]]],[null,null,null,null,null,null,null],"                       \
    "[3,\"drei\",false,\"-3.500\",[],[],[null,null]]]"

/* --- schemas --- */

typedef void break_schema(struct ArrowSchema *schema);

static void no_format(struct ArrowSchema *s) { s->format = NULL; }
static void empty_format(struct ArrowSchema *s) { s->format = ""; }
static void strange_format(struct ArrowSchema *s) { s->format = "\xff\x01zz"; }
static void cut_format(struct ArrowSchema *s) { s->format = "d:"; }
static void huge_decimal(struct ArrowSchema *s) { s->format = "d:99999999999999999999,-5"; }
static void union_format(struct ArrowSchema *s) { s->format = "+us:0,1"; }
static void run_end_format(struct ArrowSchema *s) { s->format = "+r"; }
static void fixed_list_format(struct ArrowSchema *s) { s->format = "+w:2147483647"; }
static void fixed_bytes_format(struct ArrowSchema *s) { s->format = "w:2147483647"; }
static void interval_format(struct ArrowSchema *s) { s->format = "tin"; }
static void list_format(struct ArrowSchema *s) { s->format = "+l"; }
static void map_format(struct ArrowSchema *s) { s->format = "+m"; }
static void struct_format(struct ArrowSchema *s) { s->format = "+s"; }
static void text_format(struct ArrowSchema *s) { s->format = "u"; }
static void view_format(struct ArrowSchema *s) { s->format = "vu"; }
static void null_format(struct ArrowSchema *s) { s->format = "n"; }
static void no_name(struct ArrowSchema *s) { s->name = NULL; }
static void broken_name(struct ArrowSchema *s) { s->name = "\xff\xfe"; }
static void fewer_children(struct ArrowSchema *s) { s->n_children = 0; }
static void negative_children(struct ArrowSchema *s) { s->n_children = -1; }
static void many_children(struct ArrowSchema *s) { s->n_children = INT64_MAX; }
static void child_table_missing(struct ArrowSchema *s) { s->children = NULL; }
static void first_child_missing(struct ArrowSchema *s)
{
    if (s->n_children > 0) s->children[0] = NULL;
}
static void first_child_released(struct ArrowSchema *s)
{
    if (s->n_children > 0) s->children[0]->release = NULL;
}
static void its_own_dictionary(struct ArrowSchema *s) { s->dictionary = s; }
static void its_own_child(struct ArrowSchema *s)
{
    if (s->n_children > 0) s->children[0] = s;
}
static void strange_metadata(struct ArrowSchema *s)
{
    static const int32_t lies[] = { INT32_MAX, INT32_MAX };
    s->metadata = (const char *)lies;
}

static break_schema *const schema_breaks[] = { no_format,         empty_format,    strange_format,   cut_format,          huge_decimal,        union_format,
                                               run_end_format,    fixed_list_format, fixed_bytes_format, interval_format,   list_format,         map_format,
                                               struct_format,     text_format,     view_format,      null_format,         no_name,             broken_name,
                                               fewer_children,    negative_children, many_children,  child_table_missing, first_child_missing, first_child_released,
                                               its_own_dictionary, its_own_child,  strange_metadata };
enum { N_SCHEMA_BREAKS = sizeof schema_breaks / sizeof *schema_breaks };

/* Node `n` of the tree in preorder. */
static struct ArrowSchema *schema_node(struct ArrowSchema *schema, int *n)
{
    if ((*n)-- == 0) return schema;
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *found = schema_node(schema->children[i], n);
        if (found) return found;
    }
    return NULL;
}

/* A shallow copy that is broken; its release only counts, and the sound original is freed by the test. */
static int n_released;

static void count_schema(struct ArrowSchema *schema)
{
    n_released++;
    schema->release = NULL;
}

typedef struct schema_copy {
    struct ArrowSchema nodes[64];
    struct ArrowSchema *pointers[64];
    int n, n_pointers;
} schema_copy;

static void child_is_kept(struct ArrowSchema *schema) { schema->release = NULL; }

static struct ArrowSchema *copy_schema(schema_copy *c, const struct ArrowSchema *from)
{
    struct ArrowSchema *to = &c->nodes[c->n++];
    assert_true(c->n < 64);
    *to = *from;
    to->release = child_is_kept;
    to->children = &c->pointers[c->n_pointers];
    c->n_pointers += (int)from->n_children;
    for (int64_t i = 0; i < from->n_children; i++) to->children[i] = copy_schema(c, from->children[i]);
    return to;
}

static void lying_schemas_are_refused_or_taken_for_what_they_say(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, FIELDS, "[]", "\"bucket\":\"-1\"");
    struct ArrowSchema sound;
    OK(paimon_table_arrow_schema(p.table, &sound, err));
    int refused = 0, tried = 0;
    for (int node = 0;; node++) {
        int left = node;
        if (!schema_node(&sound, &left)) break;
        for (int k = 0; k < N_SCHEMA_BREAKS; k++) {
            schema_copy copy = { .n = 0 };
            struct ArrowSchema *lying = copy_schema(&copy, &sound);
            left = node;
            schema_breaks[k](schema_node(lying, &left));
            lying->release = count_schema;
            n_released = 0;
            paimon_write *write = NULL;
            paimon_error err = PAIMON_ERROR_INIT;
            paimon_status s = paimon_write_new(p.table, lying, NULL, &write, &err);
            if (s == PAIMON_OK) {
                struct ArrowArray batch;
                batch_of(&p.t, p.table->source->schema->row, ROWS, &batch);
                s = paimon_write_batch(write, &batch, &err);
                assert_null(batch.release);
            }
            if (s != PAIMON_OK && s != PAIMON_INVALID && s != PAIMON_UNSUPPORTED) fail_msg("node %d, break %d: %s", node, k, paimon_error_message(&err));
            paimon_error_clear(&err);
            paimon_write_free(write);
            assert_int_equal(n_released, 1);
            refused += s != PAIMON_OK;
            tried++;
            /* The same as what a new table is made of. */
            schema_copy again = { .n = 0 };
            lying = copy_schema(&again, &sound);
            left = node;
            schema_breaks[k](schema_node(lying, &left));
            paimon_table_definition definition = PAIMON_TABLE_DEFINITION_INIT;
            definition.schema = lying;
            s = paimon_table_create(p.env, "mem:/wh/db.db/new", &definition, &err);
            if (s != PAIMON_OK && s != PAIMON_INVALID && s != PAIMON_UNSUPPORTED && s != PAIMON_ALREADY_EXISTS)
                fail_msg("a table of node %d, break %d: %s", node, k, paimon_error_message(&err));
            paimon_error_clear(&err);
        }
    }
    assert_true(tried > 300 && refused > tried / 2);
    assert_int_equal(data_files(&p), 0);
    sound.release(&sound);
    write_place_leave(&p);
}

/* --- batches --- */

typedef void break_array(struct ArrowArray *array);

static void length_negative(struct ArrowArray *a) { a->length = -1; }
static void length_huge(struct ArrowArray *a) { a->length = INT64_MAX; }
static void length_past_32_bits(struct ArrowArray *a) { a->length = (int64_t)1 << 40; }
static void offset_negative(struct ArrowArray *a) { a->offset = -1; }
static void offset_huge(struct ArrowArray *a) { a->offset = INT64_MAX; }
static void nulls_too_many(struct ArrowArray *a) { a->null_count = INT64_MAX; }
static void nulls_negative(struct ArrowArray *a) { a->null_count = -7; }
static void nulls_unknown(struct ArrowArray *a) { a->null_count = -1; }
static void nulls_denied(struct ArrowArray *a) { a->null_count = 0; }
static void buffers_none(struct ArrowArray *a) { a->n_buffers = 0; }
static void buffers_many(struct ArrowArray *a) { a->n_buffers = INT64_MAX; }
static void buffers_negative(struct ArrowArray *a) { a->n_buffers = -1; }
static void buffer_table_missing(struct ArrowArray *a) { a->buffers = NULL; }
static void last_buffer_missing(struct ArrowArray *a)
{
    if (a->n_buffers > 0) a->buffers[a->n_buffers - 1] = NULL;
}
static void children_none(struct ArrowArray *a) { a->n_children = 0; }
static void children_many(struct ArrowArray *a) { a->n_children = INT64_MAX; }
static void children_table_missing(struct ArrowArray *a) { a->children = NULL; }
static void child_missing(struct ArrowArray *a)
{
    if (a->n_children > 0) a->children[0] = NULL;
}
static void child_short(struct ArrowArray *a)
{
    if (a->n_children > 0) a->children[0]->length = 0;
}
static void released_already(struct ArrowArray *a) { a->release = NULL; }
static void a_dictionary_of_itself(struct ArrowArray *a) { a->dictionary = a; }

static break_array *const array_breaks[] = { length_negative,      length_huge,         length_past_32_bits, offset_negative, offset_huge,
                                             nulls_too_many,       nulls_negative,      nulls_unknown,       nulls_denied,    buffers_none,
                                             buffers_many,         buffers_negative,    buffer_table_missing, last_buffer_missing, children_none,
                                             children_many,        children_table_missing, child_missing,    child_short,     released_already,
                                             a_dictionary_of_itself };
enum { N_ARRAY_BREAKS = sizeof array_breaks / sizeof *array_breaks };

typedef struct array_copy {
    struct ArrowArray nodes[64];
    struct ArrowArray *pointers[64];
    const void *buffers[200];
    int n, n_pointers, n_buffers;
} array_copy;

static void array_child_is_kept(struct ArrowArray *array) { array->release = NULL; }

/* The children that are still its own are released by the parent, whatever it claims to have. */
static void count_array(struct ArrowArray *array)
{
    array_copy *copy = array->private_data;
    n_released++;
    for (int i = 1; i < copy->n; i++)
        if (copy->nodes[i].release) copy->nodes[i].release(&copy->nodes[i]);
    array->release = NULL;
}

static struct ArrowArray *copy_array(array_copy *c, const struct ArrowArray *from)
{
    struct ArrowArray *to = &c->nodes[c->n++];
    assert_true(c->n < 64);
    *to = *from;
    to->release = array_child_is_kept;
    to->children = &c->pointers[c->n_pointers];
    c->n_pointers += (int)from->n_children;
    to->buffers = &c->buffers[c->n_buffers];
    c->n_buffers += (int)from->n_buffers;
    for (int64_t i = 0; i < from->n_buffers; i++) to->buffers[i] = from->buffers[i];
    for (int64_t i = 0; i < from->n_children; i++) to->children[i] = copy_array(c, from->children[i]);
    return to;
}

static struct ArrowArray *array_node(struct ArrowArray *array, int *n)
{
    if ((*n)-- == 0) return array;
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *found = array_node(array->children[i], n);
        if (found) return found;
    }
    return NULL;
}

static void lying_batches_are_refused_or_taken_for_what_they_say(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, FIELDS, "[]", "\"bucket\":\"-1\"");
    struct ArrowArray sound;
    int refused = 0, tried = 0;
    batch_of(&p.t, p.table->source->schema->row, ROWS, &sound);
    for (int node = 0;; node++) {
        int left = node;
        if (!array_node(&sound, &left)) break;
        for (int k = 0; k < N_ARRAY_BREAKS; k++) {
            array_copy copy = { .n = 0 };
            struct ArrowArray *lying = copy_array(&copy, &sound);
            left = node;
            lying->release = count_array;
            lying->private_data = &copy;
            array_breaks[k](array_node(lying, &left));
            bool released = lying->release == NULL;
            n_released = 0;
            paimon_write *write = writer_for(&p);
            paimon_error err = PAIMON_ERROR_INIT;
            paimon_status s = paimon_write_batch(write, lying, &err);
            if (s != PAIMON_OK && s != PAIMON_INVALID && s != PAIMON_UNSUPPORTED) fail_msg("node %d, break %d: %s", node, k, paimon_error_message(&err));
            paimon_error_clear(&err);
            assert_int_equal(n_released, !released);
            /* The writer goes on. */
            if (s != PAIMON_OK) OK(write_json(&p, write, ROWS, err));
            paimon_write_free(write);
            refused += s != PAIMON_OK;
            tried++;
        }
    }
    assert_true(tried > 200 && refused > tried / 2);
    assert_int_equal(data_files(&p), 0);
    sound.release(&sound);
    write_place_leave(&p);
}

static void calls_without_their_objects_are_answered(void **state)
{
    (void)state;
    write_place p = write_place_new(NULL, FIELDS, "[]", "\"bucket\":\"-1\"");
    paimon_commit *commit = NULL;
    paimon_message_list *list = NULL, *lists[2] = { NULL, NULL };
    paimon_commit_result result = PAIMON_COMMIT_RESULT_INIT;
    paimon_write *write = NULL;
    struct ArrowArray batch;
    REFUSED(PAIMON_INVALID, "", paimon_write_new(NULL, NULL, NULL, &write, err));
    REFUSED(PAIMON_INVALID, "", paimon_write_batch(NULL, NULL, err));
    batch_of(&p.t, p.table->source->schema->row, ROWS, &batch);
    REFUSED(PAIMON_INVALID, "", paimon_write_batch(NULL, &batch, err));
    assert_null(batch.release);
    REFUSED(PAIMON_INVALID, "", paimon_write_batch(NULL, &batch, err)); /* released already */
    REFUSED(PAIMON_INVALID, "", paimon_write_prepare_commit(NULL, 1, &list, err));
    assert_int_equal(paimon_write_rows(NULL), 0);
    paimon_write_free(NULL);
    REFUSED(PAIMON_INVALID, "", paimon_commit_new(NULL, NULL, &commit, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_new(p.table, NULL, NULL, err));
    OK(paimon_commit_new(p.table, NULL, &commit, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_append(NULL, list, 1, NULL, &result, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_append(commit, NULL, 1, NULL, &result, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_filter_and_append(commit, NULL, 1, NULL, &result, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_overwrite(commit, NULL, 1, NULL, 1, NULL, &result, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_drop_partitions(commit, NULL, 1, 1, &result, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_drop_partitions(commit, NULL, 0, 1, &result, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_abort(commit, NULL, err));
    REFUSED(PAIMON_INVALID, "", paimon_commit_truncate(NULL, 1, &result, err));
    assert_null(paimon_commit_user(NULL));
    REFUSED(PAIMON_INVALID, "", paimon_message_list_concat(lists, 2, &list, err));
    REFUSED(PAIMON_INVALID, "", paimon_message_list_concat(NULL, 1, &list, err));
    REFUSED(PAIMON_INVALID, "", paimon_message_list_concat(lists, 0, NULL, err));
    assert_int_equal(paimon_message_list_files(NULL), 0);
    assert_int_equal(paimon_message_list_rows(NULL), 0);
    paimon_message_list_free(NULL);
    paimon_commit_free(commit);
    paimon_commit_free(NULL);
    /* Two preparations with nothing between: the second has nothing. */
    write = writer_for(&p);
    OK(write_json(&p, write, ROWS, err));
    list = prepared(write);
    paimon_message_list *empty = prepared(write);
    assert_int_equal(paimon_message_list_files(empty), 0);
    paimon_message_list_free(empty);
    paimon_write_free(write);
    /* One list twice in a commit, and committed twice. */
    paimon_message_list *twice = NULL;
    lists[0] = lists[1] = list;
    OK(paimon_message_list_concat(lists, 2, &twice, err));
    OK(paimon_commit_new(p.table, NULL, &commit, err));
    REFUSED(PAIMON_CONFLICT, "twice", paimon_commit_append(commit, twice, 1, NULL, &result, err));
    paimon_message_list_free(twice);
    OK(paimon_commit_append(commit, list, 1, NULL, &result, err));
    paimon_commit_options checked = PAIMON_COMMIT_OPTIONS_INIT;
    checked.check_conflicts = true;
    REFUSED(PAIMON_CONFLICT, "already", paimon_commit_append(commit, list, 2, &checked, &result, err));
    paimon_commit_free(commit);
    paimon_message_list_free(list);
    write_place_leave(&p);
}

/* A list that grows by one again and again is as deep as one that is made at once. */
static void lists_that_grow_and_grow_do_not_nest(void **state)
{
    (void)state;
    enum { TIMES = 3000 };
    write_place p = write_place_new(NULL, FIELDS, "[]", "\"bucket\":\"-1\"");
    paimon_message_list *one = written(&p, ROWS), *all = NULL;
    OK(paimon_message_list_concat(NULL, 0, &all, err));
    for (int i = 0; i < TIMES; i++) {
        paimon_message_list *both[2] = { all, one }, *next = NULL;
        OK(paimon_message_list_concat(both, 2, &next, err));
        paimon_message_list_free(all);
        all = next;
    }
    assert_int_equal(paimon_message_list_size(all), TIMES);
    paimon_message_list_free(one);
    assert_int_equal(paimon_message_list_rows(all), TIMES * 3);
    for (size_t i = 0; i < all->n_parts; i++) assert_int_equal(all->parts[i]->n_parts, 0);
    paimon_message_list_free(all);
    write_place_leave(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lying_schemas_are_refused_or_taken_for_what_they_say),
        cmocka_unit_test(lying_batches_are_refused_or_taken_for_what_they_say),
        cmocka_unit_test(calls_without_their_objects_are_answered),
        cmocka_unit_test(lists_that_grow_and_grow_do_not_nest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
