"""unittest's main, with a line for each skip that scripts/lib/skipped_tests finds in CTest's log."""

import unittest


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.write(f"\nSKIPPED: {reason}\n")


def main():
    unittest.main(testRunner=unittest.TextTestRunner(resultclass=Result))
