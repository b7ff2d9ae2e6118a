/* Snapshots by time and by watermark, whoever keeps them. Java: SnapshotManager. */
#include "meta/snapshot/versions.h"

/* Java's binary search over ids: the times are taken to ascend; of equal ones the first that the search meets is taken. */
paimon_status pmn_versions_at_time(pmn_source *source, pmn_arena *arena, int64_t time_ms, pmn_snapshot *out, paimon_error *err)
{
    int64_t *ids, found = 0;
    int32_t n;
    PMN_TRY(source->versions->ids(source, arena, &ids, &n, err));
    for (int32_t low = 0, high = n - 1; low <= high;) {
        int32_t mid = low + (high - low) / 2;
        PMN_TRY(source->versions->snapshot(source, arena, ids[mid], out, err));
        if (out->time_ms <= time_ms) found = ids[mid];
        if (out->time_ms == time_ms) return PAIMON_OK;
        if (out->time_ms > time_ms) high = mid - 1;
        else low = mid + 1;
    }
    if (found == 0)
        return pmn_fail(err, PAIMON_NOT_FOUND, n == 0 ? "%s has no snapshot at time %lld" : "%s: every snapshot is later than %lld", source->root, (long long)time_ms);
    return source->versions->snapshot(source, arena, found, out, err);
}

/* The snapshot at `*at`, or the nearest one before it (not below `low`) that has a watermark; its watermark is PMN_NONE if none has. */
static paimon_status load_with_watermark(pmn_source *source, pmn_arena *arena, const int64_t *ids, int32_t low, int32_t *at,
                                         pmn_snapshot *out, paimon_error *err)
{
    PMN_TRY(source->versions->snapshot(source, arena, ids[*at], out, err));
    while (out->watermark == PMN_NONE && *at > low) {
        --*at;
        PMN_TRY(source->versions->snapshot(source, arena, ids[*at], out, err));
    }
    return PAIMON_OK;
}

/* The first snapshot that has a watermark at all: its number in ids, or -1. */
static paimon_status first_with_watermark(pmn_source *source, pmn_arena *arena, const int64_t *ids, int32_t n, int32_t *first,
                                          pmn_snapshot *out, paimon_error *err)
{
    for (*first = 0; *first < n; ++*first) {
        PMN_TRY(source->versions->snapshot(source, arena, ids[*first], out, err));
        if (out->watermark != PMN_NONE) return PAIMON_OK;
    }
    *first = -1;
    return PAIMON_OK;
}

static paimon_status search_watermark(pmn_source *source, pmn_arena *arena, const int64_t *ids, int32_t low, int32_t high,
                                      int64_t watermark, int64_t *found, paimon_error *err)
{
    while (low <= high) {
        int32_t mid = low + (high - low) / 2, at = mid;
        pmn_snapshot snapshot;
        PMN_TRY(load_with_watermark(source, arena, ids, low, &at, &snapshot, err));
        if (snapshot.watermark == PMN_NONE || snapshot.watermark < watermark) {
            low = mid + 1;
            continue;
        }
        *found = ids[at];
        if (snapshot.watermark == watermark) return PAIMON_OK;
        high = at - 1;
    }
    return PAIMON_OK;
}

paimon_status pmn_versions_at_watermark(pmn_source *source, pmn_arena *arena, int64_t watermark, pmn_snapshot *out, paimon_error *err)
{
    int64_t *ids, found = 0;
    int32_t n, first;
    PMN_TRY(source->versions->ids(source, arena, &ids, &n, err));
    PMN_TRY(first_with_watermark(source, arena, ids, n, &first, out, err));
    if (first >= 0 && out->watermark >= watermark) return PAIMON_OK;
    if (first >= 0) PMN_TRY(search_watermark(source, arena, ids, first, n - 1, watermark, &found, err));
    if (found == 0) return pmn_fail(err, PAIMON_NOT_FOUND, "%s has no snapshot with a watermark of %lld or later", source->root, (long long)watermark);
    return source->versions->snapshot(source, arena, found, out, err);
}
