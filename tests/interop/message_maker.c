/* Makes commit messages for tests/interop/java_messages.py, in the version that Paimon Java 1.3.1 reads.
 *
 *   random N SEED            N random messages, one a line: hex, a tab, their JSON
 *   replay OUT TABLE ID [VERSION]
 *                            the messages that the table's snapshot ID was made of
 *   compose OUT [--before LIST] [--after LIST] [--vectors INDEX_MANIFEST] [--unvectors INDEX_MANIFEST]
 *                            one list with one message: what LISTs say was written was compacted, index files come or go
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paimon-c/paimon.h"
#include "meta/manifest/manifest.h"
#include "meta/schema/schema.h"
#include "support/message_bytes.h"
#include "support/replay.h"

#define VERSION 10

static void must_be(paimon_status status, const char *what, paimon_error *err)
{
    if (status == PAIMON_OK) return;
    fprintf(stderr, "%s: %s\n", what, paimon_error_message(err));
    exit(1);
}

static int make_random(int n, uint64_t seed)
{
    paimon_error err = PAIMON_ERROR_INIT;
    for (int i = 0; i < n; i++) {
        paimon_message_list *list = NULL;
        uint8_t *bytes = NULL;
        size_t size = 0;
        char *json = NULL;
        must_be(pmn_message_list_new(pmn_mem_default(), &list, &err), "a list", &err);
        add_random_message(list, VERSION, seed + (uint64_t)i);
        must_be(paimon_message_serialize(list, 0, VERSION, &bytes, &size, &err), "bytes", &err);
        must_be(paimon_message_list_json(list, &json, &err), "JSON", &err);
        for (size_t b = 0; b < size; b++) printf("%02x", bytes[b]);
        putchar('\t');
        for (const char *p = json; *p; p++)
            if (*p != '\n') putchar(*p);
        putchar('\n');
        paimon_bytes_free(bytes, size);
        paimon_string_free(json);
        paimon_message_list_free(list);
    }
    return 0;
}

static paimon_message_list *read_list(const char *path)
{
    static char bytes[1 << 20];
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *list = NULL;
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!file) perror(path), exit(1);
    fclose(file);
    must_be(paimon_message_list_deserialize(NULL, VERSION, bytes, n, &list, &err), path, &err);
    return list;
}

static pmn_data_files written_files(paimon_message_list *into, const char *path)
{
    paimon_message_list *list = read_list(path);
    pmn_data_files all = { NULL, 0 };
    pmn_data_file *files = pmn_arena_calloc(&into->arena, 1000, sizeof *files);
    for (size_t i = 0; i < list->n; i++) {
        into->items[0].partition = list->items[i].partition;
        into->items[0].bucket = list->items[i].bucket;
        into->items[0].total_buckets = list->items[i].total_buckets;
        into->items[0].has_total_buckets = list->items[i].has_total_buckets;
        for (int32_t f = 0; f < list->items[i].new_files.n && all.n < 1000; f++) files[all.n++] = list->items[i].new_files.items[f];
    }
    all.items = files;
    return all; /* points into `list`, which lives as long as the process */
}

static pmn_index_files listed_vectors(paimon_message_list *into, const char *path)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_fs *fs = NULL;
    pmn_index_entry *entries = NULL;
    int32_t n = 0;
    must_be(paimon_fs_local(NULL, &fs, &err), "files", &err);
    must_be(pmn_index_manifest_read(&into->arena, fs, path, &entries, &n, &err), path, &err);
    if (n > 0) {
        into->items[0].partition = entries[0].partition;
        into->items[0].bucket = entries[0].bucket;
        into->items[0].total_buckets = -1;
        into->items[0].has_total_buckets = true;
    }
    return (pmn_index_files){ entries, n };
}

static void write_list(const paimon_message_list *list, int32_t version, const char *path)
{
    paimon_error err = PAIMON_ERROR_INIT;
    uint8_t *bytes = NULL;
    size_t n = 0;
    must_be(paimon_message_list_serialize(list, version, &bytes, &n, &err), "bytes", &err);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(bytes, 1, n, out) != n || fclose(out) != 0) perror(path), exit(1);
    paimon_bytes_free(bytes, n);
}

static int compose(int argc, char **argv)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *list = NULL;
    pmn_message *message = NULL;
    must_be(pmn_message_list_new(pmn_mem_default(), &list, &err), "a list", &err);
    must_be(pmn_message_list_add(list, &message, &err), "a message", &err);
    bool compacts = false;
    for (int i = 1; i + 1 < argc; i += 2) compacts |= strcmp(argv[i], "--before") == 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--before") == 0) message->compact_before = written_files(list, argv[i + 1]);
        else if (strcmp(argv[i], "--after") == 0) message->compact_after = written_files(list, argv[i + 1]);
        else if (strcmp(argv[i], "--vectors") == 0) message->new_index_files = listed_vectors(list, argv[i + 1]);
        else if (compacts) message->compact_deleted_index_files = listed_vectors(list, argv[i + 1]);
        else message->deleted_index_files = listed_vectors(list, argv[i + 1]);
    }
    write_list(list, VERSION, argv[0]);
    return 0;
}

static int replay(const char *path, const char *table, int64_t id, int32_t version)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_message_list *list = NULL;
    paimon_fs *fs = NULL;
    pmn_snapshot snapshot, before;
    pmn_table_schema *schema = NULL;
    must_be(paimon_fs_local(NULL, &fs, &err), "files", &err);
    must_be(pmn_message_list_new(pmn_mem_default(), &list, &err), "a list", &err);
    must_be(pmn_snapshot_load(&list->arena, fs, table, id, &snapshot, &err), table, &err);
    if (id > 1) must_be(pmn_snapshot_load(&list->arena, fs, table, id - 1, &before, &err), table, &err);
    must_be(pmn_schema_load(pmn_mem_default(), fs, table, snapshot.schema_id, &schema, &err), table, &err);
    const char *tracks = pmn_options_get(&schema->options, "row-tracking.enabled");
    must_be(replayed_messages(fs, table, &snapshot, id > 1 ? &before : NULL, tracks && strcmp(tracks, "true") == 0, list, &err), table, &err);
    write_list(list, version, path);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "random") == 0) return make_random(atoi(argv[2]), strtoull(argv[3], NULL, 10));
    if (argc >= 3 && strcmp(argv[1], "compose") == 0) return compose(argc - 2, argv + 2);
    if ((argc == 5 || argc == 6) && strcmp(argv[1], "replay") == 0)
        return replay(argv[2], argv[3], strtoll(argv[4], NULL, 10), argc == 6 ? atoi(argv[5]) : VERSION);
    fprintf(stderr, "random N SEED | replay OUT TABLE ID | compose OUT …\n");
    return 2;
}
