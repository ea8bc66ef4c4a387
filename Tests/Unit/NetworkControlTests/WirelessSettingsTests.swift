// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import NetworkControl

@Suite("Settings of a Wi-Fi network") struct WirelessSettingsTests {
    @Test("printing them shows no password") func noPassword() {
        let settings = WirelessSettings(ssid: "Attic", password: "correct horse")
        #expect(!"\(settings)".contains("horse"))
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("horse"))
        #expect(dumped.contains("Attic"))
    }
}
