// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The program's output: one JSON object a line.
enum Report {
    static func line(_ fields: [String: any Sendable]) {
        guard let text = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]) else {
            fail("no JSON: \(fields)")
        }
        // One call, so that lines of several queues stay whole.
        FileHandle.standardOutput.write(text + Data("\n".utf8))
    }
}

extension Data {
    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}
