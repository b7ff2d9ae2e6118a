/* Thrift's compact protocol, writing side: see thrift.h for the bytes. The first failure sticks, and everything after it does nothing, so
 * that only the end has to be asked. */
#ifndef PMN_FORMAT_PARQUET_THRIFT_WRITE_H
#define PMN_FORMAT_PARQUET_THRIFT_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "format/parquet/thrift.h"

#define PMN_THRIFT_OUT_DEPTH 12 /* of what the format has: its footer is the deepest, with eight */

typedef struct pmn_thrift_out {
    pmn_buf *buf; /* borrowed */
    paimon_error *err;
    paimon_status status;
    int depth;
    int32_t last_id[PMN_THRIFT_OUT_DEPTH];
} pmn_thrift_out;

/* Begins the outermost struct. */
pmn_thrift_out pmn_thrift_out_of(pmn_buf *buf, paimon_error *err);
void pmn_thrift_put_i32(pmn_thrift_out *t, int32_t id, int32_t value);
void pmn_thrift_put_i64(pmn_thrift_out *t, int32_t id, int64_t value);
void pmn_thrift_put_byte(pmn_thrift_out *t, int32_t id, int8_t value);
void pmn_thrift_put_bool(pmn_thrift_out *t, int32_t id, bool value);
void pmn_thrift_put_binary(pmn_thrift_out *t, int32_t id, pmn_slice bytes);
void pmn_thrift_put_struct(pmn_thrift_out *t, int32_t id); /* its fields and pmn_thrift_put_end follow */
/* A struct whose fields up to `last_id` were written before; more of them and pmn_thrift_put_end follow. */
void pmn_thrift_put_begun(pmn_thrift_out *t, int32_t id, pmn_slice bytes, int32_t last_id);
void pmn_thrift_put_end(pmn_thrift_out *t);                /* of a struct, the outermost too */
void pmn_thrift_put_list(pmn_thrift_out *t, int32_t id, pmn_thrift_type type, size_t n); /* its n items follow */
void pmn_thrift_item_i32(pmn_thrift_out *t, int32_t value);
void pmn_thrift_item_i64(pmn_thrift_out *t, int64_t value);
void pmn_thrift_item_flag(pmn_thrift_out *t, bool value);
void pmn_thrift_item_binary(pmn_thrift_out *t, pmn_slice bytes);
void pmn_thrift_item_struct(pmn_thrift_out *t); /* as pmn_thrift_put_struct */

#endif
