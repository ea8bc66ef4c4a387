// SPDX-License-Identifier: Apache-2.0

import ATT
import Testing

@testable import HostBench

/// A test case in which a server refuses a request with an error code.
struct Refusal: Sendable, CustomTestStringConvertible {
    let id: String
    let error: ATTErrorCode

    init(_ id: String, _ error: ATTErrorCode) {
        self.id = id
        self.error = error
    }

    var testDescription: String { "\(id), \(error)" }

    /// The Error Response to the request.
    func response(to opcode: UInt8, handle: UInt16) -> String {
        text([0x01, opcode] + little(handle) + [error.rawValue])
    }
}
