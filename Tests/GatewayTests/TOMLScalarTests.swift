// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

@Suite("Numbers, dates and times of TOML")
struct TOMLScalarTests {
    @Test(
        "What TOML has is taken",
        arguments: [
            "0", "+99", "-17", "1_000", "0xDEAD_beef", "0o755", "0b1101", "3.14", "-0.01", "5e+22", "1e06", "6.626e-34",
            "+inf", "-nan", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00.999999-07:00", "1979-05-27", "07:32:00.5",
        ])
    func taken(text: String) { #expect(TOMLScalar.isNumeric(Array(text.utf8)[...])) }

    @Test(
        "What is nearly so is not",
        arguments: [
            "", "+", "5x1", "1p3", "01", "1__0", "_1", "1_", "0x", "0xG", "+0x1", ".7", "7.", "3.e+20", "1e", "1e5.2",
            "++1", "1979-05-27T", "1979-05-27Tg07:32:00Z", "1979-5-27", "07:32", "07:32:00.", "1979-05-27T07:32:00+07",
        ])
    func refused(text: String) { #expect(!TOMLScalar.isNumeric(Array(text.utf8)[...])) }
}
