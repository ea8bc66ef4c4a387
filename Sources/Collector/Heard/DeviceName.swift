// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Readings

/// How a person names a device: by its id in topics, its address, its identifier, its entry's label, or its name.
package struct DeviceName: Sendable {
    struct Known: Equatable, Sendable {
        var identifier: UUID
        var id: String?
        var name: String?
        /// The operator's name for people.
        var given: String?
        var address: UInt64?
        /// The device with this id is more than an advertisement.
        var isProven = false

        /// The device's name in messages.
        var label: String {
            id ?? place
        }

        /// Unique among all devices.
        var place: String {
            address.map { DeviceAddress(kind: .public, value: $0).description } ?? identifier.uuidString
        }
    }

    /// The text names no device, or several.
    package struct Unclear: Error, Equatable, CustomStringConvertible {
        let text: String
        /// The names of the possible devices.
        let labels: [String]
        /// The probable name, if the text names no device.
        package internal(set) var meant: String?

        package var isUnknown: Bool { labels.isEmpty }
        package var description: String {
            guard !isUnknown else {
                return "no device is called \(quoted(text))" + (meant.map(DeviceName.question) ?? "")
            }
            return "\(quoted(text)) may be \(labels.joined(separator: " or ")): say which."
        }
        /// No device has this name or a similar one: a list of the names may help.
        var isFarFromAll: Bool { isUnknown && meant == nil }
    }

    let text: String

    package init(_ text: String) { self.text = text }

    /// Exact names go first. Advertised names come last, because any device can advertise any name. If several devices
    /// match an entry, the working device is chosen.
    func pick(_ known: [Known]) throws(Unclear) -> Known {
        let found = matches(among: known)
        if found.count == 1, let only = found.first { return only }
        let hasTwins = Set(found.map(\.label)).count < found.count
        let labels = found.prefix(8).map { hasTwins ? $0.place : $0.label }
        let meant = found.isEmpty ? meant(among: known) : nil
        throw Unclear(text: String(text.prefix(64)), labels: labels.sorted(), meant: meant)
    }

    /// Whether some device has this id, identifier, address, label or name.
    func isOne(of known: [Known]) -> Bool { !matches(among: known).isEmpty }

    /// The devices of this name. The working device stands for all of its entry.
    private func matches(among known: [Known]) -> [Known] {
        let address = DeviceAddress(text, kind: .public)?.value
        let identifier = UUID(uuidString: text)
        let rules: [(Known) -> Bool] = [
            { $0.id == text },
            { identifier != nil && $0.identifier == identifier },
            { address != nil && $0.address == address },
            { $0.given == text },
            { $0.name == text || AdvertisedName.clean($0.name) == text },
        ]
        guard let found = rules.lazy.map({ known.filter($0) }).first(where: { !$0.isEmpty }) else { return [] }
        let proven = found.filter(\.isProven)
        return proven.count == 1 && Set(found.map(\.id)).count == 1 ? proven : found
    }

    /// Whether an entry waits for a device of this name.
    package func isAwaited(by rule: SensorRule) -> Bool {
        if rule.id == text || rule.facts.label == text { return true }
        if let name = rule.name {
            if name.last == "*" ? text.hasPrefix(name.dropLast()) : text == name { return true }
        }
        if let identifier = rule.identifier, identifier == UUID(uuidString: text) { return true }
        guard let address = DeviceAddress(text, kind: .public)?.value else { return false }
        return rule.address == address
    }
}
