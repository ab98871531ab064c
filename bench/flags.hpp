#pragma once

#include <string>
#include <vector>

#include "options.hpp"

namespace swiglu::bench {

struct Command {
  const char* name;
  char letter;
  const char* help;
};

/// An option of some commands.
struct Flag {
  const char* name;
  const char* argument;  ///< null = none
  const char* commands;  ///< letters of those that have it: an option that would do nothing is an error
  const char* help;      ///< null = not for people
  void (*set)(Options&, const std::string& value);

  bool belongs(const Command& command) const { return std::string(commands).find(command.letter) != std::string::npos; }
};

/// A line of --batch, which has options like a command.
inline constexpr Command kBatchLine = {"paired", 'b', ""};

/// Both in the order of --help.
const std::vector<Command>& commands();
const std::vector<Flag>& flags();

/// Null if there is none of that name.
const Command* find_command(const std::string& name);

}  // namespace swiglu::bench
