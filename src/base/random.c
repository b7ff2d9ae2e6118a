#include "base/random.h"

#include <errno.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/random.h>
#endif

static int system_random(uint8_t *out, size_t n)
{
#if defined(__linux__)
    while (n > 0) {
        ssize_t got = getrandom(out, n, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        out += got;
        n -= (size_t)got;
    }
    return 0;
#else
    return getentropy(out, n) == 0 ? 0 : errno;
#endif
}

paimon_status pmn_random_bytes(void *out, size_t n, paimon_error *err)
{
    int why = system_random(out, n);
    return why ? pmn_fail_errno(err, why, "random bytes") : PAIMON_OK;
}

paimon_status pmn_uuid(char out[PMN_UUID_TEXT], paimon_error *err)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[16];
    PMN_TRY(pmn_random_bytes(bytes, sizeof bytes, err));
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40); /* version 4 */
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80); /* variant of RFC 4122 */
    for (size_t i = 0; i < sizeof bytes; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
        *out++ = digits[bytes[i] >> 4];
        *out++ = digits[bytes[i] & 15];
    }
    *out = 0;
    return PAIMON_OK;
}
