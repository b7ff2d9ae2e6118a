/* Using a file system: what the rooms above call. They never see which one it is. */
#ifndef PMN_IO_FS_H
#define PMN_IO_FS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/status.h"
#include "paimon-c/fs.h"

/* An open file for reading. It keeps its file system. Shared by threads. */
typedef struct pmn_input pmn_input;

/* `known_size` -1: ask. Errors name the path. */
paimon_status pmn_input_open(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t known_size, pmn_input **out, paimon_error *err) PMN_MUST_USE;
int64_t pmn_input_size(const pmn_input *input);
const char *pmn_input_path(const pmn_input *input);
/* Exactly `n` bytes from `offset`; a range past the end is PAIMON_CORRUPT naming path, range and size. */
paimon_status pmn_input_read(pmn_input *input, int64_t offset, int64_t n, void *dst, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_input_read_ranges(pmn_input *input, const paimon_read_range *ranges, size_t n, paimon_error *err) PMN_MUST_USE;
void pmn_input_close(pmn_input *input); /* NULL allowed */

/* A whole file, at most `ceiling` bytes, into `out` (initialised by the caller; appended). */
paimon_status pmn_fs_read_all(pmn_mem *mem, paimon_fs *fs, const char *path, size_t ceiling, pmn_buf *out, paimon_error *err) PMN_MUST_USE;
/* `*exists` false, and PAIMON_OK, if it is not there; any other failure is an error. `size` may be NULL. */
paimon_status pmn_fs_exists(paimon_fs *fs, const char *path, bool *exists, int64_t *size, paimon_error *err) PMN_MUST_USE;
/* An absent directory lists as empty. */
paimon_status pmn_fs_list(paimon_fs *fs, const char *path, paimon_list_fn fn, void *arg, paimon_error *err) PMN_MUST_USE;
/* A new file with these bytes, as durable as the file system promises; nothing is left behind on failure. */
paimon_status pmn_fs_write_new(paimon_fs *fs, const char *path, const void *bytes, size_t n, paimon_error *err) PMN_MUST_USE;
/* A new file written in pieces. It keeps its file system. One thread at a time. */
typedef struct pmn_output pmn_output;
paimon_status pmn_output_open(pmn_mem *mem, paimon_fs *fs, const char *path, pmn_output **out, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_output_write(pmn_output *output, const void *bytes, size_t n, paimon_error *err) PMN_MUST_USE;
int64_t pmn_output_position(const pmn_output *output); /* bytes written so far */
/* Whole and visible when it returns, and as durable as the file system promises; on failure the file is gone. Once; free it all the same. */
paimon_status pmn_output_finish(pmn_output *output, paimon_error *err) PMN_MUST_USE;
/* An unfinished file is removed. NULL allowed. */
void pmn_output_free(pmn_output *output);

/* The same file system, that stays with one folder: on the local disk, paths below `folder` lead into the folder that has this name now, and
 * go on doing so when it is renamed or removed and another one takes its name. Holds a descriptor. PAIMON_NOT_FOUND if it is not there.
 * Other file systems rename no folder at once: they are retained as they are. */
paimon_status pmn_fs_pin(pmn_mem *mem, paimon_fs *fs, const char *folder, paimon_fs **out, paimon_error *err) PMN_MUST_USE;
/* Remove one file; an absent one counts as removed. */
paimon_status pmn_fs_remove(paimon_fs *fs, const char *path, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_fs_publish(paimon_fs *fs, const char *path, const void *bytes, size_t n, paimon_publish_result *result, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_fs_replace(paimon_fs *fs, const char *path, const void *bytes, size_t n, paimon_error *err) PMN_MUST_USE;
/* As the file system's: an absent file counts as removed, all are tried. */
paimon_status pmn_fs_remove_all(paimon_fs *fs, const char *const *paths, size_t n, paimon_error *err) PMN_MUST_USE;

#endif
