// SPDX-License-Identifier: Apache-2.0

/// The progress of a network on trial, by the states of NetworkManager's device.
struct TrialMachine: Equatable {
    enum Outcome: Equatable {
        case step(NetworkStep)
        case activated
        case failed(NetworkFailure, String)
    }

    private enum Phase: Equatable { case waiting, associating, addressing }

    /// The network is heard, and wants WPA3. With a wrong password, NetworkManager before 1.56 reports that the network
    /// is absent: its supplicant is back at scanning when the time is over.
    var isHeardWithWPA3 = false
    private var phase = Phase.waiting
    /// The access point has ended the exchange of keys.
    private var hasBeenRefused = false

    /// A change of the device's state, as `Device.StateChanged` reports it.
    mutating func changed(to state: DeviceState, reason: DeviceReason) -> Outcome? {
        if phase == .waiting {
            // Earlier states belong to the end of a former activation.
            guard state == .prepare else { return nil }
            phase = .associating
            return .step(.associate)
        }
        switch state {
        case .needAuthentication:
            hasBeenRefused = hasBeenRefused || reason == .supplicantDisconnected
            return nil
        case .addressing where phase == .associating:
            phase = .addressing
            return .step(.address)
        case .activated:
            return .activated
        case .failed:
            if isHeardWithWPA3, reason == .networkNotFound {
                return .failed(
                    .passwordOrSignal,
                    "the access point did not let the gateway in: perhaps the password is wrong, or it is far away")
            }
            let (failure, words) = reason.failure(while: phase == .addressing ? .address : .associate)
            return .failed(failure, words)
        case .deactivating, .disconnected:
            guard reason == .newActivation else {
                return .failed(.failed, "the device was disconnected (reason \(reason.rawValue))")
            }
            // The states so far belonged to another activation, which had just begun.
            (phase, hasBeenRefused) = (.waiting, false)
            return nil
        case .unavailable, .unmanaged, .unknown:
            return .failed(.noWiFi, "the device is gone (state \(state.rawValue), reason \(reason.rawValue))")
        default:
            return nil
        }
    }

    /// The failure when the time is over.
    var late: NetworkTrouble {
        switch phase {
        case .addressing: NetworkTrouble(.noAddress, "no address within the time that was given")
        case .associating where hasBeenRefused:
            NetworkTrouble(.passwordOrSignal, "the access point has ended the exchange of keys")
        case .associating, .waiting: NetworkTrouble(.timedOut, "not associated within the time that was given")
        }
    }
}

/// NMDeviceState.
struct DeviceState: RawRepresentable, Equatable {
    var rawValue: Int
    static let unknown = DeviceState(rawValue: 0)
    static let unmanaged = DeviceState(rawValue: 10)
    static let unavailable = DeviceState(rawValue: 20)
    static let disconnected = DeviceState(rawValue: 30)
    static let prepare = DeviceState(rawValue: 40)
    static let needAuthentication = DeviceState(rawValue: 60)
    static let addressing = DeviceState(rawValue: 70)
    static let activated = DeviceState(rawValue: 100)
    static let deactivating = DeviceState(rawValue: 110)
    static let failed = DeviceState(rawValue: 120)
}

/// NMDeviceStateReason, as far as it means something to a person.
struct DeviceReason: RawRepresentable, Equatable {
    var rawValue: Int
    static let addressesUnavailable = DeviceReason(rawValue: 5)
    static let addressesExpired = DeviceReason(rawValue: 6)
    static let noSecrets = DeviceReason(rawValue: 7)
    static let supplicantDisconnected = DeviceReason(rawValue: 8)
    static let supplicantTimedOut = DeviceReason(rawValue: 11)
    static let dhcpNotStarted = DeviceReason(rawValue: 15)
    static let dhcpError = DeviceReason(rawValue: 16)
    static let dhcpFailed = DeviceReason(rawValue: 17)
    static let removed = DeviceReason(rawValue: 36)
    static let networkNotFound = DeviceReason(rawValue: 53)
    static let newActivation = DeviceReason(rawValue: 60)

    /// The failure of an activation.
    func failure(while step: NetworkStep) -> (NetworkFailure, String) {
        switch self {
        // No agent can ask a person for another password.
        case .noSecrets: (.wrongPassword, "the access point does not take the password")
        case .supplicantDisconnected: (.passwordOrSignal, "the access point has ended the exchange of keys")
        case .supplicantTimedOut: (.passwordOrSignal, "the access point does not answer, or does not take the password")
        case .networkNotFound: (.networkNotFound, "the network is not heard")
        case .addressesUnavailable, .addressesExpired, .dhcpNotStarted, .dhcpError, .dhcpFailed:
            (.noAddress, "the network gives no address (reason \(rawValue))")
        case .removed: (.noWiFi, "the Wi-Fi device is gone")
        default: (.failed, "NetworkManager has given up at the step \(step.rawValue) (reason \(rawValue))")
        }
    }
}
