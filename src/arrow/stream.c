/* Streams for the Arrow C stream interface: see stream.h. */
#include "arrow/stream.h"

#include <string.h>

typedef struct array_stream {
    pmn_mem *mem; /* counted */
    const pmn_array_source *source;
    void *ctx;
    paimon_status failed; /* of next: it stays */
    paimon_error err;
} array_stream;

static int array_stream_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    array_stream *s = stream->private_data;
    memset(out, 0, sizeof *out);
    if (s->failed != PAIMON_OK) return pmn_status_errno(s->failed);
    paimon_status status = s->source->schema(s->ctx, out, &s->err);
    if (status != PAIMON_OK) memset(out, 0, sizeof *out);
    return pmn_status_errno(status);
}

static int array_stream_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    array_stream *s = stream->private_data;
    memset(out, 0, sizeof *out);
    if (s->failed == PAIMON_OK) s->failed = s->source->next(s->ctx, out, &s->err);
    if (s->failed != PAIMON_OK) memset(out, 0, sizeof *out);
    return pmn_status_errno(s->failed);
}

static const char *array_stream_last_error(struct ArrowArrayStream *stream)
{
    const array_stream *s = stream->private_data;
    return s->err.message;
}

static void array_stream_release(struct ArrowArrayStream *stream)
{
    array_stream *s = stream->private_data;
    pmn_mem *mem = s->mem;
    s->source->free(s->ctx);
    paimon_error_clear(&s->err);
    pmn_free(mem, s, sizeof *s);
    pmn_mem_release(mem);
    stream->release = NULL;
    stream->private_data = NULL;
}

paimon_status pmn_array_stream_new(pmn_mem *mem, const pmn_array_source *source, void *ctx, struct ArrowArrayStream *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    array_stream *s = pmn_calloc(mem, 1, sizeof *s);
    if (!s) {
        source->free(ctx);
        return pmn_fail_nomem(err, "a stream");
    }
    s->mem = pmn_mem_retain(mem);
    s->source = source;
    s->ctx = ctx;
    s->err = (paimon_error)PAIMON_ERROR_INIT;
    out->get_schema = array_stream_get_schema;
    out->get_next = array_stream_get_next;
    out->get_last_error = array_stream_last_error;
    out->release = array_stream_release;
    out->private_data = s;
    return PAIMON_OK;
}

void *pmn_array_stream_ctx(const struct ArrowArrayStream *stream, const pmn_array_source *source)
{
    if (!stream || stream->release != array_stream_release) return NULL;
    const array_stream *s = stream->private_data;
    return s->source == source ? s->ctx : NULL;
}
