// SPDX-License-Identifier: Apache-2.0

/// An advice: sentences with commands in them. The commands are values, so each surface shows the commands of the installation.
///
/// ```swift
/// let advice: Advice = "Run \(.martlet(.doctor)) to look at the disk."
/// advice.text(on: Installation(.container))   // Run docker exec martlet martlet doctor to look at the disk.
/// ```
package struct Advice: Equatable, Sendable, ExpressibleByStringInterpolation {
    package enum Piece: Equatable, Sendable {
        case text(String)
        case command(AdvisedCommand)
    }

    package private(set) var pieces: [Piece]

    package init(pieces: [Piece]) { self.pieces = pieces }

    /// Words without a command.
    package init(_ text: String) { pieces = [.text(text)] }

    package init(stringLiteral text: String) { pieces = [.text(text)] }

    package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

    package struct StringInterpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { pieces.append(.text(literal)) }

        package mutating func appendInterpolation(_ command: AdvisedCommand) { pieces.append(.command(command)) }

        package mutating func appendInterpolation(_ text: some CustomStringConvertible) {
            pieces.append(.text(text.description))
        }
    }

    package static func + (left: Advice, right: Advice) -> Advice { Advice(pieces: left.pieces + right.pieces) }

    package var commands: [AdvisedCommand] {
        pieces.compactMap { piece in
            if case .command(let command) = piece { command } else { nil }
        }
    }

    package func text(on installation: Installation) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .command(let command): command.line(on: installation)
            }
        }.joined()
    }

    /// The text of an advice on this machine, for parts that know no configuration.
    package static func here(_ advice: Advice) -> String { advice.text(on: .local) }

    /// The text of an advice for another machine: the plain words of the program.
    package static func elsewhere(_ advice: Advice) -> String { advice.text(on: .elsewhere) }

    /// The sentences with the name of each command in braces: `Run {martlet doctor} to look at the disk.`
    package var template: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .command(let command): "{\(command.name)}"
            }
        }.joined()
    }

    /// The commands of ``template``, as a person types them, by their names.
    package func lines(on installation: Installation) -> [String: String] {
        Dictionary(commands.map { ($0.name, $0.line(on: installation)) }) { first, _ in first }
    }

    /// The advice with `{name}` replaced by values in its commands. The words keep their places, for ``template``.
    func filled(_ arguments: [String: String]) -> Advice {
        Advice(
            pieces: pieces.map { piece in
                switch piece {
                case .text: piece
                case .command(let command): .command(command.filled(arguments))
                }
            })
    }
}
