/* Opening a table, and what of it cannot be read yet. */
#ifndef PMN_SCAN_OPEN_H
#define PMN_SCAN_OPEN_H

#include "meta/source.h"
#include "paimon-c/table.h"

#define PMN_OPTION_VECTORS "deletion-vectors.enabled"

/* Open the table in folder `path`, which may carry "$branch_NAME" behind. `how->options` are the dynamic ones. */
paimon_status pmn_source_open(paimon_env *env, const char *path, const paimon_table_open_options *how, pmn_source **out, paimon_error *err) PMN_MUST_USE;

/* PAIMON_UNSUPPORTED, by name, for a table whose rows this version cannot tell rightly (primary keys, deletion vectors, …). */
paimon_status pmn_source_check(const pmn_source *source, paimon_error *err) PMN_MUST_USE;
/* The same for a table that is only committed to, which goes by metadata: much fewer. */
paimon_status pmn_source_check_commit(const pmn_source *source, paimon_error *err) PMN_MUST_USE;

#endif
