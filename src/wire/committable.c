/* Committables:
 *
 *   int64 identifier | bool "there is no watermark" [int64 watermark if false] |
 *   up to version 4: int32 n, n × (int32 bucket, int64 offset of a log system that is gone) |
 *   from version 4:  int32 n, n × (UTF key, UTF value) |
 *   int32 version of the messages | list of messages
 *
 * Releases before 1.2 wrote 2 and 3, which are the same. */
#include "wire/message.h"

/* --- the object --- */

paimon_status pmn_committable_new(pmn_mem *mem, struct paimon_committable **out, paimon_error *err)
{
    struct paimon_committable *c = pmn_calloc(mem, 1, sizeof *c);
    if (!c) return pmn_fail_nomem(err, "a committable");
    atomic_init(&c->refs, 1);
    c->mem = pmn_mem_retain(mem);
    pmn_arena_init(&c->arena, mem);
    *out = c;
    return PAIMON_OK;
}

void pmn_committable_release(struct paimon_committable *c)
{
    if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1) return;
    pmn_mem *mem = c->mem;
    paimon_message_list_free(c->messages);
    pmn_arena_free(&c->arena);
    pmn_free(mem, c, sizeof *c);
    pmn_mem_release(mem);
}

/* --- writing --- */

paimon_status pmn_committable_write(pmn_buf *out, const struct paimon_committable *c, int32_t version, int32_t message_version, paimon_error *err)
{
    if (version == 0) version = PMN_COMMITTABLE_NEWEST;
    if (version < PMN_COMMITTABLE_OLDEST_WRITTEN || version > PMN_COMMITTABLE_NEWEST)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "committables are not written in version %d, only in %d and %d", (int)version,
                        PMN_COMMITTABLE_OLDEST_WRITTEN, PMN_COMMITTABLE_NEWEST);
    if (c->n_properties > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "%zu properties do not fit a committable", c->n_properties);
    PMN_TRY(pmn_message_version_to_write(&message_version, err));
    PMN_TRY(pmn_java_put_long(out, c->identifier, err));
    PMN_TRY(pmn_java_put_bool(out, !c->has_watermark, err));
    if (c->has_watermark) PMN_TRY(pmn_java_put_long(out, c->watermark, err));
    if (version <= 4) PMN_TRY(pmn_java_put_int(out, 0, err));
    PMN_TRY(pmn_java_put_int(out, (int32_t)c->n_properties, err));
    for (size_t i = 0; i < c->n_properties; i++) {
        PMN_TRY(pmn_java_put_utf(out, c->properties[i].key, err));
        PMN_TRY(pmn_java_put_utf(out, c->properties[i].value, err));
    }
    PMN_TRY(pmn_java_put_int(out, message_version, err));
    return pmn_messages_write(out, c->messages, message_version, err);
}

/* --- reading --- */

static paimon_status skip_log_offsets(pmn_java_input *in)
{
    int32_t n;
    PMN_TRY(pmn_java_get_count(in, "log offsets", 4 + 8, &n));
    return pmn_cursor_skip(&in->c, (size_t)n * 12) ? PAIMON_OK : pmn_fail(in->err, PAIMON_INTERNAL, "log offsets past the end");
}

static paimon_status get_properties(pmn_java_input *in, struct paimon_committable *c)
{
    int32_t n;
    PMN_TRY(pmn_java_get_count(in, "properties", 2 + 2, &n));
    paimon_option *properties = pmn_arena_calloc(&c->arena, (size_t)n + 1, sizeof *properties);
    if (!properties) return pmn_fail_nomem(in->err, "a committable");
    for (int32_t i = 0; i < n; i++) {
        PMN_TRY(pmn_java_get_utf(in, "the key of a property", &c->arena, &properties[i].key));
        PMN_TRY(pmn_java_get_utf(in, "the value of a property", &c->arena, &properties[i].value));
    }
    c->properties = properties;
    c->n_properties = (size_t)n;
    return PAIMON_OK;
}

static paimon_status get_committable(pmn_java_input *in, int32_t version, struct paimon_committable *c)
{
    bool no_watermark;
    int32_t message_version;
    PMN_TRY(pmn_java_get_long(in, "the identifier of a committable", &c->identifier));
    PMN_TRY(pmn_java_get_bool(in, "whether a committable has no watermark", &no_watermark));
    c->has_watermark = !no_watermark;
    if (c->has_watermark) PMN_TRY(pmn_java_get_long(in, "the watermark of a committable", &c->watermark));
    if (version <= 4) PMN_TRY(skip_log_offsets(in));
    if (version >= 4) PMN_TRY(get_properties(in, c));
    PMN_TRY(pmn_java_get_int(in, "the version of the messages", &message_version));
    return pmn_messages_read(c->mem, pmn_slice_of(in->c.pos, pmn_cursor_left(&in->c)), message_version, &c->messages, in->err);
}

paimon_status pmn_committable_read(pmn_mem *mem, pmn_slice bytes, int32_t version, struct paimon_committable **out, paimon_error *err)
{
    struct paimon_committable *c = NULL;
    *out = NULL;
    if (version < PMN_COMMITTABLE_OLDEST || version > PMN_COMMITTABLE_NEWEST)
        return pmn_fail(err, PAIMON_UNSUPPORTED, "a committable of version %d: only %d to %d are read", (int)version, PMN_COMMITTABLE_OLDEST,
                        PMN_COMMITTABLE_NEWEST);
    PMN_TRY(pmn_committable_new(mem, &c, err));
    pmn_java_input in = pmn_java_input_of(bytes, err);
    paimon_status status = get_committable(&in, version, c);
    if (status == PAIMON_OK) *out = c;
    else pmn_committable_release(c);
    return status;
}
