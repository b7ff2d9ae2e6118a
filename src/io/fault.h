/* A file system around another one that records what is done and fails on demand: the judge of everything that must survive a
 * failing disk, a killed process, or a lost answer. For tests and for embedders who test. Thread-safe. */
#ifndef PMN_IO_FAULT_H
#define PMN_IO_FAULT_H

#include "base/mem.h"
#include "base/status.h"
#include "paimon-c/fs.h"

typedef enum pmn_fault_op {
    PMN_FAULT_OP_OPEN_READ,
    PMN_FAULT_OP_READ,
    PMN_FAULT_OP_STAT,
    PMN_FAULT_OP_LIST,
    PMN_FAULT_OP_OPEN_WRITE,
    PMN_FAULT_OP_WRITE,
    PMN_FAULT_OP_FINISH_WRITE,
    PMN_FAULT_OP_REMOVE,
    PMN_FAULT_OP_REMOVE_DIRECTORY,
    PMN_FAULT_OP_MAKE_DIRECTORIES,
    PMN_FAULT_OP_PUBLISH,
    PMN_FAULT_OP_REPLACE,
    PMN_FAULT_OP_RENAME,
    PMN_FAULT_OP_ABORT_WRITE /* recorded, never failed: it has no answer */
} pmn_fault_op;

typedef enum pmn_fault_kind {
    PMN_FAULT_NONE,
    PMN_FAULT_FAIL,       /* the operation is not done and answers PAIMON_IO */
    PMN_FAULT_FAIL_AFTER, /* it is done, and answers PAIMON_IO all the same; a publish answers unknown */
    PMN_FAULT_KILL,       /* it and every later one are not done: the process has died there */
    PMN_FAULT_KILL_AFTER  /* it is done, nothing later is */
} pmn_fault_kind;

typedef struct pmn_fault pmn_fault; /* lives as long as the file system it controls */

/* `inner` gets a reference. Free `*fs` with paimon_fs_free. */
paimon_status pmn_fault_fs_new(pmn_mem *mem, paimon_fs *inner, paimon_fs **fs, pmn_fault **fault, paimon_error *err) PMN_MUST_USE;

/* Forget what was recorded, be alive again, and let operation number `at` (from 0, counted from now) go as `kind` says. */
void pmn_fault_plan(pmn_fault *fault, int64_t at, pmn_fault_kind kind);
int64_t pmn_fault_count(pmn_fault *fault); /* operations since the plan */
/* What operation `i` since the plan was, and its path ("" for one on an open file): borrowed until the next plan. */
pmn_fault_op pmn_fault_op_at(pmn_fault *fault, int64_t i, const char **path);

#endif
