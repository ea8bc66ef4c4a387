// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Configuration
import Operations
import Synchronization

extension GatewayService {
    /// - Parameter hasComments: Whether comments and order stay. Without them the values are written anew, for a text
    ///   that leaves the house.
    package func shownConfiguration(hasComments: Bool = true) async -> ShownConfiguration {
        let words = configuration.secrets
        return ShownConfiguration(
            files: configurationFiles().map { path, contents in
                ShownConfiguration.File(path, contents, hasComments: hasComments, words: words)
            }, warnings: configuration.warnings)
    }

    /// The paths and the contents of all files, secrets included.
    private func configurationFiles() -> [(path: String, contents: Result<String, InvalidValue>)] {
        guard let settings, let path = settings.source.path else { return [] }
        var files: [(path: String, contents: Result<String, InvalidValue>)] = []
        for file in [path] + GatewayConfiguration.filesBeside(path).files {
            files.append((path: file, contents: GatewayConfiguration.contents(of: file)))
        }
        let own = settings.state.withLock { ($0.trial?.layer ?? $0.kept).text }
        files.append((path: settings.store.path, contents: .success(own)))
        return files
    }

    /// The text with the secrets of the file in place of their signs, and these secrets.
    private func restored(_ text: String, of path: String?) -> (text: String, secrets: [String]) {
        let files = configurationFiles()
        // A longer text is refused anyway.
        guard text.contains("…"), text.utf8.count <= 1 << 17,
            let file = files.first(where: { $0.path == path }) ?? files.first, let contents = try? file.contents.get(),
            let masked = try? MaskedTOML(contents, name: file.path)
        else { return (text, []) }
        return masked.restored(text)
    }

    /// Checks a text like `martlet check-config`, but neither opens nor looks for the files named in the text. Changes
    /// and writes nothing. Blocks the caller's thread, until `deadline` at most.
    ///
    /// - Parameter path: The shown file whose secrets the signs `"…"` stand for; nil for martlet.toml.
    package func checkConfiguration(
        _ text: String, of path: String? = nil, until deadline: ContinuousClock.Instant
    ) -> ConfigurationCheck {
        let (text, secrets) = restored(text, of: path)
        do throws(ConfigurationError) {
            let warnings = try GatewayConfiguration.check(
                foreign: text, file: "martlet.toml", gateway: configuration.gateway, until: deadline)
            return ConfigurationCheck(problems: [], warnings: warnings)
        } catch {
            return ConfigurationCheck(
                problems: error.issues.prefix(ForeignText.maximumIssues).map {
                    .init(line: $0.line, message: Self.without(secrets, $0.message))
                },
                warnings: [])
        }
    }

    /// A message may quote a value.
    private static func without(_ secrets: [String], _ message: String) -> String {
        secrets.filter { !$0.isEmpty }.sorted { $0.count > $1.count }.reduce(message) { $0.replacing($1, with: "…") }
    }
}

extension ShownConfiguration.File {
    init(_ path: String, _ contents: Result<String, InvalidValue>, hasComments: Bool, words: [String] = []) {
        self.init(path: path, text: "", problem: nil)
        do {
            let file = try contents.get()
            if hasComments {
                text = try MaskedTOML(file, name: path, words: words).text
            } else {
                text = ShownTOML.text(of: try TOMLDocument(file, file: path).root)
            }
        } catch let error as ConfigurationError {
            problem = error.description
        } catch let error as InvalidValue {
            problem = "the file \(error.reason)"
        } catch {
            problem = "the file cannot be read"
        }
    }
}

/// Writes values as TOML. A text is shown only under a key that never holds a secret; any other text becomes `"…"`. So
/// a password under a mistyped key stays hidden.
enum ShownTOML {
    private static let open = GatewayConfiguration.openKeys

    static func text(of root: [String: ConfigurationValue]) -> String {
        var lines: [String] = []
        write(root, path: [], to: &lines)
        return lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n")
    }

    private static func write(_ table: [String: ConfigurationValue], path: [String], to lines: inout [String]) {
        let entries = table.sorted { $0.key < $1.key }
        for (name, value) in entries {
            switch value {
            case .table: continue
            case .list(let values) where isOfTables(values): continue
            default: lines.append("\(ConfigurationValue.name(name)) = \(masked(value, key: name).toml)")
            }
        }
        for (name, value) in entries {
            let inner = path + [name]
            let title = inner.map { ConfigurationValue.name($0) }.joined(separator: ".")
            switch value {
            case .table(let table):
                lines += [lines.isEmpty ? "[\(title)]" : "\n[\(title)]"]
                write(table, path: inner, to: &lines)
            case .list(let values) where isOfTables(values):
                for case .table(let table) in values {
                    lines += [lines.isEmpty ? "[[\(title)]]" : "\n[[\(title)]]"]
                    write(table, path: inner, to: &lines)
                }
            default: continue
            }
        }
    }

    /// `[[sensor]]`.
    private static func isOfTables(_ values: [ConfigurationValue]) -> Bool {
        !values.isEmpty && values.allSatisfy { if case .table = $0 { true } else { false } }
    }

    /// A copy of the value without secrets.
    ///
    /// A table in a list of a closed key has no open keys: the list may be a password in a wrong shape.
    static func masked(_ value: ConfigurationValue, key: String, isClosed: Bool = false) -> ConfigurationValue {
        let isOpen = !isClosed && open.contains(key)
        switch value {
        case .boolean: return value
        case .list(let values):
            let closes = isClosed || (!isOpen && !isOfTables(values))
            return .list(values.map { masked($0, key: key, isClosed: closes) })
        case .table(let entries):
            return .table(
                Dictionary(
                    uniqueKeysWithValues: entries.map { key, value in
                        (key, masked(value, key: key, isClosed: isClosed))
                    }))
        case .string(let text) where isOpen: return .string(SupportReport.masked(text, secrets: []))
        case .string, .integer, .real, .date: return isOpen ? value : .string("…")
        }
    }
}
