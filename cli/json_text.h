/** JSON out of foreign text: what the parser does not tell about it. */
#ifndef CLI_JSON_TEXT_H
#define CLI_JSON_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** The numbers of JSON texts that have a fraction or an exponent and more digits than a double keeps. The parser makes a double of them,
 *  which is right for FLOAT and DOUBLE; a DECIMAL has to refuse it. */
typedef struct long_numbers {
    double *values;
    size_t n, capacity;
    bool failed; /**< no memory: any number may be one */
} long_numbers;

/** Adds those of `json`. NULL has none and takes none. */
void long_numbers_find(long_numbers *numbers, const char *json, size_t size);
bool long_numbers_have(const long_numbers *numbers, double value);
void long_numbers_free(long_numbers *numbers);

/** Any JSON value; a member that is named twice is refused, zero bytes in texts are not. NULL: told in `why` ("not JSON: …" or "out of
 *  memory"), owned by the caller's buffer of `size` bytes. */
json_t *json_text_load(const char *text, size_t n, size_t flags, char *why, size_t size);

#endif
