// SPDX-License-Identifier: Apache-2.0

/// Acts that the specification forbids; the texts of the first `capacity` of them, and the count of all.
struct Violations {
    static let capacity = 256

    private(set) var texts: [String] = []
    private(set) var count = 0

    mutating func record(_ text: @autoclosure () -> String) {
        count += 1
        if texts.count < Self.capacity { texts.append(text()) }
    }
}
