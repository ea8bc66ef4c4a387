// SPDX-License-Identifier: Apache-2.0

import Logging
import Platform
import Synchronization
import Testing

@testable import Gateway
@testable import GatewayBench

@Suite("The keeper of the gateway's own memory")
struct MemoryKeeperTests {
    @Test func `the log has it once a day, and a warning once it grows`() {
        let own = Mutex<UInt64>(8 << 20)
        let log = LogLines()
        let keeper = MemoryKeeper(logger: log.logger) {
            MemoryStatus(residentBytes: 100 << 20, ownBytes: own.withLock { $0 })
        }
        func live(hours: Range<Int>, growing: UInt64 = 0) {
            for hour in hours {
                own.withLock { $0 += growing }
                for minute in 0..<60 { keeper.look(at: .seconds(hour * 3_600 + minute * 60)) }
            }
        }
        live(hours: 0..<50)
        #expect(log.all.map { $0.contains("own memory") } == [true, true, true])
        #expect(keeper.status?.hourlyLows.count == 24 && keeper.status?.isGrowing == false)
        live(hours: 50..<80, growing: 1 << 20)
        let warnings = log.all.filter { $0.contains("grows from hour to hour") }
        #expect(warnings.count == 1 && keeper.status?.isGrowing == true, "\(log.all)")
    }
}
