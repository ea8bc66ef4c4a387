// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

/// Any key of a JSON object.
private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}

/// The keys of a JSON object.
struct RequestKeys: Decodable {
    var names: Set<String>

    init(from decoder: any Decoder) throws {
        names = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue))
    }
}

/// `{"id":"7","arguments":{…}}`: the form of a broker's client that writes the arguments like every other client.
private struct Enclosed<Arguments: Decodable>: Decodable {
    var arguments: Arguments
}

extension OperationRow {
    /// Refuses a request with an unknown key: a misspelled argument must not change the request's meaning.
    fileprivate func refuseUnknown(_ present: Set<String>, from caller: Caller) throws(OperationError) {
        let former = arguments.compactMap { $0.former[caller] }
        // Former names told three operations apart by this key.
        let mode = aliases.contains { $0.mode != nil } ? ["mode"] : []
        let keys = aliases.filter { $0.callers.contains(caller) }.compactMap(\.key)
        try refuseUnknown(present, around: former + mode + keys + [caller.outerKey].compactMap(\.self))
    }

    /// Refuses a key that only a former name has.
    func refuseFormerKeys(_ data: Data) throws(OperationError) {
        let keys = aliases.compactMap(\.key)
        guard !keys.isEmpty, let present = try? JSONDecoder().decode(RequestKeys.self, from: data).names else { return }
        try refuseUnknown(present.intersection(keys), around: [])
    }

    /// Refuses a key beside enclosed arguments.
    fileprivate func refuseEnclosing(_ present: Set<String>, from caller: Caller) throws(OperationError) {
        guard let outside = present.subtracting([caller.outerKey].compactMap(\.self)).min() else { return }
        throw OperationError(
            .notValid, "\(quoted(String(outside.prefix(64)))) stands outside of \"\(Caller.enclosure)\"")
    }

    /// - Parameter around: Allowed keys beside the arguments.
    fileprivate func refuseUnknown(_ present: Set<String>, around: [String]) throws(OperationError) {
        let names = arguments.map(\.name)
        guard let unknown = present.subtracting(names + around).min() else { return }
        let known = names.isEmpty ? "no arguments" : names.joined(separator: ", ")
        throw OperationError(
            .notValid, "\(quoted(String(unknown.prefix(64)))) is not known: \(quoted(name.rawValue)) takes \(known)")
    }
}

extension OperationCall {
    /// The arguments, under their present names, or under their names in the release before.
    package func arguments<Arguments: Decodable>(
        _ type: Arguments.Type, of operation: OperationRow
    ) throws(OperationError) -> Arguments {
        let plain = JSONDecoder()
        do {
            let present = try plain.decode(RequestKeys.self, from: data).names
            guard caller.enclosesArguments, present.contains(OperationRow.Caller.enclosure) else {
                try operation.refuseUnknown(present, from: caller)
                return try decoder(of: operation, present, at: 0).decode(type, from: data)
            }
            try operation.refuseEnclosing(present.subtracting([OperationRow.Caller.enclosure]), from: caller)
            let inner = try plain.decode(Enclosed<RequestKeys>.self, from: data).arguments.names
            try operation.refuseUnknown(inner, around: [])
            return try decoder(of: operation, inner, at: 1).decode(Enclosed<Arguments>.self, from: data).arguments
        } catch let error as OperationError {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw OperationError(.notValid, "\(quoted(Self.snake(key.stringValue))) is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw Self.mistake(at: context, "is of another type")
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            // The decoder names no place for a number that its type cannot hold.
            guard (try? plain.decode(RequestKeys.self, from: data)) != nil else { throw Self.none }
            throw OperationError(.notValid, "a number is too large, or is no whole number where one is needed")
        } catch DecodingError.dataCorrupted(let context) {
            let name = context.codingPath.last.map { Self.snake($0.stringValue) }
            let meaning = operation.arguments.first { $0.name == name }?.meaning.replacing("`", with: "\"")
            throw Self.mistake(at: context, "has a value that is not known here" + (meaning.map { ": \($0)" } ?? ""))
        } catch {
            throw Self.none
        }
    }

    private static let none = OperationError(.notValid, "the arguments are no JSON object")

    /// Names the argument with the mistake, if the mistake is in an argument.
    private static func mistake(at context: DecodingError.Context, _ words: String) -> OperationError {
        guard let last = context.codingPath.last, last.stringValue != OperationRow.Caller.enclosure else { return none }
        // An element of a list has a place and no name.
        guard let index = last.intValue, let list = context.codingPath.dropLast().last else {
            return OperationError(.notValid, "\(quoted(snake(last.stringValue))) \(words)")
        }
        return OperationError(.notValid, "element \(index + 1) of \(quoted(snake(list.stringValue))) \(words)")
    }

    /// The arguments of a row, for a module that carries out rows of the table.
    package func arguments<Arguments, Result>(
        of operation: TypedOperation<Arguments, Result>
    ) throws(OperationError) -> Arguments {
        try arguments(Arguments.self, of: operation.row)
    }

    /// - Parameter depth: The depth of the arguments in the JSON object.
    private func decoder(of operation: OperationRow, _ present: Set<String>, at depth: Int) throws -> JSONDecoder {
        var names: [String: String] = [:]
        if depth == 0, let outer = caller.outerKey { names[outer] = "\u{0}" + outer }
        for argument in operation.arguments {
            let former = argument.former[caller]
            if !caller.takesSecrets, argument.isSecret, present.contains(argument.name) {
                throw OperationError(
                    .notValid, "\(quoted(argument.name)) is a secret: it is not taken on this way")
            }
            // If both names are present, the present name counts.
            guard depth == 0, let former, present.contains(former) else { continue }
            if names[argument.name] == nil, present.contains(argument.name) { continue }
            names[former] = argument.name
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { [names] path in
            let key = path.last?.stringValue ?? ""
            let name = path.count == depth + 1 ? names[key] ?? key : key
            return AnyKey(stringValue: Self.camel(name))
        }
        return decoder
    }

    /// `unix_ms` → `unixMs`, like the names of properties.
    private static func camel(_ text: String) -> String {
        let parts = text.split(separator: "_")
        guard parts.count > 1 else { return text }
        return parts.dropFirst().reduce(into: String(parts[0])) { $0 += $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    private static func snake(_ text: String) -> String {
        text.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}
