// SPDX-License-Identifier: Apache-2.0

/// Where a broker is.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `host`, `host:port`, `[address]` and `[address]:port`; nil for anything else.
    ///
    /// - Parameter port: What holds when the text names none.
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

    /// Whether that can be a host's name or address.
    package static func isHost(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/[]".utf8.contains($0) }
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Which of several brokers is tried next: in their order, each once a round, with a wait between the rounds. When a
/// connection that stood for a while ends, the first is tried first again.
struct BrokerRotation: Sendable {
    let addresses: [BrokerAddress]
    private var index = 0

    /// - Parameter addresses: At least one.
    init(_ addresses: [BrokerAddress]) { self.addresses = addresses }

    var current: BrokerAddress { addresses[index] }
    var position: Int { index }

    /// Goes on after a try or a connection has ended.
    ///
    /// - Returns: Whether the next try has to wait: a round is over.
    mutating func goOn(wasStable: Bool) -> Bool {
        index = wasStable ? 0 : (index + 1) % addresses.count
        return index == 0
    }
}
