/* Open stripes: see section.h. */
#include "format/orc/section.h"

#include <string.h>

void pmn_orc_zone_free(pmn_orc_zone *zone)
{
    if (!zone->name) return;
    while (zone->others) {
        pmn_orc_zone *other = zone->others;
        zone->others = other->others;
        pmn_zone_free(other->zone);
        pmn_strfree(zone->mem, other->name);
        pmn_free(zone->mem, other, sizeof *other);
    }
    pmn_zone_free(zone->zone);
    pmn_strfree(zone->mem, zone->name);
    memset(zone, 0, sizeof *zone);
}

/* Fill a place for a zone: on failure it is as it was. */
static paimon_status open_zone(pmn_mem *mem, const char *name, pmn_orc_zone *place, paimon_error *err)
{
    pmn_zone *zone;
    char *copy = pmn_strndup(mem, name, strlen(name));
    if (!copy) return pmn_fail_nomem(err, "a time zone");
    paimon_status status = *name ? pmn_zone_open(mem, name, &zone, err) : pmn_zone_open_local(mem, &zone, err);
    if (status != PAIMON_OK) {
        pmn_strfree(mem, copy);
        return status;
    }
    place->mem = mem;
    place->name = copy;
    place->zone = zone;
    return PAIMON_OK;
}

/* "": this computer's. */
static paimon_status find_zone(pmn_mem *mem, const char *name, pmn_orc_zone *zones, const pmn_zone **out, paimon_error *err)
{
    *out = NULL;
    if (strcmp(name, "UTC") == 0 || strcmp(name, "GMT") == 0) return PAIMON_OK;
    for (pmn_orc_zone *z = zones; z && z->name; z = z->others) {
        if (strcmp(z->name, name) != 0) continue;
        *out = z->zone;
        return PAIMON_OK;
    }
    if (!zones->name) {
        PMN_TRY(open_zone(mem, name, zones, err));
        *out = zones->zone;
        return PAIMON_OK;
    }
    pmn_orc_zone *other = (pmn_orc_zone *)pmn_calloc(mem, 1, sizeof *other);
    if (!other) return pmn_fail_nomem(err, "a time zone");
    paimon_status status = open_zone(mem, name, other, err);
    if (status != PAIMON_OK) {
        pmn_free(mem, other, sizeof *other);
        return status;
    }
    other->others = zones->others;
    zones->others = other;
    *out = other->zone;
    return PAIMON_OK;
}

static paimon_status find_zones(pmn_orc_file *file, pmn_orc_section *s, pmn_orc_zone *zones, paimon_error *err)
{
    const char *name = s->footer.zone ? s->footer.zone : "";
    if (*name) PMN_TRY(find_zone(file->mem, name, zones, &s->zone, err));
    s->instant_zone = s->zone;
    if (!file->instants_are_local) s->instant_zone = NULL;
    else if (!*name) return find_zone(file->mem, "", zones, &s->instant_zone, err);
    return PAIMON_OK;
}

static paimon_status sort_streams(pmn_orc_section *s, int32_t n_columns, paimon_error *err)
{
    int32_t n = s->footer.n_streams;
    int32_t *first = (int32_t *)pmn_arena_alloc(&s->arena, ((size_t)n_columns + 1) * sizeof *first);
    int32_t *next = (int32_t *)pmn_arena_alloc(&s->arena, ((size_t)n + 1) * sizeof *next);
    if (!first || !next) return pmn_fail_nomem(err, "the streams of a stripe");
    for (int32_t i = 0; i < n_columns; i++) first[i] = -1;
    for (int32_t i = n - 1; i >= 0; i--) {
        int32_t column = s->footer.streams[i].column;
        next[i] = -1;
        if (column < 0 || column >= n_columns) continue;
        next[i] = first[column];
        first[column] = i;
    }
    s->first = first;
    s->next = next;
    return PAIMON_OK;
}

paimon_status pmn_orc_section_open(pmn_orc_file *file, int32_t stripe, pmn_decompressor *d, pmn_orc_zone *zones, pmn_orc_section **out,
                                   paimon_error *err)
{
    pmn_orc_section *s = (pmn_orc_section *)pmn_calloc(file->mem, 1, sizeof *s);
    paimon_status status;
    *out = NULL;
    if (!s) return pmn_fail_nomem(err, "a stripe");
    s->mem = file->mem;
    s->stripe = stripe;
    s->first_row = file->meta.stripes[stripe].first_row;
    s->n_rows = file->meta.stripes[stripe].n_rows;
    pmn_arena_init(&s->arena, file->mem);
    PMN_GOTO(status, pmn_orc_stripe_open(file, stripe, d, &s->arena, &s->footer, err), done);
    PMN_GOTO(status, sort_streams(s, file->meta.n_types, err), done);
    if (zones) PMN_GOTO(status, find_zones(file, s, zones, err), done);
    *out = s;
    return PAIMON_OK;
done:
    pmn_orc_section_free(s);
    pmn_error_prefix(err, "stripe %d", (int)stripe);
    return status;
}

void pmn_orc_section_free(pmn_orc_section *section)
{
    if (!section) return;
    pmn_arena_free(&section->arena);
    pmn_free(section->mem, section, sizeof *section);
}

const pmn_orc_stream_info *pmn_orc_section_stream(const pmn_orc_section *section, int32_t column, int32_t kind)
{
    for (int32_t i = section->first[column]; i >= 0; i = section->next[i]) {
        if (section->footer.streams[i].kind == kind) return &section->footer.streams[i];
    }
    return NULL;
}

pmn_orc_encoding pmn_orc_section_encoding(const pmn_orc_section *section, int32_t column)
{
    static const pmn_orc_encoding direct = { .kind = PMN_ORC_DIRECT };
    return column < section->footer.n_encodings ? section->footer.encodings[column] : direct;
}
