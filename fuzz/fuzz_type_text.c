/* Type strings: what parses prints, parses again as the same type, and goes through JSON unchanged. */
#include <stdlib.h>
#include <string.h>

#include "types/type_json.h"

static void check(int ok)
{
    if (!ok) abort();
}

static void reparse(pmn_arena *arena, const pmn_type *type)
{
    pmn_buf text, json;
    const pmn_type *again;
    pmn_json *parsed;
    pmn_buf_init(&text, arena->mem, PMN_BUF_NO_CEILING);
    pmn_buf_init(&json, arena->mem, PMN_BUF_NO_CEILING);
    check(pmn_type_print(type, &text, NULL) == PAIMON_OK && pmn_buf_terminate(&text, NULL) == PAIMON_OK);
    check(pmn_type_parse(arena, (const char *)text.data, &again, NULL) == PAIMON_OK && pmn_type_equal(type, again));
    check(pmn_type_to_json(&json, type, 0, NULL) == PAIMON_OK);
    /* JSON is UTF-8: names that are not come out as other names. */
    if (pmn_json_parse(pmn_slice_of(json.data, json.size), &parsed, NULL) == PAIMON_OK) {
        (void)!pmn_type_from_json(arena, parsed, &again, NULL);
        pmn_json_free(parsed);
    }
    struct ArrowSchema schema;
    pmn_field field = { 0, "x", type, NULL, NULL };
    if (pmn_field_to_arrow(arena->mem, &field, &schema, NULL) == PAIMON_OK) {
        check(pmn_type_from_arrow(arena, &schema, &again, NULL) != PAIMON_INVALID);
        schema.release(&schema);
    }
    pmn_buf_free(&text);
    pmn_buf_free(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_mem *mem = pmn_mem_new(NULL, 256 << 20);
    pmn_arena arena;
    pmn_arena_init(&arena, mem);
    char *text = pmn_arena_strndup(&arena, (const char *)data, size);
    const pmn_type *type;
    if (text && pmn_type_parse(&arena, text, &type, NULL) == PAIMON_OK) reparse(&arena, type);
    pmn_arena_free(&arena);
    pmn_mem_release(mem);
    return 0;
}
