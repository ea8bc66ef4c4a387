// SPDX-License-Identifier: Apache-2.0

extension TestFolder {
    /// The configuration of a gateway all of whose files are in this folder. Port 1 has no broker.
    ///
    /// - Parameters:
    ///   - bluetooth: Further lines of `[bluetooth]`.
    ///   - journal: Further lines of `[journal]`.
    ///   - mqtt: Further lines of `[mqtt]`.
    ///   - entries: Its `[[sensor]]` tables.
    func gateway(
        controller: String = "virtual", bluetooth: String = "", journal: String = "", port: UInt16 = 1,
        mqtt: String = "", entries: String
    ) -> String {
        """
        [bluetooth]
        controller = "\(controller)"
        state_directory = "\(path)"
        \(bluetooth)
        [journal]
        path = "\(path("journal.db"))"
        \(journal)
        [mqtt]
        host = "127.0.0.1"
        port = \(port)
        \(mqtt)
        [clock]
        require_sync = false
        [control]
        socket = "\(path("control.sock"))"
        \(entries)
        """
    }

    /// A gateway with the lines of its one `[[sensor]]`.
    func gateway(
        controller: String = "virtual", bluetooth: String = "", port: UInt16 = 1, mqtt: String = "", sensor: String
    ) -> String {
        gateway(
            controller: controller, bluetooth: bluetooth, port: port, mqtt: mqtt, entries: "[[sensor]]\n" + sensor)
    }
}
