// SPDX-License-Identifier: Apache-2.0

import CSDBus
import Testing

@testable import NetworkControl

/// libsystemd, which the helper opens by itself.
struct BusLibraryTests {
    @Test func `the library is opened, as often as somebody asks`() throws {
        for _ in 0..<3 { _ = try SDBus.opened() }
    }

    @Test(arguments: [("libnosuch.so.0", "libnosuch.so.0"), ("libc.so.6", "sd_bus_open_system")])
    func `a library that is missing, or is another, is told, and what to do`(file: String, fault: String) {
        #expect {
            _ = try SDBus.opened(file)
        } throws: { error in
            guard let failure = error as? BusFailure else { return false }
            return failure.isAbsence
                && failure.message.contains(fault)
        }
    }
}
