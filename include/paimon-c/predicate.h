/** Predicates: which rows a scan or read is asked for.
 *
 *  A predicate is immutable, reference-counted and may be shared by threads. Columns are named by path ("a", or "a.b" for a
 *  field of a row; each part is one name); literals are typed by the caller and fitted to the column's type only when a scan
 *  or read binds the predicate to a schema. Logic is SQL's, three-valued: a row is kept when the predicate is TRUE. Floats
 *  compare as Java's: NaN equals NaN and is greater than all others; in predicates -0.0 equals 0.0.
 *
 *      paimon_predicate *p = NULL;
 *      paimon_predicate_parse("price >= 10.5 AND name LIKE 'a%'", &p, &err);
 */
#ifndef PAIMON_C_PREDICATE_H
#define PAIMON_C_PREDICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct paimon_predicate paimon_predicate;

/** Comparisons. CHAR is compared without its trailing blanks, in LIKE as well. */
typedef enum paimon_predicate_op {
    PAIMON_OP_EQ = 1,
    PAIMON_OP_NE,
    PAIMON_OP_LT,
    PAIMON_OP_LE,
    PAIMON_OP_GT,
    PAIMON_OP_GE,
    PAIMON_OP_IN,          /**< one or more literals */
    PAIMON_OP_NOT_IN,
    PAIMON_OP_BETWEEN,     /**< two literals, both ends included */
    PAIMON_OP_IS_NULL,     /**< no literal */
    PAIMON_OP_IS_NOT_NULL,
    PAIMON_OP_STARTS_WITH, /**< one text */
    PAIMON_OP_ENDS_WITH,
    PAIMON_OP_CONTAINS,
    PAIMON_OP_LIKE,        /**< a pattern of '%' and '_', '\' before one of them or itself takes it literally */
    PAIMON_OP_NOT_BETWEEN,
    PAIMON_OP_NOT_LIKE
} paimon_predicate_op;

typedef enum paimon_literal_kind {
    PAIMON_LITERAL_NULL = 0,
    PAIMON_LITERAL_BOOL,
    PAIMON_LITERAL_INT,   /**< any integer column, also DECIMAL, FLOAT, DOUBLE, DATE (days), TIME (ms of day) */
    PAIMON_LITERAL_DOUBLE,
    PAIMON_LITERAL_TEXT,  /**< CHAR … STRING; for all other types their text: '2024-01-01', '1.50', 'NaN'; hex for bytes. A
                               TIMESTAMP WITH LOCAL TIME ZONE without an offset is in UTC */
    PAIMON_LITERAL_BYTES,
    PAIMON_LITERAL_NUMBER /**< decimal notation in `text`, exact: 12345678901234567890.5 */
} paimon_literal_kind;

/** A literal; `text` is borrowed for the call and need not end in a zero byte. */
typedef struct paimon_literal {
    paimon_literal_kind kind;
    bool boolean;
    int64_t integer;
    double real;
    const char *text; /**< TEXT (UTF-8), BYTES, NUMBER */
    size_t text_size;
} paimon_literal;

/** One comparison on one column. @param path name parts, outermost first @return PAIMON_INVALID for a wrong number or kind of
 *  literals; PAIMON_NOMEM. Free with paimon_predicate_free(). */
PAIMON_API paimon_status paimon_predicate_leaf(const char *const *path, size_t n_path, paimon_predicate_op op,
                                               const paimon_literal *literals, size_t n_literals, paimon_predicate **out,
                                               paimon_error *err);
/** AND / OR of one or more; the children get one more reference each. */
PAIMON_API paimon_status paimon_predicate_and(paimon_predicate *const *children, size_t n, paimon_predicate **out, paimon_error *err);
PAIMON_API paimon_status paimon_predicate_or(paimon_predicate *const *children, size_t n, paimon_predicate **out, paimon_error *err);
PAIMON_API paimon_status paimon_predicate_not(paimon_predicate *child, paimon_predicate **out, paimon_error *err);

/** From the text of `--where` (docs/cli.md has the grammar). @return PAIMON_INVALID with the place in the text;
 *  PAIMON_UNSUPPORTED for a comparison of two columns; PAIMON_NOMEM. Nesting is limited to 200 levels (so it is for predicates
 *  made by the calls above), a text to 1 MB. */
PAIMON_API paimon_status paimon_predicate_parse(const char *text, paimon_predicate **out, paimon_error *err);

/** The text form, which parses back to an equal predicate (literals have one form: 3.0 as a DOUBLE is the NUMBER 3.0, and
 *  STARTS WITH is a LIKE). `*text` is owned by the caller: paimon_string_free(). */
PAIMON_API paimon_status paimon_predicate_print(const paimon_predicate *predicate, char **text, paimon_error *err);

PAIMON_API paimon_predicate *paimon_predicate_retain(paimon_predicate *predicate);
PAIMON_API void paimon_predicate_free(paimon_predicate *predicate);

#ifdef __cplusplus
}
#endif

#endif
