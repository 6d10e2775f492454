#pragma once

namespace sinew::cli {

/// When a worker asks for its next piece of work: so early that the answer is there when the present piece is done, and
/// no earlier, since nobody else can compute a piece that waits. Times in seconds, of any clock.
class AskAhead {
 public:
  /// The present piece begins.
  void begin(double now);
  /// Whether to ask now, `done` of the piece being done (0 to 1). Called again and again while it is computed.
  bool isTime(double now, double done);

 private:
  double start_ = 0, last_ = 0;
};

/// How long the process that hands out work sleeps between two looks for requests: it takes next to nothing from the
/// processor, on which it computes as well, and answers before those who asked ahead run out of work.
class Naps {
 public:
  explicit Naps(double now) : last_(now) {}
  /// A request was found.
  void asked(double now);
  /// Of the next nap, s.
  double length() const;

 private:
  double last_, mean_ = 0;  ///< of the times between requests
};

}  // namespace sinew::cli
