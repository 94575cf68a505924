#include "base/version.h"

namespace crest {

const char kVersion[] = CREST_VERSION;

}  // namespace crest
