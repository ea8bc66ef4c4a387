// SPDX-License-Identifier: Apache-2.0

import Foundation
import Gateway

/// A JSON object from the air. An unknown key is refused, because it may be a mistyped known key: a mistyped password
/// must not count as an absent password, which means no change.
enum StrictMessage {
    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    private struct Keys: Decodable {
        var names: [String]
        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue)
        }
    }

    static func decode<Message: Decodable>(
        _ type: Message.Type, from octets: [UInt8], keys: Set<String>
    ) throws(WriteRefusal) -> Message {
        let text = try PlainText.decode(octets)
        guard let names = try? JSONDecoder().decode(Keys.self, from: Data(text.utf8)).names else {
            throw WriteRefusal(.notValid, "The value has to be a JSON object with the keys \(list(keys)).")
        }
        if let unknown = names.first(where: { !keys.contains($0) }) {
            throw WriteRefusal(
                .notValid, "There is no key “\(PlainText.line(unknown, limit: 32))”; there are \(list(keys)).")
        }
        do {
            return try ControlCoding.decode(type, from: octets)
        } catch DecodingError.keyNotFound(let key, _) {
            throw WriteRefusal(.notValid, "The key “\(key.stringValue)” is missing.")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let key = context.codingPath.last?.stringValue ?? "of the object"
            throw WriteRefusal(.notValid, "The value of “\(PlainText.line(key, limit: 32))” is of the wrong kind.")
        } catch {
            throw WriteRefusal(.notValid, "A value of the JSON object cannot be.")
        }
    }

    private static func list(_ keys: Set<String>) -> String { keys.sorted().joined(separator: ", ") }
}
