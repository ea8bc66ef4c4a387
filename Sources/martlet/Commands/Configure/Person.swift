// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Who answers questions, on a terminal or in a test.
protocol Person: Sendable {
    /// One line; throws when nobody is there any more.
    func answer(to question: String, isSecret: Bool) async throws(NobodyThere) -> String
    func tell(_ text: String)
}

/// The input has ended: nobody answers any more.
struct NobodyThere: Error {}

extension Person {
    /// `usual`: what an empty answer means; shown.
    func ask(_ question: String, usual: String = "") async throws(NobodyThere) -> String {
        let shown = usual.isEmpty ? "\(question): " : "\(question) [\(Text.plain(usual))]: "
        let answer = try await answer(to: shown, isSecret: false)
        return answer.isEmpty ? usual : answer
    }

    func askSecret(_ question: String) async throws(NobodyThere) -> String {
        try await answer(to: "\(question): ", isSecret: true)
    }

    func confirms(_ question: String, usual: Bool) async throws(NobodyThere) -> Bool {
        while true {
            let text = try await answer(to: "\(question) [\(usual ? "Y/n" : "y/N")] ", isSecret: false).lowercased()
            switch text {
            case "": return usual
            case "y", "yes": return true
            case "n", "no": return false
            default: tell("Answer y or n.")
            }
        }
    }
}

/// Standard input and standard error. It reads on a queue of its own: a person's pause holds up no task.
final class TerminalPerson: Person {
    private let queue = DispatchQueue(label: "martlet.questions")
    private let input = InputBox()

    /// Touched on `queue` only, after it was made.
    private final class InputBox: @unchecked Sendable {
        var input = TerminalInput()
    }

    func answer(to question: String, isSecret: Bool) async throws(NobodyThere) -> String {
        let answer: String? = await withCheckedContinuation { continuation in
            queue.async { [input] in continuation.resume(returning: input.input.ask(question, isSecret: isSecret)) }
        }
        guard let answer else { throw NobodyThere() }
        return answer
    }

    func tell(_ text: String) { Output.line(text) }

    /// For options that name standard input, before anything else runs.
    func line(_ question: String) -> String? { queue.sync { input.input.ask(question, isSecret: true) } }
}
