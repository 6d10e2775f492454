#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#include "render/gif.h"
#include "sinew/errors.h"
#include "sinew/files.h"
#include "sinew/renderer.h"

extern char** environ;

namespace sinew {
namespace {

namespace fs = std::filesystem;

std::string endingOf(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

bool isVideo(const std::string& ending) {
  return ending == ".mp4" || ending == ".webm" || ending == ".mkv" || ending == ".mov" || ending == ".avi";
}

/// The program ffmpeg on the search path; empty: it is not installed.
std::string findFfmpeg() {
  const char* path = std::getenv("PATH");
  if (!path) return {};
  const std::string_view all(path);
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const fs::path candidate = fs::path(all.substr(begin, end - begin)) / "ffmpeg";
    if (end > begin && access(candidate.c_str(), X_OK) == 0) return candidate.string();
    begin = end + 1;
  }
  return {};
}

}  // namespace

struct AnimationWriter::Impl {
  fs::path file;
  int width, height;
  double fps;
  bool finished = false;
  // GIF
  std::optional<FileReplacement> gif;
  double shown = 0;  ///< pictures so far, in centiseconds
  int spent = 0;
  // video
  fs::path part;
  pid_t child = -1;
  int pipe = -1;

  Impl(const fs::path& f, int w, int h, double rate) : file(f), width(w), height(h), fps(rate) {
    const std::string ending = endingOf(file);
    if (!canWrite(file)) {
      throw LoadError(fmt::format("\"{}\": the ending \"{}\" is not one of .gif, .mp4, .webm, .mkv, .mov, .avi",
                                  file.string(), ending));
    }
    const double most = ending == ".gif" ? 50 : 240;
    if (!(fps >= 0.1 && fps <= most)) {
      throw LoadError(fmt::format("{} pictures per second: a {} file takes 0.1 to {}", fps, ending.substr(1), most));
    }
    if (width < 1 || height < 1) throw LoadError(fmt::format("an animation of {} x {} pixels", width, height));
    requireWritable(file);
    if (ending == ".gif") {
      gif.emplace(file);
      write(render::gifHeader(width, height));
    } else {
      startFfmpeg(ending);
    }
  }

  ~Impl() {
    if (pipe >= 0) close(pipe);
    if (child > 0) {
      int status = 0;
      waitpid(child, &status, 0);
    }
    std::error_code error;
    if (!finished && !part.empty()) fs::remove(part, error);
  }

  void write(const std::string& bytes) { gif->write(std::as_bytes(std::span(bytes))); }

  void startFfmpeg(const std::string& ending) {
    const std::string program = findFfmpeg();
    if (program.empty()) {
      throw LoadError(fmt::format(
          "\"{}\": videos are made by the program ffmpeg, which is not installed (apt install ffmpeg); .gif and .png "
          "need nothing else",
          file.string()));
    }
    part = file;
    part += ".part" + ending;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw LoadError(fmt::format("no pipe to ffmpeg: {}", std::strerror(errno)));
    pipe = ends[1];
    const std::string size = fmt::format("{}x{}", width, height), rate = fmt::format("{}", fps);
    std::vector<std::string> words{program,
                                   "-hide_banner",
                                   "-loglevel",
                                   "error",
                                   "-nostdin",
                                   "-y",
                                   "-f",
                                   "rawvideo",
                                   "-pix_fmt",
                                   "rgb24",
                                   "-s",
                                   size,
                                   "-r",
                                   rate,
                                   "-i",
                                   "pipe:0",
                                   "-an",
                                   "-vf",
                                   "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                                   "-pix_fmt",
                                   "yuv420p"};
    if (ending == ".mp4" || ending == ".mov") words.insert(words.end(), {"-crf", "18", "-movflags", "+faststart"});
    words.push_back("file:" + part.string());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    // in a group of its own: Ctrl-C goes to all programs of a terminal's group, and ffmpeg has to complete the film
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int error = posix_spawn(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (error != 0) {
      child = -1;
      throw LoadError(fmt::format("ffmpeg could not be started: {}", std::strerror(error)));
    }
  }

  /// Writes to the pipe; a reader that is gone is an error here, not a signal.
  void send(const std::uint8_t* data, std::size_t count) {
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before);
    int failure = 0;
    while (count > 0 && failure == 0) {
      const ssize_t n = ::write(pipe, data, count);
      if (n < 0) {
        if (errno != EINTR) failure = errno;
        continue;
      }
      data += n, count -= static_cast<std::size_t>(n);
    }
    sigaction(SIGPIPE, &before, nullptr);
    if (failure != 0) {
      throw LoadError(fmt::format("\"{}\": ffmpeg stopped reading: {}", file.string(), std::strerror(failure)));
    }
  }

  void add(const Image& image) {
    if (image.width != width || image.height != height ||
        image.pixels.size() != 3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
      throw LoadError(fmt::format("a picture of {} x {} pixels in an animation of {} x {}", image.width, image.height,
                                  width, height));
    }
    if (!gif) {
      send(image.pixels.data(), image.pixels.size());
      return;
    }
    // hundredths of a second, rounded so that they add up
    shown += 100 / fps;
    const int time = std::max(1, static_cast<int>(std::lround(shown)) - spent);
    spent += time;
    write(render::gifPicture(image, time));
  }

  void finish() {
    if (finished) return;
    if (gif) {
      write(render::gifEnd());
      gif->commit();
      finished = true;
      return;
    }
    close(pipe);
    pipe = -1;
    int status = 0;
    waitpid(child, &status, 0);
    child = -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      throw LoadError(fmt::format("\"{}\": ffmpeg failed with status {}", file.string(), WEXITSTATUS(status)));
    }
    std::error_code error;
    fs::rename(part, file, error);
    if (error) throw LoadError(fmt::format("\"{}\": {}", file.string(), error.message()));
    finished = true;
  }
};

AnimationWriter::AnimationWriter(const fs::path& file, int width, int height, double fps)
    : impl_(std::make_unique<Impl>(file, width, height, fps)) {}
AnimationWriter::~AnimationWriter() = default;
void AnimationWriter::add(const Image& image) { impl_->add(image); }
void AnimationWriter::finish() { impl_->finish(); }
bool AnimationWriter::canWrite(const fs::path& file) {
  const std::string ending = endingOf(file);
  return ending == ".gif" || isVideo(ending);
}

}  // namespace sinew
