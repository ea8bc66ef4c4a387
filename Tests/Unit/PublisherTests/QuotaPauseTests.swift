// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import Testing

@testable import Publisher

@Suite("Pauses after a used up quota")
struct QuotaPauseTests {
    @Test func `what is refused together is one pause, and each pause is longer`() {
        var pause = QuotaPause()
        var now = MonotonicTime.zero
        var waits: [Duration] = []
        for _ in 0..<8 {
            _ = pause.begin(at: now, spread: 1)
            #expect(pause.begin(at: now + .seconds(1), spread: 1) == nil)
            guard let end = pause.end else { return }
            waits.append(end - now)
            #expect(pause.isOn(at: MonotonicTime(nanoseconds: end.nanoseconds - 1), isIdle: true) == true)
            now = end
            #expect(pause.isOn(at: now, isIdle: true) == false)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
    }

    @Test func `a pause lasts until everything that was on its way is answered`() {
        var pause = QuotaPause()
        _ = pause.begin(at: .zero, spread: 1)
        let later = MonotonicTime.zero + .seconds(100)
        #expect(pause.isOn(at: later, isIdle: false) == true)
        pause.succeeded()
        #expect(pause.isOn(at: later, isIdle: true) == false)
        pause.succeeded()
        #expect(pause.begin(at: later, spread: 1) == .seconds(1), "taken since: begins small again, and is said")
    }

    @Test func `what is taken during a pause makes the next one no shorter`() {
        var pause = QuotaPause()
        _ = pause.begin(at: .zero, spread: 1)
        pause.succeeded()
        let later = MonotonicTime.zero + .seconds(100)
        #expect(pause.isOn(at: later, isIdle: true) == false)
        _ = pause.begin(at: later, spread: 1)
        #expect(pause.end == later + .seconds(2))
    }

    @Test func `the first pause is said, then fewer`() {
        var pause = QuotaPause()
        let said = (0..<8).map { _ in
            let isSaid = pause.begin(at: .zero, spread: 1) != nil
            _ = pause.isOn(at: .zero + .seconds(100), isIdle: true)
            return isSaid
        }
        #expect(said == [true, true, false, true, false, false, false, true])
    }
}
