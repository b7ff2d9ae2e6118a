/* The `paimon` command: finds the sub-command and steps aside. Data go to standard output, words to standard error. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static const cli_command commands[] = {
    { "read", "read rows of a table", cmd_read },
    { "plan", "list the splits that a read would take", cmd_plan },
    { "create", "make a table", cmd_create },
    { "write", "write rows into a table", cmd_write },
    { "commit", "commit what writers have left messages of", cmd_commit },
    { "abort", "remove the files of messages that will not be committed", cmd_abort },
    { "truncate", "take all rows out of a table", cmd_truncate },
    { "drop", "drop a table, or a partition of one", cmd_drop },
    { "rename", "rename a table", cmd_rename },
    { "alter", "change options of a table", cmd_alter },
    { "ls", "list databases, or the tables of one", cmd_ls },
    { "schema", "show a table's columns, keys and options", cmd_schema },
    { "snapshots", "list a table's snapshots", cmd_snapshots },
    { "files", "list a table's data files", cmd_files },
    { "inspect", "show a metadata or data file as JSON", cmd_inspect },
    { "decode", "print the rows of one bare data file", cmd_decode },
};

/* Named here so that asking for them is answered with "not supported yet" and exit 3, and not taken for a typing mistake. */
static const char *const later[] = { "changes", "compact", "check", "expire", "clean-orphans", "tag", "branch", "rollback", "delete", "get" };

void cli_complain(const char *command, const char *format, ...)
{
    cli_text line = { 0 };
    cli_text shown = { 0 };
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_text_puts(&line, text);
    cli_text_visible(&shown, (const uint8_t *)line.data, line.size);
    fprintf(stderr, "paimon%s%s: %s\n", command[0] != '\0' ? " " : "", command, cli_text_string(&shown));
    cli_text_free(&line);
    cli_text_free(&shown);
}

int cli_fail(const char *command, paimon_error *err)
{
    const char *message = paimon_error_message(err);
    cli_complain(command, "%s", message[0] != '\0' ? message : paimon_status_name(err->code));
    int code = err->code == PAIMON_UNSUPPORTED ? CLI_UNSUPPORTED : err->code == PAIMON_INVALID ? CLI_WRONG_USE : CLI_FAILED;
    paimon_error_clear(err);
    return code;
}

int cli_fail_data(const char *command, const char *path, paimon_error *err)
{
    if (path != NULL) {
        cli_complain(command, "%s: %s", path, paimon_error_message(err));
    }
    int code = err->code == PAIMON_UNSUPPORTED ? CLI_UNSUPPORTED : CLI_FAILED;
    if (path == NULL) {
        cli_fail(command, err);
    }
    paimon_error_clear(err);
    return code;
}

int cli_not_yet(const char *command, const char *feature)
{
    cli_complain(command, "%s is not supported yet", feature);
    return CLI_UNSUPPORTED;
}

static void print_help(FILE *to)
{
    fprintf(to, "Usage: paimon COMMAND [arguments] [options]\n\nReads and writes Apache Paimon tables.\n\nCommands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        fprintf(to, "  %-12s  %s\n", commands[i].name, commands[i].summary);
    }
    fprintf(to, "\nNot supported yet:\n ");
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        fprintf(to, " %s", later[i]);
    }
    fprintf(to, "\n\nOptions:\n  -h, --help    this text; paimon COMMAND --help tells more\n  --version     the version\n\n"
                "Exit status: 0 done, 1 failed, 2 wrong use, 3 not supported.\n\n"
                "Example:\n  paimon read examples/data/warehouse/demo.db/orders --where \"amount > 100\"\n");
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
        printf("paimon %s\n", paimon_version_string());
        return CLI_DONE;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(name, commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        if (strcmp(name, later[i]) == 0) {
            cli_complain("", "the command %s is not supported yet", name);
            return CLI_UNSUPPORTED;
        }
    }
    if (name[0] == '\0') {
        print_help(stderr);
    } else {
        cli_complain("", "unknown %s \"%s\" (paimon --help lists the commands)", name[0] == '-' ? "option" : "command", name);
    }
    return CLI_WRONG_USE;
}

/* A closed standard stream would give its number to the next file that is opened. Taken by something that cannot be written to,
 * writing to it still fails as it should. */
static void occupy_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) {
            _exit(CLI_FAILED);
        }
    }
}

int main(int argc, char **argv)
{
    occupy_standard_streams();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is then a return code, which output.c treats as a quiet end */
    signal(SIGXFSZ, SIG_IGN); /* the same for a file size limit: an error in words instead of a death */
    int code = dispatch(argc, argv);
    if (fflush(stdout) != 0 && code == CLI_DONE) {
        cli_complain("", "cannot write standard output: %s", strerror(errno));
        code = CLI_FAILED;
    }
    return code;
}
