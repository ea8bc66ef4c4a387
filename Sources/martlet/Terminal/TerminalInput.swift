// SPDX-License-Identifier: Apache-2.0

import Gateway
import Glibc

/// Lines from standard input, from a terminal or not, while another descriptor is polled.
struct TerminalInput: ~Copyable {
    enum Event: Equatable {
        /// A line, without its end and without surrounding blanks.
        case line(String)
        /// The input has ended.
        case end
        /// The other descriptor is readable.
        case other
    }

    /// No person writes a longer line.
    private static let maximumLine = 1024

    private var received: [UInt8] = []
    private var hasEnded = false
    /// The terminal's settings with echo, saved while echo is off.
    private var echoing: termios?

    deinit { if var echoing { tcsetattr(STDIN_FILENO, TCSANOW, &echoing) } }

    /// Switches the echo of typed text off or on.
    mutating func hides(_ hides: Bool) {
        if hides, echoing == nil, isatty(STDIN_FILENO) == 1 {
            var settings = termios()
            guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
            echoing = settings
            settings.c_lflag &= ~tcflag_t(ECHO)
            settings.c_lflag |= tcflag_t(ECHONL)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        } else if !hides, var settings = echoing {
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
            echoing = nil
        }
    }

    /// For the end of the program during a question.
    static func showTyping() {
        var settings = termios()
        guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
        settings.c_lflag |= tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    /// Asks for a line; nil without an answer.
    mutating func ask(_ prompt: String, isSecret: Bool = false) -> String? {
        Output.part(prompt)
        hides(isSecret)
        defer { hides(false) }
        guard case .line(let text)? = try? wait(for: -1, reading: true) else { return nil }
        return text
    }

    /// Waits until `descriptor` can be read, or, if `reading`, until a line arrives.
    mutating func wait(for descriptor: Int32, reading: Bool) throws(ControlError) -> Event {
        while true {
            if reading, let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return .line(Self.trimmed(received[..<end]))
            }
            if reading, hasEnded { return .end }
            var entries = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            if reading { entries.append(pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)) }
            guard poll(&entries, nfds_t(entries.count), -1) >= 0 || errno == EINTR else {
                throw .system(operation: "wait for", path: "standard input", errno: errno)
            }
            if entries[0].revents != 0 { return .other }
            if reading, entries[1].revents != 0 { read() }
        }
    }

    private mutating func read() {
        var buffer = [UInt8](repeating: 0, count: Self.maximumLine)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0, received.count <= Self.maximumLine else {
            hasEnded = true
            // The last line may lack its end.
            if !received.isEmpty, received.last != UInt8(ascii: "\n") { received.append(UInt8(ascii: "\n")) }
            return
        }
        received += buffer[..<count]
    }

    private static func trimmed(_ octets: ArraySlice<UInt8>) -> String {
        let blanks: [UInt8] = [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")]
        let start = octets.drop { blanks.contains($0) }
        let end = start.lastIndex { !blanks.contains($0) }.map { start[...$0] } ?? []
        return String(decoding: end, as: UTF8.self)
    }

    static func isYes(_ text: String) -> Bool { ["y", "yes"].contains(text.lowercased()) }
}
