// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Platform

extension GatewayInformation {
    /// Fills in the facts of the machine: model, operating system, boot, addresses.
    package static func ofThisMachine(version: String, adapters: [Adapter], capabilities: [String]) -> Self {
        Self(
            version: version, model: model, os: operatingSystem, boot: KernelClock.boot, adapters: adapters,
            ip: addresses, capabilities: capabilities)
    }

    private static var model: String {
        for path in ["/proc/device-tree/model", "/sys/class/dmi/id/product_name"] {
            guard let data = FileManager.default.contents(atPath: path) else { continue }
            let text = String(decoding: data.prefix { $0 != 0 }, as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            if !text.isEmpty { return text }
        }
        return "unknown"
    }

    private static var operatingSystem: String {
        guard let data = FileManager.default.contents(atPath: "/etc/os-release") else { return "Linux" }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n") where line.hasPrefix("PRETTY_NAME=") {
            return line.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
        }
        return "Linux"
    }

    /// Addresses of the active interfaces, without loopback and link-local addresses.
    private static var addresses: [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }).prefix(while: { $0 != nil }) {
            guard let interface = entry?.pointee, let address = interface.ifa_addr,
                interface.ifa_flags & UInt32(IFF_UP) != 0,
                interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            let family = Int32(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            var text = [UInt8](repeating: 0, count: Int(NI_MAXHOST))
            let failed = text.withUnsafeMutableBytes { buffer in
                getnameinfo(
                    address, socklen_t(length), buffer.baseAddress?.assumingMemoryBound(to: CChar.self),
                    socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
            }
            let name = String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
            if failed == 0, !name.hasPrefix("fe80:") { found.append(name) }
        }
        return found
    }
}
