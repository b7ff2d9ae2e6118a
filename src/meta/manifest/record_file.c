/* Reading Avro metadata files record by record. */
#include "meta/manifest/record_file.h"

#include <string.h>

#include "meta/manifest/columnar_records.h"

static paimon_status check_version(const pmn_avro_slot *slot, int64_t expected, paimon_error *err)
{
    int64_t found = 0;
    PMN_TRY(pmn_slot_long(slot, "_VERSION", &found, err));
    if (PMN_LIKELY(found == expected)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "_VERSION %lld (this library reads %lld)", (long long)found, (long long)expected);
}

static paimon_status visit_record(const pmn_avro_program *program, pmn_cursor *c, pmn_avro_slot *slots, const pmn_records_visitor *visitor,
                                  size_t block, paimon_error *err)
{
    size_t offset = pmn_cursor_offset(c);
    bool is_null, skip = false;
    PMN_TRY(pmn_avro_read_head(program, c, slots, &is_null, err));
    if (PMN_UNLIKELY(is_null)) return pmn_fail(err, PAIMON_CORRUPT, "null in place of the record");
    PMN_TRY(check_version(&slots[0], visitor->version, err));
    if (visitor->head) PMN_TRY(visitor->head(visitor->ctx, slots, &skip, err));
    if (skip) return pmn_avro_skip_tail(program, c, err);
    PMN_TRY(pmn_avro_read_tail(program, c, slots, err));
    return visitor->record(visitor->ctx, program, slots, block, offset, err);
}

static paimon_status visit_block(const pmn_avro_block *block, pmn_slice plain, const pmn_avro_program *program, pmn_avro_slot *slots,
                                 const pmn_records_visitor *visitor, paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(plain.data, plain.size);
    /* Every record has a version and so a byte at least: a lying count ends at the block's end. */
    for (int64_t i = 0; i < block->n; i++) {
        paimon_status status = visit_record(program, &c, slots, visitor, block->offset, err);
        if (PMN_UNLIKELY(status != PAIMON_OK)) {
            pmn_error_prefix(err, "record %lld of the block at byte %zu", (long long)i, block->offset);
            return status;
        }
    }
    if (pmn_cursor_left(&c) != 0)
        return pmn_fail(err, PAIMON_CORRUPT, "block at byte %zu: %zu bytes are left behind its %lld records", block->offset,
                        pmn_cursor_left(&c), (long long)block->n);
    return PAIMON_OK;
}

paimon_status pmn_records_visit(pmn_slice bytes, const pmn_avro_header *header, const pmn_avro_program *program, int n_slots,
                                pmn_decompressor *d, pmn_buf *scratch, const pmn_records_visitor *visitor, paimon_error *err)
{
    pmn_avro_slot slots[PMN_AVRO_MAX_WANTS];
    memset(slots, 0, (size_t)n_slots * sizeof slots[0]);
    pmn_cursor c = pmn_cursor_of(bytes.data, bytes.size);
    if (!pmn_cursor_skip(&c, header->size)) return pmn_fail(err, PAIMON_INTERNAL, "Avro header past the file");
    for (;;) {
        pmn_avro_block block;
        pmn_slice plain;
        bool more;
        PMN_TRY(pmn_avro_block_next(&c, header, &block, &more, err));
        if (!more) return PAIMON_OK;
        PMN_TRY(pmn_avro_block_open(d, header, &block, scratch, &plain, err));
        PMN_TRY(visit_block(&block, plain, program, slots, visitor, err));
    }
}

paimon_status pmn_records_read(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t size, const char *what, const pmn_avro_want *wants,
                               int n_wants, const pmn_records_visitor *visitor, paimon_error *err)
{
    paimon_status status;
    pmn_buf bytes, scratch;
    pmn_arena arena;
    pmn_decompressor *d = NULL;
    pmn_avro_header header;
    const pmn_avro_type *root;
    const pmn_avro_program *program;
    pmn_buf_init(&bytes, mem, PMN_METADATA_FILE_CEILING);
    pmn_buf_init(&scratch, mem, PMN_METADATA_BLOCK_CEILING);
    pmn_arena_init(&arena, mem);
    PMN_GOTO(status, pmn_fs_read_all(mem, fs, path, PMN_METADATA_FILE_CEILING, &bytes, err), done);
    if (size >= 0 && (uint64_t)size != bytes.size)
        status = pmn_fail(err, PAIMON_CORRUPT, "%zu bytes, but %lld are told where it is named", bytes.size, (long long)size);
    else
        status = pmn_records_make_avro(mem, fs, path, &bytes, err);
    pmn_slice file = pmn_slice_of(bytes.data, bytes.size);
    if (status == PAIMON_OK) status = pmn_avro_header_parse(file, &header, err);
    if (status == PAIMON_OK) status = pmn_avro_schema_parse(&arena, header.schema, &root, err);
    if (status == PAIMON_OK) status = pmn_avro_program_new(&arena, root, wants, n_wants, 1, &program, err);
    if (status == PAIMON_OK) status = pmn_decompressor_new(mem, &d, err);
    if (status == PAIMON_OK) status = pmn_records_visit(file, &header, program, n_wants, d, &scratch, visitor, err);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s %s", what, path);
done:
    pmn_decompressor_free(d);
    pmn_arena_free(&arena);
    pmn_buf_free(&scratch);
    pmn_buf_free(&bytes);
    return status;
}

paimon_status pmn_slot_long(const pmn_avro_slot *slot, const char *field, int64_t *out, paimon_error *err)
{
    if (PMN_UNLIKELY(!slot->present)) return pmn_fail(err, PAIMON_CORRUPT, "%s is null or missing", field);
    *out = slot->i;
    return PAIMON_OK;
}

paimon_status pmn_slot_int(const pmn_avro_slot *slot, const char *field, int32_t *out, paimon_error *err)
{
    int64_t value = 0;
    PMN_TRY(pmn_slot_long(slot, field, &value, err));
    if (PMN_UNLIKELY(value < INT32_MIN || value > INT32_MAX))
        return pmn_fail(err, PAIMON_CORRUPT, "%s is %lld, which is no 32-bit number", field, (long long)value);
    *out = (int32_t)value;
    return PAIMON_OK;
}

paimon_status pmn_slot_bytes(const pmn_avro_slot *slot, const char *field, pmn_slice *out, paimon_error *err)
{
    if (PMN_UNLIKELY(!slot->present)) return pmn_fail(err, PAIMON_CORRUPT, "%s is null or missing", field);
    *out = slot->bytes;
    return PAIMON_OK;
}

paimon_status pmn_slot_text(const pmn_avro_slot *slot, const char *field, pmn_arena *arena, const char **out, paimon_error *err)
{
    *out = NULL;
    if (!slot->present) return PAIMON_OK;
    if (PMN_UNLIKELY(memchr(slot->bytes.data, 0, slot->bytes.size) != NULL)) return pmn_fail(err, PAIMON_CORRUPT, "%s has a zero byte in it", field);
    *out = pmn_arena_strndup(arena, (const char *)slot->bytes.data, slot->bytes.size);
    return *out ? PAIMON_OK : pmn_fail_nomem(err, field);
}

paimon_status pmn_slot_longs(const pmn_avro_program *program, const pmn_avro_slot *slots, int k, int64_t null_value, pmn_arena *arena,
                             const int64_t **out, int32_t *n, paimon_error *err)
{
    *out = NULL;
    *n = -1;
    if (!slots[k].present) return PAIMON_OK;
    return pmn_avro_items_longs(arena, pmn_avro_program_type(program, k), slots[k].bytes, null_value, out, n, err);
}

paimon_status pmn_slot_texts(const pmn_avro_program *program, const pmn_avro_slot *slots, int k, pmn_arena *arena, const char ***out, int32_t *n,
                             paimon_error *err)
{
    *out = NULL;
    *n = -1;
    if (!slots[k].present) return PAIMON_OK;
    return pmn_avro_items_texts(arena, pmn_avro_program_type(program, k), slots[k].bytes, out, n, err);
}
