// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// A POST over HTTPS: address, header and body.
package struct HTTPSPost: Sendable {
    /// Beginning with `https://`. May be a secret.
    package var url: Secret
    /// One more header, `Authorization: Bearer …`; nil for none.
    package var header: Secret?
    package var body: [UInt8]
    package var contentType = "application/json"
    package var userAgent: String
    /// Certificates to trust, in PEM; nil: those of the system.
    package var caFile: String?
    /// For the whole of the request. A connection takes ten seconds of it at most.
    package var timeout: Duration

    package init(
        url: Secret, header: Secret? = nil, body: [UInt8], userAgent: String, caFile: String? = nil,
        timeout: Duration = .seconds(15)
    ) {
        (self.url, self.header, self.body) = (url, header, body)
        (self.userAgent, self.caFile, self.timeout) = (userAgent, caFile, timeout)
    }
}

/// The outcome of a request.
package enum HTTPSOutcome: Equatable, Sendable {
    /// The server's status, 200…299.
    case taken(Int)
    /// The server's status, 300…599; the words have the host of a redirect.
    case refused(Int, String)
    /// No answer, and why: a sentence without its full stop.
    case failed(String)
    /// ``HTTPSClient/stop()`` has ended the request.
    case stopped

    /// The server refuses the same request always: the request is unreadable for the server, or too large.
    package var isFinal: Bool {
        if case .refused(let status, _) = self { [400, 413, 415, 422].contains(status) } else { false }
    }

    package var words: String {
        switch self {
        case .taken(let status): "the server answered with \(status)"
        case .refused(_, let words), .failed(let words): words
        case .stopped: "the gateway stops"
        }
    }
}
