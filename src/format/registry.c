/* Which formats there are. One that is known but not built in is found all the same, so that its name stands in the error. */
#include <string.h>

#include "format/avro/file.h"
#include "format/format.h"
#include "format/orc/file.h"
#include "format/parquet/file.h"

static paimon_status refuse_format(const pmn_format_open_options *options, const char *name, paimon_error *err)
{
    return pmn_fail(err, PAIMON_UNSUPPORTED, "%s: reading %s data files is not supported yet", options->path, name);
}

#define REFUSED_FORMAT(symbol, name)                                                                                     \
    static paimon_status refuse_##symbol(const pmn_format_open_options *options, pmn_format_file **file, paimon_error *err) \
    {                                                                                                                    \
        *file = NULL;                                                                                                    \
        return refuse_format(options, name, err);                                                                        \
    }                                                                                                                    \
    static const pmn_format format_##symbol = { name, refuse_##symbol, NULL };
REFUSED_FORMAT(csv, "csv")
REFUSED_FORMAT(json, "json")
REFUSED_FORMAT(text, "text")
REFUSED_FORMAT(blob, "blob")
REFUSED_FORMAT(lance, "lance")
REFUSED_FORMAT(vortex, "vortex")
#undef REFUSED_FORMAT

static const pmn_format *const all_formats[] = { &pmn_format_parquet, &pmn_format_orc, &pmn_format_avro, &format_csv, &format_json, &format_text, &format_blob, &format_lance, &format_vortex };

paimon_status pmn_format_find(const char *extension, const pmn_format **out, paimon_error *err)
{
    for (size_t i = 0; i < sizeof all_formats / sizeof *all_formats; i++) {
        if (strcmp(all_formats[i]->name, extension) != 0) continue;
        *out = all_formats[i];
        return PAIMON_OK;
    }
    *out = NULL;
    return pmn_fail(err, PAIMON_UNSUPPORTED, "data files of format \"%s\" are not supported", extension);
}

const pmn_format *pmn_format_sniff(pmn_slice head)
{
    if (head.size >= 4 && (memcmp(head.data, "PAR1", 4) == 0 || memcmp(head.data, "PARE", 4) == 0)) return &pmn_format_parquet;
    if (head.size >= 3 && memcmp(head.data, "ORC", 3) == 0) return &pmn_format_orc;
    if (head.size >= 4 && memcmp(head.data, "Obj\1", 4) == 0) return &pmn_format_avro;
    return NULL;
}

static bool is_compression_suffix(pmn_slice s)
{
    /* What Paimon's text formats append behind the format: "x.csv.gz". */
    static const char *const suffixes[] = { "gz", "bz2", "deflate", "snappy", "lz4", "zst", "zstd" };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (pmn_slice_equal(s, pmn_slice_text(suffixes[i]))) return true;
    }
    return false;
}

pmn_slice pmn_format_extension(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *start = slash ? slash + 1 : name, *end = start + strlen(start);
    while (true) {
        const char *dot = end;
        while (dot > start && dot[-1] != '.') dot--;
        pmn_slice suffix = pmn_slice_of(dot, (size_t)(end - dot));
        if (dot == start) return pmn_slice_of(end, 0); /* no dot at all */
        if (!is_compression_suffix(suffix)) return suffix;
        end = dot - 1;
    }
}
