// SPDX-License-Identifier: Apache-2.0

import Gateway
import Provisioning

/// An event during the set-up of a gateway, for people and for programs.
enum ConfigureEvent: Equatable {
    case found(address: String, name: String?, rssi: Int?, GatewayPresentation?)
    /// The pairing has ended, or was not needed.
    case connected(address: String)
    case staged(String)
    case uploaded(octets: Int, size: Int)
    case progress(ProgressMessage)
    case network(NetworkMessage)
    case sensor(SensorMessage)
    case accepted(String)
    case forgotten(String)
    case time(TimeMessage)
    case window(WindowMessage)
    case status(StatusMessage)
    case log(String)
    case identified
    case rolledBack
    /// Staged changes were dropped.
    case dropped
    case reset
    /// The calls that set up this gateway, for people.
    case calls(device: String)
    case failed(ProvisioningClientError)
}

/// Shows events.
protocol ConfigureReport: AnyObject {
    func show(_ event: ConfigureEvent)
    /// A group of events is complete, so a list can be shown.
    func flush()
}

/// One JSON object a line: `event` names the event; the other keys are in docs/provisioning-protocol.md.
final class ConfigureJSON: ConfigureReport {
    private let write: (String) -> Void

    init(_ write: @escaping (String) -> Void) { self.write = write }

    func show(_ event: ConfigureEvent) {
        if let line = Self.line(event) { write(line) }
    }
    func flush() {}

    private struct Found: Encodable {
        var address: String
        var name: String?
        var rssi: Int?
        var model: String?
        var state: String?
        var nextStep: String?
    }
    private struct Place: Encodable { var address: String }
    private struct Setting: Encodable { var setting: String }
    private struct Parts: Encodable { var received: Int, size: Int }
    private struct Sensor: Encodable { var sensor: String }
    private struct Line: Encodable { var line: String }
    private struct Failure: Encodable { var reason: String, text: String }
    private struct Nothing: Encodable {}

    /// Nil for an event that tells a program nothing.
    static func line(_ event: ConfigureEvent) -> String? {
        switch event {
        case .calls: nil
        case .found(let address, let name, let rssi, let open):
            object(
                "gateway",
                Found(
                    address: address, name: open?.name ?? name, rssi: rssi, model: open?.model, state: open?.state,
                    nextStep: open?.nextStep))
        case .connected(let address): object("connected", Place(address: address))
        case .staged(let setting): object("staged", Setting(setting: setting))
        case .uploaded(let octets, let size): object("upload", Parts(received: octets, size: size))
        case .progress(let message): object("progress", message)
        case .network(let message): object("network", message)
        case .sensor(let message): object("sensor", message)
        case .accepted(let sensor): object("accepted", Sensor(sensor: sensor))
        case .forgotten(let sensor): object("forgotten", Sensor(sensor: sensor))
        case .time(let message): object("time", message)
        case .window(let message): object("window", message)
        case .status(let message): object("status", message)
        case .log(let text): object("log", Line(line: text))
        case .identified: object("identify", Nothing())
        case .rolledBack: object("rolled-back", Nothing())
        case .dropped: object("dropped", Nothing())
        case .reset: object("factory-reset", Nothing())
        case .failed(let error): object("error", Failure(reason: error.reason, text: error.description))
        }
    }

    private static func object(_ event: String, _ message: some Encodable) -> String {
        let body = (try? ControlCoding.encode(message)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return "{\"event\":\"\(event)\"" + (body == "{}" ? "}" : "," + body.dropFirst())
    }
}
