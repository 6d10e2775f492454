#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// The server of the viewer: one page over HTTP and one WebSocket per window, on a thread of its own. It knows nothing
/// of models: bytes go out, texts come in.
namespace sinew::view {

using Bytes = std::vector<std::uint8_t>;
using SharedBytes = std::shared_ptr<const Bytes>;

struct ServerOptions {
  std::string host = "127.0.0.1";  ///< address to listen on
  int port = 0;                    ///< the first that is tried; 0: any that is free
  int portsToTry = 100;            ///< that one and those after it
};

/// Bounds on what a window may ask of the server.
inline constexpr std::size_t kMostMessageBytes = 64 * 1024;  ///< larger messages end the connection
inline constexpr int kMessagesPerSecond = 1000;              ///< on average; more end the connection
inline constexpr int kMessageBurst = 2000;                   ///< may come at once
inline constexpr int kMostRefusals = 200;                    ///< messages that make no sense before the connection ends
inline constexpr int kMostConnections = 64;
inline constexpr std::size_t kMostQueuedTexts = 256;  ///< to one window; a window that takes none is disconnected
inline constexpr std::size_t kMostEvents = 20'000;    ///< from all windows that nobody has looked at yet
inline constexpr std::size_t kMostKeys = 1000;        ///< pressed and not taken; later ones are dropped
inline constexpr int kMostFramesUnderway = 2;         ///< sent and not acknowledged

/// What a window did.
struct Event {
  enum class Kind { Opened, Text, Closed };
  Kind kind = Kind::Text;
  std::uint64_t client = 0;
  std::string text;
};

/// A key that was pressed in a window.
struct KeyPress {
  std::uint64_t client = 0;
  int code = 0;
};

/// All functions may be called from any thread.
class Server {
 public:
  /// Listens and starts to serve. Throws std::runtime_error that names the address if it cannot.
  explicit Server(const ServerOptions& options);
  ~Server();  ///< ends every connection
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  /// Whether the port that was asked for was taken by somebody else.
  bool isOtherPort() const;
  /// With the token: whoever knows it may watch and steer.
  std::string url() const;
  const std::string& token() const;

  /// What windows did since the last call, oldest first.
  std::vector<Event> takeEvents();
  /// Returns when there is an event, or after this time.
  void waitForEvents(std::chrono::microseconds most);
  /// Keys pressed since the last call, oldest first; waits up to `most` for one. They do not wait for takeEvents(),
  /// because a program may react to keys while it does not look at anything else.
  std::vector<KeyPress> takeKeys(std::chrono::microseconds most);

  /// Sent to every window, and to each that opens from now on, before any frame.
  void setScene(SharedBytes scene);
  /// Sent to every window that has taken the frames before; the others get the latest one when they have.
  void publish(SharedBytes frame);
  void send(std::uint64_t client, std::string text);
  void sendToAll(const std::string& text);
  /// Counts a message that made no sense; too many end the connection.
  void refuse(std::uint64_t client, const std::string& why);

  int windows() const;
  /// Bytes that wait to be sent to windows, all together; shared frames count once per window.
  std::size_t queuedBytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew::view
