// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation

@testable import Collector
@testable import Gateway
@testable import GatewayBench
@testable import Operations
@testable import Readings

/// The tables of docs/operations.md: the rows, their arguments, and the fields of their results.
enum OperationPage {
    static let path = "docs/operations.md"
    static let mark = "<!-- made from the table: MARTLET_WRITE=1 make unit TEST=OperationTableTests -->\n"

    static var text: String {
        get throws {
            func cell(_ row: OperationRow, _ caller: OperationRow.Caller) -> String {
                guard row.callers.contains(caller) else { return "–" }
                return switch row.form {
                case .answer: "yes"
                case .dialogue: "dialogue"
                case .file: "file"
                }
            }
            func argument(_ argument: OperationRow.Argument) -> String {
                let former = argument.former.sorted { $0.key.name < $1.key.name }.map {
                    "`\($0.value)` (\($0.key))"
                }
                let notes = (argument.isRequired ? [] : ["optional"]) + (argument.isSecret ? ["secret"] : [])
                return "`\(argument.name)`" + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
                    + ": \(argument.meaning)" + (former.isEmpty ? "" : "; formerly \(former.joined(separator: ", "))")
            }
            func bounds(_ bounds: OperationRow.Bounds) -> String {
                "\(size(bounds.arguments)), \(size(bounds.result)), \(bounds.time.components.seconds) s"
            }
            func size(_ octets: Int) -> String {
                octets % (1 << 20) == 0 ? "\(octets >> 20) MiB" : "\(octets >> 10) KiB"
            }
            func alias(_ alias: OperationRow.Alias) -> String {
                "`\(alias.name)`" + (alias.mode.map { " with `mode` `\($0)`" } ?? "")
                    + (alias.key.map { ", which takes `\($0)`, too" } ?? "")
                    + " (\(alias.callers.map(\.name).sorted().joined(separator: ", ")))"
            }
            let ways = OperationRow.Caller.all.map(\.name).joined(separator: " | ")
            var lines = [
                "| operation | purpose | changes | \(ways) | pace at the broker | steps | at most |",
                "| --- | --- | --- |" + String(repeating: " --- |", count: OperationRow.Caller.all.count + 3),
            ]
            lines += OperationTable.rows.map { row in
                let pace = "\(row.pace.burst) at once, one more each \(row.pace.period.components.seconds) s"
                return
                    "| `\(row.name.rawValue)` | \(row.purpose) | \(row.effect == .looks ? "–" : row.effect.rawValue) | "
                    + OperationRow.Caller.all.map { cell(row, $0) }.joined(separator: " | ")
                    + " | \(row.callers.contains(.broker) ? pace : "–") | "
                    + (row.steps.isEmpty ? "–" : row.steps.map { "`\($0)`" }.joined(separator: ", "))
                    + " | \(row.form == .dialogue ? "–" : bounds(row.bounds)) |"
            }
            lines += ["", "| operation | arguments | former names |", "| --- | --- | --- |"]
            lines += OperationTable.rows.filter { !$0.arguments.isEmpty || !$0.aliases.isEmpty }.map { row in
                let arguments = row.arguments.map(argument).joined(separator: "<br>")
                let former = row.aliases.map(alias).joined(separator: "<br>")
                return
                    "| `\(row.name.rawValue)` | \(arguments.isEmpty ? "–" : arguments) | \(former.isEmpty ? "–" : former) |"
            }
            return try (lines + results()).joined(separator: "\n") + "\n"
        }
    }

    // MARK: Results

    private static func results() throws -> [String] {
        var lines = ["", "| operation | result |", "| --- | --- |"]
        lines += try OperationTable.rows.map { row in
            let result = try ResultType(row.gives).words
            return switch row.form {
            case .answer: "| `\(row.name)` | \(result) |"
            case .dialogue: "| `\(row.name)` | lines, each \(result) |"
            case .file: "| `\(row.name)` | a file |"
            }
        }
        lines += ["", "| object | fields |", "| --- | --- |"]
        for type in try objects() {
            let fields = try FieldReader.fields(of: type) ?? []
            let words = try fields.map { field in
                "`\(field.name)`\(field.isRequired ? "" : " (optional)"): \(try ResultType(field.type).words)"
            }
            lines.append(
                "| `\(ResultType.name(of: type))` | \(words.isEmpty ? "–" : words.joined(separator: "<br>")) |")
        }
        return lines
    }

    /// The objects in results, each once, in the order of the rows.
    private static func objects() throws -> [any Decodable.Type] {
        var found: [any Decodable.Type] = []
        var open: [any Decodable.Type] = OperationTable.rows.filter { $0.form != .file }.map { $0.gives }.reversed()
        while let type = open.popLast() {
            guard let object = try ResultType(type).object, !found.contains(where: { $0 == object }) else { continue }
            found.append(object)
            open += (try FieldReader.fields(of: object) ?? []).map(\.type).reversed()
        }
        return found
    }
}

private protocol ListType { static var element: any Decodable.Type { get } }
extension Array: ListType where Element: Decodable { static var element: any Decodable.Type { Element.self } }

private protocol MapType { static var value: any Decodable.Type { get } }
extension Dictionary: MapType where Key == String, Value: Decodable {
    static var value: any Decodable.Type { Value.self }
}

/// A type of a result or of a field, in words for the page.
struct ResultType {
    /// The type of the object inside; nil: no object.
    private(set) var object: (any Decodable.Type)?
    private(set) var words: String

    /// Types beyond ``FieldReader``: a value of several types, and keys without a reader.
    private static let others: [ObjectIdentifier: String] = [
        ObjectIdentifier(DecodedField.Value.self): "number, text or list",
        ObjectIdentifier(LinkEndReason.self): "object with `code`, a whole number, and `name`",
        ObjectIdentifier(SensorExplanation.State.self): "text",
        ObjectIdentifier(String.self): "text", ObjectIdentifier(Bool.self): "true or false",
        ObjectIdentifier(Double.self): "number", ObjectIdentifier(Float.self): "number",
    ]

    init(_ type: any Decodable.Type) throws {
        if let words = Self.others[ObjectIdentifier(type)] {
            self.words = words
        } else if let list = type as? any ListType.Type {
            let element = try Self(list.element)
            (object, words) = (element.object, "list of \(element.words)")
        } else if let map = type as? any MapType.Type {
            let value = try Self(map.value)
            (object, words) = (value.object, "object with \(value.words) by name")
        } else if type is any FixedWidthInteger.Type {
            words = "whole number"
        } else if let choices = type as? any CaseIterable.Type {
            words = Self.choices(choices)
        } else if try FieldReader.fields(of: type) != nil {
            (object, words) = (type, "`\(Self.name(of: type))`")
        } else if let single = try FieldReader.single(of: type) {
            self = try Self(single)
        } else {
            words = "–"
        }
    }

    /// Without the module.
    static func name(of type: any Decodable.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
    }

    private static func choices(_ type: (some CaseIterable).Type) -> String {
        let names = type.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        guard names.count > 1, names.count <= 12 else { return "text" }
        return names.dropLast().map { "`\($0)`" }.joined(separator: ", ") + " or `\(names.last ?? "")`"
    }
}
