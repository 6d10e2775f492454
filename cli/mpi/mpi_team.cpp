#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "command.h"
#include "extras.h"
#include "interruption.h"
#include "rollout_pace.h"
#include "rollout_team.h"

/// The processes that mpirun started, as one team. The only file that knows MPI.
///
/// A thread of rank 0 hands out the work: it answers requests and sleeps in between (Naps), so that it takes next to
/// nothing from the processor, needs no special network and rank 0 computes like everybody else. The others ask before
/// they run out of work, and nobody waits inside MPI for long, as OpenMPI waits by spinning.
namespace sinew::cli {
namespace {

constexpr int kRequest = 1, kReply = 2;
constexpr auto kShortNap = std::chrono::microseconds(100);  // of who has nothing else to do

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

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

  void begin(std::int64_t count, int threads) override {
    count_ = count;
    questions_.resize(static_cast<std::size_t>(threads));
    if (rank_ == 0 && size_ > 1) server_ = std::thread([this] { serve(); });
  }

  void ask(int thread) override {
    if (rank_ == 0) return;
    Question& question = questions_[static_cast<std::size_t>(thread)];
    question.finished = finished_.exchange(0);
    const std::lock_guard guard(mutex_);
    // replies are handed to threads of a process in the order in which these asked, and none is meant for one of them
    MPI_Irecv(&question.piece, 1, MPI_INT64_T, 0, kReply, MPI_COMM_WORLD, &question.requests[0]);
    MPI_Isend(&question.finished, 1, MPI_INT64_T, 0, kRequest, MPI_COMM_WORLD, &question.requests[1]);
  }

  std::int64_t next(int thread) override {
    if (rank_ == 0) return handOut();
    Question& question = questions_[static_cast<std::size_t>(thread)];
    for (;;) {
      int done = 0;
      {
        const std::lock_guard guard(mutex_);
        MPI_Testall(2, question.requests.data(), &done, MPI_STATUSES_IGNORE);
      }
      if (done) return question.piece;
      if (Interruption::signal() != 0) abort(kSignal + Interruption::signal());
      std::this_thread::sleep_for(kShortNap);
    }
  }

  void report(std::int64_t finished) override { finished_ += finished; }
  std::int64_t finished() const override { return finished_; }

  void end() override {
    if (rank_ == 0) {
      isIdle_ = true;
      return;
    }
    const std::int64_t goodbye = -1 - finished_.exchange(0);
    MPI_Send(&goodbye, 1, MPI_INT64_T, 0, kRequest, MPI_COMM_WORLD);
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

  /// What a thread of another process has asked for; its entries belong to MPI until the reply is there.
  struct Question {
    std::int64_t finished = 0, piece = -1;
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  };

  void serve() {
    Naps naps(now());
    for (int open = size_ - 1; open > 0;) {
      int isThere = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, kRequest, MPI_COMM_WORLD, &isThere, &status);
      if (!isThere) {
        if (Interruption::signal() != 0) return;
        if (isIdle_) {
          std::this_thread::sleep_for(kShortNap);
        } else {
          std::this_thread::sleep_for(std::chrono::duration<double>(naps.length()));
        }
        continue;
      }
      std::int64_t finished = 0;
      MPI_Recv(&finished, 1, MPI_INT64_T, status.MPI_SOURCE, kRequest, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (finished < 0) {  // a goodbye
        finished_ += -1 - finished;
        --open;
        continue;
      }
      naps.asked(now());
      finished_ += finished;
      const std::int64_t piece = handOut();
      MPI_Send(&piece, 1, MPI_INT64_T, status.MPI_SOURCE, kReply, MPI_COMM_WORLD);
    }
    isOver_ = true;
  }

  int rank_ = 0, size_ = 1;
  std::int64_t count_ = 0;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<std::int64_t> finished_ = 0;             // at other ranks: what rank 0 was not told yet
  std::atomic<bool> isIdle_ = false, isOver_ = false;  // rank 0 has no work left; nobody has
  std::vector<Question> questions_;                    // of each thread
  std::mutex mutex_;
  std::thread server_;
};

[[maybe_unused]] const bool kIsRegistered = [] {
  extras().makeTeam = []() -> std::unique_ptr<Team> { return std::make_unique<MpiTeam>(); };
  return true;
}();

}  // namespace
}  // namespace sinew::cli
