/* Thrift's compact protocol, reading side: the encoding of Parquet's footer, page headers and indexes.
 *
 *   field header   1 byte: id step (high 4 bits) and type (low 4); a step of 0 is followed by the id as a zigzag varint
 *   bool field     no bytes: the type says it (1 true, 2 false); inside a list one byte
 *   i16 i32 i64    zigzag varint          byte    1 byte          double   8 bytes, little-endian
 *   binary         varint length, bytes   struct  fields up to a stop byte (0)
 *   list, set      1 byte: size (high 4 bits, 15: a varint follows) and element type (low 4)
 *   map            varint size; if not 0, one byte of key and value type
 *
 * Nothing here allocates. A struct is read by a loop:
 *
 *   pmn_thrift_struct s;
 *   pmn_thrift_field f;
 *   PMN_TRY(pmn_thrift_begin(t, &s));
 *   while (true) {
 *       PMN_TRY(pmn_thrift_next(t, &s, &f));
 *       if (f.type == PMN_THRIFT_STOP) break;
 *       switch (f.id) {
 *       case 1: PMN_TRY(pmn_thrift_i32(t, &f, &out->version)); break;
 *       default: PMN_TRY(pmn_thrift_skip(t, &f));
 *       }
 *   }
 */
#ifndef PMN_FORMAT_PARQUET_THRIFT_H
#define PMN_FORMAT_PARQUET_THRIFT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/status.h"

/* Structs, lists and maps inside each other, counted while reading and while skipping. */
#define PMN_THRIFT_MAX_DEPTH 64

typedef enum pmn_thrift_type {
    PMN_THRIFT_STOP = 0,
    PMN_THRIFT_TRUE = 1,
    PMN_THRIFT_FALSE = 2,
    PMN_THRIFT_BYTE = 3,
    PMN_THRIFT_I16 = 4,
    PMN_THRIFT_I32 = 5,
    PMN_THRIFT_I64 = 6,
    PMN_THRIFT_DOUBLE = 7,
    PMN_THRIFT_BINARY = 8,
    PMN_THRIFT_LIST = 9,
    PMN_THRIFT_SET = 10,
    PMN_THRIFT_MAP = 11,
    PMN_THRIFT_STRUCT = 12,
    PMN_THRIFT_UUID = 13
} pmn_thrift_type;

typedef struct pmn_thrift {
    pmn_cursor cursor;
    int64_t base;     /* file offset of the cursor's first byte, for messages */
    const char *what; /* "footer", "page header": for messages */
    paimon_error *err;
    int depth;
} pmn_thrift;

typedef struct pmn_thrift_struct {
    int32_t last_id;
} pmn_thrift_struct;

typedef struct pmn_thrift_field {
    int32_t id;
    uint8_t type; /* pmn_thrift_type */
} pmn_thrift_field;

/* A list or set being read: `left` counts down. An element is read with `pmn_thrift_item`, whose field stands for it. */
typedef struct pmn_thrift_list {
    int32_t size;
    uint8_t type;
} pmn_thrift_list;

static inline pmn_thrift pmn_thrift_of(pmn_slice bytes, int64_t base, const char *what, paimon_error *err)
{
    pmn_thrift t = { pmn_cursor_of(bytes.data, bytes.size), base, what, err, 0 };
    return t;
}

/* PAIMON_CORRUPT with what is read and the file offset: "footer at byte 1234: <format>". */
paimon_status pmn_thrift_corrupt(pmn_thrift *t, const char *format, ...) PMN_PRINTF(2, 3);

/* Begin a struct; its last pmn_thrift_next, which gives STOP, ends it. */
paimon_status pmn_thrift_begin(pmn_thrift *t, pmn_thrift_struct *s) PMN_MUST_USE;
paimon_status pmn_thrift_next(pmn_thrift *t, pmn_thrift_struct *s, pmn_thrift_field *f) PMN_MUST_USE;
/* Pass over the value of `f`, whatever it is. */
paimon_status pmn_thrift_skip(pmn_thrift *t, const pmn_thrift_field *f) PMN_MUST_USE;

/* The value of `f`, whose type is checked: any integer type for integers, which must fit. */
paimon_status pmn_thrift_bool(pmn_thrift *t, const pmn_thrift_field *f, bool *out) PMN_MUST_USE;
paimon_status pmn_thrift_i32(pmn_thrift *t, const pmn_thrift_field *f, int32_t *out) PMN_MUST_USE;
paimon_status pmn_thrift_i64(pmn_thrift *t, const pmn_thrift_field *f, int64_t *out) PMN_MUST_USE;
paimon_status pmn_thrift_binary(pmn_thrift *t, const pmn_thrift_field *f, pmn_slice *out) PMN_MUST_USE; /* borrowed from the bytes */
/* PAIMON_CORRUPT unless `f` has this type: before a struct is begun. */
paimon_status pmn_thrift_expect(pmn_thrift *t, const pmn_thrift_field *f, pmn_thrift_type type) PMN_MUST_USE;

/* The header of a list; its size is at most the bytes left, so that it may be allocated for (an element takes a byte at least).
 * Elements are read like fields: pass `pmn_thrift_item(&list)`. */
paimon_status pmn_thrift_list_begin(pmn_thrift *t, const pmn_thrift_field *f, pmn_thrift_list *list) PMN_MUST_USE;
/* The field that stands for the list's elements. Bools in lists have a byte of their own: use pmn_thrift_item_bool. */
static inline pmn_thrift_field pmn_thrift_item(const pmn_thrift_list *list)
{
    pmn_thrift_field f = { 0, list->type };
    return f;
}
paimon_status pmn_thrift_item_bool(pmn_thrift *t, const pmn_thrift_list *list, bool *out) PMN_MUST_USE;

#endif
