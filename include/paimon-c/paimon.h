/** Everything: include this one header. */
#ifndef PAIMON_C_PAIMON_H
#define PAIMON_C_PAIMON_H

#include "paimon-c/arrow_abi.h"
#include "paimon-c/catalog.h"
#include "paimon-c/commit.h"
#include "paimon-c/env.h"
#include "paimon-c/format.h"
#include "paimon-c/fs.h"
#include "paimon-c/inspect.h"
#include "paimon-c/message.h"
#include "paimon-c/predicate.h"
#include "paimon-c/progress.h"
#include "paimon-c/read.h"
#include "paimon-c/scan.h"
#include "paimon-c/split.h"
#include "paimon-c/status.h"
#include "paimon-c/table.h"
#include "paimon-c/version.h"
#include "paimon-c/versions.h"
#include "paimon-c/write.h"

#endif
