// SPDX-License-Identifier: Apache-2.0

/// A fault of real controllers, by the name that `martlet virtual-radio --fault` takes. Each fault was observed:
/// ``sources``.
package enum ControllerFault: String, CaseIterable, Sendable {
    // Answers to commands
    case scanStopRefused = "scan-stop-refused"
    case unansweredFeatures = "unanswered-features"
    case unansweredScanEnable = "unanswered-scan-enable"
    case lateAnswers = "late-answers"
    case doubledAnswers = "doubled-answers"
    case listedAndRefused = "listed-and-refused"
    case scanRefusedWhileLinked = "scan-refused-while-linked"
    case extendedUnknown = "extended-unknown"
    case extendedScanRefused = "extended-scan-refused"
    case extendedConnectionRefused = "extended-connection-refused"
    case scanRefused = "scan-refused"
    case optionalUnanswered = "optional-unanswered"
    case cancelLoses = "cancel-loses"
    case sharedBuffers = "shared-buffers"
    // Links
    case connectFailsAfterAdvertising = "connect-fails-after-advertising"
    case resetAtFourthLink = "reset-at-fourth-link"
    // Events and data
    case eventZero = "event-zero"
    case batchedReports = "batched-reports"
    case sharedCompletions = "shared-completions"
    case dataOvertakesEvents = "data-overtakes-events"
    case creditsStall = "credits-stall"
    // The whole controller
    case hardwareError = "hardware-error"
    case scannerStops = "scanner-stops"
    case tellsOnce = "tells-once"
    case deaf = "deaf"
    case deafUntilReopened = "deaf-until-reopened"
    case frozen = "frozen"
    // The line to the host
    case lostOctets = "lost-octets"
    case lostCommandOctets = "lost-command-octets"
    case insertedOctets = "inserted-octets"

    /// How long a fault stays.
    package enum Persistence: Sendable {
        /// Happens a single time.
        case once
        /// Until the host sends Reset.
        case untilReset
        /// Until the host closes the transport and opens it again, which gives the host a new controller.
        case untilReopened
        /// The controller is made with the fault. A timed fault stays as long as the transport is open.
        case always
    }

    /// The layer in which a fault is simulated.
    package enum Layer: String, Sendable {
        /// In the controller.
        case controller = "VirtualRadio"
        /// In the octets between controller and host.
        case line = "H4 stream"
    }

    package var persistence: Persistence {
        switch self {
        case .unansweredFeatures, .unansweredScanEnable, .hardwareError, .lostOctets, .lostCommandOctets,
            .insertedOctets, .scannerStops:
            .once
        case .deaf, .creditsStall: .untilReset
        case .deafUntilReopened, .frozen: .untilReopened
        default: .always
        }
    }

    package var layer: Layer {
        switch self {
        case .lostOctets, .lostCommandOctets, .insertedOctets: .line
        default: .controller
        }
    }

    /// The behaviour of the controller, in one line.
    package var summary: String {
        switch self {
        case .scanStopRefused: "to stop a scan that does not run is Command Disallowed (0x0C)"
        case .unansweredFeatures:
            "one LE Read Remote Features (0x2016) is never answered, nor anything after it; a "
                + "Hardware Error 3 s later"
        case .unansweredScanEnable:
            "one LE Set Scan Enable (0x200C, 0x2042) is never answered, nor anything after it; "
                + "a Hardware Error 3 s later"
        case .lateAnswers: "each command is answered 1.5 s late"
        case .doubledAnswers: "each answer to a command comes twice"
        case .listedAndRefused: "optional commands are listed as supported and are Unknown HCI Command (0x01)"
        case .scanRefusedWhileLinked: "extended scanning is Command Disallowed (0x0C) while there is a link"
        case .extendedUnknown:
            "extended advertising is claimed, and each extended command is Unknown HCI Command (0x01) by Command Status"
        case .extendedScanRefused:
            "LE Set Extended Scan Enable (0x2042) is Invalid HCI Command Parameters (0x12) whenever it is to begin"
        case .extendedConnectionRefused:
            "LE Extended Create Connection (0x2043) is Unsupported Feature or Parameter Value (0x11)"
        case .scanRefused: "LE Set Scan Enable (0x200C) is Command Disallowed (0x0C) whenever it is to begin"
        case .optionalUnanswered:
            "LE Read Supported States (0x201C) and LE Set Default PHY (0x2031) are listed and never answered"
        case .cancelLoses: "LE Create Connection Cancel succeeds, and the connection comes up all the same"
        case .sharedBuffers: "LE Read Buffer Size says 0: the buffers are those of Read Buffer Size"
        case .connectFailsAfterAdvertising:
            "once it initiates while it advertises, each connection fails with 0x3C "
                + "until the transport is opened again"
        case .resetAtFourthLink: "the fourth link at a time makes it report a Hardware Error and forget everything"
        case .eventZero: "an event with the code 0x00 before each answer to a command"
        case .batchedReports: "advertising reports come several in one event (Num_Reports > 1)"
        case .sharedCompletions: "one Number Of Completed Packets for several links"
        case .dataOvertakesEvents: "events come 25 ms late, data does not wait for them"
        case .creditsStall: "Number Of Completed Packets comes no more until Reset"
        case .hardwareError: "a Hardware Error; all is well after Reset"
        case .scannerStops: "the scanner stops without a word; stopping and starting it helps"
        case .tellsOnce: "the scanner tells of each device once, and no more until the scan is started again"
        case .deaf: "the scanner hears nothing until Reset, and answers as ever"
        case .deafUntilReopened: "the scanner hears nothing until the transport is opened again, and answers as ever"
        case .frozen: "it neither answers nor sends, not even to Reset, until the transport is opened again"
        case .lostOctets: "three octets of a packet to the host are lost"
        case .lostCommandOctets: "two octets of a packet to the controller are lost"
        case .insertedOctets: "three octets come to the host that belong to no packet"
        }
    }

    /// The source of the fault: a thread (GitHub's repository and number), or the Core Specification if it allows the
    /// behaviour.
    package var sources: [String] {
        switch self {
        case .scanStopRefused: ["lautis/ruuvitag-listener#27"]
        case .unansweredFeatures, .unansweredScanEnable: ["raspberrypi/linux#3330"]
        case .lateAnswers, .doubledAnswers: ["home-assistant/core#112654"]
        case .listedAndRefused: ["bluez/bluetooth-next#9", "xanmod/linux#393"]
        case .scanRefusedWhileLinked: ["bluez/bluetooth-next#133"]
        case .extendedUnknown: ["bluez/bluetooth-next#9"]
        case .extendedScanRefused: ["canonical/checkbox#2260"]
        case .extendedConnectionRefused: ["Core 5.4, Vol 1, Part F, 2.17"]
        case .scanRefused: ["TheCellule/python-bleson#84", "custom-components/ble_monitor#61"]
        case .optionalUnanswered: ["Core 5.4, Vol 4, Part E, 4.4"]
        case .cancelLoses: ["zephyrproject-rtos/zephyr#33599"]
        case .sharedBuffers: ["Core 5.4, Vol 4, Part E, 7.8.2"]
        case .connectFailsAfterAdvertising: ["Sentry-Six/Sentry-USB-Rusty#121", "Sentry-Six/Sentry-USB-Rusty#128"]
        case .resetAtFourthLink: ["raspberrypi/linux#3330", "noble/noble#387"]
        case .eventZero: ["custom-components/ble_monitor#263", "home-assistant/core#76544"]
        case .batchedReports: ["verypossible-labs/harald#13", "citruz/beacontools#79"]
        case .sharedCompletions: ["noble/noble-device#12"]
        case .dataOvertakesEvents: ["bluez/bluetooth-next#472", "bluez/bluetooth-next#520"]
        case .creditsStall: ["zephyrproject-rtos/zephyr#14899"]
        case .hardwareError: ["raspberrypi/linux#3330", "custom-components/ble_monitor#431"]
        case .scannerStops: ["abandonware/noble#79"]
        case .tellsOnce: ["AltBeacon/android-beacon-library#491", "home-assistant/core#90307"]
        case .deaf: ["abandonware/noble#79", "theengs/gateway#264"]
        case .deafUntilReopened: ["custom-components/ble_monitor#658"]
        case .frozen: ["home-assistant/operating-system#4934", "custom-components/ble_monitor#431"]
        case .lostOctets, .lostCommandOctets: ["raspberrypi/firmware#1150", "custom-components/ble_monitor#47"]
        case .insertedOctets: ["raspberrypi/linux#3675"]
        }
    }
}

/// A fault that a controller has from the beginning, or that strikes once.
package struct FaultPlan: Sendable, Equatable {
    package let fault: ControllerFault
    /// Time from the first host's connection; nil: every controller is made with the fault.
    package let delay: Duration?

    package init(_ fault: ControllerFault, after delay: Duration? = nil) {
        self.fault = fault
        self.delay = delay
    }

    /// The timed faults, the soonest first.
    static func timed(_ plans: [FaultPlan]) -> [FaultPlan] {
        plans.filter { $0.delay != nil }.sorted { ($0.delay ?? .zero) < ($1.delay ?? .zero) }
    }
}
