/* Type strings: what schema files hold for atomic types, and the SQL form of nested ones.
 *
 *   type := base [NOT NULL | NULL] [ (ARRAY | MULTISET) [NOT NULL | NULL] ]
 *
 * Tokens, keywords and defaults are those of Java's DataTypeJsonParser, which knows no nested type but VECTOR; ARRAY<t>, MULTISET<t>,
 * MAP<k, v> and ROW<name t ['comment' | COMMENT 'comment'] [DEFAULT value], …> read what Java's asSQLString prints. */
#include <string.h>
#include <strings.h>

#include "types/type.h"

typedef enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_QUOTED_NAME, TOKEN_STRING, TOKEN_INT, TOKEN_MARK, TOKEN_BAD } token_kind;

typedef struct token {
    token_kind kind;
    const char *start; /* WORD, INT: its text. QUOTED_NAME, STRING: what stands between the quotes, doubled ones still doubled */
    size_t size;
    const char *behind;
} token;

typedef struct type_parser {
    pmn_arena *arena;
    const char *text;
    token next; /* looked at, not taken */
    int32_t next_id;
    paimon_error *err;
} type_parser;

static paimon_status parse_nullable(type_parser *p, int depth, const pmn_type **out);

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }
static bool is_mark(char c) { return c && strchr("<>(),.", c); }
static bool is_type_digit(char c) { return c >= '0' && c <= '9'; }

static token scan_quoted(const char *at)
{
    char quote = *at;
    token t = { quote == '`' ? TOKEN_QUOTED_NAME : TOKEN_STRING, at + 1, 0, NULL };
    for (at++; *at; at++) {
        if (*at != quote) continue;
        if (at[1] == quote) {
            at++;
            continue;
        }
        t.size = (size_t)(at - t.start);
        t.behind = at + 1;
        return t;
    }
    t.kind = TOKEN_BAD;
    t.behind = at;
    return t;
}

static token scan(const char *at)
{
    while (is_space(*at)) at++;
    if (*at == '\'' || *at == '`') return scan_quoted(at);
    token t = { TOKEN_END, at, 0, at };
    if (!*at) return t;
    if (is_mark(*at)) {
        t.kind = TOKEN_MARK;
        at++;
    } else if (is_type_digit(*at)) {
        t.kind = TOKEN_INT;
        while (is_type_digit(*at)) at++;
    } else {
        t.kind = TOKEN_WORD;
        while (*at && !is_space(*at) && !is_mark(*at)) at++;
    }
    t.size = (size_t)(at - t.start);
    t.behind = at;
    return t;
}

static void next_token(type_parser *p) { p->next = scan(p->next.behind); }

static paimon_status bad_type(type_parser *p, const char *expected)
{
    int at = (int)(p->next.start - p->text);
    if (p->next.kind == TOKEN_END) return pmn_fail(p->err, PAIMON_INVALID, "type '%.200s': it ends where %s is expected", p->text, expected);
    return pmn_fail(p->err, PAIMON_INVALID, "type '%.200s': '%.*s' at position %d, expected %s", p->text,
                    p->next.size < 40 ? (int)p->next.size : 40, p->next.start, at, expected);
}

static bool at_type_word(const type_parser *p, const char *word)
{
    return p->next.kind == TOKEN_WORD && p->next.size == strlen(word) && strncasecmp(p->next.start, word, p->next.size) == 0;
}

static bool take_type_word(type_parser *p, const char *word)
{
    if (!at_type_word(p, word)) return false;
    next_token(p);
    return true;
}

static bool at_mark(const type_parser *p, char mark) { return p->next.kind == TOKEN_MARK && *p->next.start == mark; }

static bool take_mark(type_parser *p, char mark)
{
    if (!at_mark(p, mark)) return false;
    next_token(p);
    return true;
}

static paimon_status need_mark(type_parser *p, char mark)
{
    char expected[] = { '\'', mark, '\'', 0 };
    return take_mark(p, mark) ? PAIMON_OK : bad_type(p, expected);
}

static paimon_status need_word(type_parser *p, const char *word) { return take_type_word(p, word) ? PAIMON_OK : bad_type(p, word); }

static paimon_status need_int(type_parser *p, int32_t least, int32_t most, int32_t *out)
{
    if (p->next.kind != TOKEN_INT) return bad_type(p, "a number");
    int64_t value = 0;
    for (size_t i = 0; i < p->next.size && value <= INT32_MAX; i++) value = value * 10 + (p->next.start[i] - '0');
    if (value < least || value > most)
        return pmn_fail(p->err, PAIMON_INVALID, "type '%.200s': %.*s is not in %d … %d", p->text, p->next.size < 20 ? (int)p->next.size : 20,
                        p->next.start, (int)least, (int)most);
    *out = (int32_t)value;
    next_token(p);
    return PAIMON_OK;
}

/* "(n)" or the default. */
static paimon_status optional_int(type_parser *p, int32_t least, int32_t most, int32_t fallback, int32_t *out)
{
    *out = fallback;
    if (!take_mark(p, '(')) return PAIMON_OK;
    PMN_TRY(need_int(p, least, most, out));
    return need_mark(p, ')');
}

/* The text of a quoted token with doubled quotes made single. */
static char *unquote(type_parser *p, char quote)
{
    char *text = pmn_arena_alloc(p->arena, p->next.size + 1), *at = text;
    if (!text) return NULL;
    for (size_t i = 0; i < p->next.size; i++) {
        *at++ = p->next.start[i];
        if (p->next.start[i] == quote) i++;
    }
    *at = '\0';
    return text;
}

static paimon_status nomem_type(type_parser *p) { return pmn_fail_nomem(p->err, "data type"); }

static paimon_status make(type_parser *p, pmn_type_kind kind, int32_t length, int32_t scale, const pmn_type **out)
{
    *out = pmn_type_new(p->arena, kind, true, length, scale);
    return *out ? PAIMON_OK : nomem_type(p);
}

static paimon_status sized(type_parser *p, pmn_type_kind kind, const pmn_type **out)
{
    int32_t length;
    PMN_TRY(optional_int(p, 1, INT32_MAX, 1, &length));
    return make(p, kind, length, 0, out);
}

static paimon_status decimal_type(type_parser *p, const pmn_type **out)
{
    int32_t precision = 10, scale = 0;
    if (take_mark(p, '(')) {
        PMN_TRY(need_int(p, 1, 38, &precision));
        if (take_mark(p, ',')) PMN_TRY(need_int(p, 0, precision, &scale));
        PMN_TRY(need_mark(p, ')'));
    }
    return make(p, PMN_DECIMAL, precision, scale, out);
}

static paimon_status without_zone(type_parser *p)
{
    if (!take_type_word(p, "WITHOUT")) return PAIMON_OK;
    PMN_TRY(need_word(p, "TIME"));
    return need_word(p, "ZONE");
}

static paimon_status time_type(type_parser *p, const pmn_type **out)
{
    int32_t precision;
    PMN_TRY(optional_int(p, 0, 9, 0, &precision));
    PMN_TRY(without_zone(p));
    return make(p, PMN_TIME, precision, 0, out);
}

static paimon_status timestamp_type(type_parser *p, const pmn_type **out)
{
    int32_t precision;
    PMN_TRY(optional_int(p, 0, 9, 6, &precision));
    if (!take_type_word(p, "WITH")) {
        PMN_TRY(without_zone(p));
        return make(p, PMN_TIMESTAMP, precision, 0, out);
    }
    PMN_TRY(need_word(p, "LOCAL"));
    PMN_TRY(need_word(p, "TIME"));
    PMN_TRY(need_word(p, "ZONE"));
    return make(p, PMN_TIMESTAMP_LTZ, precision, 0, out);
}

static paimon_status timestamp_ltz_type(type_parser *p, const pmn_type **out)
{
    int32_t precision;
    PMN_TRY(optional_int(p, 0, 9, 6, &precision));
    return make(p, PMN_TIMESTAMP_LTZ, precision, 0, out);
}

static paimon_status double_type(type_parser *p, const pmn_type **out)
{
    take_type_word(p, "PRECISION");
    return make(p, PMN_DOUBLE, 0, 0, out);
}

static paimon_status geo_parameter(type_parser *p, const char **out)
{
    bool quoted = p->next.kind == TOKEN_STRING || p->next.kind == TOKEN_QUOTED_NAME;
    if ((!quoted && p->next.kind != TOKEN_WORD) || p->next.size == 0) return bad_type(p, "a coordinate reference system");
    char quote = p->next.kind == TOKEN_STRING ? '\'' : '`';
    *out = quoted ? unquote(p, quote) : pmn_arena_strndup(p->arena, p->next.start, p->next.size);
    if (!*out) return nomem_type(p);
    next_token(p);
    return PAIMON_OK;
}

/* A reference system goes into quotes when the tokens would not read it back. */
static bool needs_quotes(const char *crs)
{
    if (is_type_digit(*crs)) return true;
    for (; *crs; crs++)
        if (is_space(*crs) || is_mark(*crs) || *crs == '\'' || *crs == '`') return true;
    return false;
}

static const char *const edge_algorithms[] = { "spherical", "vincenty", "thomas", "andoyer", "karney" };

static paimon_status edge_algorithm(type_parser *p, const char **out)
{
    const char *name;
    PMN_TRY(geo_parameter(p, &name));
    for (size_t i = 0; i < sizeof edge_algorithms / sizeof *edge_algorithms; i++) {
        if (strcasecmp(name, edge_algorithms[i]) != 0) continue;
        *out = edge_algorithms[i];
        return PAIMON_OK;
    }
    return pmn_fail(p->err, PAIMON_INVALID, "type '%.200s': unknown edge algorithm '%.40s'", p->text, name);
}

/* GEOMETRY[(crs)], GEOGRAPHY[(crs[, algorithm])]: carried as the text in the parentheses, spelled as Java prints it. */
static paimon_status geo_type(type_parser *p, pmn_type_kind kind, const pmn_type **out)
{
    const char *crs = "OGC:CRS84", *algorithm = edge_algorithms[0];
    if (take_mark(p, '(')) {
        PMN_TRY(geo_parameter(p, &crs));
        if (kind == PMN_GEOGRAPHY && take_mark(p, ',')) PMN_TRY(edge_algorithm(p, &algorithm));
        PMN_TRY(need_mark(p, ')'));
    }
    char *text = pmn_arena_alloc(p->arena, 2 * strlen(crs) + 32), *at = text;
    pmn_type *type = pmn_arena_calloc(p->arena, 1, sizeof *type);
    if (!text || !type) return nomem_type(p);
    bool quoted = needs_quotes(crs);
    if (quoted) *at++ = '\'';
    for (; *crs; crs++) {
        if (*crs == '\'') *at++ = '\'';
        *at++ = *crs;
    }
    if (quoted) *at++ = '\'';
    *at = '\0';
    if (kind == PMN_GEOGRAPHY) {
        memcpy(at, ", ", 2);
        strcpy(at + 2, algorithm);
    }
    type->kind = kind;
    type->nullable = true;
    type->text = text;
    *out = type;
    return PAIMON_OK;
}

static paimon_status geometry_type(type_parser *p, const pmn_type **out) { return geo_type(p, PMN_GEOMETRY, out); }
static paimon_status geography_type(type_parser *p, const pmn_type **out) { return geo_type(p, PMN_GEOGRAPHY, out); }

static const char *const part_names[] = { "element", "key", "value" };

/* A collection of one or two parts ("element", or "key" and "value"). */
static paimon_status collection(type_parser *p, pmn_type_kind kind, const pmn_type *const *parts, int32_t n, int32_t length, const pmn_type **out)
{
    pmn_type *type = pmn_arena_calloc(p->arena, 1, sizeof *type);
    pmn_field *fields = pmn_arena_calloc(p->arena, (size_t)n, sizeof *fields);
    if (!type || !fields) return nomem_type(p);
    for (int32_t i = 0; i < n; i++) fields[i] = (pmn_field){ -1, part_names[n == 1 ? 0 : 1 + i], parts[i], NULL, NULL };
    type->kind = kind;
    type->nullable = true;
    type->length = length;
    type->n_fields = n;
    type->fields = fields;
    *out = type;
    return PAIMON_OK;
}

static paimon_status element_of(type_parser *p, pmn_type_kind kind, int depth, const pmn_type **out)
{
    const pmn_type *element;
    PMN_TRY(need_mark(p, '<'));
    PMN_TRY(parse_nullable(p, depth + 1, &element));
    PMN_TRY(need_mark(p, '>'));
    return collection(p, kind, &element, 1, 0, out);
}

static paimon_status map_type(type_parser *p, int depth, const pmn_type **out)
{
    const pmn_type *parts[2];
    PMN_TRY(need_mark(p, '<'));
    PMN_TRY(parse_nullable(p, depth + 1, &parts[0]));
    PMN_TRY(need_mark(p, ','));
    PMN_TRY(parse_nullable(p, depth + 1, &parts[1]));
    PMN_TRY(need_mark(p, '>'));
    return collection(p, PMN_MAP, parts, 2, 0, out);
}

static paimon_status vector_type(type_parser *p, int depth, const pmn_type **out)
{
    const pmn_type *element;
    int32_t length;
    PMN_TRY(need_mark(p, '<'));
    PMN_TRY(parse_nullable(p, depth + 1, &element));
    if (!pmn_type_fits_vector(element)) return pmn_fail(p->err, PAIMON_INVALID, "type '%.200s': vectors of %s", p->text, pmn_type_kind_name(element->kind));
    PMN_TRY(need_mark(p, ','));
    PMN_TRY(need_int(p, 1, INT32_MAX, &length));
    PMN_TRY(need_mark(p, '>'));
    return collection(p, PMN_VECTOR, &element, 1, length, out);
}

/* A default value stands bare: up to the next ',' or '>' outside of parentheses and quotes. */
static paimon_status default_value(type_parser *p, pmn_field *field)
{
    const char *start = p->next.start, *at;
    if (p->next.kind == TOKEN_STRING || p->next.kind == TOKEN_QUOTED_NAME) start--;
    int open = 0;
    char quote = 0;
    for (at = start; *at && (quote || open > 0 || (*at != ',' && *at != '>')); at++) {
        if (quote) quote = *at == quote ? 0 : quote;
        else if (*at == '\'') quote = '\'';
        else open += (*at == '(') - (*at == ')');
    }
    const char *end = at;
    while (end > start && is_space(end[-1])) end--;
    field->default_value = pmn_arena_strndup(p->arena, start, (size_t)(end - start));
    if (!field->default_value) return nomem_type(p);
    p->next = scan(at);
    return PAIMON_OK;
}

static paimon_status row_field(type_parser *p, int depth, pmn_field *field)
{
    *field = (pmn_field){ p->next_id++, NULL, NULL, NULL, NULL };
    if (p->next.kind == TOKEN_QUOTED_NAME) field->name = unquote(p, '`');
    else if (p->next.kind == TOKEN_WORD) field->name = pmn_arena_strndup(p->arena, p->next.start, p->next.size);
    else return bad_type(p, "a field name");
    if (!field->name) return nomem_type(p);
    next_token(p);
    PMN_TRY(parse_nullable(p, depth + 1, &field->type));
    bool comment = take_type_word(p, "COMMENT");
    if (p->next.kind == TOKEN_STRING) {
        field->description = unquote(p, '\'');
        if (!field->description) return nomem_type(p);
        next_token(p);
    } else if (comment) {
        return bad_type(p, "a quoted comment");
    }
    if (at_type_word(p, "DEFAULT")) {
        next_token(p);
        PMN_TRY(default_value(p, field));
    }
    return PAIMON_OK;
}

static paimon_status row_type(type_parser *p, int depth, const pmn_type **out)
{
    pmn_field *fields = NULL;
    int32_t n = 0;
    size_t capacity = 0;
    PMN_TRY(need_mark(p, '<'));
    while (!at_mark(p, '>')) {
        if (n > 0) PMN_TRY(need_mark(p, ','));
        fields = pmn_arena_grow(p->arena, fields, (size_t)n, &capacity, sizeof *fields);
        if (!fields) return nomem_type(p);
        PMN_TRY(row_field(p, depth, &fields[n++]));
    }
    next_token(p);
    PMN_TRY(pmn_fields_check(p->arena->mem, fields, n, p->err));
    *out = pmn_type_row(p->arena, true, fields, n);
    return *out ? PAIMON_OK : nomem_type(p);
}

/* Types that are one word. */
static const struct {
    const char *word;
    pmn_type_kind kind;
    int32_t length;
} plain_types[] = {
    { "STRING", PMN_VARCHAR, INT32_MAX }, { "BOOLEAN", PMN_BOOLEAN, 0 },   { "BYTES", PMN_VARBINARY, INT32_MAX },
    { "TINYINT", PMN_TINYINT, 0 },        { "SMALLINT", PMN_SMALLINT, 0 }, { "INT", PMN_INT, 0 },
    { "INTEGER", PMN_INT, 0 },            { "BIGINT", PMN_BIGINT, 0 },     { "FLOAT", PMN_FLOAT, 0 },
    { "DATE", PMN_DATE, 0 },              { "VARIANT", PMN_VARIANT, 0 },   { "BLOB", PMN_BLOB, 0 },
};

static const struct {
    const char *word;
    paimon_status (*parse)(type_parser *p, const pmn_type **out);
} special_types[] = {
    { "DECIMAL", decimal_type },     { "NUMERIC", decimal_type },     { "DEC", decimal_type },
    { "DOUBLE", double_type },       { "TIME", time_type },           { "TIMESTAMP", timestamp_type },
    { "TIMESTAMP_LTZ", timestamp_ltz_type }, { "GEOMETRY", geometry_type }, { "GEOGRAPHY", geography_type },
};

static const struct {
    const char *word;
    pmn_type_kind kind;
} sized_types[] = { { "CHAR", PMN_CHAR }, { "VARCHAR", PMN_VARCHAR }, { "BINARY", PMN_BINARY }, { "VARBINARY", PMN_VARBINARY } };

static paimon_status parse_base(type_parser *p, int depth, const pmn_type **out)
{
    if (depth > PMN_TYPE_MAX_DEPTH) return pmn_fail(p->err, PAIMON_INVALID, "type '%.200s': nested deeper than %d", p->text, PMN_TYPE_MAX_DEPTH);
    for (size_t i = 0; i < sizeof plain_types / sizeof *plain_types; i++)
        if (take_type_word(p, plain_types[i].word)) return make(p, plain_types[i].kind, plain_types[i].length, 0, out);
    for (size_t i = 0; i < sizeof sized_types / sizeof *sized_types; i++)
        if (take_type_word(p, sized_types[i].word)) return sized(p, sized_types[i].kind, out);
    for (size_t i = 0; i < sizeof special_types / sizeof *special_types; i++)
        if (take_type_word(p, special_types[i].word)) return special_types[i].parse(p, out);
    if (take_type_word(p, "ARRAY")) return element_of(p, PMN_ARRAY, depth, out);
    if (take_type_word(p, "MULTISET")) return element_of(p, PMN_MULTISET, depth, out);
    if (take_type_word(p, "MAP")) return map_type(p, depth, out);
    if (take_type_word(p, "VECTOR")) return vector_type(p, depth, out);
    if (take_type_word(p, "ROW")) return row_type(p, depth, out);
    return bad_type(p, "a type");
}

static paimon_status nullability(type_parser *p, const pmn_type **type)
{
    bool nullable = true;
    if (take_type_word(p, "NOT")) {
        PMN_TRY(need_word(p, "NULL"));
        nullable = false;
    } else {
        take_type_word(p, "NULL");
    }
    *type = pmn_type_with_null(p->arena, *type, nullable);
    return *type ? PAIMON_OK : nomem_type(p);
}

static paimon_status parse_nullable(type_parser *p, int depth, const pmn_type **out)
{
    PMN_TRY(parse_base(p, depth, out));
    PMN_TRY(nullability(p, out));
    bool array = at_type_word(p, "ARRAY");
    if (!array && !at_type_word(p, "MULTISET")) return PAIMON_OK;
    next_token(p);
    const pmn_type *element = *out;
    PMN_TRY(collection(p, array ? PMN_ARRAY : PMN_MULTISET, &element, 1, 0, out));
    return nullability(p, out);
}

paimon_status pmn_type_parse(pmn_arena *arena, const char *text, const pmn_type **out, paimon_error *err)
{
    type_parser p = { arena, text, scan(text), 0, err };
    PMN_TRY(parse_nullable(&p, 0, out));
    return p.next.kind == TOKEN_END ? PAIMON_OK : bad_type(&p, "the end");
}

/* Printing, as Java's asSQLString. */

static paimon_status print_escaped(pmn_buf *out, const char *text, char quote, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_byte(out, (uint8_t)quote, err));
    for (; *text; text++) {
        if (*text == quote) PMN_TRY(pmn_buf_append_byte(out, (uint8_t)quote, err));
        PMN_TRY(pmn_buf_append_byte(out, (uint8_t)*text, err));
    }
    return pmn_buf_append_byte(out, (uint8_t)quote, err);
}

static paimon_status print_row(const pmn_type *type, pmn_buf *out, paimon_error *err)
{
    PMN_TRY(pmn_buf_append_text(out, "ROW<", err));
    for (int32_t i = 0; i < type->n_fields; i++) {
        const pmn_field *f = &type->fields[i];
        if (i) PMN_TRY(pmn_buf_append_text(out, ", ", err));
        PMN_TRY(print_escaped(out, f->name, '`', err));
        PMN_TRY(pmn_buf_append_byte(out, ' ', err));
        PMN_TRY(pmn_type_print(f->type, out, err));
        if (f->description && *f->description) {
            PMN_TRY(pmn_buf_append_text(out, " COMMENT ", err));
            PMN_TRY(print_escaped(out, f->description, '\'', err));
        }
        if (f->default_value) PMN_TRY(pmn_buf_printf(out, err, " DEFAULT %s", f->default_value));
    }
    return pmn_buf_append_byte(out, '>', err);
}

static paimon_status print_collection(const pmn_type *type, pmn_buf *out, paimon_error *err)
{
    PMN_TRY(pmn_buf_printf(out, err, "%s<", pmn_type_kind_name(type->kind)));
    for (int32_t i = 0; i < type->n_fields; i++) {
        if (i) PMN_TRY(pmn_buf_append_text(out, ", ", err));
        PMN_TRY(pmn_type_print(type->fields[i].type, out, err));
    }
    if (type->kind == PMN_VECTOR) PMN_TRY(pmn_buf_printf(out, err, ", %d", (int)type->length));
    return pmn_buf_append_byte(out, '>', err);
}

static paimon_status print_base(const pmn_type *type, pmn_buf *out, paimon_error *err)
{
    const char *name = pmn_type_kind_name(type->kind);
    switch (type->kind) {
    case PMN_VARCHAR:
    case PMN_VARBINARY:
        if (type->length == INT32_MAX) return pmn_buf_append_text(out, type->kind == PMN_VARCHAR ? "STRING" : "BYTES", err);
        return pmn_buf_printf(out, err, "%s(%d)", name, (int)type->length);
    case PMN_CHAR:
    case PMN_BINARY:
    case PMN_TIME:
    case PMN_TIMESTAMP: return pmn_buf_printf(out, err, "%s(%d)", name, (int)type->length);
    case PMN_TIMESTAMP_LTZ: return pmn_buf_printf(out, err, "TIMESTAMP(%d) WITH LOCAL TIME ZONE", (int)type->length);
    case PMN_DECIMAL: return pmn_buf_printf(out, err, "DECIMAL(%d, %d)", (int)type->length, (int)type->scale);
    case PMN_GEOMETRY:
    case PMN_GEOGRAPHY: return pmn_buf_printf(out, err, "%s(%s)", name, type->text);
    case PMN_ROW: return print_row(type, out, err);
    case PMN_ARRAY:
    case PMN_MULTISET:
    case PMN_MAP:
    case PMN_VECTOR: return print_collection(type, out, err);
    default: return pmn_buf_append_text(out, name, err);
    }
}

paimon_status pmn_type_print(const pmn_type *type, pmn_buf *out, paimon_error *err)
{
    PMN_TRY(print_base(type, out, err));
    return type->nullable ? PAIMON_OK : pmn_buf_append_text(out, " NOT NULL", err);
}
