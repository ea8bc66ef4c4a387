#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is left of ICU's data: board/icu_data.py."""
import pathlib
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "board"))
import icu_data  # noqa: E402


def header():
    """UDataInfo of a package of data, with the length that it says."""
    return struct.pack("<H", 32) + b"\xda\x27" + struct.pack("<HH", 20, 0) + bytes(4) + b"CmnD" + bytes(16)


class Data(unittest.TestCase):
    def test_languages_go_and_all_else_stays(self):
        for name in ["de.res", "zh_Hant_TW.res", "coll/sv.res", "coll/de_.res", "zone/fil.res", "curr/en_GB.res", "euc-jp-2007.cnv",
                     "brkitr/cjdict.dict", "translit/root.res"]:
            self.assertFalse(icu_data.is_wanted(name), name)
        for name in ["root.res", "en.res", "en_001.res", "curr/en_US.res", "res_index.res", "lang/pool.res", "zoneinfo64.res",
                     "timezoneTypes.res", "plurals.res", "coll/ucadata.icu", "uts46.nrm", "brkitr/word.brk", "rfc3491.spp"]:
            self.assertTrue(icu_data.is_wanted(name), name)

    def test_what_is_packed_is_read_again(self):
        items = [(f"icudt99l/{name}", octets) for name, octets in
                 [("a.icu", b"first"), ("b.icu", b"\0" * 16), ("c.nrm", b"third" * 7), ("zone/zu.res", b"last")]]
        packed = icu_data.packed(header(), items)
        for start in (0, 5, 4096):
            found, read = icu_data.read(b"!" * start + packed + b"what follows")
            self.assertEqual(found, header())
            self.assertEqual([(name, octets[:len(items[index][1])]) for index, (name, octets) in enumerate(read)], items[:3])
        # ICU looks for a name by halves.
        names = [name for name, _ in items]
        self.assertEqual(names, sorted(names))
        places = [struct.unpack_from("<II", packed, 32 + 4 + 8 * index)[1] for index in range(4)]
        self.assertEqual([(32 + place) % 16 for place in places], [0] * 4)

    def test_what_cannot_be_cut_is_said(self):
        for library in [b"no data", b"CmnD", icu_data.packed(header(), [("icudt99l/a.icu", b"the last one is wanted")])]:
            with self.assertRaises(SystemExit):
                icu_data.read(library)

    def test_the_linker_takes_it_in_place_of_the_librarys(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            library = folder / "lib.a"
            packed = icu_data.packed(header(), [("icudt99l/a.icu", b"kept"), ("icudt99l/de.res", b"gone"),
                                                ("icudt99l/zu.res", b"last")])
            sys.argv = ["icu_data.py", str(library), str(folder / "made")]
            library.write_bytes(packed)
            with self.assertRaises(SystemExit):
                icu_data.main()
            library.write_bytes(packed + b"\0icudt99_dat\0")
            icu_data.main()
            self.assertEqual((folder / "made" / "icudata.ld").read_text(), "icudt99_dat = martlet_icu_data;\n")
            self.assertIn("martlet_icu_data:", (folder / "made" / "icudata.s").read_text())
            data = (folder / "made" / "icudata.dat").read_bytes()
            self.assertIn(b"kept", data)
            self.assertNotIn(b"gone", data)


if __name__ == "__main__":
    unittest.main()
