// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Who answers on the control socket, which is taken before there is anything to tell.
final class ControlAnswers: Sendable {
    private let handler = Mutex<ControlServer.Handler?>(nil)

    func install(_ handler: @escaping ControlServer.Handler) { self.handler.withLock { $0 = handler } }

    func answer(_ line: [UInt8]) -> [UInt8] {
        guard let handler = handler.withLock({ $0 }) else {
            return Array(#"{"error":"the gateway is starting","ok":false}"#.utf8)
        }
        return handler(line)
    }
}
