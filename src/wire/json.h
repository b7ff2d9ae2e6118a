/* What travels, as JSON for people and for tests: members are named as the format names them, rows are hex with their count in front. */
#ifndef PMN_WIRE_JSON_H
#define PMN_WIRE_JSON_H

#include "meta/message.h"
#include "meta/split.h"
#include "wire/message.h"

paimon_status pmn_json_put_hex(pmn_buf *out, pmn_slice bytes, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_json_put_file(pmn_buf *out, const pmn_data_file *file, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_json_put_index_file(pmn_buf *out, const pmn_index_entry *file, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_json_put_split(pmn_buf *out, const paimon_split *split, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_json_put_message(pmn_buf *out, const pmn_message *message, paimon_error *err) PMN_MUST_USE;
/* One array, a message a line. */
paimon_status pmn_json_put_messages(pmn_buf *out, const paimon_message_list *list, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_json_put_committable(pmn_buf *out, const struct paimon_committable *committable, paimon_error *err) PMN_MUST_USE;

#endif
