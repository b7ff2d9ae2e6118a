/* Do messages fit the table? Partitions, buckets, names, counts, schemas: everything that can be told without the table's manifests, before
 * anything is written. PAIMON_INVALID, or PAIMON_UNSUPPORTED for what cannot be committed yet, by name. */
#ifndef PMN_COMMIT_MESSAGE_CHECK_H
#define PMN_COMMIT_MESSAGE_CHECK_H

#include "meta/message.h"
#include "meta/source.h"
#include "types/datum.h"

typedef struct pmn_message_checker {
    pmn_source *source;
    bool foreign; /* the messages came as bytes: their statistics are looked at, too */
    int64_t n_buckets;
    bool has_vectors;   /* deletion-vectors.enabled */
    bool has_tracking;  /* row-tracking.enabled */
    bool has_evolution; /* data-evolution.enabled */
    const pmn_type *key_type; /* NULL: no primary keys */
    pmn_arena arena;
    const pmn_table_schema *schema; /* of the file before; NULL: none yet */
    pmn_datum *row;                 /* a partition */
    pmn_buf buf;
} pmn_message_checker;

paimon_status pmn_message_checker_init(pmn_message_checker *checker, pmn_source *source, bool foreign, paimon_error *err) PMN_MUST_USE;
void pmn_message_checker_free(pmn_message_checker *checker);

/* Partition and buckets. */
paimon_status pmn_message_check(pmn_message_checker *checker, const pmn_message *message, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_message_check_file(pmn_message_checker *checker, pmn_file_kind kind, const pmn_data_file *file, paimon_error *err) PMN_MUST_USE;
paimon_status pmn_message_check_index(pmn_message_checker *checker, const pmn_index_entry *entry, paimon_error *err) PMN_MUST_USE;

/* Can it be the name of a file in a folder? */
bool pmn_is_file_name(const char *name);

#endif
