// SPDX-License-Identifier: Apache-2.0

import TestMaterials

/// How much of what was not synced a disk has when the power is gone.
package enum Survival: CaseIterable, Sendable {
    case nothing
    case everything
    /// Each sector by chance, in any order.
    case sectors
    /// As sectors; some that did not make it hold rubbish, as after a cut in the middle of programming a page of flash.
    case rubbish
    /// All of one file, nothing of another.
    case files
    /// What was asked for first, up to some moment of each file's own.
    case oldest
    /// What was asked for last: a queue that is worked off from the wrong end.
    case newest

    /// What happens to the changes of one file.
    struct Fate {
        /// Which changes persist, when this is not left to chance.
        var range: Range<Int>?
        var percent = 0
        var percentRubbish = 0

        func persists(_ index: Int, _ dice: inout Dice) -> Bool {
            range.map { $0.contains(index) } ?? dice.chance(percent)
        }

        /// A sector that was not written: rubbish, a file that is longer already and holds zeros, or nothing.
        func leave(count: Int, at offset: Int, in octets: inout [UInt8], _ dice: inout Dice) {
            let isRubbish = percentRubbish > 0 && dice.chance(percentRubbish)
            let end = offset + count
            if end > octets.count, isRubbish || (percent > 0 && dice.chance(30)) {
                octets.append(contentsOf: repeatElement(0, count: end - octets.count))
            }
            guard isRubbish else { return }
            for index in offset..<end { octets[index] = UInt8(truncatingIfNeeded: dice.next()) }
        }
    }

    func fate(of changes: Int, _ dice: inout Dice) -> Fate {
        switch self {
        case .nothing: Fate(range: 0..<0)
        case .everything: Fate(range: 0..<changes)
        case .sectors: Fate(percent: [5, 50, 95].randomElement(using: &dice) ?? 50)
        case .rubbish: Fate(percent: 50, percentRubbish: 10)
        case .files: Fate(range: dice.chance(50) ? 0..<changes : 0..<0)
        case .oldest: Fate(range: 0..<Int.random(in: 0...changes, using: &dice))
        case .newest: Fate(range: Int.random(in: 0...changes, using: &dice)..<changes)
        }
    }

    /// How many of the changes of one name have happened; the first of them happen first.
    func names(of changes: Int, _ dice: inout Dice) -> Int {
        switch self {
        case .nothing: 0
        case .everything: changes
        default: Int.random(in: 0...changes, using: &dice)
        }
    }
}
