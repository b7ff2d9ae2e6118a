/* CRC-32 as gzip has it: checksums of Parquet pages and of Avro's snappy blocks. */
#ifndef PMN_CODEC_CRC32_H
#define PMN_CODEC_CRC32_H

#include <stdint.h>

#include "base/bytes.h"

uint32_t pmn_crc32(pmn_slice bytes);

#endif
