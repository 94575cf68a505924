// Everything that must hold of a spec before any agent is asked.
#ifndef CREST_PRIME_SPEC_CHECK_H_
#define CREST_PRIME_SPEC_CHECK_H_

#include "crest/v1/spec.pb.h"
#include "prime/spec/complaints.h"

namespace crest {

/// Checks a spec whose defaults are filled in, and writes out its ranges of agents.
void CheckSpec(v1::RunSpec& spec, Complaints& complaints);

}  // namespace crest

#endif  // CREST_PRIME_SPEC_CHECK_H_
