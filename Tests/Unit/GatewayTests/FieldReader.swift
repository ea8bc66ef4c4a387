// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

@testable import Collector
@testable import Gateway

/// The fields of a type in JSON: a decoder notes each question of the type, and answers with the least value.
struct FieldReader: Decoder {
    struct Field {
        /// In snake case, as in JSON.
        var name: String
        var type: any Decodable.Type
        var isRequired: Bool
    }

    private final class Notes {
        var fields: [Field] = []
        var isObject = false
        /// The type of a value other than an object.
        var single: (any Decodable.Type)?
    }

    private struct NoValue: Error {}

    /// Valid texts of types without a list of values.
    private static let words: [ObjectIdentifier: String] = [
        ObjectIdentifier(SensorExplanation.State.self): "removed", ObjectIdentifier(SettingsUndone.self): "undone",
        ObjectIdentifier(RadioHealth.Event.Outcome.self): "taken", ObjectIdentifier(LinkEndReason.Party.self): "peer",
        ObjectIdentifier(RadioHealth.Refusal.Use.self): "scan",
    ]

    private let notes: Notes
    private let word: String
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    private init(_ type: any Decodable.Type, _ notes: Notes = Notes()) {
        self.notes = notes
        word = Self.words[ObjectIdentifier(type)] ?? ""
    }

    private static func read(_ type: any Decodable.Type) throws -> Notes {
        let notes = Notes()
        _ = try type.init(from: FieldReader(type, notes))
        return notes
    }

    /// The fields of an object, in the order of reading; nil: the type is no object.
    static func fields(of type: any Decodable.Type) throws -> [Field]? {
        let notes = try read(type)
        return notes.isObject ? notes.fields : nil
    }

    /// The type in JSON of a type other than an object; nil: none.
    static func single(of type: any Decodable.Type) throws -> (any Decodable.Type)? { try read(type).single }

    /// A key as the gateway writes it in JSON.
    private static func snake(_ key: String) -> String {
        struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }
        struct Object: Encodable {
            var key: String
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(0, forKey: Key(stringValue: key))
            }
        }
        let text = (try? ControlCoding.encode(Object(key: key))).map { String(decoding: $0, as: UTF8.self) }
        return text?.split(separator: "\"").dropFirst().first.map(String.init) ?? key
    }

    private static func first(of choices: (some CaseIterable).Type) -> Any? { choices.allCases.first }

    private static func least<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let choices = type as? any CaseIterable.Type, let first = first(of: choices) as? Value { return first }
        return try Value(from: FieldReader(type))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        notes.isObject = true
        return KeyedDecodingContainer(Object(notes: notes))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { List() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { Single(notes: notes, word: word) }

    private struct Object<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let notes: Notes
        let codingPath: [any CodingKey] = []
        let allKeys: [Key] = []

        private func record(_ key: Key, _ type: any Decodable.Type, isRequired: Bool) {
            let name = FieldReader.snake(key.stringValue)
            guard !notes.fields.contains(where: { $0.name == name }) else { return }
            notes.fields.append(Field(name: name, type: type, isRequired: isRequired))
        }

        private func required<Value: Decodable>(_ key: Key, _ value: Value) -> Value {
            record(key, Value.self, isRequired: true)
            return value
        }

        /// An optional value is absent.
        private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
            record(key, type, isRequired: false)
            return nil
        }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) throws -> Bool { true }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            record(key, type, isRequired: true)
            return try FieldReader.least(type)
        }
        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            optional(type, key)
        }

        func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { required(key, false) }
        func decode(_ type: String.Type, forKey key: Key) throws -> String { required(key, "") }
        func decode(_ type: Double.Type, forKey key: Key) throws -> Double { required(key, 0) }
        func decode(_ type: Float.Type, forKey key: Key) throws -> Float { required(key, 0) }
        func decode(_ type: Int.Type, forKey key: Key) throws -> Int { required(key, 0) }
        func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { required(key, 0) }
        func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { required(key, 0) }
        func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { required(key, 0) }
        func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { required(key, 0) }
        func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { required(key, 0) }
        func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { required(key, 0) }
        func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { required(key, 0) }
        func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { required(key, 0) }
        func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { required(key, 0) }

        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { optional(type, key) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { optional(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { optional(type, key) }
        func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { optional(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { optional(type, key) }
        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { optional(type, key) }
        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { optional(type, key) }
        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { optional(type, key) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { optional(type, key) }
        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { optional(type, key) }
        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { optional(type, key) }
        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { optional(type, key) }
        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { optional(type, key) }
        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { optional(type, key) }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw NoValue() }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw NoValue() }
        func superDecoder() throws -> any Decoder { throw NoValue() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw NoValue() }
    }

    /// An empty list.
    private struct List: UnkeyedDecodingContainer {
        let codingPath: [any CodingKey] = []
        let count: Int? = 0
        let isAtEnd = true
        let currentIndex = 0

        func decodeNil() throws -> Bool { throw NoValue() }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw NoValue() }
        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type
        ) throws -> KeyedDecodingContainer<Nested> { throw NoValue() }
        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NoValue() }
        func superDecoder() throws -> any Decoder { throw NoValue() }
    }

    private struct Single: SingleValueDecodingContainer {
        let notes: Notes
        let word: String
        let codingPath: [any CodingKey] = []

        private func noted<Value: Decodable>(_ value: Value) -> Value {
            notes.single = notes.single ?? Value.self
            return value
        }

        func decodeNil() -> Bool { false }
        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { noted(try FieldReader.least(type)) }

        func decode(_ type: Bool.Type) throws -> Bool { noted(false) }
        func decode(_ type: String.Type) throws -> String { noted(word) }
        func decode(_ type: Double.Type) throws -> Double { noted(0) }
        func decode(_ type: Float.Type) throws -> Float { noted(0) }
        func decode(_ type: Int.Type) throws -> Int { noted(0) }
        func decode(_ type: Int8.Type) throws -> Int8 { noted(0) }
        func decode(_ type: Int16.Type) throws -> Int16 { noted(0) }
        func decode(_ type: Int32.Type) throws -> Int32 { noted(0) }
        func decode(_ type: Int64.Type) throws -> Int64 { noted(0) }
        func decode(_ type: UInt.Type) throws -> UInt { noted(0) }
        func decode(_ type: UInt8.Type) throws -> UInt8 { noted(0) }
        func decode(_ type: UInt16.Type) throws -> UInt16 { noted(0) }
        func decode(_ type: UInt32.Type) throws -> UInt32 { noted(0) }
        func decode(_ type: UInt64.Type) throws -> UInt64 { noted(0) }
    }
}
