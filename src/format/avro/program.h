/* Reading a few fields out of Avro records fast: the writer's schema and a list of wanted fields become a flat list of
 * operations, each of which reads a value into a slot or skips one.
 *
 * Fields are found by name, in whatever order and nesting of nullable records the writer had them; unknown ones are skipped,
 * missing ones are absent. Unions of null and a type are taken either way round. */
#ifndef PMN_FORMAT_AVRO_PROGRAM_H
#define PMN_FORMAT_AVRO_PROGRAM_H

#include "base/cursor.h"
#include "format/avro/schema.h"

typedef enum pmn_avro_want_kind {
    PMN_AVRO_WANT_LONG,  /* int, long (also with a logical type) */
    PMN_AVRO_WANT_BYTES, /* bytes, string, fixed: the value, borrowed from the block */
    PMN_AVRO_WANT_ITEMS  /* array: its encoded blocks, borrowed; walk them with pmn_avro_items */
} pmn_avro_want_kind;

typedef struct pmn_avro_want {
    const char *path; /* names from the root record down, joined by '/'; NULL: nothing, the slot stays absent */
    pmn_avro_want_kind kind;
} pmn_avro_want;

#define PMN_AVRO_MAX_WANTS 64

/* One value: `present` false for null and for a field that the writer did not have. */
typedef struct pmn_avro_slot {
    bool present;
    int64_t i;
    pmn_slice bytes;
} pmn_avro_slot;

typedef struct pmn_avro_program pmn_avro_program;

/* Slot k gets the field of wants[k]. The first `n_head` wants are the head: what the caller must see before it decides whether to
 * read or to skip the rest of a record. `root`: a record, or a union of null and one. Everything lands in the arena. PAIMON_CORRUPT
 * names a wanted field of another type than asked. */
paimon_status pmn_avro_program_new(pmn_arena *arena, const pmn_avro_type *root, const pmn_avro_want *wants, int n_wants, int n_head,
                                   const pmn_avro_program **out, paimon_error *err) PMN_MUST_USE;
/* Whether the writer has the field of want k; its type, null taken away (NULL if not). */
const pmn_avro_type *pmn_avro_program_type(const pmn_avro_program *program, int k);

/* One record at the cursor: head, then exactly one of tail and skip. Slots are the caller's, n_wants of them, zeroed before the first
 * record; each record overwrites all that it has. `*is_null` is set for a null in place of the record: it has no tail. Errors name
 * the field. */
paimon_status pmn_avro_read_head(const pmn_avro_program *program, pmn_cursor *c, pmn_avro_slot *slots, bool *is_null, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_avro_read_tail(const pmn_avro_program *program, pmn_cursor *c, pmn_avro_slot *slots, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_avro_skip_tail(const pmn_avro_program *program, pmn_cursor *c, paimon_error *err) PMN_MUST_USE;

/* Skip one datum of any type. */
bool pmn_avro_skip(const pmn_avro_type *type, pmn_cursor *c) PMN_MUST_USE;

/* Walking the items of an array (or the entries of a map): blocks of (count, items) until a count of 0; a negative count has the
 * block's size in bytes behind it. */
typedef struct pmn_avro_items {
    pmn_cursor c;
    const pmn_avro_type *item;
    bool is_map;
    int64_t left;             /* in this block */
    const uint8_t *block_end; /* where its told size ends; NULL: not told */
} pmn_avro_items;
pmn_avro_items pmn_avro_items_of(const pmn_avro_type *array, pmn_slice encoded);
/* `*more`: an item stands at it->c, and the caller reads exactly that. False: the bytes are damaged. */
bool pmn_avro_items_next(pmn_avro_items *it, bool *more) PMN_MUST_USE;

/* The branch of a nullable datum (or no branch, if `type` is not a union): `*is_null`, and what follows otherwise. */
bool pmn_avro_take_nullable(pmn_cursor *c, const pmn_avro_type *type, const pmn_avro_type **value, bool *is_null) PMN_MUST_USE;

/* All items of an array of integers (null: `null_value`), or of texts (null is PAIMON_CORRUPT), into the arena. */
paimon_status pmn_avro_items_longs(pmn_arena *arena, const pmn_avro_type *array, pmn_slice encoded, int64_t null_value, const int64_t **out,
                                   int32_t *n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_avro_items_texts(pmn_arena *arena, const pmn_avro_type *array, pmn_slice encoded, const char ***out, int32_t *n,
                                   paimon_error *err) PMN_MUST_USE;

#endif
