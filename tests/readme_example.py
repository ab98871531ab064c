"""Takes the example out of README.md, for the target readme_example: the C++ block below the line `<!-- example … -->`."""

import re
import sys
from pathlib import Path


def main():
    if len(sys.argv) != 3:
        print("usage: readme_example.py README.md OUTPUT.cpp", file=sys.stderr)
        return 2
    readme, output = Path(sys.argv[1]), Path(sys.argv[2])
    if not readme.exists():
        print(f"error: {readme} does not exist", file=sys.stderr)
        return 1
    blocks = re.findall(r"^<!-- example[^\n]*-->\n+```cpp\n(.*?)^```$", readme.read_text("utf-8"), re.M | re.S)
    if len(blocks) != 1:
        print(f"error: {readme} has {len(blocks)} C++ blocks below a line `<!-- example … -->`, expected 1", file=sys.stderr)
        return 1
    output.write_text(blocks[0], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
