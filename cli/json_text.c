#include "json_text.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- long numbers */

enum { DIGITS_KEPT = 15 }; /* every decimal number of so many digits comes back from the double next to it */
static const double SMALLEST_NORMAL = 2.2250738585072014e-308; /* below, a double keeps fewer */

/* From the first digit that is not zero to the last one. */
static size_t significant_digits(const char *token, size_t n)
{
    size_t digits = 0, upto = 0;
    for (size_t i = 0; i < n && token[i] != 'e' && token[i] != 'E'; i++) {
        if (token[i] < '0' || token[i] > '9') {
            continue;
        }
        digits += digits > 0 || token[i] != '0';
        upto = token[i] != '0' ? digits : upto;
    }
    return upto;
}

static void add_number(long_numbers *numbers, double value)
{
    if (numbers->n == numbers->capacity) {
        size_t capacity = numbers->capacity > 0 ? numbers->capacity * 2 : 16;
        double *grown = realloc(numbers->values, capacity * sizeof *grown);
        if (grown == NULL) {
            numbers->failed = true;
            return;
        }
        numbers->values = grown;
        numbers->capacity = capacity;
    }
    numbers->values[numbers->n++] = value;
}

static void look_at_number(long_numbers *numbers, const char *token, size_t n)
{
    char copy[512];
    size_t digits = significant_digits(token, n);
    if (digits == 0 || (memchr(token, '.', n) == NULL && memchr(token, 'e', n) == NULL && memchr(token, 'E', n) == NULL)) {
        return;
    }
    if (n >= sizeof copy) {
        numbers->failed = true; /* too long to look at: not trusted */
        return;
    }
    memcpy(copy, token, n);
    copy[n] = '\0';
    double value = strtod(copy, NULL);
    if (digits > DIGITS_KEPT || (value < SMALLEST_NORMAL && value > -SMALLEST_NORMAL)) {
        add_number(numbers, value);
    }
}

void long_numbers_find(long_numbers *numbers, const char *json, size_t size)
{
    for (size_t i = 0; i < size && numbers != NULL;) {
        size_t from = i;
        if (json[i] == '"') {
            for (i++; i < size && json[i] != '"'; i++) {
                i += json[i] == '\\';
            }
            i++;
            continue;
        }
        while (i < size && json[i] != '\0' && strchr("+-.0123456789eE", json[i]) != NULL) {
            i++;
        }
        if (i - from > DIGITS_KEPT || (i > from && memchr(json + from, '-', i - from) != NULL)) {
            look_at_number(numbers, json + from, i - from);
        }
        i += i == from;
    }
}

bool long_numbers_have(const long_numbers *numbers, double value)
{
    for (size_t i = 0; numbers != NULL && i < numbers->n; i++) {
        if (numbers->values[i] == value) {
            return true;
        }
    }
    return numbers != NULL && numbers->failed;
}

void long_numbers_free(long_numbers *numbers)
{
    free(numbers->values);
    *numbers = (long_numbers){ 0 };
}

/* -------------------------------------------------------------------- parsing */

/* The parser goes on with a text that it could not get memory for, byte by byte, and then follows the rest of it that is not there. So
 * a refusal jumps out of it; what it had is lost, and the command ends. */
static jmp_buf *no_memory;

static void *parser_alloc(size_t size)
{
    void *block = malloc(size);
    if (block == NULL && no_memory != NULL) {
        longjmp(*no_memory, 1);
    }
    return block;
}

json_t *json_text_load(const char *text, size_t n, size_t flags, char *why, size_t size)
{
    jmp_buf here;
    json_error_t error;
    json_set_alloc_funcs(parser_alloc, free);
    if (setjmp(here) != 0) {
        no_memory = NULL;
        snprintf(why, size, "out of memory");
        return NULL;
    }
    no_memory = &here;
    json_t *value = json_loadb(text, n, flags | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    no_memory = NULL;
    if (value == NULL) {
        snprintf(why, size, "not JSON: %.160s, at byte %d", error.text, error.position);
    }
    return value;
}
