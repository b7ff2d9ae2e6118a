/* What the manifest list, the manifest and the index manifest have in common: an Avro container of versioned records. Private to
 * this room. */
#ifndef PMN_META_RECORD_FILE_H
#define PMN_META_RECORD_FILE_H

#include "base/buf.h"
#include "codec/codec.h"
#include "format/avro/container.h"
#include "format/avro/program.h"
#include "io/fs.h"

/* A metadata file is read whole; Paimon aims at 8 MB. */
#define PMN_METADATA_FILE_CEILING ((size_t)1 << 30)
/* Paimon Java cuts blocks at 64 KB. */
#define PMN_METADATA_BLOCK_CEILING ((size_t)64 << 20)

typedef struct pmn_records_visitor {
    void *ctx;
    /* After the head of a record; `*skip` starts false. NULL: take all. */
    paimon_status (*head)(void *ctx, const pmn_avro_slot *slots, bool *skip, paimon_error *err);
    /* `block`: file offset of the record's block; `offset`: of the record in the decompressed block. */
    paimon_status (*record)(void *ctx, const pmn_avro_program *program, const pmn_avro_slot *slots, size_t block, size_t offset, paimon_error *err);
    int64_t version; /* what slot 0, _VERSION, has to be */
} pmn_records_visitor;

/* Every record of the file. Errors name block and record; the caller adds the file. Slot values live until the block's end. */
paimon_status pmn_records_visit(pmn_slice bytes, const pmn_avro_header *header, const pmn_avro_program *program, int n_slots,
                                pmn_decompressor *d, pmn_buf *scratch, const pmn_records_visitor *visitor, paimon_error *err) PMN_MUST_USE;

/* The whole of a small file: read, parse, visit, with everything temporary freed. */
paimon_status pmn_records_read(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t size, const char *what, const pmn_avro_want *wants,
                               int n_wants, const pmn_records_visitor *visitor, paimon_error *err) PMN_MUST_USE;

/* Slot values, checked. `field` is for messages. */
paimon_status pmn_slot_long(const pmn_avro_slot *slot, const char *field, int64_t *out, paimon_error *err) PMN_MUST_USE;     /* null: PAIMON_CORRUPT */
paimon_status pmn_slot_int(const pmn_avro_slot *slot, const char *field, int32_t *out, paimon_error *err) PMN_MUST_USE;      /* and in 32 bits */
paimon_status pmn_slot_bytes(const pmn_avro_slot *slot, const char *field, pmn_slice *out, paimon_error *err) PMN_MUST_USE;  /* borrowed */
paimon_status pmn_slot_text(const pmn_avro_slot *slot, const char *field, pmn_arena *arena, const char **out, paimon_error *err) PMN_MUST_USE; /* null: NULL */
/* The items of a list, in the arena: *n = -1 for null. */
paimon_status pmn_slot_longs(const pmn_avro_program *program, const pmn_avro_slot *slots, int k, int64_t null_value, pmn_arena *arena,
                             const int64_t **out, int32_t *n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_slot_texts(const pmn_avro_program *program, const pmn_avro_slot *slots, int k, pmn_arena *arena, const char ***out, int32_t *n,
                             paimon_error *err) PMN_MUST_USE;
static inline int64_t pmn_slot_long_or(const pmn_avro_slot *slot, int64_t fallback) { return slot->present ? slot->i : fallback; }

#endif
