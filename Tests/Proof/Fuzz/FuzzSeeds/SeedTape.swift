// SPDX-License-Identifier: Apache-2.0

/// One test's inputs for one fuzz target: consecutive steps, in as many inputs as they fill, up to a limit.
package struct SeedTape {
    private let folder: SeedFolder
    private let target: String
    /// Octets of the longest input.
    private let limit: Int
    private var header: [UInt8] = []
    private var steps: [UInt8] = []
    private var count = 0

    package init(_ target: String, limit: Int = 512, in folder: SeedFolder) {
        (self.folder, self.target, self.limit) = (folder, target, limit)
    }

    /// No step has been added since the header.
    package var isAtStart: Bool { steps.isEmpty }

    /// `header`: the first octets of an input that begins with this step.
    package mutating func add(_ step: FuzzScript, header: [UInt8] = []) {
        guard header.count + step.octets.count <= limit else { return }
        if self.header.count + steps.count + step.octets.count > limit { finish() }
        if steps.isEmpty { self.header = header }
        steps += step.octets
    }

    package mutating func finish() {
        if !steps.isEmpty, count < SeedFolder.share {
            folder.write(header + steps, for: target)
            count += 1
        }
        steps = []
    }
}
