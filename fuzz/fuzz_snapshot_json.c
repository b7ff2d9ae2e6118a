/* Snapshot and tag files. */
#include <stddef.h>
#include <stdint.h>

#include "meta/snapshot/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_arena arena;
    pmn_snapshot snapshot;
    pmn_arena_init(&arena, pmn_mem_default());
    paimon_status status = pmn_snapshot_parse(&arena, pmn_slice_of(data, size), "snapshot-1", &snapshot, NULL);
    (void)status;
    pmn_arena_free(&arena);
    return 0;
}
