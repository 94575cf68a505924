#include "agent/engine/engine.h"

namespace crest {

absl::string_view Engine::ErrorName(Outcome outcome) const {
  switch (outcome) {
    case kOk:
      return "OK";
    case kTimedOut:
      return "TIMEOUT";
    case kConnectionLost:
      return "CONNECTION_LOST";
    case kNotFound:
      return "NOT_FOUND";
    case kAlreadyExists:
      return "ALREADY_EXISTS";
    case kNoSpace:
      return "NO_SPACE";
    case kReadOnly:
      return "READ_ONLY";
    case kPermissionDenied:
      return "PERMISSION_DENIED";
    case kShortTransfer:
      return "SHORT_TRANSFER";
    default:
      return "UNKNOWN_ERROR";
  }
}

}  // namespace crest
