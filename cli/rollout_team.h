#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace sinew::cli {

/// The processes that work on one job together, and how work is handed out among them.
class Team {
 public:
  virtual ~Team() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Every process says what went wrong so far (empty: nothing); all get the first complaint. Called by all.
  virtual std::string agree(const std::string& complaint) = 0;
  /// The text of rank 0, for all. Called by all.
  virtual std::string share(const std::string& text) = 0;

  /// From now on next() hands out 0, 1, ..., count - 1 to `threads` threads of each process. Called by all.
  virtual void begin(std::int64_t count, int threads) = 0;
  /// Asks for a piece of work for this thread, so that next() need not wait for it.
  virtual void ask(int thread) = 0;
  /// The piece that this thread has asked for, -1: there is none.
  virtual std::int64_t next(int thread) = 0;
  /// So many runs more are finished. Any thread.
  virtual void report(std::int64_t finished) = 0;
  /// Runs that all processes finished so far, as far as known to rank 0: others tell it when they ask.
  virtual std::int64_t finished() const = 0;
  /// This process got -1 in all its threads. Called by all.
  virtual void end() = 0;
  /// False while rank 0 has to wait for others after end().
  virtual bool isOver() const = 0;
  /// Ends the job of all processes, without ceremony.
  [[noreturn]] virtual void abort(int code) = 0;
};

/// One process.
class SoloTeam final : public Team {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string agree(const std::string& complaint) override { return complaint; }
  std::string share(const std::string& text) override { return text; }
  void begin(std::int64_t count, int) override { count_ = count; }
  void ask(int) override {}
  std::int64_t next(int) override {
    const std::int64_t piece = next_.fetch_add(1);
    return piece < count_ ? piece : -1;
  }
  void report(std::int64_t finished) override { finished_ += finished; }
  std::int64_t finished() const override { return finished_; }
  void end() override {}
  bool isOver() const override { return true; }
  [[noreturn]] void abort(int code) override;

 private:
  std::int64_t count_ = 0;
  std::atomic<std::int64_t> next_ = 0, finished_ = 0;
};

}  // namespace sinew::cli
