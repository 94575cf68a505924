#include "agent/engines/sim/queue_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace crest {
namespace {

double StandardNormal(Random& random) {
  const double radius = std::sqrt(2 * random.NextExponential());  // Box and Muller
  return radius * std::cos(2 * std::numbers::pi * random.NextUnit());
}

}  // namespace

MonoTime EndOfWork(const StallSpec& stall, MonoTime epoch, MonoTime start, int64_t work_ns) {
  const int64_t working_ns = stall.every_ns - stall.length_ns;  // of each period, its beginning
  const int64_t offset_ns = start - epoch;
  const int64_t into_period_ns = std::min(offset_ns % stall.every_ns, working_ns);
  const int64_t worked_ns = offset_ns / stall.every_ns * working_ns + into_period_ns + work_ns;
  // What ends just as a stall begins is done before it.
  const int64_t stalls = (worked_ns - 1) / working_ns;
  return epoch + (worked_ns + stalls * stall.length_ns);
}

double DrawService(ServiceLaw law, double variation, Random& random) {
  switch (law) {
    case ServiceLaw::kFixed:
      return 1;
    case ServiceLaw::kExponential:
      return random.NextExponential();
    case ServiceLaw::kLognormal: {
      const double variance = std::log1p(variation * variation);  // of the logarithm
      return std::exp(std::sqrt(variance) * StandardNormal(random) - variance / 2);
    }
  }
  return 1;
}

double MeanServiceNs(const WarmingSpec& warming, double warm_ns, double served) {
  return warm_ns + (static_cast<double>(warming.cold_ns) - warm_ns) * std::exp(-served / warming.operations);
}

bool OverloadWatch::Arrive(MonoTime now) {
  while (!starts_.empty() && starts_.front() <= now) {
    last_start_ = starts_.front();
    starts_.pop_front();
  }
  if (starts_.size() > spec_.queue) {
    overloaded_ = true;
    drained_.reset();
  } else if (overloaded_ && starts_.empty() && !drained_) {
    drained_ = last_start_;
  }
  if (overloaded_ && drained_ && now - *drained_ >= spec_.recovery_ns) overloaded_ = false;
  return overloaded_;
}

double ArrivalRate::Arrive(MonoTime now) {
  rate_ *= std::exp(-static_cast<double>(now - last_) * 1e-9);
  last_ = now;
  const double before = rate_;
  rate_ += 1;
  return before;
}

QueueModel::QueueModel(const QueueModelSpec& spec, uint64_t seed)
    : spec_(spec), random_(MixKey(seed, 0x51a1)), free_at_(spec.servers) {
  if (spec_.overload) overload_.emplace(*spec_.overload);
}

int64_t QueueModel::ServiceNs(MonoTime now) {
  double mean_ns = static_cast<double>(spec_.service_time_ns);
  if (spec_.warming) mean_ns = MeanServiceNs(*spec_.warming, mean_ns, served_++);
  if (spec_.cliff && arrival_rate_.Arrive(now) > spec_.cliff->ops_per_s) mean_ns *= spec_.cliff->factor;
  if (overload_ && overload_->Arrive(now)) mean_ns /= spec_.overload->capacity;
  // Every service takes some time: one of none at all would end before the stall that it came in.
  return std::max<int64_t>(1, std::llround(DrawService(spec_.law, spec_.variation, random_) * mean_ns));
}

MonoTime QueueModel::Arrive(MonoTime now) {
  if (!epoch_) epoch_ = now;
  const int64_t service_ns = ServiceNs(now);
  std::pop_heap(free_at_.begin(), free_at_.end(), std::greater<>());
  MonoTime& server = free_at_.back();
  const MonoTime start = std::max(server, now);
  if (overload_) overload_->Begins(start);
  server = spec_.stall ? EndOfWork(*spec_.stall, *epoch_, start, service_ns) : start + service_ns;
  const MonoTime done = server;
  std::push_heap(free_at_.begin(), free_at_.end(), std::greater<>());
  return done;
}

}  // namespace crest
