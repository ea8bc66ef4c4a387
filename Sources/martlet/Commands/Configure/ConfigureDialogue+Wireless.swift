// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Provisioning

extension ConfigureDialogue {
    /// `isUsual`: an empty answer means yes. False if the gateway turns out to have no Wi-Fi: then the staged values
    /// are dropped, because the country alone could not be applied.
    func askWireless(isUsual: Bool) async throws -> Bool {
        let country = try await client.country()
        guard try await person.confirms("Set up Wi-Fi? (no: it has a cable)", usual: isUsual) else { return true }
        try await retrying("Enter the country again?") {
            let text = try await person.ask(
                "Country whose radio rules hold, two letters", usual: country.isEmpty ? Self.country : country)
            if text.uppercased() != country { try await client.setCountry(text.uppercased()) }
        }
        guard let networks = try await hearNetworks() else {
            try? await client.dropStaged()
            return false
        }
        try await retrying("Choose a network again?") {
            guard let wireless = try await choose(networks) else { return }
            try await client.setWireless(wireless.message)
        }
        return true
    }

    /// nil: this gateway has no usable Wi-Fi.
    private func hearNetworks() async throws -> [NetworkMessage]? {
        while true {
            person.tell("Looking for networks …")
            do throws(ProvisioningClientError) {
                let networks = try await client.scanNetworks()
                for network in networks { report.show(.network(network)) }
                report.flush()
                if networks.isEmpty {
                    person.tell("The gateway hears no network; one that tells no name can be entered.")
                }
                return networks
            } catch {
                guard !error.isLinkLost else { throw error }
                if error.reason == "no-country" {
                    // The radio is blocked until a country is in use, so the country is applied alone.
                    person.tell("The radio is blocked until a country is set: that is applied now.")
                    try await apply()
                    continue
                }
                tell(error)
                if ["not-supported", "no-wifi", "no-manager"].contains(error.reason) { return nil }
                guard try await person.confirms("Look again?", usual: true) else { return [] }
            }
        }
    }

    /// A network by its number or name; nil leaves Wi-Fi as it is.
    private func choose(_ networks: [NetworkMessage]) async throws -> ConfigurePlan.Wireless? {
        let joined = networks.first { $0.joined == true }?.ssid ?? ""
        let text = try await person.ask("Network, its number or name; empty leaves Wi-Fi as it is", usual: joined)
        guard !text.isEmpty else { return nil }
        let known =
            Int(text).flatMap { networks.indices.contains($0 - 1) ? networks[$0 - 1] : nil }
            ?? networks.first { $0.ssid == text }
        guard let known, let ssid = known.ssid else {
            person.tell("\(Text.plain(text)) was not heard: it is looked for by that name.")
            let password = try await person.askSecret("Its password, empty where it is open")
            return .init(ssid: text, password: password.isEmpty ? nil : Secret(password), isHidden: true)
        }
        guard known.security != "open" else { return .init(ssid: ssid) }
        let password = try await person.askSecret("Password of \(Text.plain(ssid))")
        return .init(ssid: ssid, password: password.isEmpty ? nil : Secret(password))
    }

    /// A first guess from this machine's language: `DE` of `de_DE.UTF-8`.
    private static var country: String { country(of: ProcessInfo.processInfo.environment["LANG"] ?? "") }

    static func country(of language: String) -> String {
        let parts = language.split(separator: ".")[safe: 0]?.split(separator: "_") ?? []
        guard parts.count == 2, parts[1].utf8.count == 2 else { return "" }
        return parts[1].uppercased()
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
