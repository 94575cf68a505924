// Whatever a prime sends, the agent answers with an error and is there for the next.
#include <optional>
#include <string>
#include <vector>

#include "agent/service/agent_fixture.h"
#include "base/random.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"

namespace crest {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using State = FakeLoadScript::State;

grpc::StatusCode EndAfter(TestPrime& prime, const v1::PrimeMessage& message) {
  prime.Send(message);
  return prime.Finish().error_code();
}

using HostilePrimeTest = AgentServiceTest;

TEST_F(HostilePrimeTest, MessagesOutOfOrder) {
  const auto first = [this](const v1::PrimeMessage& message) {
    TestPrime prime(stub_.get());
    return EndAfter(prime, message);
  };
  EXPECT_EQ(first(TestPrime::Prepare()), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(first(TestPrime::Start(1)), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(first(TestPrime::Probe(1)), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(first(TestPrime::Close()), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(first({}), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(HostilePrimeTest, MessagesOutOfOrderLater) {
  const auto later = [this](const v1::PrimeMessage& message) {
    WaitUntilFree();
    TestPrime prime(stub_.get());
    prime.OpenAndPrepare();
    return EndAfter(prime, message);
  };
  EXPECT_EQ(later(TestPrime::Open()), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(later(TestPrime::Prepare(-1)), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(later(TestPrime::Start(0)), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(later({}), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(HostilePrimeTest, StartBeforePrepare) {
  TestPrime prime(stub_.get());
  ASSERT_TRUE(prime.Send(TestPrime::Open()));
  ASSERT_TRUE(prime.Receive()->has_opened());
  EXPECT_EQ(EndAfter(prime, TestPrime::Start(1)), grpc::StatusCode::FAILED_PRECONDITION);
}

TEST_F(HostilePrimeTest, CommandWhileAnotherRuns) {
  TestPrime prime(stub_.get());
  prime.OpenAndPrepare();
  ASSERT_TRUE(prime.Send(TestPrime::Start(1)));
  EXPECT_EQ(EndAfter(prime, TestPrime::Start(2)), grpc::StatusCode::FAILED_PRECONDITION);
  ASSERT_TRUE(script_->WaitFor([](const State& state) { return state.closes == 1; }));
}

TEST_F(HostilePrimeTest, MessageThatIsTooLarge) {
  TestPrime prime(stub_.get());
  v1::PrimeMessage open = TestPrime::Open();
  open.mutable_open()->mutable_workload()->set_description(std::string(17 << 20, 'x'));
  EXPECT_EQ(EndAfter(prime, open), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(script_->Do([](State& state) { return state.opening; }), 0);
}

// Random field values ------------------------------------------------------------------------------------------------

int64_t RandomInteger(Random& random) {
  static constexpr int64_t kEdges[] = {0, 1, -1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, UINT32_MAX, 1'000'000'000};
  return random.Below(2) == 0 ? kEdges[random.Below(std::size(kEdges))] : static_cast<int64_t>(random.Below(100));
}

double RandomDouble(Random& random) {
  static constexpr double kEdges[] = {
      0, -1, 1e308, -1e308, 5e-324, __builtin_inf(), -__builtin_inf(), __builtin_nan("")};
  return random.Below(2) == 0 ? kEdges[random.Below(std::size(kEdges))] : random.NextUnit() * 1000;
}

std::string RandomText(Random& random) {
  static constexpr const char* kEdges[] = {"",         "servicetest:", "servicetest://h/..",
                                           "\x01\x7f", "unix:/",       "ÄÖ%zz?=&//"};
  if (random.Below(8) == 0) return std::string(random.Below(10'000), 'x');
  return kEdges[random.Below(std::size(kEdges))];
}

void Garble(Message& message, Random& random, int depth);

void GarbleField(Message& message, const FieldDescriptor* field, Random& random, int depth) {
  const Reflection& reflection = *message.GetReflection();
  const bool repeated = field->is_repeated();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (depth < 5)
        Garble(repeated ? *reflection.AddMessage(&message, field) : *reflection.MutableMessage(&message, field), random,
               depth + 1);
      return;
    case FieldDescriptor::CPPTYPE_STRING:
      repeated ? reflection.AddString(&message, field, RandomText(random))
               : reflection.SetString(&message, field, RandomText(random));
      return;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      repeated ? reflection.AddDouble(&message, field, RandomDouble(random))
               : reflection.SetDouble(&message, field, RandomDouble(random));
      return;
    case FieldDescriptor::CPPTYPE_INT64:
      if (!repeated) reflection.SetInt64(&message, field, RandomInteger(random));
      return;
    case FieldDescriptor::CPPTYPE_INT32:
      if (!repeated) reflection.SetInt32(&message, field, static_cast<int32_t>(RandomInteger(random)));
      return;
    case FieldDescriptor::CPPTYPE_UINT32:
      if (!repeated) reflection.SetUInt32(&message, field, static_cast<uint32_t>(RandomInteger(random)));
      return;
    case FieldDescriptor::CPPTYPE_ENUM:
      if (!repeated) reflection.SetEnumValue(&message, field, static_cast<int>(RandomInteger(random)));
      return;
    default:
      return;
  }
}

void Garble(Message& message, Random& random, int depth) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    if (random.Below(3) == 0) GarbleField(message, type.field(i), random, depth);
  }
}

TEST_F(HostilePrimeTest, RandomMessages) {
  script_->Do([](State& state) { state.hold_point = false; });
  Random random(MixKey(20, 26));
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    WaitUntilFree();
    TestPrime prime(stub_.get());
    const bool open_well = random.Below(2) == 0;
    if (open_well) {
      ASSERT_TRUE(prime.Send(TestPrime::Open()));
    }
    bool taken = true;
    for (int i = 0; i < 10 && taken; ++i) {
      v1::PrimeMessage message = i == 0 && !open_well ? TestPrime::Open() : v1::PrimeMessage();
      const google::protobuf::OneofDescriptor& kinds = *v1::PrimeMessage::descriptor()->oneof_decl(0);
      const FieldDescriptor* kind =
          kinds.field(static_cast<int>(random.Below(static_cast<uint64_t>(kinds.field_count()))));
      if (i == 0 && !open_well) kind = kinds.field(0);
      Garble(*message.GetReflection()->MutableMessage(&message, kind), random, 0);
      taken = prime.Send(message);
    }
    prime.Cancel();
    prime.Finish();
  }
  WaitUntilFree();
  TestPrime good(stub_.get());
  good.OpenAndPrepare();
  ASSERT_TRUE(good.Send(TestPrime::Close()));
  EXPECT_TRUE(good.Finish().ok());
}

}  // namespace
}  // namespace crest
