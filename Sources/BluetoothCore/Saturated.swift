// SPDX-License-Identifier: Apache-2.0

// Inlined: these generic functions are called several times in each row of the journal.

extension FixedWidthInteger where Self: SignedInteger {
    @inlinable package func addingSaturated(_ other: Self) -> Self {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    @inlinable package func subtractingSaturated(_ other: Self) -> Self {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    /// The distance between two numbers, saturated to the range of the type.
    @inlinable package func distanceSaturated(to other: Self) -> Self {
        let difference = subtractingSaturated(other)
        return difference == .min ? .max : Swift.abs(difference)
    }
}
