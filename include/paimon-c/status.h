/** Status codes and the error object.
 *
 *  Every call that can fail returns a paimon_status and takes, last, an optional paimon_error that says the same in words.
 *
 *      paimon_error err = PAIMON_ERROR_INIT;
 *      if (paimon_table_open(NULL, path, NULL, 0, &table, &err) != PAIMON_OK) {
 *          fprintf(stderr, "%s\n", paimon_error_message(&err));
 *          paimon_error_clear(&err);
 *      }
 *
 *  NULL is allowed for the error object everywhere. There is no "last error" of a thread or of an object.
 *
 *  A call that only tells something of an object, and returns no status, takes NULL for it too, and answers 0, false or NULL then, or what it
 *  answers past the end.
 */
#ifndef PAIMON_C_STATUS_H
#define PAIMON_C_STATUS_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define PAIMON_API
#elif defined(__GNUC__)
#define PAIMON_API __attribute__((visibility("default")))
#else
#define PAIMON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** What a caller can act on. The numbers never change once released.
 *
 *  Through an ArrowArrayStream each status has one errno: see the comments; the text comes from get_last_error.
 */
typedef enum paimon_status {
    PAIMON_OK = 0,
    PAIMON_INVALID = 1,        /**< the caller's argument is wrong (EINVAL) */
    PAIMON_NOT_FOUND = 2,      /**< table, snapshot, tag, file, column … is not there (ENOENT) */
    PAIMON_ALREADY_EXISTS = 3, /**< it is there already (EEXIST) */
    PAIMON_UNSUPPORTED = 4,    /**< a feature, option, type or version that is not implemented, by name (ENOTSUP) */
    PAIMON_CORRUPT = 5,        /**< bytes that do not parse or contradict each other (EBADMSG) */
    PAIMON_IO = 6,             /**< the storage failed; sys_errno has errno or an HTTP status (EIO) */
    PAIMON_CONFLICT = 7,       /**< another writer was first; the commit may be tried again (EAGAIN) */
    PAIMON_CANCELLED = 8,      /**< cancelled by the caller (ECANCELED) */
    PAIMON_NOMEM = 9,          /**< the allocator or its limit refused (ENOMEM) */
    PAIMON_STATE = 10,         /**< the object is not in a state for this call (EBUSY) */
    PAIMON_INTERNAL = 11       /**< a fault of this library; please report it (ENOTRECOVERABLE) */
} paimon_status;

/** What went wrong, in words that name the file, the place, what was found and what was expected.
 *
 *  Owned by the caller. Start from PAIMON_ERROR_INIT; a call that fails replaces what was in it; a call that succeeds
 *  leaves it alone. One thread at a time.
 */
typedef struct paimon_error {
    size_t struct_size;                      /**< sizeof(paimon_error), set by PAIMON_ERROR_INIT */
    paimon_status code;                      /**< the status that the call returned */
    int32_t sys_errno;                       /**< errno or HTTP status behind it; 0 if none */
    char *message;                           /**< UTF-8, one line; NULL if none. Borrowed: dies with the object */
    void (*release)(struct paimon_error *);  /**< frees message; NULL if there is nothing to free */
} paimon_error;

#define PAIMON_ERROR_INIT { sizeof(paimon_error), PAIMON_OK, 0, NULL, NULL }

/** The text of an error: never NULL ("" when there is none). Borrowed from `err`, which may be NULL. */
PAIMON_API const char *paimon_error_message(const paimon_error *err);

/** Free the text and make the object as new. `err` may be NULL. */
PAIMON_API void paimon_error_clear(paimon_error *err);

/** A short lower-case name of a status ("not found"), static; "unknown status" for other numbers. */
PAIMON_API const char *paimon_status_name(paimon_status status);

/** Free a text that a call of this library returned as owned by the caller; NULL is allowed. */
PAIMON_API void paimon_string_free(char *text);
/** Free bytes that a call of this library returned as owned by the caller (splits, messages); NULL is allowed.
 *  @param n  their number, as the call told it */
PAIMON_API void paimon_bytes_free(void *bytes, size_t n);

#ifdef __cplusplus
}
#endif

#endif
