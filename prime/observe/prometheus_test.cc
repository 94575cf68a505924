#include "prime/observe/prometheus.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "prime/observe/fake_http_server.h"
#include "prime/observe/http_get.h"

namespace crest {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Answer = FakeHttpServer::Answer;

std::string Matrix(absl::string_view values) {
  return absl::StrCat(
      R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{"job":"filer"},"values":[)", values,
      "]}]}}");
}

std::string TimeAnswer(absl::Time now) {
  const std::string seconds = absl::StrFormat("%.3f", absl::ToDoubleSeconds(now - absl::UnixEpoch()));
  return absl::StrCat(R"({"status":"success","data":{"resultType":"scalar","result":[)", seconds, ",\"", seconds,
                      "\"]}}");
}

// A server whose clock is `skew` ahead and that answers queries over a window by `handler`.
FakeHttpServer::Handler WithClock(FakeHttpServer::Handler handler, absl::Duration skew = {}) {
  return [handler = std::move(handler), skew](const std::string& path) {
    if (absl::StartsWith(path, "/api/v1/query?")) return Answer{.body = TimeAnswer(absl::Now() + skew)};
    return handler(path);
  };
}

const absl::Time kStart = absl::FromUnixMillis(1'700'000'000'250);

v1::ObserveSpec SpecOf(const std::string& url, const std::vector<std::string>& queries) {
  v1::ObserveSpec spec;
  spec.set_prometheus(url);
  for (const std::string& query : queries) {
    v1::ObserveQuery& entry = *spec.add_queries();
    entry.set_name("figure of " + query);
    entry.set_query(query);
  }
  return spec;
}

// The beginning of the window that `path` asks for, in seconds.
double StartOf(const std::string& path) {
  const std::vector<std::string> parts = absl::StrSplit(path, absl::ByAnyChar("&="));
  const auto name = std::find(parts.begin(), parts.end(), "start");
  double seconds = 0;
  EXPECT_TRUE(name != parts.end() && absl::SimpleAtod(*(name + 1), &seconds)) << path;
  return seconds;
}

// The error of the one figure that `answer` makes.
std::string ErrorOf(Answer answer) {
  FakeHttpServer server(WithClock([&](const std::string&) { return answer; }));
  const auto figures = ObserveWindow(SpecOf(server.url(), {"up"}), kStart, kStart + absl::Seconds(3), {});
  EXPECT_THAT(figures, SizeIs(1));
  return figures[0].error();
}

TEST(HttpUrlTest, OnlyWholeHttpUrlsWithoutLoginPass) {
  for (const char* const good :
       {"http://monitor:9090", "https://monitor/prometheus/", "http://[::1]:9090", "HTTP://m"}) {
    EXPECT_TRUE(CheckHttpUrl(good).ok()) << good << CheckHttpUrl(good);
  }
  const auto message = [](const std::string& url) { return std::string(CheckHttpUrl(url).message()); };
  EXPECT_THAT(message("monitor:9090"), HasSubstr("http"));
  EXPECT_THAT(message("ftp://monitor"), HasSubstr("of scheme ftp"));
  EXPECT_THAT(message("file:///etc/passwd"), HasSubstr("of scheme file"));
  EXPECT_THAT(message("http://"), HasSubstr("is no URL"));
  EXPECT_THAT(message("http://monitor:port"), HasSubstr("is no URL"));
  EXPECT_THAT(message(""), HasSubstr("is no URL"));
  EXPECT_THAT(message("http://me:secret@monitor"), HasSubstr("~/.netrc"));
  EXPECT_THAT(message("http://monitor/graph?x=1"), HasSubstr("base URL"));
}

TEST(RangeQueryUrlTest, CoversTheWindowEdgeToEdge) {
  EXPECT_EQ(RangeQueryUrl("http://m:9090/p/", "rate(a{b=\"c\"}[5s])", kStart, kStart + absl::Seconds(3)),
            "http://m:9090/p/api/v1/query_range?query=rate%28a%7Bb%3D%22c%22%7D%5B5s%5D%29&start=1700000000.250"
            "&end=1700000003.250&step=1.000");
  EXPECT_THAT(RangeQueryUrl("http://m", "up", kStart, kStart + absl::Milliseconds(200)),
              HasSubstr("&end=1700000000.450&step=0.200"));
  EXPECT_THAT(RangeQueryUrl("http://m", "up", kStart, kStart + absl::Hours(2)),
              HasSubstr("&end=1700007200.250&step=7.200"));
  EXPECT_THAT(RangeQueryUrl("http://m", "up", kStart, kStart), HasSubstr("&end=1700000000.251&step=0.001"));
}

TEST(TimeAnswerTest, IsTheServersTime) {
  EXPECT_EQ(ReadTimeAnswer(TimeAnswer(kStart)).value_or(absl::InfinitePast()), kStart);
  for (const std::string& strange :
       {Matrix(R"([1,"2"])"), std::string("{}"),
        std::string(R"({"status":"success","data":{"resultType":"scalar","result":[1,"NaN"]}})")}) {
    EXPECT_EQ(ReadTimeAnswer(strange).status().code(), absl::StatusCode::kDataLoss) << strange;
  }
}

TEST(RangeAnswerTest, MeanAndMaxLeaveOutWhatIsNoFigure) {
  const auto figures = ReadRangeAnswer(Matrix(R"([1,"2"],[2,"NaN"],[3,"4.5"],[4,"+Inf"],[5,"-0.5"])"));
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_DOUBLE_EQ(figures->mean, 2);
  EXPECT_DOUBLE_EQ(figures->max, 4.5);
  EXPECT_DOUBLE_EQ(ReadRangeAnswer(Matrix(R"([1,"-3"],[2,"-5"])"))->max, -3);
}

TEST(RangeAnswerTest, WhatGivesNoFigureSaysWhatToDo) {
  const auto message = [](const std::string& body) { return std::string(ReadRangeAnswer(body).status().message()); };
  EXPECT_THAT(message(Matrix(R"([1,"NaN"],[2,"NaN"])")), HasSubstr("only NaN"));
  EXPECT_THAT(message(R"({"status":"success","data":{"resultType":"matrix","result":[]}})"), HasSubstr("no data"));
  EXPECT_THAT(message(R"({"status":"success","data":{"resultType":"matrix","result":[{},{}]}})"),
              AllOf(HasSubstr("2 series"), HasSubstr("sum(")));
  EXPECT_THAT(message(R"({"status":"error","errorType":"bad_data","error":"parse error at char 3"})"),
              AllOf(HasSubstr("parse error at char 3"), HasSubstr("bad_data")));
  EXPECT_THAT(message(Matrix(R"([1,"many"])")), HasSubstr("a sample is no number"));
  EXPECT_THAT(message(Matrix("1")), HasSubstr("a sample is no number"));
  for (const char* const strange :
       {"", "<html>", "[]", "{}", R"({"status":1})", R"({"status":"success"})", R"({"status":"success","data":[]})",
        R"({"status":"success","data":{"resultType":"vector","result":[]}})", R"({"status":"success","data":)"}) {
    EXPECT_THAT(message(strange), HasSubstr("none of Prometheus")) << strange;
  }
}

TEST(ObserveTest, AsksForEachQueryInOrder) {
  FakeHttpServer server(WithClock([](const std::string& path) {
    return Answer{.body = Matrix(absl::StrContains(path, "query=a&") ? R"([1,"1"],[2,"3"])" : R"([1,"10"])")};
  }));
  v1::PointData point;
  point.set_started_at("2023-11-14T22:13:20.250000000Z");
  point.set_warmup_ns(5'000'000'000);
  point.set_measured_ns(10'000'000'000);
  const auto figures = ObservePoint(SpecOf(server.url(), {"a", "b"}), point, {});
  ASSERT_THAT(figures, SizeIs(2));
  EXPECT_EQ(figures[0].name(), "figure of a");
  EXPECT_DOUBLE_EQ(figures[0].mean(), 2);
  EXPECT_DOUBLE_EQ(figures[0].max(), 3);
  EXPECT_THAT(figures[0].error(), IsEmpty());
  EXPECT_DOUBLE_EQ(figures[1].mean(), 10);
  ASSERT_THAT(server.paths(), SizeIs(3));
  EXPECT_EQ(server.paths()[0], "/api/v1/query?query=time%28%29");
  EXPECT_NEAR(StartOf(server.paths()[1]), 1700000005.25, 0.5);
  EXPECT_THAT(server.paths()[1], HasSubstr("/api/v1/query_range?query=a&"));
}

TEST(ObserveTest, TheWindowIsAskedForByTheServersClock) {
  for (const absl::Duration skew : {absl::Hours(-3), absl::Seconds(40)}) {
    FakeHttpServer server(WithClock([](const std::string&) { return Answer{.body = Matrix(R"([1,"7"])")}; }, skew));
    const auto figures = ObserveWindow(SpecOf(server.url(), {"a"}), kStart, kStart + absl::Seconds(3), {});
    EXPECT_EQ(figures[0].mean(), 7);
    EXPECT_NEAR(StartOf(server.paths().back()), absl::ToDoubleSeconds(kStart + skew - absl::UnixEpoch()), 0.5);
  }
}

TEST(ObserveTest, AServerThatDoesNotKnowTheTimeIsNone) {
  FakeHttpServer server([](const std::string&) { return Answer{.body = "<html>"}; });
  const auto figures = ObserveWindow(SpecOf(server.url(), {"a", "b"}), kStart, kStart + absl::Seconds(3), {});
  ASSERT_THAT(figures, SizeIs(2));
  for (const v1::ObservedFigure& figure : figures) EXPECT_THAT(figure.error(), HasSubstr("none of Prometheus"));
  EXPECT_THAT(server.paths(), SizeIs(1));
}

TEST(ObserveTest, AFigureThatFailsCarriesItsErrorAlone) {
  FakeHttpServer server(WithClock([](const std::string& path) {
    if (absl::StrContains(path, "bad")) {
      return Answer{.code = 400, .body = R"({"status":"error","errorType":"bad_data","error":"unclosed brace"})"};
    }
    return Answer{.body = Matrix(R"([1,"7"])")};
  }));
  const auto figures = ObserveWindow(SpecOf(server.url(), {"bad", "good"}), kStart, kStart + absl::Seconds(3), {});
  EXPECT_THAT(figures[0].error(), HasSubstr("unclosed brace"));
  EXPECT_THAT(figures[1].error(), IsEmpty());
  EXPECT_DOUBLE_EQ(figures[1].mean(), 7);
}

TEST(ObserveTest, EveryBadAnswerBecomesAnError) {
  EXPECT_THAT(ErrorOf({.body = "{\"status\":"}), HasSubstr("it is no JSON"));
  EXPECT_THAT(ErrorOf({.code = 500, .body = "oops"}), HasSubstr("HTTP 500"));
  EXPECT_THAT(ErrorOf({.code = 500, .body = Matrix(R"([1,"7"])")}), HasSubstr("HTTP 500"));
  EXPECT_THAT(ErrorOf({.code = 302, .body = ""}), HasSubstr("HTTP 302"));
  EXPECT_THAT(ErrorOf({.code = 401, .body = ""}), HasSubstr("~/.netrc"));
  EXPECT_THAT(ErrorOf({.body = std::string(9 << 20, ' ')}), HasSubstr("larger than"));
  const std::string endless =
      ErrorOf({.code = 400, .body = absl::StrCat(R"({"status":"error","error":")", std::string(5000, 'x'), "\"}")});
  EXPECT_LT(endless.size(), 320u);
}

TEST(ObserveTest, ASilentServerCostsTheTimeOutOnce) {
  FakeHttpServer server(WithClock([](const std::string&) { return Answer{.silent = true}; }));
  const absl::Time before = absl::Now();
  const auto figures = ObserveWindow(SpecOf(server.url(), {"a", "b", "c"}), kStart, kStart + absl::Seconds(3),
                                     {.timeout = absl::Milliseconds(300)});
  EXPECT_LT(absl::Now() - before, absl::Seconds(3));
  ASSERT_THAT(figures, SizeIs(3));
  for (const v1::ObservedFigure& figure : figures) EXPECT_THAT(figure.error(), HasSubstr("no answer"));
  EXPECT_THAT(server.paths(), SizeIs(2));
}

TEST(ObserveTest, NobodyThereIsToldAtOnce) {
  std::string url;
  {
    const FakeHttpServer gone([](const std::string&) { return Answer{}; });
    url = gone.url();
  }
  const auto figures = ObserveWindow(SpecOf(url, {"a", "b"}), kStart, kStart + absl::Seconds(3), {});
  EXPECT_THAT(figures[0].error(), HasSubstr("onnect"));
  EXPECT_EQ(figures[1].error(), figures[0].error());
}

TEST(ObserveTest, AnInterruptEndsTheAsking) {
  FakeHttpServer server([](const std::string&) { return Answer{.silent = true}; });
  const absl::Time before = absl::Now();
  const auto figures = ObserveWindow(SpecOf(server.url(), {"a", "b"}), kStart, kStart + absl::Seconds(3),
                                     {.timeout = absl::Seconds(60), .cancelled = [] { return true; }});
  EXPECT_LT(absl::Now() - before, absl::Seconds(10));
  EXPECT_EQ(figures[1].error(), "interrupted");
}

}  // namespace
}  // namespace crest
