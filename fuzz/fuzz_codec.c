/* Compressed bytes: the first byte says the codec, the next two the expected size; the rest is decoded to exactly that size and
 * appended to a buffer of at most 4 MB. Both must agree where both succeed. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"

#define MOST ((size_t)4 << 20)

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    pmn_codec codec = (pmn_codec)(data[0] % (PMN_CODEC_LZO + 1));
    size_t expected = (size_t)data[1] | (size_t)data[2] << 8;
    pmn_slice src = pmn_slice_of(data + 3, size - 3);
    pmn_mem *mem = pmn_mem_default();
    paimon_error err = PAIMON_ERROR_INIT;
    pmn_decompressor *d;
    must(pmn_decompressor_new(mem, &d, NULL) == PAIMON_OK, "no memory");
    pmn_buf out;
    pmn_buf_init(&out, mem, MOST);
    paimon_status appended = pmn_decompress_append(d, codec, src, &out, &err);
    must(appended == PAIMON_OK || (err.code == appended && out.size == 0), "a failure without a text, or with bytes left");
    must(out.size <= MOST, "past the ceiling");
    paimon_error_clear(&err);
    if (appended == PAIMON_OK && codec != PMN_CODEC_LZ4_HADOOP && out.size < MOST) expected = data[1] & 1 ? out.size : expected;
    uint8_t *dst = malloc(expected + 64);
    must(dst != NULL, "no memory");
    paimon_status exact = pmn_decompress(d, codec, src, dst, expected, &err);
    if (exact == PAIMON_OK && appended == PAIMON_OK && codec != PMN_CODEC_LZ4_HADOOP)
        must(out.size == expected && (expected == 0 || memcmp(dst, out.data, expected) == 0), "two ways, two results");
    /* lz4's library holds a block to the rule that its last bytes are literals only where the room ends with the block */
    bool is_lz4 = codec == PMN_CODEC_LZ4_RAW || codec == PMN_CODEC_LZ4_HADOOP;
    if (appended == PAIMON_OK && out.size > 0 && out.size == expected && !is_lz4) must(exact == PAIMON_OK, "appended but not exact");
    paimon_error_clear(&err);
    free(dst);
    pmn_buf_free(&out);
    pmn_decompressor_free(d);
    return 0;
}
