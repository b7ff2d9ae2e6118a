/** Signals that ask the process to end: a command that makes files may want to take them away first. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/** From now on SIGINT, SIGTERM and SIGHUP are remembered, and calls that wait come back with EINTR. Those that are ignored stay so; a
 *  second signal ends the process at once. */
void cli_interrupt_catch(void);
/** Was there one? Work that must not be cut short looks no more. */
bool cli_interrupted(void);
/** If there was one, end by it now, as whoever sent it expects. */
void cli_interrupt_end(void);

#endif
