// SPDX-License-Identifier: Apache-2.0

import CBlueZ
import Glibc

/// Finds out which program holds an adapter that the gateway cannot take over, for a message to people.
enum AdapterHolder {
    static func describe(index: UInt16, _ words: TransportWords) -> String {
        let name = "hci\(index)"
        let gateways = processes(named: "martlet", running: "run")
        let sockets = hciSockets()
        // A user channel also counts as up in the kernel, and no program can put the adapter down meanwhile.
        if let holder = gateways.first(where: { hasOpen(sockets, $0) }) { return held(by: holder, words) }
        if let info = deviceInformation(index: index) {
            let isUp = info.flags & 1 << UInt32(HCI_UP) != 0
            let inSetup = info.flags & 1 << UInt32(HCI_INIT) != 0
            if inSetup { return "the kernel is still setting the adapter up; this takes a few seconds" }
            if isUp {
                return processes(named: "bluetoothd").isEmpty
                    ? "the adapter is up. Run «\(words.command(.adapterDown(name)))»; after a refusal, stop the program "
                        + "that uses it"
                    : "bluetoothd uses the adapter. Run «\(words.command(.freeAdapter))», or "
                        + "set AutoEnable=false in /etc/bluetooth/main.conf and start the machine again"
            }
        }
        if let gateway = gateways.first { return held(by: gateway, words) }
        return "another process holds its user channel, or the kernel is setting the adapter up"
    }

    private static func held(by gateway: Int32, _ words: TransportWords) -> String {
        "a running gateway (process \(gateway)) uses the adapter. «\(words.command(.gatewayStatus))» shows its sensors; "
            + "to use the adapter yourself, run «\(words.command(.stopGateway))»"
    }

    /// The inodes of all HCI sockets, the sixth column of /proc/net/hci; none if the kernel has no such list.
    private static func hciSockets() -> Set<String> {
        let lines = contents(of: "/proc/net/hci", atMost: 65_536).split(separator: UInt8(ascii: "\n")).dropFirst()
        return Set(
            lines.compactMap { line in
                let words = line.split(separator: UInt8(ascii: " "))
                return words.count > 5 ? "socket:[\(String(decoding: words[5], as: UTF8.self))]" : nil
            })
    }

    /// True if the process has one of these sockets; false also if we may not look.
    private static func hasOpen(_ sockets: Set<String>, _ process: Int32) -> Bool {
        guard !sockets.isEmpty, let directory = opendir("/proc/\(process)/fd") else { return false }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            var octets = [UInt8](repeating: 0, count: 64)
            let count = octets.withUnsafeMutableBytes { bytes in
                bytes.withMemoryRebound(to: CChar.self) { chars in
                    chars.baseAddress.map { readlink("/proc/\(process)/fd/\(name)", $0, chars.count) } ?? -1
                }
            }
            if count > 0, sockets.contains(String(decoding: octets.prefix(count), as: UTF8.self)) { return true }
        }
        return false
    }

    /// `There is: hci0, hci1.`
    static func listAdapters() -> String {
        let names = adapters()
        return names.isEmpty ? "There is none." : "There is: \(names.sorted().joined(separator: ", "))."
    }

    /// The names of the adapters that the kernel knows.
    static func adapters() -> Set<String> {
        var names: Set<String> = []
        if let directory = opendir("/sys/class/bluetooth") {
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name.hasPrefix("hci"), !name.contains(":") { names.insert(name) }
            }
        }
        return names
    }

    static func deviceInformation(index: UInt16) -> hci_dev_info? {
        let descriptor = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var information = hci_dev_info()
        information.dev_id = index
        return cbluez_device_info(descriptor, &information) == 0 ? information : nil
    }

    /// The identifiers of other processes of this name; with `argument`, only of processes with this first argument.
    static func processes(named wanted: String, running argument: String? = nil) -> [Int32] {
        guard let directory = opendir("/proc") else { return [] }
        defer { closedir(directory) }
        var found: [Int32] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let identifier = Int32(name), identifier != getpid(),
                contents(of: "/proc/\(name)/comm") == Array("\(wanted)\n".utf8)
            else { continue }
            if let argument {
                let arguments = contents(of: "/proc/\(name)/cmdline").split(separator: 0)
                guard arguments.dropFirst().first.map(Array.init) == Array(argument.utf8) else { continue }
            }
            found.append(identifier)
        }
        return found
    }

    /// The beginning of a small file.
    private static func contents(of path: String, atMost limit: Int = 1_024) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: limit)
        let count = fread(&octets, 1, octets.count, file)
        return Array(octets.prefix(count))
    }
}
