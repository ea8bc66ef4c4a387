// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The repairs that root can make to a failed adapter of the kernel: cut its power, or take it from its driver and give
/// it back. All repairs are files of /sys, so that no other right is needed.
package struct AdapterHardware: Sendable {
    /// Why a repair failed, for a person.
    package struct Failure: Error, Equatable, CustomStringConvertible, Sendable {
        package let description: String
    }

    /// `/sys`; tests have trees of their own.
    var root: String
    /// Pause without power, or without the driver, in seconds.
    var rest: UInt32

    package init(root: String = "/sys", rest: UInt32 = 1) { (self.root, self.rest) = (root, rest) }

    /// Blocks the adapter's radio and unblocks it (rfkill). Adapters that are wired for rfkill lose their power
    /// meanwhile.
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

    /// Takes the adapter from its driver, or from its USB port, and gives it back. The adapter then has the next free
    /// name.
    package func rebind(_ index: UInt16) throws(Failure) {
        let link = "\(root)/class/bluetooth/hci\(index)/device"
        guard let device = resolved(link) else { throw missing(index) }
        switch resolved("\(device)/subsystem").map({ lastComponent($0) }) {
        case "usb":
            // The adapter is an interface of a USB device; the file belongs to the device.
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
                    "hci\(index) cannot be taken from its bus: \(bus ?? "a program attached the adapter")")
        }
    }

    private func lastComponent(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }

    /// The names in a folder; nil if the folder does not exist.
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
        Failure(description: "hci\(index) is not there: the kernel has no adapter of this name")
    }

    /// The target of a path of /sys; nil if the path leads nowhere, or out of /sys.
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
