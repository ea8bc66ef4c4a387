// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Journal

extension GatewayService {
    /// Lets the service manager know how the gateway is doing, from when it has been started.
    ///
    /// That a controller or a disk is missing is no reason not to be ready, and none to be restarted: both are tried
    /// again, and what comes meanwhile is kept in memory.
    package func report(to supervisor: Supervisor) {
        // A process that ends is started again by its manager alone: without one, that is no step against a dead radio.
        recovery.onRestart { [weak self] in self?.restart?() }
        supervisor.begin(
            Supervisor.Subject(
                ask: { [controller, journal] part, answer in
                    switch part {
                    case .radio: controller.onRadioThread(answer)
                    case .journal: journal.onQueue(answer)
                    }
                },
                progress: { [journal] in journal.steps },
                status: { [weak self] in self.map { StatusLine.text($0.status) } ?? "" }))
    }
}
