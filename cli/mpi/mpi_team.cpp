#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "command.h"
#include "extras.h"
#include "interruption.h"
#include "rollout_team.h"

/// The processes that mpirun started, as one team. The only file that knows MPI.
///
/// A thread of rank 0 hands out the work: it answers requests and sleeps in between, so that it takes next to nothing
/// from the processor, needs no special network and rank 0 computes like everybody else. Nobody else waits inside MPI
/// for long, as OpenMPI waits by spinning.
namespace sinew::cli {
namespace {

constexpr int kRequest = 1, kReply = 2;
constexpr auto kNap = std::chrono::microseconds(300);
constexpr std::int64_t kGoodbye = -1;  // instead of a number of finished runs

class MpiTeam final : public Team {
 public:
  MpiTeam() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    if (level < MPI_THREAD_SERIALIZED) {
      MPI_Finalize();
      throw CommandError("this MPI cannot be used by several threads (MPI_THREAD_SERIALIZED)", kProblem);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }

  ~MpiTeam() override {
    if (server_.joinable()) server_.join();
    MPI_Finalize();
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::string agree(const std::string& complaint) override {
    int first = complaint.empty() ? size_ : rank_, least = size_;
    MPI_Allreduce(&first, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least == size_ ? std::string() : spread(complaint, least);
  }

  std::string share(const std::string& text) override { return spread(text, 0); }

  void begin(std::int64_t count) override {
    count_ = count;
    if (rank_ == 0 && size_ > 1) server_ = std::thread([this] { serve(); });
  }

  std::int64_t next(std::int64_t finished) override {
    if (rank_ == 0) {
      finished_ += finished;
      return handOut();
    }
    const std::lock_guard guard(mutex_);
    MPI_Send(&finished, 1, MPI_INT64_T, 0, kRequest, MPI_COMM_WORLD);
    std::int64_t piece = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&piece, 1, MPI_INT64_T, 0, kReply, MPI_COMM_WORLD, &request);
    for (int done = 0;;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done) return piece;
      if (Interruption::signal() != 0) abort(kSignal + Interruption::signal());
      std::this_thread::sleep_for(kNap / 3);
    }
  }

  std::int64_t finished() const override { return finished_; }

  void end() override {
    if (rank_ == 0) return;
    MPI_Send(&kGoodbye, 1, MPI_INT64_T, 0, kRequest, MPI_COMM_WORLD);
  }

  bool isOver() const override { return rank_ > 0 || size_ == 1 || isOver_; }

  [[noreturn]] void abort(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  std::string spread(std::string text, int from) {
    auto length = static_cast<std::int64_t>(text.size());
    MPI_Bcast(&length, 1, MPI_INT64_T, from, MPI_COMM_WORLD);
    text.resize(static_cast<std::size_t>(length));
    constexpr std::int64_t kPiece = 1 << 30;
    for (std::int64_t at = 0; at < length; at += kPiece) {
      const auto count = static_cast<int>(std::min(kPiece, length - at));
      MPI_Bcast(text.data() + at, count, MPI_CHAR, from, MPI_COMM_WORLD);
    }
    return text;
  }

  std::int64_t handOut() {
    const std::int64_t piece = next_.fetch_add(1);
    return piece < count_ ? piece : -1;
  }

  void serve() {
    for (int open = size_ - 1; open > 0;) {
      int isThere = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, kRequest, MPI_COMM_WORLD, &isThere, &status);
      if (!isThere) {
        if (Interruption::signal() != 0) return;
        std::this_thread::sleep_for(kNap);
        continue;
      }
      std::int64_t finished = 0;
      MPI_Recv(&finished, 1, MPI_INT64_T, status.MPI_SOURCE, kRequest, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (finished == kGoodbye) {
        --open;
        continue;
      }
      finished_ += finished;
      const std::int64_t piece = handOut();
      MPI_Send(&piece, 1, MPI_INT64_T, status.MPI_SOURCE, kReply, MPI_COMM_WORLD);
    }
    isOver_ = true;
  }

  int rank_ = 0, size_ = 1;
  std::int64_t count_ = 0;
  std::atomic<std::int64_t> next_ = 0, finished_ = 0;
  std::atomic<bool> isOver_ = false;
  std::mutex mutex_;
  std::thread server_;
};

[[maybe_unused]] const bool kIsRegistered = [] {
  extras().makeTeam = []() -> std::unique_ptr<Team> { return std::make_unique<MpiTeam>(); };
  return true;
}();

}  // namespace
}  // namespace sinew::cli
