// SPDX-License-Identifier: Apache-2.0

import Readings
import Testing

@testable import Collector
@testable import Gateway
@testable import Page

struct ChartBookTests {
    /// On a border of five minutes.
    private static let start: Int64 = 1_795_000_200_000

    private static func sensor(_ id: String, _ number: Double, came uptime: Int64) -> SensorStatus {
        var value = SensorStatus.Value(
            characteristic: "2a6e", value: "00", source: "notify", uptimeMs: uptime, unixMs: nil)
        value.fields = [DecodedField(quantity: "temperature", value: .number(number), unit: "°C")]
        return SensorStatus(
            id: id, identifier: "", link: .collecting, readings: 1, drops: 0, reconnects: [:], missing: [],
            values: [value])
    }

    @Test func `five minutes are one point with their lowest, mean and highest, and each value counts once`() {
        var book = ChartBook()
        for (number, uptime) in [(20.0, 1), (23, 2), (23, 2), (20.3, 3)] as [(Double, Int64)] {
            book.add([Self.sensor("a", number, came: uptime)], at: Self.start + uptime)
        }
        book.add([Self.sensor("a", 25, came: 4)], at: Self.start + 300_000)
        let chart = book.chart(of: "a")
        #expect(chart.series.count == 1 && chart.series[0].unit == "°C" && chart.series[0].name == "Temperature")
        #expect(
            chart.series[0].points == [
                [Double(Self.start), 20, 21.1, 23], [Double(Self.start + 300_000), 25, 25, 25],
            ])
        #expect(book.chart(of: "b").series.isEmpty)
    }

    @Test func `what is older than a day goes, also of a sensor that says no more`() {
        var book = ChartBook()
        book.add([Self.sensor("a", 1, came: 1)], at: Self.start)
        for step in 1...400 as ClosedRange<Int64> {
            book.add([Self.sensor("b", 2, came: step)], at: Self.start + step * 300_000)
        }
        #expect(book.chart(of: "a").series.isEmpty)
        #expect(book.chart(of: "b").series[0].points.count == 288)
    }

    @Test func `numbers that are none are not drawn, and series are bounded`() {
        var book = ChartBook()
        book.add([Self.sensor("a", .nan, came: 1), Self.sensor("b", .infinity, came: 1)], at: Self.start)
        #expect(book.chart(of: "a").series.isEmpty && book.chart(of: "b").series.isEmpty)
        let sensors = (0..<2_000).map { Self.sensor("s\($0)", 1, came: 1) }
        book.add(sensors, at: Self.start)
        #expect(sensors.count { !book.chart(of: $0.id).series.isEmpty } == ChartBook.maximumSeries)
    }

    @Test func `what came in this run and is not shown any more is not drawn, and what the journal has is`() {
        var book = ChartBook()
        var odd = Self.sensor("a", 5_055, came: 1)
        odd.values[0].fields = [DecodedField(quantity: "tvoc", value: .number(5_055), unit: "µg/m³")]
        book.add([odd], at: Self.start)
        #expect(book.chart(of: "a").series.map(\.quantity) == ["tvoc"])
        book.add(
            [BufferedNumbers.Number(sensor: "a", quantity: "battery", unit: "%", number: 97, unixMs: Self.start - 1)],
            at: Self.start)
        book.add([Self.sensor("a", 20, came: 2)], at: Self.start)
        #expect(book.chart(of: "a").series.map(\.quantity) == ["battery", "temperature"])
        book.add([SensorStatus](), at: Self.start)
        #expect(book.chart(of: "a").series.count == 3, "a sensor that is gone keeps its chart")
    }
}
