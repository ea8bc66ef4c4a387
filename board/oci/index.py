#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""index.py LAYOUT NAME ARCHITECTURE... - makes one image NAME of the images in LAYOUT that are named after their
architectures: an image index, from which every runtime takes what it can run. umoci knows only images of one platform.

On the way, layers are compressed anew: umoci's are a tenth larger. gzip, because every runtime can read that. And the
configuration gets the health check, which Docker reads there and OCI has no word for.
"""
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tempfile

INDEX = "application/vnd.oci.image.index.v1+json"
NAME = "org.opencontainers.image.ref.name"
# The variant is what Docker and containerd call their arm64.
PLATFORMS = {"amd64": {"architecture": "amd64", "os": "linux"},
             "arm64": {"architecture": "arm64", "os": "linux", "variant": "v8"}}
# Not by a shell, as Docker's --health-cmd would have it: there is none. Times in nanoseconds.
HEALTH = {"Test": ["CMD", "martlet", "status"], "Interval": 60_000_000_000, "Timeout": 10_000_000_000,
          "StartPeriod": 30_000_000_000, "Retries": 3}


class Layout:
    def __init__(self, folder):
        self.folder = folder

    def path(self, digest):
        return f"{self.folder}/blobs/{digest.replace(':', '/')}"

    def read(self, digest):
        with open(self.path(digest), "rb") as file:
            return file.read()

    def put(self, content):
        """What a descriptor says of a blob that is added."""
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        with open(self.path(digest), "wb") as file:
            file.write(content)
        return {"digest": digest, "size": len(content)}

    def put_json(self, value):
        return self.put(json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


def compressed(content):
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        return subprocess.run(["libdeflate-gzip", "-12", "-c"], stdin=open(file.name, "rb"), check=True,
                              capture_output=True).stdout


def finished(layout, digest):
    """The image of that manifest with all that is not umoci's: its manifest, and what a descriptor says of it."""
    manifest = json.loads(layout.read(digest))
    old = [digest, manifest["config"]["digest"], *(layer["digest"] for layer in manifest["layers"])]
    for layer in manifest["layers"]:
        layer.update(layout.put(compressed(gzip.decompress(layout.read(layer["digest"])))))
    configuration = json.loads(layout.read(manifest["config"]["digest"]))
    configuration["config"]["Healthcheck"] = HEALTH
    manifest["config"].update(layout.put_json(configuration))
    for digest in old:
        os.remove(layout.path(digest))
    return manifest, layout.put_json(manifest)


def main(folder, name, architectures):
    layout = Layout(folder)
    with open(f"{folder}/index.json") as file:
        images = {entry["annotations"][NAME]: entry for entry in json.load(file)["manifests"]}
    manifests = []
    for architecture in architectures:
        manifest, descriptor = finished(layout, images[architecture]["digest"])
        manifests.append({"mediaType": images[architecture]["mediaType"], **descriptor,
                          "platform": PLATFORMS[architecture]})
    index = layout.put_json({"schemaVersion": 2, "mediaType": INDEX, "manifests": manifests,
                             "annotations": manifest.get("annotations", {})})
    with open(f"{folder}/index.json", "w") as file:
        json.dump({"schemaVersion": 2, "mediaType": INDEX,
                   "manifests": [{"mediaType": INDEX, **index, "annotations": {NAME: name}}]},
                  file, sort_keys=True, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
