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

private struct Keys: Decodable {
    var names: Set<String>

    init(from decoder: any Decoder) throws {
        names = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue))
    }
}

/// `{"id":"7","arguments":{…}}`: the form of a broker's client that writes the arguments like every other client.
private struct Enclosed<Arguments: Decodable>: Decodable {
    var arguments: Arguments
}

extension OperationCall {
    /// The word that may enclose the arguments of a request over MQTT.
    private static let enclosure = "arguments"

    /// The arguments, under their present names, or under their names in the release before.
    package func arguments<Arguments: Decodable>(
        _ type: Arguments.Type, of operation: OperationRow
    ) throws(OperationError) -> Arguments {
        let plain = JSONDecoder()
        do {
            let present = try plain.decode(Keys.self, from: data).names
            guard caller == .broker, present.contains(Self.enclosure) else {
                return try decoder(of: operation, present, at: 0).decode(type, from: data)
            }
            let inner = try plain.decode(Enclosed<Keys>.self, from: data).arguments.names
            return try decoder(of: operation, inner, at: 1).decode(Enclosed<Arguments>.self, from: data).arguments
        } catch let error as OperationError {
            throw error
        } catch DecodingError.keyNotFound(let key, _) {
            throw OperationError(.notValid, "\(quoted(Self.snake(key.stringValue))) is missing")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw Self.mistake(at: context, "is of another type")
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
        guard let name = context.codingPath.last?.stringValue, name != enclosure else { return none }
        return OperationError(.notValid, "\(quoted(snake(name))) \(words)")
    }

    /// The arguments of a row implemented by another module.
    package func arguments<Arguments: Decodable>(
        _ type: Arguments.Type, of name: OperationName
    ) throws(OperationError) -> Arguments {
        guard let row = OperationTable.row(name) else { throw OperationError(.failed, "there is no such operation") }
        return try arguments(type, of: row)
    }

    /// - Parameter depth: The depth of the arguments in the JSON object.
    private func decoder(of operation: OperationRow, _ present: Set<String>, at depth: Int) throws -> JSONDecoder {
        var names: [String: String] = [:]
        // The words around the arguments.
        let around: String? =
            switch caller {
            case .socket: "command"
            case .broker: "id"
            case .page, .phone: nil
            }
        if depth == 0, let around { names[around] = "\u{0}" + around }
        for argument in operation.arguments {
            let former = argument.former[caller]
            if caller == .broker, argument.isSecret, present.contains(argument.name) {
                throw OperationError(
                    .notValid, "\(quoted(argument.name)) is a secret: it is not taken from a broker")
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
