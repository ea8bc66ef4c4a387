#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of the files that somebody puts on the card: overlays/common/usr/lib/martlet/import-seed, without a card."""
import os
import pathlib
import stat
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "overlays/common/usr/lib/martlet/import-seed"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl you@computer"
GATEWAY = '[mqtt]\nhost = "broker.local"\npassword = "tr0ub4dor"\n\n[[sensor]]\nname = "T*"\nsubscribe = ["181a/2a6e"]\n'


class Seed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.card, self.root = self.folder / "card", self.folder / "root"
        (self.root / "etc/martlet").mkdir(parents=True)
        (self.root / "etc/martlet/martlet.toml").write_text("# as installed\n")
        self.card.mkdir()
        programs = self.folder / "bin"
        programs.mkdir()
        # The gateway's own judgement of a configuration is tested with the gateway: here a word makes it bad.
        (programs / "martlet").write_text(
            '#!/bin/sh\n[ "$1 $2" = "check-config --config" ] || exit 2\n'
            'line=$(grep -n hots "$3" | cut -d : -f 1)\n'
            '[ -z "$line" ] || { echo "$3:$line: unknown key \\"mqtt.hots\\""; exit 78; }\n')
        (programs / "martlet").chmod(0o755)
        self.environment = {**os.environ, "SEED_CARD": str(self.card), "SEED_ROOT": str(self.root),
                            "PATH": f"{programs}:{os.environ['PATH']}"}

    def put(self, text, name="martlet.toml"):
        data = text if isinstance(text, bytes) else text.encode()
        (self.card / name).write_bytes(data)
        return data

    def run_import(self):
        answer = subprocess.run(["sh", SCRIPT], env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout

    def problems(self):
        file = self.card / "martlet-problems.txt"
        return file.read_text() if file.exists() else ""

    def read(self, path):
        return (self.root / path).read_text()

    def mode(self, path):
        return stat.S_IMODE((self.root / path).stat().st_mode)

    def test_a_card_without_a_seed_changes_nothing(self):
        self.assertEqual(self.run_import(), "")
        self.assertEqual(self.read("etc/martlet/martlet.toml"), "# as installed\n")
        self.assertEqual(list(self.card.iterdir()), [])

    def test_the_gateways_part_becomes_its_configuration_and_the_units_part_does_not(self):
        self.put('[device]\nhostname = "attic"\n\n' + GATEWAY)
        self.run_import()
        self.assertEqual(self.read("etc/martlet/martlet.toml"), "\n\n\n" + GATEWAY, "each line where it was")
        self.assertEqual(self.mode("etc/martlet/martlet.toml"), 0o640)
        self.assertEqual(self.read("data/etc/hostname"), "attic\n")
        self.assertEqual(self.problems(), "")

    def test_what_is_left_out_stays_and_what_is_empty_goes(self):
        files = ("data/network/seed.nmconnection", "data/etc/hostname")
        self.put('[device]\nhostname = "attic"\nwifi_name = "home"\nwifi_password = "correct horse"\n')
        self.run_import()
        self.put(GATEWAY)
        self.run_import()
        self.assertTrue(all((self.root / file).exists() for file in files))
        keys = self.root / "data/ssh/authorized_keys"
        keys.parent.mkdir(parents=True, exist_ok=True)
        keys.write_text("ssh-ed25519 AAAA somebody\n")
        self.put('[device]\nhostname = ""\nwifi_name = ""\nssh_key = ""\n')
        self.run_import()
        self.assertFalse(keys.exists() or any((self.root / file).exists() for file in files))
        self.assertEqual(self.problems(), "")

    def test_an_import_that_cannot_be_written_is_told(self):
        self.put('[device]\nhostname = "attic"\n')
        (self.root / "data").mkdir()
        (self.root / "data/etc").write_text("in the way")
        answer = subprocess.run(["sh", SCRIPT], env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("could not take the file", self.problems())
        self.assertTrue((self.card / "martlet.toml").exists())

    def test_secrets_in_comments_and_behind_quoted_keys_are_overwritten_too(self):
        self.put("# password = \"hunter1\"\n" + GATEWAY + "[tls]\n'key_password' = \"hunter2\"\n")
        self.run_import()
        self.assertNotIn("hunter", (self.card / "martlet-imported.toml").read_text())

    def test_what_was_imported_is_renamed_and_its_secrets_are_overwritten_in_place(self):
        text = ('[device]\nwifi_name = "home"\nwifi_password = "correct horse" # not this\n' + GATEWAY
                + 'passkey = \'019655\'\n[tls]\nkey_file = "/a"')
        before = self.put(text)
        inode = (self.card / "martlet.toml").stat().st_ino
        self.run_import()
        self.assertFalse((self.card / "martlet.toml").exists())
        imported = self.card / "martlet-imported.toml"
        after = imported.read_bytes()
        self.assertEqual(imported.stat().st_ino, inode, "the same clusters of the card")
        self.assertEqual(len(after), len(before))
        for secret in (b"correct horse", b"tr0ub4dor", b"019655"):
            self.assertNotIn(secret, after)
        for kept in (b'wifi_name = "home"', b'host = "broker.local"', b"# not this", b'key_file = "/a"'):
            self.assertIn(kept, after)

    def test_secrets_in_unusual_places_are_overwritten(self):
        rows = ['password="a\\"bcSECRET"', "mqtt = { host = \"x\", password = \"SECRET\" }", 'mqtt.password = "SECRET"',
                'password = """SECRET', 'password = SECRET', '"password" = "SECRET"', 'passkey = "SECRET" # "quoted"']
        for row in rows:
            with self.subTest(row):
                text = f"[mqtt]\n{row}\n" + ('SECRET"""\nhost = "y"\n' if '"""' in row else 'host = "y"\n')
                self.put(text, "martlet-imported.toml")
                self.run_import()
                after = (self.card / "martlet-imported.toml").read_text()
                self.assertNotIn("SECRET", after)
                self.assertEqual(len(after), len(text))
                self.assertIn('host = "y"', after)

    def test_power_that_was_cut_between_renaming_and_overwriting_leaves_no_secret(self):
        self.put(GATEWAY, "martlet-imported.toml")
        self.run_import()
        self.assertNotIn("tr0ub4dor", (self.card / "martlet-imported.toml").read_text())
        self.assertEqual(self.read("etc/martlet/martlet.toml"), "# as installed\n", "asterisks are no password")

    def test_a_mistake_is_told_on_the_card_and_the_old_configuration_stays(self):
        self.put('[device]\nhostname = "attic"\n[mqtt]\nhots = "x"\n')
        said = self.run_import()
        self.assertIn('unknown key "mqtt.hots"', self.problems())
        self.assertIn("martlet.toml:4", self.problems())
        self.assertIn("<4>", said)
        self.assertEqual(self.read("etc/martlet/martlet.toml"), "# as installed\n")
        self.assertEqual(self.read("data/etc/hostname"), "attic\n", "what is right of the unit's part is taken")
        self.assertTrue((self.card / "martlet.toml").exists(), "to be put right")
        self.put(GATEWAY)
        self.run_import()
        self.assertEqual(self.problems(), "")
        self.assertFalse((self.card / "martlet-problems.txt").exists())

    def test_a_wlan_goes_to_network_manager_so_that_no_character_means_anything(self):
        self.put('[device]\nwifi_name = "a;b\\\\c ü"\nwifi_password = " pass\\\\w;rd "\nwifi_country = "DE"\n')
        self.run_import()
        text = self.read("data/network/seed.nmconnection")
        self.assertIn("ssid=97;59;98;92;99;32;195;188;\n", text)
        self.assertIn("psk=\\spass\\\\w;rd\\s\n", text)
        self.assertEqual(self.mode("data/network/seed.nmconnection"), 0o600)
        self.assertEqual(self.read("data/etc/wifi-country"), "DE\n")
        self.assertEqual(self.read("etc/martlet/martlet.toml"), "# as installed\n", "nothing was said of the gateway")

    def test_a_wlan_password_that_cannot_be_used_is_told(self):
        hexadecimal = "0123456789abcdef" * 4
        self.put(f'[device]\nwifi_name = "home"\nwifi_password = "{hexadecimal}"\n')
        self.run_import()
        self.assertIn(f"psk={hexadecimal}\n", self.read("data/network/seed.nmconnection"))
        for lines, word in (('wifi_password = "correct horse"', "needs wifi_name"),
                            (f'wifi_name = "home"\nwifi_password = "{"x" * 64}"', "64 characters")):
            with self.subTest(lines):
                self.put(f"[device]\n{lines}\n")
                self.run_import()
                self.assertIn(word, self.problems())
                self.assertTrue((self.card / "martlet.toml").exists())

    def test_a_file_to_which_an_editor_has_added_an_ending_is_taken(self):
        for name in ("martlet.toml.txt", "martlet.toml.toml"):
            with self.subTest(name):
                self.put(GATEWAY, name)
                self.assertIn("imported", self.run_import())
                self.assertFalse((self.card / name).exists())

    def test_a_mistake_in_one_file_is_told_even_when_the_other_one_is_right(self):
        self.put('[wlan]\nssid = "home"\npassword = "short"\n', "rpi-preseed.toml")
        self.put(GATEWAY)
        self.run_import()
        self.assertIn("wifi_password", self.problems())
        self.assertTrue((self.card / "rpi-preseed.toml").exists())
        self.assertTrue((self.card / "martlet-imported.toml").exists())

    def test_the_script_of_an_imager_that_does_not_know_the_image_is_removed(self):
        script = self.card / "firstrun.sh"
        script.write_text("#!/bin/sh\nset_wlan 'home' 'hunter2'\n")
        with script.open("rb") as held:
            self.assertIn("was removed", self.run_import())
            self.assertNotIn(b"hunter2", held.read(), "its clusters keep nothing")
        self.assertFalse(script.exists())

    def test_a_hidden_wlan_is_said_to_be_one(self):
        self.put('[device]\nwifi_name = "home"\nwifi_password = 12345678\nwifi_hidden = true  # yes\n')
        self.run_import()
        text = self.read("data/network/seed.nmconnection")
        self.assertIn("hidden=true\n", text)
        self.assertIn("psk=12345678\n", text, "digits without quotation marks are no reason for an open WLAN")
        self.put('[device]\nwifi_name = "home"\nwifi_hidden = "perhaps"\n')
        self.run_import()
        self.assertIn("wifi_hidden", self.problems())

    def test_several_ssh_keys_are_taken(self):
        self.put(f'[device]\nssh_key = ["{KEY}",\n  "{KEY}2"]  # both\nhostname = "attic"\n' + GATEWAY)
        self.run_import()
        self.assertEqual(self.problems(), "")
        self.assertEqual(self.read("data/ssh/authorized_keys"), f"{KEY}\n{KEY}2\n")
        self.assertEqual(self.read("data/etc/hostname"), "attic\n")
        self.assertEqual(self.read("etc/martlet/martlet.toml"), "\n\n\n\n" + GATEWAY)

    def test_an_open_wlan_has_no_security_section(self):
        self.put('[device]\nwifi_name = "open"\n')
        self.run_import()
        self.assertNotIn("wifi-security", self.read("data/network/seed.nmconnection"))

    def test_an_ssh_key_is_taken_and_what_is_none_is_not(self):
        self.put(f'[device]\nssh_key = "{KEY}"\n')
        self.run_import()
        self.assertEqual(self.read("data/ssh/authorized_keys"), KEY + "\n")
        self.assertEqual(self.mode("data/ssh/authorized_keys"), 0o600)
        self.put('[device]\nssh_key = "ssh-ed25519 nonsense"\n')
        self.run_import()
        self.assertIn("no public key", self.problems())
        self.assertEqual(self.read("data/ssh/authorized_keys"), KEY + "\n")

    def test_values_out_of_range_are_refused_by_name(self):
        rows = {'hostname = "a b"': "hostname", 'hostname = "-a"': "hostname", 'wifi_country = "de"': "wifi_country",
                'wifi_name = "' + "x" * 33 + '"': "wifi_name", 'wifi_name = "x"\nwifi_password = "short"': "wifi_password",
                'hots = "x"': '"hots" is not known', "hots = true": '"hots" is not known',
                'ssh_key = ["a",': "has no end", "ssh_key = [a]": "line 2", "hostname = attic": "line 2", 'hostname = "a" b': "line 2",
                'hostname = "a\\nb"': "line 2", "what is this": "line 2"}
        for row, expected in rows.items():
            with self.subTest(row):
                self.put(f"[device]\n{row}\n")
                self.run_import()
                self.assertIn(expected, self.problems())
                self.assertFalse((self.root / "data/etc/hostname").exists())
                self.assertFalse((self.root / "data/network").exists())

    def test_a_file_written_by_windows_is_read_as_it_was_meant(self):
        self.put(b"\xef\xbb\xbf" + ('[device]\nhostname = "attic"\n' + GATEWAY).replace("\n", "\r\n").encode())
        self.run_import()
        self.assertEqual(self.read("data/etc/hostname"), "attic\n")
        self.assertEqual(self.read("etc/martlet/martlet.toml"), "\n\n" + GATEWAY)

    def test_the_file_of_raspberry_pi_imager_says_name_wlan_and_keys(self):
        self.put(f'config_version = "1.0"\n\n[system]\nhostname = "pi"\n\n[user]\nname = "pi"\npassword = "$5$abc"\n'
                 f'password_encrypted = true\ngroups = ["sudo"]\n\n[ssh]\nenabled = true\n'
                 f'password_authentication = false\nauthorized_keys = [\n  "{KEY}",\n  "{KEY}2",\n]\n\n'
                 f'[wlan]\nssid = "home"\npassword = "{"a1" * 32}"\npassword_encrypted = true\nhidden = true\n'
                 f'country = "GB"\n\n[locale]\ntimezone = "Europe/London"\n\n'
                 f'[connect]\nenabled = true\nmode = "token"\ntoken = "rpuak_abc"\n', "rpi-preseed.toml")
        self.run_import()
        self.assertEqual(self.problems(), "")
        self.assertEqual(self.read("data/etc/hostname"), "pi\n")
        self.assertIn("psk=" + "a1" * 32, self.read("data/network/seed.nmconnection"))
        self.assertEqual(self.read("data/ssh/authorized_keys").count("ssh-ed25519"), 2)
        self.assertIn("hidden=true\n", self.read("data/network/seed.nmconnection"))
        imported = (self.card / "rpi-preseed-imported.toml").read_text()
        for secret in ("a1a1", "$5$abc", "rpuak"):
            self.assertNotIn(secret, imported)
        self.assertIn("password_encrypted = true", imported)


if __name__ == "__main__":
    unittest.main()
