/* Compiled time zones (TZif, RFC 9636) and the rule of POSIX that goes on where their table ends.
 *
 *   "TZif" version reserved[15] | counts of UT marks, standard marks, leap seconds, transitions, types, name bytes: be32 each |
 *   times of transitions | type of each, 1 byte | types: offset be32, is daylight saving, name | names | leap seconds | marks
 *
 * From version 2 on a block with 32-bit times comes first, then the same again with 64-bit times, then a newline, the rule and a newline. */
#include "base/zone.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/datetime.h"

#define DAY 86400
#define YEAR_1900 INT64_C(-2208988800)
/* Past this (some 30 million years) the rule is not computed but taken from the same place of the calendar's cycle. */
#define FAR_AWAY INT64_C(1000000000000000)
#define CALENDAR_CYCLE (INT64_C(146097) * DAY)
/* Compiled files have a few thousand bytes. */
#define MOST_FILE_BYTES (1 << 20)
#define MOST_OFFSET (26 * 3600)

typedef enum rule_kind { RULE_MONTH, RULE_JULIAN, RULE_DAY } rule_kind;

/* When the clock is changed in each year. */
typedef struct zone_rule {
    rule_kind kind;
    int month, week, day; /* MONTH: the week-th (5: last) weekday `day`; JULIAN: day 1 … 365, 29 February never counted; DAY: day 0 … 365 */
    int32_t time;         /* of the wall clock, seconds; may be below 0 or past a day */
} zone_rule;

typedef struct zone_change {
    int64_t at;
    int32_t offset; /* from then on */
} zone_change;

struct pmn_zone {
    pmn_mem *mem;         /* retained */
    zone_change *changes; /* of the table, ascending */
    int32_t n_changes;
    int32_t first;        /* before all changes */
    int32_t standard;     /* of today: that of before 1900 */
    bool has_rule;        /* behind the last change clocks are changed every year */
    int32_t rule_standard, rule_summer;
    zone_rule to_summer, to_standard;
};

/* ---- the rule ---- */

static bool take_byte(pmn_cursor *c, char wanted)
{
    if (c->pos == c->end || *c->pos != (uint8_t)wanted) return false;
    c->pos++;
    return true;
}

static bool take_number(pmn_cursor *c, int most, int *out)
{
    int n = 0, digits = 0;
    for (; c->pos != c->end && *c->pos >= '0' && *c->pos <= '9' && digits < 4; digits++) n = n * 10 + (*c->pos++ - '0');
    *out = n;
    return digits > 0 && n <= most;
}

/* [+-]hours[:minutes[:seconds]] */
static bool take_time(pmn_cursor *c, int most_hours, int32_t *out)
{
    int hours, minutes = 0, seconds = 0;
    bool minus = take_byte(c, '-');
    if (!minus) (void)take_byte(c, '+');
    if (!take_number(c, most_hours, &hours)) return false;
    if (take_byte(c, ':')) {
        if (!take_number(c, 59, &minutes)) return false;
        if (take_byte(c, ':') && !take_number(c, 59, &seconds)) return false;
    }
    *out = (hours * 60 + minutes) * 60 + seconds;
    if (minus) *out = -*out;
    return true;
}

static bool take_name(pmn_cursor *c)
{
    const uint8_t *start = c->pos;
    if (take_byte(c, '<')) {
        while (c->pos != c->end && *c->pos != '>') c->pos++;
        return take_byte(c, '>');
    }
    while (c->pos != c->end && ((*c->pos | 0x20) >= 'a' && (*c->pos | 0x20) <= 'z')) c->pos++;
    return c->pos - start >= 3;
}

static bool take_rule(pmn_cursor *c, zone_rule *out)
{
    memset(out, 0, sizeof *out);
    out->time = 2 * 3600;
    if (!take_byte(c, ',')) return false;
    if (take_byte(c, 'M')) {
        out->kind = RULE_MONTH;
        if (!take_number(c, 12, &out->month) || !take_byte(c, '.') || !take_number(c, 5, &out->week) || !take_byte(c, '.') || !take_number(c, 6, &out->day)) return false;
        if (out->month < 1 || out->week < 1) return false;
    } else if (take_byte(c, 'J')) {
        out->kind = RULE_JULIAN;
        if (!take_number(c, 365, &out->day) || out->day < 1) return false;
    } else {
        out->kind = RULE_DAY;
        if (!take_number(c, 365, &out->day)) return false;
    }
    return !take_byte(c, '/') || take_time(c, 167, &out->time);
}

/* "CET-1CEST,M3.5.0,M10.5.0/3": offsets count westward there. */
static bool parse_rule(pmn_zone *zone, pmn_slice text)
{
    pmn_cursor c = pmn_cursor_of(text.data, text.size);
    int32_t west;
    if (!take_name(&c) || !take_time(&c, 24, &west)) return false;
    zone->rule_standard = zone->rule_summer = -west;
    if (c.pos == c.end) return true;
    zone->rule_summer = zone->rule_standard + 3600;
    if (!take_name(&c)) return false;
    if (c.pos != c.end && *c.pos != ',') {
        if (!take_time(&c, 24, &west)) return false;
        zone->rule_summer = -west;
    }
    zone->has_rule = true;
    return take_rule(&c, &zone->to_summer) && take_rule(&c, &zone->to_standard) && c.pos == c.end;
}

static bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/* Seconds of the wall clock, as if it were UTC, at which the rule changes it in a year. */
static int64_t rule_in_year(const zone_rule *rule, int64_t year)
{
    int64_t day;
    if (rule->kind == RULE_MONTH) {
        int64_t first = pmn_days_from_civil(year, rule->month, 1);
        int64_t next = rule->month == 12 ? pmn_days_from_civil(year + 1, 1, 1) : pmn_days_from_civil(year, rule->month + 1, 1);
        int64_t weekday = ((first + 4) % 7 + 7) % 7; /* 1970 began on a Thursday */
        day = first + (rule->day - weekday + 7) % 7 + (rule->week - 1) * 7;
        if (day >= next) day -= 7;
    } else {
        day = pmn_days_from_civil(year, 1, 1) + rule->day;
        if (rule->kind == RULE_JULIAN && (rule->day < 60 || !is_leap(year))) day--;
    }
    return day * DAY + rule->time;
}

/* Behind the table: among the changes of the years around; with times of up to a week past midnight those of a year may be in the next one. */
static int32_t offset_by_rule(const pmn_zone *zone, int64_t instant, int64_t *from, int64_t *until)
{
    zone_change changes[8];
    int n = 0;
    int64_t local = instant + zone->rule_standard;
    int64_t year = pmn_civil_from_days(local / DAY - (local % DAY < 0)).year;
    for (int64_t y = year - 2; y <= year + 1; y++) {
        zone_change pair[2] = { { rule_in_year(&zone->to_summer, y) - zone->rule_standard, zone->rule_summer },
                                { rule_in_year(&zone->to_standard, y) - zone->rule_summer, zone->rule_standard } };
        for (int k = 0; k < 2; k++) {
            int at = n++;
            for (; at > 0 && changes[at - 1].at > pair[k].at; at--) changes[at] = changes[at - 1];
            changes[at] = pair[k];
        }
    }
    int32_t offset = zone->rule_standard;
    for (int i = 0; i < n; i++) {
        if (changes[i].at <= instant) {
            offset = changes[i].offset;
            if (changes[i].at > *from) *from = changes[i].at;
        } else {
            if (changes[i].at < *until) *until = changes[i].at;
            break;
        }
    }
    return offset;
}

/* ---- asking ---- */

int32_t pmn_zone_offset_span(const pmn_zone *zone, int64_t instant, int64_t *from, int64_t *until)
{
    *from = INT64_MIN;
    *until = INT64_MAX;
    if (instant < YEAR_1900) {
        *until = YEAR_1900;
        return zone->standard;
    }
    *from = YEAR_1900;
    int32_t low = 0, high = zone->n_changes; /* changes below `low` are behind the instant */
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (zone->changes[middle].at <= instant) low = middle + 1;
        else high = middle;
    }
    if (low > 0 && zone->changes[low - 1].at > *from) *from = zone->changes[low - 1].at;
    if (low < zone->n_changes) *until = zone->changes[low].at;
    if (low < zone->n_changes || !zone->has_rule) return low > 0 ? zone->changes[low - 1].offset : zone->first;
    if (instant < FAR_AWAY) return offset_by_rule(zone, instant, from, until);
    *from = instant;
    *until = instant < INT64_MAX ? instant + 1 : INT64_MAX;
    int64_t begin = 0, end = INT64_MAX;
    return offset_by_rule(zone, FAR_AWAY - CALENDAR_CYCLE + (instant - FAR_AWAY) % CALENDAR_CYCLE, &begin, &end);
}

int32_t pmn_zone_offset(const pmn_zone *zone, int64_t instant)
{
    int64_t from, until;
    return pmn_zone_offset_span(zone, instant, &from, &until);
}

int64_t pmn_zone_instant(const pmn_zone *zone, int64_t wall)
{
    int64_t from, until, instant;
    if (wall <= -FAR_AWAY || wall >= FAR_AWAY) return __builtin_sub_overflow(wall, (int64_t)pmn_zone_offset(zone, wall), &instant) ? wall : instant;
    int32_t offset = pmn_zone_offset_span(zone, wall - MOST_OFFSET, &from, &until), before = offset;
    while (true) {
        instant = wall - offset;
        if (instant < from) return wall - before; /* skipped */
        if (instant < until || until == INT64_MAX) return instant;
        before = offset;
        offset = pmn_zone_offset_span(zone, until, &from, &until);
    }
}

/* ---- making ---- */

void pmn_zone_free(pmn_zone *zone)
{
    if (!zone) return;
    pmn_mem *mem = zone->mem;
    pmn_free(mem, zone->changes, (size_t)zone->n_changes * sizeof *zone->changes);
    pmn_free(mem, zone, sizeof *zone);
    pmn_mem_release(mem);
}

static paimon_status new_zone(pmn_mem *mem, int32_t offset, int32_t n_changes, pmn_zone **out, paimon_error *err)
{
    pmn_zone *zone = (pmn_zone *)pmn_calloc(mem, 1, sizeof *zone);
    if (!zone) return pmn_fail_nomem(err, "a time zone");
    zone->changes = (zone_change *)pmn_calloc(mem, (size_t)n_changes, sizeof *zone->changes);
    if (!zone->changes) {
        pmn_free(mem, zone, sizeof *zone);
        return pmn_fail_nomem(err, "a time zone");
    }
    zone->mem = pmn_mem_retain(mem);
    zone->n_changes = n_changes;
    zone->first = zone->standard = offset;
    *out = zone;
    return PAIMON_OK;
}

typedef struct zone_block {
    uint32_t n_ut, n_standard, n_leaps, n_times, n_types, n_names;
    pmn_slice times, kinds, types;
} zone_block;

static bool take_header(pmn_cursor *c, zone_block *b, uint8_t *version)
{
    pmn_slice magic;
    if (!pmn_cursor_take(c, 4, &magic) || memcmp(magic.data, "TZif", 4) != 0 || !pmn_cursor_u8(c, version) || !pmn_cursor_skip(c, 15)) return false;
    return pmn_cursor_be32(c, &b->n_ut) && pmn_cursor_be32(c, &b->n_standard) && pmn_cursor_be32(c, &b->n_leaps) && pmn_cursor_be32(c, &b->n_times) &&
           pmn_cursor_be32(c, &b->n_types) && pmn_cursor_be32(c, &b->n_names);
}

/* Counts are of 32 bits, so that no product passes 64. */
static bool take_block(pmn_cursor *c, zone_block *b, size_t time_size)
{
    return pmn_cursor_take(c, (size_t)b->n_times * time_size, &b->times) && pmn_cursor_take(c, b->n_times, &b->kinds) &&
           pmn_cursor_take(c, (size_t)b->n_types * 6, &b->types) && pmn_cursor_skip(c, b->n_names) &&
           pmn_cursor_skip(c, (size_t)b->n_leaps * (time_size + 4)) && pmn_cursor_skip(c, b->n_standard) && pmn_cursor_skip(c, b->n_ut);
}

static int32_t offset_of_type(const zone_block *b, size_t type) { return (int32_t)pmn_load_be32(b->types.data + type * 6); }

/* Fills the table; false for what no compiler of zones writes. */
static bool fill_changes(pmn_zone *zone, const zone_block *b, size_t time_size)
{
    for (uint32_t i = 0; i < b->n_types; i++) {
        if (offset_of_type(b, i) <= -MOST_OFFSET || offset_of_type(b, i) >= MOST_OFFSET) return false;
    }
    for (uint32_t i = 0; i < b->n_times; i++) {
        const uint8_t *p = b->times.data + (size_t)i * time_size;
        uint8_t type = b->kinds.data[i];
        zone_change *change = &zone->changes[i];
        change->at = time_size == 8 ? (int64_t)pmn_load_be64(p) : (int32_t)pmn_load_be32(p);
        if (type >= b->n_types || (i > 0 && change->at <= change[-1].at)) return false;
        change->offset = offset_of_type(b, type);
        if (!b->types.data[(size_t)type * 6 + 4]) zone->standard = change->offset;
    }
    return true;
}

/* Where the standard offset is the larger one (Ireland), Java takes winter's. */
static bool parse_footer(pmn_zone *zone, pmn_cursor *c)
{
    if (!take_byte(c, '\n')) return false;
    const uint8_t *end = memchr(c->pos, '\n', pmn_cursor_left(c));
    if (!end) return false;
    if (end == c->pos) return true; /* no rule: the last offset stays */
    if (!parse_rule(zone, pmn_slice_of(c->pos, (size_t)(end - c->pos)))) return false;
    zone->standard = zone->rule_summer < zone->rule_standard ? zone->rule_summer : zone->rule_standard;
    if (zone->n_changes == 0) zone->first = zone->rule_standard;
    return true;
}

paimon_status pmn_zone_parse(pmn_mem *mem, pmn_slice bytes, const char *name, pmn_zone **out, paimon_error *err)
{
    pmn_cursor c = pmn_cursor_of(bytes.data, bytes.size);
    zone_block b;
    uint8_t version;
    size_t time_size = 4;
    *out = NULL;
    bool good = take_header(&c, &b, &version);
    if (good && version >= '2') {
        time_size = 8;
        good = take_block(&c, &b, 4) && take_header(&c, &b, &version);
    }
    good = good && take_block(&c, &b, time_size) && b.n_types > 0;
    if (good) {
        pmn_zone *zone;
        PMN_TRY(new_zone(mem, offset_of_type(&b, 0), (int32_t)b.n_times, &zone, err));
        good = fill_changes(zone, &b, time_size) && (time_size == 4 || parse_footer(zone, &c));
        if (good) *out = zone;
        else pmn_zone_free(zone);
    }
    return good ? PAIMON_OK : pmn_fail(err, PAIMON_CORRUPT, "time zone \"%s\": its file is damaged", name);
}

/* ---- finding ---- */

/* "", "+08:00", "+8", "-0330" behind "UTC", "GMT", "UT" or nothing. */
static bool is_fixed(const char *name, int32_t *offset)
{
    static const char *const zeros[] = { "Z", "UTC", "GMT", "UT", "Etc/UTC", "Etc/GMT", "Etc/UCT", "UCT", "Zulu", "Universal", "Greenwich" };
    int hours, minutes = 0, seconds = 0;
    *offset = 0;
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        if (strcmp(name, zeros[i]) == 0) return true;
    }
    const char *p = name;
    if (strncmp(p, "UTC", 3) == 0 || strncmp(p, "GMT", 3) == 0) p += 3;
    else if (strncmp(p, "UT", 2) == 0) p += 2;
    bool minus = *p == '-';
    if (*p != '+' && *p != '-') return false;
    p++;
    pmn_cursor c = pmn_cursor_of(p, strlen(p));
    size_t digits = strspn(p, "0123456789");
    if (!take_number(&c, 9999, &hours)) return false;
    if (digits == 4) {
        minutes = hours % 100;
        hours /= 100;
    } else if (digits > 2 || (take_byte(&c, ':') && (!take_number(&c, 59, &minutes) || (take_byte(&c, ':') && !take_number(&c, 59, &seconds))))) {
        return false;
    }
    if (c.pos != c.end || hours > 18 || minutes > 59) return false;
    *offset = (hours * 60 + minutes) * 60 + seconds;
    if (minus) *offset = -*offset;
    return true;
}

/* Names go into paths: letters, digits and "_+-/", so no dots. */
static bool is_name(const char *name)
{
    size_t n = strlen(name);
    if (n == 0 || n > 200 || name[0] == '/' || name[n - 1] == '/') return false;
    return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+-/") == n;
}

/* `*size` bytes of the file at `path`; NULL if there is none, or without memory (`*status`). */
static uint8_t *read_zone_file(pmn_mem *mem, const char *path, size_t *size, paimon_status *status, paimon_error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return NULL;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > MOST_FILE_BYTES) {
        close(fd);
        return NULL;
    }
    size_t n = 0;
    *size = (size_t)st.st_size;
    uint8_t *bytes = (uint8_t *)pmn_alloc(mem, *size);
    if (!bytes) *status = pmn_fail_nomem(err, "a time zone");
    while (bytes && n < *size) {
        ssize_t got = read(fd, bytes + n, *size - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        n += (size_t)got;
    }
    close(fd);
    if (bytes && n < *size) {
        *status = pmn_fail(err, PAIMON_IO, "%s: read %zu bytes of %zu", path, n, *size);
        pmn_free(mem, bytes, *size);
        bytes = NULL;
    }
    return bytes;
}

paimon_status pmn_zone_open(pmn_mem *mem, const char *name, pmn_zone **out, paimon_error *err)
{
    static const char *const folders[] = { "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo" };
    int32_t offset;
    *out = NULL;
    if (is_fixed(name, &offset)) return new_zone(mem, offset, 0, out, err);
    if (!is_name(name)) return pmn_fail(err, PAIMON_CORRUPT, "\"%.200s\" is no name of a time zone", name);
    const char *own = getenv("TZDIR");
    for (size_t i = 0; i <= sizeof folders / sizeof *folders; i++) {
        char path[PATH_MAX];
        size_t size;
        paimon_status status = PAIMON_OK;
        const char *folder = i == 0 ? own : folders[i - 1];
        if (!folder || !*folder) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) continue;
        uint8_t *bytes = read_zone_file(mem, path, &size, &status, err);
        PMN_TRY(status);
        if (!bytes) continue;
        status = pmn_zone_parse(mem, pmn_slice_of(bytes, size), name, out, err);
        pmn_free(mem, bytes, size);
        return status;
    }
    return pmn_fail(err, PAIMON_UNSUPPORTED, "time zone \"%s\" is not known here: no file of it in %s%s/usr/share/zoneinfo, /usr/lib/zoneinfo, /usr/share/lib/zoneinfo, /etc/zoneinfo", name,
                    own && *own ? own : "", own && *own ? ", " : "");
}

paimon_status pmn_zone_open_local(pmn_mem *mem, pmn_zone **out, paimon_error *err)
{
    const char *name = getenv("TZ");
    size_t size;
    paimon_status status = PAIMON_OK;
    if (name && *name) return pmn_zone_open(mem, *name == ':' ? name + 1 : name, out, err);
    *out = NULL;
    uint8_t *bytes = name ? NULL : read_zone_file(mem, "/etc/localtime", &size, &status, err);
    PMN_TRY(status);
    if (!bytes) return pmn_zone_open(mem, "UTC", out, err);
    status = pmn_zone_parse(mem, pmn_slice_of(bytes, size), "/etc/localtime", out, err);
    pmn_free(mem, bytes, size);
    return status;
}
