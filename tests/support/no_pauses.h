/* Pauses take no time in a program that includes this: what it runs thousands of times with a failure in a new place may wait each time for a
 * disk or a rival that gets well again, which none does here. The passes and attempts between the pauses are all made. */
#ifndef TESTS_SUPPORT_NO_PAUSES_H
#define TESTS_SUPPORT_NO_PAUSES_H

#include <time.h>

int nanosleep(const struct timespec *pause, struct timespec *left)
{
    (void)pause;
    (void)left;
    return 0;
}

#endif
