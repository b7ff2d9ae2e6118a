/* Writing the data out, in large pieces. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

enum { PIECE = 1 << 16 };

bool cli_output_has_folder(const char *command, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash - path), before = strcspn(path, "/");
    struct stat info;
    if (n == 0 || (before > 0 && path[before - 1] == ':')) { /* here, at the root, or somewhere a file system is registered for */
        return true;
    }
    char *folder = strndup(path, n);
    bool missing = folder != NULL && stat(folder, &info) != 0 && errno == ENOENT;
    if (missing) {
        cli_complain(command, "%s: there is no folder %s", path, folder);
    }
    free(folder);
    return !missing;
}

int cli_output_open(cli_output *output, const char *command, const char *path)
{
    *output = (cli_output){ .fd = STDOUT_FILENO, .path = path, .command = command };
    if (path != NULL) {
        output->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (output->fd < 0) {
            int why = errno;
            if (why != ENOENT || cli_output_has_folder(command, path)) {
                cli_complain(command, "%s: %s", path, strerror(why));
            }
            return CLI_FAILED;
        }
    }
    output->is_terminal = isatty(output->fd) != 0;
    return -1;
}

static bool write_all(cli_output *output)
{
    cli_text *text = &output->pending;
    if (text->failed) {
        cli_complain(output->command, "out of memory");
        output->failed = true;
        return false;
    }
    for (size_t done = 0; done < text->size;) {
        ssize_t n = write(output->fd, text->data + done, text->size - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            output->closed = errno == EPIPE;
            output->failed = errno != EPIPE;
            if (output->failed) {
                cli_complain(output->command, "cannot write %s: %s", output->path != NULL ? output->path : "standard output", strerror(errno));
            }
            return false;
        }
        done += (size_t)n;
    }
    text->size = 0;
    return true;
}

bool cli_output_flush_some(cli_output *output)
{
    if (output->closed || output->failed) {
        return false;
    }
    return output->pending.size < PIECE && !output->pending.failed ? true : write_all(output);
}

int cli_output_close(cli_output *output, int code)
{
    if (code == CLI_DONE && !output->closed && !output->failed) {
        write_all(output);
    }
    code = output->failed ? CLI_FAILED : code;
    if (output->path != NULL) {
        if (close(output->fd) != 0 && code == CLI_DONE) {
            cli_complain(output->command, "cannot write %s: %s", output->path, strerror(errno));
            code = CLI_FAILED;
        }
        struct stat info;
        if (code != CLI_DONE && stat(output->path, &info) == 0 && S_ISREG(info.st_mode)) {
            unlink(output->path);
        }
    }
    cli_text_free(&output->pending);
    return code;
}

int cli_output_columns(const cli_output *output)
{
    struct winsize size;
    if (!output->is_terminal) {
        return 0;
    }
    const char *columns = getenv("COLUMNS");
    if (columns != NULL && atoi(columns) > 0) {
        return atoi(columns);
    }
    return ioctl(output->fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool cli_output_colour(const cli_output *output)
{
    const char *no = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return output->is_terminal && (no == NULL || no[0] == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

int cli_write_file(const char *command, const char *path, const void *bytes, size_t n)
{
    cli_output output;
    int code = cli_output_open(&output, command, path);
    if (code >= 0) {
        return code;
    }
    cli_text_put(cli_output_text(&output), bytes, n);
    code = cli_output_close(&output, CLI_DONE);
    return code == CLI_DONE ? -1 : code;
}

bool cli_read_file(const char *command, const char *path, cli_text *text)
{
    *text = (cli_text){ 0 };
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0) {
        char *piece = cli_text_reserve(text, PIECE);
        if (piece == NULL) {
            errno = ENOMEM;
            n = -1;
            break;
        }
        n = read(fd, piece, PIECE);
        if (n < 0 && errno == EINTR) {
            n = 1;
        } else if (n > 0) {
            text->size += (size_t)n;
        }
    }
    if (n < 0) {
        cli_complain(command, "%s: %s", path, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
    return n >= 0;
}
