"""Write the C source of the extension module paimon_c._native: cffi's API mode over the public headers.

    python generate_native.py INCLUDE_DIR OUTPUT.c

What cffi is told is taken from the headers themselves, so there is no second copy of the interface to keep in step: a function that
a header declares can be called from Python. The compiler holds cffi's view against the headers once more when it builds the module.
"""
import os
import re
import sys

import cffi

# What the package adds in C: callbacks into Python (src/bridge.c says how they stay safe).
BRIDGE = """
paimon_status paimon_py_fs_new(size_t id, bool can_rename, paimon_fs **fs, paimon_error *err);
enum { PAIMON_PY_SNAPSHOT = 1, PAIMON_PY_EARLIEST = 2, PAIMON_PY_SCHEMA = 4, PAIMON_PY_PUBLISH = 8 };
paimon_status paimon_py_versions_new(size_t id, unsigned has, paimon_versions **versions, paimon_error *err);
void paimon_py_log(void *ctx, paimon_log_level level, const char *message);
int paimon_py_progress(void *ctx, const paimon_progress *progress);
void paimon_py_fail(paimon_error *err, int status, int32_t sys_errno, const char *text);
void paimon_py_close(void);
void paimon_py_after_fork(void);

extern "Python+C" {
    int paimon_py_open_read(size_t fs, const char *path, int64_t known_size, size_t *file, int64_t *size, paimon_error *err);
    int paimon_py_read_ranges(size_t file, const paimon_read_range *ranges, size_t n, paimon_error *err);
    int paimon_py_close_read(size_t file);
    int paimon_py_stat(size_t fs, const char *path, paimon_file_info *info, paimon_error *err);
    int paimon_py_list(size_t fs, const char *path, paimon_list_fn fn, void *arg, paimon_error *err);
    int paimon_py_open_write(size_t fs, const char *path, size_t *file, paimon_error *err);
    int paimon_py_write(size_t file, const void *bytes, size_t n, paimon_error *err);
    int paimon_py_finish_write(size_t file, paimon_error *err);
    int paimon_py_abort_write(size_t file);
    int paimon_py_remove(size_t fs, const char *const *paths, size_t n, paimon_error *err);
    int paimon_py_remove_directory(size_t fs, const char *path, paimon_error *err);
    int paimon_py_make_directories(size_t fs, const char *path, paimon_error *err);
    int paimon_py_publish(size_t fs, const char *path, const void *bytes, size_t n, int *result, paimon_error *err);
    int paimon_py_replace(size_t fs, const char *path, const void *bytes, size_t n, paimon_error *err);
    int paimon_py_rename_directory(size_t fs, const char *from, const char *to, paimon_error *err);
    int paimon_py_release(size_t object);
    int paimon_py_latest_snapshot(size_t versions, const char *branch, paimon_text_fn give, void *arg, paimon_error *err);
    int paimon_py_snapshot(size_t versions, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err);
    int paimon_py_earliest_snapshot_id(size_t versions, const char *branch, int64_t *id, paimon_error *err);
    int paimon_py_schema(size_t versions, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err);
    int paimon_py_publish_snapshot(size_t versions, const paimon_publication *publication, int *result, paimon_error *err);
    int paimon_py_step(size_t id, const paimon_progress *progress);
    void paimon_py_log_line(size_t id, int level, const char *message);
}
"""

INCLUDE = re.compile(r'^\s*#\s*include\s+"paimon-c/([a-z_]+\.h)"', re.M)
CONSTANT = re.compile(r"^#define\s+(\w+)\s+(?:\d+|INT64_MAX|INT64_MIN)\s*$", re.M)
CPLUSPLUS = re.compile(r"^#ifdef __cplusplus.*?^#endif", re.M | re.S)


def in_order(include_dir, name, done):
    """The headers that `name` needs, and then itself, each once."""
    if name in done:
        return []
    done.add(name)
    with open(os.path.join(include_dir, "paimon-c", name), encoding="utf-8") as f:
        text = f.read()
    headers = []
    for other in INCLUDE.findall(text):
        headers += in_order(include_dir, other, done)
    return headers + [text]


def declarations(text):
    """What is left of a header without comments, preprocessor lines and decoration: what cffi's parser takes."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = CPLUSPLUS.sub("", text)
    text = text.replace("\\\n", " ")
    constants = ["#define %s ..." % name for name in CONSTANT.findall(text)]
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M).replace("PAIMON_API ", "")
    return "\n".join(constants + [line for line in text.splitlines() if line.strip()]) + "\n"


def main():
    include_dir, output = sys.argv[1:]
    builder = cffi.FFI()
    for text in in_order(include_dir, "paimon.h", set()):
        builder.cdef(declarations(text))
    builder.cdef(BRIDGE)
    builder.set_source("paimon_c._native", '#include "paimon-c/paimon.h"\n#include "bridge.h"\n')
    builder.emit_c_code(output)


if __name__ == "__main__":
    main()
