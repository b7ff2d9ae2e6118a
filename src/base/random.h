/* Random bytes from the system, and UUIDs made of them: names that no other process chooses. */
#ifndef PMN_BASE_RANDOM_H
#define PMN_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define PMN_UUID_TEXT 37 /* 36 characters and a zero byte */

paimon_status pmn_random_bytes(void *out, size_t n, paimon_error *err) PMN_MUST_USE;
/* A random (version 4) UUID in lower case. */
paimon_status pmn_uuid(char out[PMN_UUID_TEXT], paimon_error *err) PMN_MUST_USE;

#endif
