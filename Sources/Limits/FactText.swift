// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Values as texts of the journal's facts.
enum FactText {
    /// Empty if the value cannot be written.
    static func of(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// Nil for any other text.
    static func read<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
        text.isEmpty ? nil : try? JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
