/* Any Avro container, shown as JSON: header, schema, blocks, every codec, every type. */
#include <stddef.h>
#include <stdint.h>

#include "format/avro/container.h"
#include "format/avro/json.h"
#include "format/avro/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void show_block(const pmn_avro_type *root, int64_t n, pmn_slice plain, pmn_buf *json)
{
    pmn_cursor c = pmn_cursor_of(plain.data, plain.size), skipper = c;
    for (int64_t i = 0; i < n && i < 10000; i++) {
        pmn_buf_clear(json);
        if (pmn_avro_to_json(root, &c, json, NULL) != PAIMON_OK) return;
        /* What is shown can be skipped, to the same place. */
        if (!pmn_avro_skip(root, &skipper) || skipper.pos != c.pos) __builtin_trap();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_mem *mem = pmn_mem_default();
    pmn_avro_header header;
    const pmn_avro_type *root;
    pmn_arena arena;
    pmn_buf scratch, json;
    pmn_decompressor *d = NULL;
    pmn_arena_init(&arena, mem);
    pmn_buf_init(&scratch, mem, 1 << 20);
    pmn_buf_init(&json, mem, 1 << 20);
    if (pmn_avro_header_parse(pmn_slice_of(data, size), &header, NULL) == PAIMON_OK &&
        pmn_avro_schema_parse(&arena, header.schema, &root, NULL) == PAIMON_OK && pmn_decompressor_new(mem, &d, NULL) == PAIMON_OK) {
        pmn_cursor c = pmn_cursor_of(data, size);
        bool more = pmn_cursor_skip(&c, header.size);
        while (more) {
            pmn_avro_block block;
            pmn_slice plain;
            if (pmn_avro_block_next(&c, &header, &block, &more, NULL) != PAIMON_OK || !more) break;
            if (pmn_avro_block_open(d, &header, &block, &scratch, &plain, NULL) == PAIMON_OK) show_block(root, block.n, plain, &json);
        }
    }
    pmn_decompressor_free(d);
    pmn_buf_free(&json);
    pmn_buf_free(&scratch);
    pmn_arena_free(&arena);
    return 0;
}
