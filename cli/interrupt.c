#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void remember_signal(int number) { caught = number; }

void cli_interrupt_catch(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction action = { .sa_handler = remember_signal, .sa_flags = (int)SA_RESETHAND }, old;
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN) {
            continue;
        }
        sigemptyset(&action.sa_mask);
        sigaction(numbers[i], &action, NULL);
    }
}

bool cli_interrupted(void) { return caught != 0; }

void cli_interrupt_end(void)
{
    if (caught != 0) {
        signal(caught, SIG_DFL);
        raise(caught);
    }
}
