#include <algorithm>

#include "flags.hpp"

namespace swiglu::bench {
namespace {

void append_option(std::string& text, const std::string& left, const char* help) {
  std::string column = left;
  column.resize(column.size() < 26 ? 26 : column.size() + 1, ' ');
  text += "  " + column + help + "\n";
}

}  // namespace

std::string help_text(const std::string& command) {
  std::string text = "usage: swiglu-bench COMMAND [OPTIONS]\n\n";
  for (const auto& entry : commands()) {
    if (!command.empty() && command != entry.name) continue;
    text += "  " + std::string(entry.name) + std::string(11 - std::string(entry.name).size(), ' ') + entry.help + "\n";
  }
  const Command* one = find_command(command);
  if (command == "report") return text + "\nIts options: swiglu-bench report --help\n";
  const auto takes_implementations = [&](const Flag& flag) {
    return std::string(flag.name) == "--impl" && flag.belongs(*one);
  };
  if (one == nullptr || std::any_of(flags().begin(), flags().end(), takes_implementations)) {
    text += "\nImplementations:\n";
    for (const Implementation* impl : implementations()) {
      const std::string missing = impl->missing();
      append_option(text, impl->name + (impl->alias != nullptr ? std::string(" (") + impl->alias + ")" : ""),
                    (impl->what + (missing.empty() ? "" : " [not here: " + missing + "]")).c_str());
    }
  }
  text += "\nOptions (--key value or --key=value; LIST = 1,2,8 or a range: 1-512*2, 1-40, 1-40+3):\n";
  for (const auto& flag : flags()) {
    if (flag.help == nullptr || (one != nullptr && !flag.belongs(*one))) continue;
    append_option(text, flag.name + (flag.argument != nullptr ? std::string(" ") + flag.argument : ""), flag.help);
  }
  text +=
      "\nCtrl-C keeps what was measured, writes it and exits with 130 (paired --resume FILE goes on).\n"
      "Exit codes: 0 ok, 1 a wrong result, 2 usage or could not measure, 130 interrupted.\n";
  return text;
}

}  // namespace swiglu::bench
