// SPDX-License-Identifier: Apache-2.0

import ATT
import BluetoothCore
import BluetoothHost
import GATT
import HCI
import Testing
import VirtualRadio

@testable import HostBench

/// The attribute server of one host, used by the client of another host.
struct ServerScenarioTests {
    private static let service = LocalService(
        uuid: BluetoothUUID(UInt16(0x1234)),
        characteristics: [
            LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x1235)), properties: [.read, .write]),
            LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x1236)), properties: [.read, .write]),
        ])

    private struct Served {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        let published: PublishedService
        let link: LinkID

        init() throws {
            published = try duet.a.host.publish(ServerScenarioTests.service, for: Duet.client, at: duet.now).get()
            link = try duet.connected().b
            duet.run(for: .seconds(1))
        }

        func handle(_ index: Int) -> UInt16 { published.characteristics[index].valueHandle }

        func ask(_ request: GATTRequest, _ number: UInt64 = 1) {
            let id = GATTRequestID(client: Duet.client, number: number)
            duet.players[1].host.request(request, id: id, on: link, at: duet.now)
        }

        var completions: [Result<GATTResponse, GATTError>] {
            duet.b.events.compactMap { if case .completed(_, let result) = $0 { result } else { nil } }
        }

        var told: [ServerEvent] {
            duet.a.events.compactMap { if case .server(Duet.client, let event) = $0 { event } else { nil } }
        }
    }

    @Test func `a request that its owner does not answer in time ends the link, and the owner is told`() throws {
        let served = try Served()
        served.ask(.read(handle: served.handle(0)))
        served.duet.run(for: .seconds(29))
        #expect(served.duet.a.host.hasLinks && served.completions.isEmpty)
        served.duet.run(for: .seconds(2))
        #expect(!served.duet.a.host.hasLinks)
        #expect(served.duet.a.host.counters.requestsUnanswered == 1)
        let isTold = served.told.contains {
            if case .requestUnanswered(served.handle(0)) = $0 { true } else { false }
        }
        #expect(isTold)
        #expect(served.completions == [.failure(.disconnected)])
        #expect(served.duet.violations == [])
    }

    @Test(arguments: [nil, ATTErrorCode.valueNotAllowed])
    func `writes that were prepared come to their owner together, and it takes all or none`(
        refusal: ATTErrorCode?
    ) throws {
        let served = try Served()
        served.ask(
            .reliableWrite([
                .init(handle: served.handle(0), value: [1, 2]), .init(handle: served.handle(1), value: [3]),
            ]))
        served.duet.run(for: .seconds(2)) { !served.told.isEmpty }
        guard case .write(_, let request?, let items) = try #require(served.told.last) else {
            Issue.record("no write that wants an answer")
            return
        }
        #expect(
            items == [
                WriteItem(handle: served.handle(0), offset: 0, value: [1, 2]),
                WriteItem(handle: served.handle(1), offset: 0, value: [3]),
            ])
        let isTaken = served.duet.players[0].host.answer(write: request, refusal, at: served.duet.now)
        let isTakenAgain = served.duet.players[0].host.answer(write: request, nil, at: served.duet.now)
        #expect(isTaken && !isTakenAgain)
        served.duet.run(for: .seconds(2)) { !served.completions.isEmpty }
        #expect(served.completions == [refusal.map { .failure(.refused($0)) } ?? .success(.written)])
    }

    @Test func `a client that comes late hears of the links that are there, and serves their peers`() throws {
        let served = try Served()
        let link = try #require(served.duet.centralLink)
        var batch = HostEventBatch()
        served.duet.a.host.reportLinks(to: Duet.other, in: &batch)
        guard case .linkUp(link, served.duet.b.address, .peripheral)? = batch.events.first,
            case .mtuExchanged(link, 517)? = batch.events.last
        else {
            Issue.record("\(batch.events)")
            return
        }
        #expect(batch.events.count == 2 && batch.clients == ClientSet(Duet.other))
        let late = LocalService(
            uuid: BluetoothUUID(UInt16(0x4321)),
            characteristics: [LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x4322)), properties: .notify)])
        let published = try served.duet.players[0].host.publish(late, for: Duet.other, at: served.duet.now).get()
        let value = try #require(published.characteristics.first)
        served.ask(.configure(valueHandle: value.valueHandle, endHandle: published.handles.end, .notification))
        #expect(served.duet.run(for: .seconds(2)) { !served.completions.isEmpty })
        served.duet.players[0].host.update(
            value.valueHandle, [7], on: [link], for: Duet.other, at: served.duet.now)
        #expect(served.duet.run(for: .seconds(2)) { served.duet.b.values.map(\.octets) == [[7]] })
        // A link that ends is not reported any more.
        served.duet.players[0].host.endLink(link, at: served.duet.now)
        var later = HostEventBatch()
        served.duet.a.host.reportLinks(to: Duet.other, in: &later)
        #expect(later.isEmpty)
    }

    @Test func `what the last subscriber leaves behind is switched off, on a link that stays`() throws {
        let served = try Served()
        let service = LocalService(
            uuid: BluetoothUUID(UInt16(0x4321)),
            characteristics: [LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x4322)), properties: .notify)])
        let published = try served.duet.players[0].host.publish(service, for: Duet.client, at: served.duet.now).get()
        let value = try #require(published.characteristics.first)
        let peer = served.duet.a.address
        for client in [Duet.other, ClientID(rawValue: 2)] {
            served.duet.players[1].host.connect(peer, for: client, at: served.duet.now)
        }
        func isOn() -> Bool? {
            served.told.reversed().lazy.compactMap {
                if case .subscription(_, value.valueHandle, let isOn) = $0 { isOn } else { nil }
            }.first
        }
        for client in [Duet.client, Duet.other] {
            served.duet.players[1].host.request(
                .configure(valueHandle: value.valueHandle, endHandle: published.handles.end, .notification),
                id: GATTRequestID(client: client, number: 1), on: served.link, at: served.duet.now)
        }
        served.duet.run(for: .seconds(1))
        served.duet.players[1].host.disconnect(peer, for: Duet.client, at: served.duet.now)
        served.duet.run(for: .seconds(1))
        #expect(isOn() == true)
        served.duet.forget()
        served.duet.players[1].host.disconnect(peer, for: Duet.other, at: served.duet.now)
        served.duet.run(for: .seconds(1))
        #expect(isOn() == false && served.duet.b.host.hasLinks && served.completions.isEmpty)
    }

    @Test func `indications that an unsubscribing peer leaves waiting are told to their client, and counted`() throws {
        let served = try Served()
        let service = LocalService(
            uuid: BluetoothUUID(UInt16(0x4321)),
            characteristics: [LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x4322)), properties: .indicate)])
        let published = try served.duet.players[0].host.publish(service, for: Duet.client, at: served.duet.now).get()
        let handle = try #require(published.characteristics.first?.valueHandle)
        let link = try #require(served.duet.centralLink)
        served.ask(.configure(valueHandle: handle, endHandle: published.handles.end, .indication))
        served.duet.run(for: .seconds(1))
        // The peer's client never confirms the first indication, so the other indications wait.
        for value in 0...10 {
            served.duet.players[0].host.update(
                handle, [UInt8(value)], on: [link], for: Duet.client, at: served.duet.now)
        }
        served.duet.run(for: .seconds(1))
        served.ask(.configure(valueHandle: handle, endHandle: published.handles.end, .none), 2)
        served.duet.run(for: .seconds(1))
        let finished = served.told.count { if case .updateFinished(link) = $0 { true } else { false } }
        #expect(finished == 10 && served.duet.a.host.counters.updatesDropped == 10)
    }

    @Test func `a write without response that the MTU does not hold is dropped, counted, and told`() throws {
        let duet = Duet(ControllerSettings(), ControllerSettings())
        duet.players[1].host.offeredMTU = 23
        let published = try duet.players[0].host.publish(
            LocalService(
                uuid: BluetoothUUID(UInt16(0x1234)),
                characteristics: [
                    LocalCharacteristic(uuid: BluetoothUUID(UInt16(0x1235)), properties: .writeWithoutResponse)
                ]), for: Duet.client, at: duet.now
        ).get()
        let handle = try #require(published.characteristics.first?.valueHandle)
        let link = try duet.connected().b
        duet.run(for: .seconds(1))
        for length in [512, 21, 20] {
            duet.players[1].host.writeCommand(
                [UInt8](repeating: 1, count: length), to: handle, on: link, for: Duet.client, at: duet.now)
        }
        duet.run(for: .seconds(1))
        let lengths = duet.a.events.compactMap {
            if case .server(_, .write(_, nil, let items)) = $0 { items.first?.value.count } else { nil }
        }
        #expect(lengths == [20] && duet.b.host.counters.writeCommandsDropped == 2)
        #expect(duet.count(1) { if case .writeCommandSent = $0 { true } else { false } } == 3)
    }

    @Test func `a service that is published again has its handles again`() throws {
        let served = try Served()
        served.duet.players[0].host.unpublish(served.published.handles.start, for: Duet.client, at: served.duet.now)
        let other = LocalService(uuid: BluetoothUUID(UInt16(0x4321)), characteristics: [])
        let second = try served.duet.players[0].host.publish(other, for: Duet.other, at: served.duet.now).get()
        #expect(second.handles.start > served.published.handles.end)
        let again = try served.duet.players[0].host.publish(Self.service, for: Duet.client, at: served.duet.now).get()
        #expect(again.handles == served.published.handles)
    }
}
