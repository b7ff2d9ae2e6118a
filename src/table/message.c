/* Commit messages and committables as bytes: the public face. The bytes are made in the room wire. */

#include "io/env.h"
#include "paimon-c/message.h"
#include "wire/json.h"
#include "wire/message.h"

int32_t paimon_commit_message_current_version(void) { return PMN_MESSAGE_NEWEST; }
int32_t paimon_committable_current_version(void) { return PMN_COMMITTABLE_NEWEST; }

/* --- messages --- */

/* `which` SIZE_MAX: all of them. */
static paimon_status hand_out_messages(const char *name, const paimon_message_list *list, size_t which, int32_t version, uint8_t **bytes, size_t *n,
                                       paimon_error *err)
{
    pmn_buf out;
    if (!list || !bytes || !n) return pmn_fail(err, PAIMON_INVALID, "%s: list, bytes or n is NULL", name);
    *bytes = NULL;
    *n = 0;
    PMN_TRY(pmn_message_version_to_write(&version, err));
    pmn_buf_init(&out, list->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_buf_handout_begin(&out, err);
    if (status == PAIMON_OK && which == SIZE_MAX) status = pmn_messages_write(&out, list, version, err);
    else if (status == PAIMON_OK) status = pmn_message_write(&out, &list->items[which], version, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_take(&out, bytes, n, err);
    pmn_buf_free(&out);
    return status;
}

paimon_status paimon_message_list_serialize(const paimon_message_list *list, int32_t version, uint8_t **bytes, size_t *n, paimon_error *err)
{
    if (list) pmn_message_list_give(list);
    return hand_out_messages("paimon_message_list_serialize", list, SIZE_MAX, version, bytes, n, err);
}

paimon_status paimon_message_serialize(const paimon_message_list *list, size_t i, int32_t version, uint8_t **bytes, size_t *n, paimon_error *err)
{
    if (list && i >= list->n) return pmn_fail(err, PAIMON_INVALID, "there is no commit message number %zu in a list of %zu", i, list->n);
    if (list) pmn_message_list_give(list);
    return hand_out_messages("paimon_message_serialize", list, i, version, bytes, n, err);
}

static paimon_status check_bytes(const char *name, const void *bytes, size_t n, const void *out, paimon_error *err)
{
    if (out && (bytes || n == 0)) return PAIMON_OK;
    return pmn_fail(err, PAIMON_INVALID, "%s: bytes or the place for what is read is NULL", name);
}

paimon_status paimon_message_list_deserialize(paimon_env *env, int32_t version, const void *bytes, size_t n, paimon_message_list **list,
                                              paimon_error *err)
{
    PMN_TRY(check_bytes("paimon_message_list_deserialize", bytes, n, list, err));
    return pmn_messages_read(pmn_env_or_default(env)->mem, pmn_slice_of(bytes, n), version, list, err);
}

paimon_status paimon_message_deserialize(paimon_env *env, int32_t version, const void *bytes, size_t n, paimon_message_list **list,
                                         paimon_error *err)
{
    PMN_TRY(check_bytes("paimon_message_deserialize", bytes, n, list, err));
    return pmn_message_read(pmn_env_or_default(env)->mem, pmn_slice_of(bytes, n), version, list, err);
}

paimon_status paimon_message_list_json(const paimon_message_list *list, char **json, paimon_error *err)
{
    pmn_buf out;
    if (!list || !json) return pmn_fail(err, PAIMON_INVALID, "paimon_message_list_json: list or json is NULL");
    *json = NULL;
    pmn_buf_init(&out, list->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_json_put_messages(&out, list, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_text(&out, "the JSON of commit messages", json, err);
    pmn_buf_free(&out);
    return status;
}

/* --- committables --- */

static paimon_status copy_properties(paimon_committable *c, const paimon_option *properties, size_t n, paimon_error *err)
{
    paimon_option *copies = pmn_arena_calloc(&c->arena, n ? n : 1, sizeof *copies);
    if (!copies) return pmn_fail_nomem(err, "a committable");
    for (size_t i = 0; i < n; i++) {
        if (!properties[i].key || !properties[i].value) return pmn_fail(err, PAIMON_INVALID, "property %zu of a committable has no key or no value", i);
        copies[i].key = pmn_arena_strdup(&c->arena, properties[i].key);
        copies[i].value = pmn_arena_strdup(&c->arena, properties[i].value);
        if (!copies[i].key || !copies[i].value) return pmn_fail_nomem(err, "a committable");
    }
    c->properties = copies;
    c->n_properties = n;
    return PAIMON_OK;
}

paimon_status paimon_committable_new(int64_t identifier, bool has_watermark, int64_t watermark, const paimon_option *properties,
                                     size_t n_properties, paimon_message_list *messages, paimon_committable **committable, paimon_error *err)
{
    paimon_committable *c = NULL;
    if (!committable || !messages || (n_properties && !properties))
        return pmn_fail(err, PAIMON_INVALID, "paimon_committable_new: committable, messages or properties are NULL");
    *committable = NULL;
    PMN_TRY(pmn_committable_new(messages->mem, &c, err));
    c->identifier = identifier;
    c->has_watermark = has_watermark;
    c->watermark = has_watermark ? watermark : 0;
    paimon_status status = copy_properties(c, properties, n_properties, err);
    if (status != PAIMON_OK) {
        pmn_committable_release(c);
        return status;
    }
    c->messages = paimon_message_list_retain(messages);
    *committable = c;
    return PAIMON_OK;
}

paimon_committable *paimon_committable_retain(paimon_committable *committable)
{
    if (committable) atomic_fetch_add_explicit(&committable->refs, 1, memory_order_relaxed);
    return committable;
}

void paimon_committable_free(paimon_committable *committable) { pmn_committable_release(committable); }

int64_t paimon_committable_identifier(const paimon_committable *committable) { return committable ? committable->identifier : 0; }

int64_t paimon_committable_watermark(const paimon_committable *committable, bool *has)
{
    if (has) *has = committable && committable->has_watermark;
    return committable ? committable->watermark : 0;
}

size_t paimon_committable_n_properties(const paimon_committable *committable) { return committable ? committable->n_properties : 0; }

const char *paimon_committable_property_at(const paimon_committable *committable, size_t i, const char **value)
{
    bool there = committable && i < committable->n_properties;
    if (value) *value = there ? committable->properties[i].value : NULL;
    return there ? committable->properties[i].key : NULL;
}

paimon_message_list *paimon_committable_messages(const paimon_committable *committable) { return committable ? committable->messages : NULL; }

paimon_status paimon_committable_serialize(const paimon_committable *committable, int32_t version, int32_t message_version, uint8_t **bytes,
                                           size_t *n, paimon_error *err)
{
    pmn_buf out;
    if (!committable || !bytes || !n) return pmn_fail(err, PAIMON_INVALID, "paimon_committable_serialize: committable, bytes or n is NULL");
    *bytes = NULL;
    *n = 0;
    if (committable->messages) pmn_message_list_give(committable->messages);
    pmn_buf_init(&out, committable->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_buf_handout_begin(&out, err);
    if (status == PAIMON_OK) status = pmn_committable_write(&out, committable, version, message_version, err);
    if (status == PAIMON_OK) status = pmn_buf_handout_take(&out, bytes, n, err);
    pmn_buf_free(&out);
    return status;
}

paimon_status paimon_committable_deserialize(paimon_env *env, int32_t version, const void *bytes, size_t n, paimon_committable **committable,
                                             paimon_error *err)
{
    PMN_TRY(check_bytes("paimon_committable_deserialize", bytes, n, committable, err));
    return pmn_committable_read(pmn_env_or_default(env)->mem, pmn_slice_of(bytes, n), version, committable, err);
}
