// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Foundation
import Gateway
import Provisioning

/// The work of one call of `martlet configure`, from its options.
struct ConfigurePlan: Equatable {
    struct Wireless: Equatable {
        var ssid: String
        /// nil: the network is open.
        var password: Secret?
        var isHidden = false
    }

    /// An absent value stays unchanged.
    struct Broker: Equatable {
        var host: String?
        var port: Int?
        var usesTLS: Bool?
        var username: String?
        var password: Secret?
        var homeAssistant: Bool?

        var isEmpty: Bool { self == Broker() }
    }

    var name: String?
    var country: String?
    var wireless: Wireless?
    var broker = Broker()
    /// In PEM; empty removes the present certificates.
    var authority: [UInt8]?
    var accepts: [AcceptMessage] = []
    var forgets: [String] = []
    /// The wanted state of the pairing window.
    var window: Bool?
    var setsTime = false
    var identifies = false
    var listsNetworks = false
    var listsSensors = false
    var showsStatus = false
    var showsLog = false
    var applies = false
    var rollsBack = false
    var resets = false

    /// The plan has settings for Apply.
    var hasSettings: Bool {
        name != nil || country != nil || wireless != nil || !broker.isEmpty || authority != nil
    }

    var isEmpty: Bool { self == ConfigurePlan() }
}

extension ConfigurePlan.Wireless {
    var message: WirelessMessage {
        WirelessMessage(ssid: ssid, password: password?.revealed, hidden: isHidden ? true : nil)
    }
}

extension ConfigurePlan.Broker {
    var message: BrokerMessage {
        var message = BrokerMessage()
        (message.host, message.port, message.tls) = (host, port, usesTLS)
        (message.username, message.password) = (username, password?.revealed)
        message.homeAssistant = homeAssistant
        return message
    }
}

/// `HOST`, `HOST:PORT`, `[ADDRESS]:PORT`, or a bare address of IPv6.
struct BrokerPlace: Equatable {
    var host: String
    var port: Int?

    init?(_ text: String) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[text.index(after: text.startIndex)..<end])
            let rest = text[text.index(after: end)...]
            if rest.isEmpty {
                port = nil
            } else {
                guard rest.first == ":", let number = UInt16(rest.dropFirst()), number > 0 else { return nil }
                port = Int(number)
            }
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            switch parts.count {
            case 1: (host, port) = (text, nil)
            case 2:
                guard let number = UInt16(parts[1]), number > 0 else { return nil }
                (host, port) = (String(parts[0]), Int(number))
            default: (host, port) = (text, nil)
            }
        }
        guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
    }
}

/// `ADDRESS` or `ADDRESS=ID` of a sensor to accept.
struct AcceptedSensor: Equatable {
    var message: AcceptMessage

    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let octets = parts[0].split(separator: ":", omittingEmptySubsequences: false)
        guard octets.count == 6, octets.allSatisfy({ $0.count == 2 && UInt8($0, radix: 16) != nil }) else { return nil }
        if parts.count == 2, parts[1].isEmpty { return nil }
        message = AcceptMessage(address: parts[0].uppercased(), id: parts.count == 2 ? parts[1] : nil)
    }
}
