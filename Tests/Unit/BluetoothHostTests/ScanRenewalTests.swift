// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import BluetoothHost

@Suite("When the scan is started again as a rule")
struct ScanRenewalTests {
    private static func at(_ seconds: Int) -> MonotonicTime { .zero + .seconds(seconds) }

    @Test func `three times in a row make a rule, which is looked at again after a day`() {
        var renewal = ScanRenewal()
        func helped(_ seconds: Int) -> Bool { renewal.helped(at: Self.at(seconds)) }
        func isDue(_ seconds: Int, isScanning: Bool = true) -> Bool {
            renewal.isDue(isScanning: isScanning, at: Self.at(seconds))
        }
        #expect(helped(0) == false)
        #expect(helped(1_800) == false)
        #expect(isDue(1_900) == false)
        #expect(renewal.deadline == nil)
        #expect(helped(2_000) == true)
        #expect(renewal.deadline == Self.at(2_030))
        #expect(helped(2_001) == false, "it is a rule already")
        #expect(isDue(2_029) == false)
        #expect(isDue(2_030) == true)
        #expect(renewal.deadline == Self.at(2_060))
        #expect(isDue(2_060, isScanning: false) == false, "there is no scan to start again")
        let end = 2_000 + 86_400
        #expect(isDue(end) == true)
        #expect(renewal.deadline == nil)
        // After a former rule, one more proof is enough.
        #expect(helped(end + 90_000) == true)
        #expect(renewal.deadline == Self.at(end + 90_030))
    }

    @Test func `what helps now and then is no rule`() {
        var renewal = ScanRenewal()
        let rules = (0..<100).filter { renewal.helped(at: Self.at($0 * 3_600)) }
        #expect(rules.isEmpty && renewal.deadline == nil)
    }
}
