// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Gateway
import Glibc
import Synchronization

/// Lines to standard output and standard error, written completely at once. Texts come from the gateway's user, its files and the air, and a
/// terminal of root shows them: see ``Text/shown(_:)``.
enum Output {
    static func line(_ text: String) { write(Text.shown(text) + "\n", to: STDOUT_FILENO) }
    static func error(_ text: String) { write(Text.shown(text) + "\n", to: STDERR_FILENO) }
    /// Writes one line of JSON for programs.
    static func json(_ value: some Encodable) throws {
        line(String(decoding: try ControlCoding.encode(value), as: UTF8.self))
    }

    /// Text with our own control of the terminal.
    static func raw(_ text: String) { write(text, to: STDOUT_FILENO) }
    /// A question; the answer continues its line.
    static func part(_ text: String) { write(Text.shown(text), to: STDERR_FILENO) }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 && getenv("TERM").map { String(cString: $0) } != "dumb" }

    /// Columns and rows of the terminal; 80 by 24 if unknown.
    static var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Why standard output fails; nil while it works.
    static var failure: Int32? { firstFailure.withLock { $0 } }

    private static let firstFailure = Mutex<Int32?>(nil)

    /// Ends the program with a failure if standard output failed. A reader that stops reading is no failure.
    static func checkArrival() {
        guard let failure, failure != EPIPE else { return }
        error("standard output: \(String(cString: strerror(failure)))")
        Glibc.exit(ExitStatus.failure.rawValue)
    }

    /// Writes all octets; returns the error, or nil.
    static func write(_ octets: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = octets[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return nil
    }

    private static func write(_ text: String, to descriptor: Int32) {
        guard let reason = write(Array(text.utf8), to: descriptor) else { return }
        if descriptor == STDOUT_FILENO { firstFailure.withLock { $0 = $0 ?? reason } }
    }
}
