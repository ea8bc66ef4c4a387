// SPDX-License-Identifier: Apache-2.0

import CBlueZ
import Glibc

/// Finds out who holds an adapter that cannot be taken over, for the message that a person reads.
enum AdapterHolder {
    static func describe(index: UInt16) -> String {
        let name = "hci\(index)"
        if let info = deviceInformation(index: index) {
            let isUp = info.flags & 1 << UInt32(HCI_UP) != 0
            let inSetup = info.flags & 1 << UInt32(HCI_INIT) != 0
            if inSetup { return "the kernel is still setting it up; this takes a few seconds" }
            if isUp {
                return processExists(named: "bluetoothd")
                    ? "bluetoothd has it powered on. Run «systemctl disable --now bluetooth», or "
                        + "set AutoEnable=false in /etc/bluetooth/main.conf and «bluetoothctl power off»"
                    : "it is up. Run «hciconfig \(name) down»"
            }
        }
        return "another process holds its user channel, or the kernel is setting it up"
    }

    /// `There is: hci0, hci1.`
    static func listAdapters() -> String {
        let names = adapters()
        return names.isEmpty ? "There is none." : "There is: \(names.sorted().joined(separator: ", "))."
    }

    /// The names of those that the kernel knows.
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

    private static func deviceInformation(index: UInt16) -> hci_dev_info? {
        let descriptor = socket(AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), BTPROTO_HCI)
        guard descriptor >= 0 else { return nil }
        defer { Glibc.close(descriptor) }
        var information = hci_dev_info()
        information.dev_id = index
        return cbluez_device_info(descriptor, &information) == 0 ? information : nil
    }

    private static func processExists(named wanted: String) -> Bool {
        guard let directory = opendir("/proc") else { return false }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard UInt32(name) != nil, let file = fopen("/proc/\(name)/comm", "r") else { continue }
            defer { fclose(file) }
            var line = [UInt8](repeating: 0, count: 32)
            let count = fread(&line, 1, line.count, file)
            if String(decoding: line[..<count], as: UTF8.self) == wanted + "\n" { return true }
        }
        return false
    }
}
