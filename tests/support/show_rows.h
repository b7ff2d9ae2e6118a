/* Arrow batches as text, one row a line, for tests that compare whole answers: [1,"a",null,{"x":2},[1,2]]. Only public types. */
#ifndef TESTS_SUPPORT_SHOW_ROWS_H
#define TESTS_SUPPORT_SHOW_ROWS_H

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paimon-c/arrow_abi.h"

typedef struct shown {
    char *text;
    size_t size, capacity;
} shown;

static inline void show(shown *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char small[512];
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    char *big = NULL;
    if (n >= (int)sizeof small) {
        big = malloc((size_t)n + 1);
        va_start(args, format);
        vsnprintf(big, (size_t)n + 1, format, args);
        va_end(args);
    }
    if (out->size + (size_t)n + 1 > out->capacity) {
        out->capacity = (out->size + (size_t)n + 1) * 2;
        out->text = realloc(out->text, out->capacity);
    }
    memcpy(out->text + out->size, big ? big : small, (size_t)n + 1);
    out->size += (size_t)n;
    free(big);
}

static inline bool show_is_null(const struct ArrowArray *a, int64_t i)
{
    const uint8_t *bits = a->n_buffers > 0 ? (const uint8_t *)a->buffers[0] : NULL;
    if (a->null_count == 0 || !bits) return false;
    int64_t k = a->offset + i;
    return !((bits[k >> 3] >> (k & 7)) & 1);
}

static inline void show_real(shown *out, double x)
{
    if (isnan(x)) show(out, "NaN");
    else show(out, "%.9g", x);
}

static inline void show_value(shown *out, const struct ArrowSchema *s, const struct ArrowArray *a, int64_t i)
{
    const char *f = s->format;
    if (show_is_null(a, i)) {
        show(out, "null");
        return;
    }
    int64_t k = a->offset + i;
    if (strcmp(f, "+s") == 0) {
        show(out, "{");
        for (int64_t c = 0; c < s->n_children; c++) {
            show(out, "%s\"%s\":", c ? "," : "", s->children[c]->name);
            show_value(out, s->children[c], a->children[c], k);
        }
        show(out, "}");
        return;
    }
    if (strcmp(f, "+l") == 0 || strcmp(f, "+m") == 0) {
        const int32_t *offsets = a->buffers[1];
        show(out, "[");
        for (int32_t e = offsets[k]; e < offsets[k + 1]; e++) {
            if (e > offsets[k]) show(out, ",");
            show_value(out, s->children[0], a->children[0], e);
        }
        show(out, "]");
        return;
    }
    const void *data = a->buffers[1];
    switch (f[0]) {
    case 'b': show(out, "%s", (((const uint8_t *)data)[k >> 3] >> (k & 7)) & 1 ? "true" : "false"); return;
    case 'c': show(out, "%d", ((const int8_t *)data)[k]); return;
    case 's': show(out, "%d", ((const int16_t *)data)[k]); return;
    case 'i': show(out, "%" PRId32, ((const int32_t *)data)[k]); return;
    case 'l': show(out, "%" PRId64, ((const int64_t *)data)[k]); return;
    case 'f': show_real(out, (double)((const float *)data)[k]); return;
    case 'g': show_real(out, ((const double *)data)[k]); return;
    case 'u':
    case 'z': {
        const int32_t *offsets = data;
        show(out, "\"%.*s\"", (int)(offsets[k + 1] - offsets[k]), (const char *)a->buffers[2] + offsets[k]);
        return;
    }
    case 't':
        if (strcmp(f, "tdD") == 0 || strcmp(f, "ttm") == 0) show(out, "%" PRId32, ((const int32_t *)data)[k]);
        else show(out, "%" PRId64, ((const int64_t *)data)[k]);
        return;
    default: show(out, "?%s", f);
    }
}

static inline void show_batch(shown *out, const struct ArrowSchema *s, const struct ArrowArray *batch)
{
    for (int64_t i = 0; i < batch->length; i++) {
        show(out, "[");
        for (int64_t c = 0; c < s->n_children; c++) {
            if (c) show(out, ",");
            show_value(out, s->children[c], batch->children[c], i);
        }
        show(out, "]\n");
    }
}

/* All batches of a stream, which is released; an error ends the text as "error: …". */
static inline char *show_stream(struct ArrowArrayStream *stream)
{
    shown out = { 0 };
    struct ArrowSchema schema;
    show(&out, "%s", "");
    if (stream->get_schema(stream, &schema) != 0) {
        show(&out, "error: %s\n", stream->get_last_error(stream));
        stream->release(stream);
        return out.text;
    }
    for (;;) {
        struct ArrowArray batch;
        if (stream->get_next(stream, &batch) != 0) {
            show(&out, "error: %s\n", stream->get_last_error(stream));
            break;
        }
        if (!batch.release) break;
        show_batch(&out, &schema, &batch);
        batch.release(&batch);
    }
    schema.release(&schema);
    stream->release(stream);
    return out.text;
}

#endif
