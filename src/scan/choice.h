/* Which snapshot the scan options ask for. */
#ifndef PMN_SCAN_CHOICE_H
#define PMN_SCAN_CHOICE_H

#include "meta/snapshot/versions.h"

typedef enum pmn_choice_kind { PMN_CHOOSE_LATEST, PMN_CHOOSE_ID, PMN_CHOOSE_TAG, PMN_CHOOSE_TIME, PMN_CHOOSE_WATERMARK } pmn_choice_kind;

typedef struct pmn_choice {
    pmn_choice_kind kind;
    int64_t number;  /* id, milliseconds, or watermark */
    const char *tag; /* borrowed from the options */
} pmn_choice;

/* From `scan.mode` and the time-travel options, of which at most one may be set; `root` is where `scan.version` looks for a
 * tag. PAIMON_INVALID for a contradiction, PAIMON_UNSUPPORTED by name for a mode that is not there. */
paimon_status pmn_choice_of(pmn_mem *mem, paimon_fs *fs, const char *root, const pmn_options *options, pmn_choice *out,
                            paimon_error *err) PMN_MUST_USE;

/* The snapshot of a choice. The latest of a table without one comes out with id 0. */
paimon_status pmn_choice_find(pmn_source *source, pmn_arena *arena, const pmn_choice *choice, pmn_snapshot *out, paimon_error *err) PMN_MUST_USE;

#endif
