/* Arrow arrays that own counted buffers, and how memory is shared between arrays.
 *
 * Our array is one block: the private part, then its tables of buffers, pointers and children. A foreign array, once somebody
 * wants to share it, moves into a counted `foreign_owner`; arrays of ours over its memory hold that owner instead of buffers.
 */
#include "arrow/array.h"

#include <string.h>

#include "arrow/private.h"
#include "arrow/schema.h"
#include "base/checked.h"

static void release_owner(pmn_foreign_owner *owner)
{
    if (!owner || atomic_fetch_sub(&owner->refs, 1) != 1) return;
    pmn_array_release(&owner->array);
    pmn_mem *mem = owner->mem;
    pmn_free(mem, owner, sizeof *owner);
    pmn_mem_release(mem);
}

static void release_array(struct ArrowArray *array)
{
    pmn_array_private *p = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) pmn_array_release(array->children[i]);
    pmn_array_release(&p->dictionary);
    for (int i = 0; i < p->n_buffers; i++) pmn_buffer_release(p->buffers[i]);
    release_owner(p->owner);
    array->release = NULL;
    pmn_mem *mem = p->mem;
    pmn_free(mem, p, p->size);
    pmn_mem_release(mem);
}

bool pmn_array_is_ours(const struct ArrowArray *array) { return array->release == release_array; }

/* The block for an array of ours; nothing is owned yet but `mem`. */
static pmn_array_private *new_private(pmn_mem *mem, size_t n_buffers, size_t n_children)
{
    size_t buffers, children, size;
    if (!pmn_mul_size(n_buffers, sizeof(pmn_buffer *) + sizeof(void *), &buffers) ||
        !pmn_mul_size(n_children, sizeof(struct ArrowArray) + sizeof(struct ArrowArray *), &children) ||
        !pmn_add_size(sizeof(pmn_array_private), buffers, &size) || !pmn_add_size(size, children, &size))
        return NULL;
    pmn_array_private *p = pmn_calloc(mem, 1, size);
    if (!p) return NULL;
    p->mem = pmn_mem_retain(mem);
    p->size = size;
    p->n_buffers = (int)n_buffers;
    struct ArrowArray *structs = (struct ArrowArray *)(p + 1);
    p->children = (struct ArrowArray **)(structs + n_children);
    p->pointers = (const void **)(p->children + n_children);
    p->buffers = (pmn_buffer **)(p->pointers + n_buffers);
    for (size_t i = 0; i < n_children; i++) p->children[i] = &structs[i];
    return p;
}

static void dress(struct ArrowArray *out, pmn_array_private *p, int64_t length, int64_t null_count, int64_t offset, int64_t n_children)
{
    memset(out, 0, sizeof *out);
    out->length = length;
    out->null_count = null_count;
    out->offset = offset;
    out->n_buffers = p->n_buffers;
    out->n_children = n_children;
    out->buffers = p->n_buffers ? p->pointers : NULL;
    out->children = n_children ? p->children : NULL;
    out->release = release_array;
    out->private_data = p;
}

paimon_status pmn_array_new(pmn_mem *mem, int64_t length, int64_t null_count, int n_buffers, pmn_buffer *const *buffers,
                            int n_children, struct ArrowArray *out, paimon_error *err)
{
    pmn_array_private *p = new_private(mem, (size_t)n_buffers, (size_t)n_children);
    if (!p) {
        for (int i = 0; i < n_buffers; i++) pmn_buffer_release(buffers[i]);
        memset(out, 0, sizeof *out);
        return pmn_fail_nomem(err, "Arrow array");
    }
    for (int i = 0; i < n_buffers; i++) {
        p->buffers[i] = buffers[i];
        p->pointers[i] = buffers[i] ? buffers[i]->data : NULL;
    }
    dress(out, p, length, null_count, 0, n_children);
    return PAIMON_OK;
}

paimon_status pmn_array_set_dictionary(struct ArrowArray *array, struct ArrowArray *dictionary, paimon_error *err)
{
    (void)err;
    pmn_array_private *p = array->private_data;
    pmn_array_move(&p->dictionary, dictionary);
    array->dictionary = &p->dictionary;
    return PAIMON_OK;
}

void pmn_array_release(struct ArrowArray *array)
{
    if (array && array->release) array->release(array);
}

void pmn_array_move(struct ArrowArray *to, struct ArrowArray *from)
{
    *to = *from;
    from->release = NULL;
}

/* A second array over the memory of one of ours, whose children and dictionary must be ours as well. */
static paimon_status share_node(pmn_mem *mem, const struct ArrowArray *array, struct ArrowArray *out, paimon_error *err)
{
    const pmn_array_private *from = array->private_data;
    memset(out, 0, sizeof *out);
    pmn_array_private *p = new_private(mem, (size_t)from->n_buffers, (size_t)array->n_children);
    if (!p) return pmn_fail_nomem(err, "Arrow array");
    for (int i = 0; i < from->n_buffers; i++) {
        p->buffers[i] = pmn_buffer_retain(from->buffers[i]);
        p->pointers[i] = from->pointers[i];
    }
    p->owner = from->owner;
    if (p->owner) atomic_fetch_add(&p->owner->refs, 1);
    dress(out, p, array->length, array->null_count, array->offset, array->n_children);
    return PAIMON_OK;
}

bool pmn_array_all_ours(const struct ArrowArray *array)
{
    if (!pmn_array_is_ours(array)) return false;
    for (int64_t i = 0; i < array->n_children; i++)
        if (!pmn_array_all_ours(array->children[i])) return false;
    return !array->dictionary || pmn_array_all_ours(array->dictionary);
}

paimon_status pmn_array_share_ours(pmn_mem *mem, const struct ArrowArray *array, struct ArrowArray *out, paimon_error *err)
{
    PMN_TRY(share_node(mem, array, out, err));
    paimon_status status = PAIMON_OK;
    for (int64_t i = 0; i < array->n_children; i++)
        PMN_GOTO(status, pmn_array_share_ours(mem, array->children[i], out->children[i], err), failed);
    if (array->dictionary) {
        struct ArrowArray dictionary;
        PMN_GOTO(status, pmn_array_share_ours(mem, array->dictionary, &dictionary, err), failed);
        PMN_GOTO(status, pmn_array_set_dictionary(out, &dictionary, err), failed);
    }
    return PAIMON_OK;
failed:
    pmn_array_release(out);
    return status;
}

/* Arrays of ours that look like `array`, over memory that `owner` keeps. */
static paimon_status mirror(pmn_foreign_owner *owner, const struct ArrowArray *array, struct ArrowArray *out, int depth, paimon_error *err)
{
    memset(out, 0, sizeof *out);
    if (depth > PMN_ARROW_MAX_DEPTH) return pmn_fail(err, PAIMON_UNSUPPORTED, "Arrow array: nested deeper than %d", PMN_ARROW_MAX_DEPTH);
    if (array->n_buffers < 0 || array->n_buffers > INT32_MAX || array->n_children < 0 || array->n_children > INT32_MAX)
        return pmn_fail(err, PAIMON_INVALID, "Arrow array: %lld buffers and %lld children", (long long)array->n_buffers,
                        (long long)array->n_children);
    pmn_array_private *p = new_private(owner->mem, (size_t)array->n_buffers, (size_t)array->n_children);
    if (!p) return pmn_fail_nomem(err, "Arrow array");
    for (int64_t i = 0; i < array->n_buffers; i++) p->pointers[i] = array->buffers[i];
    p->owner = owner;
    atomic_fetch_add(&owner->refs, 1);
    dress(out, p, array->length, array->null_count, array->offset, array->n_children);
    paimon_status status = PAIMON_OK;
    for (int64_t i = 0; i < array->n_children; i++)
        PMN_GOTO(status, mirror(owner, array->children[i], out->children[i], depth + 1, err), failed);
    if (array->dictionary) {
        struct ArrowArray dictionary;
        PMN_GOTO(status, mirror(owner, array->dictionary, &dictionary, depth + 1, err), failed);
        PMN_GOTO(status, pmn_array_set_dictionary(out, &dictionary, err), failed);
    }
    return PAIMON_OK;
failed:
    pmn_array_release(out);
    return status;
}

/* Turn a foreign array into one of ours over the same memory. On failure it is as it was. */
static paimon_status adopt(pmn_mem *mem, struct ArrowArray *array, paimon_error *err)
{
    pmn_foreign_owner *owner = pmn_calloc(mem, 1, sizeof *owner);
    if (!owner) return pmn_fail_nomem(err, "owner of an Arrow array");
    owner->mem = pmn_mem_retain(mem);
    atomic_init(&owner->refs, 1);
    pmn_array_move(&owner->array, array);
    struct ArrowArray ours;
    paimon_status status = mirror(owner, &owner->array, &ours, 0, err);
    if (status != PAIMON_OK) {
        pmn_array_move(array, &owner->array);
        release_owner(owner);
        return status;
    }
    release_owner(owner);
    *array = ours;
    return PAIMON_OK;
}

/* Make the whole tree ours: a child that was moved into an array of ours may be foreign. */
static paimon_status adopt_all(pmn_mem *mem, struct ArrowArray *array, int depth, paimon_error *err)
{
    if (depth > PMN_ARROW_MAX_DEPTH) return pmn_fail(err, PAIMON_UNSUPPORTED, "Arrow array: nested deeper than %d", PMN_ARROW_MAX_DEPTH);
    if (!pmn_array_is_ours(array)) return adopt(mem, array, err);
    for (int64_t i = 0; i < array->n_children; i++) PMN_TRY(adopt_all(mem, array->children[i], depth + 1, err));
    return array->dictionary ? adopt_all(mem, array->dictionary, depth + 1, err) : PAIMON_OK;
}

paimon_status pmn_array_share(pmn_mem *mem, struct ArrowArray *array, int64_t offset, int64_t length, struct ArrowArray *out,
                              paimon_error *err)
{
    memset(out, 0, sizeof *out);
    if (offset < 0 || length < 0 || offset > array->length || length > array->length - offset)
        return pmn_fail(err, PAIMON_INTERNAL, "rows %lld + %lld of an Arrow array of %lld rows", (long long)offset, (long long)length,
                        (long long)array->length);
    PMN_TRY(adopt_all(mem, array, 0, err));
    PMN_TRY(pmn_array_share_ours(mem, array, out, err));
    if (array->null_count != 0 && length != array->length) out->null_count = -1;
    out->offset += offset;
    out->length = length;
    return PAIMON_OK;
}
