// SPDX-License-Identifier: Apache-2.0

import HCI
import Testing

@testable import VirtualRadio

/// Parts of virtual controllers and sensors, each by itself.
@Suite("Parts of the virtual radio")
struct ControllerPartsTests {
    @Test func `handles move on, pass over those in use, and begin anew`() {
        var handles = ConnectionHandles()
        #expect(!handles.wasGiven(ConnectionHandles.first))
        let first = (0..<3).map { _ in handles.allocate { $0 == ConnectionHandles.first + 1 } }
        #expect(first == [0x40, 0x42, 0x43])
        #expect(handles.wasGiven(0x43) && handles.wasGiven(0x41) && !handles.wasGiven(0x44))
        let none = handles.allocate { _ in true }
        #expect(none == nil)
        let low = handles.allocate { $0 >= 0x40 }
        #expect(low == 0, "after the last comes the first")
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Operations of Core 5.4, Vol 4, Part E, 7.8.54, with octets.
        let commands: [(operation: UInt8, count: Int)]
        var isEnabled = false
        var isLegacy = false
        var status: HCIStatus?
        var octets = 0
        var isUnfinished = false
    }

    private static let rows = [
        Row(testDescription: "whole", commands: [(3, 40)], octets: 40),
        Row(testDescription: "in pieces", commands: [(1, 30), (0, 30), (2, 5)], octets: 65),
        Row(testDescription: "a first piece alone", commands: [(3, 10), (1, 30)], octets: 10, isUnfinished: true),
        Row(testDescription: "a piece without the first", commands: [(0, 30)], status: .invalidCommandParameters),
        Row(testDescription: "an empty piece", commands: [(1, 0)], status: .invalidCommandParameters),
        Row(testDescription: "a piece while enabled", commands: [(1, 9)], isEnabled: true, status: .commandDisallowed),
        Row(testDescription: "the same again", commands: [(4, 0)], isEnabled: true),
        Row(testDescription: "the same again of a set at rest", commands: [(4, 0)], status: .invalidCommandParameters),
        Row(testDescription: "too long", commands: [(1, 60), (0, 60)], status: .memoryCapacityExceeded),
        Row(
            testDescription: "pieces of a legacy set", commands: [(1, 9)], isLegacy: true,
            status: .invalidCommandParameters),
        Row(
            testDescription: "a long legacy set", commands: [(3, 32)], isLegacy: true, status: .invalidCommandParameters
        ),
    ]

    @Test(arguments: rows)
    func `advertising data comes`(row: Row) {
        var payload = AdvertisingPayload()
        var status: HCIStatus?
        for command in row.commands {
            var next = payload
            do throws(HCIStatus) {
                try next.append(
                    ArraySlice([UInt8](repeating: 7, count: command.count)), operation: command.operation,
                    isEnabled: row.isEnabled, isLegacy: row.isLegacy, limit: 100)
                payload = next
            } catch {
                status = error
            }
        }
        #expect(status == row.status)
        if row.status == nil {
            #expect(payload.octets.count == row.octets)
            #expect(payload.isUnfinished == row.isUnfinished)
        }
    }

    @Test func `a set ends with its last event, and one without a limit never`() {
        var events = AdvertisingEvents()
        events.begin(maximum: 3)
        let isLast = (0..<3).map { _ in events.happened() }
        #expect(isLast == [false, false, true] && events.count == 3)
        events.begin(maximum: 0)
        let isAny = (0..<600).map { _ in events.happened() }
        #expect(!isAny.contains(true))
    }

    @Test func `a sensor takes values while somebody is subscribed, and ends its link after so many`() {
        var sampling = SensorSampling()
        let starts = [sampling.start(isSubscribed: false), sampling.start(isSubscribed: true)]
        #expect(starts == [false, true])
        let again = sampling.start(isSubscribed: true)
        #expect(!again && sampling.isOn)
        let ends = (0..<3).map { _ in sampling.sent(limit: 2) }
        #expect(ends == [false, true, false])
        sampling.fallMute()
        sampling.linkOpened()
        #expect(!sampling.isMute && !sampling.isOn)
        let endsAnew = [sampling.sent(limit: nil), sampling.sent(limit: 2)]
        #expect(endsAnew == [false, true])
    }
}
