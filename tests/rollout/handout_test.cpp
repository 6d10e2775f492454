#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <random>
#include <vector>

#include "cli/rollout_chunks.h"
#include "cli/rollout_pace.h"

// How a job is cut into pieces, and how these reach the processes of `mpirun`: in a simulation of them, with times that
// no load of the machine disturbs.
namespace sinew::cli {
namespace {

TEST(RolloutChunks, CoverTheRunsInOrder) {
  for (const std::int64_t runs : {1, 2, 31, 32, 33, 64, 100, 257, 1000, 4097, 1'000'000}) {
    for (const std::int64_t size : {1, 2, 3, 4, 7, 50, 3907}) {
      if (size > runs) continue;
      for (const bool shrinks : {false, true}) {
        const Chunks c = shrinks ? Chunks::shrinking(runs, size) : Chunks::equal(runs, size);
        EXPECT_EQ(c.isShrinking(), shrinks);
        EXPECT_EQ(c.largest(), size);
        std::int64_t next = 0;
        for (std::int64_t k = 0; k < c.count(); ++k) {
          ASSERT_EQ(c.first(k), next) << runs << " in " << size << ", chunk " << k;
          const std::int64_t left = runs - next;
          const std::int64_t most = shrinks ? std::min(size, (left + 31) / 32) : std::min(size, left);
          ASSERT_EQ(c.size(k), most) << runs << " in " << size << ", chunk " << k;
          next += c.size(k);
        }
        EXPECT_EQ(next, runs);
      }
    }
  }
}

// the files of a large job: 256 of equal size would be; those of the last eighth of the runs shrink
TEST(RolloutChunks, ShrinkingMakesAFewHundredFilesMore) {
  for (const std::int64_t runs : {1000LL, 100'000LL, 1'000'000'000LL}) {
    const Chunks c = Chunks::shrinking(runs, (runs + 255) / 256);
    EXPECT_LE(static_cast<double>(c.count()), 224 + 32 * (2 + std::log(static_cast<double>(c.largest()))));
    EXPECT_EQ(c.size(c.count() - 1), 1);
    EXPECT_GE(c.first(224 - 1) + c.largest(), runs * 6 / 8);
  }
}

TEST(RolloutChunks, PartsShareTheRunsNotTheFiles) {
  for (const std::int64_t runs : {1LL, 12LL, 1000LL, 100'003LL, 1'000'000'000LL}) {
    const Chunks c = Chunks::shrinking(runs, (runs + 255) / 256);
    for (const std::int64_t parts : {1LL, 2LL, 5LL, 64LL, 1'000'000'000LL}) {
      EXPECT_EQ(c.partBegin(0, parts), 0);
      EXPECT_EQ(c.partBegin(parts, parts), c.count());
      for (const std::int64_t i : {std::int64_t{1}, parts / 3, parts - 1}) {
        if (i < 1 || i >= parts) continue;
        const std::int64_t chunk = c.partBegin(i, parts);
        const double ideal = static_cast<double>(runs) * static_cast<double>(i) / static_cast<double>(parts);
        EXPECT_GE(static_cast<double>(c.first(chunk)), ideal - 1e-6) << runs << ", " << i << " of " << parts;
        if (chunk > 0) {
          EXPECT_LT(static_cast<double>(c.first(chunk - 1)), ideal) << runs << ", " << i << " of " << parts;
        }
      }
    }
  }
}

/// Processes that compute the runs of a job; number 0 hands out the pieces. Times in seconds.
class Team {
 public:
  /// `late`: by how much naps are longer than was asked for.
  Team(int workers, Chunks chunks, std::function<double(std::int64_t)> secondsOf, double late = 6e-5)
      : chunks_(std::move(chunks)),
        secondsOf_(std::move(secondsOf)),
        workers_(static_cast<std::size_t>(workers)),
        late_(late) {}

  double makespan = 0, total = 0;
  double waited = 0;       ///< sum over the workers, until they hear that there is nothing left
  double longestHeld = 0;  ///< time that a piece lay with a worker that was not ready for it
  int looks = 0;           ///< times the server woke up while its own work was not done

  void run() {
    for (std::size_t w = 0; w < workers_.size(); ++w) become(w, 0);
    events_.push({0, Kind::Wake, 0});
    while (!events_.empty()) {
      const Event e = events_.top();
      events_.pop();
      if (e.kind == Kind::Wake) {
        wake(e.time);
      } else if (e.kind == Kind::Look) {
        look(e.worker, e.time);
      } else {
        finish(e.worker, e.time);
      }
    }
  }

 private:
  enum class Kind { Look, Finish, Wake };
  struct Event {
    double time;
    Kind kind;
    std::size_t worker;
    bool operator<(const Event& other) const { return time > other.time; }  // the earliest first
  };
  struct Worker {
    AskAhead ahead;
    double begin = 0, end = 0, answered = 0, readySince = 0;
    bool isReady = true, hasAsked = false, hasAnswer = false;
    std::int64_t piece = -1;
  };
  static constexpr double kLook = 2e-4;  // between two looks of a worker at how far it is
  static constexpr double kIdleNap = 1e-4;

  std::int64_t handOut() { return next_ < chunks_.count() ? next_++ : -1; }

  /// A worker has nothing to do.
  void become(std::size_t w, double now) {
    Worker& worker = workers_[w];
    if (!worker.isReady) worker.readySince = now;
    worker.isReady = true;
    if (w == 0) {
      start(w, handOut(), now);
    } else if (worker.hasAnswer) {
      longestHeld = std::max(longestHeld, now - worker.answered);
      start(w, worker.piece, now);
    } else if (!worker.hasAsked) {
      ask(w);
    }
  }

  void ask(std::size_t w) {
    if (w == 0) return;
    workers_[w].hasAsked = true;
    requests_.push_back(w);
  }

  void start(std::size_t w, std::int64_t piece, double now) {
    Worker& worker = workers_[w];
    worker.hasAsked = worker.hasAnswer = false;
    waited += now - worker.readySince;
    if (piece < 0) {
      ++done_;
      return;
    }
    worker.isReady = false;
    worker.begin = worker.end = now;
    for (std::int64_t run = chunks_.first(piece); run < chunks_.first(piece + 1); ++run) {
      worker.end += secondsOf_(run);
      total += secondsOf_(run);
    }
    worker.ahead.begin(now);
    makespan = std::max(makespan, worker.end);
    events_.push({std::min(now + kLook, worker.end), now + kLook < worker.end ? Kind::Look : Kind::Finish, w});
  }

  void look(std::size_t w, double now) {
    Worker& worker = workers_[w];
    if (!worker.hasAsked && worker.ahead.isTime(now, (now - worker.begin) / (worker.end - worker.begin))) ask(w);
    const bool again = now + kLook < worker.end;
    events_.push({again ? now + kLook : worker.end, again ? Kind::Look : Kind::Finish, w});
  }

  void finish(std::size_t w, double now) {
    if (!workers_[w].hasAsked && workers_[w].ahead.isTime(now, 1)) ask(w);
    become(w, now);
  }

  void wake(double now) {
    const bool isIdle = next_ == chunks_.count() && workers_[0].isReady;
    looks += !isIdle;
    for (const std::size_t w : requests_) {
      Worker& worker = workers_[w];
      naps_.asked(now);
      worker.hasAnswer = true;
      worker.answered = now;
      worker.piece = handOut();
      if (worker.isReady) become(w, now);
    }
    requests_.clear();
    if (done_ < workers_.size()) events_.push({now + late_ + (isIdle ? kIdleNap : naps_.length()), Kind::Wake, 0});
  }

  Chunks chunks_;
  std::function<double(std::int64_t)> secondsOf_;
  std::vector<Worker> workers_;
  double late_;
  std::vector<std::size_t> requests_;
  std::priority_queue<Event> events_;
  Naps naps_{0};
  std::int64_t next_ = 0;
  std::size_t done_ = 0;
};

/// Seconds of run i: `mean`, more or less by up to this share.
std::function<double(std::int64_t)> aboutAsLong(double mean, double share) {
  return [=](std::int64_t run) {
    std::minstd_rand random(static_cast<unsigned>(run + 1));
    random.discard(3);
    return mean * (1 + share * std::uniform_real_distribution<double>(-1, 1)(random));
  };
}

// the job of `make bench-rollout`: what two processes lose is at most one run of 7 ms at the end and the waiting
TEST(RolloutHandout, TwoProcessesLoseNoMoreThanHalfARunAtTheEnd) {
  for (const double share : {0.0, 0.2, 0.5}) {
    Team team(2, Chunks::shrinking(1000, 4), aboutAsLong(0.007, share));
    team.run();
    EXPECT_LT(team.makespan, team.total / 2 + 0.0075) << share;
    EXPECT_LT(team.looks, 420 * team.makespan) << share;  // with some 10 us each: 0.4 %
  }
}

// others use the processor, so that everything takes longer and the process that answers gets its turn late
TEST(RolloutHandout, OnABusyMachineAnswersComeInTime) {
  Team team(2, Chunks::shrinking(1000, 4), aboutAsLong(0.018, 0.2), 0.02);
  team.run();
  EXPECT_LT(team.waited, 0.015 * team.makespan);  // nearly all of it with the single runs of the end
}

TEST(RolloutHandout, ManyProcessesFinishTogetherAsTheLastPiecesAreSmall) {
  for (const int workers : {3, 8, 24}) {
    Team equal(workers, Chunks::equal(10000, 40), aboutAsLong(0.02, 0.3));
    Team shrinking(workers, Chunks::shrinking(10000, 40), aboutAsLong(0.02, 0.3));
    equal.run();
    shrinking.run();
    const double ideal = equal.total / workers;
    EXPECT_LT(shrinking.makespan - ideal, 0.25 * (equal.makespan - ideal)) << workers;
    EXPECT_LT(shrinking.makespan, 1.01 * ideal) << workers;
  }
}

// who asks far ahead takes a piece that others would have begun already
TEST(RolloutHandout, NobodyHoldsAPieceOfLongRunsForLong) {
  Team team(4, Chunks::shrinking(41, 1), aboutAsLong(10, 0.5));
  team.run();
  EXPECT_LT(team.longestHeld, 0.105);
  EXPECT_LT(team.makespan, team.total / 4 + 15);
}

TEST(RolloutHandout, ShortPiecesAreAnsweredSoon) {
  Team team(2, Chunks::equal(20000, 1), aboutAsLong(0.0003, 0.2));
  team.run();
  EXPECT_LT(team.makespan, 1.06 * team.total / 2);
}

// a model that takes longer from the middle on: naps follow
TEST(RolloutHandout, NapsFollowThePiecesWhenTheseBecomeShorter) {
  const auto seconds = [](std::int64_t run) { return run < 200 ? 0.5 : 0.001; };
  Team team(2, Chunks::equal(3200, 1), seconds);
  team.run();
  EXPECT_LT(team.makespan, 1.01 * team.total / 2 + 0.5);
}

TEST(RolloutHandout, NapsAreNeverShorterOrLongerThanTheyMayBe) {
  Naps naps(0);
  EXPECT_EQ(naps.length(), 5e-5);
  for (int i = 1; i < 100; ++i) naps.asked(60.0 * i);
  EXPECT_EQ(naps.length(), 0.005);
  for (int i = 1; i < 200; ++i) naps.asked(5940 + 1e-5 * i);
  EXPECT_EQ(naps.length(), 5e-5);
}

// a look at a time when the next one would come too late
TEST(RolloutHandout, RareLooksAskEarlier) {
  AskAhead often, rarely;
  often.begin(0);
  rarely.begin(0);
  for (int i = 1; i < 89; ++i) EXPECT_FALSE(often.isTime(0.01 * i, 0.01 * i)) << i;
  EXPECT_TRUE(rarely.isTime(0.6, 0.6));  // 0.4 are left, the next look is at 1.2
  EXPECT_TRUE(often.isTime(0.9, 0.9));   // 0.1 are left
  AskAhead none;
  none.begin(0);
  EXPECT_FALSE(none.isTime(1, 0));
}

}  // namespace
}  // namespace sinew::cli
