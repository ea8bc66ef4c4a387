// SPDX-License-Identifier: Apache-2.0

import BluetoothCore

/// Lowest, mean and highest number of a step of time.
package struct ChartPoint: Equatable, Sendable {
    /// Steps since 1970, of the tier's length.
    package var step: Int64
    package var low: Double
    package var mean: Double
    package var high: Double

    package init(step: Int64, low: Double, mean: Double, high: Double) {
        (self.step, self.low, self.mean, self.high) = (step, low, mean, high)
    }

    /// Points of a coarser tier: lowest of all, mean of the means, highest of all. `points` are in order.
    package static func joined(_ points: [ChartPoint], by factor: Int64) -> [ChartPoint] {
        guard factor > 1 else { return points }
        var result: [ChartPoint] = []
        var count = 0.0
        for point in points {
            let step = point.step / factor
            if let last = result.indices.last, result[last].step == step {
                result[last].low = min(result[last].low, point.low)
                result[last].high = max(result[last].high, point.high)
                result[last].mean += (point.mean - result[last].mean) / (count + 1)
                count += 1
            } else {
                result.append(ChartPoint(step: step, low: point.low, mean: point.mean, high: point.high))
                count = 1
            }
        }
        return result
    }
}

/// The points of a block as octets: 3 or 4 a point for a quantity that changes slowly.
///
/// A first octet tells the decimals. Then comes a number whose bits say which steps have a point. Each point is three
/// numbers: the mean's difference from the former mean, and the distances of the lowest and the highest number from
/// the mean. Numbers have 7 bits an octet; the highest bit says that more follows.
package enum ChartCoding {
    /// Significant digits of the largest number of a block.
    private static let digits = 5
    private static let decimals = -12...12
    /// Beyond this size, a number is not kept.
    private static let largest = 1e15

    package static func octets(of points: [ChartPoint], first: Int64, length: Int64) -> [UInt8] {
        let drawn = points.filter { point in
            (first..<first + length).contains(point.step)
                && [point.low, point.mean, point.high].allSatisfy { $0.isFinite && abs($0) < largest }
        }.sorted { $0.step < $1.step }
        var size = 0.0
        for point in drawn { size = max(size, abs(point.low), abs(point.high)) }
        let decimals = decimals(for: size)
        let factor = power(decimals)
        var octets: [UInt8] = [UInt8(bitPattern: Int8(decimals))]
        var mask: UInt64 = 0
        for point in drawn { mask |= 1 << UInt64(point.step - first) }
        append(mask, to: &octets)
        var former: Int64 = 0
        var last: Int64?
        for point in drawn where point.step != last {
            last = point.step
            let mean = whole(point.mean * factor)
            append(folded(mean - former), to: &octets)
            append(UInt64(max(0, mean - whole(point.low * factor))), to: &octets)
            append(UInt64(max(0, whole(point.high * factor) - mean)), to: &octets)
            former = mean
        }
        return octets
    }

    /// Nothing of octets that are no block.
    package static func points(in octets: [UInt8], first: Int64, length: Int64) -> [ChartPoint] {
        var rest = octets[...]
        guard let head = rest.popFirst(), let mask = number(&rest), length < 64, mask < 1 << UInt64(length) else {
            return []
        }
        let decimals = Int(Int8(bitPattern: head))
        guard Self.decimals.contains(decimals) else { return [] }
        let factor = power(decimals)
        var points: [ChartPoint] = []
        var mean: Int64 = 0
        for place in 0..<length where mask & 1 << UInt64(place) != 0 {
            guard let change = number(&rest), let below = number(&rest), let above = number(&rest) else { return [] }
            mean = mean.addingSaturated(unfolded(change))
            points.append(
                ChartPoint(
                    step: first + place, low: (Double(mean) - Double(below)) / factor, mean: Double(mean) / factor,
                    high: (Double(mean) + Double(above)) / factor))
        }
        return rest.isEmpty ? points : []
    }

    private static func decimals(for size: Double) -> Int {
        var decimals = digits - 1
        var limit = 10.0
        // No logarithm: its last digit differs between machines.
        while limit <= size, decimals > Self.decimals.lowerBound {
            limit *= 10
            decimals -= 1
        }
        limit = 1
        while size > 0, size < limit, decimals < Self.decimals.upperBound {
            limit /= 10
            decimals += 1
        }
        return decimals
    }

    private static func power(_ decimals: Int) -> Double {
        var power = 1.0
        for _ in 0..<abs(decimals) { power *= 10 }
        return decimals < 0 ? 1 / power : power
    }

    /// The factor leaves six digits at most.
    private static func whole(_ number: Double) -> Int64 { Int64(exactly: number.rounded()) ?? 0 }

    private static func folded(_ number: Int64) -> UInt64 { UInt64(bitPattern: number << 1 ^ number >> 63) }

    private static func unfolded(_ number: UInt64) -> Int64 {
        Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    private static func append(_ number: UInt64, to octets: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            octets.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        octets.append(UInt8(truncatingIfNeeded: rest))
    }

    private static func number(_ octets: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 63, by: 7) {
            guard let octet = octets.popFirst() else { return nil }
            number |= UInt64(octet & 0x7F) << shift
            if octet & 0x80 == 0 { return number }
        }
        return nil
    }
}
