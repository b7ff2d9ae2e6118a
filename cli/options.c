/* Options by hand: no abbreviations, no reordering surprises. `--name value`, `--name=value`, `-o value`, `-ovalue`; `--` ends
 * them; a lone `-` is a word. The last of a repeated option counts, pairs add up. argv is ours to change: values are cut up in place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option *find_long(const cli_usage *usage, const char *name, size_t n)
{
    for (size_t i = 0; i < usage->n_options; i++) {
        const cli_option *o = &usage->options[i];
        if (strlen(o->name) == n && n > 0 && strncmp(o->name, name, n) == 0) {
            return o;
        }
    }
    return NULL;
}

static const cli_option *find_letter(const cli_usage *usage, char letter)
{
    for (size_t i = 0; i < usage->n_options; i++) {
        if (usage->options[i].letter == letter) {
            return &usage->options[i];
        }
    }
    return NULL;
}

static bool add_pair(const cli_usage *usage, cli_pairs *pairs, char *text)
{
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        cli_complain(usage->name, "-o wants KEY=VALUE, not \"%s\"", text);
        return false;
    }
    paimon_option *items = realloc(pairs->items, (pairs->n + 1) * sizeof *items);
    if (items == NULL) {
        cli_complain(usage->name, "out of memory");
        return false;
    }
    *equals = '\0';
    items[pairs->n++] = (paimon_option){ text, equals + 1 };
    pairs->items = items;
    return true;
}

/* COLUMN=VALUE,… : each part has a name, and what is empty is no partition, which would mean the whole table to some. */
static bool is_partition(const char *text)
{
    for (const char *at = text;; at++) {
        const char *comma = strchrnul(at, ','), *equals = memchr(at, '=', (size_t)(comma - at));
        if (equals == NULL || equals == at) {
            return false;
        }
        if (comma[0] == '\0' || comma[1] == '\0') {
            return true;
        }
        at = comma;
    }
}

static bool set_partition(const cli_usage *usage, const cli_option *o, char *text)
{
    cli_pairs *pairs = o->value;
    bool good = is_partition(text);
    free(pairs->items);
    *pairs = (cli_pairs){ NULL, 0 };
    if (!good) {
        cli_complain(usage->name, "--%s wants COLUMN=VALUE,…, not \"%s\"", o->name, text);
    }
    for (char *comma; good && text != NULL && text[0] != '\0'; text = comma) {
        comma = strchr(text, ',');
        if (comma != NULL) {
            *comma++ = '\0';
        }
        good = add_pair(usage, pairs, text);
    }
    return good;
}

static bool add_text(const cli_usage *usage, cli_texts *texts, const char *text)
{
    const char **items = realloc(texts->items, (texts->n + 1) * sizeof *items);
    if (items == NULL) {
        cli_complain(usage->name, "out of memory");
        return false;
    }
    items[texts->n++] = text;
    texts->items = items;
    return true;
}

int cli_add_words(const cli_usage *usage, cli_texts *texts, const char *const *words, int n)
{
    for (int i = 0; i < n; i++) {
        if (!add_text(usage, texts, words[i])) {
            return CLI_FAILED;
        }
    }
    return -1;
}

static bool set_value(const cli_usage *usage, const cli_option *o, char *text)
{
    if (o->kind == CLI_TEXT) {
        *(const char **)o->value = text;
        return true;
    }
    if (o->kind == CLI_TEXTS) {
        return add_text(usage, o->value, text);
    }
    if (o->kind == CLI_PAIRS) {
        return add_pair(usage, o->value, text);
    }
    if (o->kind == CLI_PARTITION) {
        return set_partition(usage, o, text);
    }
    if (o->kind == CLI_CHOICE) {
        ((cli_choice *)o->value)->given = text; /* looked at when all are known: the last one counts */
        return true;
    }
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || number < 0) {
        cli_complain(usage->name, "--%s wants a whole number that is not negative, not \"%s\"", o->name, text);
        return false;
    }
    *(int64_t *)o->value = number;
    return true;
}

static void print_option(const cli_option *o)
{
    char left[64];
    if (o->name[0] == '\0') {
        snprintf(left, sizeof left, "-%c %s", o->letter, o->argument);
    } else if (o->letter != 0) {
        snprintf(left, sizeof left, "-%c, --%s%s%s", o->letter, o->name, o->kind == CLI_FLAG ? "" : " ", o->kind == CLI_FLAG ? "" : o->argument);
    } else {
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->kind == CLI_FLAG ? "" : " ", o->kind == CLI_FLAG ? "" : o->argument);
    }
    int wide = 24; /* characters, of which some are three bytes */
    for (const char *c = left; *c != '\0'; c++) {
        wide += ((unsigned char)*c & 0xc0) == 0x80;
    }
    printf("  %-*s  %s\n", wide, left, o->help);
}

static void print_help(const cli_usage *usage)
{
    printf("Usage: paimon %s %s [options]\n\n%s\n\nOptions:\n", usage->name, usage->arguments, usage->about);
    for (size_t i = 0; i < usage->n_options; i++) {
        print_option(&usage->options[i]);
    }
    printf("  %-24s  %s\n\nExample:\n  %s\n", "-h, --help", "this text", usage->example);
}

static int wrong_option(const cli_usage *usage, const char *word)
{
    cli_complain(usage->name, "unknown option \"%s\" (paimon %s --help lists them)", word, usage->name);
    return CLI_WRONG_USE;
}

/* One word that begins with a dash; `*i` moves on when the next word is its value. */
static int take_option(const cli_usage *usage, int argc, char **argv, int *i)
{
    char *word = argv[*i];
    const cli_option *o;
    char *value = NULL;
    if (word[1] == '-') {
        char *equals = strchr(word, '=');
        o = find_long(usage, word + 2, equals != NULL ? (size_t)(equals - word - 2) : strlen(word + 2));
        value = equals != NULL ? equals + 1 : NULL;
    } else {
        o = find_letter(usage, word[1]);
        value = word[2] != '\0' ? word + 2 : NULL;
    }
    if (o == NULL) {
        return wrong_option(usage, word);
    }
    if (o->kind == CLI_FLAG) {
        if (value != NULL) {
            cli_complain(usage->name, "--%s takes no value", o->name);
            return CLI_WRONG_USE;
        }
        *(bool *)o->value = true;
        return -1;
    }
    if (value == NULL) {
        if (*i + 1 >= argc) {
            cli_complain(usage->name, "%s wants a value: %s", word, o->argument);
            return CLI_WRONG_USE;
        }
        value = argv[++*i];
    }
    return set_value(usage, o, value) ? -1 : CLI_WRONG_USE;
}

/* Which word was given; false after telling that it is none of them. */
static bool choose(const cli_usage *usage, const cli_option *o)
{
    cli_choice *choice = o->value;
    cli_text list = { 0 };
    int n = 0;
    for (; choice->words[n] != NULL; n++) {
        if (choice->given == NULL || strcmp(choice->given, choice->words[n]) == 0) {
            choice->chosen = n;
            return true;
        }
    }
    for (int i = 0; i < n; i++) {
        cli_text_puts(&list, i == 0 ? "" : i + 1 < n ? ", " : " or ");
        cli_text_puts(&list, choice->words[i]);
    }
    cli_complain(usage->name, "unknown %s \"%s\": %s", o->name, choice->given, cli_text_string(&list));
    cli_text_free(&list);
    return false;
}

int cli_unexpected_word(const cli_usage *usage, const char *word)
{
    cli_complain(usage->name, "unexpected word \"%s\" (usage: paimon %s %s)", word, usage->name, usage->arguments);
    return CLI_WRONG_USE;
}

int cli_parse(const cli_usage *usage, int argc, char **argv, const char **words, int *n_words)
{
    bool ended = false;
    int n = 0;
    for (int i = 1; i < argc; i++) {
        if (!ended && strcmp(argv[i], "--") == 0) {
            ended = true;
        } else if (!ended && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)) {
            print_help(usage);
            return CLI_DONE;
        } else if (!ended && argv[i][0] == '-' && argv[i][1] != '\0') {
            int code = take_option(usage, argc, argv, &i);
            if (code >= 0) {
                return code;
            }
        } else if (n == usage->max_words) {
            return cli_unexpected_word(usage, argv[i]);
        } else {
            words[n++] = argv[i];
        }
    }
    if (n < usage->min_words) {
        cli_complain(usage->name, "%s is missing (usage: paimon %s %s)", usage->arguments, usage->name, usage->arguments);
        return CLI_WRONG_USE;
    }
    for (size_t i = 0; i < usage->n_options; i++) {
        if (usage->options[i].kind == CLI_CHOICE && !choose(usage, &usage->options[i])) {
            return CLI_WRONG_USE;
        }
    }
    *n_words = n;
    return -1;
}

int cli_parse_word(const cli_usage *usage, int argc, char **argv, const char **word)
{
    cli_usage one = *usage;
    int n = 0;
    one.min_words = one.max_words = 1;
    return cli_parse(&one, argc, argv, word, &n);
}

/* One name of a list: bare up to the next comma, or quoted with "" for a quote. NULL at a fault. */
static char *next_name(const char **at)
{
    const char *p = *at;
    bool quoted = *p == '"';
    char *name = malloc(strlen(p) + 1);
    size_t n = 0;
    if (name == NULL) {
        return NULL;
    }
    for (p += quoted; *p != '\0' && (quoted || *p != ','); p++) {
        if (quoted && *p == '"') {
            if (p[1] != '"') {
                break;
            }
            p++;
        }
        name[n++] = *p;
    }
    if (n == 0 || (quoted && *p != '"') || (quoted && p[1] != '\0' && p[1] != ',')) {
        free(name);
        return NULL;
    }
    name[n] = '\0';
    *at = p + quoted;
    return name;
}

bool cli_split_names(const char *command, const char *text, char ***names, size_t *n)
{
    *names = NULL;
    *n = 0;
    if (text == NULL) {
        return true;
    }
    for (const char *at = text;; at++) {
        char *name = next_name(&at);
        char **more = name == NULL ? NULL : realloc(*names, (*n + 1) * sizeof *more);
        if (more == NULL) {
            free(name);
            cli_free_names(*names, *n);
            *names = NULL;
            *n = 0;
            cli_complain(command, "cannot take \"%s\" as a list of names: an empty or badly quoted one", text);
            return false;
        }
        *names = more;
        more[(*n)++] = name;
        if (*at != ',') {
            return true;
        }
    }
}

void cli_free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(names[i]);
    }
    free(names);
}
