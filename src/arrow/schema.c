/* ArrowSchema trees: nodes that own copies of their texts, and questions about any ArrowSchema.
 *
 * A node made here is one allocation (the children's pointers and structs behind the private part) plus its texts. Consumers
 * may move a child out of its parent, which leaves it released; the parent then skips it. */
#include "arrow/schema.h"

#include <string.h>

#include "base/checked.h"

typedef struct schema_private {
    pmn_mem *mem; /* counted */
    size_t size;  /* of this block */
    char *format;
    char *name;
    char *metadata;
    size_t metadata_size;
    struct ArrowSchema *dictionary;
} schema_private;

static void free_private(schema_private *p)
{
    pmn_mem *mem = p->mem;
    pmn_strfree(mem, p->format);
    pmn_strfree(mem, p->name);
    pmn_free(mem, p->metadata, p->metadata_size);
    pmn_free(mem, p, p->size);
    pmn_mem_release(mem);
}

static void release_schema(struct ArrowSchema *schema)
{
    schema_private *p = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++) pmn_schema_release(schema->children[i]);
    if (p->dictionary) {
        pmn_schema_release(p->dictionary);
        pmn_free(p->mem, p->dictionary, sizeof *p->dictionary);
    }
    schema->release = NULL;
    free_private(p);
}

paimon_status pmn_schema_new(pmn_mem *mem, const char *format, const char *name, int64_t flags, int n_children,
                             struct ArrowSchema *out, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    size_t n = (size_t)(n_children < 0 ? 0 : n_children), rest, size;
    if (!pmn_mul_size(n, sizeof(struct ArrowSchema) + sizeof(struct ArrowSchema *), &rest) ||
        !pmn_add_size(sizeof(schema_private), rest, &size))
        return pmn_fail_nomem(err, "Arrow schema");
    schema_private *p = pmn_calloc(mem, 1, size);
    if (!p) return pmn_fail_nomem(err, "Arrow schema");
    p->mem = pmn_mem_retain(mem);
    p->size = size;
    p->format = pmn_strndup(mem, format, strlen(format));
    p->name = pmn_strndup(mem, name ? name : "", name ? strlen(name) : 0);
    if (!p->format || !p->name) {
        free_private(p);
        return pmn_fail_nomem(err, "Arrow schema");
    }
    struct ArrowSchema *children = (struct ArrowSchema *)(p + 1);
    struct ArrowSchema **pointers = (struct ArrowSchema **)(children + n);
    for (size_t i = 0; i < n; i++) pointers[i] = &children[i];
    out->format = p->format;
    out->name = p->name;
    out->flags = flags;
    out->n_children = (int64_t)n;
    out->children = n ? pointers : NULL;
    out->release = release_schema;
    out->private_data = p;
    return PAIMON_OK;
}

/* Metadata as the interface spells it, native byte order: int32 pairs, then for each int32 length and bytes of key and value. */
static void put_i32(char **at, size_t value)
{
    int32_t v = (int32_t)value;
    memcpy(*at, &v, sizeof v);
    *at += sizeof v;
}

static void put_metadata_text(char **at, const char *text)
{
    size_t n = strlen(text);
    put_i32(at, n);
    memcpy(*at, text, n);
    *at += n;
}

static paimon_status replace_metadata(struct ArrowSchema *schema, char *metadata, size_t size)
{
    schema_private *p = schema->private_data;
    pmn_free(p->mem, p->metadata, p->metadata_size);
    p->metadata = metadata;
    p->metadata_size = size;
    schema->metadata = metadata;
    return PAIMON_OK;
}

paimon_status pmn_schema_set_metadata(struct ArrowSchema *schema, const char *const *keys, const char *const *values, int n,
                                      paimon_error *err)
{
    schema_private *p = schema->private_data;
    size_t size = sizeof(int32_t);
    for (int i = 0; i < n; i++) {
        size_t key = strlen(keys[i]), value = strlen(values[i]);
        if (key > INT32_MAX || value > INT32_MAX) return pmn_fail(err, PAIMON_INVALID, "field metadata of more than 2 GB");
        size += 2 * sizeof(int32_t) + key + value;
    }
    char *metadata = pmn_alloc(p->mem, size);
    if (!metadata) return pmn_fail_nomem(err, "field metadata");
    char *at = metadata;
    put_i32(&at, (size_t)n);
    for (int i = 0; i < n; i++) {
        put_metadata_text(&at, keys[i]);
        put_metadata_text(&at, values[i]);
    }
    return replace_metadata(schema, metadata, size);
}

paimon_status pmn_schema_set_dictionary(struct ArrowSchema *schema, struct ArrowSchema *dictionary, paimon_error *err)
{
    schema_private *p = schema->private_data;
    p->dictionary = pmn_alloc(p->mem, sizeof *p->dictionary);
    if (!p->dictionary) {
        pmn_schema_release(dictionary);
        return pmn_fail_nomem(err, "Arrow dictionary");
    }
    pmn_schema_move(p->dictionary, dictionary);
    schema->dictionary = p->dictionary;
    return PAIMON_OK;
}

/* The interface gives metadata no size: we have to trust its lengths, but not negative ones. */
static int32_t take_i32(const char **at)
{
    int32_t v;
    memcpy(&v, *at, sizeof v);
    *at += sizeof v;
    return v;
}

bool pmn_schema_metadata(const struct ArrowSchema *schema, const char *key, const char **value, int32_t *size)
{
    const char *at = schema->metadata;
    if (!at) return false;
    size_t key_size = strlen(key);
    int32_t n = take_i32(&at);
    for (int32_t i = 0; i < n; i++) {
        int32_t k = take_i32(&at);
        if (k < 0) return false;
        const char *found = at;
        at += k;
        int32_t v = take_i32(&at);
        if (v < 0) return false;
        if ((size_t)k == key_size && memcmp(found, key, key_size) == 0) {
            *value = at;
            *size = v;
            return true;
        }
        at += v;
    }
    return false;
}

/* False for metadata with negative lengths. */
static bool metadata_size(const char *metadata, size_t *size)
{
    const char *at = metadata;
    int32_t n = take_i32(&at);
    if (n < 0) return false;
    for (int64_t i = 0; i < 2 * (int64_t)n; i++) {
        int32_t length = take_i32(&at);
        if (length < 0) return false;
        at += length;
    }
    *size = (size_t)(at - metadata);
    return true;
}

static paimon_status copy_metadata(const struct ArrowSchema *from, struct ArrowSchema *to, paimon_error *err)
{
    if (!from->metadata) return PAIMON_OK;
    size_t size;
    if (!metadata_size(from->metadata, &size))
        return pmn_fail(err, PAIMON_INVALID, "Arrow field '%s': malformed metadata", to->name);
    schema_private *p = to->private_data;
    char *metadata = pmn_alloc(p->mem, size);
    if (!metadata) return pmn_fail_nomem(err, "field metadata");
    memcpy(metadata, from->metadata, size);
    return replace_metadata(to, metadata, size);
}

static paimon_status copy_schema(pmn_mem *mem, const struct ArrowSchema *from, struct ArrowSchema *out, int depth, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    if (!from || !from->release || !from->format) return pmn_fail(err, PAIMON_INVALID, "Arrow schema: released, or without a format");
    if (depth > PMN_ARROW_MAX_DEPTH) return pmn_fail(err, PAIMON_UNSUPPORTED, "Arrow schema: nested deeper than %d", PMN_ARROW_MAX_DEPTH);
    if (from->n_children < 0 || from->n_children > INT32_MAX || (from->n_children > 0 && !from->children))
        return pmn_fail(err, PAIMON_INVALID, "Arrow schema '%s': %lld children", from->format, (long long)from->n_children);
    PMN_TRY(pmn_schema_new(mem, from->format, from->name, from->flags, (int)from->n_children, out, err));
    paimon_status status;
    PMN_GOTO(status, copy_metadata(from, out, err), failed);
    for (int64_t i = 0; i < from->n_children; i++)
        PMN_GOTO(status, copy_schema(mem, from->children[i], out->children[i], depth + 1, err), failed);
    if (from->dictionary) {
        struct ArrowSchema dictionary;
        PMN_GOTO(status, copy_schema(mem, from->dictionary, &dictionary, depth + 1, err), failed);
        PMN_GOTO(status, pmn_schema_set_dictionary(out, &dictionary, err), failed);
    }
    return PAIMON_OK;
failed:
    pmn_schema_release(out);
    return status;
}

paimon_status pmn_schema_copy(pmn_mem *mem, const struct ArrowSchema *schema, struct ArrowSchema *out, paimon_error *err)
{
    return copy_schema(mem, schema, out, 0, err);
}

void pmn_schema_release(struct ArrowSchema *schema)
{
    if (schema && schema->release) schema->release(schema);
}

void pmn_schema_move(struct ArrowSchema *to, struct ArrowSchema *from)
{
    *to = *from;
    from->release = NULL;
}

int pmn_schema_find(const struct ArrowSchema *schema, const char *name)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        const char *found = schema->children[i]->name;
        if (strcmp(found ? found : "", name) == 0) return (int)i;
    }
    return -1;
}
