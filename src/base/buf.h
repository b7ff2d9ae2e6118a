/* A growing byte buffer with a ceiling given at birth. Growth doubles. Not thread-safe. */
#ifndef PMN_BASE_BUF_H
#define PMN_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"

typedef struct pmn_buf {
    pmn_mem *mem; /* borrowed */
    uint8_t *data;
    size_t size;
    size_t capacity;
    size_t ceiling; /* PAIMON_NOMEM past this many bytes */
    bool over;      /* more was asked than the ceiling allows: it is not memory that is short */
} pmn_buf;

#define PMN_BUF_NO_CEILING ((size_t)PTRDIFF_MAX)

void pmn_buf_init(pmn_buf *buf, pmn_mem *mem, size_t ceiling);
void pmn_buf_free(pmn_buf *buf);
static inline void pmn_buf_clear(pmn_buf *buf) { buf->size = 0; }
/* Where the next byte goes; NULL before anything was reserved. */
static inline uint8_t *pmn_buf_end(const pmn_buf *buf) { return buf->data ? buf->data + buf->size : NULL; }
/* Room for `more` bytes behind size. */
paimon_status pmn_buf_reserve(pmn_buf *buf, size_t more, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_buf_append(pmn_buf *buf, const void *bytes, size_t n, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_buf_append_byte(pmn_buf *buf, uint8_t byte, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_buf_append_text(pmn_buf *buf, const char *text, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_buf_printf(pmn_buf *buf, paimon_error *err, const char *format, ...) PMN_PRINTF(3, 4) PMN_MUST_USE;
/* A buffer that will be handed to the caller: begun before anything is in it, then taken out as a block for paimon_bytes_free, without a
 * copy. The buffer is empty afterwards. */
paimon_status pmn_buf_handout_begin(pmn_buf *buf, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_buf_handout_take(pmn_buf *buf, uint8_t **bytes, size_t *n, paimon_error *err) PMN_MUST_USE;
/* What is in the buffer as a text for paimon_string_free; a copy, and the buffer stays. `what` it is, for the error: "a schema's JSON". */
paimon_status pmn_buf_handout_text(const pmn_buf *buf, const char *what, char **text, paimon_error *err) PMN_MUST_USE;
/* A zero byte behind size that size does not count, so that data is a C string. */
paimon_status pmn_buf_terminate(pmn_buf *buf, paimon_error *err) PMN_MUST_USE;

#endif
