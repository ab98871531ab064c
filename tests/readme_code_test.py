"""README.md shows code of files that are compiled and tested: below `<!-- code of FILE -->` there must be lines of FILE."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class ReadmeCode(unittest.TestCase):
    def test_blocks_are_lines_of_their_files(self):
        text = (ROOT / "README.md").read_text("utf-8")
        blocks = re.findall(r"^<!-- code of (\S+) -->\n+```cpp\n(.*?)^```$", text, re.M | re.S)
        self.assertEqual(len(blocks), text.count("<!-- code of "), "every such comment stands above a C++ block")
        self.assertGreaterEqual(len(blocks), 1)
        for name, code in blocks:
            with self.subTest(name):
                self.assertIn(code, (ROOT / name).read_text("utf-8"))


if __name__ == "__main__":
    unittest.main()
