// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Metrics

struct MetricsTextTests {
    @Test func `names, labels and numbers are as Prometheus reads them`() {
        var text = MetricsText()
        text.begin("a_total", .counter, "Of anything.")
        text.sample("a_total", [("device", "say \"hi\"\\\nthere"), ("b", "é")], 1_234_567_890_123)
        text.sample("a_total", 0.25)
        text.single("b", .gauge, "Nothing.", nil)
        text.single("c", .gauge, "Odd.", -.infinity)
        text.single("d", .gauge, "Odd.", .nan)
        #expect(
            text.text == """
                # HELP a_total Of anything.
                # TYPE a_total counter
                a_total{device="say \\"hi\\"\\\\\\nthere",b="é"} 1234567890123
                a_total 0.25
                # HELP c Odd.
                # TYPE c gauge
                c -Inf
                # HELP d Odd.
                # TYPE d gauge
                d NaN

                """)
    }
}
