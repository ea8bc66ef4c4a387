// SPDX-License-Identifier: Apache-2.0

import Operations

/// The answer to a completed operation, on the socket and on the page: `{"ok":true,"result":…}`.
package struct OperationSuccess: Encodable {
    private let result: OperationRow.Result

    package init(_ result: OperationRow.Result) { self.result = result }

    private enum CodingKeys: CodingKey { case ok, result }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(true, forKey: .ok)
        try result.encode(to: container.superEncoder(forKey: .result))
    }
}
