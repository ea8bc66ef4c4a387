#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layer.py ROOT LAYER - the tree ROOT as a layer: sorted, of one time (SOURCE_DATE_EPOCH), with the owners that it has in
the image, whoever made it. What no file system takes from an ordinary user is written here: owners and the capability.
"""
import os
import stat
import struct
import sys
import tarfile

USER = 880  # of the user martlet, as on the flashed card
OWNED = {"var/lib/martlet", "run/martlet"}
GROUPED = {"etc/martlet", "etc/martlet/conf.d", "etc/martlet/martlet.toml"}
CAPABLE = {"usr/local/bin/martlet"}
CAP_NET_ADMIN = 12
VFS_CAP_REVISION_2 = 0x02000000

# linux/capability.h, struct vfs_cap_data: permitted and inheritable, two words each; no effective bit.
capability = struct.pack("<5I", VFS_CAP_REVISION_2, 1 << CAP_NET_ADMIN, 0, 0, 0).decode("ascii")


def entries(root):
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            yield os.path.relpath(os.path.join(folder, name), root)


def main(root, layer):
    time = int(os.environ["SOURCE_DATE_EPOCH"])
    left = OWNED | GROUPED | CAPABLE
    with tarfile.open(layer, "w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(entries(root)):
            status = os.lstat(f"{root}/{path}")
            entry = tarfile.TarInfo(path)
            entry.mtime, entry.mode = time, stat.S_IMODE(status.st_mode)
            entry.uid = USER if path in OWNED else 0
            entry.gid = USER if path in OWNED | GROUPED else 0
            left.discard(path)
            if path in CAPABLE:
                entry.pax_headers = {"SCHILY.xattr.security.capability": capability}
            if stat.S_ISLNK(status.st_mode):
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, os.readlink(f"{root}/{path}"), 0o777
                archive.addfile(entry)
            elif stat.S_ISDIR(status.st_mode):
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
            elif stat.S_ISREG(status.st_mode):
                entry.size = status.st_size
                with open(f"{root}/{path}", "rb") as content:
                    archive.addfile(entry, content)
            else:
                sys.exit(f"layer.py: {path} is neither file, folder nor link")
    if left:
        sys.exit(f"layer.py: not there: {', '.join(sorted(left))}")


if __name__ == "__main__":
    main(*sys.argv[1:])
