// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Lines to standard output and standard error, and the signals that end a run.
enum Output {
    static func line(_ text: String) { print(text) }

    static func error(_ text: String) {
        let octets = Array((text + "\n").utf8)
        _ = octets.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// A broker's words cannot write to the terminal.
    static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
    }

    /// Calls `action` at each SIGINT and SIGTERM.
    static func signals(_ action: @escaping @Sendable () -> Void) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler(handler: action)
            source.activate()
            return source
        }
    }
}
