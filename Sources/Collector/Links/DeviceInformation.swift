// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// The sensor's own description of its make. Device Information Service 1.1, 3.1 and 3.2.
struct DeviceInformation: Equatable, Sendable {
    static let service = BluetoothUUID(0x180A as UInt16)
    private static let manufacturerName = BluetoothUUID(0x2A29 as UInt16)
    private static let modelNumber = BluetoothUUID(0x2A24 as UInt16)
    /// Longer texts are cut: they come from the air, and go into every message.
    private static let maximumLength = 64

    static let feeds = [manufacturerName, modelNumber].map { SensorRule.Feed(service: service, characteristic: $0) }

    private(set) var manufacturer: String?
    private(set) var model: String?

    /// No question is left.
    var isComplete: Bool { manufacturer != nil && model != nil }

    /// Records the value of a characteristic in ``feeds``.
    mutating func record(_ value: [UInt8], of feed: SensorRule.Feed) {
        switch feed.characteristic {
        case Self.manufacturerName: manufacturer = Self.text(value) ?? manufacturer
        case Self.modelNumber: model = Self.text(value) ?? model
        default: break
        }
    }

    /// Takes the model from the sensor's advertisements.
    mutating func record(model text: String) { model = Self.text(Array(text.utf8)) ?? model }

    /// Some sensors fill their strings up with zeros. Nil for an empty text.
    private static func text(_ value: [UInt8]) -> String? {
        let scalars = String(decoding: value.prefix { $0 != 0 }, as: UTF8.self).unicodeScalars.filter { scalar in
            scalar.properties.generalCategory != .control
        }
        let text = String(String.UnicodeScalarView(scalars)).trimmingCharacters(in: .whitespaces)
        return text.isEmpty ? nil : String(text.prefix(maximumLength))
    }
}
