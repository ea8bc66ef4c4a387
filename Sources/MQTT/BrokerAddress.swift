// SPDX-License-Identifier: Apache-2.0

/// The host and port of a broker.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host`, `host:port`, `[address]` and `[address]:port`; nil for anything else.
    ///
    /// - Parameter port: The port if the text names none.
    package init?(_ text: String, port: UInt16) {
        let rest: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[text.index(after: text.startIndex)..<end])
            rest = text[text.index(after: end)...]
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = String(text[..<end])
            rest = text[end...]
        }
        guard Self.isHost(host) else { return nil }
        if rest.isEmpty {
            self.port = port
        } else {
            let digits = rest.dropFirst()
            guard rest.hasPrefix(":"), digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt16(digits),
                number > 0
            else { return nil }
            self.port = number
        }
    }

    /// Whether the text can be a host's name or address.
    package static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/[]".utf8.contains($0) }
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
