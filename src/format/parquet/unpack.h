/* Unpacking of bits and of split bytes. Bits: values of `width` bits, least significant bit first, one behind the other. */
#ifndef PMN_FORMAT_PARQUET_UNPACK_H
#define PMN_FORMAT_PARQUET_UNPACK_H

#include <stdint.h>

/* Value `first` … of a packed run at `src` into `out`; width 0 … 32. May read 32 bytes past the last value's last byte, and with
 * a vector kernel writes only out[0 … n). */
void pmn_parquet_unpack32(const uint8_t *src, int64_t first, int64_t n, unsigned width, uint32_t *out);
/* The same one value at a time, without any vector instruction: the judge of the one above. */
void pmn_parquet_unpack32_plain(const uint8_t *src, int64_t first, int64_t n, unsigned width, uint32_t *out);

/* Width 0 … 64. May read 16 bytes past the last value's last byte. */
void pmn_parquet_unpack64(const uint8_t *src, int64_t n, unsigned width, uint64_t *out);

/* Streams 0 … width-1 of `n` bytes each back into values [first, first + count). */
void pmn_parquet_join_streams(const uint8_t *src, int64_t n, int64_t first, int64_t count, int32_t width, uint8_t *dst);

#endif
