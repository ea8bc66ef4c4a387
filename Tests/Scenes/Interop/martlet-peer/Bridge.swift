// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Foundation

/// A phone's Bluetooth for a page in a browser. It carries out lines of standard input, with one answer a line, and
/// reports events.
///
/// Every request has an `id`, which its answer repeats. `error` in an answer is a code of the attribute protocol, or a word for
/// another failure. Events are `value` (a notification), `disconnected`, `passkey` (a person has to type a passkey; `answer`
/// brings it) and `pairing` (the pairing's end).
final class Bridge: NSObject, CBPairingAgent, @unchecked Sendable {
    // Sound: everything but the answers of asynchronous requests is on one queue.

    struct Request: Decodable {
        let id: Int
        let op: String
        var services: [String]?
        var uuid: String?
        /// In hexadecimal.
        var value: String?
        /// The passkey in `answer`; nil cancels the dialogue.
        var passkey: String?
    }

    /// A failure without a code of the attribute protocol.
    enum Trouble: String, Error {
        case disconnected, unreachable, service
    }

    private static let scanLimit: Duration = .seconds(30)
    private static let connectLimit: Duration = .seconds(15)

    let controller: CBController
    let queue = DispatchQueue(label: "martlet-peer")
    private let central: CBCentralManager
    private var peripheral: CBPeripheral?
    private var characteristics: [String: CBCharacteristic] = [:]
    private var asked: CBPairingRequest?
    /// The requests that wait for an answer, by characteristic.
    private var subscriptions: [String: Int] = [:]

    init(controller: CBController) {
        self.controller = controller
        central = CBCentralManager(
            delegate: nil, queue: queue, options: [CBCentralManagerOptionControllerKey: controller])
        super.init()
        central.delegate = self
        var policy = CBPairingPolicy()
        policy.capability = .keyboardAndDisplay
        policy.requiresAuthentication = true
        policy.replacement = .unlessWeaker
        controller.pairingPolicy = policy
        controller.setPairingAgent(self, queue: queue)
    }

    /// Returns when standard input has ended.
    func run() {
        while let line = readLine() {
            guard let request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8)) else {
                fail("no request: \(line)")
            }
            queue.async { self.take(request) }
        }
        queue.sync {}
    }

    private func take(_ request: Request) {
        switch request.op {
        case "answer":
            let answer = request.passkey.flatMap { CBPasskey($0) }.map { CBPairingRequest.Answer.passkey($0) }
            let isTaken = asked?.respond(with: answer ?? .refuse)
            Report.line(["id": request.id, "taken": isTaken == true])
        case "forget":
            for bond in controller.bonds { controller.removeBond(withIdentifier: bond.identifier) }
            Report.line(["id": request.id])
        case "subscribe", "unsubscribe":
            subscribe(request)
        default:
            let (known, peripheral) = (request.uuid.flatMap { characteristics[$0] }, peripheral)
            Task { await self.answer(request, known, peripheral) }
        }
    }

    private func answer(_ request: Request, _ known: CBCharacteristic?, _ peripheral: CBPeripheral?) async {
        var answer: [String: any Sendable] = ["id": request.id]
        do {
            answer.merge(try await perform(request, known, peripheral)) { _, new in new }
        } catch let error as CBATTError {
            answer["error"] = error.code.rawValue
        } catch let error as Trouble {
            answer["error"] = error.rawValue
        } catch {
            (answer["error"], answer["text"]) = (Trouble.disconnected.rawValue, "\(error)")
        }
        Report.line(answer)
    }

    private func perform(
        _ request: Request, _ known: CBCharacteristic?, _ peripheral: CBPeripheral?
    ) async throws -> [String: any Sendable] {
        if request.op == "choose" { return try await choose(request.services ?? []) }
        guard let peripheral else { throw Trouble.disconnected }
        switch request.op {
        case "connect":
            do {
                try await peripheral.connect(timeout: Self.connectLimit)
            } catch {
                throw Trouble.unreachable
            }
        case "disconnect":
            try await peripheral.disconnect(timeout: Self.connectLimit)
        case "discover":
            let wanted = [CBUUID(string: request.uuid ?? "")]
            guard let service = try await peripheral.services(withUUIDs: wanted).first else { throw Trouble.service }
            let found = try await peripheral.characteristics(in: service)
            let uuids = found.map { $0.uuid.uuidString.lowercased() }
            queue.sync {
                characteristics = Dictionary(zip(uuids, found)) { first, _ in first }
                peripheral.delegate = self
            }
            return ["characteristics": uuids]
        case "read":
            guard let known else { throw Trouble.disconnected }
            return ["value": try await peripheral.value(for: known).hexadecimal]
        case "write":
            guard let known else { throw Trouble.disconnected }
            try await peripheral.write(Data(hexadecimal: request.value ?? ""), for: known)
        default:
            fail("no request: \(request)")
        }
        return [:]
    }

    /// The first device with one of the services, as if a person had taken it from the browser's list.
    private func choose(_ services: [String]) async throws -> [String: any Sendable] {
        try await central.waitUntilPoweredOn(timeout: Self.scanLimit)
        let found = await withTaskGroup(of: CBAdvertisement?.self) { [central] group in
            group.addTask {
                for await heard in central.advertisements(withServices: services.map { CBUUID(string: $0) }) {
                    return heard
                }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: Self.scanLimit)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let found else { throw Trouble.unreachable }
        queue.sync { peripheral = found.peripheral }
        return ["name": found.peripheral.name ?? "", "address": found.peripheral.address]
    }

    private func subscribe(_ request: Request) {
        guard let uuid = request.uuid, let peripheral, peripheral.state == .connected,
            let characteristic = characteristics[uuid]
        else {
            Report.line(["id": request.id, "error": Trouble.disconnected.rawValue])
            return
        }
        subscriptions[uuid] = request.id
        peripheral.setNotifyValue(request.op == "subscribe", for: characteristic)
    }
}

extension Bridge: CBCentralManagerDelegate, CBPeripheralDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { Report.line(["event": "ready"]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        for id in subscriptions.values { Report.line(["id": id, "error": Trouble.disconnected.rawValue]) }
        subscriptions = [:]
        characteristics = [:]
        Report.line(["event": "disconnected", "text": error.map { "\($0)" } ?? ""])
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard error == nil, let value = characteristic.value else { return }
        Report.line([
            "event": "value", "uuid": characteristic.uuid.uuidString.lowercased(), "value": value.hexadecimal,
        ])
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        let uuid = characteristic.uuid.uuidString.lowercased()
        guard let id = subscriptions.removeValue(forKey: uuid) else { return }
        guard let error else {
            Report.line(["id": id])
            return
        }
        let code = (error as? CBATTError)?.code.rawValue
        Report.line(["id": id, "error": code.map { $0 as any Sendable } ?? Trouble.disconnected.rawValue])
    }

    // MARK: The agent

    func controller(_ controller: CBController, didReceive request: CBPairingRequest) {
        asked = request
        switch request.kind {
        case .enterPasskey: Report.line(["event": "passkey"])
        // The gateway of these tests has a passkey to show; the page does not support a pairing without one.
        default: request.respond(with: .refuse)
        }
    }

    func controller(
        _ controller: CBController, didEndPairingWith peer: CBPeer, result: Result<CBBond, CBPairingError>
    ) {
        asked = nil
        switch result {
        case .success(let bond): Report.line(["event": "pairing", "authenticated": bond.isAuthenticated])
        case .failure(let error): Report.line(["event": "pairing", "failed": "\(error.code)"])
        }
    }
}

extension Data {
    init(hexadecimal text: String) {
        self.init(
            stride(from: 0, to: text.utf8.count, by: 2).map { start in
                UInt8(text.dropFirst(start).prefix(2), radix: 16) ?? 0
            })
    }
}
