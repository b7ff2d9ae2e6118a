/* The caller's error object. Texts come from the default allocator: an error must be able to outlive the environment it
 * came from, and to say that the environment's own memory is used up. */
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

static void release_message(paimon_error *err)
{
    pmn_strfree(pmn_mem_default(), err->message);
    err->message = NULL;
    err->release = NULL;
}

const char *paimon_error_message(const paimon_error *err)
{
    return err && err->message ? err->message : "";
}

void paimon_error_clear(paimon_error *err)
{
    if (!err) return;
    if (err->release) err->release(err);
    err->code = PAIMON_OK;
    err->sys_errno = 0;
    err->message = NULL;
    err->release = NULL;
}

const char *paimon_status_name(paimon_status status)
{
    switch (status) {
    case PAIMON_OK: return "ok";
    case PAIMON_INVALID: return "invalid argument";
    case PAIMON_NOT_FOUND: return "not found";
    case PAIMON_ALREADY_EXISTS: return "already exists";
    case PAIMON_UNSUPPORTED: return "unsupported";
    case PAIMON_CORRUPT: return "corrupt data";
    case PAIMON_IO: return "input/output error";
    case PAIMON_CONFLICT: return "conflict";
    case PAIMON_CANCELLED: return "cancelled";
    case PAIMON_NOMEM: return "out of memory";
    case PAIMON_STATE: return "invalid state";
    case PAIMON_INTERNAL: return "internal error";
    }
    return "unknown status";
}

int pmn_status_errno(paimon_status status)
{
    switch (status) {
    case PAIMON_OK: return 0;
    case PAIMON_INVALID: return EINVAL;
    case PAIMON_NOT_FOUND: return ENOENT;
    case PAIMON_ALREADY_EXISTS: return EEXIST;
    case PAIMON_UNSUPPORTED: return ENOTSUP;
    case PAIMON_CORRUPT: return EBADMSG;
    case PAIMON_IO: return EIO;
    case PAIMON_CONFLICT: return EAGAIN;
    case PAIMON_CANCELLED: return ECANCELED;
    case PAIMON_NOMEM: return ENOMEM;
    case PAIMON_STATE: return EBUSY;
    case PAIMON_INTERNAL: break;
    }
    return ENOTRECOVERABLE;
}

/* A message is one line, whatever file name or foreign text went into it. */
static void one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20) *text = ' ';
}

/* The formatted text, `separator`, `tail`; NULL without memory. */
static char *format_text(const char *format, va_list args, const char *separator, const char *tail)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0) return NULL;
    size_t n_separator = strlen(separator), n_tail = strlen(tail);
    size_t size = (size_t)n + n_separator + n_tail + 1;
    char *text = (char *)pmn_alloc(pmn_mem_default(), size);
    if (!text) return NULL;
    vsnprintf(text, (size_t)n + 1, format, args);
    memcpy(text + n, separator, n_separator);
    memcpy(text + n + n_separator, tail, n_tail + 1);
    one_line(text);
    return text;
}

static void set_text(paimon_error *err, paimon_status status, int sys_errno, char *text)
{
    /* Texts without memory for themselves are static; the API's member is not const only because most are owned. */
    static char no_memory[] = "out of memory, also for this message";
    paimon_error_clear(err);
    err->code = status;
    err->sys_errno = sys_errno;
    err->message = text ? text : no_memory;
    err->release = text ? release_message : NULL;
}

paimon_status pmn_vfail(paimon_error *err, paimon_status status, const char *format, va_list args)
{
    /* Formatted before the old text goes: it may be one of the arguments. */
    if (err) set_text(err, status, 0, format_text(format, args, "", ""));
    return status;
}

paimon_status pmn_fail(paimon_error *err, paimon_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pmn_vfail(err, status, format, args);
    va_end(args);
    return status;
}

static paimon_status status_of_errno(int sys_errno)
{
    switch (sys_errno) {
    case ENOENT:
    case ENOTDIR: return PAIMON_NOT_FOUND;
    case EEXIST: return PAIMON_ALREADY_EXISTS;
    case ENOMEM: return PAIMON_NOMEM;
    default: return PAIMON_IO;
    }
}

paimon_status pmn_fail_errno(paimon_error *err, int sys_errno, const char *format, ...)
{
    paimon_status status = status_of_errno(sys_errno);
    if (!err) return status;
    char words[128];
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *why = strerror_r(sys_errno, words, sizeof words);
#else
    const char *why = strerror_r(sys_errno, words, sizeof words) == 0 ? words : "unknown error";
#endif
    va_list args;
    va_start(args, format);
    set_text(err, status, sys_errno, format_text(format, args, ": ", why));
    va_end(args);
    return status;
}

paimon_status pmn_fail_nomem(paimon_error *err, const char *what)
{
    return pmn_fail(err, PAIMON_NOMEM, "no memory for %s", what);
}

void pmn_error_prefix(paimon_error *err, const char *format, ...)
{
    if (!err || err->code == PAIMON_OK || !err->message) return;
    va_list args;
    va_start(args, format);
    char *text = format_text(format, args, ": ", err->message);
    va_end(args);
    if (text) set_text(err, err->code, err->sys_errno, text); /* else the shorter text stays */
}

void pmn_error_move(paimon_error *to, paimon_error *from)
{
    if (to == from) return;
    if (!to) {
        paimon_error_clear(from);
        return;
    }
    paimon_error_clear(to);
    to->code = from->code;
    to->sys_errno = from->sys_errno;
    to->message = from->message;
    to->release = from->release;
    from->message = NULL;
    from->release = NULL;
    paimon_error_clear(from);
}
