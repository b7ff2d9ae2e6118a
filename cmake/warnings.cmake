add_library(paimon_warnings INTERFACE)
target_compile_options(paimon_warnings INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${PAIMON_WERROR}>:-Werror>)
