// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import MQTT
import Platform
import Readings

/// The meaning of a failure for a person who has just entered the settings.
extension MQTTFailure {
    /// These settings may work in a moment.
    var mayPass: Bool {
        switch self {
        case .unknownHost, .lookupTimedOut, .system, .noAnswer, .cutAnswer, .noHandshake: true
        // Server unavailable, server busy.
        case .refused(let reason), .disconnected(let reason): reason.rawValue == 0x88 || reason.rawValue == 0x89
        case .library(let code, _): code == LibraryCode.connectionLost
        default: false
        }
    }

    fileprivate func reason(at step: BrokerStep, isClockRight: Bool) -> BrokerCheckFailure.Reason {
        switch self {
        case .unknownHost, .lookupTimedOut: .noName
        case .certificate(_, let isAboutTime): isAboutTime && !isClockRight ? .clockWrong : .certificate
        case .speaksTLS, .speaksNoTLS, .unusable: .tls
        case .speaksHTTP: .brokerRefused
        case .refused, .disconnected, .elsewhere: .brokerRefused
        case .noAnswer, .noAcknowledgement, .messageIDsUsedUp: .timedOut
        case .noHandshake, .library(code: LibraryCode.tls, _): .tls
        case .cutAnswer: .brokerRefused
        case .system, .library, .broken, .tooLarge, .topic:
            switch step {
            case .name: .noName
            case .connect: .noConnection
            case .tls: .tls
            case .broker: .brokerRefused
            }
        }
    }
}

extension ConnectionProgress.Failure {
    func checkFailure(by clock: ClockStatus) -> BrokerCheckFailure {
        let reason = failure.reason(at: step, isClockRight: clock.isRightForCertificates)
        let step: BrokerStep =
            switch reason {
            case .noName: .name
            case .noConnection: .connect
            case .tls, .certificate, .clockWrong: .tls
            case .brokerRefused, .timedOut: .broker
            }
        return BrokerCheckFailure(step, reason, text)
    }
}

extension ClockStatus {
    /// The time is reliable, and the system's clock, which judges certificates, shows it.
    var isRightForCertificates: Bool {
        guard state == ClockQuality.synced.rawValue, let unixMs else { return false }
        return unixMs.distanceSaturated(to: systemUnixMs) <= 60_000
    }
}
