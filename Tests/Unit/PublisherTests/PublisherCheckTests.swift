// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import CMosquitto
import Glibc
import Testing

@testable import MQTT
@testable import Platform
@testable import Publisher
@testable import Readings

@Suite("Why a broker is not proved")
struct PublisherCheckTests {
    private static func clock(_ state: ClockQuality, ahead: Int64 = 0) -> ClockStatus {
        ClockStatus(
            state: state.rawValue, source: .kernel, unixMs: state == .unsynced ? nil : 1_800_000_000_000, boot: "b",
            uptimeMs: 1, systemUnixMs: 1_800_000_000_000 + ahead, kernelSynchronized: state == .synced,
            kernelErrorMs: 1, leapSecond: .none, steps: 0)
    }

    private static func reason(
        _ failure: MQTTFailure, at step: BrokerStep, _ clock: ClockStatus = clock(.synced)
    ) -> BrokerCheckFailure {
        ConnectionProgress.Failure(failure: failure, step: step, text: "text", isTriedOtherwise: false).checkFailure(
            by: clock)
    }

    @Test("each failure is reported by its kind, and with its step")
    func reasons() {
        let lost = MQTTFailure.library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), detail: nil)
        let rows: [(MQTTFailure, BrokerStep, BrokerStep, BrokerCheckFailure.Reason)] = [
            (.unknownHost(EAI_NONAME), .name, .name, .noName),
            (.system(ECONNREFUSED), .connect, .connect, .noConnection),
            (.system(ETIMEDOUT), .connect, .connect, .noConnection),
            (.library(code: Int32(MOSQ_ERR_TLS.rawValue), detail: "x"), .tls, .tls, .tls),
            (lost, .tls, .tls, .tls), (lost, .broker, .broker, .brokerRefused),
            (.speaksNoTLS, .tls, .tls, .tls), (.speaksTLS, .broker, .tls, .tls), (.unusable("x"), .connect, .tls, .tls),
            (.certificate("x", isAboutTime: false), .tls, .tls, .certificate),
            (.certificate("x", isAboutTime: true), .tls, .tls, .certificate),
            (.refused(.badUserNameOrPassword), .broker, .broker, .brokerRefused),
            (.refused(.notAuthorized), .broker, .broker, .brokerRefused),
            (.elsewhere(.serverMoved, reference: nil), .broker, .broker, .brokerRefused),
            (.noAnswer, .broker, .broker, .timedOut),
        ]
        for (failure, at, step, reason) in rows {
            #expect(Self.reason(failure, at: at) == BrokerCheckFailure(step, reason, "text"), "\(failure)")
        }
    }

    @Test(
        "a certificate with invalid dates is the clock's fault where the clock is unconfirmed or off")
    func clocks() {
        let expired = MQTTFailure.certificate("x", isAboutTime: true)
        for clock in [Self.clock(.unsynced), Self.clock(.holdover), Self.clock(.synced, ahead: -3_600_000)] {
            #expect(Self.reason(expired, at: .tls, clock).reason == .clockWrong)
            #expect(Self.reason(.certificate("x", isAboutTime: false), at: .tls, clock).reason == .certificate)
        }
        #expect(Self.reason(expired, at: .tls, Self.clock(.synced, ahead: 30_000)).reason == .certificate)
    }
}
