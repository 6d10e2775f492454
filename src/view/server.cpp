#include "view/server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <charconv>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "view/page.h"

namespace sinew::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using ErrorCode = beast::error_code;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kMostHeaderBytes = 8 * 1024;
constexpr auto kRequestTime = std::chrono::seconds(10);

std::string randomToken() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", static_cast<std::uint32_t>(device()));
  return token;
}

/// In a time that does not depend on how many characters agree.
bool isEqual(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= static_cast<unsigned>(a[i] ^ b[i]);
  return different == 0;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// "localhost" of "localhost:7900", "::1" of "[::1]:7900".
std::string hostName(std::string_view host) {
  if (!host.empty() && host.front() == '[') {
    const std::size_t close = host.find(']');
    return close == host.npos ? std::string() : lowered(host.substr(1, close - 1));
  }
  return lowered(host.substr(0, host.find(':')));
}

std::string machineName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? lowered(name) : std::string();
}

struct Target {
  std::string path, token;
};

Target parseTarget(std::string_view target) {
  Target result;
  const std::size_t question = target.find('?');
  result.path = std::string(target.substr(0, question));
  if (question == target.npos) return result;
  std::string_view rest = target.substr(question + 1);
  while (!rest.empty()) {
    const std::size_t end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    if (pair.substr(0, 6) == "token=") result.token = std::string(pair.substr(6));
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return result;
}

}  // namespace

struct Server::Impl {
  class Window;
  class Request;

  explicit Impl(const ServerOptions& o) : options(o), acceptor(io), token(randomToken()), machine(machineName()) {
    listen();
    accept();
    thread = std::thread([this] { io.run(); });
  }

  ~Impl() {
    asio::post(io, [this] { stop(); });
    thread.join();
    windows.clear();  // before io; what still waits in io goes with it, and finds the members below in place
  }

  void listen() {
    ErrorCode error;
    const asio::ip::address address =
        asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
    if (error) {
      throw std::runtime_error(
          fmt::format("cannot listen on '{}': expected an address of this machine such as 127.0.0.1", options.host));
    }
    const int tries = options.port == 0 ? 1 : std::max(1, options.portsToTry);
    for (int i = 0; i < tries && options.port + i <= 65535; ++i) {
      const tcp::endpoint endpoint(address, static_cast<unsigned short>(options.port + i));
      acceptor.open(endpoint.protocol(), error);
      if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
      if (!error) acceptor.bind(endpoint, error);
      if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
      if (!error) {
        port = acceptor.local_endpoint().port();
        return;
      }
      ErrorCode ignored;
      acceptor.close(ignored);
      if (error != asio::error::address_in_use) break;
    }
    throw std::runtime_error(
        fmt::format("cannot listen on {} port {}: {}", options.host, options.port, error.message()));
  }

  void accept();
  void stop();

  bool isAllowedHost(std::string_view header) const {
    const std::string name = hostName(header);
    if (name == "localhost" || name == "127.0.0.1" || name == "::1") return true;
    if (name.empty()) return false;
    ErrorCode error;
    const asio::ip::address listening = asio::ip::make_address(options.host, error);
    if (!error && listening.is_loopback()) return false;
    if (name == lowered(options.host) || name == machine) return true;
    // on all interfaces: a number cannot be made to mean another machine, a name can
    if (error || !listening.is_unspecified()) return false;
    asio::ip::make_address(name, error);
    return !error;
  }

  /// Why a request is refused; empty: it is not.
  template <class Fields>
  std::string refusalOf(const Fields& request, std::string_view givenToken) const {
    const auto text = [&](http::field field) {
      const auto value = request[field];
      return std::string_view(value.data(), value.size());
    };
    if (!isAllowedHost(text(http::field::host))) return "this server is not known under that name";
    if (const std::string_view origin = text(http::field::origin); !origin.empty()) {
      const std::string host = lowered(text(http::field::host));
      if (lowered(origin) != "http://" + host && lowered(origin) != "https://" + host) {
        return "pages of other origins have no access";
      }
    }
    if (!isEqual(givenToken, token)) return "the token is missing or wrong; use the whole URL that was printed";
    return {};
  }

  void note(Event event) {
    {
      const std::lock_guard lock(mutex);
      if (event.kind == Event::Kind::Text && events.size() >= kMostEvents) return;
      events.push_back(std::move(event));
    }
    changed.notify_all();
  }

  void noteKey(KeyPress key) {
    {
      const std::lock_guard lock(mutex);
      if (keys.size() >= kMostKeys) return;
      keys.push_back(key);
    }
    changed.notify_all();
  }

  const ServerOptions options;
  std::map<std::uint64_t, std::shared_ptr<Window>> windows;
  std::map<Request*, std::weak_ptr<Request>> requests;
  std::uint64_t lastClient = 0;
  int connections = 0;
  SharedBytes scene, frame;
  std::atomic<int> windowCount{0};
  std::atomic<std::size_t> queued{0};
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Event> events;
  std::vector<KeyPress> keys;
  asio::io_context io{1};
  tcp::acceptor acceptor;
  const std::string token;
  const std::string machine;
  int port = 0;
  std::thread thread;
};

/// One WebSocket.
class Server::Impl::Window : public std::enable_shared_from_this<Window> {
 public:
  Window(Impl& owner, beast::tcp_stream&& stream, std::uint64_t id)
      : owner_(owner), socket_(std::move(stream)), id_(id), allowance_(kMessageBurst), counted_(Clock::now()) {
    ++owner_.connections;
  }
  ~Window() { --owner_.connections; }

  void start(http::request<http::empty_body> request) {
    websocket::stream_base::timeout times = websocket::stream_base::timeout::suggested(beast::role_type::server);
    socket_.set_option(times);
    socket_.read_message_max(kMostMessageBytes);
    socket_.auto_fragment(false);
    request_ = std::move(request);
    socket_.async_accept(request_, [self = shared_from_this()](ErrorCode error) {
      if (error) return;
      self->open();
    });
  }

  void setScene() {
    scenePending_ = true;
    framePending_.reset();
    write();
  }
  void publish(const SharedBytes& frame) {
    framePending_ = frame;
    write();
  }
  void send(std::string text) {
    if (texts_.size() >= kMostQueuedTexts) return close(websocket::close_code::try_again_later);
    texts_.push_back(std::make_shared<const std::string>(std::move(text)));
    write();
  }
  void refuse(const std::string& why) {
    if (++refusals_ >= kMostRefusals) return close(websocket::close_code::policy_error);
    send(why);
  }
  void close(websocket::close_code code) {
    if (closing_) return;
    closing_ = true;
    leave();
    // a peer that does not read cannot be asked to close
    if (writing_) {
      beast::get_lowest_layer(socket_).close();
      return;
    }
    socket_.async_close(code,
                        [self = shared_from_this()](ErrorCode) { beast::get_lowest_layer(self->socket_).close(); });
  }
  std::size_t queuedBytes() const {
    std::size_t sum = writing_ ? underwayBytes_ : 0;
    for (const auto& text : texts_) sum += text->size();
    if (framePending_) sum += framePending_->size();
    if (scenePending_ && owner_.scene) sum += owner_.scene->size();
    return sum;
  }

 private:
  void open() {
    owner_.windows[id_] = shared_from_this();
    owner_.windowCount = static_cast<int>(owner_.windows.size());
    isOpen_ = true;
    owner_.note({Event::Kind::Opened, id_, {}});
    scenePending_ = owner_.scene != nullptr;
    framePending_ = owner_.frame;
    write();
    read();
  }

  void leave() {
    if (!isOpen_) return;
    isOpen_ = false;
    owner_.windows.erase(id_);
    owner_.windowCount = static_cast<int>(owner_.windows.size());
    owner_.note({Event::Kind::Closed, id_, {}});
  }

  void read() {
    socket_.async_read(in_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error || self->closing_) return self->leave();
      self->take();
    });
  }

  bool isWithinRate() {
    const Clock::time_point now = Clock::now();
    allowance_ += std::chrono::duration<double>(now - counted_).count() * kMessagesPerSecond;
    allowance_ = std::min<double>(allowance_, kMessageBurst);
    counted_ = now;
    return --allowance_ >= 0;
  }

  void take() {
    if (!isWithinRate()) return close(websocket::close_code::policy_error);
    std::string text = beast::buffers_to_string(in_.data());
    in_.consume(in_.size());
    if (text == "a") {
      underway_ = std::max(0, underway_ - 1);
      write();
    } else if (!socket_.got_text()) {
      refuse(R"({"error":"messages are JSON texts, found a binary one"})");
    } else if (!text.empty() && text[0] == 'k') {
      int code = 0;
      const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), code);
      if (error != std::errc() || end != text.data() + text.size() || code < 0) {
        refuse(R"({"error":"a key is k and its number"})");
      } else {
        owner_.noteKey({id_, code});
      }
    } else {
      owner_.note({Event::Kind::Text, id_, std::move(text)});
    }
    if (!closing_) read();
  }

  void write() {
    if (writing_ || !isOpen_ || closing_) return;
    if (scenePending_ && owner_.scene) {
      scenePending_ = false;
      bytes_ = owner_.scene;
      text_.reset();
    } else if (!texts_.empty()) {
      text_ = texts_.front();
      texts_.pop_front();
      bytes_.reset();
    } else if (framePending_ && underway_ < kMostFramesUnderway) {
      bytes_ = std::move(framePending_);
      framePending_.reset();
      text_.reset();
      ++underway_;
    } else {
      return;
    }
    writing_ = true;
    const bool isText = text_ != nullptr;
    socket_.text(isText);
    const asio::const_buffer buffer = isText ? asio::buffer(*text_) : asio::buffer(*bytes_);
    underwayBytes_ = buffer.size();
    socket_.async_write(buffer, [self = shared_from_this()](ErrorCode error, std::size_t) {
      self->writing_ = false;
      self->bytes_.reset();
      self->text_.reset();
      if (error) return self->leave();
      self->write();
    });
  }

  Impl& owner_;
  websocket::stream<beast::tcp_stream> socket_;
  const std::uint64_t id_;
  http::request<http::empty_body> request_;
  beast::flat_buffer in_{kMostMessageBytes + 1024};
  std::deque<std::shared_ptr<const std::string>> texts_;
  SharedBytes framePending_, bytes_;
  std::shared_ptr<const std::string> text_;
  std::size_t underwayBytes_ = 0;
  bool scenePending_ = false, writing_ = false, isOpen_ = false, closing_ = false;
  int underway_ = 0, refusals_ = 0;
  double allowance_;
  Clock::time_point counted_;
};

/// One request for the page, or to become a WebSocket.
class Server::Impl::Request : public std::enable_shared_from_this<Request> {
 public:
  Request(Impl& owner, tcp::socket&& socket) : owner_(owner), stream_(std::move(socket)) { ++owner_.connections; }
  ~Request() {
    --owner_.connections;
    owner_.requests.erase(this);
  }

  void start() {
    owner_.requests[this] = weak_from_this();
    read();
  }
  void stop() { stream_.close(); }

 private:
  void read() {
    parser_.emplace();
    parser_->header_limit(kMostHeaderBytes);
    parser_->body_limit(1024);
    stream_.expires_after(kRequestTime);
    http::async_read(stream_, in_, *parser_, [self = shared_from_this()](ErrorCode error, std::size_t) {
      if (error) return self->stream_.close();
      self->answer();
    });
  }

  void answer() {
    http::request<http::empty_body> request = parser_->release();
    const auto raw = request.target();
    const Target target = parseTarget(std::string_view(raw.data(), raw.size()));
    const std::string refusal = owner_.refusalOf(request, target.token);
    if (!refusal.empty()) return say(request, http::status::forbidden, refusal);
    if (websocket::is_upgrade(request)) {
      if (target.path != "/ws") return say(request, http::status::not_found, "there is no such socket");
      stream_.expires_never();
      const auto window = std::make_shared<Window>(owner_, std::move(stream_), ++owner_.lastClient);
      window->start(std::move(request));
      return;
    }
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return say(request, http::status::method_not_allowed, "only GET and HEAD");
    }
    if (target.path != "/" && target.path != "/index.html") return say(request, http::status::not_found, "not found");
    sendPage(request);
  }

  template <class Message>
  void secure(Message& message) {
    message.set(http::field::server, "sinew");
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    message.set("Referrer-Policy", "no-referrer");
    message.set("Cross-Origin-Resource-Policy", "same-origin");
    message.set("X-Frame-Options", "DENY");
  }

  void say(const http::request<http::empty_body>& request, http::status status, std::string_view text) {
    auto response = std::make_shared<http::response<http::string_body>>(status, request.version());
    secure(*response);
    response->set(http::field::content_type, "text/plain; charset=utf-8");
    response->keep_alive(false);
    response->body() = std::string(text) + "\n";
    response->prepare_payload();
    if (request.method() == http::verb::head) response->body().clear();
    stream_.expires_after(kRequestTime);
    http::async_write(stream_, *response,
                      [self = shared_from_this(), response](ErrorCode, std::size_t) { self->finish(); });
  }

  void sendPage(const http::request<http::empty_body>& request) {
    const auto encodings = request[http::field::accept_encoding];
    const bool takesGzip = std::string_view(encodings.data(), encodings.size()).find("gzip") != std::string_view::npos;
    auto response = std::make_shared<http::response<http::string_body>>(http::status::ok, request.version());
    secure(*response);
    response->set(http::field::content_type, "text/html; charset=utf-8");
    response->set(
        "Content-Security-Policy",
        fmt::format("default-src 'none'; script-src '{}'; style-src 'unsafe-inline'; connect-src 'self'; "
                    "img-src data: blob:; font-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
                    pageScriptHash()));
    if (takesGzip) {
      response->set(http::field::content_encoding, "gzip");
      const auto page = pageGzip();
      response->body().assign(page.begin(), page.end());
    } else {
      response->body() = pageText();
    }
    response->set(http::field::vary, "Accept-Encoding");
    response->keep_alive(request.keep_alive());
    response->prepare_payload();
    if (request.method() == http::verb::head) response->body().clear();
    stream_.expires_after(kRequestTime);
    http::async_write(stream_, *response, [self = shared_from_this(), response](ErrorCode error, std::size_t) {
      if (error || !response->keep_alive()) return self->finish();
      self->read();
    });
  }

  void finish() {
    ErrorCode ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.close();
  }

  Impl& owner_;
  beast::tcp_stream stream_;
  beast::flat_buffer in_{2 * kMostHeaderBytes};
  std::optional<http::request_parser<http::empty_body>> parser_;
};

void Server::Impl::accept() {
  acceptor.async_accept([this](ErrorCode error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!error && connections < kMostConnections) {
      ErrorCode ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Request>(*this, std::move(socket))->start();
    }
    accept();
  });
}

void Server::Impl::stop() {
  ErrorCode ignored;
  acceptor.close(ignored);
  for (const auto& [key, request] : std::map(requests)) {
    if (const auto alive = request.lock()) alive->stop();
  }
  for (const auto& [id, window] : std::map(windows)) window->close(websocket::close_code::going_away);
  // windows that do not answer are left after a moment
  auto timer = std::make_shared<asio::steady_timer>(io, std::chrono::milliseconds(300));
  timer->async_wait([this, timer](ErrorCode) { io.stop(); });
}

Server::Server(const ServerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Server::~Server() = default;

int Server::port() const { return impl_->port; }
bool Server::isOtherPort() const { return impl_->options.port != 0 && impl_->options.port != impl_->port; }
const std::string& Server::token() const { return impl_->token; }

std::string Server::url() const {
  std::string host = impl_->options.host;
  if (host == "0.0.0.0" || host == "::") host = impl_->machine.empty() ? "localhost" : impl_->machine;
  if (host.find(':') != host.npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}/?token={}", host, impl_->port, impl_->token);
}

std::vector<Event> Server::takeEvents() {
  const std::lock_guard lock(impl_->mutex);
  return std::exchange(impl_->events, {});
}

void Server::waitForEvents(std::chrono::microseconds most) {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait_for(lock, most, [&] { return !impl_->events.empty(); });
}

std::vector<KeyPress> Server::takeKeys(std::chrono::microseconds most) {
  std::unique_lock lock(impl_->mutex);
  impl_->changed.wait_for(lock, most, [&] { return !impl_->keys.empty(); });
  return std::exchange(impl_->keys, {});
}

void Server::setScene(SharedBytes scene) {
  asio::post(impl_->io, [impl = impl_.get(), scene = std::move(scene)] {
    impl->scene = scene;
    impl->frame.reset();
    for (const auto& [id, window] : impl->windows) window->setScene();
  });
}

void Server::publish(SharedBytes frame) {
  asio::post(impl_->io, [impl = impl_.get(), frame = std::move(frame)] {
    impl->frame = frame;
    std::size_t queued = 0;
    for (const auto& [id, window] : impl->windows) {
      window->publish(frame);
      queued += window->queuedBytes();
    }
    impl->queued = queued;
  });
}

void Server::send(std::uint64_t client, std::string text) {
  asio::post(impl_->io, [impl = impl_.get(), client, text = std::move(text)]() mutable {
    if (const auto found = impl->windows.find(client); found != impl->windows.end()) {
      const auto window = found->second;
      window->send(std::move(text));
    }
  });
}

void Server::sendToAll(const std::string& text) {
  asio::post(impl_->io, [impl = impl_.get(), text] {
    for (const auto& [id, window] : std::map(impl->windows)) window->send(text);
  });
}

void Server::refuse(std::uint64_t client, const std::string& why) {
  asio::post(impl_->io, [impl = impl_.get(), client, why] {
    if (const auto found = impl->windows.find(client); found != impl->windows.end()) {
      const auto window = found->second;
      window->refuse(why);
    }
  });
}

int Server::windows() const { return impl_->windowCount; }
std::size_t Server::queuedBytes() const { return impl_->queued; }

}  // namespace sinew::view
