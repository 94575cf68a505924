// The subcommands of crest: each adds itself to the command line and, when it is the one given, sets what is to be
// done.
#ifndef CREST_PRIME_CLI_COMMAND_H_
#define CREST_PRIME_CLI_COMMAND_H_

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "prime/fleet/fleet.h"
#include "prime/run/run.h"
#include "prime/spec/spec.h"

namespace crest {

/// One call of the program.
struct Call {
  std::string command;               // as it was typed, each word quoted where it must be
  std::function<ExitCode()> action;  // of the subcommand given
};

void AddRunCommand(CLI::App& app, Call& call);
void AddCheckCommand(CLI::App& app, Call& call);
void AddAgentsCommand(CLI::App& app, Call& call);
void AddWorkloadsCommand(CLI::App& app, Call& call);
void AddReportCommand(CLI::App& app, Call& call);
void AddOrtCommand(CLI::App& app, Call& call);

/// What several subcommands are asked for.
struct SpecOptions {
  std::string path;
  std::vector<std::string> overrides;  // --set
  std::string agents;                  // --agents
  TlsFiles tls;
  bool quiet = false;
  bool no_color = false;

  /// SPEC, --set and --agents.
  void AddSpec(CLI::App& command, bool required);
  void AddTls(CLI::App& command);
  void AddOutput(CLI::App& command);
  ParsedSpec Read() const;
};

/// The agents of a spec as the fleet dials them.
std::vector<AgentEndpoint> Endpoints(const v1::RunSpec& spec);

/// "a,b[1,2]:7460" → "a", "b[1,2]:7460": commas within brackets belong to a range.
std::vector<std::string> SplitAgents(absl::string_view list);

/// As a shell would take it back: quoted where it must be.
std::string QuoteWord(absl::string_view word);

/// The result of a command goes to standard output, whole; a reader that has gone away is no error.
void PrintResult(absl::string_view text);
/// The message as JSON on standard output; returns `code`.
ExitCode PrintJson(const google::protobuf::Message& message, ExitCode code);
/// Adds --format text|json.
void AddJsonFormat(CLI::App& command, bool& json);
/// "crest: …" on standard error, a line for each line of the message.
void PrintProblem(absl::string_view message);
/// Whether the result on standard output may have colours: a terminal, and neither the flag nor $NO_COLOR against it.
bool StandardOutputHasColour(bool no_color);

/// Prints the error and returns its exit code.
ExitCode Fail(const absl::Status& status);

}  // namespace crest

#endif  // CREST_PRIME_CLI_COMMAND_H_
