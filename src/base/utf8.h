/* UTF-8: validation, code points, and what Java would do. */
#ifndef PMN_BASE_UTF8_H
#define PMN_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

bool pmn_utf8_valid(pmn_slice text);
int64_t pmn_utf8_length(pmn_slice text); /* code points; malformed bytes count one each */
/* The code point at text[*pos], *pos moved behind it; 0xFFFD and one byte on for malformed ones. *pos < text.size. */
uint32_t pmn_utf8_next(pmn_slice text, size_t *pos);
size_t pmn_utf8_encode(uint32_t code_point, uint8_t out[4]);
/* Byte length of the first `n` code points (all, if there are fewer). */
size_t pmn_utf8_prefix(pmn_slice text, int64_t n);

#endif
