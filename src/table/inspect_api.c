/* paimon_inspect: any metadata or data file as JSON. Typed files are parsed by the room that owns them first, so that what this
 * shows is what the library would read; then their text, or their Avro records with all that the writer put in, are shown.
 *
 *   { "type" : "manifest", "codec" : "zstd", "blocks" : 1, "records" : [
 *     {"_VERSION":2,…},
 *     …
 *   ] }
 */
#include <string.h>

#include "base/mem.h"
#include "codec/codec.h"
#include "format/avro/container.h"
#include "format/avro/json.h"
#include "format/format.h"
#include "io/env.h"
#include "io/path.h"
#include "meta/snapshot/listing.h"
#include "meta/manifest/columnar_records.h"
#include "meta/manifest/manifest.h"
#include "meta/schema/schema.h"
#include "meta/snapshot/snapshot.h"
#include "paimon-c/inspect.h"
#include "table/inspection.h"
#include "wire/split.h"

#define INSPECT_FILE_CEILING ((size_t)1 << 30)
#define INSPECT_BLOCK_CEILING ((size_t)256 << 20)
#define INSPECT_JSON_CEILING ((size_t)1 << 29)
/* Records without a byte (no fields, or only null ones) could be claimed in any number. */
#define INSPECT_EMPTY_RECORDS (1 << 20)

paimon_status pmn_inspection_read(pmn_inspection *in, paimon_error *err)
{
    return in->bytes.size ? PAIMON_OK : pmn_fs_read_all(in->mem, in->fs, in->path, INSPECT_FILE_CEILING, &in->bytes, err);
}

paimon_status pmn_inspection_read_records(pmn_inspection *in, paimon_error *err)
{
    PMN_TRY(pmn_inspection_read(in, err));
    return pmn_records_make_avro(in->mem, in->fs, in->path, &in->bytes, err);
}

/* A JSON file that was understood: its own text, without blanks at the end. */
static paimon_status show_text(pmn_inspection *in, paimon_error *err)
{
    size_t n = in->bytes.size;
    while (n > 0 && in->bytes.data[n - 1] <= ' ') n--;
    return pmn_buf_append(&in->out, in->bytes.data, n, err);
}

static paimon_status inspect_schema(pmn_inspection *in, paimon_error *err)
{
    pmn_table_schema *schema = NULL;
    PMN_TRY(pmn_inspection_read(in, err));
    PMN_TRY(pmn_table_schema_parse(in->mem, pmn_inspection_bytes(in), in->path, &schema, err));
    pmn_table_schema_release(schema);
    return show_text(in, err);
}

static paimon_status inspect_snapshot(pmn_inspection *in, paimon_error *err)
{
    pmn_snapshot snapshot;
    PMN_TRY(pmn_inspection_read(in, err));
    PMN_TRY(pmn_snapshot_parse(&in->arena, pmn_inspection_bytes(in), in->path, &snapshot, err));
    return show_text(in, err);
}

static paimon_status show_records(pmn_inspection *in, const pmn_avro_block *block, pmn_slice plain, const pmn_avro_type *root, bool *first,
                                  paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(plain.data, plain.size);
    int64_t bound = root->min_bytes ? (int64_t)plain.size / root->min_bytes : INSPECT_EMPTY_RECORDS;
    if (block->n > bound)
        return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %zu: %lld records in %zu bytes", block->offset, (long long)block->n, plain.size);
    for (int64_t i = 0; i < block->n; i++, *first = false) {
        PMN_TRY(pmn_buf_append_text(&in->out, *first ? "\n  " : ",\n  ", err));
        PMN_TRY(pmn_avro_to_json(root, &c, &in->out, err));
    }
    if (pmn_cursor_left(&c))
        return pmn_fail(err, PAIMON_CORRUPT, "Avro block at byte %zu: %zu bytes are left behind its records", block->offset, pmn_cursor_left(&c));
    return PAIMON_OK;
}

static paimon_status show_blocks(pmn_inspection *in, const pmn_avro_header *header, const pmn_avro_type *root, pmn_decompressor *d, pmn_buf *scratch,
                                 paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(in->bytes.data, in->bytes.size);
    bool first = true;
    int64_t n_blocks = 0;
    PMN_TRY(pmn_buf_append_text(&in->out, "  \"records\" : [", err));
    if (!pmn_cursor_skip(&c, header->size)) return pmn_fail(err, PAIMON_INTERNAL, "Avro header past the file");
    for (bool more;; n_blocks++) {
        pmn_avro_block block;
        pmn_slice plain;
        PMN_TRY(pmn_avro_block_next(&c, header, &block, &more, err));
        if (!more) break;
        PMN_TRY(pmn_avro_block_open(d, header, &block, scratch, &plain, err));
        PMN_TRY(show_records(in, &block, plain, root, &first, err));
    }
    return pmn_buf_printf(&in->out, err, "%s],\n  \"blocks\" : %lld\n}", first ? " " : "\n  ", (long long)n_blocks);
}

static paimon_status show_container(pmn_inspection *in, bool with_schema, paimon_error *err)
{
    pmn_avro_header header;
    const pmn_avro_type *root;
    pmn_decompressor *d = NULL;
    pmn_buf scratch;
    PMN_TRY(with_schema ? pmn_inspection_read(in, err) : pmn_inspection_read_records(in, err));
    PMN_TRY(pmn_avro_header_parse(pmn_inspection_bytes(in), &header, err));
    PMN_TRY(pmn_avro_schema_parse(&in->arena, header.schema, &root, err));
    PMN_TRY(pmn_buf_printf(&in->out, err, "{\n  \"type\" : \"%s\",\n  \"codec\" : \"%s\",\n", in->type, pmn_codec_name(header.codec)));
    if (with_schema) {
        PMN_TRY(pmn_buf_append_text(&in->out, "  \"schema\" : ", err));
        PMN_TRY(pmn_buf_append(&in->out, header.schema.data, header.schema.size, err));
        PMN_TRY(pmn_buf_append_text(&in->out, ",\n", err));
    }
    PMN_TRY(pmn_decompressor_new(in->mem, &d, err));
    pmn_buf_init(&scratch, in->mem, INSPECT_BLOCK_CEILING);
    paimon_status status = show_blocks(in, &header, root, d, &scratch, err);
    pmn_buf_free(&scratch);
    pmn_decompressor_free(d);
    return status;
}

static paimon_status inspect_avro(pmn_inspection *in, paimon_error *err)
{
    paimon_status status = show_container(in, true, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", in->path);
    return status;
}

static paimon_status inspect_manifest_list(pmn_inspection *in, paimon_error *err)
{
    pmn_manifest_file *files;
    int32_t n;
    PMN_TRY(pmn_manifest_list_read(&in->arena, in->fs, in->path, -1, &files, &n, err));
    return show_container(in, false, err);
}

static paimon_status ignore_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    (void)ctx, (void)entry, (void)err;
    return PAIMON_OK;
}

static paimon_status inspect_manifest(pmn_inspection *in, paimon_error *err)
{
    pmn_manifest_visitor visitor = { .wanted = PMN_ENTRY_ALL, .entry = ignore_entry };
    PMN_TRY(pmn_manifest_read(in->mem, in->fs, in->path, -1, &visitor, err));
    return show_container(in, false, err);
}

static paimon_status inspect_index_manifest(pmn_inspection *in, paimon_error *err)
{
    pmn_index_entry *entries;
    int32_t n;
    PMN_TRY(pmn_index_manifest_read(&in->arena, in->fs, in->path, &entries, &n, err));
    return show_container(in, false, err);
}

static paimon_status inspect_format(pmn_inspection *in, const char *extension, paimon_error *err)
{
    const pmn_format *format;
    pmn_format_file *file = NULL;
    pmn_format_open_options options = { .mem = in->mem, .fs = in->fs, .path = in->path, .size_bytes = -1 };
    PMN_TRY(pmn_format_find(extension, &format, err));
    PMN_TRY(format->open(&options, &file, err));
    paimon_status status = file->ops->describe(file, &in->out, err);
    pmn_format_file_close(file);
    return status;
}

static paimon_status inspect_parquet(pmn_inspection *in, paimon_error *err) { return inspect_format(in, "parquet", err); }
static paimon_status inspect_orc(pmn_inspection *in, paimon_error *err) { return inspect_format(in, "orc", err); }

static const struct {
    const char *type;
    paimon_status (*show)(pmn_inspection *in, paimon_error *err);
    paimon_status (*rewrite)(pmn_inspection *in, paimon_error *err); /* NULL: not yet */
} inspectors[] = {
    { "schema", inspect_schema, pmn_rewrite_schema },
    { "snapshot", inspect_snapshot, pmn_rewrite_snapshot },
    { "tag", inspect_snapshot, NULL },
    { "changelog", inspect_snapshot, pmn_rewrite_snapshot },
    { "manifest-list", inspect_manifest_list, pmn_rewrite_manifest_list },
    { "index-manifest", inspect_index_manifest, pmn_rewrite_index_manifest },
    { "manifest", inspect_manifest, pmn_rewrite_manifest },
    { "split", pmn_inspect_split, pmn_rewrite_split },
    { "message", pmn_inspect_message, pmn_rewrite_message },
    { "messages", pmn_inspect_messages, pmn_rewrite_messages },
    { "committable", pmn_inspect_committable, pmn_rewrite_committable },
    { "avro", inspect_avro, NULL },
    { "parquet", inspect_parquet, NULL },
    { "orc", inspect_orc, NULL },
};

/* Known, but not built in yet. */
static const char *const refused_types[] = { "index", "deletion-vector", "statistics", "consumer", "blob" };

/* "manifest-list-" must be asked before "manifest-": both lie in one folder. */
static const char *type_from_name(const char *name)
{
    static const struct {
        const char *prefix, *type;
        bool digits_behind;
    } names[] = {
        { "schema-", "schema", true },       { "snapshot-", "snapshot", true },
        { "changelog-", "changelog", true }, { "tag-", "tag", false },
        { "manifest-list-", "manifest-list", false }, { "index-manifest-", "index-manifest", false },
        { "manifest-", "manifest", false },
    };
    int64_t id;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i].prefix);
        if (strncmp(name, names[i].prefix, n) != 0) continue;
        if (!names[i].digits_behind || pmn_parse_id(name + n, strlen(name + n), &id)) return names[i].type;
    }
    return NULL;
}

/* A container whose name says nothing may still be a data file of the table: only its bytes tell. */
static paimon_status find_type(pmn_inspection *in, paimon_error *err)
{
    uint8_t head[8] = { 0 };
    pmn_input *input = NULL;
    in->type = type_from_name(pmn_path_name(in->path));
    if (in->type) return PAIMON_OK;
    PMN_TRY(pmn_input_open(in->mem, in->fs, in->path, -1, &input, err));
    int64_t size = pmn_input_size(input);
    paimon_status status = pmn_input_read(input, 0, size < 8 ? size : 8, head, err);
    pmn_input_close(input);
    PMN_TRY(status);
    int64_t mark = (int64_t)pmn_load_be64(head);
    if (mark == PMN_SPLIT_MAGIC || mark == PMN_INDEXED_SPLIT_MAGIC || mark == PMN_SPLIT_ENVELOPE_MAGIC) {
        in->type = "split";
        return PAIMON_OK;
    }
    const pmn_format *format = pmn_format_sniff(pmn_slice_of(head, 4));
    if (!format) return pmn_fail(err, PAIMON_INVALID, "%s: neither its name nor its first bytes tell what it is; say the type, such as split, message, messages or committable", in->path);
    in->type = format->name;
    return PAIMON_OK;
}

static paimon_status inspect(pmn_inspection *in, bool rewrite, paimon_error *err)
{
    if (!in->type) PMN_TRY(find_type(in, err));
    for (size_t i = 0; i < sizeof inspectors / sizeof inspectors[0]; i++) {
        if (strcmp(in->type, inspectors[i].type) != 0) continue;
        if (!rewrite) return inspectors[i].show(in, err);
        if (inspectors[i].rewrite) return inspectors[i].rewrite(in, err);
        return pmn_fail(err, PAIMON_UNSUPPORTED, "rewriting files of type %s is not supported yet", in->type);
    }
    for (size_t i = 0; i < sizeof refused_types / sizeof refused_types[0]; i++)
        if (strcmp(in->type, refused_types[i]) == 0)
            return pmn_fail(err, PAIMON_UNSUPPORTED, "inspecting files of type %s is not supported yet", in->type);
    return pmn_fail(err, PAIMON_INVALID, "unknown type of file \"%.60s\"", in->type);
}

static paimon_status begin_inspection(pmn_inspection *in, paimon_env *env, paimon_error *err)
{
    env = pmn_env_or_default(env);
    in->mem = env->mem;
    PMN_TRY(pmn_env_fs(env, in->path, &in->fs, err));
    pmn_arena_init(&in->arena, in->mem);
    pmn_buf_init(&in->bytes, in->mem, INSPECT_FILE_CEILING);
    pmn_buf_init(&in->out, in->mem, INSPECT_JSON_CEILING);
    return PAIMON_OK;
}

static void end_inspection(pmn_inspection *in)
{
    pmn_buf_free(&in->out);
    pmn_buf_free(&in->bytes);
    pmn_arena_free(&in->arena);
}

paimon_status paimon_inspect_as(paimon_env *env, const char *path, const char *type, int32_t version, char **json, paimon_error *err)
{
    if (json) *json = NULL;
    if (!path || !json || version < 0) return pmn_fail(err, PAIMON_INVALID, "paimon_inspect: path or json is NULL, or the version below 0");
    pmn_inspection in = { .path = path, .type = type, .version = version };
    PMN_TRY(begin_inspection(&in, env, err));
    paimon_status status = inspect(&in, false, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_text(&in.out, "the JSON of a file", json, err);
    end_inspection(&in);
    return status;
}

paimon_status paimon_inspect(paimon_env *env, const char *path, const char *type, char **json, paimon_error *err)
{
    return paimon_inspect_as(env, path, type, 0, json, err);
}

paimon_status paimon_inspect_rewrite(paimon_env *env, const char *path, const char *type, int32_t version, uint8_t **bytes, size_t *n,
                                     paimon_error *err)
{
    if (bytes) *bytes = NULL;
    if (!path || !bytes || !n || version < 0)
        return pmn_fail(err, PAIMON_INVALID, "paimon_inspect_rewrite: path, bytes or n is NULL, or the version below 0");
    *n = 0;
    pmn_inspection in = { .path = path, .type = type, .version = version };
    PMN_TRY(begin_inspection(&in, env, err));
    paimon_status status = pmn_buf_handout_begin(&in.out, err);
    if (status == PAIMON_OK) status = inspect(&in, true, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_take(&in.out, bytes, n, err);
    end_inspection(&in);
    return status;
}
