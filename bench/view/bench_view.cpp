// What watching costs: share of a core that the viewer takes at 60 pictures per second with one window, without the
// steps of the simulation; bytes per picture; and size of replay files.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "scenes/scenes.h"
#include "sinew/load.h"
#include "sinew/replay.h"
#include "sinew/step.h"
#include "sinew/viewer.h"

namespace {

using namespace sinew;  // NOLINT(google-build-using-namespace)

double cpuSeconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// A window that takes every picture and says so, as the page does.
class Window {
 public:
  explicit Window(const std::string& url) {
    const std::size_t host = url.find("//") + 2, colon = url.find(':', host), slash = url.find('/', host);
    const int port = std::stoi(url.substr(colon + 1, slash - colon - 1));
    const std::string token = url.substr(url.find("token=") + 6);
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("no server");
    write(
        fmt::format("GET /ws?token={} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
                    token, port));
    thread_ = std::thread([this] { run(); });
  }
  ~Window() {
    shutdown(socket_, SHUT_RDWR);
    thread_.join();
    close(socket_);
  }
  std::atomic<long> frames{0}, bytes{0};
  std::atomic<double> cpu{0};

 private:
  void write(const std::string& text) {
    if (send(socket_, text.data(), text.size(), MSG_NOSIGNAL) < 0) throw std::runtime_error("the server is gone");
  }
  void run() {
    std::string in;
    std::vector<char> part(1 << 16);
    bool isOpen = false;
    for (;;) {
      const ssize_t n = recv(socket_, part.data(), part.size(), 0);
      if (n <= 0) return;
      in.append(part.data(), static_cast<std::size_t>(n));
      if (!isOpen) {
        const std::size_t end = in.find("\r\n\r\n");
        if (end == in.npos) continue;
        in.erase(0, end + 4);
        isOpen = true;
      }
      while (in.size() >= 2) {
        std::size_t length = static_cast<unsigned char>(in[1]) & 127u, head = 2;
        const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
        if (in.size() < head + more) break;
        if (more > 0) {
          length = 0;
          for (std::size_t k = 0; k < more; ++k) length = 256 * length + static_cast<unsigned char>(in[2 + k]);
          head += more;
        }
        if (in.size() < head + length) break;
        if ((in[0] & 15) == 2 && length > 32 && in.compare(head, 4, "SNWF") == 0) {
          ++frames;
          bytes += static_cast<long>(length);
          write(std::string("\x81\x81\0\0\0\0a", 7));
        }
        in.erase(0, head + length);
      }
      cpu = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
    }
  }
  int socket_ = -1;
  std::thread thread_;
};

void watch(const char* name, const std::string& mjcf, double seconds) {
  const Spec spec = readMjcfText(mjcf, "scene.xml");
  Model m = compile(spec);
  Data d(m);
  for (int i = 0; i < 20; ++i) step(m, d);
  ViewerOptions options;
  options.port = 0;
  options.framesPerSecond = 1000;  // every call shows
  Viewer viewer(spec, m, d, options);
  Window window(viewer.url());
  const auto frame = std::chrono::microseconds(16667);
  auto next = std::chrono::steady_clock::now();
  for (int i = 0; i < 60; ++i) {
    viewer.sync();
    std::this_thread::sleep_until(next += frame);
  }
  const double cpu = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID), own = window.cpu;
  const long frames = window.frames, bytes = window.bytes;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < static_cast<int>(60 * seconds); ++i) {
    viewer.sync();
    std::this_thread::sleep_until(next += frame);
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double used = cpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - cpu - (window.cpu - own);
  const long n = window.frames - frames;
  fmt::print("{:<28}{:>8} vertices {:>6} bodies {:>8.1f} pictures/s {:>9} bytes/picture {:>7.2f} % of a core\n", name,
             m.nflexvert, m.nbody, static_cast<double>(n) / wall, n > 0 ? (window.bytes - bytes) / n : 0,
             100 * used / wall);
}

void record(const char* name, const std::string& mjcf, double seconds) {
  const Spec spec = readMjcfText(mjcf, "scene.xml");
  const Model m = compile(spec);
  Data d(m);
  d.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  Replay replay(spec, m);
  double cpu = 0;
  const int steps = static_cast<int>(seconds / m.opt.timestep);
  for (int i = 0; i <= steps; ++i) {
    if (replay.isDue(d)) {
      const double start = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
      replay.record(d);
      cpu += cpuSeconds(CLOCK_THREAD_CPUTIME_ID) - start;
    }
    step(m, d);
  }
  const double start = cpuSeconds(CLOCK_THREAD_CPUTIME_ID);
  const std::size_t size = replay.html().size();
  fmt::print("{:<28}{:>8} frames   {:>10} bytes, {:.1f} ms per frame to record, {:.2f} s to write\n", name,
             replay.frames(), size, 1e3 * cpu / replay.frames(), cpuSeconds(CLOCK_THREAD_CPUTIME_ID) - start);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::stod(argv[1]) : 5;
  std::string why;
  if (!hasViewer(&why)) {
    fmt::print(stderr, "{}\n", why);
    return 1;
  }
  fmt::print("viewer: one window at 60 pictures per second, the steps not counted\n");
  watch("humanoid", scenes::humanoidOnFloor().mjcf, seconds);
  watch("cloth of 80 x 80", scenes::hangingCloth(80).mjcf, seconds);
  fmt::print("replay files at 30 frames per second\n");
  record("humanoid, 10 s", scenes::humanoidOnFloor().mjcf, 10);
  record("cloth of 20 x 20, 2 s", scenes::softDrape().mjcf, 2);
  return 0;
}
