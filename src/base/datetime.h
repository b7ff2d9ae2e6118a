/* Days, civil dates and their text: proleptic Gregorian, as java.time. */
#ifndef PMN_BASE_DATETIME_H
#define PMN_BASE_DATETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define PMN_DATETIME_TEXT_MAX 48

typedef struct pmn_civil {
    int64_t year;
    int month; /* 1 … 12 */
    int day;   /* 1 … 31 */
} pmn_civil;

int64_t pmn_days_from_civil(int64_t year, int month, int day);
pmn_civil pmn_civil_from_days(int64_t days);

/* "YYYY-MM-DD"; a year past 9999 or below 0 gets a sign, as ISO 8601. Returns the length. */
size_t pmn_date_print(int64_t days, char out[PMN_DATETIME_TEXT_MAX]);
/* "HH:MM:SS" and, if not zero, '.' and up to 9 digits without trailing zeros. */
size_t pmn_time_print(int64_t nanos_of_day, char out[PMN_DATETIME_TEXT_MAX]);
/* Date, `separator`, time as above, from floor seconds since 1970 and nanoseconds of the second. */
size_t pmn_timestamp_print(int64_t seconds, int32_t nanos, char separator, char out[PMN_DATETIME_TEXT_MAX]);

/* Strict ISO forms; false if the text is not wholly one. A date may carry a sign and more than 4 year digits. */
bool pmn_date_parse(pmn_slice text, int64_t *days);
bool pmn_time_parse(pmn_slice text, int64_t *nanos_of_day); /* HH:MM[:SS[.f…9]] */
/* Date alone, or date, 'T' or blank, time; an optional 'Z' or ±HH[:MM] offset, told in `has_zone` and applied. */
bool pmn_timestamp_parse(pmn_slice text, int64_t *seconds, int32_t *nanos, bool *has_zone);

#endif
