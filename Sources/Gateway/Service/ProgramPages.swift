// SPDX-License-Identifier: Apache-2.0

import CLinux
import Dispatch

/// Gives the memory back that the files of the program and its libraries take: of their code a start needs far more than
/// what follows, and the kernel maps the neighbours of each page that is touched.
package final class ProgramPages {
    /// After the start is over, and when something rare has been done since.
    private static let (first, interval) = (DispatchTimeInterval.seconds(60), DispatchTimeInterval.seconds(600))

    private let timer: any DispatchSourceTimer

    /// Begins to do so; ends with this object.
    package init(queue: DispatchQueue) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.first, repeating: Self.interval, leeway: .seconds(10))
        timer.setEventHandler { Self.giveBack() }
        timer.activate()
    }

    deinit { timer.cancel() }

    /// Gives back what is mapped now; false where the kernel would not.
    @discardableResult
    package static func giveBack() -> Bool { martlet_unmap_program_pages() == 0 }
}
