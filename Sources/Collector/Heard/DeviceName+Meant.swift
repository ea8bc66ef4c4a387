// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Readings

extension DeviceName {
    /// The complaint about an unknown name, with the probable name.
    func complaint(
        among known: [Known], _ entries: [SensorRule] = [], departed: [String] = [], otherwise: String = ""
    ) -> String {
        let name = "no sensor is called \(quoted(String(text.prefix(64))))"
        return name + (meant(among: known, entries, departed: departed).map(Self.question) ?? otherwise)
    }

    /// The complaint of a caller with a list of entries alone.
    package func complaint(amongEntries entries: [SensorRule]) -> String { complaint(among: [], entries) }

    static func question(_ name: String) -> String { " – did you mean \(name)?" }

    /// The probable name: an address with other digits, an id or a label, or at last a name, because any device can
    /// advertise any name. Ids and names come in quotation marks, addresses without.
    ///
    /// - Parameter departed: Ids of sensors that were removed.
    func meant(among known: [Known], _ entries: [SensorRule] = [], departed: [String] = []) -> String? {
        if let address = DeviceAddress(text, kind: .public)?.value {
            let addresses = known.compactMap(\.address) + entries.compactMap(\.address)
            let near = addresses.map { ($0, SensorRule.digitsApart($0, address)) }.min { $0.1 < $1.1 }
            if let near, near.1 <= SensorRule.slippedDigits {
                return DeviceAddress(kind: .public, value: near.0).description
            }
        }
        let names = [
            known.flatMap { [$0.id, $0.given] }.compactMap(\.self)
                + entries.flatMap { [$0.id, $0.facts.label] }.compactMap(\.self) + departed,
            entries.compactMap(\.name) + known.compactMap { AdvertisedName.clean($0.name) },
        ]
        return names.lazy.compactMap { NearestName.of(text, among: Set($0).sorted()) }.first.map { quoted($0) }
    }
}
