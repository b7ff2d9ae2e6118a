/* Splits in hex, one a line, read and written again: what tests/interop/java_splits.py gives Java's splits to.
 *
 *     copy_splits VERSION < in > out
 */
#include <paimon-c/paimon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t unhex(char *line, size_t n)
{
    for (size_t i = 0; i + 1 < n; i += 2) {
        unsigned byte = 0;
        if (sscanf(line + i, "%2x", &byte) != 1) {
            return 0;
        }
        line[i / 2] = (char)byte;
    }
    return n / 2;
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t room = 0;
    int32_t version = argc == 2 ? atoi(argv[1]) : 0;
    for (ssize_t n = 0; (n = getline(&line, &room, stdin)) > 0;) {
        paimon_error err = PAIMON_ERROR_INIT;
        paimon_split *split = NULL;
        uint8_t *bytes = NULL;
        size_t size = unhex(line, strcspn(line, "\r\n"));
        paimon_status status = paimon_split_deserialize(NULL, line, size, &split, &err);
        if (status == PAIMON_OK) {
            status = paimon_split_serialize(split, version, &bytes, &size, &err);
        }
        if (status != PAIMON_OK) {
            fprintf(stderr, "%s\n", paimon_error_message(&err));
            return 1;
        }
        for (size_t i = 0; i < size; i++) {
            printf("%02x", bytes[i]);
        }
        puts("");
        paimon_bytes_free(bytes, size);
        paimon_split_free(split);
    }
    free(line);
    return 0;
}
