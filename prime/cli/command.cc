#include "prime/cli/command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "results/run_store.h"

namespace crest {

void SpecOptions::AddSpec(CLI::App& command, bool required) {
  command.add_option("SPEC", path, "What to run, in YAML; - reads standard input")->required(required);
  command.add_option("--set", overrides, "Replace one value of the spec, as in load.peak=5000; may be given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_option("--agents", agents, "Replace the spec's agents, as in client[01-08]:7460,other")
      ->type_name("LIST");
}

void SpecOptions::AddTls(CLI::App& command) {
  const std::string group = "TLS (also from $CREST_TLS_DIR: client.crt, client.key, ca.crt)";
  command.add_option("--tls-cert", tls.cert, "Certificate that agents know this prime by")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--tls-key", tls.key, "Its private key")->type_name("FILE")->group(group);
  command.add_option("--tls-ca", tls.ca, "Authority that signed the agents' certificates")
      ->type_name("FILE")
      ->group(group);
}

void SpecOptions::AddOutput(CLI::App& command) {
  command.add_flag("--quiet,-q", quiet, "No progress on standard error");
  command.add_flag("--no-color", no_color, "No colours; $NO_COLOR does the same");
}

ParsedSpec SpecOptions::Read() const {
  std::vector<std::string> all = overrides;
  if (!agents.empty()) {
    std::vector<std::string> quoted;
    for (const std::string& agent : SplitAgents(agents)) {
      quoted.push_back(absl::StrCat("'", absl::StrReplaceAll(agent, {{"'", "''"}}), "'"));
    }
    all.push_back(absl::StrCat("agents=[", absl::StrJoin(quoted, ", "), "]"));
  }
  return ReadSpecFile(path, all);
}

std::vector<AgentEndpoint> Endpoints(const v1::RunSpec& spec) {
  std::vector<AgentEndpoint> endpoints;
  for (const v1::AgentSpec& agent : spec.agents()) endpoints.push_back({agent.address(), "", agent.observer()});
  return endpoints;
}

std::vector<std::string> SplitAgents(absl::string_view list) {
  std::vector<std::string> agents(1);
  int depth = 0;
  for (const char c : list) {
    if (c == '[') ++depth;
    if (c == ']') --depth;
    if (c == ',' && depth <= 0) {
      agents.emplace_back();
    } else {
      agents.back() += c;
    }
  }
  for (std::string& agent : agents) absl::StripAsciiWhitespace(&agent);
  return agents;
}

std::string QuoteWord(absl::string_view word) {
  bool plain = !word.empty();
  for (const char c : word) plain = plain && (absl::ascii_isalnum(c) || absl::StrContains("_-./:=,+@%[]", c));
  if (plain && !absl::StrContains(word, "[")) return std::string(word);
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

void PrintResult(absl::string_view text) {
  errno = 0;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  if (std::ferror(stdout) == 0) return;
  if (errno == EPIPE) {
    std::clearerr(stdout);
  } else {
    PrintProblem(absl::StrCat("standard output: ", std::strerror(errno)));
  }
}

void PrintProblem(absl::string_view message) {
  for (const absl::string_view line : absl::StrSplit(message, '\n')) {
    const std::string text = absl::StrCat("crest: ", line, "\n");
    std::fwrite(text.data(), 1, text.size(), stderr);
  }
}

bool StandardOutputHasColour(bool no_color) {
  const char* const unwanted = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || absl::string_view(terminal) == "dumb";
  return !no_color && (unwanted == nullptr || *unwanted == '\0') && !dumb && isatty(STDOUT_FILENO) == 1;
}

ExitCode PrintJson(const google::protobuf::Message& message, ExitCode code) {
  const absl::StatusOr<std::string> json = ToJson(message);
  if (!json.ok()) return Fail(json.status());
  PrintResult(absl::StrCat(*json, json->empty() || json->back() != '\n' ? "\n" : ""));
  return code;
}

void AddJsonFormat(CLI::App& command, bool& json) { AddFormat(command, json, {{"text", false}, {"json", true}}); }

ExitCode RefuseSpec(const ParsedSpec& parsed) {
  for (const SpecError& error : parsed.errors) {
    const std::string line = error.ToString() + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
  return kExitWrongCall;
}

ExitCode Fail(const absl::Status& status) {
  PrintProblem(absl::string_view(status.message()));
  return ExitCodeOf(status);
}

}  // namespace crest
