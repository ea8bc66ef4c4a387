// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A command of the program's first level. Its file has its place in the help; ``CommandList`` is made from these files.
protocol ListedCommand: ParsableCommand {
    static var place: HelpPlace { get }
}

/// The place of a command in the program's help.
struct HelpPlace {
    /// The groups, in the order of the help.
    enum Group: String, CaseIterable {
        case everyday = "Everyday"
        case settingUp = "Setting up"
        case sensor = "Sensor"
        case readings = "Readings"
        case machine = "Machine"
        case developer = "Developer"

        /// The commands of the group, in the order of the help.
        var commands: [any ParsableCommand.Type] {
            CommandList.all.filter { $0.place.group == self }.sorted { $0.place.order < $1.place.order }
        }
    }

    let group: Group
    /// Counts in tens, so that a new command fits between two others.
    let order: Int

    init(_ group: Group, _ order: Int) { (self.group, self.order) = (group, order) }
}
