#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace crest {
namespace {

absl::StatusOr<std::unique_ptr<int>> Half(int n) {
  if (n % 2 != 0) return absl::InvalidArgumentError("odd");
  return std::make_unique<int>(n / 2);
}

absl::StatusOr<int> Quarter(int n) {
  CREST_ASSIGN_OR_RETURN(const std::unique_ptr<int> half, Half(n));
  CREST_ASSIGN_OR_RETURN(std::unique_ptr<int> quarter, Half(*half));
  return *quarter;
}

absl::Status Check(int n, int* reached) {
  CREST_RETURN_IF_ERROR(Half(n).status());
  ++*reached;
  return absl::OkStatus();
}

TEST(StatusTest, AnnotateKeepsTheCode) {
  EXPECT_TRUE(Annotate(absl::OkStatus(), "x").ok());
  const absl::Status status = Annotate(absl::NotFoundError("no such file"), "spec.yaml");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "spec.yaml: no such file");
}

TEST(StatusTest, AssignOrReturn) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(3).status().message(), "odd");
  EXPECT_EQ(Quarter(6).status().message(), "odd");
}

TEST(StatusTest, ReturnIfError) {
  int reached = 0;
  EXPECT_TRUE(Check(2, &reached).ok());
  EXPECT_FALSE(Check(3, &reached).ok());
  EXPECT_EQ(reached, 1);
}

}  // namespace
}  // namespace crest
