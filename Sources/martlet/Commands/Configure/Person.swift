// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// A person or a test that answers questions.
protocol Person: Sendable {
    /// A line of input; throws at the end of the input.
    func answer(to question: String, isSecret: Bool) async throws(NobodyThere) -> String
    func tell(_ text: String)
}

/// The end of the input: no more answers come.
struct NobodyThere: Error {}

extension Person {
    /// `usual`: the meaning of an empty answer; shown.
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

/// Standard input and standard error. Reads on a queue of its own, so that a person's pause delays no task.
final class TerminalPerson: Person {
    private let queue = DispatchQueue(label: "martlet.questions")
    private let input = InputBox()

    /// Used on `queue` only, after its creation.
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

    /// For options that name standard input. Called before all other work.
    func line(_ question: String) -> String? { queue.sync { input.input.ask(question, isSecret: true) } }
}
