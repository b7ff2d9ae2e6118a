/* The stream of java.io.ObjectOutputStream around one object that writes its own bytes: how engines that know Java only send a split.
 *
 *   ac ed 00 05                 mark and version of the stream
 *   73                          an object, of the class:
 *   72 name uid flags fields    each field: letter, name, and for objects its type's name (74 text, or 71 int32, one told before)
 *   78 70                       no annotations, no class above
 *   77 length8 bytes …          what the object wrote, in blocks; 7a length32 for longer ones
 *   78                          end of the object
 */
#include <string.h>

#include "wire/java_data.h"
#include "wire/split.h"

enum { TC_NULL = 0x70, TC_REFERENCE = 0x71, TC_CLASSDESC = 0x72, TC_OBJECT = 0x73, TC_STRING = 0x74, TC_BLOCKDATA = 0x77, TC_ENDBLOCKDATA = 0x78, TC_BLOCKDATALONG = 0x7a };

static bool expect(pmn_cursor *c, uint8_t mark)
{
    uint8_t found;
    return pmn_cursor_u8(c, &found) && found == mark;
}

static bool skip_utf(pmn_cursor *c)
{
    uint16_t n;
    return pmn_cursor_be16(c, &n) && pmn_cursor_skip(c, n);
}

static bool skip_field(pmn_cursor *c)
{
    uint8_t letter, mark;
    if (!pmn_cursor_u8(c, &letter) || !skip_utf(c)) return false;
    if (letter != 'L' && letter != '[') return true;
    if (!pmn_cursor_u8(c, &mark)) return false;
    return mark == TC_STRING ? skip_utf(c) : mark == TC_REFERENCE && pmn_cursor_skip(c, 4);
}

static bool skip_class(pmn_cursor *c)
{
    uint16_t n_fields;
    if (!expect(c, TC_OBJECT) || !expect(c, TC_CLASSDESC) || !skip_utf(c) || !pmn_cursor_skip(c, 8 + 1) || !pmn_cursor_be16(c, &n_fields)) return false;
    for (uint16_t i = 0; i < n_fields; i++)
        if (!skip_field(c)) return false;
    return expect(c, TC_ENDBLOCKDATA) && expect(c, TC_NULL);
}

static bool next_block(pmn_cursor *c, uint8_t mark, pmn_slice *out)
{
    uint8_t short_size;
    uint32_t size;
    if (mark == TC_BLOCKDATA) return pmn_cursor_u8(c, &short_size) && pmn_cursor_take(c, short_size, out);
    return mark == TC_BLOCKDATALONG && pmn_cursor_be32(c, &size) && pmn_cursor_take(c, size, out);
}

paimon_status pmn_java_object_unwrap(pmn_slice bytes, bool *is_one, pmn_buf *out, paimon_error *err)
{
    static const uint8_t stream[] = { 0xac, 0xed, 0x00, 0x05 };
    pmn_cursor c = pmn_cursor_of(bytes.data, bytes.size);
    uint8_t mark = 0;
    *is_one = bytes.size >= sizeof stream && memcmp(bytes.data, stream, sizeof stream) == 0;
    if (!*is_one) return PAIMON_OK;
    if (!pmn_cursor_skip(&c, sizeof stream) || !skip_class(&c))
        return pmn_fail(err, PAIMON_UNSUPPORTED, "a stream of Java objects that is not one object of one class");
    for (;;) {
        pmn_slice block = { NULL, 0 };
        if (pmn_cursor_u8(&c, &mark) && mark == TC_ENDBLOCKDATA) break;
        if (!next_block(&c, mark, &block))
            return pmn_fail(err, PAIMON_CORRUPT, "a Java object at byte %zu of its stream: no block of bytes", pmn_cursor_offset(&c));
        PMN_TRY(pmn_buf_append(out, block.data, block.size, err));
    }
    if (pmn_cursor_left(&c)) return pmn_fail(err, PAIMON_CORRUPT, "%zu bytes are left behind a Java object", pmn_cursor_left(&c));
    return PAIMON_OK;
}
