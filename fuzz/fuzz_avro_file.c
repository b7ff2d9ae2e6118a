/* Avro data files: see whole_file.h. */
#include "format/avro/file.h"
#include "whole_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_whole_file(&pmn_format_avro, data, size);
}
