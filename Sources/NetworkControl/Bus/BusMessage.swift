// SPDX-License-Identifier: Apache-2.0

import CSDBus
import Glibc

/// A message of sd-bus, while it is made or read.
final class BusMessage {
    /// Limit of nesting: NetworkManager's values are never deeper.
    private static let maximumDepth = 12
    /// Limit of the elements in one message, at all depths.
    private static let maximumElements = 20_000

    let pointer: OpaquePointer
    private let library: SDBus
    private var elements = 0

    /// Takes over the caller's reference.
    init(taking pointer: OpaquePointer, of library: SDBus) {
        self.pointer = pointer
        self.library = library
    }

    deinit { _ = library.message_unref(pointer) }

    // MARK: Writing

    func append(_ value: BusValue) throws(BusFailure) {
        switch value {
        case .boolean(let flag): try basic("b", Int32(flag ? 1 : 0))
        case .octet(let number): try basic("y", number)
        case .int16(let number): try basic("n", number)
        case .uint16(let number): try basic("q", number)
        case .int32(let number): try basic("i", number)
        case .uint32(let number): try basic("u", number)
        case .int64(let number): try basic("x", number)
        case .uint64(let number): try basic("t", number)
        case .double(let number): try basic("d", number)
        case .string(let text): try string("s", text)
        case .path(let text): try string("o", text)
        case .signature(let text): try string("g", text)
        case .octets(let octets):
            try check(
                octets.withUnsafeBytes { library.message_append_array(pointer, letter("y"), $0.baseAddress, $0.count) })
        case .array(let element, let values):
            try container("a", element) { () throws(BusFailure) in
                for each in values { try append(each) }
            }
        case .dictionary(let type, let entries):
            try container("a", "{s\(type)}") { () throws(BusFailure) in
                // Sorted by key, so that equal settings give equal messages.
                for (key, each) in entries.sorted(by: { $0.key < $1.key }) {
                    try container("e", "s\(type)") { () throws(BusFailure) in
                        try string("s", key)
                        try append(each)
                    }
                }
            }
        case .structure(let fields):
            try container("r", fields.map(\.type).joined()) { () throws(BusFailure) in
                for each in fields { try append(each) }
            }
        case .variant(let inner):
            try container("v", inner.type) { () throws(BusFailure) in try append(inner) }
        }
    }

    private func basic<Value>(_ type: Character, _ value: Value) throws(BusFailure) {
        var value = value
        try check(withUnsafePointer(to: &value) { library.message_append_basic(pointer, letter(type), $0) })
    }

    private func string(_ type: Character, _ text: String) throws(BusFailure) {
        try check(text.withCString { library.message_append_basic(pointer, letter(type), $0) })
    }

    private func container(
        _ type: Character, _ contents: String, _ fill: () throws(BusFailure) -> Void
    ) throws(BusFailure) {
        try check(library.message_open_container(pointer, letter(type), contents))
        try fill()
        try check(library.message_close_container(pointer))
    }

    // MARK: Reading

    /// All values of the message.
    func values() throws(BusFailure) -> [BusValue] {
        try check(library.message_rewind(pointer, 1))
        return try rest(depth: 0)
    }

    /// The remaining values of the entered container.
    private func rest(depth: Int) throws(BusFailure) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next(depth: depth) { values.append(value) }
        return values
    }

    private func next(depth: Int) throws(BusFailure) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        guard try check(library.message_peek_type(pointer, &type, &contents)) > 0 else { return nil }
        elements += 1
        guard depth < Self.maximumDepth, elements < Self.maximumElements else {
            throw BusFailure(name: BusFailure.unexpected, message: "a message is too large")
        }
        let inner = contents.map { String(cString: $0) } ?? ""
        switch Character(UnicodeScalar(UInt8(bitPattern: type))) {
        case "b": return .boolean(try read(type, Int32(0)) != 0)
        case "y": return .octet(try read(type, 0))
        case "n": return .int16(try read(type, 0))
        case "q": return .uint16(try read(type, 0))
        case "i": return .int32(try read(type, 0))
        case "u": return .uint32(try read(type, 0))
        case "x": return .int64(try read(type, 0))
        case "t": return .uint64(try read(type, 0))
        case "d": return .double(try read(type, 0))
        case "s": return .string(try readString(type))
        case "o": return .path(try readString(type))
        case "g": return .signature(try readString(type))
        case "a" where inner == "y": return try readOctets()
        case "a" where inner.hasPrefix("{s"):
            return try within(type, inner) { () throws(BusFailure) in
                .dictionary(of: String(inner.dropFirst(2).dropLast()), try readEntries(inner, depth: depth))
            }
        case "a" where !inner.hasPrefix("{"):
            return try within(type, inner) { () throws(BusFailure) in .array(of: inner, try rest(depth: depth + 1)) }
        case "r":
            return try within(type, inner) { () throws(BusFailure) in .structure(try rest(depth: depth + 1)) }
        case "v":
            return try within(type, inner) { () throws(BusFailure) in
                guard let value = try next(depth: depth + 1) else {
                    throw BusFailure(name: BusFailure.unexpected, message: "an empty variant")
                }
                return .variant(value)
            }
        case let other:
            throw BusFailure(name: BusFailure.unexpected, message: "a value of type \(other)\(inner)")
        }
    }

    private func readEntries(_ type: String, depth: Int) throws(BusFailure) -> [String: BusValue] {
        var entries: [String: BusValue] = [:]
        let contents = String(type.dropFirst().dropLast())
        while try check(library.message_enter_container(pointer, letter("e"), contents)) > 0 {
            let pair = try rest(depth: depth + 1)
            try check(library.message_exit_container(pointer))
            guard pair.count == 2, case .string(let key) = pair[0] else {
                throw BusFailure(name: BusFailure.unexpected, message: "a dictionary without names")
            }
            entries[key] = pair[1]
        }
        return entries
    }

    private func within(
        _ type: CChar, _ contents: String, _ read: () throws(BusFailure) -> BusValue
    ) throws(BusFailure) -> BusValue {
        try check(library.message_enter_container(pointer, type, contents))
        let value = try read()
        try check(library.message_exit_container(pointer))
        return value
    }

    private func read<Value>(_ type: CChar, _ initial: Value) throws(BusFailure) -> Value {
        var value = initial
        try check(withUnsafeMutablePointer(to: &value) { library.message_read_basic(pointer, type, $0) })
        return value
    }

    private func readString(_ type: CChar) throws(BusFailure) -> String {
        let text = try read(type, UnsafePointer<CChar>?.none)
        return text.map { String(cString: $0) } ?? ""
    }

    private func readOctets() throws(BusFailure) -> BusValue {
        var octets: UnsafeRawPointer?
        var count = 0
        try check(library.message_read_array(pointer, letter("y"), &octets, &count))
        return .octets(Array(UnsafeRawBufferPointer(start: octets, count: octets == nil ? 0 : count)))
    }

    private func letter(_ character: Character) -> CChar { CChar(bitPattern: character.asciiValue ?? 0) }

    @discardableResult private func check(_ status: Int32) throws(BusFailure) -> Int32 {
        guard status >= 0 else { throw BusFailure(errno: -status, what: "a message") }
        return status
    }
}

extension BusFailure {
    init(errno number: Int32, what: String) {
        self.init(name: "errno \(number)", message: "\(what): \(String(cString: strerror(number)))")
    }
}
