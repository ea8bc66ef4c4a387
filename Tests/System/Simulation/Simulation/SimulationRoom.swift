// SPDX-License-Identifier: Apache-2.0

import Glibc
import MQTT
import Publisher

/// Whether this machine has room for all connections. The check comes before the first connection: a load test that
/// runs out of sockets in the middle measures nothing.
package struct SimulationRoom: Error, CustomStringConvertible {
    /// Without TLS: the connection's socket, its duplicate, and two ends each of the guard's pipe and of a pair that
    /// libmosquitto makes; with TLS no duplicate and no pipe.
    static func descriptors(hasTLS: Bool) -> Int { hasTLS ? 3 : 6 }
    /// Descriptors of the process itself, and for looking up names.
    private static let ownDescriptors = 100

    /// Octets of a session, as measured, with a margin. With TLS they include the library's own memory, and its copy of
    /// the trusted certificates, of which a system has 140.
    private static func memory(_ tls: MQTTConfiguration.TLS?) -> Int {
        guard let tls else { return 40_000 }
        return tls.caFile == nil ? 1_300_000 : 150_000
    }

    package let description: String

    /// Raises the limit of open files as far as is allowed.
    ///
    /// - Throws: The limit that is too low, and the action that helps.
    package static func make(for plan: SimulationPlan) throws(SimulationRoom) {
        let hasTLS = plan.mqtt.tls != nil
        let each = descriptors(hasTLS: hasTLS)
        let wanted = plan.gateways * each + ownDescriptors
        let allowed = raise(to: wanted)
        try check(
            plan.gateways, upTo: (allowed - ownDescriptors) / each,
            "\(plan.gateways) gateways need \(wanted) open files, and this process may have \(allowed): raise the hard "
                + "limit (`ulimit -Hn \(wanted)` as root, LimitNOFILE= of a unit, nofile in /etc/security/limits.conf)")
        // A connection takes a local port for each address of a broker.
        if let ports = number(of: "/proc/sys/net/ipv4/ip_local_port_range") {
            let brokers = Set(plan.mqtt.addresses).count
            try check(
                plan.gateways, upTo: ports * brokers,
                "\(plan.gateways) gateways need as many ports, and this machine has \(ports) for each broker: widen "
                    + "net.ipv4.ip_local_port_range, or name more brokers")
        }
        if let available = availableMemory {
            let each = memory(plan.mqtt.tls)
            try check(
                plan.gateways, upTo: available / each,
                "\(plan.gateways) gateways need about \(plan.gateways * each / 1_000_000) MB of memory, and "
                    + "\(available / 1_000_000) MB are free")
        }
    }

    private static func check(_ gateways: Int, upTo most: Int, _ complaint: String) throws(SimulationRoom) {
        guard gateways > most else { return }
        throw SimulationRoom(
            description: "\(complaint); or simulate at most \(max(most, 0)) here, and the others elsewhere with --first"
        )
    }

    /// Returns the limit after the call.
    private static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        if limit.rlim_cur < UInt(wanted) {
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// The number of ports in the file's range.
    private static func number(of file: String) -> Int? {
        let bounds = text(of: file)?.split(whereSeparator: \.isWhitespace).compactMap { Int($0) } ?? []
        guard bounds.count == 2, bounds[1] >= bounds[0] else { return nil }
        return bounds[1] - bounds[0] + 1
    }

    /// Octets.
    private static var availableMemory: Int? {
        let line = text(of: "/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1_024 }
    }

    private static func text(of file: String) -> String? {
        guard let stream = fopen(file, "re") else { return nil }
        defer { fclose(stream) }
        var octets = [UInt8](repeating: 0, count: 8_192)
        return String(decoding: octets.prefix(fread(&octets, 1, octets.count, stream)), as: UTF8.self)
    }
}
