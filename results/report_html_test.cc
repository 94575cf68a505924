#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "results/html.h"
#include "results/report.h"

namespace crest {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kHostile[] = "</script><script>alert(1)</script><img src=x onerror='a()'>\"&\u2028&lt;";

// Every string of the result is hostile, so whichever place forgets to escape shows.
void FillStrings(google::protobuf::Message* message) {
  const auto* reflection = message->GetReflection();
  const auto* descriptor = message->GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const auto* field = descriptor->field(i);
    if (descriptor->full_name() == "google.protobuf.Struct" || field->is_map()) continue;
    if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING) {
      if (field->is_repeated()) {
        reflection->AddString(message, field, kHostile);
      } else {
        reflection->SetString(message, field, kHostile);
      }
    } else if (field->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE &&
               field->message_type()->file()->package() == "crest.v1") {
      FillStrings(field->is_repeated() ? reflection->AddMessage(message, field)
                                       : reflection->MutableMessage(message, field));
    }
  }
}

v1::RunResult SmallResult() {
  v1::RunResult result;
  result.set_name("filer");
  result.set_status(v1::COMPLETE);
  v1::Summary* summary = result.mutable_summary();
  summary->set_peak_ops_per_sec(12345.6);
  summary->set_overall_response_time_ms(1.25);
  summary->set_ort_rule("sfs2008");
  summary->set_limit_ms(20);
  summary->set_valid(true);
  summary->set_peak_point(1);
  summary->set_limit_reached(true);
  summary->set_response_time("sent");
  v1::LoadPoint* point = result.add_points();
  point->set_index(1);
  point->set_requested_ops_per_sec(12346);
  point->set_achieved_ops_per_sec(12345.6);
  point->set_mean_response_ms(3.14159);
  point->set_p50_ms(2.5);
  point->set_valid(true);
  point->set_within_limit(true);
  return result;
}

// The text between the result's script tag and the end of that script.
std::string EmbeddedJson(const std::string& page) {
  constexpr absl::string_view kOpen = "<script type=\"application/json\" id=\"result\">";
  const size_t begin = page.find(kOpen.data(), 0, kOpen.size());
  if (begin == std::string::npos) return "";
  const size_t end = page.find("</script>", begin);
  return page.substr(begin + kOpen.size(), end - begin - kOpen.size());
}

std::string WithoutScripts(std::string page) {
  size_t begin = 0;
  while ((begin = page.find("<script", begin)) != std::string::npos) {
    page.erase(begin, page.find("</script>", begin) + 9 - begin);
  }
  return page;
}

TEST(HtmlReport, NoStringOfAResultBecomesMarkup) {
  v1::RunResult result = SmallResult();
  FillStrings(&result);
  (*result.mutable_spec()->mutable_system()->mutable_fields())[kHostile].set_string_value(kHostile);
  const std::string page = HtmlReport(result);

  size_t scripts = 0;
  for (size_t at = 0; (at = page.find("<script", at)) != std::string::npos; ++at) ++scripts;
  EXPECT_EQ(scripts, 3U) << "the data, the chart library and the page's own";
  const std::string markup = WithoutScripts(page);
  EXPECT_THAT(markup, Not(HasSubstr("<img")));
  EXPECT_THAT(markup, Not(HasSubstr("onerror='")));
  EXPECT_THAT(markup, HasSubstr("&lt;img src=x onerror=&#39;a()&#39;&gt;"));
}

TEST(HtmlReport, CarriesTheResultWhole) {
  v1::RunResult result = SmallResult();
  FillStrings(&result);
  const std::string json = EmbeddedJson(HtmlReport(result));
  EXPECT_THAT(json, Not(HasSubstr("<")));
  EXPECT_THAT(json, Not(HasSubstr("\u2028")));
  v1::RunResult parsed;
  const auto status = google::protobuf::util::JsonStringToMessage(json, &parsed);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(parsed, result));
}

TEST(HtmlReport, NeedsNoNetwork) {
  const std::string page = WithoutScripts(HtmlReport(SmallResult()));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
}

TEST(HtmlReport, TablesStandWithoutJavaScript) {
  const std::string page = WithoutScripts(HtmlReport(SmallResult()));
  EXPECT_THAT(page, HasSubstr("<td class=\"n\">12,346</td><td class=\"n\">12,346</td><td class=\"n\">3.142</td>"
                              "<td class=\"n\">2.500</td><td class=\"n\">–</td>"));
  EXPECT_THAT(page, HasSubstr("1.25 <small>ms"));
  EXPECT_THAT(page, HasSubstr("not a SPEC result"));
}

TEST(HtmlReport, NamesWhyAResultDoesNotCount) {
  v1::RunResult result = SmallResult();
  result.mutable_summary()->set_valid(false);
  result.mutable_summary()->set_peak_point(0);
  result.mutable_points(0)->set_valid(false);
  v1::Finding* finding = result.mutable_points(0)->add_findings();
  finding->set_code("achieved_below_requested");
  finding->set_severity(v1::INVALID);
  finding->set_message("The target did not keep up.");
  finding->set_evidence("61 % of requested");
  const std::string page = WithoutScripts(HtmlReport(result));
  EXPECT_THAT(page, HasSubstr("neither a peak nor an ORT"));
  EXPECT_THAT(page, HasSubstr("<strong>61 % of requested</strong>"));
  EXPECT_THAT(page, HasSubstr("load point 1"));
  EXPECT_THAT(page, Not(HasSubstr("12,346 <small>ops/s")));
}

TEST(HtmlReport, AnEmptyResultIsAPageToo) {
  v1::RunResult result;
  result.set_status(v1::FAILED);
  result.set_status_reason("agent client1 was lost");
  const std::string page = WithoutScripts(HtmlReport(result));
  EXPECT_THAT(page, HasSubstr("agent client1 was lost"));
  EXPECT_THAT(page, HasSubstr("0 of 0 load points"));
}

TEST(Html, FiguresKeepFourDigits) {
  EXPECT_EQ(FormatMs(0.05), "0.050");
  EXPECT_EQ(FormatMs(9.9996), "10.00");
  EXPECT_EQ(FormatMs(99.996), "100.0");
  EXPECT_EQ(FormatMs(999.96), "1,000");
  EXPECT_EQ(FormatMs(std::nullopt), "–");
  EXPECT_EQ(FormatMs(NAN), "–");
  EXPECT_EQ(FormatCount(1234567), "1,234,567");
  EXPECT_EQ(FormatCount(-0.2), "0");
  EXPECT_EQ(FormatShare(0.2604), "26.04 %");
}

}  // namespace
}  // namespace crest
