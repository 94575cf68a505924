#include "prime/view/progress_view.h"

#include "base/units.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// What a terminal shows after a stream of text: carriage returns and "erase to the end of the line" obeyed.
std::vector<std::string> Screen(const std::string& text) {
  std::vector<std::string> lines(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 4, "\r\x1b[K") == 0) {
      lines.back().clear();
      i += 3;
    } else if (text[i] == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += text[i];
    }
  }
  return lines;
}

class ProgressViewTest : public ::testing::Test {
 protected:
  ProgressView MakeView(ViewOptions options) {
    return ProgressView([this](absl::string_view text) { out_.append(text.data(), text.size()); }, &clock_, options);
  }
  static ViewOptions Terminal(int width) {
    ViewOptions options;
    options.terminal = true;
    options.width = [width] { return width; };
    return options;
  }

  SimulatedClock clock_;
  std::string out_;
};

PointFigures Figures() {
  return {.elapsed_seconds = 100,
          .measured = true,
          .ops_per_sec = 998,
          .mean_response_ms = 3.256,
          .mean_service_ms = 2.1,
          .error_count = 2};
}

v1::LoadPoint JudgedPoint(bool valid) {
  v1::LoadPoint point;
  point.set_index(1);
  point.set_requested_ops_per_sec(1000);
  point.set_achieved_ops_per_sec(998);
  point.set_mean_response_ms(3.256);
  point.set_mean_service_ms(2.1);
  point.set_error_count(7);
  point.set_valid(valid);
  point.set_within_limit(valid);
  if (!valid) {
    v1::Finding& finding = *point.add_findings();
    finding.set_code("achieved_below_requested");
    finding.set_severity(v1::INVALID);
  }
  return point;
}

TEST_F(ProgressViewTest, TerminalShowsOneRedrawnLine) {
  ProgressView view = MakeView(Terminal(200));
  view.Phase("connecting to 2 agents");
  view.Phase("building file set", "3.1 of 4.0 GiB");
  EXPECT_EQ(Screen(out_), std::vector<std::string>{"building file set 3.1 of 4.0 GiB"});
}

TEST_F(ProgressViewTest, LineNeverFillsTheWidth) {
  ProgressView view = MakeView(Terminal(30));
  view.Phase("§§§§§§§§§§ 0123456789 0123456789");
  EXPECT_EQ(Screen(out_).back(), "§§§§§§§§§§ 0123456789 0123456");
}

TEST_F(ProgressViewTest, PointShowsFiguresAndTimeLeftOfTheWholeRun) {
  ProgressView view = MakeView(Terminal(300));
  view.BeginPoint(2, 10, 1000, absl::Seconds(60), absl::Seconds(240));
  view.Interval(Figures());
  view.Interval(Figures());
  const std::string line = Screen(out_).back();
  EXPECT_THAT(line, StartsWith("point 2 of 10 measuring: "));
  EXPECT_THAT(line, HasSubstr("response 3.26 ms, service 2.10 ms, errors 4, "));
  // 200 s of this point and eight points of 300 s.
  EXPECT_THAT(line, EndsWith(crest::FormatDuration(absl::Seconds(2600)) + " left"));
}

TEST_F(ProgressViewTest, TimeLeftIsOfThePointWhereThePlanIsOpen) {
  ProgressView view = MakeView(Terminal(300));
  view.BeginPoint(2, 0, 1000, absl::Seconds(60), absl::Seconds(240));
  view.Interval(Figures());
  EXPECT_THAT(Screen(out_).back(), StartsWith("point 2 measuring: "));
  EXPECT_THAT(Screen(out_).back(), EndsWith(crest::FormatDuration(absl::Seconds(200)) + " left"));
}

TEST_F(ProgressViewTest, TableGrowsAboveTheRedrawnLine) {
  ProgressView view = MakeView(Terminal(120));
  view.Phase("comparing clocks");
  view.EndPoint(JudgedPoint(true));
  view.EndPoint(JudgedPoint(false));
  const std::vector<std::string> screen = Screen(out_);
  ASSERT_EQ(screen.size(), 4u);
  EXPECT_THAT(screen[0], StartsWith("point "));
  EXPECT_THAT(screen[1], EndsWith("yes"));
  EXPECT_THAT(screen[2], EndsWith("no: achieved_below_requested (over the limit)"));
  EXPECT_EQ(screen[3], "comparing clocks");
}

TEST_F(ProgressViewTest, DestructorLeavesACleanLine) {
  MakeView(Terminal(80)).Phase("connecting");
  EXPECT_EQ(Screen(out_), std::vector<std::string>{""});
}

TEST_F(ProgressViewTest, PlainOutputIsThinnedWithinAStep) {
  ViewOptions options;
  options.plain_interval = absl::Seconds(5);
  ProgressView view = MakeView(options);
  view.Phase("building file set", "1 of 4 GiB");
  clock_.AdvanceTo(clock_.Now() + absl::Seconds(4));
  view.Phase("building file set", "2 of 4 GiB");  // too soon
  clock_.AdvanceTo(clock_.Now() + absl::Seconds(1));
  view.Phase("building file set", "3 of 4 GiB");
  view.Phase("comparing clocks");  // another step
  EXPECT_EQ(out_, "building file set 1 of 4 GiB\nbuilding file set 3 of 4 GiB\ncomparing clocks\n");
}

TEST_F(ProgressViewTest, NoEscapesWithoutTerminalAndColour) {
  ProgressView view = MakeView({});
  view.BeginPoint(1, 1, 1000, absl::Seconds(1), absl::Seconds(1));
  view.Interval(Figures());
  view.EndPoint(JudgedPoint(false));
  view.Problem("client7: gone\n");
  EXPECT_THAT(out_, Not(HasSubstr("\x1b")));
  EXPECT_THAT(out_, EndsWith("error: client7: gone\n"));
}

TEST_F(ProgressViewTest, ColourMarksWhatIsWrong) {
  ViewOptions options;
  options.colour = true;
  ProgressView view = MakeView(options);
  view.EndPoint(JudgedPoint(true));
  EXPECT_THAT(out_, Not(HasSubstr("\x1b")));
  view.EndPoint(JudgedPoint(false));
  EXPECT_THAT(out_, HasSubstr("\x1b[31m"));
}

TEST_F(ProgressViewTest, QuietKeepsMessagesAlone) {
  ViewOptions options;
  options.quiet = true;
  ProgressView view = MakeView(options);
  view.Phase("connecting");
  view.BeginPoint(1, 1, 1000, absl::Seconds(1), absl::Seconds(1));
  view.Interval(Figures());
  view.EndPoint(JudgedPoint(true));
  EXPECT_EQ(out_, "");
  view.Message("stopping");
  EXPECT_EQ(out_, "stopping\n");
}

}  // namespace
}  // namespace crest
