// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayBench
@testable import Platform

@Suite("Questions to parts that may hang")
struct InquiryTests {
    @Test("a hanging part costs one thread, however many callers ask, and they hear of it in time")
    func hanging() async {
        let asked = Atomic(0)
        let gate = DispatchSemaphore(value: 0)
        let inquiry = Inquiry("test.inquiry") {
            let number = asked.wrappingAdd(1, ordering: .relaxed).newValue
            gate.wait()
            return number
        }
        for _ in 0..<20 { #expect(await inquiry.answer(within: .milliseconds(1)) == nil) }
        #expect(asked.load(ordering: .relaxed) <= 1)
        #expect(inquiry.last == nil)
        gate.signal()
        gate.signal()
        // An answer that was under way before the request is too old, if a request still waits.
        #expect(await inquiry.answer(within: hangLimit).map { $0 <= 2 } == true)
    }

    @Test("a question during an answer gets a later answer")
    func fresh() async throws {
        let asked = Mutex(0)
        let gate = DispatchSemaphore(value: 0)
        let inquiry = Inquiry("test.inquiry") {
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            if number == 1 { gate.wait() }
            return number
        }
        async let first = inquiry.answer(within: hangLimit)
        #expect(await eventually { asked.withLock { $0 } == 1 })
        async let second = inquiry.answer(within: hangLimit)
        // The second request waits for its turn before the first is released.
        #expect(await eventually { inquiry.waiting == 2 })
        gate.signal()
        let answers = await [first, second]
        #expect(answers == [1, 2] && inquiry.last == 2)
    }

    @Test("an answer by a callback counts once, and a missing answer is nil")
    func callBack() async {
        #expect(
            await Waiting.answer(within: hangLimit) {
                $0(1); $0(2)
            } == 1)
        let never: Int? = await Waiting.answer(within: .milliseconds(1)) { _ in }
        #expect(never == nil)
    }
}
