// SPDX-License-Identifier: Apache-2.0

import TestMaterials

/// The part of the unsynced changes on a disk after a power cut.
package enum Survival: CaseIterable, Sendable {
    case nothing
    case everything
    /// Each sector by chance, in any order.
    case sectors
    /// Sectors survive separately; some lost sectors hold rubbish, as after a cut in the middle of programming a page of flash.
    case rubbish
    /// All changes of one file, and none of another.
    case files
    /// The oldest changes, up to a separate moment for each file.
    case oldest
    /// The newest changes: a queue that is worked off from the wrong end.
    case newest

    /// The fate of one file's changes.
    struct Fate {
        /// Which changes persist, when this is not left to chance.
        var range: Range<Int>?
        var percent = 0
        var percentRubbish = 0

        func persists(_ index: Int, _ dice: inout Dice) -> Bool {
            range.map { $0.contains(index) } ?? dice.chance(percent)
        }

        /// The place of a lost sector: rubbish, zeros in a file that is already longer, or no change.
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

    /// How many changes of one name have happened; earlier changes happen first.
    func names(of changes: Int, _ dice: inout Dice) -> Int {
        switch self {
        case .nothing: 0
        case .everything: changes
        default: Int.random(in: 0...changes, using: &dice)
        }
    }
}
