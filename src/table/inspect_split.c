/* A file with one serialized split in it: as DataSplit wrote it, in the outer form, or within a stream of Java objects. */
#include "meta/split.h"
#include "table/inspection.h"
#include "wire/json.h"
#include "wire/split.h"

static paimon_status read_split_file(pmn_inspection *in, paimon_plan **plan, paimon_error *err)
{
    bool is_object = false;
    pmn_buf object;
    PMN_TRY(pmn_inspection_read(in, err));
    pmn_buf_init(&object, in->mem, PMN_BUF_NO_CEILING);
    paimon_status status = pmn_java_object_unwrap(pmn_inspection_bytes(in), &is_object, &object, err);
    if (status == PAIMON_OK)
        status = pmn_split_read(in->mem, is_object ? pmn_slice_of(object.data, object.size) : pmn_inspection_bytes(in), plan, err);
    pmn_buf_free(&object);
    if (status != PAIMON_OK) pmn_error_prefix(err, "%s", in->path);
    return status;
}

paimon_status pmn_inspect_split(pmn_inspection *in, paimon_error *err)
{
    paimon_plan *plan = NULL;
    PMN_TRY(read_split_file(in, &plan, err));
    paimon_status status = pmn_json_put_split(&in->out, &plan->splits[0], err);
    pmn_plan_release(plan);
    return status;
}

paimon_status pmn_rewrite_split(pmn_inspection *in, paimon_error *err)
{
    paimon_plan *plan = NULL;
    PMN_TRY(read_split_file(in, &plan, err));
    const paimon_split *split = &plan->splits[0];
    paimon_status status = pmn_split_write(split, in->version ? in->version : PMN_SPLIT_VERSION, pmn_split_more_of(split)->enveloped, &in->out, err);
    pmn_plan_release(plan);
    return status;
}
