/* Splits from elsewhere, in every form. What is read must be shown and written; what was written must be read and written the same. */
#include <stdlib.h>
#include <string.h>

#include "paimon-c/split.h"
#include "wire/split.h"

static void check(int ok)
{
    if (!ok) abort();
}

static void write_split(pmn_mem *mem, paimon_plan *plan, int32_t version, pmn_buf *out)
{
    const paimon_split *split = &plan->splits[0];
    pmn_buf_init(out, mem, PMN_BUF_NO_CEILING);
    check(pmn_split_write(split, version, pmn_split_more_of(split)->enveloped, out, NULL) == PAIMON_OK);
    pmn_plan_release(plan);
}

static void write_twice(pmn_mem *mem, paimon_plan *plan, int32_t version)
{
    pmn_buf first, second;
    paimon_plan *again = NULL;
    write_split(mem, pmn_plan_retain(plan), version, &first);
    check(pmn_split_read(mem, pmn_slice_of(first.data, first.size), &again, NULL) == PAIMON_OK);
    write_split(mem, again, version, &second);
    check(first.size == second.size && memcmp(first.data, second.data, first.size) == 0);
    pmn_buf_free(&first);
    pmn_buf_free(&second);
}

static void use_split(pmn_mem *mem, pmn_slice bytes)
{
    paimon_plan *plan = NULL;
    char *json = NULL;
    if (pmn_split_read(mem, bytes, &plan, NULL) != PAIMON_OK) return;
    check(paimon_split_json(&plan->splits[0], &json, NULL) == PAIMON_OK);
    paimon_string_free(json);
    write_twice(mem, plan, 8);
    write_twice(mem, plan, 9);
    pmn_plan_release(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pmn_mem *mem = pmn_mem_new(NULL, 256 << 20);
    pmn_buf object;
    bool is_object = false;
    use_split(mem, pmn_slice_of(data, size));
    pmn_buf_init(&object, mem, PMN_BUF_NO_CEILING);
    if (pmn_java_object_unwrap(pmn_slice_of(data, size), &is_object, &object, NULL) == PAIMON_OK && is_object)
        use_split(mem, pmn_slice_of(object.data, object.size));
    pmn_buf_free(&object);
    check(pmn_mem_current(mem) == 0);
    pmn_mem_release(mem);
    return 0;
}
