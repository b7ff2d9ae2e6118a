/* paimon_c._capsule: the capsules of the Arrow PyCapsule interface, which cffi cannot make.
 *
 * A capsule owns one of the three C structs. Its destructor releases what the struct still holds: a consumer that has taken the
 * content over has set `release` to NULL (or copied the struct and done so). Releasing may wait for the library's threads, and one of
 * those may be waiting for the interpreter's lock, so the lock is given up meanwhile.
 *
 * A batch may be exported several times, so its array is put behind a counter (share_array) of which each export is a view: new structs, the same
 * buffers, one more count for every node, since a consumer may move children out and keep them alone.
 *
 * Limited API: one build serves every Python since 3.9.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "paimon-c/arrow_abi.h"

#define SCHEMA "arrow_schema"
#define ARRAY "arrow_array"
#define STREAM "arrow_array_stream"
#define SHARED "paimon_c.shared_array"

/* ---- owning capsules ---- */

#define DEFINE_CAPSULE(kind, type, name)                                                  \
    static void destroy_##kind(PyObject *capsule)                                         \
    {                                                                                     \
        struct type *held = (struct type *)PyCapsule_GetPointer(capsule, name);           \
        if (!held) {                                                                      \
            PyErr_Clear();                                                                \
            return;                                                                       \
        }                                                                                 \
        if (held->release) {                                                              \
            PyThreadState *state = PyEval_SaveThread();                                   \
            held->release(held);                                                          \
            PyEval_RestoreThread(state);                                                  \
        }                                                                                 \
        free(held);                                                                       \
    }                                                                                     \
                                                                                          \
    static PyObject *make_##kind(struct type **out)                                       \
    {                                                                                     \
        struct type *held = (struct type *)calloc(1, sizeof *held);                       \
        if (!held) return PyErr_NoMemory();                                               \
        PyObject *capsule = PyCapsule_New(held, name, destroy_##kind);                    \
        if (!capsule) free(held);                                                         \
        else *out = held;                                                                 \
        return capsule;                                                                   \
    }

DEFINE_CAPSULE(schema, ArrowSchema, SCHEMA)
DEFINE_CAPSULE(array, ArrowArray, ARRAY)
DEFINE_CAPSULE(stream, ArrowArrayStream, STREAM)

static PyObject *new_schema(PyObject *self, PyObject *nothing)
{
    struct ArrowSchema *out = NULL;
    (void)self, (void)nothing;
    return make_schema(&out);
}

static PyObject *new_array(PyObject *self, PyObject *nothing)
{
    struct ArrowArray *out = NULL;
    (void)self, (void)nothing;
    return make_array(&out);
}

static PyObject *new_stream(PyObject *self, PyObject *nothing)
{
    struct ArrowArrayStream *out = NULL;
    (void)self, (void)nothing;
    return make_stream(&out);
}

/* The address in a capsule of the name given; ValueError for anything else. */
static PyObject *address(PyObject *self, PyObject *args)
{
    PyObject *capsule = NULL;
    const char *name = NULL;
    (void)self;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &name)) return NULL;
    if (!PyCapsule_CheckExact(capsule) || !PyCapsule_IsValid(capsule, name))
        return PyErr_Format(PyExc_ValueError, "an Arrow capsule named '%s' was expected", name);
    return PyLong_FromVoidPtr(PyCapsule_GetPointer(capsule, name));
}

/* ---- a copy of a schema ---- */

typedef struct schema_node {
    char *format, *name, *metadata;
    struct ArrowSchema *children, dictionary; /* what the structs' arrays point to */
    struct ArrowSchema **pointers;
} schema_node;

#define DEEPEST 256

static int copy_schema_into(const struct ArrowSchema *from, struct ArrowSchema *to, int depth);

static void release_schema(struct ArrowSchema *schema)
{
    schema_node *node = (schema_node *)schema->private_data;
    for (int64_t i = 0; node->children && i < schema->n_children; i++)
        if (node->children[i].release) node->children[i].release(&node->children[i]);
    if (node->dictionary.release) node->dictionary.release(&node->dictionary);
    free(node->format);
    free(node->name);
    free(node->metadata);
    free(node->children);
    free(node->pointers);
    free(node);
    schema->release = NULL;
}

/* Metadata is counted, not ended: n pairs of (length, bytes), all int32 of this machine. */
static size_t metadata_size(const char *metadata)
{
    int32_t n, length;
    size_t at = sizeof n;
    memcpy(&n, metadata, sizeof n);
    for (int64_t i = 0; i < 2 * (int64_t)n; i++) {
        memcpy(&length, metadata + at, sizeof length);
        at += sizeof length + (size_t)length;
    }
    return at;
}

static char *copy_bytes(const char *from, size_t n)
{
    char *copy = (char *)malloc(n);
    if (copy) memcpy(copy, from, n);
    return copy;
}

static int copy_children(const struct ArrowSchema *from, struct ArrowSchema *to, schema_node *node, int depth)
{
    size_t n = (size_t)from->n_children;
    to->n_children = from->n_children;
    if (n) {
        node->children = (struct ArrowSchema *)calloc(n, sizeof *node->children);
        node->pointers = (struct ArrowSchema **)calloc(n, sizeof *node->pointers);
        if (!node->children || !node->pointers) return -1;
    }
    to->children = node->pointers;
    for (size_t i = 0; i < n; i++) {
        node->pointers[i] = &node->children[i];
        if (copy_schema_into(from->children[i], &node->children[i], depth + 1) != 0) return -1;
    }
    if (!from->dictionary) return 0;
    to->dictionary = &node->dictionary;
    return copy_schema_into(from->dictionary, &node->dictionary, depth + 1);
}

static int copy_schema_into(const struct ArrowSchema *from, struct ArrowSchema *to, int depth)
{
    schema_node *node = depth < DEEPEST ? (schema_node *)calloc(1, sizeof *node) : NULL;
    if (!node) return -1;
    *to = (struct ArrowSchema){ .flags = from->flags, .release = release_schema, .private_data = node };
    to->format = node->format = copy_bytes(from->format, strlen(from->format) + 1);
    if (!node->format) return -1;
    if (from->name) {
        to->name = node->name = copy_bytes(from->name, strlen(from->name) + 1);
        if (!node->name) return -1;
    }
    if (from->metadata) {
        to->metadata = node->metadata = copy_bytes(from->metadata, metadata_size(from->metadata));
        if (!node->metadata) return -1;
    }
    return copy_children(from, to, node, depth);
}

static PyObject *copy_schema(PyObject *self, PyObject *capsule)
{
    (void)self;
    const struct ArrowSchema *from = (const struct ArrowSchema *)PyCapsule_GetPointer(capsule, SCHEMA);
    if (!from) return NULL;
    if (!from->release) return PyErr_Format(PyExc_ValueError, "this schema was handed over already");
    struct ArrowSchema *to = NULL;
    PyObject *copy = make_schema(&to);
    if (copy && copy_schema_into(from, to, 0) != 0) {
        Py_DECREF(copy);
        return PyErr_NoMemory();
    }
    return copy;
}

/* ---- an array that many share ---- */

typedef struct shared_array {
    atomic_size_t refs;
    struct ArrowArray array;
} shared_array;

static void drop_shared(shared_array *shared)
{
    if (atomic_fetch_sub_explicit(&shared->refs, 1, memory_order_acq_rel) != 1) return;
    if (shared->array.release) shared->array.release(&shared->array);
    free(shared);
}

static void destroy_shared(PyObject *capsule)
{
    shared_array *shared = (shared_array *)PyCapsule_GetPointer(capsule, SHARED);
    if (!shared) {
        PyErr_Clear();
        return;
    }
    PyThreadState *state = PyEval_SaveThread();
    drop_shared(shared);
    PyEval_RestoreThread(state);
}

/* Move the array of a capsule behind a counter. Gives the counted capsule and the array's address, for looking at it. */
static PyObject *share_array(PyObject *self, PyObject *capsule)
{
    (void)self;
    struct ArrowArray *from = (struct ArrowArray *)PyCapsule_GetPointer(capsule, ARRAY);
    if (!from) return NULL;
    if (!from->release) return PyErr_Format(PyExc_ValueError, "this array was handed over already");
    shared_array *shared = (shared_array *)calloc(1, sizeof *shared);
    if (!shared) return PyErr_NoMemory();
    atomic_init(&shared->refs, 1);
    PyObject *counted = PyCapsule_New(shared, SHARED, destroy_shared);
    if (!counted) {
        free(shared);
        return NULL;
    }
    shared->array = *from;
    from->release = NULL;
    PyObject *where = PyLong_FromVoidPtr(&shared->array);
    PyObject *both = where ? PyTuple_Pack(2, counted, where) : NULL;
    Py_XDECREF(where);
    Py_DECREF(counted);
    return both;
}

typedef struct view_node {
    shared_array *shared; /* counted */
    struct ArrowArray *children, dictionary;
    struct ArrowArray **pointers;
} view_node;

static void release_view(struct ArrowArray *array)
{
    view_node *node = (view_node *)array->private_data;
    for (int64_t i = 0; node->children && i < array->n_children; i++)
        if (node->children[i].release) node->children[i].release(&node->children[i]);
    if (node->dictionary.release) node->dictionary.release(&node->dictionary);
    drop_shared(node->shared);
    free(node->children);
    free(node->pointers);
    free(node);
    array->release = NULL;
}

static int make_view(shared_array *shared, const struct ArrowArray *from, struct ArrowArray *to, int depth)
{
    view_node *node = depth < DEEPEST ? (view_node *)calloc(1, sizeof *node) : NULL;
    if (!node) return -1;
    size_t n = (size_t)from->n_children;
    *to = *from;
    to->release = release_view;
    to->private_data = node;
    to->children = NULL;
    to->dictionary = NULL;
    node->shared = shared;
    atomic_fetch_add_explicit(&shared->refs, 1, memory_order_relaxed);
    if (n) {
        node->children = (struct ArrowArray *)calloc(n, sizeof *node->children);
        node->pointers = (struct ArrowArray **)calloc(n, sizeof *node->pointers);
        if (!node->children || !node->pointers) return -1;
        to->children = node->pointers;
    }
    for (size_t i = 0; i < n; i++) {
        node->pointers[i] = &node->children[i];
        if (make_view(shared, from->children[i], &node->children[i], depth + 1) != 0) return -1;
    }
    if (!from->dictionary) return 0;
    to->dictionary = &node->dictionary;
    return make_view(shared, from->dictionary, &node->dictionary, depth + 1);
}

static PyObject *view_array(PyObject *self, PyObject *capsule)
{
    (void)self;
    shared_array *shared = (shared_array *)PyCapsule_GetPointer(capsule, SHARED);
    if (!shared) return NULL;
    struct ArrowArray *to = NULL;
    PyObject *view = make_array(&to);
    if (view && make_view(shared, &shared->array, to, 0) != 0) {
        Py_DECREF(view); /* what was made so far has its release, so this frees it */
        return PyErr_NoMemory();
    }
    return view;
}

static PyMethodDef methods[] = {
    { "new_schema", new_schema, METH_NOARGS, "A capsule with an empty ArrowSchema." },
    { "new_array", new_array, METH_NOARGS, "A capsule with an empty ArrowArray." },
    { "new_stream", new_stream, METH_NOARGS, "A capsule with an empty ArrowArrayStream." },
    { "address", address, METH_VARARGS, "The address of the struct in a capsule of the name given." },
    { "copy_schema", copy_schema, METH_O, "A capsule with a copy of the schema in a capsule." },
    { "share_array", share_array, METH_O, "Move an array behind a counter: (counted capsule, address of the array)." },
    { "view_array", view_array, METH_O, "A capsule with a view of a shared array: the same buffers." },
    { NULL, NULL, 0, NULL },
};

/* Callbacks into Python pass one gate a process, which is shut when an interpreter ends (bridge.c): a second interpreter's end would make the first
 * one's file systems deaf. So only the main one gets the package; this runs in every interpreter that imports it. */
static int refuse_others(PyObject *self)
{
    (void)self;
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return 0;
    PyErr_SetString(PyExc_ImportError, "paimon_c works in the main interpreter of a process, not in sub-interpreters");
    return -1;
}

static int (*const run_refuse_others)(PyObject *) = refuse_others;
static PyModuleDef_Slot slots[] = { { Py_mod_exec, NULL }, { 0, NULL } };

static struct PyModuleDef module = { PyModuleDef_HEAD_INIT, "_capsule", "Capsules of the Arrow PyCapsule interface.", 0, methods, slots, NULL, NULL, NULL };

PyMODINIT_FUNC PyInit__capsule(void)
{
    memcpy(&slots[0].value, &run_refuse_others, sizeof slots[0].value); /* no cast from a function to void * in ISO C */
    return PyModuleDef_Init(&module);
}
