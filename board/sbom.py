#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sbom.py ROOT BOOT_PACKAGES SWIFT_PACKAGES VERSION: what is in an image, as SPDX 2.3 in JSON.

Debian packages from ROOT's dpkg status and from the .deb files in BOOT_PACKAGES, Swift packages from SwiftPM's list of
what was resolved. Every licence of a Debian package lies in the image, in /usr/share/doc/PACKAGE/copyright, or LICENCE.* on
the FAT partition for what is there.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

# Of what is linked into martlet; a package that is not here has to be looked at by somebody first.
SWIFT_LICENCES = {
    "grdb.swift": "MIT",
    "swift-argument-parser": "Apache-2.0 WITH Swift-exception",
    "swift-log": "Apache-2.0",
    "swift-protobuf": "Apache-2.0 WITH Swift-exception",
}
STANDARD_LIBRARY = "Apache-2.0 WITH Swift-exception"


def fields(paragraph):
    """The one-line fields of a paragraph of a Debian control file."""
    return dict(line.split(": ", 1) for line in paragraph.splitlines() if re.match(r"[A-Za-z-]+: ", line))


def installed(root):
    status = (root / "var/lib/dpkg/status").read_text()
    return [fields(paragraph) for paragraph in status.split("\n\n") if "\nStatus: install ok installed" in paragraph]


def unpacked(folder):
    for package in sorted(folder.glob("*.deb")):
        yield fields(subprocess.run(["dpkg-deb", "-f", package], capture_output=True, text=True, check=True).stdout)


def package(kind, name, version, licence, locator, **more):
    identifier = re.sub("[^A-Za-z0-9.-]", "-", f"SPDXRef-{kind}-{name}")
    return {
        "SPDXID": identifier, "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "NOASSERTION", "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}],
        **more,
    }


def debian(control, licence="/usr/share/doc/{}/copyright"):
    name, version = control["Package"], control["Version"]
    source = control.get("Source", name).split(" ")[0]
    return package(
        "Debian", name, version, "NOASSERTION",
        f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={control['Architecture']}",
        sourceInfo=f"built from Debian source package {source}",
        licenseComments=f"see {licence.format(name)}")


def swift(pin):
    location, state = pin["location"].removesuffix(".git"), pin["state"]
    return package(
        "Swift", pin["identity"], state["version"], SWIFT_LICENCES[pin["identity"]],
        f"pkg:swift/{location.removeprefix('https://')}@{state['version']}",
        sourceInfo=f"git revision {state['revision']}", comment="linked into martlet")


def main(root, boot_packages, swift_packages, version, swift_release):
    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    packages = [debian(control) for control in installed(pathlib.Path(root))]
    packages += [debian(control, "LICENCE.* on the FAT partition") for control in unpacked(pathlib.Path(boot_packages))]
    packages += [swift(pin) for pin in json.loads(pathlib.Path(swift_packages).read_text())["pins"]]
    packages.append(package("Swift", "standard-library", swift_release, STANDARD_LIBRARY,
                            f"pkg:swift/github.com/swiftlang/swift@{swift_release}", comment="linked into martlet"))
    # Headers alone, compiled in; in the Swift SDK's system, whose version the image's packages have.
    packages.append(package("Linked", "toml++", "NOASSERTION", "MIT", "pkg:github/marzer/tomlplusplus",
                            comment="linked into martlet"))
    packages.sort(key=lambda item: item["SPDXID"])
    digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"martlet-image-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/martlet-image-{version}-{digest[:16]}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: martlet-sbom"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": item["SPDXID"]}
            for item in packages],
    }
    print(json.dumps(document, indent=1, ensure_ascii=False))


main(*sys.argv[1:])
