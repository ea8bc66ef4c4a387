// SPDX-License-Identifier: Apache-2.0

/// All problems of a gateway, in the order in which they are shown.
package enum ProblemTable {
    private static let radio: [ProblemCode] = [.radioDown, .radioTrouble]
    private static let disk: [ProblemCode] = [.diskFails, .diskFull]

    // Texts of several variants
    private static let meanwhile: Advice = "Readings wait in the journal meanwhile."
    private static let notYet = "{broker}: not connected yet"
    private static let supply: Advice =
        "Use the power supply of the board's maker: radios fail first for want of power."
    private static let notSeen = "not seen yet; its entry asks for {wants}"

    /// A radio in question leaves the states of sensors unknown.
    private static let deaf: [ProblemCode] = radio + [.radioSilent]

    /// Maintenance of a sensor hides the sensor's other problems.
    private static let maintenance: [ProblemCode] = [.sensorMaintenance]

    package static let rows: [ProblemRow] = [
        ProblemRow(
            code: .radioDown, severity: .failure, part: "radio", title: "The Bluetooth controller does not work",
            text: "{state}", remedy: "Run \(.martlet(.doctor)) to look at the adapter and its other users.",
            shownAfter: 10, goneAfter: 10),
        ProblemRow(
            code: .radioTrouble, severity: .failure, part: "radio", title: "The radio does not do its work",
            text: "{trouble}", variants: [.step: ProblemWording(text: "{trouble}; {parts}")],
            causes: [.radioDown]),
        ProblemRow(
            code: .radioSilent, severity: .warning, part: "radio", title: "The radio hears nothing",
            text: "the gateway listens, and has heard no device for {time}",
            remedy: "Is the antenna connected, and is any sensor near? Metal around the gateway keeps all of them out.",
            variants: [
                .scan: ProblemWording(
                    text: "the scan has heard no device for {time}; links work",
                    remedy: "The gateway starts the scan again by itself. \(.martlet(.doctor)) says more.")
            ], causes: radio + [.radioRefuses], goneAfter: 10),
        ProblemRow(
            code: .radioRefuses, severity: .warning, part: "radio", title: "The adapter cannot do something",
            text: "{refusal}; sensors are not to blame{parts}", causes: [.radioDown]),
        ProblemRow(
            code: .diskFull, severity: .failure, part: "disk", title: "The disk is full",
            text: "readings cannot be written, and are lost when the memory for them is full: {error}",
            remedy: "Make room, a MiB or more: \(.machine(.room)); \(.martlet(.room)) says what the journal takes.",
            variants: [
                .free: ProblemWording(text: "less than 1 MiB of {total} is free: new readings may be lost")
            ]),
        ProblemRow(
            code: .diskFails, severity: .failure, part: "disk", title: "Readings cannot be written to the disk",
            text: "{error}",
            remedy: "Run \(.martlet(.doctor)) to look at the disk.",
            variants: [
                .stuck: ProblemWording(
                    text: "{waiting} readings wait for the disk, which has taken none for {time}")
            ], causes: [.diskFull], shownAfter: 10),
        ProblemRow(
            code: .diskLow, severity: .warning, part: "disk", title: "The disk is nearly full", text: "{notice}",
            remedy: "Make room on the disk (\(.machine(.room))), or have the journal leave less of it free: "
                + "[journal] min_free_mb.",
            variants: [
                .free: ProblemWording(
                    text: "{free} MiB free of {total}",
                    remedy: "Make room: \(.machine(.room)). When the disk is full, the oldest readings that wait are "
                        + "dropped.")
            ],
            causes: disk, goneAfter: 300),
        ProblemRow(
            code: .brokerUnreachable, severity: .failure, part: "broker", title: "No connection to the broker",
            text: "{reason}",
            variants: [
                .kept: ProblemWording(remedy: meanwhile),
                .early: ProblemWording(text: notYet),
                .earlyKept: ProblemWording(text: notYet, remedy: meanwhile),
            ], shownAfter: 10, goneAfter: 10),
        ProblemRow(
            code: .nameTaken, severity: .failure, part: "broker", title: "Another gateway has this gateway's name",
            text: "two gateways are called {gateway}, and their readings get mixed up",
            remedy: "On the copy, run \(.martlet(.identityNew)) and then \(.machine(.restart)). A gateway with a "
                + "gateway.id in the configuration needs another gateway.id."),
        ProblemRow(
            code: .gatewayCopied, severity: .warning, part: "configuration", title: "This gateway is a copy",
            text: "{former} was copied to this machine, and the copy is called {gateway}",
            remedy: "Is {former} in a new board: \(.martlet(.identitySame)). Does {former} run elsewhere: "
                + "\(.martlet(.identityNew)). Then: \(.machine(.restart))"),
        ProblemRow(
            code: .brokerRefusesReadings, severity: .failure, part: "broker", title: "The broker refuses readings",
            text: "readings of {parts} are not taken",
            remedy:
                "Perhaps the broker's access list does not let the gateway's user publish its topics. The readings stay in the "
                + "journal and are tried again.",
            variants: [
                .reason: ProblemWording(text: "readings of {parts} are not taken: {reason}")
            ], causes: [.brokerUnreachable]),
        ProblemRow(
            code: .notAcknowledged, severity: .failure, part: "broker", title: "The broker acknowledges no readings",
            text: "{waiting} readings wait, and none was acknowledged for {time}",
            remedy: "Is the broker overloaded, or the network cut? Its log says more.",
            causes: [.brokerUnreachable, .brokerRefusesReadings] + disk, shownAfter: 30),
        ProblemRow(
            code: .brokerComplains, severity: .warning, part: "broker", title: "Not everything goes out",
            text: "{reason}",
            causes: [.brokerUnreachable, .brokerRefusesReadings]),
        ProblemRow(
            code: .historyPaused, severity: .warning, part: "broker", title: "History is paused",
            text: "history is paused, and {waiting} readings wait",
            remedy: "\(.martlet(.resumeHistory))",
            variants: [.single: ProblemWording(text: "history is paused, and 1 reading waits")],
            causes: [.brokerUnreachable], shownAfter: 10, goneAfter: 10),
        ProblemRow(
            code: .powerWeak, severity: .failure, part: "machine", title: "The power supply is too weak",
            text: "the voltage of the power supply is too low now", remedy: supply, goneAfter: 300),
        ProblemRow(
            code: .powerWasWeak, severity: .warning, part: "machine", title: "The power supply was too weak",
            text: "the voltage of the power supply was too low once since the machine started", remedy: supply,
            causes: [.powerWeak]),
        ProblemRow(
            code: .tooHot, severity: .warning, part: "machine", title: "The processor is too hot",
            text: "the processor has {degrees} °C",
            remedy: "Give the board air or a heat sink: from 80 °C on the processor slows down.", shownAfter: 60,
            goneAfter: 300),
        ProblemRow(
            code: .memoryGrows, severity: .warning, part: "machine", title: "The gateway's own memory grows",
            text: "the gateway's own memory grows: from {from} to {to} in {hours} hours",
            remedy: "Perhaps the program has a fault. Write a report with "
                + "\(.martlet(.supportBundle, "report.txt")), then: \(.machine(.restart))"),
        ProblemRow(
            code: .certificateInvalid, severity: .failure, part: "certificates", title: "A certificate is not good",
            text: "{key} has ended on {date}: {file}", remedy: "Renew the certificate.",
            variants: [
                .notYet: ProblemWording(
                    text: "{key} begins on {date}, and is not good yet: {file}", remedy: "Is the clock right?"),
                .empty: ProblemWording(
                    text: "{key} has no certificate in PEM: {file}", remedy: "Put the certificate there again."),
            ], causes: [.clockUnknown]),
        ProblemRow(
            code: .certificateEnds, severity: .warning, part: "certificates", title: "A certificate ends soon",
            text: "{key} ends in {days} days, on {date}: {file}", remedy: "Renew the certificate.",
            causes: [.clockUnknown]),
        ProblemRow(
            code: .partLate, severity: .failure, part: "service", title: "A part of the gateway does not answer",
            text: "{part}",
            remedy: "Is the disk slow, or the machine busy? \(.martlet(.status)) says more."),
        ProblemRow(
            code: .clockUnknown, severity: .failure, part: "clock", title: "The gateway does not know the time",
            text: "readings wait for the time",
            remedy: "Give it a network with a time server, or: \(.martlet(.clockSet))",
            shownAfter: 60),
        ProblemRow(
            code: .configuration, severity: .warning, part: "configuration",
            title: "Settings that the gateway keeps are not in order",
            text: "{what}"),
        ProblemRow(code: .bonds, severity: .warning, part: "bonds", title: "Bonds are not in order", text: "{what}"),
        ProblemRow(
            code: .webhookFails, severity: .warning, part: "broker", title: "The webhook takes no events",
            text: "{server}: {error}; {waiting} events wait",
            remedy:
                "Is the server up, and are [webhook] post_url and header right? The events stay in the journal and are "
                + "tried again.", variants: [.single: ProblemWording(text: "{server}: {error}; 1 event waits")],
            shownAfter: 60),
        ProblemRow(
            code: .sensorMaintenance, severity: .notice, part: "sensors", title: "{subject}",
            text: "in maintenance, for {time} more",
            remedy: "Run \(.martlet(.maintenance, "{subject}", "--end")) to end the maintenance.",
            goneAfter: 0),
        // Limits have delays of their own.
        ProblemRow(
            code: .limitAbove, severity: .warning, part: "sensors", title: "{subject}", text: "{parts}",
            causes: maintenance, goneAfter: 0),
        ProblemRow(
            code: .limitBelow, severity: .warning, part: "sensors", title: "{subject}", text: "{parts}",
            causes: maintenance, goneAfter: 0),
        ProblemRow(
            code: .limitSilent, severity: .warning, part: "sensors", title: "{subject}", text: "{parts}",
            remedy: "Run \(.martlet(.why, "{subject}"))", causes: deaf + maintenance, goneAfter: 0),
        ProblemRow(
            code: .sensorTrouble, severity: .warning, part: "sensors", title: "{subject}", text: "{cause}",
            causes: maintenance),
        ProblemRow(
            code: .sensorFails, severity: .warning, part: "sensors", title: "{subject}",
            text: "{cause}; it is tried again",
            causes: radio + maintenance + [.sensorTrouble]),
        ProblemRow(
            code: .sensorLacks, severity: .warning, part: "sensors", title: "{subject}",
            text: "not everything is there: {missing}",
            causes: maintenance + [.sensorTrouble]),
        ProblemRow(
            code: .sensorSilent, severity: .warning, part: "sensors", title: "{subject}",
            text: "Silent: no value comes",
            remedy: "Run \(.martlet(.why, "{subject}"))",
            variants: [
                .usually: ProblemWording(text: "Silent: no value comes, though one usually comes every {time}")
            ],
            causes: radio + maintenance + [.radioRefuses, .sensorTrouble, .sensorFails, .limitSilent]),
        ProblemRow(
            code: .sensorNotUnderstood, severity: .warning, part: "sensors", title: "{subject}",
            text: "it is heard, but its advertisements are not understood",
            remedy: "Run \(.martlet(.why, "{subject}"))",
            causes: radio + maintenance + [.sensorTrouble]),
        ProblemRow(
            code: .sensorNeverHeard, severity: .warning, part: "sensors", title: "{subject}",
            text: "no value has come since the gateway started", remedy: "Run \(.martlet(.why, "{subject}"))",
            causes: deaf + maintenance + [.radioRefuses, .sensorTrouble, .sensorFails], shownAfter: 120),
        ProblemRow(
            code: .sensorAwaited, severity: .warning, part: "sensors", title: "{subject}", text: "{state}",
            remedy: "{advice}",
            variants: [
                .nearest: ProblemWording(text: notSeen, remedy: "In the air: {parts}"),
                .unheard: ProblemWording(
                    text: notSeen, remedy: "Nothing like it was heard lately: is it switched on and near{parts}?"),
            ], separator: ", ",
            causes: deaf + maintenance + [.radioRefuses], shownAfter: 10, goneAfter: 0),
        ProblemRow(
            code: .sensorBatteryLow, severity: .warning, part: "sensors", title: "{subject}",
            text: "its battery is low{level}", remedy: "Change its battery soon.", causes: maintenance, goneAfter: 600),
        ProblemRow(
            code: .valuesMissing, severity: .warning, part: "sensors", title: "{subject}",
            text: "{count} values never came, as it numbers them", causes: radio + maintenance, goneAfter: 3_600,
            isMoment: true),
        ProblemRow(
            code: .readingsDropped, severity: .warning, part: "sensors", title: "{subject}",
            text: "{count} readings dropped: {parts}", separator: ", ", causes: disk + maintenance, goneAfter: 3_600,
            isMoment: true),
        ProblemRow(
            code: .valuesUnconfirmed, severity: .warning, part: "sensors", title: "{subject}",
            text: "{count} indicated values were not on disk in time", causes: disk + maintenance, goneAfter: 3_600,
            isMoment: true),
    ]

    private static let places: [ProblemCode: Int] = {
        var places: [ProblemCode: Int] = [:]
        for (place, row) in rows.enumerated() where places[row.code] == nil { places[row.code] = place }
        return places
    }()

    package static func row(_ code: ProblemCode) -> ProblemRow { rows[place(code)] }

    /// The index of a code's row. Each code has a row: a test checks this.
    static func place(_ code: ProblemCode) -> Int { places[code] ?? 0 }
}
