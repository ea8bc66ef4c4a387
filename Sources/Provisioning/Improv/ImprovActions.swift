// SPDX-License-Identifier: Apache-2.0

import Gateway
import NetworkControl

/// The actions of the Improv service.
package struct ImprovActions: Sendable {
    /// Joins the network, and keeps the network.
    package var join: @Sendable (WirelessSettings) async throws -> Void
    /// The networks within range, strongest first.
    package var scan: @Sendable () async throws -> [WirelessNetwork]
    package var identify: @Sendable () -> Void
    /// The machine's model: `Raspberry Pi 4 Model B`.
    package var hardware: @Sendable () async -> String
    package var name: @Sendable () async -> String
    package var rename: @Sendable (String) async throws -> Void

    package init(
        join: @escaping @Sendable (WirelessSettings) async throws -> Void,
        scan: @escaping @Sendable () async throws -> [WirelessNetwork], identify: @escaping @Sendable () -> Void,
        hardware: @escaping @Sendable () async -> String, name: @escaping @Sendable () async -> String,
        rename: @escaping @Sendable (String) async throws -> Void
    ) {
        (self.join, self.scan, self.identify) = (join, scan, identify)
        (self.hardware, self.name, self.rename) = (hardware, name, rename)
    }

    // MARK: Results

    func perform(_ request: ImprovRequest, resultLimit: Int) async -> ImprovMachine.Outcome {
        do {
            switch request {
            case .join(let ssid, let password):
                try await join(WirelessSettings(ssid: ssid, password: password))
                return .done([])
            case .scan: return .done(Self.networks(try await scan(), limit: resultLimit))
            case .deviceInformation:
                // Exactly four strings: Home Assistant's client accepts no more.
                return .done(
                    ["Martlet", GatewayVersion.current, await hardware(), await name()].map { Self.cut($0, to: 56) })
            case .deviceName(let new):
                if let new { try await rename(new) }
                return .done([Self.cut(await name(), to: 200)])
            case .identify, .hostname: return .failed(.unknownCommand)
            }
        } catch {
            if case .join = request { return .failed(.unableToConnect) }
            return .failed(.unknown)
        }
    }

    /// Three strings for each network, for as many networks as fit a result of `limit` octets. At least one network,
    /// because an empty result means that no network was heard.
    static func networks(_ networks: [WirelessNetwork], limit: Int) -> [String] {
        var room = min(Improv.capacity, limit - 3)
        var strings: [String] = []
        for network in networks {
            // The reverse of NetworkManager's conversion from dBm to per cent.
            let entry = [network.ssid, "\(network.strength / 2 - 100)", network.security.improvName]
            room -= entry.reduce(0) { $0 + 1 + $1.utf8.count }
            guard room >= 0 || strings.isEmpty else { break }
            strings += entry
        }
        return strings
    }

    /// The first characters, `limit` octets at most.
    private static func cut(_ text: String, to limit: Int) -> String {
        var short = text
        while short.utf8.count > limit { short.removeLast() }
        return short
    }
}

extension WirelessNetwork.Security {
    fileprivate var improvName: String {
        switch self {
        case .open: "NO"
        case .wep: "WEP"
        case .wpa: "WPA"
        case .wpa2: "WPA2"
        case .wpa3: "WPA3"
        case .enterprise: "WPA2 EAP"
        }
    }
}
