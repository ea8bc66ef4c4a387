#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ports of the image's firewall: overlays/common/usr/lib/martlet/open-ports, with stand-ins, and the firewall's own file."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

OVERLAY = pathlib.Path(__file__).resolve().parents[3] / "overlays/common"
SCRIPT = OVERLAY / "usr/lib/martlet/open-ports"
UNIT = OVERLAY / "usr/lib/systemd/system/martlet-ports.service"
FIREWALL = OVERLAY / "etc/nftables.conf"
MARTLET = """#!/bin/sh
[ "$*" = open-ports ] || exit 2
[ -z "$STATUS" ] || { echo "martlet.toml:3: a mistake" >&2; exit "$STATUS"; }
printf "$PORTS"
"""
NFT = """#!/bin/sh
[ "$*" = "-f -" ] || exit 2
cat >"$RULES"
"""


class Ports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("martlet", MARTLET), ("nft", NFT)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        self.rules = self.folder / "rules"

    def open(self, *words, ports="", status=""):
        environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", "PORTS": ports, "STATUS": status,
                       "RULES": str(self.rules)}
        return subprocess.run(["sh", SCRIPT, *words], env=environment, capture_output=True, text=True, timeout=60)

    def lines(self):
        return self.rules.read_text().splitlines()

    def test_the_ports_of_the_configuration_are_open_and_no_others(self):
        answer = self.open(ports="8443\\n9100\\n")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        self.assertEqual(self.lines(), ["flush set inet filter gateway_ports", "add element inet filter gateway_ports { 8443 }",
                                        "add element inet filter gateway_ports { 9100 }"])

    def test_a_page_for_the_machine_alone_opens_none(self):
        self.assertEqual(self.open().returncode, 0)
        self.assertEqual(self.lines(), ["flush set inet filter gateway_ports"])

    def test_the_end_closes_them_whatever_the_configuration_says(self):
        self.assertEqual(self.open("--none", ports="8443\\n").returncode, 0)
        self.assertEqual(self.lines(), ["flush set inet filter gateway_ports"])

    def test_a_configuration_with_a_mistake_changes_nothing(self):
        answer = self.open(status="78")
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("a mistake", answer.stderr)
        self.assertFalse(self.rules.exists())

    def test_what_is_no_number_reaches_no_firewall(self):
        for ports in ("80;", "8443 }", "-1"):
            self.assertNotEqual(self.open(ports=ports).returncode, 0)
        self.assertFalse(self.rules.exists())

    def test_the_firewall_has_the_set_and_a_rule_for_it(self):
        text = FIREWALL.read_text()
        self.assertRegex(text, r"set gateway_ports \{\s+type inet_service\s+\}")
        self.assertRegex(text, r"tcp dport @gateway_ports ct state new .*accept")
        if shutil.which("nft"):
            answer = subprocess.run(["unshare", "-rn", "nft", "-c", "-f", FIREWALL], capture_output=True, text=True, timeout=60)
            self.assertEqual(answer.returncode, 0, answer.stderr)

    def test_the_service_sees_nothing_that_the_gateway_has_written(self):
        text = UNIT.read_text()
        self.assertIn("InaccessiblePaths=-/var/lib/martlet", text)
        self.assertEqual(re.findall(r"^CapabilityBoundingSet=(.*)$", text, re.MULTILINE), ["CAP_NET_ADMIN"])
        self.assertIn("WantedBy=martlet.service", text)


if __name__ == "__main__":
    unittest.main()
