/* From levels to what Arrow wants: which slots a node has, which of them are null, where lists begin. 64 levels at a time: comparisons give
 * masks, masks are packed and counted. Level arrays have 64 readable bytes behind them. */
#ifndef PMN_FORMAT_PARQUET_MARKS_H
#define PMN_FORMAT_PARQUET_MARKS_H

#include <stdbool.h>
#include <stdint.h>

/* Slots are pairs with def ≥ slot_def and rep ≤ slot_rep (`reps` NULL: all); a slot is valid if def ≥ value_def. Validity goes to `bits`, room
 * for n + 64 bits. Returns the number of slots. */
int64_t pmn_parquet_mark_slots(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int value_def, uint64_t *bits,
                               int64_t *n_valid);
/* Elements are pairs with def ≥ element_def and rep ≤ element_rep; offsets[i] counts those before slot i, offsets[n_slots] all. False if there
 * are not `n_slots` slots. */
bool pmn_parquet_mark_lists(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int element_def, int element_rep,
                            int64_t n_slots, int32_t *offsets);

/* The judges: one pair at a time. */
int64_t pmn_parquet_mark_slots_plain(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int value_def, uint64_t *bits,
                                     int64_t *n_valid);
bool pmn_parquet_mark_lists_plain(const uint8_t *defs, const uint8_t *reps, int64_t n, int slot_def, int slot_rep, int element_def, int element_rep,
                                  int64_t n_slots, int32_t *offsets);

/* How many of `n` levels equal `level`. */
int64_t pmn_parquet_count_level(const uint8_t *levels, int64_t n, int level);

#endif
