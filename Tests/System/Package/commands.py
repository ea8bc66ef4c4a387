#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""commands.py PAGE - the commands of a page, in their order: its blocks of sh, but for those that a comment before them
excuses, with its reason. Fails where nothing would be run.
"""
import re
import sys

page = open(sys.argv[1]).read()
blocks = [block for excuse, block in re.findall(r"(<!-- not run by the test: [^>]+ -->\n)?```sh\n(.*?)```", page, re.S)
          if not excuse]
if not blocks:
    sys.exit(f"commands.py: {sys.argv[1]} has no commands")
print("\n".join(blocks))
