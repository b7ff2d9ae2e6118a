#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"

void pmn_buf_init(pmn_buf *buf, pmn_mem *mem, size_t ceiling)
{
    memset(buf, 0, sizeof *buf);
    buf->mem = mem;
    buf->ceiling = ceiling < PMN_BUF_NO_CEILING ? ceiling : PMN_BUF_NO_CEILING;
}

void pmn_buf_free(pmn_buf *buf)
{
    pmn_free(buf->mem, buf->data, buf->capacity);
    buf->data = NULL;
    buf->size = 0;
    buf->capacity = 0;
}

static paimon_status grow_to(pmn_buf *buf, size_t needed, size_t ceiling, paimon_error *err)
{
    if (needed > ceiling) {
        buf->over = true;
        return pmn_fail(err, PAIMON_NOMEM, "more than the allowed %zu bytes", ceiling);
    }
    size_t capacity = buf->capacity < 32 ? 64 : buf->capacity * 2;
    if (capacity > ceiling) capacity = ceiling;
    if (capacity < needed) capacity = needed;
    uint8_t *data = (uint8_t *)pmn_realloc(buf->mem, buf->data, buf->capacity, capacity);
    if (!data) return pmn_fail(err, PAIMON_NOMEM, "no memory to grow a buffer to %zu bytes", capacity);
    buf->data = data;
    buf->capacity = capacity;
    return PAIMON_OK;
}

paimon_status pmn_buf_reserve(pmn_buf *buf, size_t more, paimon_error *err)
{
    if (PMN_LIKELY(more <= buf->capacity - buf->size)) return PAIMON_OK;
    size_t needed;
    if (!pmn_add_size(buf->size, more, &needed)) needed = SIZE_MAX;
    return grow_to(buf, needed, buf->ceiling, err);
}

paimon_status pmn_buf_append(pmn_buf *buf, const void *bytes, size_t n, paimon_error *err)
{
    PMN_TRY(pmn_buf_reserve(buf, n, err));
    if (n) memcpy(buf->data + buf->size, bytes, n);
    buf->size += n;
    return PAIMON_OK;
}

paimon_status pmn_buf_append_byte(pmn_buf *buf, uint8_t byte, paimon_error *err)
{
    PMN_TRY(pmn_buf_reserve(buf, 1, err));
    buf->data[buf->size++] = byte;
    return PAIMON_OK;
}

paimon_status pmn_buf_append_text(pmn_buf *buf, const char *text, paimon_error *err)
{
    return pmn_buf_append(buf, text, strlen(text), err);
}

paimon_status pmn_buf_terminate(pmn_buf *buf, paimon_error *err)
{
    if (buf->size == buf->capacity) PMN_TRY(grow_to(buf, buf->size + 1, buf->ceiling + 1, err));
    buf->data[buf->size] = 0;
    return PAIMON_OK;
}

paimon_status pmn_buf_printf(pmn_buf *buf, paimon_error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t room = buf->capacity - buf->size;
    int n = vsnprintf((char *)pmn_buf_end(buf), room, format, args);
    va_end(args);
    if (n < 0) return pmn_fail(err, PAIMON_INTERNAL, "a text could not be formatted");
    if ((size_t)n >= room) { /* vsnprintf wants a byte for the zero, too */
        PMN_TRY(pmn_buf_reserve(buf, (size_t)n, err));
        PMN_TRY(grow_to(buf, buf->size + (size_t)n + 1, buf->ceiling + 1, err));
        va_start(args, format);
        vsnprintf((char *)buf->data + buf->size, (size_t)n + 1, format, args);
        va_end(args);
    } else if ((size_t)n > buf->ceiling - buf->size) {
        return pmn_fail(err, PAIMON_NOMEM, "more than the allowed %zu bytes", buf->ceiling);
    }
    buf->size += (size_t)n;
    return PAIMON_OK;
}

paimon_status pmn_buf_handout_begin(pmn_buf *buf, paimon_error *err)
{
    PMN_TRY(pmn_buf_reserve(buf, PMN_HANDOUT_HEADER, err));
    buf->size = PMN_HANDOUT_HEADER;
    return PAIMON_OK;
}

paimon_status pmn_buf_handout_take(pmn_buf *buf, uint8_t **bytes, size_t *n, paimon_error *err)
{
    uint8_t *exact = (uint8_t *)pmn_realloc(buf->mem, buf->data, buf->capacity, buf->size);
    if (!exact) return pmn_fail_nomem(err, "bytes to hand out");
    *n = buf->size - PMN_HANDOUT_HEADER;
    *bytes = (uint8_t *)pmn_handout_adopt(buf->mem, exact, buf->size);
    pmn_buf_init(buf, buf->mem, buf->ceiling);
    return PAIMON_OK;
}

paimon_status pmn_buf_handout_text(const pmn_buf *buf, const char *what, char **text, paimon_error *err)
{
    *text = pmn_handout_text(buf->mem, (const char *)buf->data, buf->size);
    return *text ? PAIMON_OK : pmn_fail_nomem(err, what);
}
