/* Random batches with every column type a predicate takes, in buffers that end exactly with their last value, so that the
 * sanitizer sees each byte read too far. Cells are kept beside them in a form that plain code can judge. */
#ifndef TESTS_PREDICATE_RANDOM_BATCH_H
#define TESTS_PREDICATE_RANDOM_BATCH_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "paimon-c/arrow_abi.h"
#include "types/datum.h"
#include "types/type.h"

/* What a cell is compared by: exact numbers on a grid ten times (times: in nanoseconds) finer than the type, doubles, bytes. */
typedef enum grid_kind { GRID_TENTHS, GRID_NANOS, GRID_REAL, GRID_BYTES, GRID_NONE } grid_kind;

typedef struct cell {
    bool is_null;
    pmn_i128 n;
    double real;
    uint8_t bytes[40];
    size_t size;
} cell;

typedef struct column_kind {
    const char *path[2];
    int n_path;
    const char *type; /* of the value */
    pmn_type_kind kind;
    grid_kind grid;
    int scale; /* decimals */
    int width; /* bytes stored */
    const char *format;
} column_kind;

enum { N_COLUMNS = 20, N_TOP = 18, COL_STRUCT = 19, COL_STRING = 13, COL_CHAR = 14, COL_BYTES = 15, COL_INT = 3, COL_BIGINT = 4, COL_LIST = 16 };

/* 17 and 18 are the two fields of the struct that is the last top-level column, 19 that struct; 16 and 19 take null tests only. */
static const column_kind COLUMNS[N_COLUMNS] = {
    { { "b" }, 1, "BOOLEAN", PMN_BOOLEAN, GRID_TENTHS, 0, 0, "b" },
    { { "i8" }, 1, "TINYINT", PMN_TINYINT, GRID_TENTHS, 0, 1, "c" },
    { { "i16" }, 1, "SMALLINT", PMN_SMALLINT, GRID_TENTHS, 0, 2, "s" },
    { { "i32" }, 1, "INT", PMN_INT, GRID_TENTHS, 0, 4, "i" },
    { { "i64" }, 1, "BIGINT", PMN_BIGINT, GRID_TENTHS, 0, 8, "l" },
    { { "f" }, 1, "FLOAT", PMN_FLOAT, GRID_REAL, 0, 4, "f" },
    { { "d" }, 1, "DOUBLE", PMN_DOUBLE, GRID_REAL, 0, 8, "g" },
    { { "dec" }, 1, "DECIMAL(9, 2)", PMN_DECIMAL, GRID_TENTHS, 2, 16, "d:9,2" },
    { { "big" }, 1, "DECIMAL(38, 4)", PMN_DECIMAL, GRID_TENTHS, 4, 16, "d:38,4" },
    { { "day" }, 1, "DATE", PMN_DATE, GRID_NANOS, 0, 4, "tdD" },
    { { "time" }, 1, "TIME(3)", PMN_TIME, GRID_NANOS, 0, 4, "ttm" },
    { { "ts3" }, 1, "TIMESTAMP(3)", PMN_TIMESTAMP, GRID_NANOS, 0, 8, "tsm:" },
    { { "ts9" }, 1, "TIMESTAMP(9) WITH LOCAL TIME ZONE", PMN_TIMESTAMP_LTZ, GRID_NANOS, 0, 8, "tsn:UTC" },
    { { "s" }, 1, "STRING", PMN_VARCHAR, GRID_BYTES, 0, 0, "u" },
    { { "ch" }, 1, "CHAR(6)", PMN_CHAR, GRID_BYTES, 0, 0, "u" },
    { { "raw" }, 1, "BYTES", PMN_VARBINARY, GRID_BYTES, 0, 0, "z" },
    { { "list" }, 1, "ARRAY<INT>", PMN_ARRAY, GRID_NONE, 0, 0, "+l" },
    { { "r", "x" }, 2, "INT", PMN_INT, GRID_TENTHS, 0, 4, "i" },
    { { "r", "s y" }, 2, "STRING", PMN_VARCHAR, GRID_BYTES, 0, 0, "u" },
    { { "r" }, 1, "ROW<x INT, `s y` STRING>", PMN_ROW, GRID_NONE, 0, 0, "+s" },
};

#define ROW_TYPE_TEXT                                                                                                                                \
    "ROW<b BOOLEAN, i8 TINYINT, i16 SMALLINT, i32 INT, i64 BIGINT, f FLOAT, d DOUBLE, dec DECIMAL(9, 2), big DECIMAL(38, 4), "                       \
    "day DATE, time TIME(3), ts3 TIMESTAMP(3), ts9 TIMESTAMP(9) WITH LOCAL TIME ZONE, s STRING, ch CHAR(6), raw BYTES, "                             \
    "list ARRAY<INT>, r ROW<x INT, `s y` STRING>>"

enum { MAX_ROWS = 300, MAX_PAD = 70, MAX_TRACKED = 512 };

typedef struct random_batch {
    int64_t n;
    cell cells[N_COLUMNS][MAX_ROWS];
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct ArrowSchema schemas[64];
    struct ArrowArray arrays[64];
    int n_nodes;
    void *tracked[MAX_TRACKED];
    int n_tracked;
} random_batch;

static uint64_t random_state = 88172645463325252u;

static uint32_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}

static int below(int n) { return (int)(next_random() % (uint32_t)n); }

static void *track(random_batch *b, size_t size)
{
    void *p = malloc(size ? size : 1);
    if (b->n_tracked == MAX_TRACKED) abort();
    b->tracked[b->n_tracked++] = p;
    return p;
}

static void free_batch(random_batch *b)
{
    for (int i = 0; i < b->n_tracked; i++) free(b->tracked[i]);
    b->n_tracked = 0;
    b->n_nodes = 0;
}

static void random_text(cell *c, bool any_bytes)
{
    static const char *const PART[] = { "a", "b", "ab", "é", "%", "_", "\\", "a", "b", " " };
    int parts = below(8) == 0 ? 12 + below(10) : below(6);
    c->size = 0;
    for (int i = 0; i < parts; i++) {
        const char *part = parts > 10 ? "ab" : PART[below(10)];
        size_t n = strlen(part);
        if (c->size + n > 24) break;
        memcpy(c->bytes + c->size, part, n);
        c->size += n;
    }
    if (any_bytes && c->size) c->bytes[below((int)c->size)] = (uint8_t)below(256);
}

static pmn_i128 random_integer(const column_kind *k)
{
    if (k->kind == PMN_BOOLEAN) return below(2);
    pmn_i128 small = below(9) - 4;
    if (below(6)) return small;
    switch (k->kind) {
    case PMN_TINYINT:
        return below(2) ? INT8_MIN : INT8_MAX;
    case PMN_SMALLINT:
        return below(2) ? INT16_MIN : INT16_MAX;
    case PMN_INT:
        return below(2) ? INT32_MIN : INT32_MAX;
    case PMN_BIGINT:
        return below(2) ? INT64_MIN : INT64_MAX;
    case PMN_DECIMAL:
        return k->scale == 2 ? (below(2) ? 999999999 : -999999999) : pmn_pow10_i128(36) * (below(2) ? 1 : -1) + small;
    default:
        return small;
    }
}

static pmn_i128 random_nanos(const column_kind *k)
{
    const int64_t day = 86400000000000;
    switch (k->kind) {
    case PMN_DATE:
        return (pmn_i128)(below(8) ? below(7) - 3 : 20000) * day;
    case PMN_TIME:
        return (pmn_i128)(below(8) ? below(5) : 86399999) * 1000000;
    case PMN_TIMESTAMP:
        return (pmn_i128)(below(2001) - 1000) / 300 * 1000000 + (pmn_i128)(below(5) - 2) * day;
    default:
        return (pmn_i128)(below(7) - 3) * day + below(5);
    }
}

static double random_real(void)
{
    static const double VALUES[] = { 0.0, -0.0, 1.5, -1.5, 0.1, 2.0, 1e30, -3.0 };
    int i = below(12);
    if (i >= 8) return i == 8 ? (double)NAN : i == 9 ? (double)INFINITY : i == 10 ? -(double)INFINITY : 0.1;
    return VALUES[i];
}

static cell random_cell(const column_kind *k, int null_percent)
{
    cell c;
    memset(&c, 0, sizeof c);
    c.is_null = below(100) < null_percent;
    if (k->grid == GRID_TENTHS)
        c.n = random_integer(k) * 10;
    else if (k->grid == GRID_NANOS)
        c.n = random_nanos(k);
    else if (k->grid == GRID_REAL)
        c.real = k->kind == PMN_FLOAT ? (double)(float)random_real() : random_real();
    else if (k->grid == GRID_BYTES)
        random_text(&c, k->kind == PMN_VARBINARY);
    if (k->kind == PMN_CHAR && below(2)) { /* padded or not, as files hold them */
        while (c.size < 8) c.bytes[c.size++] = ' ';
    }
    return c;
}

/* The integer that Arrow stores. */
static pmn_i128 stored_integer(const column_kind *k, const cell *c)
{
    if (k->grid == GRID_TENTHS) return c->n / 10;
    if (k->kind == PMN_DATE) return c->n / 86400000000000;
    return k->kind == PMN_TIMESTAMP_LTZ ? c->n : c->n / 1000000;
}

static pmn_datum cell_datum(const column_kind *k, const cell *c)
{
    pmn_datum d;
    memset(&d, 0, sizeof d);
    d.is_null = c->is_null;
    if (k->grid == GRID_BYTES)
        d.v.bytes = pmn_slice_of(c->bytes, c->size);
    else if (k->kind == PMN_FLOAT)
        d.v.f = (float)c->real;
    else if (k->kind == PMN_DOUBLE)
        d.v.d = c->real;
    else if (k->kind == PMN_DECIMAL)
        d.v.dec = stored_integer(k, c);
    else if (k->kind == PMN_TIMESTAMP || k->kind == PMN_TIMESTAMP_LTZ) {
        pmn_i128 millis = c->n / 1000000 - (c->n % 1000000 < 0);
        d.v.ts.millis = (int64_t)millis;
        d.v.ts.nanos_of_milli = (int32_t)(c->n - millis * 1000000);
    } else {
        d.v.i = (int64_t)stored_integer(k, c);
    }
    return d;
}

static int new_node(random_batch *b, const char *format, const char *name, int64_t length, int64_t offset, int n_buffers)
{
    int i = b->n_nodes++;
    if (i >= 64) abort();
    memset(&b->schemas[i], 0, sizeof b->schemas[i]);
    memset(&b->arrays[i], 0, sizeof b->arrays[i]);
    b->schemas[i].format = format;
    b->schemas[i].name = name;
    b->schemas[i].flags = ARROW_FLAG_NULLABLE;
    b->arrays[i].length = length;
    b->arrays[i].offset = offset;
    b->arrays[i].null_count = -1;
    b->arrays[i].n_buffers = n_buffers;
    b->arrays[i].buffers = track(b, (size_t)n_buffers * sizeof(void *));
    memset((void *)b->arrays[i].buffers, 0, (size_t)n_buffers * sizeof(void *));
    return i;
}

/* A validity bitmap with `pad` bits of noise before the rows; NULL now and then if nothing is null. */
static const uint8_t *validity(random_batch *b, const cell *cells, int64_t pad, int64_t n)
{
    bool any = false;
    for (int64_t i = 0; i < n; i++) any = any || cells[i].is_null;
    if (!any && below(2)) return NULL;
    size_t size = (size_t)(pad + n + 7) / 8;
    uint8_t *bits = track(b, size);
    for (size_t i = 0; i < size; i++) bits[i] = (uint8_t)below(256);
    for (int64_t i = 0; i < n; i++) {
        uint8_t bit = (uint8_t)(1u << ((pad + i) % 8));
        if (cells[i].is_null)
            bits[(pad + i) / 8] &= (uint8_t)~bit;
        else
            bits[(pad + i) / 8] |= bit;
    }
    return bits;
}

static const uint8_t *fixed_values(random_batch *b, const column_kind *k, const cell *cells, int64_t pad, int64_t n)
{
    size_t width = (size_t)k->width;
    size_t skew = below(4) == 0 ? 1 : 0; /* foreign memory may be unaligned */
    uint8_t *data = (uint8_t *)track(b, (size_t)(pad + n) * width + skew) + skew;
    for (size_t i = 0; i < (size_t)(pad + n) * width; i++) data[i] = (uint8_t)below(256);
    for (int64_t i = 0; i < n; i++) {
        uint8_t *at = data + (size_t)(pad + i) * width;
        float narrow = (float)cells[i].real;
        pmn_i128 integer = k->grid == GRID_REAL ? 0 : stored_integer(k, &cells[i]);
        if (cells[i].is_null && below(2)) continue; /* noise under a null */
        if (k->kind == PMN_FLOAT)
            memcpy(at, &narrow, 4);
        else if (k->kind == PMN_DOUBLE)
            memcpy(at, &cells[i].real, 8);
        else
            memcpy(at, &integer, width);
    }
    return data;
}

static const uint8_t *bool_values(random_batch *b, const cell *cells, int64_t pad, int64_t n)
{
    size_t size = (size_t)(pad + n + 7) / 8;
    uint8_t *bits = track(b, size);
    for (size_t i = 0; i < size; i++) bits[i] = (uint8_t)below(256);
    for (int64_t i = 0; i < n; i++) {
        uint8_t bit = (uint8_t)(1u << ((pad + i) % 8));
        if (cells[i].n)
            bits[(pad + i) / 8] |= bit;
        else
            bits[(pad + i) / 8] &= (uint8_t)~bit;
    }
    return bits;
}

static void text_values(random_batch *b, struct ArrowArray *a, const cell *cells, int64_t pad, int64_t n, bool large)
{
    size_t total = (size_t)pad * 2, width = large ? 8 : 4;
    for (int64_t i = 0; i < n; i++) total += cells[i].size;
    uint8_t *places = track(b, (size_t)(pad + n + 1) * width), *data = track(b, total);
    int64_t at = 0;
    for (int64_t i = 0; i <= pad + n; i++) {
        int32_t at_32 = (int32_t)at;
        memcpy(places + (size_t)i * width, large ? (void *)&at : (void *)&at_32, width);
        if (i == pad + n) break;
        if (i < pad) {
            memset(data + at, 'x', 2);
            at += 2;
        } else {
            memcpy(data + at, cells[i - pad].bytes, cells[i - pad].size);
            at += (int64_t)cells[i - pad].size;
        }
    }
    a->buffers[1] = places;
    a->buffers[2] = total || below(2) ? data : NULL;
}

static void view_values(random_batch *b, struct ArrowArray *a, const cell *cells, int64_t pad, int64_t n)
{
    uint8_t *views = track(b, (size_t)(pad + n) * 16), *data = track(b, (size_t)n * 24);
    int32_t at = 0;
    memset(views, 0xEE, (size_t)(pad + n) * 16);
    for (int64_t i = 0; i < n; i++) {
        uint8_t *view = views + (pad + i) * 16;
        int32_t size = (int32_t)cells[i].size, buffer = 1;
        memset(view, 0, 16);
        memcpy(view, &size, 4);
        if (size <= 12) {
            memcpy(view + 4, cells[i].bytes, (size_t)size);
            continue;
        }
        memcpy(view + 4, cells[i].bytes, 4);
        memcpy(view + 8, &buffer, 4);
        memcpy(view + 12, &at, 4);
        memcpy(data + at, cells[i].bytes, (size_t)size);
        at += size;
    }
    a->buffers[1] = views;
    a->buffers[3] = data; /* buffer 0 of the views stays unused */
}

/* Fill a node of `n` cells at offset `pad`. */
static int plain_column(random_batch *b, const column_kind *k, const char *name, const cell *cells, int64_t pad, int64_t offset, int64_t n)
{
    const char *format = k->format;
    int layout = k->grid == GRID_BYTES ? below(3) : 0;
    if (layout) format = layout == 1 ? (format[0] == 'u' ? "U" : "Z") : (format[0] == 'u' ? "vu" : "vz");
    int i = new_node(b, format, name, pad + n - offset, offset, layout == 2 ? 5 : k->grid == GRID_BYTES ? 3 : k->grid == GRID_NONE ? 1 : 2);
    struct ArrowArray *a = &b->arrays[i];
    a->buffers[0] = validity(b, cells, pad, n);
    if (!a->buffers[0] && below(2)) a->null_count = 0;
    if (k->kind == PMN_BOOLEAN)
        a->buffers[1] = bool_values(b, cells, pad, n);
    else if (layout == 2)
        view_values(b, a, cells, pad, n);
    else if (k->grid == GRID_BYTES)
        text_values(b, a, cells, pad, n, layout == 1);
    else if (k->grid != GRID_NONE)
        a->buffers[1] = fixed_values(b, k, cells, pad, n);
    return i;
}

static int dictionary_column(random_batch *b, const column_kind *k, const char *name, cell *cells, int64_t pad, int64_t offset, int64_t n,
                             int null_percent)
{
    static const struct {
        const char *format;
        size_t width;
    } INDEX[] = { { "c", 1 }, { "C", 1 }, { "s", 2 }, { "S", 2 }, { "i", 4 }, { "I", 4 }, { "l", 8 } };
    cell entries[9];
    int kind = below(7), n_entries = 1 + below(9), entry_offset = below(3);
    for (int j = 0; j < n_entries; j++) entries[j] = random_cell(k, 10);
    int inner = plain_column(b, k, "", entries, entry_offset, entry_offset, n_entries);
    int i = new_node(b, INDEX[kind].format, name, pad + n - offset, offset, 2);
    uint8_t *indices = track(b, (size_t)(pad + n) * INDEX[kind].width);
    memset(indices, 0xFF, (size_t)(pad + n) * INDEX[kind].width);
    cell marks[MAX_ROWS + MAX_PAD];
    for (int64_t r = 0; r < n; r++) {
        int64_t index = below(n_entries);
        memset(&marks[r], 0, sizeof marks[r]);
        marks[r].is_null = below(100) < null_percent;
        cells[r] = entries[index];
        if (marks[r].is_null) {
            cells[r].is_null = true;
            continue; /* an index of noise under a null */
        }
        memcpy(indices + (size_t)(pad + r) * INDEX[kind].width, &index, INDEX[kind].width);
    }
    b->arrays[i].buffers[0] = validity(b, marks, pad, n);
    b->arrays[i].buffers[1] = indices;
    b->arrays[i].dictionary = &b->arrays[inner];
    b->schemas[i].dictionary = &b->schemas[inner];
    return i;
}

static void set_child(random_batch *b, struct ArrowSchema *schema, struct ArrowArray *array, int at, int node)
{
    schema->children[at] = &b->schemas[node];
    array->children[at] = &b->arrays[node];
}

static void give_children(random_batch *b, struct ArrowSchema *schema, struct ArrowArray *array, int n)
{
    schema->n_children = array->n_children = n;
    schema->children = track(b, (size_t)n * sizeof(void *));
    array->children = track(b, (size_t)n * sizeof(void *));
}

/* `before` rows of the parents lie before row 0. */
static int random_column(random_batch *b, int column, const char *name, int64_t before)
{
    const column_kind *k = &COLUMNS[column];
    static const int NULLS[] = { 0, 10, 50, 100, 10, 10 };
    int null_percent = NULLS[below(6)];
    int64_t offset = below(MAX_PAD), pad = offset + before;
    if ((column == COL_STRING || column == COL_INT || column == 18) && below(3) == 0) {
        return dictionary_column(b, k, name, b->cells[column], pad, offset, b->n, null_percent);
    }
    for (int64_t i = 0; i < b->n; i++) b->cells[column][i] = random_cell(k, null_percent);
    return plain_column(b, k, name, b->cells[column], pad, offset, b->n);
}

static void random_batch_make(random_batch *b)
{
    b->n = 1 + below(below(4) ? 150 : MAX_ROWS);
    int64_t before = below(2) ? 0 : below(MAX_PAD);
    int root = new_node(b, "+s", "", b->n, before, 1);
    b->array = b->arrays[root];
    b->schema = b->schemas[root];
    give_children(b, &b->schema, &b->array, N_TOP);
    for (int c = 0; c < N_TOP - 1; c++) set_child(b, &b->schema, &b->array, c, random_column(b, c, COLUMNS[c].path[0], before));
    int64_t offset = below(MAX_PAD), inside = before + offset;
    int r = new_node(b, "+s", "r", before + b->n, offset, 1);
    give_children(b, &b->schemas[r], &b->arrays[r], 2);
    for (int c = 0; c < 2; c++)
        set_child(b, &b->schemas[r], &b->arrays[r], c, random_column(b, N_TOP - 1 + c, COLUMNS[N_TOP - 1 + c].path[1], inside));
    cell parents[MAX_ROWS];
    memset(parents, 0, sizeof parents);
    for (int64_t i = 0; i < b->n; i++) {
        parents[i].is_null = below(5) == 0;
        for (int c = N_TOP - 1; parents[i].is_null && c < COL_STRUCT; c++) b->cells[c][i].is_null = true;
    }
    memcpy(b->cells[COL_STRUCT], parents, sizeof parents);
    b->arrays[r].buffers[0] = validity(b, parents, inside, b->n);
    set_child(b, &b->schema, &b->array, N_TOP - 1, r);
}

#endif
