// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// How a person names a device: by its id in topics, its address, its identifier, or its name.
struct DeviceName: Sendable {
    struct Known: Equatable, Sendable {
        var identifier: UUID
        var id: String?
        var name: String?
        var address: UInt64?

        /// What to call it in a message.
        var label: String {
            id ?? address.map { DeviceAddress(kind: .public, value: $0).description } ?? identifier.uuidString
        }
    }

    /// The text names no device, or several.
    struct Unclear: Error, Equatable, CustomStringConvertible {
        let text: String
        /// Those that it may mean.
        let labels: [String]

        var isUnknown: Bool { labels.isEmpty }
        var description: String {
            isUnknown
                ? "no device is called \(quoted(text))."
                : "\(quoted(text)) may be \(labels.joined(separator: " or ")): say which."
        }
    }

    let text: String

    init(_ text: String) { self.text = text }

    /// Exact names go first; what names are made of comes last, as anybody can advertise any name.
    func pick(_ known: [Known]) throws(Unclear) -> Known {
        let address = DeviceAddress(text, kind: .public)?.value
        let identifier = UUID(uuidString: text)
        let rules: [(Known) -> Bool] = [
            { $0.id == text },
            { identifier != nil && $0.identifier == identifier },
            { address != nil && $0.address == address },
            { $0.name == text },
        ]
        for rule in rules {
            let found = known.filter(rule)
            if let only = found.first, found.count == 1 { return only }
            if !found.isEmpty {
                throw Unclear(text: String(text.prefix(64)), labels: found.prefix(8).map(\.label).sorted())
            }
        }
        throw Unclear(text: String(text.prefix(64)), labels: [])
    }
}
