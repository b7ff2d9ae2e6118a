#include "commit/history.h"

#include <string.h>

/* `*there` false: it has expired. */
static paimon_status look_at(pmn_committer *c, pmn_arena *arena, int64_t id, pmn_snapshot *out, bool *there, paimon_error *err)
{
    pmn_arena_free(arena);
    paimon_error why = PAIMON_ERROR_INIT;
    paimon_status status = c->source->versions->snapshot(c->source, arena, id, out, &why);
    *there = status == PAIMON_OK;
    if (status == PAIMON_OK || status == PAIMON_NOT_FOUND) {
        paimon_error_clear(&why);
        return PAIMON_OK;
    }
    pmn_error_move(err, &why);
    return status;
}

static bool by_user(const pmn_committer *c, const pmn_snapshot *snapshot)
{
    return snapshot->commit_user && strcmp(snapshot->commit_user, c->user) == 0;
}

paimon_status pmn_history_find(pmn_committer *c, int64_t after, int64_t to, int64_t identifier, pmn_commit_kind kind, int64_t *id, paimon_error *err)
{
    pmn_arena arena;
    paimon_status status = PAIMON_OK;
    *id = 0;
    pmn_arena_init(&arena, c->source->mem);
    for (int64_t at = after + 1; at <= to && status == PAIMON_OK && !*id; at++) {
        pmn_snapshot snapshot;
        bool there;
        status = look_at(c, &arena, at, &snapshot, &there, err);
        if (status == PAIMON_OK && there && by_user(c, &snapshot) && snapshot.commit_identifier == identifier && snapshot.commit_kind == kind) *id = at;
    }
    pmn_arena_free(&arena);
    return status;
}

paimon_status pmn_history_newest(pmn_committer *c, int64_t *id, int64_t *identifier, pmn_commit_kind *kind, paimon_error *err)
{
    pmn_arena arena;
    pmn_snapshot snapshot;
    int64_t earliest = 0, at;
    *id = 0;
    pmn_arena_init(&arena, c->source->mem);
    paimon_status status = c->source->versions->latest(c->source, &arena, &snapshot, err);
    at = status == PAIMON_OK ? snapshot.id : 0;
    if (at) status = c->source->versions->earliest_id(c->source, &earliest, err);
    for (; at > 0 && at >= earliest && status == PAIMON_OK && !*id; at--) {
        bool there;
        status = look_at(c, &arena, at, &snapshot, &there, err);
        if (status != PAIMON_OK || !there || !by_user(c, &snapshot)) continue;
        *id = at;
        *identifier = snapshot.commit_identifier;
        *kind = snapshot.commit_kind;
    }
    pmn_arena_free(&arena);
    return status;
}
