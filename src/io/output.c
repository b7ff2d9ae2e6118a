/* New files written in pieces, through whatever file system they lie on. */
#include <string.h>

#include "io/fs.h"
#include "io/fs_impl.h"

struct pmn_output {
    pmn_mem *mem;  /* counted */
    paimon_fs *fs; /* counted */
    char *path;
    void *file; /* NULL: finished or failed */
    int64_t position;
};

static paimon_status name_output(paimon_status status, const pmn_output *output, paimon_error *err)
{
    if (status != PAIMON_OK && err && !strstr(paimon_error_message(err), output->path)) pmn_error_prefix(err, "%s", output->path);
    return status;
}

paimon_status pmn_output_open(pmn_mem *mem, paimon_fs *fs, const char *path, pmn_output **out, paimon_error *err)
{
    pmn_output *output = pmn_calloc(mem, 1, sizeof *output);
    if (!output) return pmn_fail_nomem(err, "a file to write");
    output->mem = pmn_mem_retain(mem);
    output->fs = paimon_fs_retain(fs);
    output->path = pmn_strndup(mem, path, strlen(path));
    paimon_status status = output->path ? PAIMON_OK : pmn_fail_nomem(err, "a file's path");
    if (status == PAIMON_OK) {
        status = name_output(fs->vtable.open_write(fs->ctx, path, &output->file, err), output, err);
        if (status != PAIMON_OK) output->file = NULL;
    }
    if (status == PAIMON_OK) *out = output;
    else pmn_output_free(output);
    return status;
}

paimon_status pmn_output_write(pmn_output *output, const void *bytes, size_t n, paimon_error *err)
{
    if (!output->file) return pmn_fail(err, PAIMON_STATE, "%s: writing to a file that is closed", output->path);
    PMN_TRY(name_output(output->fs->vtable.write(output->fs->ctx, output->file, bytes, n, err), output, err));
    output->position += (int64_t)n;
    return PAIMON_OK;
}

int64_t pmn_output_position(const pmn_output *output)
{
    return output->position;
}

paimon_status pmn_output_finish(pmn_output *output, paimon_error *err)
{
    void *file = output->file;
    if (!file) return pmn_fail(err, PAIMON_STATE, "%s: finishing a file that is closed", output->path);
    output->file = NULL;
    return name_output(output->fs->vtable.finish_write(output->fs->ctx, file, err), output, err);
}

void pmn_output_free(pmn_output *output)
{
    if (!output) return;
    pmn_mem *mem = output->mem;
    if (output->file) output->fs->vtable.abort_write(output->fs->ctx, output->file);
    paimon_fs_free(output->fs);
    pmn_strfree(mem, output->path);
    pmn_free(mem, output, sizeof *output);
    pmn_mem_release(mem);
}
