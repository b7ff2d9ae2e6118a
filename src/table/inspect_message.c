/* Files with serialized commit messages in them: one, a list, or a committable. None says its version. */
#include "table/inspection.h"
#include "wire/json.h"
#include "wire/message.h"

static int32_t said(const pmn_inspection *in, int32_t current) { return in->version ? in->version : current; }

static paimon_status name_file(const pmn_inspection *in, paimon_status status, paimon_error *err)
{
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", in->path);
    return status;
}

static paimon_status read_message_file(pmn_inspection *in, bool single, paimon_message_list **list, paimon_error *err)
{
    int32_t version = said(in, PMN_MESSAGE_NEWEST);
    PMN_TRY(pmn_inspection_read(in, err));
    pmn_slice bytes = pmn_inspection_bytes(in);
    return name_file(in, single ? pmn_message_read(in->mem, bytes, version, list, err) : pmn_messages_read(in->mem, bytes, version, list, err), err);
}

static paimon_status read_committable_file(pmn_inspection *in, struct paimon_committable **out, paimon_error *err)
{
    PMN_TRY(pmn_inspection_read(in, err));
    return name_file(in, pmn_committable_read(in->mem, pmn_inspection_bytes(in), said(in, PMN_COMMITTABLE_NEWEST), out, err), err);
}

paimon_status pmn_inspect_message(pmn_inspection *in, paimon_error *err)
{
    paimon_message_list *list = NULL;
    PMN_TRY(read_message_file(in, true, &list, err));
    paimon_status status = pmn_json_put_message(&in->out, &list->items[0], err);
    paimon_message_list_free(list);
    return status;
}

paimon_status pmn_inspect_messages(pmn_inspection *in, paimon_error *err)
{
    paimon_message_list *list = NULL;
    PMN_TRY(read_message_file(in, false, &list, err));
    paimon_status status = pmn_json_put_messages(&in->out, list, err);
    paimon_message_list_free(list);
    return status;
}

paimon_status pmn_inspect_committable(pmn_inspection *in, paimon_error *err)
{
    struct paimon_committable *committable = NULL;
    PMN_TRY(read_committable_file(in, &committable, err));
    paimon_status status = pmn_json_put_committable(&in->out, committable, err);
    pmn_committable_release(committable);
    return status;
}

paimon_status pmn_rewrite_message(pmn_inspection *in, paimon_error *err)
{
    paimon_message_list *list = NULL;
    PMN_TRY(read_message_file(in, true, &list, err));
    paimon_status status = pmn_message_write(&in->out, &list->items[0], PMN_MESSAGE_NEWEST, err);
    paimon_message_list_free(list);
    return status;
}

paimon_status pmn_rewrite_messages(pmn_inspection *in, paimon_error *err)
{
    paimon_message_list *list = NULL;
    PMN_TRY(read_message_file(in, false, &list, err));
    paimon_status status = pmn_messages_write(&in->out, list, PMN_MESSAGE_NEWEST, err);
    paimon_message_list_free(list);
    return status;
}

paimon_status pmn_rewrite_committable(pmn_inspection *in, paimon_error *err)
{
    struct paimon_committable *committable = NULL;
    PMN_TRY(read_committable_file(in, &committable, err));
    paimon_status status = pmn_committable_write(&in->out, committable, PMN_COMMITTABLE_NEWEST, PMN_MESSAGE_NEWEST, err);
    pmn_committable_release(committable);
    return status;
}
