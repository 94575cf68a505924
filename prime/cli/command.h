// The subcommands of crest: each adds itself to the command line and, when it is the one given, sets what is to be
// done.
#ifndef CREST_PRIME_CLI_COMMAND_H_
#define CREST_PRIME_CLI_COMMAND_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

/// The result of a command goes to standard output, whole. A reader that has gone away is no error; any other failure
/// is told and leaves ferror(stdout) set.
void PrintResult(absl::string_view text);
/// The message as JSON on standard output; returns `code`.
ExitCode PrintJson(const google::protobuf::Message& message, ExitCode code);

/// A word of a flag and what it stands for.
template <typename Value>
using Choices = std::vector<std::pair<std::string, Value>>;

/// Adds --format, one of `choices`, which sets `format`.
template <typename Value>
void AddFormat(CLI::App& command, Value& format, const Choices<Value>& choices) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  const std::string known = absl::StrJoin(words, ", ");
  const auto set = [&format, choices, known](const std::string& given) {
    for (const auto& [word, value] : choices) {
      if (word != given) continue;
      format = value;
      return;
    }
    throw CLI::ValidationError("--format", absl::StrCat("'", given, "' is not one of ", known));
  };
  command.add_option_function<std::string>("--format", set, absl::StrCat("Of standard output: ", known))
      ->type_name("FORMAT");
}
/// text (false) or json (true).
void AddJsonFormat(CLI::App& command, bool& json);

/// "crest: …" on standard error, a line for each line of the message.
void PrintProblem(absl::string_view message);
/// Whether the result on standard output may have colours: a terminal, and neither the flag nor $NO_COLOR against it.
bool StandardOutputHasColour(bool no_color);

/// The errors of a spec, as editors find them: each line begins with file:line:column. Returns the exit code.
ExitCode RefuseSpec(const ParsedSpec& parsed);
/// Prints the error and returns its exit code.
ExitCode Fail(const absl::Status& status);

}  // namespace crest

#endif  // CREST_PRIME_CLI_COMMAND_H_
