// SPDX-License-Identifier: Apache-2.0

import CoreBluetooth
import Dispatch
import Journal

extension GatewayService {
    /// Reports the gateway's state to the service manager, from its start on.
    ///
    /// A missing controller or disk does not make the gateway unready, and needs no restart: the gateway retries both,
    /// and keeps readings in memory meanwhile.
    package func report(to supervisor: Supervisor) {
        // Only a manager starts an ended process again. Without a manager, the end of the process is no step against a
        // dead radio.
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
