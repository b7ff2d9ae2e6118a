/** What the sub-commands share: their table, options by hand, messages and exit codes, and opening the table they name. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "paimon-c/paimon.h"
#include "text.h"

/** Exit codes are a promise: docs/cli.md. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_WRONG_USE = 2, CLI_UNSUPPORTED = 3 };

/* ------------------------------------------------------------ sub-commands */

typedef struct cli_command {
    const char *name;
    const char *summary;               /**< one line for the list of commands */
    int (*run)(int argc, char **argv); /**< argv[0] is the command's name */
} cli_command;

int cmd_read(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_ls(int argc, char **argv);
int cmd_schema(int argc, char **argv);
int cmd_snapshots(int argc, char **argv);
int cmd_files(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_create(int argc, char **argv);
int cmd_write(int argc, char **argv);
int cmd_commit(int argc, char **argv);
int cmd_abort(int argc, char **argv);
int cmd_truncate(int argc, char **argv);
int cmd_drop(int argc, char **argv);
int cmd_rename(int argc, char **argv);
int cmd_alter(int argc, char **argv);

/* ----------------------------------------------------------------- options */

typedef enum cli_option_kind {
    CLI_FLAG, /**< bool: `--full` */
    CLI_TEXT, /**< const char *: `--where EXPR`, `--where=EXPR` */
    CLI_TEXTS, /**< cli_texts: `--split FILE`, may be repeated */
    CLI_INT,  /**< int64_t, not negative: `--limit 5` */
    CLI_PAIRS, /**< cli_pairs: `-o K=V`, may be repeated */
    CLI_PARTITION, /**< cli_pairs: `--partition p=v,q=w`; not empty when it was given */
    CLI_CHOICE /**< cli_choice: `--format json` */
} cli_option_kind;

typedef struct cli_option {
    const char *name; /**< without dashes; "" for a short one alone */
    char letter;      /**< 0: none */
    cli_option_kind kind;
    void *value;
    const char *argument; /**< its name in the help text */
    const char *help;
} cli_option;

typedef struct cli_pairs {
    paimon_option *items;
    size_t n;
} cli_pairs;

typedef struct cli_texts {
    const char **items;
    size_t n;
} cli_texts;

/** One of some words, the first if none is given. */
typedef struct cli_choice {
    const char *const *words; /**< NULL behind the last */
    const char *given;        /**< NULL: none */
    int chosen;               /**< its place among the words */
} cli_choice;

/** What `--help` of one sub-command says besides its options. */
typedef struct cli_usage {
    const char *name;
    const char *arguments; /**< "TABLE" */
    const char *about;
    const char *example;
    const cli_option *options;
    size_t n_options;
    int min_words; /**< words that are no options */
    int max_words;
} cli_usage;

#define CLI_OPTIONS(table) .options = (table), .n_options = sizeof(table) / sizeof((table)[0])

/** Take the options out of argv. Words that are not options go to `words` (room for max_words) and are counted.
 *  Answers -1 to go on, or the exit code to end with (help was asked for, or the use is wrong and has been told). */
int cli_parse(const cli_usage *usage, int argc, char **argv, const char **words, int *n_words);
/** Tell that a word is one too many, and answer the exit code. */
int cli_unexpected_word(const cli_usage *usage, const char *word);
/** Words behind the first as further values of an option: `--split one two three`, as a shell's `*` gives them. -1, or the exit code. */
int cli_add_words(const cli_usage *usage, cli_texts *texts, const char *const *words, int n);
/** The same for a command that takes exactly one word. */
int cli_parse_word(const cli_usage *usage, int argc, char **argv, const char **word);

/** Split "a,b" at commas; a name with a comma in it stands in double quotes. NULL and 0 for NULL. False: wrong use, told. */
bool cli_split_names(const char *command, const char *text, char ***names, size_t *n);
void cli_free_names(char **names, size_t n);

/* ---------------------------------------------------------------- messages */

/** One line on standard error: "paimon read: ..."; control characters are made visible. */
void cli_complain(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** Tell an error of the library and answer its exit code: PAIMON_INVALID is wrong use, PAIMON_UNSUPPORTED not supported. */
int cli_fail(const char *command, paimon_error *err);
/** The same where data are at fault and never the use; `path` (or NULL) goes before the words. */
int cli_fail_data(const char *command, const char *path, paimon_error *err);
/** "not supported yet", by name; answers CLI_UNSUPPORTED. */
int cli_not_yet(const char *command, const char *feature);

/* ---------------------------------------------------------------- the table */

/** The options that say which table: TABLE, --warehouse, --catalog-config, --branch, -o. */
typedef struct cli_target {
    const char *warehouse;
    const char *catalog_config;
    const char *branch;
    cli_pairs options;
} cli_target;

#define CLI_NAME_OPTIONS(target)                                                                                                                   \
    { "warehouse", 0, CLI_TEXT, &(target).warehouse, "DIR", "TABLE is db.table in this warehouse (else $PAIMON_WAREHOUSE)" },                        \
        { "catalog-config", 0, CLI_TEXT, &(target).catalog_config, "FILE", "catalog options: lines of KEY=VALUE, or a JSON object" },                \
    {                                                                                                                                                \
        "branch", 0, CLI_TEXT, &(target).branch, "NAME", "this branch of the table"                                                                  \
    }
#define CLI_TARGET_OPTIONS(target)                                                                                                                   \
    CLI_NAME_OPTIONS(target),                                                                                                                        \
    {                                                                                                                                                \
        "", 'o', CLI_PAIRS, &(target).options, "KEY=VALUE", "a table or scan option for this call; may be repeated"                                  \
    }

/** Open TABLE; on failure the error has been told and the exit code comes back, else -1. */
int cli_open_table(const char *command, const char *name, const cli_target *target, paimon_table **table);
/** cli_parse_word, and open the table that the word names. */
int cli_parse_table(const cli_usage *usage, int argc, char **argv, const cli_target *target, paimon_table **table);
/** The catalog that --warehouse, --catalog-config or PAIMON_WAREHOUSE names; the same answers. */
int cli_open_catalog(const char *command, const cli_target *target, paimon_catalog **catalog);
void cli_target_free(cli_target *target);
/** Is the word db.table in a known warehouse, and not a path? */
bool cli_is_identifier(const char *name, const cli_target *target);

/** The catalog of a table and its names there: of db.table, or of a path warehouse/database.db/table. */
typedef struct cli_table_name {
    paimon_catalog *catalog;
    char *database;
    char *table;
} cli_table_name;
/** -1, or the exit code after telling why. */
int cli_name_table(const char *command, const char *name, const cli_target *target, cli_table_name *out);
void cli_table_name_free(cli_table_name *name);

/** Parse --where (NULL: no predicate) and plan; -1, or the exit code. */
typedef struct cli_query {
    const char *where;
    int64_t limit; /**< -1: none */
} cli_query;
int cli_plan(const char *command, paimon_table *table, const cli_query *query, paimon_predicate **predicate, paimon_plan **plan);

/** Processors this process may use, at most 8. */
int cli_default_threads(void);

#endif
