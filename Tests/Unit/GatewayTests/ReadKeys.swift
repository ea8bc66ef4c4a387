// SPDX-License-Identifier: Apache-2.0

/// The keys that a type reads from a JSON object: a decoder that notes what it is asked for.
struct ReadKeys: Decoder {
    private final class Notes {
        var keys: [String: Bool] = [:]
    }

    private struct NoValue: Error {}

    private let notes: Notes
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    /// By name in snake case, whether the type needs the key.
    static func of(_ type: any Decodable.Type) throws -> [String: Bool] {
        let notes = Notes()
        _ = try type.init(from: ReadKeys(notes: notes))
        return notes.keys
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container(notes: notes))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoValue() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NoValue() }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let notes: Notes
        let codingPath: [any CodingKey] = []
        let allKeys: [Key] = []

        private func note(_ key: Key, isNeeded: Bool) {
            let name = key.stringValue.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
            notes.keys[name] = isNeeded
        }

        private func number<Number: FixedWidthInteger>(_ key: Key) -> Number {
            note(key, isNeeded: true)
            return 0
        }

        func contains(_ key: Key) -> Bool { true }

        /// An optional value is absent: its type asks for nothing more.
        func decodeNil(forKey key: Key) throws -> Bool {
            note(key, isNeeded: false)
            return true
        }

        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
            note(key, isNeeded: true)
            return false
        }

        func decode(_ type: String.Type, forKey key: Key) throws -> String {
            note(key, isNeeded: true)
            return ""
        }

        func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
            note(key, isNeeded: true)
            return 0
        }

        func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
            note(key, isNeeded: true)
            return 0
        }

        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { number(key) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { number(key) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { number(key) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { number(key) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { number(key) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { number(key) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { number(key) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { number(key) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { number(key) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { number(key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            note(key, isNeeded: true)
            guard let choices = type as? any CaseIterable.Type, let first = Self.first(of: choices) as? Value else {
                throw NoValue()
            }
            return first
        }

        private static func first(of choices: (some CaseIterable).Type) -> Any? { choices.allCases.first }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw NoValue() }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoValue() }
        func superDecoder() throws -> any Decoder { throw NoValue() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw NoValue() }
    }
}
