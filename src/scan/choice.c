/* The starting point of a batch scan. Rules: CoreOptions.startupMode, TimeTravelUtil and SchemaValidation of Paimon Java.
 *
 *   scan.mode           needs
 *   default             at most one of the travel options; none means latest
 *   latest(-full), full none of them
 *   from-snapshot(-full) scan.snapshot-id, scan.tag-name, scan.watermark or scan.version
 *   from-timestamp      scan.timestamp-millis or scan.timestamp
 */
#include "scan/choice.h"

#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/datetime.h"

typedef struct travel_key {
    const char *key;
    const char *alias; /* the old "log." spelling, or NULL */
    pmn_choice_kind kind;
} travel_key;

static const travel_key travel_keys[] = {
    { "scan.snapshot-id", NULL, PMN_CHOOSE_ID },
    { "scan.tag-name", NULL, PMN_CHOOSE_TAG },
    { "scan.watermark", NULL, PMN_CHOOSE_WATERMARK },
    { "scan.timestamp", NULL, PMN_CHOOSE_TIME },
    { "scan.timestamp-millis", "log.scan.timestamp-millis", PMN_CHOOSE_TIME },
    { "scan.version", NULL, PMN_CHOOSE_LATEST }, /* resolved by what it looks like */
};
#define N_TRAVEL_KEYS (sizeof travel_keys / sizeof travel_keys[0])

/* Options that start a scan in a way that is not there yet: ignoring one would give other rows than asked. */
static const char *const unsupported_keys[] = {
    "incremental-between",    "incremental-between-timestamp",   "incremental-to-auto-tag",
    "scan.creation-time-millis", "scan.file-creation-time-millis",
};

/* "2024-01-31 10:00:00.123" in the time zone of the process, as Java takes it. */
static paimon_status parse_local_time(const char *text, int64_t *millis, paimon_error *err)
{
    int64_t seconds;
    int32_t nanos;
    bool zoned;
    if (!pmn_timestamp_parse(pmn_slice_text(text), &seconds, &nanos, &zoned))
        return pmn_fail(err, PAIMON_INVALID, "option scan.timestamp = '%s' is not a timestamp like '2024-01-31 10:00:00'", text);
    if (seconds > INT64_MAX / 2000 || seconds < -(INT64_MAX / 2000))
        return pmn_fail(err, PAIMON_INVALID, "option scan.timestamp = '%s' is out of range", text);
    if (!zoned) {
        time_t as_utc = (time_t)seconds;
        struct tm civil;
        if (!gmtime_r(&as_utc, &civil))
            return pmn_fail(err, PAIMON_INVALID, "option scan.timestamp = '%s' is out of range", text);
        civil.tm_isdst = -1;
        seconds = (int64_t)mktime(&civil);
    }
    *millis = seconds * 1000 + nanos / 1000000;
    return PAIMON_OK;
}

static bool all_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* A tag of that name wins over a snapshot of that number. */
static paimon_status resolve_version(pmn_mem *mem, paimon_fs *fs, const char *root, const char *version, pmn_choice *out, paimon_error *err)
{
    static const char watermark[] = "watermark-";
    bool is_tag = false;
    if (*version && !strchr(version, '/')) PMN_TRY(pmn_tag_exists(fs, mem, root, version, &is_tag, err));
    const char *digits = NULL;
    if (is_tag) {
        out->kind = PMN_CHOOSE_TAG;
        out->tag = version;
        return PAIMON_OK;
    }
    if (strncmp(version, watermark, sizeof watermark - 1) == 0) {
        out->kind = PMN_CHOOSE_WATERMARK;
        digits = version + sizeof watermark - 1;
    } else {
        out->kind = PMN_CHOOSE_ID;
        digits = version;
    }
    const char *sign_skipped = digits + (*digits == '-' && out->kind == PMN_CHOOSE_WATERMARK);
    if (!all_digits(sign_skipped) || strlen(sign_skipped) > 18)
        return pmn_fail(err, PAIMON_NOT_FOUND, "option scan.version = '%s' is neither a tag, nor 'watermark-N', nor a snapshot id", version);
    int64_t n = 0;
    for (const char *p = sign_skipped; *p; p++) n = n * 10 + (*p - '0');
    out->number = sign_skipped == digits ? n : -n;
    return PAIMON_OK;
}

static paimon_status resolve_key(pmn_mem *mem, paimon_fs *fs, const char *root, const pmn_options *options, const travel_key *key,
                                 const char *value, pmn_choice *out, paimon_error *err)
{
    out->kind = key->kind;
    if (key->kind == PMN_CHOOSE_LATEST) return resolve_version(mem, fs, root, value, out, err);
    if (key->kind == PMN_CHOOSE_TAG) {
        out->tag = value;
        return PAIMON_OK;
    }
    if (strcmp(key->key, "scan.timestamp") == 0) return parse_local_time(value, &out->number, err);
    const char *name = pmn_options_get(options, key->key) ? key->key : key->alias;
    return pmn_options_int(options, name, 0, &out->number, err);
}

/* Does the mode go with what was set? */
static paimon_status check_mode(const char *mode, const travel_key *key, paimon_error *err)
{
    if (strcasecmp(mode, "default") == 0) return PAIMON_OK;
    bool by_time = key && key->kind == PMN_CHOOSE_TIME;
    if (strcasecmp(mode, "latest") == 0 || strcasecmp(mode, "latest-full") == 0 || strcasecmp(mode, "full") == 0) {
        if (!key) return PAIMON_OK;
        return pmn_fail(err, PAIMON_INVALID, "option %s must not be set when scan.mode is '%s'", key->key, mode);
    }
    if (strcasecmp(mode, "from-timestamp") == 0) {
        if (by_time) return PAIMON_OK;
        return pmn_fail(err, PAIMON_INVALID, "scan.mode 'from-timestamp' needs scan.timestamp-millis or scan.timestamp%s%s",
                        key ? ", not " : "", key ? key->key : "");
    }
    if (strcasecmp(mode, "from-snapshot") == 0 || strcasecmp(mode, "from-snapshot-full") == 0) {
        if (key && !by_time) return PAIMON_OK;
        return pmn_fail(err, PAIMON_INVALID, "scan.mode '%s' needs scan.snapshot-id, scan.tag-name, scan.watermark or scan.version%s%s", mode,
                        key ? ", not " : "", key ? key->key : "");
    }
    static const char *const known[] = { "latest-delta",   "compacted-full", "from-creation-timestamp",
                                         "from-file-creation-time", "incremental" };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcasecmp(mode, known[i]) == 0) return pmn_fail(err, PAIMON_UNSUPPORTED, "scan.mode '%s' is not supported yet", mode);
    return pmn_fail(err, PAIMON_INVALID, "scan.mode '%s' is unknown", mode);
}

paimon_status pmn_choice_of(pmn_mem *mem, paimon_fs *fs, const char *root, const pmn_options *options, pmn_choice *out, paimon_error *err)
{
    *out = (pmn_choice){ .kind = PMN_CHOOSE_LATEST };
    for (size_t i = 0; i < sizeof unsupported_keys / sizeof unsupported_keys[0]; i++)
        if (pmn_options_get(options, unsupported_keys[i]))
            return pmn_fail(err, PAIMON_UNSUPPORTED, "option %s is not supported yet", unsupported_keys[i]);
    const travel_key *found = NULL;
    const char *value = NULL;
    for (size_t i = 0; i < N_TRAVEL_KEYS; i++) {
        const travel_key *key = &travel_keys[i];
        const char *text = pmn_options_get(options, key->key);
        if (!text && key->alias) text = pmn_options_get(options, key->alias);
        if (!text) continue;
        if (found)
            return pmn_fail(err, PAIMON_INVALID, "only one of the options %s and %s may be set", found->key, key->key);
        found = key;
        value = text;
    }
    const char *mode = pmn_options_get(options, "scan.mode");
    if (!mode) mode = pmn_options_get(options, "log.scan");
    PMN_TRY(check_mode(mode ? mode : "default", found, err));
    return found ? resolve_key(mem, fs, root, options, found, value, out, err) : PAIMON_OK;
}

paimon_status pmn_choice_find(pmn_source *source, pmn_arena *arena, const pmn_choice *choice, pmn_snapshot *out, paimon_error *err)
{
    switch (choice->kind) {
    case PMN_CHOOSE_LATEST: return source->versions->latest(source, arena, out, err);
    case PMN_CHOOSE_ID: return source->versions->snapshot(source, arena, choice->number, out, err);
    case PMN_CHOOSE_TAG:
        if (!*choice->tag || strchr(choice->tag, '/'))
            return pmn_fail(err, PAIMON_INVALID, "'%s' cannot be the name of a tag", choice->tag);
        return pmn_tag_load(arena, source->fs, source->root, choice->tag, out, err);
    case PMN_CHOOSE_TIME: return pmn_versions_at_time(source, arena, choice->number, out, err);
    case PMN_CHOOSE_WATERMARK: return pmn_versions_at_watermark(source, arena, choice->number, out, err);
    }
    return pmn_fail(err, PAIMON_INTERNAL, "unknown choice of a snapshot");
}
