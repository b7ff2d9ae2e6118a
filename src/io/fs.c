/* File systems as objects, and the calls that the rooms above make: they check ranges and results, and see to it that every
 * error names the path, whatever an embedder's functions say. */
#include "io/fs.h"

#include <string.h>

#include "io/fs_impl.h"

struct pmn_input {
    pmn_mem *mem;  /* counted */
    paimon_fs *fs; /* counted */
    void *file;
    int64_t size;
    char *path;
};

static bool is_complete(const paimon_fs_vtable *v)
{
    return v->open_read && v->read_ranges && v->close_read && v->stat && v->list && v->open_write && v->write && v->finish_write &&
           v->abort_write && v->remove && v->remove_directory && v->make_directories && v->publish_if_absent && v->replace;
}

paimon_status pmn_fs_make(pmn_mem *mem, const paimon_fs_vtable *vtable, void *ctx, paimon_fs **fs, paimon_error *err)
{
    *fs = (paimon_fs *)pmn_calloc(mem, 1, sizeof **fs);
    if (!*fs) return pmn_fail_nomem(err, "a file system");
    (*fs)->vtable = *vtable;
    (*fs)->ctx = ctx;
    (*fs)->mem = pmn_mem_retain(mem);
    atomic_init(&(*fs)->refs, 1);
    return PAIMON_OK;
}

paimon_status paimon_fs_new(const paimon_fs_vtable *vtable, void *ctx, paimon_fs **fs, paimon_error *err)
{
    if (!vtable || !fs) return pmn_fail(err, PAIMON_INVALID, "paimon_fs_new: NULL argument");
    *fs = NULL;
    if (vtable->struct_size < offsetof(paimon_fs_vtable, rename_directory))
        return pmn_fail(err, PAIMON_INVALID, "paimon_fs_new: struct_size is %zu, expected %zu", vtable->struct_size, sizeof *vtable);
    paimon_fs_vtable whole = { 0 };
    memcpy(&whole, vtable, vtable->struct_size < sizeof whole ? vtable->struct_size : sizeof whole);
    whole.struct_size = sizeof whole;
    if (!is_complete(&whole)) return pmn_fail(err, PAIMON_INVALID, "paimon_fs_new: only release and rename_directory may be NULL");
    return pmn_fs_make(pmn_mem_default(), &whole, ctx, fs, err);
}

paimon_fs *paimon_fs_retain(paimon_fs *fs)
{
    if (fs && fs->mem) atomic_fetch_add_explicit(&fs->refs, 1, memory_order_relaxed);
    return fs;
}

void paimon_fs_free(paimon_fs *fs)
{
    if (!fs || !fs->mem || atomic_fetch_sub_explicit(&fs->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = fs->mem;
    if (fs->vtable.release) fs->vtable.release(fs->ctx);
    pmn_free(mem, fs, sizeof *fs);
    pmn_mem_release(mem);
}

/* Pass `status` on with a text that names the path. */
static paimon_status name_path(paimon_status status, const char *path, paimon_error *err)
{
    if (status == PAIMON_OK || !err) return status;
    if (err->code != status || !err->message) return pmn_fail(err, status, "%s: %s", path, paimon_status_name(status));
    if (!strstr(err->message, path)) pmn_error_prefix(err, "%s", path);
    return status;
}

paimon_status pmn_input_open(pmn_mem *mem, paimon_fs *fs, const char *path, int64_t known_size, pmn_input **out, paimon_error *err)
{
    *out = NULL;
    pmn_input *input = (pmn_input *)pmn_calloc(mem, 1, sizeof *input);
    if (!input) return pmn_fail_nomem(err, "an open file");
    paimon_status status = PAIMON_NOMEM;
    input->path = pmn_strndup(mem, path, strlen(path));
    if (!input->path) {
        pmn_fail_nomem(err, "an open file");
        goto fail;
    }
    status = fs->vtable.open_read(fs->ctx, path, known_size, &input->file, &input->size, err);
    if (status != PAIMON_OK) {
        name_path(status, path, err);
        goto fail;
    }
    if (input->size < 0) {
        status = pmn_fail(err, PAIMON_IO, "%s: the file system says its size is %lld", path, (long long)input->size);
        fs->vtable.close_read(fs->ctx, input->file);
        goto fail;
    }
    input->mem = pmn_mem_retain(mem);
    input->fs = paimon_fs_retain(fs);
    *out = input;
    return PAIMON_OK;
fail:
    pmn_strfree(mem, input->path);
    pmn_free(mem, input, sizeof *input);
    return status;
}

int64_t pmn_input_size(const pmn_input *input)
{
    return input->size;
}

const char *pmn_input_path(const pmn_input *input)
{
    return input->path;
}

paimon_status pmn_input_read_ranges(pmn_input *input, const paimon_read_range *ranges, size_t n, paimon_error *err)
{
    for (size_t i = 0; i < n; i++) {
        int64_t offset = ranges[i].offset, length = ranges[i].length;
        if (offset < 0 || length < 0 || offset > input->size || length > input->size - offset)
            return pmn_fail(err, PAIMON_CORRUPT, "%s: %lld bytes from offset %lld are asked for, but the file has %lld bytes", input->path,
                            (long long)length, (long long)offset, (long long)input->size);
    }
    if (n == 0) return PAIMON_OK;
    return name_path(input->fs->vtable.read_ranges(input->fs->ctx, input->file, ranges, n, err), input->path, err);
}

paimon_status pmn_input_read(pmn_input *input, int64_t offset, int64_t n, void *dst, paimon_error *err)
{
    paimon_read_range range = { offset, n, dst };
    return pmn_input_read_ranges(input, &range, 1, err);
}

void pmn_input_close(pmn_input *input)
{
    if (!input) return;
    pmn_mem *mem = input->mem;
    input->fs->vtable.close_read(input->fs->ctx, input->file);
    paimon_fs_free(input->fs);
    pmn_strfree(mem, input->path);
    pmn_free(mem, input, sizeof *input);
    pmn_mem_release(mem);
}

paimon_status pmn_fs_read_all(pmn_mem *mem, paimon_fs *fs, const char *path, size_t ceiling, pmn_buf *out, paimon_error *err)
{
    pmn_input *input;
    PMN_TRY(pmn_input_open(mem, fs, path, -1, &input, err));
    paimon_status status = PAIMON_OK;
    if ((uint64_t)input->size > ceiling) {
        status = pmn_fail(err, PAIMON_CORRUPT, "%s: %lld bytes, at most %zu expected", path, (long long)input->size, ceiling);
        goto done;
    }
    PMN_GOTO(status, pmn_buf_reserve(out, (size_t)input->size, err), done);
    if (input->size == 0) goto done;
    PMN_GOTO(status, pmn_input_read(input, 0, input->size, out->data + out->size, err), done);
    out->size += (size_t)input->size;
done:
    pmn_input_close(input);
    return status;
}

paimon_status pmn_fs_exists(paimon_fs *fs, const char *path, bool *exists, int64_t *size, paimon_error *err)
{
    paimon_file_info info = { NULL, 0, 0, false };
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = fs->vtable.stat(fs->ctx, path, &info, &why);
    *exists = status == PAIMON_OK;
    if (status == PAIMON_OK && size) *size = info.size_bytes;
    if (status == PAIMON_OK || status == PAIMON_NOT_FOUND) {
        paimon_error_clear(&why);
        return PAIMON_OK;
    }
    pmn_error_move(err, &why);
    return name_path(status, path, err);
}

paimon_status pmn_fs_list(paimon_fs *fs, const char *path, paimon_list_fn fn, void *arg, paimon_error *err)
{
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = fs->vtable.list(fs->ctx, path, fn, arg, &why);
    if (status == PAIMON_OK || status == PAIMON_NOT_FOUND) {
        paimon_error_clear(&why);
        return PAIMON_OK;
    }
    pmn_error_move(err, &why);
    return name_path(status, path, err);
}

paimon_status pmn_fs_write_new(paimon_fs *fs, const char *path, const void *bytes, size_t n, paimon_error *err)
{
    void *file;
    paimon_status status = fs->vtable.open_write(fs->ctx, path, &file, err);
    if (status != PAIMON_OK) return name_path(status, path, err);
    status = fs->vtable.write(fs->ctx, file, bytes, n, err);
    if (status != PAIMON_OK) {
        fs->vtable.abort_write(fs->ctx, file);
        return name_path(status, path, err);
    }
    return name_path(fs->vtable.finish_write(fs->ctx, file, err), path, err);
}

paimon_status pmn_fs_publish(paimon_fs *fs, const char *path, const void *bytes, size_t n, paimon_publish_result *result, paimon_error *err)
{
    *result = PAIMON_PUBLISH_UNKNOWN;
    return name_path(fs->vtable.publish_if_absent(fs->ctx, path, bytes, n, result, err), path, err);
}

paimon_status pmn_fs_replace(paimon_fs *fs, const char *path, const void *bytes, size_t n, paimon_error *err)
{
    return name_path(fs->vtable.replace(fs->ctx, path, bytes, n, err), path, err);
}

paimon_status pmn_fs_remove(paimon_fs *fs, const char *path, paimon_error *err)
{
    return name_path(fs->vtable.remove(fs->ctx, &path, 1, err), path, err);
}

paimon_status pmn_fs_remove_all(paimon_fs *fs, const char *const *paths, size_t n, paimon_error *err)
{
    return n ? fs->vtable.remove(fs->ctx, paths, n, err) : PAIMON_OK;
}
