/* Java: rest.requests.CommitTableRequest, partition.PartitionStatistics, InternalRowPartitionComputer. Members and their order are
 * Java's; like Jackson's there, nulls are written and no blanks. */
#include "meta/snapshot/commit_request.h"

#include <time.h>

#include "base/json.h"
#include "types/partition.h"
#include "types/row_codec.h"

static int64_t offset_at(int64_t instant)
{
    struct tm local;
    time_t at = (time_t)instant;
    return localtime_r(&at, &local) ? (int64_t)local.tm_gmtoff : 0;
}

/* Files carry the local date and time of their creation; on the wire it is the instant, by the time zone of this process, as
 * Java takes the virtual machine's. The offset is looked up twice: where the first guess lands it may be another. Not by mktime, which
 * reads the environment each time. */
static int64_t local_to_instant_ms(int64_t local_ms)
{
    int64_t seconds = local_ms / 1000 - (local_ms % 1000 < 0), millis = local_ms - seconds * 1000;
    if (seconds > INT64_MAX / 2000 || seconds < INT64_MIN / 2000) return local_ms;
    int64_t guess = seconds - offset_at(seconds);
    return (seconds - offset_at(guess)) * 1000 + millis;
}

typedef struct spec_printer {
    const pmn_type *type;
    const char *default_name;
    bool legacy;
    pmn_datum *row;
    pmn_buf text;
} spec_printer;

static paimon_status print_spec(spec_printer *p, pmn_slice partition, pmn_buf *out, paimon_error *err)
{
    pmn_row_view view;
    if (p->type->n_fields > 0) {
        PMN_TRY(pmn_row_parse(partition, &view, err));
        PMN_TRY(pmn_row_get_all(&view, p->type, p->row, err));
    }
    PMN_TRY(pmn_buf_append_text(out, "{", err));
    for (int32_t i = 0; i < p->type->n_fields; i++) {
        pmn_buf_clear(&p->text);
        PMN_TRY(pmn_partition_text(&p->text, p->type->fields[i].type, &p->row[i], p->default_name, p->legacy, err));
        if (i > 0) PMN_TRY(pmn_buf_append_text(out, ",", err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_text(p->type->fields[i].name), err));
        PMN_TRY(pmn_buf_append_text(out, ":", err));
        PMN_TRY(pmn_json_quote(out, pmn_slice_of(p->text.data, p->text.size), err));
    }
    return pmn_buf_append_text(out, "}", err);
}

static paimon_status print_change(spec_printer *p, const pmn_partition_change *change, pmn_buf *out, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, "{\"spec\":", err));
    PMN_TRY(print_spec(p, change->partition, out, err));
    int64_t created = change->last_created_ms == PMN_NONE ? 0 : local_to_instant_ms(change->last_created_ms);
    return pmn_buf_printf(out, err, ",\"recordCount\":%lld,\"fileSizeInBytes\":%lld,\"fileCount\":%lld,\"lastFileCreationTime\":%lld,\"totalBuckets\":%d}",
                          (long long)change->rows, (long long)change->bytes, (long long)change->files, (long long)created, (int)change->total_buckets);
}

paimon_status pmn_statistics_json(pmn_source *source, const pmn_partition_change *changes, size_t n, pmn_buf *out, paimon_error *err)
{
    spec_printer p = { .type = source->schema->partition_type, .legacy = true };
    pmn_arena arena;
    pmn_arena_init(&arena, source->mem);
    pmn_buf_init(&p.text, source->mem, PMN_BUF_NO_CEILING);
    p.default_name = pmn_options_get(&source->options, "partition.default-name");
    if (!p.default_name) p.default_name = "__DEFAULT_PARTITION__";
    p.row = pmn_arena_calloc(&arena, (size_t)p.type->n_fields + 1, sizeof *p.row);
    paimon_status status = p.row ? pmn_options_bool(&source->options, "partition.legacy-name", true, &p.legacy, err)
                                 : pmn_fail_nomem(err, "a partition's values");
    if (status == PAIMON_OK) status = pmn_buf_append_text(out, "[", err);
    for (size_t i = 0; i < n && status == PAIMON_OK; i++) {
        if (i > 0) status = pmn_buf_append_text(out, ",", err);
        if (status == PAIMON_OK) status = print_change(&p, &changes[i], out, err);
    }
    if (status == PAIMON_OK) status = pmn_buf_append_text(out, "]", err);
    pmn_buf_free(&p.text);
    pmn_arena_free(&arena);
    return status;
}

/* A snapshot is printed as its file has it; blanks outside of texts go. */
static paimon_status append_compact(pmn_buf *out, pmn_slice json, paimon_error *err)
{
    bool inside = false;
    PMN_TRY(pmn_buf_reserve(out, json.size, err));
    for (size_t i = 0; i < json.size; i++) {
        uint8_t c = json.data[i];
        if (!inside && (c == ' ' || c == '\n' || c == '\r' || c == '\t')) continue;
        out->data[out->size++] = c;
        if (inside && c == '\\' && i + 1 < json.size) out->data[out->size++] = json.data[++i];
        else if (c == '"') inside = !inside;
    }
    return PAIMON_OK;
}

static paimon_status append_id(pmn_buf *out, const char *key, const char *id, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, key, err));
    return id ? pmn_json_quote(out, pmn_slice_text(id), err) : pmn_buf_append_text(out, "null", err);
}

paimon_status pmn_commit_request_json(const char *table_id, const char *base_uuid, pmn_slice snapshot, pmn_slice statistics, pmn_buf *out,
                                      paimon_error *err)
{
    PMN_TRY(append_id(out, "{\"tableId\":", table_id, err));
    PMN_TRY(append_id(out, ",\"baseSnapshotUuid\":", base_uuid, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"snapshot\":", err));
    PMN_TRY(append_compact(out, snapshot, err));
    PMN_TRY(pmn_buf_append_text(out, ",\"statistics\":", err));
    PMN_TRY(pmn_buf_append(out, statistics.data, statistics.size, err));
    return pmn_buf_append_text(out, "}", err);
}
