/* Merging old manifests into fewer and larger ones: what a commit does to the list it takes over. The rules decide the shape only,
 * never the meaning. Java: ManifestFileMerger, ManifestFileLegacyMerger.
 *
 * full:  when enough bytes lie in manifests that are small or hold DELETEs, they are rewritten without any DELETE;
 * minor: otherwise, neighbours are put together until they are large enough, and a tail of many small ones.
 *
 * Entries are never held all at once: a first visit, of names only and only where something is deleted, learns which entries go;
 * a second one copies the others. */
#include "base/checked.h"
#include "io/path.h"
#include "meta/manifest/identity.h"
#include "meta/manifest/manifest_write.h"
#include "meta/manifest/partition_range.h"

typedef struct merging {
    const pmn_manifest_merge_options *options;
    pmn_arena *arena; /* of the result */
    pmn_manifest_lens *lens;
    pmn_manifest_file *out;
    int32_t n_out;
    size_t out_capacity;
    const char **created;
    int32_t n_created;
    size_t created_capacity;
    /* of the rewrite that is going on */
    pmn_manifest_writer *writer;
    pmn_identities deleted; /* full: what is deleted. minor: identity → number of its entry, plus one; 0: cancelled out */
    pmn_buf dead;           /* minor: a bit for each entry that cancelled out, by number */
    uint64_t at;
    bool hit;      /* full: an entry of this manifest is deleted */
    pmn_partition_ranges ranges; /* full: of the deleted files */
    pmn_slice last_partition;    /* in the arena of `deleted` */
} merging;

/* --- small parts --- */

static paimon_status visit_manifest(merging *m, const pmn_manifest *manifest, unsigned wanted,
                                    paimon_status (*entry)(void *ctx, const pmn_manifest_entry *entry, paimon_error *err), paimon_error *err)
{
    pmn_manifest_visitor visitor = { .ctx = m, .wanted = wanted, .lens = m->lens, .entry = entry };
    return pmn_manifest_visit(manifest, &visitor, err);
}

static paimon_status load_manifest(merging *m, const pmn_manifest_file *file, pmn_manifest **out, paimon_error *err)
{
    pmn_arena scratch;
    pmn_arena_init(&scratch, m->options->writer.mem);
    const char *path = pmn_path_join(&scratch, m->options->writer.folder, file->name);
    paimon_status status = path ? pmn_manifest_load(m->options->writer.mem, m->options->writer.fs, path, file->size, out, err)
                                : pmn_fail_nomem(err, "a path");
    pmn_arena_free(&scratch);
    return status;
}

static paimon_status visit_file(merging *m, const pmn_manifest_file *file, unsigned wanted,
                                paimon_status (*entry)(void *ctx, const pmn_manifest_entry *entry, paimon_error *err), paimon_error *err)
{
    pmn_manifest *manifest = NULL;
    PMN_TRY(load_manifest(m, file, &manifest, err));
    paimon_status status = visit_manifest(m, manifest, wanted, entry, err);
    pmn_manifest_release(manifest);
    return status;
}

static paimon_status put_out(merging *m, const pmn_manifest_file *file, paimon_error *err)
{
    void *grown = pmn_arena_grow(m->arena, m->out, (size_t)m->n_out, &m->out_capacity, sizeof *m->out);
    if (!grown) return pmn_fail_nomem(err, "a list of manifests");
    m->out = grown;
    m->out[m->n_out++] = *file;
    return PAIMON_OK;
}

/* What the writer wrote is ours to remove if the commit fails, and part of the result. */
static paimon_status take_written(merging *m, paimon_error *err)
{
    pmn_manifest_file *files;
    int32_t n;
    PMN_TRY(pmn_manifest_writer_finish(m->writer, m->arena, &files, &n, err));
    pmn_manifest_writer_free(m->writer);
    m->writer = NULL;
    paimon_status status = PAIMON_OK;
    for (int32_t i = 0; i < n; i++) {
        void *grown = pmn_arena_grow(m->arena, m->created, (size_t)m->n_created, &m->created_capacity, sizeof *m->created);
        if (grown) {
            m->created = grown;
            m->created[m->n_created++] = files[i].name;
        } else {
            status = pmn_fail_nomem(err, "a list of manifests"); /* the file is an orphan; the others are still noted */
        }
        if (status == PAIMON_OK) status = put_out(m, &files[i], err);
    }
    return status;
}

/* --- minor --- */

/* An ADD and a DELETE of one file cancel out, whichever comes first; a DELETE whose ADD is older than these manifests stays. */
static paimon_status pair_entry(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    merging *m = ctx;
    uint64_t *number, mine = m->at++;
    while (m->dead.size <= mine >> 3) PMN_TRY(pmn_buf_append_byte(&m->dead, 0, err));
    PMN_TRY(pmn_identities_at(&m->deleted, entry, true, &number, err));
    if (*number == 0) {
        *number = (mine << 1 | (uint64_t)entry->kind) + 1;
        return PAIMON_OK;
    }
    uint64_t other = *number - 1;
    if ((other & 1) == (uint64_t)entry->kind) {
        if (entry->kind == PMN_FILE_ADD)
            return pmn_fail(err, PAIMON_CORRUPT, "file %s (bucket %d, level %d) is added twice", entry->file.name, (int)entry->bucket,
                            (int)entry->file.level);
        m->dead.data[mine >> 3] |= (uint8_t)(1u << (mine & 7)); /* deleted again: once is enough */
        return PAIMON_OK;
    }
    other >>= 1;
    m->dead.data[other >> 3] |= (uint8_t)(1u << (other & 7));
    m->dead.data[mine >> 3] |= (uint8_t)(1u << (mine & 7));
    *number = 0;
    return PAIMON_OK;
}

static paimon_status copy_survivor(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    merging *m = ctx;
    uint64_t mine = m->at++;
    if (mine >> 3 < m->dead.size && m->dead.data[mine >> 3] >> (mine & 7) & 1) return PAIMON_OK;
    return pmn_manifest_writer_add(m->writer, entry, err);
}

static void forget_files(merging *m)
{
    pmn_buf_clear(&m->dead);
    m->last_partition = pmn_slice_of(NULL, 0);
    pmn_identities_free(&m->deleted);
    pmn_identities_init(&m->deleted, m->options->writer.mem);
}

static paimon_status merge_group(merging *m, const pmn_manifest_file *group, int32_t n, paimon_error *err)
{
    if (n == 1) return put_out(m, group, err);
    int64_t n_deleted = 0;
    for (int32_t i = 0; i < n; i++) n_deleted |= group[i].n_deleted;
    m->at = 0;
    for (int32_t i = 0; i < n && n_deleted; i++) PMN_TRY(visit_file(m, &group[i], PMN_ENTRY_NAME, pair_entry, err));
    m->at = 0;
    PMN_TRY(pmn_manifest_writer_new(&m->options->writer, &m->writer, err));
    for (int32_t i = 0; i < n; i++) PMN_TRY(visit_file(m, &group[i], PMN_ENTRY_ALL, copy_survivor, err));
    PMN_TRY(take_written(m, err));
    forget_files(m);
    return PAIMON_OK;
}

static paimon_status merge_minor(merging *m, const pmn_manifest_file *in, int32_t n, paimon_error *err)
{
    int32_t first = 0;
    int64_t total = 0;
    for (int32_t i = 0; i < n; i++) {
        total += in[i].size;
        if (total < m->options->writer.target_bytes) continue;
        PMN_TRY(merge_group(m, in + first, i + 1 - first, err));
        first = i + 1;
        total = 0;
    }
    if (n - first >= m->options->min_count && n > first) return merge_group(m, in + first, n - first, err);
    while (first < n) PMN_TRY(put_out(m, &in[first++], err));
    return PAIMON_OK;
}

/* --- full --- */

static bool must_change(const merging *m, const pmn_manifest_file *file)
{
    return file->n_deleted > 0 || file->size < m->options->writer.target_bytes;
}

static paimon_status note_partition(merging *m, pmn_slice partition, paimon_error *err)
{
    if (m->last_partition.data && pmn_slice_equal(m->last_partition, partition)) return PAIMON_OK;
    const void *copy = pmn_arena_copy(&m->deleted.arena, partition.data, partition.size);
    if (!copy) return pmn_fail_nomem(err, "a partition");
    m->last_partition = pmn_slice_of(copy, partition.size);
    return pmn_partition_ranges_add(&m->ranges, m->last_partition, err);
}

static paimon_status note_deleted(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    merging *m = ctx;
    uint64_t *number;
    if (entry->kind != PMN_FILE_DELETE) return PAIMON_OK;
    PMN_TRY(note_partition(m, entry->partition, err));
    return pmn_identities_at(&m->deleted, entry, true, &number, err);
}

static paimon_status look_for_deleted(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    merging *m = ctx;
    uint64_t *number = NULL;
    if (m->hit || entry->kind != PMN_FILE_ADD) return PAIMON_OK;
    PMN_TRY(pmn_identities_at(&m->deleted, entry, false, &number, err));
    m->hit = number != NULL;
    return PAIMON_OK;
}

static paimon_status copy_alive(void *ctx, const pmn_manifest_entry *entry, paimon_error *err)
{
    merging *m = ctx;
    uint64_t *number = NULL;
    if (entry->kind != PMN_FILE_ADD) return PAIMON_OK;
    if (m->deleted.map.count) PMN_TRY(pmn_identities_at(&m->deleted, entry, false, &number, err));
    return number ? PAIMON_OK : pmn_manifest_writer_add(m->writer, entry, err);
}

static paimon_status rewrite_one(merging *m, const pmn_manifest_file *file, paimon_error *err)
{
    pmn_manifest *manifest = NULL;
    PMN_TRY(load_manifest(m, file, &manifest, err));
    paimon_status status = PAIMON_OK;
    m->hit = must_change(m, file);
    if (!m->hit && m->deleted.map.count) status = visit_manifest(m, manifest, PMN_ENTRY_NAME, look_for_deleted, err);
    if (status == PAIMON_OK && m->hit) status = visit_manifest(m, manifest, PMN_ENTRY_ALL, copy_alive, err);
    else if (status == PAIMON_OK) status = put_out(m, file, err);
    pmn_manifest_release(manifest);
    return status;
}

static bool takes_part(const merging *m, const pmn_manifest_file *file)
{
    return must_change(m, file) || pmn_partition_ranges_may_hold(&m->ranges, file);
}

/* `*done` false: full merging is not due. */
static paimon_status merge_full(merging *m, const pmn_manifest_file *in, int32_t n, bool *done, paimon_error *err)
{
    int64_t changing = 0;
    int32_t n_rewrite = 0;
    *done = false;
    for (int32_t i = 0; i < n; i++)
        if (must_change(m, &in[i])) changing += in[i].size;
    if (changing < m->options->full_threshold_bytes) return PAIMON_OK;
    for (int32_t i = 0; i < n; i++)
        if (in[i].n_deleted > 0) PMN_TRY(visit_file(m, &in[i], PMN_ENTRY_NAME, note_deleted, err));
    for (int32_t i = 0; i < n; i++) n_rewrite += takes_part(m, &in[i]);
    if (n_rewrite <= 1) return PAIMON_OK;
    for (int32_t i = 0; i < n; i++)
        if (!takes_part(m, &in[i])) PMN_TRY(put_out(m, &in[i], err));
    PMN_TRY(pmn_manifest_writer_new(&m->options->writer, &m->writer, err));
    for (int32_t i = 0; i < n; i++)
        if (takes_part(m, &in[i])) PMN_TRY(rewrite_one(m, &in[i], err));
    *done = true;
    return take_written(m, err);
}

/* --- both --- */

static void remove_created(merging *m)
{
    for (int32_t i = 0; i < m->n_created; i++) {
        const char *path = pmn_path_join(m->arena, m->options->writer.folder, m->created[i]);
        if (path && pmn_fs_remove(m->options->writer.fs, path, NULL) != PAIMON_OK) continue; /* an orphan at worst */
    }
}

static paimon_status run_merge(merging *m, const pmn_manifest_file *in, int32_t n, paimon_error *err)
{
    bool done = false;
    PMN_TRY(pmn_partition_ranges_init(&m->ranges, m->options->writer.partition_type, m->arena, err));
    PMN_TRY(pmn_manifest_lens_new(m->options->writer.mem, 0, &m->lens, err));
    PMN_TRY(merge_full(m, in, n, &done, err));
    if (done) return PAIMON_OK;
    forget_files(m);
    return merge_minor(m, in, n, err);
}

/* Nothing is merged and nothing is read: the common case of a commit. */
static bool nothing_due(const pmn_manifest_merge_options *options, const pmn_manifest_file *in, int32_t n)
{
    int64_t total = 0;
    for (int32_t i = 0; i < n; i++) total += in[i].size;
    return total < options->writer.target_bytes && total < options->full_threshold_bytes && n < options->min_count;
}

static paimon_status check_sizes(const pmn_manifest_file *in, int32_t n, paimon_error *err)
{
    int64_t total = 0;
    for (int32_t i = 0; i < n; i++)
        if (in[i].size < 0 || !pmn_add_i64(total, in[i].size, &total))
            return pmn_fail(err, PAIMON_CORRUPT, "manifest %s has %lld bytes in its list", in[i].name, (long long)in[i].size);
    return PAIMON_OK;
}

paimon_status pmn_manifest_merge(const pmn_manifest_merge_options *options, const pmn_manifest_file *in, int32_t n_in, pmn_arena *arena,
                                 pmn_manifest_file **out, int32_t *n_out, const char ***created, int32_t *n_created, paimon_error *err)
{
    merging m = { .options = options, .arena = arena };
    *created = NULL;
    *n_created = 0;
    PMN_TRY(check_sizes(in, n_in, err));
    paimon_status status = PAIMON_OK;
    if (nothing_due(options, in, n_in)) {
        for (int32_t i = 0; i < n_in; i++) PMN_TRY(put_out(&m, &in[i], err));
    } else {
        pmn_identities_init(&m.deleted, options->writer.mem);
        pmn_buf_init(&m.dead, options->writer.mem, PMN_BUF_NO_CEILING);
        status = run_merge(&m, in, n_in, err);
        pmn_manifest_writer_free(m.writer);
        pmn_buf_free(&m.dead);
        pmn_identities_free(&m.deleted);
        pmn_manifest_lens_free(m.lens);
        if (status != PAIMON_OK) {
            remove_created(&m);
            return status;
        }
    }
    *out = m.out;
    *n_out = m.n_out;
    *created = m.created;
    *n_created = m.n_created;
    return PAIMON_OK;
}
