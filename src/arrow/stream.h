/* An ArrowArrayStream over anything of ours that has a schema and yields arrays: the errno of a status and the text of its error come out
 * as the stream interface wants them. */
#ifndef PMN_ARROW_STREAM_H
#define PMN_ARROW_STREAM_H

#include "base/mem.h"
#include "base/status.h"
#include "paimon-c/arrow_abi.h"

typedef struct pmn_array_source {
    /* A copy of the schema, owned by the caller. */
    paimon_status (*schema)(void *ctx, struct ArrowSchema *out, paimon_error *err);
    /* The next array; out->release is NULL at the end. After a failure it is not called again. */
    paimon_status (*next)(void *ctx, struct ArrowArray *out, paimon_error *err);
    void (*free)(void *ctx);
} pmn_array_source;

/* `source` is borrowed for as long as the stream lives (a static table); `ctx` is moved, on failure too (then it is freed). A failed
 * get_next fails again in the same words; get_last_error is NULL while nothing failed. */
paimon_status pmn_array_stream_new(pmn_mem *mem, const pmn_array_source *source, void *ctx, struct ArrowArrayStream *out, paimon_error *err) PMN_MUST_USE;
/* The ctx of a stream made over `source`; NULL for any other stream. */
void *pmn_array_stream_ctx(const struct ArrowArrayStream *stream, const pmn_array_source *source);

#endif
