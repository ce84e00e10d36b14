/* What clang's analyser has to be told, since it looks at one file at a time: a failure is not SST_OK. */
#ifndef SST_LINT_ANALYZER_HINTS_H
#define SST_LINT_ANALYZER_HINTS_H

#include "core/status.h"

#define sst_fail(err, code, ...) ((void)sst_fail(err, code, __VA_ARGS__), (code))

#endif
