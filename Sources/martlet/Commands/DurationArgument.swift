// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A time as people write it: `90s`, `10m`, `2h`, `3d`; a number alone is seconds.
struct DurationArgument: ExpressibleByArgument, Equatable {
    let seconds: Double

    init?(argument: String) {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        let unit = argument.last.flatMap { units[$0] }
        guard let number = UInt32(unit == nil ? argument : String(argument.dropLast())) else { return nil }
        seconds = Double(number) * (unit ?? 1)
    }
}
