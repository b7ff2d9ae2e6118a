/* The words of the predicate text. */
#ifndef PMN_PREDICATE_TOKEN_H
#define PMN_PREDICATE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/status.h"

typedef enum pmn_token_kind {
    PMN_TOKEN_END,
    PMN_TOKEN_NAME,        /* bare; may be a keyword */
    PMN_TOKEN_QUOTED_NAME, /* "a" or `a`; raw is what stands between the quotes */
    PMN_TOKEN_TEXT,        /* 'a', or an unquoted date 1998-04-01 */
    PMN_TOKEN_UNICODE,     /* U&'a\0041' */
    PMN_TOKEN_HEX,         /* X'00ff' */
    PMN_TOKEN_NUMBER,      /* without a sign */
    PMN_TOKEN_SYMBOL       /* one of ( ) , . + - = <> != < <= > >= */
} pmn_token_kind;

typedef struct pmn_token {
    pmn_token_kind kind;
    char quote;    /* of TEXT (0 for a bare date) and QUOTED_NAME */
    size_t at;     /* byte of the whole text where it starts */
    pmn_slice raw; /* without quotes and prefix */
    pmn_slice all; /* as it stands, for messages */
} pmn_token;

/* The token at or after `*pos`; moves `*pos` behind it. PAIMON_INVALID with the place. */
paimon_status pmn_token_next(pmn_slice text, size_t *pos, pmn_token *out, paimon_error *err) PMN_MUST_USE;

bool pmn_token_is_symbol(const pmn_token *token, const char *symbol);
bool pmn_token_is_word(const pmn_token *token, const char *upper_case); /* a bare name, in any case */
bool pmn_token_is_keyword(const pmn_token *token);                      /* a word that cannot be a bare column name */

/* The value of TEXT, UNICODE, HEX or a name, in the arena with a zero byte behind. */
paimon_status pmn_token_value(pmn_arena *arena, const pmn_token *token, pmn_slice *out, paimon_error *err) PMN_MUST_USE;

/* Whether `name` reads back as itself without quotes. */
bool pmn_token_bare_name(const char *name);

#endif
