#include "launches.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "commands.hpp"
#include "progress.hpp"

namespace swiglu::bench {
namespace {

/// The command line without what belongs to the run as a whole.
std::vector<std::string> without_run_options(const std::vector<std::string>& arguments) {
  std::vector<std::string> kept = {"/proc/self/exe"};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string name = arguments[i].substr(0, arguments[i].find('='));
    if (name == "--out" || name == "--resume" || name == "--format" || name == "--out-format" ||
        name == "--no-samples") {
      i += name != "--no-samples" && name == arguments[i] ? 1 : 0;  // its value is the next word
      continue;
    }
    kept.push_back(arguments[i]);
  }
  return kept;
}

}  // namespace

int run_launch(const Options& options, std::size_t index, const std::string& out, const std::string& done) {
  std::vector<std::string> words = without_run_options(options.arguments);
  words.insert(words.end(), {"--launch", std::to_string(index), "--out", out});
  if (!done.empty()) words.insert(words.end(), {"--resume", done});
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error(std::string("cannot start a launch: ") + std::strerror(errno));
  if (child == 0) {
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  bool told = false;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error(std::string("lost a launch: ") + std::strerror(errno));
    if (interrupted() && !told) kill(child, SIGTERM);
    told = interrupted();
  }
  if (WIFSIGNALED(status) && interrupted()) return kInterrupted;  // it was still starting
  if (!WIFEXITED(status)) throw std::runtime_error("a launch was killed by signal " + std::to_string(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 127) throw std::runtime_error("a launch could not be started");
  return WEXITSTATUS(status);
}

std::string launch_file(const std::string& out) {
  const std::string beside = out.empty() ? "/tmp/swiglu-bench" : out;
  return beside + ".launch" + std::to_string(getpid());
}

}  // namespace swiglu::bench
