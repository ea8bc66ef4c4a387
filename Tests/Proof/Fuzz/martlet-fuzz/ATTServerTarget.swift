// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import FuzzSeeds
import GATT

/// Our GATT server against a client with any octets: no request has two answers, and no PDU exceeds the MTU. On a link without the required
/// security, the server reads, writes and sends nothing of a protected attribute.
struct ATTServerTarget: FuzzTarget {
    static let name = "att-server"

    static var seeds: [[UInt8]] {
        let requests: [[UInt8]] = [
            [0x02, 64, 0], [0x04, 1, 0, 0xFF, 0xFF], [0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0x0D, 0x18],
            [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B], [0x0A, 0x22, 0], [0x0A, 0x24, 0],
            [0x0C, 0x22, 0, 20, 0], [0x0E, 0x22, 0, 0x24, 0], [0x20, 0x22, 0, 0x24, 0, 3, 0],
            [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x12, 0x24, 0, 1, 2, 3], [0x12, 0x27, 0, 3, 0], [0x12, 0x15, 0, 5],
            [0x12, 0x13, 0, 2, 0], [0x16, 0x24, 0, 0, 0, 1, 2], [0x16, 0x24, 0, 2, 0, 3, 4], [0x18, 1], [0x18, 0],
            [0x52, 0x24, 0, 9], [0xD2, 0x24, 0, 1] + [UInt8](repeating: 2, count: 12), [0x1E], [0x3F, 1, 2],
            [0x0A, 0x2E, 0], [0x0A, 0x30, 0], [0x12, 0x30, 0, 1], [0x12, 0x2F, 0, 1, 0], [0x16, 0x2A, 0, 0, 0, 1],
        ]
        func seed(_ kind: UInt8, _ list: [[UInt8]]) -> [UInt8] {
            var script = FuzzScript(kind)
            for request in list {
                script.add(0)
                script.add(counted: request)
                script.add(1, 12, 3, 0x26, 1, 30)
            }
            return script.octets
        }
        return [seed(0, requests), seed(1, requests.reversed()), seed(0xFF, requests)]
            + requests.map { seed(0, [$0, [0x02, 100, 0], $0]) }
    }

    /// The protection of attributes, and the values of the protected attributes.
    private static let levels: [(access: AttributeAccess, secret: [UInt8])] = [
        (.open, Array(0..<60)), (.encrypted, [0x9B, 0x51, 0xC7, 0x0E, 0x83, 0x2D]),
        (.authenticated, [0xA4, 0x1F, 0xE2, 0x70, 0x39, 0xD5]),
        (.init(level: .secureConnections), [0xB8, 0x66, 0x0D, 0xF1, 0x94, 0x4A]),
        (.init(needsAuthorization: true), [0xC3, 0x7E, 0x91, 0x28, 0xE5, 0x5B]),
        (.init(level: .encrypted, minimumKeySize: 7), [0xD6, 0x02, 0xBC, 0x4F, 0x81, 0xEA]),
        (.denied, [0xE9, 0x35, 0x7A, 0xC0, 0x16, 0x8D]),
    ]
    private static let owner = ServerOwner(1)
    private static let other = ServerOwner(2)

    private static let prepared: GATTDatabase = {
        var database = GATTDatabase(HostServices(deviceName: Array("Martlet".utf8), nameWrite: .authenticated))
        for (number, owner) in [(0x180D, Self.owner), (0x1810, Self.other)] as [(UInt16, ServerOwner)] {
            let characteristics = levels.enumerated().flatMap { index, level in
                let access = level.access
                return [
                    LocalCharacteristic(
                        uuid: BluetoothUUID(0x2A00 + UInt16(index)), properties: [.read, .write, .notify, .indicate],
                        value: level.secret, read: access, write: access, notify: access,
                        descriptors: [
                            LocalDescriptor(
                                uuid: BluetoothUUID(UInt16(0x2901)), value: level.secret, read: access,
                                write: access)
                        ]),
                    LocalCharacteristic(
                        uuid: BluetoothUUID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E00 + UInt64(index)),
                        properties: [.read, .write, .writeWithoutResponse, .extendedProperties], read: access,
                        write: access, maximumLength: 20 + index),
                ]
            }
            let service = LocalService(uuid: BluetoothUUID(number), characteristics: characteristics)
            promise((try? database.add(service, owner: owner)) != nil, "a service is not taken")
        }
        database.setDatabaseHash([UInt8](repeating: 0xA5, count: 16))
        return database
    }()

    private static let handles: [UInt16] = prepared.attributes.map(\.handle)

    private var machine = GATTServerMachine(ownMTU: 23)
    private var context = ServerContext(database: prepared, security: .none, now: .zero)
    private var asked: [(id: ServerRequestID, isRead: Bool, offset: Int)] = []
    private var (requests, answers) = (0, 0)
    private var hasEnded = false

    init() {}

    mutating func run(_ octets: [UInt8]) {
        var input = FuzzInput(octets)
        let kind = input.u8()
        machine = GATTServerMachine(ownMTU: kind & 1 == 0 ? 517 : 23)
        context = ServerContext(database: Self.prepared, security: Self.security(kind), now: .zero)
        (asked, requests, answers, hasEnded) = ([], 0, 0, false)
        while !input.isAtEnd {
            switch input.pick(9) {
            case 0, 1, 6: receive(input.counted())
            case 7: receive(aimed(&input))
            case 2: answer(&input)
            case 3:
                let handle = input.pick(Self.handles)
                let value = [UInt8](repeating: 5, count: Int(input.u8()))
                take(machine.notify(value, of: handle, in: context).effects)
            case 4:
                context.now = context.now + .seconds(Int(input.u8() & 31))
                if let deadline = machine.deadline, deadline <= context.now { take(machine.expire(in: context)) }
                promise(machine.deadline.map { $0 > context.now } ?? true, "time stands still")
            case 5: context.security = Self.security(input.u8())
            default: change(&input)
            }
            promise(answers <= requests, "\(answers) answers to \(requests) requests")
        }
    }

    private static func security(_ bits: UInt8) -> LinkSecurity {
        let isEncrypted = bits & 2 != 0
        return LinkSecurity(
            isEncrypted: isEncrypted, isAuthenticated: isEncrypted && bits & 4 != 0,
            isSecureConnections: isEncrypted && bits & 8 != 0, keySize: isEncrypted ? bits & 16 == 0 ? 16 : 7 : 0,
            hasBond: bits & 32 != 0, isAuthorized: bits & 64 != 0)
    }

    // MARK: The client

    private mutating func receive(_ octets: [UInt8]) {
        guard let first = octets.first else { return }
        let opcode = ATTOpcode(rawValue: first)
        if !opcode.isCommand, !opcode.isResponseOrUpdate, opcode != .confirmation { requests += 1 }
        take(machine.received(octets[...], in: context))
    }

    /// A request with an existing handle.
    private func aimed(_ input: inout FuzzInput) -> [UInt8] {
        let opcodes: [UInt8] = [0x0A, 0x0C, 0x0E, 0x12, 0x16, 0x20, 0x52, 0x08, 0x04, 0x10]
        var octets = [input.pick(opcodes)]
        octets.append(u16: input.pick(Self.handles))
        return octets + input.take(Int(input.u8() & 31))
    }

    // MARK: The owners

    private mutating func answer(_ input: inout FuzzInput) {
        guard let (id, isRead, offset) = asked.popLast() else { return }
        let choice = input.u8()
        let error: ATTErrorCode? = choice & 7 == 7 ? ATTErrorCode(rawValue: choice) : nil
        let value = [UInt8](repeating: 3, count: Int(choice) * 2).dropFirst(offset)
        if isRead == (choice & 8 == 0) || choice & 16 == 0, isRead {
            let result: Result<[UInt8], ATTErrorCode> = error.map { .failure($0) } ?? .success(Array(value))
            take(machine.answerRead(id, result, in: context).effects)
        } else {
            take(machine.answerWrite(id, error: error, in: context).effects)
        }
    }

    /// A service goes or comes back, an owner leaves, values go out together, a client's state is kept and restored.
    private mutating func change(_ input: inout FuzzInput) {
        switch input.pick(5) {
        case 0:
            for change in context.database.removeAll(owner: Self.other) {
                take(machine.databaseChanged(change, in: context))
            }
        case 1: take(machine.ownerGone(Self.owner, in: context))
        case 2:
            let values = (0..<3).map { _ in (handle: input.pick(Self.handles), value: [UInt8](repeating: 4, count: 9)) }
            take(machine.notify(multiple: values, in: context).effects)
        case 3:
            let state = machine.clientState(in: context)
            promise(state.configurations.count <= Self.handles.count, "\(state.configurations.count) configurations")
            take(machine.restore(state, in: context))
        default:
            let service = LocalService(
                uuid: BluetoothUUID(UInt16(0x181A)),
                characteristics: [
                    LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x2A77)), properties: [.read, .notify])
                ])
            guard context.database.services.count < 5,
                let published = try? context.database.add(service, owner: Self.other)
            else { return }
            take(machine.databaseChanged(published.addition, in: context))
        }
    }

    // MARK: Promises

    private mutating func take(_ effects: [GATTServerMachine.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let octets): sent(octets)
            case .read(let read):
                let attribute = context.database[handle: read.handle]
                promise(attribute.map { allows($0.read) } == true, "handle \(read.handle) is read")
                asked.append((read.id, true, read.offset))
            case .write(let write):
                for item in write.items {
                    let attribute = context.database[handle: item.handle]
                    promise(attribute.map { allows($0.write) } == true, "handle \(item.handle) is written")
                    promise(item.value.count <= attribute?.maximumLength ?? 0, "\(item.value.count) octets are written")
                }
                if let id = write.id { asked.append((id, false, 0)) }
            case .mtuExchanged(let mtu): promise((23...517).contains(mtu), "the MTU is \(mtu)")
            case .closeBearer, .indicationTimedOut: hasEnded = true
            case .subscribed, .unsubscribed, .confirmed, .indicationDropped, .stateChanged: break
            }
        }
    }

    private func allows(_ access: AttributeAccess) -> Bool {
        access.isAllowed && access.refusal(of: context.security) == nil
    }

    private mutating func sent(_ octets: [UInt8]) {
        promise(!hasEnded, "\(octets) is sent after the end")
        promise(octets.count <= machine.mtu, "\(octets.count) octets for an MTU of \(machine.mtu)")
        guard let pdu = try? ATTPDU(decoding: octets[...]) else { fatalError("broken promise: \(octets) is no PDU") }
        promise(pdu.opcode.isResponseOrUpdate, "\(pdu) is not for a client")
        switch pdu {
        case .notification(let handle, _), .indication(let handle, _):
            guard handle != GATTDatabase.serviceChangedHandle else { return }
            promise(context.database[handle: handle].map { allows($0.notify) } == true, "handle \(handle) is sent")
        case .multipleHandleValueNotification(let values):
            for value in values {
                let attribute = context.database[handle: value.handle]
                promise(attribute.map { allows($0.notify) } == true, "handle \(value.handle) is sent")
            }
        // The client receives its own octets.
        case .prepareWriteResponse: answers += 1
        default:
            answers += 1
            for level in Self.levels.dropFirst() where !allows(level.access) {
                promise(!contains(octets, level.secret), "a secret is told: \(octets)")
            }
        }
    }

    private func contains(_ octets: [UInt8], _ part: [UInt8]) -> Bool {
        guard octets.count >= part.count else { return false }
        return (0...(octets.count - part.count)).contains { octets[$0..<($0 + part.count)].elementsEqual(part) }
    }
}
