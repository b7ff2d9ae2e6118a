/* The interface that every file format implements: open a file, say what is in it, yield batches.
 *
 * A format knows files, Arrow types and predicates; it knows nothing of tables. Rows are numbered from 0 over the whole file,
 * skipped row groups and pages included. */
#ifndef PMN_FORMAT_FORMAT_H
#define PMN_FORMAT_FORMAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "arrow/buffer.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/status.h"
#include "io/fs.h"
#include "paimon-c/arrow_abi.h"
#include "predicate/bound.h"

typedef struct pmn_format pmn_format;
typedef struct pmn_format_file pmn_format_file;     /* an open file: footer parsed, immutable, may be shared by threads */
typedef struct pmn_format_reader pmn_format_reader; /* one pass over it; one thread at a time */

/* Rows [first, first + count). */
typedef struct pmn_row_range {
    int64_t first;
    int64_t count;
} pmn_row_range;

typedef struct pmn_format_open_options {
    pmn_mem *mem;       /* borrowed; the file retains it */
    paimon_fs *fs;      /* retained */
    const char *path;   /* copied; for messages */
    int64_t size_bytes; /* -1 unknown */
    bool case_insensitive;
    bool verify_checksums; /* of pages that carry one; off by default, as in other readers */
    /* ORC: instants were made of UTC's wall clock as if it were the writer's; take them back. (Paimon Java, unless
     * orc.timestamp-ltz.legacy.type is false.) */
    bool instants_are_local;
} pmn_format_open_options;

typedef struct pmn_format_read_options {
    /* What to produce: a struct schema whose children are matched to the file's columns by name, nested fields too (so that
     * leaving one out projects it away); formats are the Arrow types wanted. A child that the file lacks comes out null, or
     * is PAIMON_CORRUPT if it is not nullable. NULL: everything, in the file's natural Arrow types. Borrowed for the call. */
    const struct ArrowSchema *schema;
    /* Exact row filter over the children of `filter_schema` (same matching; may have columns that `schema` lacks), or NULL. The
     * reader yields exactly the rows for which it is TRUE, and prunes by whatever statistics the file has. Borrowed until the
     * reader is freed. */
    const pmn_pred *filter;
    const struct ArrowSchema *filter_schema;
    /* Only rows in these ascending, disjoint ranges (NULL: all). Copied. */
    const pmn_row_range *ranges;
    int32_t n_ranges;
    int64_t batch_rows;    /* upper bound of rows a batch; > 0 */
    pmn_buffer_pool *pool; /* retained: output buffers come from it */
    pmn_executor *executor; /* borrowed until the reader is freed; NULL or one thread: no parallelism */
    int32_t n_threads;      /* how many tasks at once at most; ≥ 1 */
    bool want_positions;    /* fill pmn_format_batch.positions */
} pmn_format_read_options;

typedef struct pmn_format_batch {
    struct ArrowArray array;    /* struct of the columns asked; moved to the caller */
    int64_t first_row;          /* file row of the first row when rows are contiguous */
    const int64_t *positions;   /* file row of each row when want_positions; else NULL. Borrowed until the next call */
} pmn_format_batch;

/* What a pass cost and saved; for metrics and tests. */
typedef struct pmn_format_metrics {
    int64_t bytes_read;
    int64_t rows_total;          /* of the file, within `ranges` */
    int64_t rows_skipped_stats;  /* by row-group statistics, page index, bloom filter, dictionary */
    int64_t rows_decoded;        /* rows whose filter columns were decoded */
    int64_t rows_returned;
} pmn_format_metrics;

/* --- writing --- */

typedef struct pmn_format_writer pmn_format_writer; /* one new file; one thread at a time */

/* What a writer learned of a top-level column: whole, never cut. Statistics modes are the caller's matter. */
typedef struct pmn_column_bounds {
    pmn_datum min, max; /* is_null: unknown, or no value at all. In Java's order; any NaN makes both unknown; a zero float minimum is
                           -0.0 and a zero maximum +0.0. Always unknown for types without order */
    int64_t null_count; /* -1 unknown */
} pmn_column_bounds;

/* What the writers of one table share: whoever makes them lends it, all zero to begin with, and frees it behind the last of them. */
typedef struct pmn_format_crew {
    atomic_int helping; /* threads at work besides the caller's */
    void *stock;        /* the format's own */
    void (*free_stock)(void *stock);
} pmn_format_crew;

static inline void pmn_format_crew_free(pmn_format_crew *crew)
{
    if (crew->stock) crew->free_stock(crew->stock);
    crew->stock = NULL;
}

typedef struct pmn_format_write_options {
    pmn_mem *mem;        /* borrowed; the writer retains it */
    paimon_fs *fs;       /* retained */
    const char *path;    /* copied; must not exist */
    const pmn_type *row; /* ROW of the columns, with field ids; borrowed until the writer is freed */
    /* Options under Paimon's names ("file.compression", "parquet.page.size", …): `get` answers NULL for one that is not set. */
    const char *(*get)(const void *ctx, const char *key);
    const void *options_ctx;
    pmn_executor *executor; /* borrowed until the writer is freed; NULL: no parallelism */
    int32_t n_threads;      /* ≥ 1, the caller's included */
    pmn_format_crew *crew;  /* borrowed until the writer is freed; NULL: it shares nothing */
} pmn_format_write_options;

typedef struct pmn_format_written {
    int64_t size_bytes;
    int64_t rows;
    const pmn_column_bounds *bounds; /* one a column of `row`; NULL: none are known. Owned by the writer */
} pmn_format_written;

typedef struct pmn_format_measure {
    int64_t size_bytes;   /* written and buffered: what rolling compares with the target size */
    int64_t memory_bytes; /* that the writer has taken, about; not what all writers of a crew share */
} pmn_format_measure;

typedef struct pmn_format_writer_ops {
    /* A struct array in the canonical layout of the row type (arrow/import.h), rows [first, first + count). Borrowed; a share of it may be kept
     * until the rows are encoded (a foreign array is turned into a counted one in place). A failure to encode may be told by a later call. */
    paimon_status (*write)(pmn_format_writer *writer, struct ArrowArray *batch, int64_t first, int64_t count, paimon_error *err);
    /* All rows that were written are encoded first. */
    paimon_status (*measure)(pmn_format_writer *writer, pmn_format_measure *out, paimon_error *err);
    /* At most so large is the size, for all that is known without waiting. It does not depend on how far other threads are. */
    int64_t (*most_size)(const pmn_format_writer *writer);
    /* End a part of the file (a row group) and write it out, so that little memory is taken. The file goes on. */
    paimon_status (*flush)(pmn_format_writer *writer, paimon_error *err);
    /* Write what is buffered and the footer; the file is whole and visible when it returns. Once. */
    paimon_status (*finish)(pmn_format_writer *writer, pmn_format_written *out, paimon_error *err);
    /* Unfinished: the file is removed. */
    void (*free)(pmn_format_writer *writer);
} pmn_format_writer_ops;
struct pmn_format_writer {
    const pmn_format_writer_ops *ops;
};

struct pmn_format {
    const char *name; /* "parquet": the extension too */
    paimon_status (*open)(const pmn_format_open_options *options, pmn_format_file **file, paimon_error *err);
    /* NULL: the format cannot be written yet. PAIMON_UNSUPPORTED or PAIMON_INVALID name a type or an option's value. */
    paimon_status (*create)(const pmn_format_write_options *options, pmn_format_writer **writer, paimon_error *err);
};

/* The format of an extension ("parquet"), or PAIMON_UNSUPPORTED by name. */
paimon_status pmn_format_find(const char *extension, const pmn_format **out, paimon_error *err) PMN_MUST_USE;
/* From the first bytes of a file (PAR1, ORC, Obj\1); NULL if none fits. Formats that are known but not built in come out too:
 * their open answers PAIMON_UNSUPPORTED. */
const pmn_format *pmn_format_sniff(pmn_slice head);
/* The extension that says the format of a data file name: "data-1.zst.parquet" → parquet, "x.csv.gz" → csv. Static or borrowed
 * from `name` in `out`. */
pmn_slice pmn_format_extension(const char *name);

/* A format's own object starts with this. */
typedef struct pmn_format_file_ops {
    /* The natural Arrow schema of the file (struct); owned by the caller. */
    paimon_status (*schema)(pmn_format_file *file, struct ArrowSchema *out, paimon_error *err);
    /* -1: unknown without a pass (Avro); a reader of no columns makes one that decodes nothing. */
    int64_t (*row_count)(const pmn_format_file *file);
    paimon_status (*read)(pmn_format_file *file, const pmn_format_read_options *options, pmn_format_reader **reader, paimon_error *err);
    /* What is in the file (footer, encodings, statistics), as one JSON text appended to `out`. */
    paimon_status (*describe)(pmn_format_file *file, pmn_buf *out, paimon_error *err);
    void (*close)(pmn_format_file *file); /* readers made from it keep it until they are freed */
} pmn_format_file_ops;
struct pmn_format_file {
    const pmn_format_file_ops *ops;
};

typedef struct pmn_format_reader_ops {
    /* The schema of the batches: owned by the reader. */
    const struct ArrowSchema *(*schema)(pmn_format_reader *reader);
    /* The next batch of at least one row; batch->array.release is NULL at the end. */
    paimon_status (*next)(pmn_format_reader *reader, pmn_format_batch *batch, paimon_error *err);
    void (*metrics)(const pmn_format_reader *reader, pmn_format_metrics *out);
    void (*free)(pmn_format_reader *reader);
} pmn_format_reader_ops;
struct pmn_format_reader {
    const pmn_format_reader_ops *ops;
};

static inline void pmn_format_file_close(pmn_format_file *file)
{
    if (file) file->ops->close(file);
}
static inline void pmn_format_writer_free(pmn_format_writer *writer)
{
    if (writer) writer->ops->free(writer);
}
static inline void pmn_format_reader_free(pmn_format_reader *reader)
{
    if (reader) reader->ops->free(reader);
}

#endif
