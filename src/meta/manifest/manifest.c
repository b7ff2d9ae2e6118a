/* Manifests: kept compressed, visited entry by entry, and looked at again one entry at a time. */
#include "meta/manifest/manifest.h"

#include <stdatomic.h>
#include <string.h>

#include "meta/manifest/block_cache.h"
#include "meta/manifest/columnar_records.h"
#include "meta/manifest/file_row.h"
#include "meta/manifest/manifest_entry.h"
#include "meta/manifest/record_row.h"

struct pmn_manifest {
    pmn_mem *mem; /* retained */
    atomic_int refs;
    char *path;
    pmn_buf bytes;
    pmn_avro_header header; /* its schema points into bytes */
};

paimon_status pmn_manifest_load(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t size, pmn_manifest **out, paimon_error *err)
{
    *out = NULL;
    pmn_manifest *m = pmn_calloc(mem, 1, sizeof *m);
    if (!m) return pmn_fail_nomem(err, "manifest");
    m->mem = pmn_mem_retain(mem);
    atomic_init(&m->refs, 1);
    pmn_buf_init(&m->bytes, mem, PMN_METADATA_FILE_CEILING);
    paimon_status status = PAIMON_OK;
    m->path = pmn_strndup(mem, path, strlen(path));
    if (!m->path) status = pmn_fail_nomem(err, "manifest");
    if (status == PAIMON_OK) status = pmn_fs_read_all(mem, fs, path, PMN_METADATA_FILE_CEILING, &m->bytes, err);
    if (status == PAIMON_OK) {
        if (size >= 0 && (uint64_t)size != m->bytes.size)
            status = pmn_fail(err, PAIMON_CORRUPT, "%zu bytes, but %lld are told in its manifest list", m->bytes.size, (long long)size);
        else
            status = pmn_records_make_avro(mem, fs, path, &m->bytes, err);
        if (status == PAIMON_OK) status = pmn_avro_header_parse(pmn_slice_of(m->bytes.data, m->bytes.size), &m->header, err);
        if (status != PAIMON_OK) pmn_error_prefix(err, "manifest %s", path);
    }
    if (status != PAIMON_OK) {
        pmn_manifest_release(m);
        return status;
    }
    *out = m;
    return PAIMON_OK;
}

pmn_manifest *pmn_manifest_retain(pmn_manifest *manifest)
{
    atomic_fetch_add_explicit(&manifest->refs, 1, memory_order_relaxed);
    return manifest;
}

void pmn_manifest_release(pmn_manifest *manifest)
{
    if (!manifest || atomic_fetch_sub_explicit(&manifest->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = manifest->mem;
    pmn_buf_free(&manifest->bytes);
    pmn_strfree(mem, manifest->path);
    pmn_free(mem, manifest, sizeof *manifest);
    pmn_mem_release(mem);
}

size_t pmn_manifest_bytes(const pmn_manifest *manifest) { return manifest->bytes.capacity; }

/* Programs by the writer's schema: the manifests of a table have one or a few, and parsing it costs more than 100 entries. */
#define LENS_PROGRAMS 4
typedef struct lens_program {
    pmn_arena arena; /* of all below */
    pmn_slice schema;
    unsigned wanted;
    const pmn_avro_program *program; /* NULL: empty */
    int32_t row_fields; /* of record_row.h */
} lens_program;

struct pmn_manifest_lens {
    pmn_mem *mem; /* retained */
    pmn_decompressor *d;
    lens_program programs[LENS_PROGRAMS];
    int next_program;
    pmn_manifest *looked_at; /* retained: that of the single look before, and its program; NULL: none */
    const lens_program *look_program;
    pmn_avro_slot look_slots[PMN_AVRO_MAX_WANTS]; /* what the program never fills stays absent */
    pmn_buf scratch;  /* the block that a visit is in */
    pmn_arena texts;  /* of the entry that is shown */
    pmn_block_cache blocks; /* of single looks */
};

#define LENS_TEXTS_KEPT ((size_t)128 << 10) /* texts of shown entries are freed when there are more */

paimon_status pmn_manifest_lens_new(pmn_mem *mem, size_t cache_bytes, pmn_manifest_lens **out, paimon_error *err)
{
    *out = NULL;
    pmn_manifest_lens *lens = pmn_calloc(mem, 1, sizeof *lens);
    if (!lens) return pmn_fail_nomem(err, "manifest decoder");
    lens->mem = pmn_mem_retain(mem);
    for (int i = 0; i < LENS_PROGRAMS; i++) pmn_arena_init(&lens->programs[i].arena, mem);
    pmn_buf_init(&lens->scratch, mem, PMN_METADATA_BLOCK_CEILING);
    pmn_arena_init(&lens->texts, mem);
    paimon_status status = pmn_block_cache_init(&lens->blocks, mem, cache_bytes, err);
    if (status == PAIMON_OK) status = pmn_decompressor_new(mem, &lens->d, err);
    if (status != PAIMON_OK) {
        pmn_manifest_lens_free(lens);
        return status;
    }
    *out = lens;
    return PAIMON_OK;
}

/* Its program may be gone. */
static void forget_look(pmn_manifest_lens *lens)
{
    pmn_manifest_release(lens->looked_at);
    lens->looked_at = NULL;
}

void pmn_manifest_lens_free(pmn_manifest_lens *lens)
{
    if (!lens) return;
    pmn_mem *mem = lens->mem;
    forget_look(lens);
    pmn_block_cache_free(&lens->blocks);
    for (int i = 0; i < LENS_PROGRAMS; i++) pmn_arena_free(&lens->programs[i].arena);
    pmn_arena_free(&lens->texts);
    pmn_buf_free(&lens->scratch);
    pmn_decompressor_free(lens->d);
    pmn_free(mem, lens, sizeof *lens);
    pmn_mem_release(mem);
}

static paimon_status make_program(lens_program *slot, pmn_slice schema, unsigned wanted, paimon_error *err)
{
    pmn_avro_want wants[PMN_AVRO_MAX_WANTS];
    int n_wants = pmn_entry_wants(wanted, wants);
    const pmn_avro_type *root;
    const pmn_avro_program *program;
    const void *copy = pmn_arena_copy(&slot->arena, schema.data, schema.size);
    if (!copy) return pmn_fail_nomem(err, "manifest decoder");
    PMN_TRY(pmn_avro_schema_parse(&slot->arena, schema, &root, err));
    PMN_TRY(pmn_avro_program_new(&slot->arena, root, wants, n_wants, PMN_ENTRY_N_HEAD, &program, err));
    slot->schema = pmn_slice_of(copy, schema.size);
    slot->wanted = wanted;
    slot->program = program;
    slot->row_fields = pmn_record_row_fields(root);
    return PAIMON_OK;
}

static paimon_status find_program(pmn_manifest_lens *lens, pmn_slice schema, unsigned wanted, const lens_program **out, paimon_error *err)
{
    for (int i = 0; i < LENS_PROGRAMS; i++) {
        lens_program *slot = &lens->programs[i];
        if (slot->program && slot->wanted == wanted && pmn_slice_equal(slot->schema, schema)) {
            *out = slot;
            return PAIMON_OK;
        }
    }
    lens_program *slot = &lens->programs[lens->next_program];
    forget_look(lens);
    slot->program = NULL;
    pmn_arena_free(&slot->arena);
    PMN_TRY(make_program(slot, schema, wanted, err));
    lens->next_program = (lens->next_program + 1) % LENS_PROGRAMS;
    *out = slot;
    return PAIMON_OK;
}

typedef struct entry_visit {
    const pmn_manifest_visitor *visitor;
    pmn_manifest_lens *lens;
} entry_visit;

static paimon_status visit_head(void *ctx, const pmn_avro_slot *slots, bool *skip, paimon_error *err)
{
    const entry_visit *visit = ctx;
    pmn_manifest_entry head;
    PMN_TRY(pmn_entry_head(slots, &head, err));
    *skip = !visit->visitor->filter(visit->visitor->ctx, head.kind, head.partition, head.bucket, head.total_buckets);
    return PAIMON_OK;
}

static paimon_status visit_entry(void *ctx, const pmn_avro_program *program, const pmn_avro_slot *slots, size_t block, size_t offset,
                                 paimon_error *err)
{
    const entry_visit *visit = ctx;
    pmn_manifest_entry entry;
    if (visit->lens->texts.total > LENS_TEXTS_KEPT) pmn_arena_free(&visit->lens->texts);
    PMN_TRY(pmn_entry_from_slots(program, slots, visit->visitor->wanted, &visit->lens->texts, &entry, err));
    entry.place.block = (uint32_t)block; /* both are below the ceilings of file and block */
    entry.place.offset = (uint32_t)offset;
    return visit->visitor->entry(visit->visitor->ctx, &entry, err);
}

static paimon_status visit_with(pmn_manifest_lens *lens, const pmn_manifest *manifest, const pmn_manifest_visitor *visitor, paimon_error *err)
{
    const lens_program *found = NULL;
    entry_visit visit = { visitor, lens };
    pmn_avro_want wants[PMN_AVRO_MAX_WANTS];
    pmn_records_visitor records = { &visit, visitor->filter ? visit_head : NULL, visit_entry, 2 };
    pmn_slice bytes = pmn_slice_of(manifest->bytes.data, manifest->bytes.size);
    PMN_TRY(find_program(lens, manifest->header.schema, visitor->wanted, &found, err));
    return pmn_records_visit(bytes, &manifest->header, found->program, pmn_entry_wants(visitor->wanted, wants), lens->d, &lens->scratch, &records, err);
}

paimon_status pmn_manifest_visit(const pmn_manifest *manifest, const pmn_manifest_visitor *visitor, paimon_error *err)
{
    pmn_manifest_lens *lens = visitor->lens, *own = NULL;
    if (!lens) PMN_TRY(pmn_manifest_lens_new(manifest->mem, 0, &own, err));
    paimon_status status = visit_with(lens ? lens : own, manifest, visitor, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "manifest %s", manifest->path);
    pmn_manifest_lens_free(own);
    return status;
}

paimon_status pmn_manifest_read(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t size, const pmn_manifest_visitor *visitor,
                                paimon_error *err)
{
    pmn_manifest *manifest = NULL;
    PMN_TRY(pmn_manifest_load(mem, fs, path, size, &manifest, err));
    paimon_status status = pmn_manifest_visit(manifest, visitor, err);
    pmn_manifest_release(manifest);
    return status;
}

static paimon_status decompress_block(pmn_manifest_lens *lens, const pmn_manifest *manifest, uint32_t block, pmn_slice *out, paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(manifest->bytes.data, manifest->bytes.size);
    const pmn_cached_block *cached = NULL;
    pmn_avro_block found;
    bool more = false;
    if (block < manifest->header.size || !pmn_cursor_skip(&c, block)) return pmn_fail(err, PAIMON_INVALID, "no block at byte %u", (unsigned)block);
    PMN_TRY(pmn_avro_block_next(&c, &manifest->header, &found, &more, err));
    if (!more) return pmn_fail(err, PAIMON_INVALID, "no block at byte %u", (unsigned)block);
    PMN_TRY(pmn_avro_block_open(lens->d, &manifest->header, &found, &lens->scratch, out, err));
    if (manifest->header.codec == PMN_CODEC_NONE) return PAIMON_OK;
    cached = pmn_block_cache_put(&lens->blocks, (pmn_manifest *)(uintptr_t)manifest, block, &lens->scratch); /* only its count changes */
    *out = pmn_slice_of(cached->bytes, cached->size);
    return PAIMON_OK;
}

static paimon_status look_up_block(pmn_manifest_lens *lens, const pmn_manifest *manifest, uint32_t block, pmn_slice *out, paimon_error *err)
{
    const pmn_cached_block *cached = pmn_block_cache_find(&lens->blocks, manifest, block);
    if (!cached) return decompress_block(lens, manifest, block, out, err);
    *out = pmn_slice_of(cached->bytes, cached->size);
    return PAIMON_OK;
}

/* Looks come in runs from one manifest: its schema is not compared each time. */
static paimon_status find_look_program(pmn_manifest_lens *lens, const pmn_manifest *manifest, paimon_error *err)
{
    if (PMN_LIKELY(lens->looked_at == manifest)) return PAIMON_OK;
    const lens_program *program = NULL;
    PMN_TRY(find_program(lens, manifest->header.schema, PMN_ENTRY_ALL, &program, err));
    forget_look(lens);
    lens->looked_at = pmn_manifest_retain((pmn_manifest *)(uintptr_t)manifest); /* only its count changes */
    lens->look_program = program;
    memset(lens->look_slots, 0, sizeof lens->look_slots);
    return PAIMON_OK;
}

/* The record at `place`, for the program that is found with it. */
static paimon_status find_record(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, pmn_cursor *c, paimon_error *err)
{
    pmn_slice block = { NULL, 0 };
    PMN_TRY(find_look_program(lens, manifest, err));
    PMN_TRY(look_up_block(lens, manifest, place.block, &block, err));
    *c = pmn_cursor_of(block.data, block.size);
    if (!pmn_cursor_skip(c, place.offset)) return pmn_fail(err, PAIMON_INVALID, "no entry at byte %u of the block", (unsigned)place.offset);
    return PAIMON_OK;
}

static paimon_status decode_record(pmn_manifest_lens *lens, pmn_cursor c, pmn_manifest_entry *entry, paimon_error *err)
{
    const pmn_avro_program *program = lens->look_program->program;
    pmn_avro_slot *slots = lens->look_slots;
    bool is_null;
    if (lens->texts.total > LENS_TEXTS_KEPT) pmn_arena_free(&lens->texts);
    PMN_TRY(pmn_avro_read_head(program, &c, slots, &is_null, err));
    if (is_null) return pmn_fail(err, PAIMON_CORRUPT, "null in place of the record");
    PMN_TRY(pmn_avro_read_tail(program, &c, slots, err));
    return pmn_entry_from_slots(program, slots, PMN_ENTRY_ALL, &lens->texts, entry, err);
}

static paimon_status look_at_entry(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, pmn_manifest_entry *entry,
                                   paimon_error *err)
{
    pmn_cursor c;
    PMN_TRY(find_record(lens, manifest, place, &c, err));
    PMN_TRY(decode_record(lens, c, entry, err));
    entry->place = place;
    return PAIMON_OK;
}

static paimon_status row_of_entry(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, int32_t arity, pmn_buf *out,
                                  paimon_error *err)
{
    pmn_cursor c;
    pmn_manifest_entry entry;
    bool done = false;
    PMN_TRY(find_record(lens, manifest, place, &c, err));
    if (lens->look_program->row_fields > 0) PMN_TRY(pmn_record_row_write(c, lens->look_program->row_fields, arity, out, &done, err));
    if (PMN_LIKELY(done)) return PAIMON_OK;
    PMN_TRY(decode_record(lens, c, &entry, err));
    return pmn_file_row_write(out, &entry.file, arity, err);
}

static PMN_NOINLINE void tell_place(const pmn_manifest *manifest, pmn_entry_place place, paimon_error *err)
{
    pmn_error_prefix(err, "manifest %s, entry at byte %u of the block at byte %u", manifest->path, (unsigned)place.offset, (unsigned)place.block);
}

paimon_status pmn_manifest_lens_look(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, pmn_manifest_entry *out,
                                     paimon_error *err)
{
    paimon_status status = look_at_entry(lens, manifest, place, out, err);
    if (status != PAIMON_OK) tell_place(manifest, place, err);
    return status;
}

paimon_status pmn_manifest_lens_row(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, int32_t arity, pmn_buf *out,
                                    paimon_error *err)
{
    paimon_status status = row_of_entry(lens, manifest, place, arity, out, err);
    if (PMN_UNLIKELY(status != PAIMON_OK)) tell_place(manifest, place, err);
    return status;
}

paimon_status pmn_manifest_lens_entry(pmn_manifest_lens *lens, const pmn_manifest *manifest, pmn_entry_place place, pmn_arena *arena,
                                      pmn_manifest_entry *out, paimon_error *err)
{
    pmn_manifest_entry entry;
    PMN_TRY(pmn_manifest_lens_look(lens, manifest, place, &entry, err));
    return pmn_manifest_entry_copy(arena, &entry, out, err);
}
