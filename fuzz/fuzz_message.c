/* The same bytes as one message, a list and a committable of every version; what is read can be shown, written, and read again. The first
 * byte says the version, so that the others are as they travel. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "wire/json.h"
#include "wire/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(pmn_mem *mem, const paimon_message_list *list)
{
    for (int32_t version = PMN_MESSAGE_OLDEST_WRITTEN; version <= PMN_MESSAGE_NEWEST; version++) {
        paimon_message_list *back = NULL;
        pmn_buf out;
        pmn_buf_init(&out, mem, PMN_BUF_NO_CEILING);
        paimon_status status = pmn_messages_write(&out, list, version, NULL);
        if (status != PAIMON_OK && (status != PAIMON_UNSUPPORTED || version == PMN_MESSAGE_NEWEST)) abort();
        if (status == PAIMON_OK && pmn_messages_read(mem, pmn_slice_of(out.data, out.size), version, &back, NULL) != PAIMON_OK) abort();
        if (back && back->n != list->n) abort();
        paimon_message_list_free(back);
        pmn_buf_free(&out);
    }
    pmn_buf json;
    pmn_buf_init(&json, mem, PMN_BUF_NO_CEILING);
    if (pmn_json_put_messages(&json, list, NULL) != PAIMON_OK) abort();
    pmn_buf_free(&json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_mem *mem = pmn_mem_default();
    paimon_message_list *list = NULL;
    struct paimon_committable *committable = NULL;
    if (size == 0) return 0;
    pmn_slice bytes = pmn_slice_of(data + 1, size - 1);
    int32_t version = data[0] & 15;
    if (pmn_messages_read(mem, bytes, version, &list, NULL) == PAIMON_OK) write_again(mem, list);
    paimon_message_list_free(list);
    if (pmn_message_read(mem, bytes, version, &list, NULL) == PAIMON_OK) write_again(mem, list);
    paimon_message_list_free(list);
    if (pmn_committable_read(mem, bytes, data[0] >> 4, &committable, NULL) == PAIMON_OK) write_again(mem, committable->messages);
    pmn_committable_release(committable);
    return 0;
}
