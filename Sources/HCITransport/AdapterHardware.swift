// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What root can do with an adapter of the kernel's that does not do its work: take its power, or take it from its driver and
/// give it back. By files of /sys, so that no other right is needed.
package struct AdapterHardware: Sendable {
    /// Why something could not be done, for a person.
    package struct Failure: Error, Equatable, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// `/sys`; tests have trees of their own.
    var root: String
    /// In seconds: how long it is without power, or without its driver.
    var rest: UInt32

    package init(root: String = "/sys", rest: UInt32 = 1) { (self.root, self.rest) = (root, rest) }

    /// Blocks the adapter's radio and lets it go (rfkill): adapters that are wired for it lose their power meanwhile.
    package func cyclePower(_ index: UInt16) throws(Failure) {
        let folder = "\(root)/class/bluetooth/hci\(index)"
        guard let entries = names(in: folder) else { throw missing(index) }
        guard let name = entries.filter({ $0.hasPrefix("rfkill") }).min() else {
            throw Failure(description: "hci\(index) has no switch (rfkill)")
        }
        let file = "\(folder)/\(name)/soft"
        try write("1", to: file)
        sleep(rest)
        try write("0", to: file)
    }

    /// Takes the adapter from its driver, or from its USB port, and gives it back. It is the same adapter afterwards, with the next
    /// free name.
    package func rebind(_ index: UInt16) throws(Failure) {
        let link = "\(root)/class/bluetooth/hci\(index)/device"
        guard let device = resolved(link) else { throw missing(index) }
        switch resolved("\(device)/subsystem").map({ lastComponent($0) }) {
        case "usb":
            // The adapter is one of the device's interfaces.
            let file = "\(device.dropLast(lastComponent(device).count))authorized"
            try write("0", to: file)
            sleep(rest)
            try write("1", to: file)
        case "serial":
            guard let driver = resolved("\(device)/driver") else {
                throw Failure(description: "hci\(index) has no driver at the moment")
            }
            let name = lastComponent(device)
            try write(name, to: "\(driver)/unbind")
            sleep(rest)
            try write(name, to: "\(driver)/bind")
        case let bus:
            throw Failure(
                description:
                    "hci\(index) is on \(bus ?? "a line that a program attached it to"), from which it cannot be taken")
        }
    }

    private func lastComponent(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// Nil where there is no such folder.
    private func names(in folder: String) -> [String]? {
        guard let directory = opendir(folder) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    private func missing(_ index: UInt16) -> Failure {
        Failure(description: "hci\(index) is not there: the kernel has no adapter of that name")
    }

    /// Where a path of /sys leads to; nil where it leads nowhere, or out of it.
    private func resolved(_ path: String) -> String? {
        guard let full = realpath(path, nil) else { return nil }
        defer { free(full) }
        let text = String(cString: full)
        guard let top = realpath(root, nil) else { return nil }
        defer { free(top) }
        return text.hasPrefix(String(cString: top) + "/") ? text : nil
    }

    private func write(_ text: String, to path: String) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(description: "\(path): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let octets = Array(text.utf8)
        guard Glibc.write(descriptor, octets, octets.count) == octets.count else {
            throw Failure(description: "\(path): \(String(cString: strerror(errno)))")
        }
    }
}
