// What is wrong is told in words, with the right exit code, and leaves nothing on the server and no run folder.
#include <sys/mount.h>

#include "tests/run/run_fixture.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kWrongCall = 2;
constexpr int kLost = 3;

// A tmpfs of its own, with `bytes` in all.
class SmallFileSystem {
 public:
  explicit SmallFileSystem(int64_t bytes) {
    mounted_ = mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, absl::StrCat("size=", bytes).c_str()) == 0;
  }
  ~SmallFileSystem() {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;

  bool mounted() const { return mounted_; }
  const std::string& path() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_;
  bool mounted_ = false;
};

class BadInput : public RunFixture {
 protected:
  // Runs `spec` and expects that it is refused with `code` and all of `words`, and that nothing is left of it.
  void ExpectRefused(const std::string& spec, int code, const std::vector<std::string>& words,
                     const std::vector<std::string>& arguments = {}) {
    const auto before = server_ == nullptr ? Files() : Listing(server_->directory());
    const Ended run = Crest(spec, arguments);
    EXPECT_EQ(run.exit_code, code) << run.err;
    for (const std::string& word : words) EXPECT_THAT(run.err, HasSubstr(word));
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_EQ(server_ == nullptr ? Files() : Listing(server_->directory()), before);
    EXPECT_FALSE(std::filesystem::exists(runs())) << "a run folder is left";
  }

  using Files = std::map<std::string, std::string>;

  SpecText Good() const { return {.target = server_->Url()}; }

  SpecText WithLoad(const std::string& load) const {
    SpecText text = Good();
    text.load = load;
    return text;
  }

  SpecText WithWorkload(const std::string& workload) const {
    SpecText text = Good();
    text.workload = workload;
    return text;
  }

  std::string UrlOf(const std::string& path) const {
    return absl::StrCat("nfs://127.0.0.1", path, "?nfsport=", server_->nfs_port(),
                        "&mountport=", server_->mount_port());
  }
};

TEST_F(BadInput, ExportThatDoesNotExist) {
  StartServer();
  const std::string spec = WriteSpec({.target = UrlOf("/no/such export")});
  ExpectRefused(spec, kLost, {"/no/such export", "does not exist", "exports " + server_->directory(), "127.0.0.1"});
}

TEST_F(BadInput, ReadOnlyExport) {
  StartServer({.read_only = true});
  ExpectRefused(WriteSpec(Good()), kLost, {server_->directory(), "read-only", "127.0.0.1"});
}

TEST_F(BadInput, ExportThatIsTooSmall) {
  const SmallFileSystem small(2 << 20);
  ASSERT_TRUE(small.mounted());
  StartServer({.export_directory = small.path()});
  ExpectRefused(WriteSpec(Good()), kLost, {"MiB free", "needs", "bytes_per_op_rate"});
}

TEST_F(BadInput, ServerThatIsNotThere) {
  const uint16_t port = FreePort();
  const std::string spec = WriteSpec({.target = absl::StrCat("nfs://127.0.0.1/x?nfsport=", port, "&mountport=", port)});
  const std::string target = absl::StrCat("error: this host: target nfs://127.0.0.1/x?nfsport=", port);
  ExpectRefused(spec, kLost, {target, absl::StrCat("port ", port, ": Connection refused; check that the server runs")});
}

TEST_F(BadInput, AgentThatCannotBeReached) {
  StartServer();
  SpecText text = Good();
  const std::string nobody = absl::StrCat("127.0.0.1:", FreePort());
  text.agents = {nobody};
  ExpectRefused(WriteSpec(text), kLost, {nobody, "nothing listens there", "start crest-agent"});
}

TEST_F(BadInput, AgentThatMayNotUseTheTarget) {
  StartServer();
  SpecText text = Good();
  const std::string agent = StartAgent({});
  text.agents = {agent};
  ExpectRefused(WriteSpec(text), kLost, {agent, server_->Url(), "without --allow", "start crest-agent with"});
}

TEST_F(BadInput, AgentThatAnotherPrimeHas) {
  StartServer();
  const std::string agent = StartAgent({server_->Url()});
  SpecText first = Good();
  first.name = "first";
  first.agents = {agent};
  first.load = "{plan: steps, rates: [50], warmup: 1s, measure: 30s, streams: 4}";
  TemporaryDirectory elsewhere;
  Program holder({CrestProgram(), "run", WriteSpec(first), "--out", elsewhere.path()}, folder_.path());
  ASSERT_TRUE(holder.WaitForText("point 1 of 1", absl::Seconds(60))) << holder.err();

  SpecText second = Good();
  second.agents = {agent};
  const Ended run = Crest(WriteSpec(second));
  EXPECT_EQ(run.exit_code, kLost) << run.err;
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  EXPECT_THAT(run.err, AllOf(HasSubstr(agent), HasSubstr(absl::StrCat("root@", host)), HasSubstr("has held it for")));
  EXPECT_FALSE(std::filesystem::exists(runs()));
  // The one that has it is not disturbed.
  EXPECT_TRUE(holder.WaitForText("measuring", absl::Seconds(20))) << holder.err();
  holder.Signal(SIGINT);
  EXPECT_EQ(holder.Wait().exit_code, 4);
}

TEST_F(BadInput, SpecThatIsNotYaml) {
  StartServer();
  SpecText text = Good();
  text.load = "{plan: steps, rates: [100]";
  ExpectRefused(WriteSpec(text), kWrongCall, {"run.yaml:4:", "wrong YAML", "brackets"});
}

TEST_F(BadInput, UnknownKeyAndWrongUnit) {
  StartServer();
  const std::string spec = WriteSpec(WithLoad("{plan: steps, rats: [100], warmup: 1 parsec, measure: 2s, streams: 4}"));
  ExpectRefused(spec, kWrongCall, {"run.yaml:4:", "rats", "rates", "parsec"});
}

TEST_F(BadInput, PeakOfZero) {
  StartServer();
  const std::string spec = WriteSpec(WithLoad("{plan: curve, points: 3, peak: 0, warmup: 1s, measure: 2s}"));
  ExpectRefused(spec, kWrongCall, {"run.yaml:4:", "peak"});
}

TEST_F(BadInput, LimitBelowZero) {
  StartServer();
  SpecText text = Good();
  text.more = "limit: {mean: -5ms}";
  ExpectRefused(WriteSpec(text), kWrongCall, {"run.yaml:5:", "mean"});
}

TEST_F(BadInput, SharesThatDoNotAddUp) {
  StartServer();
  const std::string spec = WriteSpec(WithWorkload("{profile: sfs2008-nfs, mix: {GETATTR: 50%, LOOKUP: 49%}}"));
  ExpectRefused(spec, kWrongCall, {"run.yaml:3:", "99"});
}

TEST_F(BadInput, MixThatNoEngineCanDo) {
  StartServer();
  ExpectRefused(WriteSpec(WithWorkload("{profile: sfs2008-nfs, mix: {GETATTR: 50%, RENAME: 50%}}")), kWrongCall,
                {"run.yaml:3:", "RENAME", "known here", "getattr"});
  ExpectRefused(WriteSpec(WithWorkload("{profile: sfs2008-nfs, mix: {GETATTR: 50%, MKDIR: 50%}}")), kWrongCall,
                {"run.yaml:3:", "MKDIR", "cannot be measured", "take it out of the mix"});
}

TEST_F(BadInput, SpecFileThatIsNotThere) {
  ExpectRefused(folder_.path() + "/none.yaml", kWrongCall, {"none.yaml", "No such file"});
}

TEST_F(BadInput, FolderForRunsThatCannotBeMade) {
  StartServer();
  const auto before = Listing(server_->directory());
  const Ended run = RunProgram({CrestProgram(), "run", WriteSpec(Good()), "--out", "/proc/none"}, folder_.path());
  EXPECT_EQ(run.exit_code, kWrongCall) << run.err;
  EXPECT_THAT(run.err, HasSubstr("/proc/none"));
  EXPECT_EQ(Listing(server_->directory()), before);
}

}  // namespace
}  // namespace crest
