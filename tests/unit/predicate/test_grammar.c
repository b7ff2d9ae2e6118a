/* The text of predicates: what parses to what, what is refused and where, and that printing goes back. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "predicate/ast.h"
#include "predicate/like.h"
#include "predicate/number.h"
#include "support/failing_alloc.h"

static paimon_predicate *parse(const char *text)
{
    paimon_predicate *p = NULL;
    paimon_error err = PAIMON_ERROR_INIT;
    if (paimon_predicate_parse(text, &p, &err) != PAIMON_OK) fail_msg("%s: %s", text, paimon_error_message(&err));
    return p;
}

/* `text` prints as `printed`, and that reads back as an equal predicate. */
static void check(const char *text, const char *printed)
{
    char *out = NULL;
    paimon_predicate *p = parse(text);
    assert_int_equal(paimon_predicate_print(p, &out, NULL), PAIMON_OK);
    assert_string_equal(out, printed);
    paimon_predicate *again = parse(out);
    assert_true(pmn_predicate_equal(p, again));
    paimon_predicate_free(again);
    paimon_predicate_free(p);
    paimon_string_free(out);
}

static void refuse_with(paimon_status status, const char *text, const char *message)
{
    paimon_predicate *p = (paimon_predicate *)1;
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_status got = paimon_predicate_parse(text, &p, &err);
    if (got != status) fail_msg("%s: status %d, not %d", text, (int)got, (int)status);
    if (!strstr(paimon_error_message(&err), message)) fail_msg("%s: '%s' lacks '%s'", text, paimon_error_message(&err), message);
    assert_null(strchr(paimon_error_message(&err), '\n'));
    assert_ptr_equal(p, (void *)1);
    paimon_error_clear(&err);
}

static void refuse(const char *text, const char *message) { refuse_with(PAIMON_INVALID, text, message); }

static void comparisons_parse_on_either_side(void **state)
{
    (void)state;
    check("a=1", "a = 1");
    check("a <> 1", "a <> 1");
    check("a!=1", "a <> 1");
    check("a<1", "a < 1");
    check("a<=1", "a <= 1");
    check("a>1", "a > 1");
    check("a>=1", "a >= 1");
    check("1 < a", "a > 1");
    check("1 <= a", "a >= 1");
    check("1 > a", "a < 1");
    check("'x' = a.b", "a.b = 'x'");
    check("NULL = a", "a = NULL");
}

static void literals_keep_their_digits(void **state)
{
    (void)state;
    check("a = -5", "a = -5");
    check("a = +5", "a = 5");
    check("a = - 5", "a = -5");
    check("a = 12345678901234567890.50", "a = 12345678901234567890.50");
    check("a = 9223372036854775807", "a = 9223372036854775807");
    check("a = -9223372036854775808", "a = -9223372036854775808");
    check("a = 9223372036854775808", "a = 9223372036854775808");
    check("a = 1e3", "a = 1e3");
    check("a = .5", "a = .5");
    check("a = 5.", "a = 5.");
    check("a = 1.5E-10", "a = 1.5E-10");
    check("a = TRUE", "a = TRUE");
    check("a = false", "a = FALSE");
    check("a = X'00FF'", "a = X'00ff'");
    check("a = x''", "a = X''");
    check("a = 'it''s'", "a = 'it''s'");
    check("a = ''", "a = ''");
    check("a = 'Grüße 🦆'", "a = 'Grüße 🦆'");
    check("a = U&'x\\0041\\\\\\+01F986'", "a = 'xA\\🦆'");
    check("a = U&'x\\0000y\\\\''z'", "a = U&'x\\0000y\\\\''z'");
}

static void dates_may_stand_bare_or_behind_their_type(void **state)
{
    (void)state;
    check("l_shipdate >= 1998-04-01", "l_shipdate >= '1998-04-01'");
    check("l_shipdate >= 1998-04-01 and x < 5", "l_shipdate >= '1998-04-01' AND x < 5");
    check("d IN (2024-01-01,2024-02-01)", "d IN ('2024-01-01', '2024-02-01')");
    check("d = DATE '2024-01-01'", "d = '2024-01-01'");
    check("TIMESTAMP '2024-01-01 10:00:00' <= ts", "ts >= '2024-01-01 10:00:00'");
    check("t = time '10:00'", "t = '10:00'");
    check("date = '2024-01-01' AND timestamp > 5", "date = '2024-01-01' AND timestamp > 5");
}

static void names_may_be_quoted_and_nested(void **state)
{
    (void)state;
    check("\"a b\" = 1", "\"a b\" = 1");
    check("`a` = 1", "a = 1");
    check("\"sel\"\"ect\".x.`and` = 1", "\"sel\"\"ect\".x.\"and\" = 1");
    check("`a``b` = 1", "\"a`b\" = 1");
    check("\"a.b\" = 1", "\"a.b\" = 1");
    check("a . b = 1", "a.b = 1");
    check("größe = 1", "größe = 1");
    check("_ROW_ID = 1", "_ROW_ID = 1");
    check("\"1st\" = 1", "\"1st\" = 1");
    check("x = 1", "x = 1");
    check("u = 1", "u = 1");
}

static void the_word_operators_parse_in_any_case(void **state)
{
    (void)state;
    check("a in (1,2 , 3)", "a IN (1, 2, 3)");
    check("a Not In ('x', NULL)", "a NOT IN ('x', NULL)");
    check("a between 1 and 2 and b = 3", "a BETWEEN 1 AND 2 AND b = 3");
    check("a not between -1 and 2.5", "a NOT BETWEEN -1 AND 2.5");
    check("a is null", "a IS NULL");
    check("a is not null", "a IS NOT NULL");
    check("a like 'x%'", "a LIKE 'x%'");
    check("a not like '%x_'", "a NOT LIKE '%x_'");
    check("a like NULL", "a LIKE NULL");
    check("a like 'x!%y!!z\\w' escape '!'", "a LIKE 'x\\%y!z\\\\w'");
    check("a like 'x\\\\%' escape '\\'", "a LIKE 'x\\\\%'");
    check("a like 'xé%yéé' escape 'é'", "a LIKE 'x\\%yé'");
    check("a like 'x\\y' escape ''", "a LIKE 'x\\\\y'");
    check("a like 'a%%b' escape '%'", "a LIKE 'a\\%b'");
}

static void not_binds_tighter_than_and_and_that_than_or(void **state)
{
    (void)state;
    check("a=1 or b=2 and not c=3", "a = 1 OR b = 2 AND NOT (c = 3)");
    check("(a=1 or b=2) and c=3", "(a = 1 OR b = 2) AND c = 3");
    check("((a=1))", "a = 1");
    check("(a=1 and b=2) and c=3", "(a = 1 AND b = 2) AND c = 3");
    check("a=1 or (b=2 or c=3)", "a = 1 OR (b = 2 OR c = 3)");
    check("not not a=1", "NOT NOT (a = 1)");
    check("not (a=1 and b=2)", "NOT (a = 1 AND b = 2)");
    check("not a is null", "NOT (a IS NULL)");
    check("not(a=1)or(b=2)", "NOT (a = 1) OR b = 2");
}

static void faults_are_refused_with_their_place(void **state)
{
    (void)state;
    refuse("", "byte 1: expected a column, a literal, NOT or (, found the end");
    refuse("   ", "found the end");
    refuse("a", "byte 2: expected a comparison");
    refuse("a =", "byte 4: expected a literal, found the end");
    refuse("a = 1 b", "byte 7: expected AND, OR or the end, found b");
    refuse("a = 1)", "byte 6: expected AND, OR or the end, found )");
    refuse("(a = 1", "byte 7: expected ) or AND or OR, found the end");
    refuse("a == 1", "byte 4: expected a literal, found =");
    refuse("a = 'x", "byte 5: the quote ' is not closed");
    refuse("\"a = 1", "byte 1: the quote \" is not closed");
    refuse("\"\" = 1", "column name");
    refuse("a = X'0'", "pairs of hexadecimal");
    refuse("a = X'0g'", "pairs of hexadecimal");
    refuse("a = 1x", "byte 6: a number runs into 'x'");
    refuse("a = 1.2.3", "byte 8: a number runs into '.'");
    refuse("a = 1e", "a number runs into 'e'");
    refuse("a = 1998-04-01-02", "byte 9: expected AND, OR or the end, found -");
    refuse("a = --1", "byte 6: expected a number");
    refuse("a = -'x'", "expected a number");
    refuse("a = -", "expected a number, found the end");
    refuse("a IN ()", "byte 7: expected a literal, found )");
    refuse("a IN (1,)", "expected a literal");
    refuse("a IN 1", "expected ( after IN");
    refuse("a IN (1 2)", "expected , or )");
    refuse("a IN (b)", "expected a literal");
    refuse("a BETWEEN 1", "expected AND");
    refuse("a BETWEEN 1 OR 2", "expected AND, found OR");
    refuse("a IS 1", "expected NULL");
    refuse("a IS NOT 1", "expected NULL");
    refuse("a NOT = 1", "expected IN, BETWEEN or LIKE");
    refuse("a LIKE 5", "byte 8: expected a text after LIKE, found 5");
    refuse("a LIKE 'x\\y'", "byte 8: the pattern has a '\\'");
    refuse("a LIKE 'x\\'", "the pattern has a '\\'");
    refuse("a LIKE 'x!y' ESCAPE '!'", "the pattern has an escape");
    refuse("a LIKE 'x' ESCAPE 'yz'", "one character");
    refuse("a LIKE 'x' ESCAPE 1", "one character");
    refuse("a.b. = 1", "expected a column name");
    refuse(".a = 1", "expected a column");
    refuse("and = 1", "expected a column");
    refuse("1 = 2", "byte 5: expected a column name, found 2");
    refuse("1 IN (a)", "after a literal");
    refuse("a # 1", "byte 3: unexpected '#'");
    refuse("a = \x01", "unexpected byte 0x01");
    refuse("a = '\xff'", "UTF-8");
    refuse("\xff = 1", "UTF-8");
    refuse("a = U&'\\00'", "hexadecimal");
    refuse("a = U&'\\D800'", "hexadecimal");
    refuse("NOT", "found the end");
    refuse("a = 1 AND", "found the end");
    refuse_with(PAIMON_UNSUPPORTED, "a = b", "byte 5: comparing two columns is not supported yet");
    refuse("a this_is_a_very_long_name_that_is_cut_in_the_message_somewhere(", "found this_is_a_very_long_name_that_is_cut_in_the_…");
    refuse("a 'x\ny'", "found 'x y'");
}

static char *repeat(const char *part, size_t times, const char *tail)
{
    size_t n = strlen(part);
    char *text = malloc(n * times + strlen(tail) + 1);
    for (size_t i = 0; i < times; i++) memcpy(text + i * n, part, n);
    strcpy(text + n * times, tail);
    return text;
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    static const char *const OPEN[] = { "(", "NOT ", "a=1 AND (", "NOT (", "a=1 OR (b=2 AND (" };
    for (size_t k = 0; k < 5; k++) {
        char *text = repeat(OPEN[k], 100000 / strlen(OPEN[k]), "a=1");
        refuse(text, "nested deeper than 200 levels");
        free(text);
    }
    char *deep = repeat("NOT ", 199, "(a=1)");
    paimon_predicate *p = parse(deep);
    char *printed = NULL;
    assert_int_equal(p->depth, 200);
    assert_int_equal(paimon_predicate_print(p, &printed, NULL), PAIMON_OK);
    paimon_predicate *again = parse(printed);
    assert_true(pmn_predicate_equal(p, again));
    paimon_predicate *deeper = NULL;
    assert_int_equal(paimon_predicate_not(p, &deeper, NULL), PAIMON_INVALID);
    paimon_predicate_free(again);
    paimon_predicate_free(p);
    paimon_string_free(printed);
    free(deep);
}

static void a_megabyte_is_taken_and_more_is_refused(void **state)
{
    (void)state;
    char *list = repeat("1,", (1 << 19) - 8, "2)");
    memcpy(list, "a IN (", 6);
    paimon_predicate *p = parse(list);
    assert_true(p->n_literals > 500000);
    paimon_predicate_free(p);
    free(list);
    char *chain = repeat("a=1 or ", (1 << 20) / 7 - 2, "a=1");
    p = parse(chain);
    assert_int_equal(p->depth, 2);
    paimon_predicate_free(p);
    free(chain);
    char *number = repeat("1", 1 << 19, "");
    memcpy(number, "a = ", 4);
    p = parse(number);
    assert_int_equal(p->literals[0].kind, PAIMON_LITERAL_NUMBER);
    paimon_predicate_free(p);
    free(number);
    char *big = repeat(" ", (1 << 20) + 1, "a=1");
    refuse(big, "at most 1048576");
    free(big);
    static const char *const JUNK[] = { "'", "''", "(", ")", "\"", "a.", "a ", "- ", "1 ", "X'", "\\", "\x80" };
    for (size_t k = 0; k < sizeof JUNK / sizeof *JUNK; k++) {
        char *text = repeat(JUNK[k], (1 << 20) / strlen(JUNK[k]), "");
        paimon_predicate *none = NULL;
        assert_int_equal(paimon_predicate_parse(text, &none, NULL), PAIMON_INVALID);
        free(text);
    }
}

static paimon_literal text_literal(const char *text)
{
    paimon_literal l = { PAIMON_LITERAL_TEXT, false, 0, 0, text, strlen(text) };
    return l;
}

static void predicates_built_by_calls_equal_their_text(void **state)
{
    (void)state;
    static const char *const PATH[] = { "a", "b c" };
    paimon_literal l[3] = { { 0 } };
    paimon_predicate *p = NULL;
    struct {
        paimon_literal literal;
        const char *text;
    } cases[] = {
        { { PAIMON_LITERAL_DOUBLE, false, 0, 0.1, NULL, 0 }, "a.\"b c\" = 0.1" },
        { { PAIMON_LITERAL_DOUBLE, false, 0, 3, NULL, 0 }, "a.\"b c\" = 3.0" },
        { { PAIMON_LITERAL_DOUBLE, false, 0, 1.0 / 3, NULL, 0 }, "a.\"b c\" = 0.3333333333333333" },
        { { PAIMON_LITERAL_DOUBLE, false, 0, -1e300, NULL, 0 }, "a.\"b c\" = -1e+300" },
        { { PAIMON_LITERAL_DOUBLE, false, 0, (double)NAN, NULL, 0 }, "a.\"b c\" = 'NaN'" },
        { { PAIMON_LITERAL_DOUBLE, false, 0, -(double)INFINITY, NULL, 0 }, "a.\"b c\" = '-Infinity'" },
        { { PAIMON_LITERAL_NUMBER, false, 0, 0, "+12", 3 }, "a.\"b c\" = 12" },
        { { PAIMON_LITERAL_NUMBER, false, 0, 0, "+1.20", 5 }, "a.\"b c\" = 1.20" },
        { { PAIMON_LITERAL_INT, false, INT64_MIN, 0, NULL, 0 }, "a.\"b c\" = -9223372036854775808" },
        { { PAIMON_LITERAL_BYTES, false, 0, 0, "\0\xff", 2 }, "a.\"b c\" = X'00ff'" },
        { { PAIMON_LITERAL_TEXT, false, 0, 0, "x\0y", 3 }, "a.\"b c\" = U&'x\\0000y'" },
        { { PAIMON_LITERAL_NULL, false, 7, 7, NULL, 0 }, "a.\"b c\" = NULL" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(paimon_predicate_leaf(PATH, 2, PAIMON_OP_EQ, &cases[i].literal, 1, &p, NULL), PAIMON_OK);
        char *text = NULL;
        assert_int_equal(paimon_predicate_print(p, &text, NULL), PAIMON_OK);
        assert_string_equal(text, cases[i].text);
        paimon_predicate *again = parse(text);
        assert_true(pmn_predicate_equal(p, again));
        paimon_predicate_free(again);
        paimon_predicate_free(p);
        paimon_string_free(text);
    }
    static const struct {
        paimon_predicate_op op;
        const char *text;
    } AFFIX[] = { { PAIMON_OP_STARTS_WITH, "a LIKE '5\\%\\_\\\\%'" },
                  { PAIMON_OP_ENDS_WITH, "a LIKE '%5\\%\\_\\\\'" },
                  { PAIMON_OP_CONTAINS, "a LIKE '%5\\%\\_\\\\%'" } };
    for (size_t i = 0; i < 3; i++) {
        l[0] = text_literal("5%_\\");
        assert_int_equal(paimon_predicate_leaf(PATH, 1, AFFIX[i].op, l, 1, &p, NULL), PAIMON_OK);
        paimon_predicate *again = parse(AFFIX[i].text);
        assert_true(pmn_predicate_equal(p, again));
        paimon_predicate_free(again);
        paimon_predicate_free(p);
    }
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    static const char *const PATH[] = { "a" }, *const EMPTY[] = { "" };
    paimon_literal l[3] = { { PAIMON_LITERAL_INT, false, 1, 0, NULL, 0 }, { PAIMON_LITERAL_INT, false, 1, 0, NULL, 0 } };
    paimon_predicate *p = NULL;
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_EQ, l, 0, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_EQ, l, 2, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_BETWEEN, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_IN, l, 0, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_IS_NULL, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_LIKE, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, (paimon_predicate_op)0, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, (paimon_predicate_op)99, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 0, PAIMON_OP_EQ, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(EMPTY, 1, PAIMON_OP_EQ, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(NULL, 1, PAIMON_OP_EQ, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_EQ, NULL, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_EQ, l, 1, NULL, NULL), PAIMON_INVALID);
    l[0].kind = (paimon_literal_kind)42;
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_EQ, l, 1, &p, NULL), PAIMON_INVALID);
    l[0] = text_literal("\xC0\x80");
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_EQ, l, 1, &p, NULL), PAIMON_INVALID);
    l[0] = text_literal("1.2.3");
    l[0].kind = PAIMON_LITERAL_NUMBER;
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_EQ, l, 1, &p, NULL), PAIMON_INVALID);
    l[0] = text_literal("x\\y");
    assert_int_equal(paimon_predicate_leaf(PATH, 1, PAIMON_OP_LIKE, l, 1, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_and(NULL, 0, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_not(NULL, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_parse(NULL, &p, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_parse("a=1", NULL, NULL), PAIMON_INVALID);
    assert_int_equal(paimon_predicate_print(NULL, NULL, NULL), PAIMON_INVALID);
    paimon_predicate_free(NULL);
    assert_null(paimon_predicate_retain(NULL));
}

static void numbers_fit_grids_exactly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int scale;
        pmn_fit fit;
        int64_t value;
    } CASES[] = {
        { "5", 0, PMN_FIT_EXACT, 5 },
        { "5.0", 0, PMN_FIT_EXACT, 5 },
        { "5.5", 0, PMN_FIT_BETWEEN, 5 },
        { "-5.5", 0, PMN_FIT_BETWEEN, -6 },
        { "-0.1", 0, PMN_FIT_BETWEEN, -1 },
        { "1e2", 0, PMN_FIT_EXACT, 100 },
        { "100", 0, PMN_FIT_EXACT, 100 },
        { "100.01", 0, PMN_FIT_ABOVE_ALL, 0 },
        { "101", 0, PMN_FIT_ABOVE_ALL, 0 },
        { "-100", 0, PMN_FIT_EXACT, -100 },
        { "-100.01", 0, PMN_FIT_BELOW_ALL, 0 },
        { "-1e40", 0, PMN_FIT_BELOW_ALL, 0 },
        { "1e999999999999", 0, PMN_FIT_ABOVE_ALL, 0 },
        { "1e-999999999999", 0, PMN_FIT_BETWEEN, 0 },
        { "-1e-999999999999", 0, PMN_FIT_BETWEEN, -1 },
        { "0e999999999999", 0, PMN_FIT_EXACT, 0 },
        { "0.50", 1, PMN_FIT_EXACT, 5 },
        { "0.55", 1, PMN_FIT_BETWEEN, 5 },
        { ".5", 1, PMN_FIT_EXACT, 5 },
        { "00000000000000000000000000000000000000000000000005", 0, PMN_FIT_EXACT, 5 },
        { "5.00000000000000000000000000000000000000000000000000", 0, PMN_FIT_EXACT, 5 },
        { "5.00000000000000000000000000000000000000000000000001", 0, PMN_FIT_BETWEEN, 5 },
        { "170141183460469231731687303715884105728", 0, PMN_FIT_ABOVE_ALL, 0 },
        { "-170141183460469231731687303715884105728", 0, PMN_FIT_BELOW_ALL, 0 },
        { "999999999999999999999999999999999999999", 0, PMN_FIT_ABOVE_ALL, 0 },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        pmn_i128 value = 0;
        pmn_fit fit = pmn_number_fit(pmn_slice_text(CASES[i].text), CASES[i].scale, -100, 100, &value);
        if (fit != CASES[i].fit || (int64_t)value != CASES[i].value) fail_msg("%s: %d %d", CASES[i].text, (int)fit, (int)value);
    }
}

static void like_patterns_match_as_sql_says(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool match;
    } CASES[] = {
        { "", "", true },
        { "", "a", false },
        { "%", "", true },
        { "%", "abc", true },
        { "_", "", false },
        { "_", "a", true },
        { "_", "é", true },
        { "_", "🦆", true },
        { "__", "é", false },
        { "a%", "abc", true },
        { "%c", "abc", true },
        { "%b%", "abc", true },
        { "a%c", "abc", true },
        { "a_c", "abc", true },
        { "a_c", "a\nc", true },
        { "%_", "", false },
        { "%_", "ab", true },
        { "a\\%", "a%", true },
        { "a\\%", "ab", false },
        { "\\_", "_", true },
        { "\\_", "x", false },
        { "\\\\", "\\", true },
        { "%a%b%c%", "xaybzc", true },
        { "%aab", "aaab", true },
        { "%ab%abc", "ababc", true },
        { "%ab_", "abab", false },
        { "ab%", "a", false },
        { "%é_", "xéé", true },
        { "a%%b", "ab", true },
        { "abc", "ab", false },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        bool match = pmn_like_match(pmn_slice_text(CASES[i].pattern), pmn_slice_text(CASES[i].text));
        if (match != CASES[i].match) fail_msg("'%s' LIKE '%s'", CASES[i].text, CASES[i].pattern);
    }
}

static void simple_patterns_are_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        paimon_predicate_op op;
        const char *plain;
    } CASES[] = {
        { "", PAIMON_OP_EQ, "" },
        { "abc", PAIMON_OP_EQ, "abc" },
        { "a\\%c", PAIMON_OP_EQ, "a%c" },
        { "abc%", PAIMON_OP_STARTS_WITH, "abc" },
        { "abc%%", PAIMON_OP_STARTS_WITH, "abc" },
        { "%abc", PAIMON_OP_ENDS_WITH, "abc" },
        { "%abc%", PAIMON_OP_CONTAINS, "abc" },
        { "abc\\%", PAIMON_OP_EQ, "abc%" },
        { "abc\\\\%", PAIMON_OP_STARTS_WITH, "abc\\" },
        { "%", PAIMON_OP_IS_NOT_NULL, NULL },
        { "%%", PAIMON_OP_IS_NOT_NULL, NULL },
        { "a%b", PAIMON_OP_LIKE, NULL },
        { "a_", PAIMON_OP_LIKE, NULL },
        { "%\\%", PAIMON_OP_ENDS_WITH, "%" },
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        uint8_t plain[64];
        size_t n = 0;
        assert_int_equal(pmn_like_classify(pmn_slice_text(CASES[i].pattern), plain, &n), CASES[i].op);
        if (CASES[i].plain) assert_true(pmn_slice_equal(pmn_slice_of(plain, n), pmn_slice_text(CASES[i].plain)));
    }
}

static void a_comma_locale_changes_nothing(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) {
        print_message("skipped: no German locale here\n");
        skip();
    }
    char text[PMN_REAL_TEXT_MAX];
    pmn_real_print(0.5, text);
    assert_string_equal(text, "0.5");
    assert_true(pmn_number_to_double(pmn_slice_text("0.5")) == 0.5);
    setlocale(LC_ALL, "C");
}

static void every_failing_allocation_ends_in_nomem_and_leaks_nothing(void **state)
{
    (void)state;
    const char *text = "a IN (1,2.5,'x',NULL) AND (NOT b.c LIKE 'x!%' ESCAPE '!' OR d BETWEEN 1 AND 2 OR `e` IS NULL) AND f = X'00'"
                       " AND g IN (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18)";
    for (int64_t n = 0;; n++) {
        failing_alloc f = { -1, 0 };
        paimon_allocator allocator = failing_alloc_interface(&f);
        pmn_mem *mem = pmn_mem_new(&allocator, 0);
        assert_non_null(mem);
        f.until_failure = n;
        paimon_predicate *p = NULL;
        paimon_error err = PAIMON_ERROR_INIT;
        paimon_status status = pmn_predicate_parse(mem, text, strlen(text), &p, &err);
        paimon_error_clear(&err);
        f.until_failure = -1;
        if (status == PAIMON_OK)
            paimon_predicate_free(p);
        else
            assert_int_equal(status, PAIMON_NOMEM);
        pmn_mem_release(mem);
        assert_int_equal(f.alive, 0);
        if (status == PAIMON_OK) break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_parse_on_either_side),
        cmocka_unit_test(literals_keep_their_digits),
        cmocka_unit_test(dates_may_stand_bare_or_behind_their_type),
        cmocka_unit_test(names_may_be_quoted_and_nested),
        cmocka_unit_test(the_word_operators_parse_in_any_case),
        cmocka_unit_test(not_binds_tighter_than_and_and_that_than_or),
        cmocka_unit_test(faults_are_refused_with_their_place),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(a_megabyte_is_taken_and_more_is_refused),
        cmocka_unit_test(predicates_built_by_calls_equal_their_text),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(numbers_fit_grids_exactly),
        cmocka_unit_test(like_patterns_match_as_sql_says),
        cmocka_unit_test(simple_patterns_are_recognised),
        cmocka_unit_test(a_comma_locale_changes_nothing),
        cmocka_unit_test(every_failing_allocation_ends_in_nomem_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
