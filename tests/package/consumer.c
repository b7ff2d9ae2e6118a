/* A program outside of the project: sees what was installed, and nothing else. */
#include <paimon-c/paimon.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    paimon_error err = PAIMON_ERROR_INIT;
    paimon_table *table = NULL;
    int64_t id = 0;
    if (argc != 2 || paimon_version_number() != PAIMON_VERSION_NUMBER) {
        return 2;
    }
    if (paimon_table_open(NULL, argv[1], NULL, 0, &table, &err) != PAIMON_OK || paimon_table_latest_snapshot_id(table, &id, &err) != PAIMON_OK) {
        fprintf(stderr, "%s\n", paimon_error_message(&err));
        paimon_error_clear(&err);
        return 1;
    }
    printf("snapshot %lld\n", (long long)id);
    paimon_table_free(table);
    return 0;
}
