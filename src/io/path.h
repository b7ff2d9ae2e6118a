/* Paths: joined with one '/', schemes kept. */
#ifndef PMN_IO_PATH_H
#define PMN_IO_PATH_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"

/* "dir/name" in the arena; a '/' at the end of dir is not doubled. NULL without memory. */
char *pmn_path_join(pmn_arena *arena, const char *dir, const char *name) PMN_MUST_USE;
char *pmn_path_joinf(pmn_arena *arena, const char *dir, const char *format, ...) PMN_PRINTF(3, 4) PMN_MUST_USE;
pmn_slice pmn_path_scheme(const char *path); /* "s3" of "s3://b/k"; empty for a plain path */
/* A letter, then letters, digits, '+', '-', '.'. */
bool pmn_is_scheme(const char *text, size_t n);
const char *pmn_path_name(const char *path); /* after the last '/' */

#endif
