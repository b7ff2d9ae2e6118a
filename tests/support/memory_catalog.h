/* A catalog that keeps a table's versions in memory, and can be made to misbehave as servers and networks do. */
#ifndef TESTS_SUPPORT_MEMORY_CATALOG_H
#define TESTS_SUPPORT_MEMORY_CATALOG_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paimon-c/paimon.h"

#define CATALOG_MOST 300

typedef enum catalog_fault {
    CATALOG_SOUND,
    CATALOG_ANSWER_LOST,    /* published, and the answer does not come back */
    CATALOG_REQUEST_LOST,   /* not published, and no answer */
    CATALOG_LATE,           /* no answer; it is published when the latest snapshot was asked for twice more */
    CATALOG_BROKEN_PIPE,    /* published; the client fails with PAIMON_IO */
    CATALOG_SENT_TWICE,     /* published; the client sent again and was told no */
    CATALOG_FORBIDDEN,      /* refused */
} catalog_fault;

typedef struct memory_catalog {
    pthread_mutex_t lock;
    char *snapshots[CATALOG_MOST + 1]; /* by id */
    char *statistics[CATALOG_MOST + 1];
    char *schema;
    int64_t n, earliest;
    char branch[64];        /* asked for last */
    char *last_request, *late;
    catalog_fault fault;    /* of the next publish, then sound again */
    int stale;              /* so many times the latest but one is told */
    int until_late;
    int n_published, n_asked, n_released;
    void (*after_publish)(struct memory_catalog *); /* NULL, or called once, with the lock */
    void (*before_publish)(struct memory_catalog *); /* NULL, or called once: somebody else is faster */
    const char *instead;    /* told in place of the latest snapshot */
} memory_catalog;

static inline char *catalog_copy(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}

/* The value of a text member, up to its quote. */
static inline void catalog_member(const char *json, const char *key, char *out, size_t size)
{
    char sought[64];
    out[0] = 0;
    snprintf(sought, sizeof sought, "\"%s\" : \"", key);
    const char *at = strstr(json, sought);
    if (!at) return;
    at += strlen(sought);
    snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
}

static inline bool catalog_take(memory_catalog *c, const char *json, const char *statistics, int64_t id, const char *base_uuid)
{
    char uuid[64] = "";
    if (c->n) catalog_member(c->snapshots[c->n], "uuid", uuid, sizeof uuid);
    if (id != c->n + 1 || c->n >= CATALOG_MOST || strcmp(uuid, base_uuid ? base_uuid : "") != 0) return false;
    c->snapshots[++c->n] = catalog_copy(json);
    c->statistics[c->n] = catalog_copy(statistics);
    c->n_published++;
    return true;
}

static paimon_status catalog_latest(void *ctx, const char *branch, paimon_text_fn give, void *arg, paimon_error *err)
{
    memory_catalog *c = ctx;
    (void)err;
    pthread_mutex_lock(&c->lock);
    snprintf(c->branch, sizeof c->branch, "%s", branch);
    c->n_asked++;
    if (c->until_late && --c->until_late == 0) catalog_take(c, c->late, "[]", c->n + 1, NULL);
    int64_t id = c->n;
    if (c->stale > 0 && id > 0) {
        c->stale--;
        id--;
    }
    const char *text = c->instead ? c->instead : id ? c->snapshots[id] : NULL;
    paimon_status status = text ? give(arg, text, strlen(text)) : PAIMON_OK;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static paimon_status catalog_snapshot(void *ctx, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err)
{
    memory_catalog *c = ctx;
    (void)branch;
    (void)err;
    pthread_mutex_lock(&c->lock);
    bool there = id >= c->earliest && id <= c->n;
    paimon_status status = there ? give(arg, c->snapshots[id], strlen(c->snapshots[id])) : PAIMON_NOT_FOUND;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static paimon_status catalog_earliest(void *ctx, const char *branch, int64_t *id, paimon_error *err)
{
    memory_catalog *c = ctx;
    (void)branch;
    (void)err;
    *id = c->n ? c->earliest : 0;
    return PAIMON_OK;
}

static inline paimon_status catalog_schema(void *ctx, const char *branch, int64_t id, paimon_text_fn give, void *arg, paimon_error *err)
{
    memory_catalog *c = ctx;
    (void)branch;
    (void)id;
    (void)err;
    return give(arg, c->schema, strlen(c->schema));
}

static paimon_status catalog_publish(void *ctx, const paimon_publication *p, paimon_publish_result *result, paimon_error *err)
{
    memory_catalog *c = ctx;
    (void)err;
    pthread_mutex_lock(&c->lock);
    void (*first)(memory_catalog *) = c->before_publish;
    c->before_publish = NULL;
    pthread_mutex_unlock(&c->lock);
    if (first) first(c);
    pthread_mutex_lock(&c->lock);
    snprintf(c->branch, sizeof c->branch, "%s", p->branch);
    free(c->last_request);
    c->last_request = catalog_copy(p->request_json);
    catalog_fault fault = c->fault;
    c->fault = CATALOG_SOUND;
    paimon_status status = PAIMON_OK;
    bool taken = false;
    if (fault == CATALOG_FORBIDDEN) status = PAIMON_INVALID;
    if (fault == CATALOG_LATE) {
        c->late = catalog_copy(p->snapshot_json);
        c->until_late = 2;
    } else if (fault != CATALOG_FORBIDDEN && fault != CATALOG_REQUEST_LOST) {
        taken = catalog_take(c, p->snapshot_json, p->statistics_json, p->snapshot_id, p->base_snapshot_uuid);
    }
    void (*then)(memory_catalog *) = c->after_publish;
    c->after_publish = NULL;
    if (then) then(c);
    *result = taken ? PAIMON_PUBLISH_CREATED : PAIMON_PUBLISH_EXISTS;
    if (fault == CATALOG_ANSWER_LOST || fault == CATALOG_REQUEST_LOST || fault == CATALOG_LATE) *result = PAIMON_PUBLISH_UNKNOWN;
    if (fault == CATALOG_SENT_TWICE) *result = PAIMON_PUBLISH_EXISTS;
    if (fault == CATALOG_BROKEN_PIPE) status = PAIMON_IO;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static void catalog_release(void *ctx)
{
    memory_catalog *c = ctx;
    c->n_released++;
}

/* With all functions; take some away for what an embedder may leave out. */
static inline paimon_versions_vtable catalog_functions(void)
{
    return (paimon_versions_vtable){ .struct_size = sizeof(paimon_versions_vtable),
                                     .latest_snapshot = catalog_latest,
                                     .snapshot = catalog_snapshot,
                                     .earliest_snapshot_id = catalog_earliest,
                                     .publish = catalog_publish,
                                     .release = catalog_release };
}

static inline void catalog_begin(memory_catalog *c)
{
    memset(c, 0, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    c->earliest = 1;
}

static inline void catalog_end(memory_catalog *c)
{
    for (int i = 0; i <= CATALOG_MOST; i++) {
        free(c->snapshots[i]);
        free(c->statistics[i]);
    }
    free(c->schema);
    free(c->last_request);
    free(c->late);
    pthread_mutex_destroy(&c->lock);
}

/* A table of the catalog; NULL: the call failed, and `err` says why. */
static inline paimon_table *catalog_table(memory_catalog *c, const paimon_versions_vtable *functions, paimon_env *env, const char *path,
                                          const paimon_option *options, size_t n_options, paimon_error *err)
{
    paimon_versions *versions = NULL;
    paimon_table *table = NULL;
    paimon_table_open_options how = PAIMON_TABLE_OPEN_OPTIONS_INIT;
    if (paimon_versions_new(functions, c, &versions, err) != PAIMON_OK) return NULL;
    how.versions = versions;
    how.table_id = "id-of-t";
    how.options = options;
    how.n_options = n_options;
    paimon_table_open_with(env, path, &how, &table, err);
    paimon_versions_free(versions);
    return table;
}

#endif
