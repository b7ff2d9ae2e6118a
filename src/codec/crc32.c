/* CRC-32 by libdeflate, which uses the processor's carry-less multiplication. */
#include "codec/crc32.h"

#include <libdeflate.h>

uint32_t pmn_crc32(pmn_slice bytes)
{
    return bytes.size ? libdeflate_crc32(0, bytes.data, bytes.size) : 0;
}
