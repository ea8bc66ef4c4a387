// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Collector
@testable import Readings

/// The rules by which a claim gets a place, and the order of eviction when places are short.
struct PlaceHoldTests {
    private static func heard(_ times: Int64...) -> PlaceHold {
        var hold = PlaceHold()
        for time in times { hold.heard(at: time) }
        return hold
    }

    @Test func `of the claims a proven one goes last, however long it is unheard`() throws {
        let family = try #require(SensorFamilies.all.first)
        let sensors = SensorTable()
        var places = ListenedPlaces()
        for (address, last) in [(1, 30), (2, 10), (3, 20)] as [(UInt64, Int64)] {
            let candidate = SensorRule.Candidate(name: nil, address: address, identifier: UUID(), services: [])
            let claim = ListenedSensor(candidate: candidate, rule: SensorRule(), family: family, sensors: sensors)
            claim.place.heard(at: last)
            places.claim(claim, at: address, now: 0, maximum: 8)
        }
        places.dropWeakestClaim { $0.candidate.address == 2 }
        #expect(places.claims.keys.sorted() == [1, 2])
        places.dropWeakestClaim { _ in false }
        #expect(places.claims.keys.sorted() == [1])
    }

    private static func claim(of family: SensorFamily, lastHeard: Int64 = 0) -> ListenedSensor {
        let candidate = SensorRule.Candidate(name: nil, address: 1, identifier: UUID(), services: [])
        let claim = ListenedSensor(
            candidate: candidate, rule: SensorRule(), family: family, sensors: SensorTable())
        claim.place.heard(at: lastHeard)
        return claim
    }

    @Test(arguments: [false, true])
    func `scan responses are asked for as long as a holder or a claim needs them`(isNeeded: Bool) throws {
        let family = try #require(SensorFamilies.all.first { $0.needs.needsActiveScan == isNeeded })
        let sensor = Self.claim(of: family)
        var places = ListenedPlaces()
        #expect(!places.needResponses)
        places.claim(sensor, at: 1, now: 0, maximum: 8)
        #expect(places.needResponses == isNeeded)
        places.dropClaims()
        #expect(!places.needResponses)
        places.begin(sensor, at: 1)
        #expect(places.needResponses == isNeeded)
        places.end(at: 1)
        #expect(!places.needResponses)
    }

    @Test func `a sensor is awaited since its first claim, and a claim is forgotten after ten minutes of silence`()
        throws
    {
        let family = try #require(SensorFamilies.all.first)
        let sensor = Self.claim(of: family, lastHeard: 10)
        var places = ListenedPlaces()
        for now: Int64 in [5, 9] { places.claim(sensor, at: 1, now: now, maximum: 1) }
        #expect(places.awaitedSince(sensor.rule) == 5)
        let early = places.expireClaims(at: 600_010)
        #expect(!early && places.isClaiming(1))
        let late = places.expireClaims(at: 600_011)
        #expect(late && !places.isClaiming(1) && places[1] == nil)
        #expect(places.awaitedSince(sensor.rule) == 5, "it is awaited all the same")
    }

    @Test func `without a key a device that has spoken for a while holds its place, with one when a packet opens`() {
        let limits = ClaimLimits()
        #expect(!Self.heard().isProven(hasKey: false, limits))
        #expect(!Self.heard(5).isProven(hasKey: false, limits))
        #expect(!Self.heard(0, limits.proof - 1).isProven(hasKey: false, limits))
        #expect(Self.heard(0, limits.proof).isProven(hasKey: false, limits))
        var sealed = Self.heard(0, 1_000_000)
        #expect(!sealed.isProven(hasKey: true, limits))
        sealed.opened()
        #expect(sealed.isProven(hasKey: true, limits))
        var known = Self.heard(5)
        known.recall(true)
        #expect(known.isProven(hasKey: false, limits) && !known.isProven(hasKey: true, limits))
    }

    @Test func `a place is taken once`() {
        var hold = Self.heard(0)
        #expect(!hold.hold(hasKey: false, ClaimLimits()) && !hold.isHeld)
        hold.heard(at: 20_000)
        let (first, second) = (hold.hold(hasKey: false, ClaimLimits()), hold.hold(hasKey: false, ClaimLimits()))
        #expect(first && !second && hold.isHeld)
    }

    @Test(
        arguments: [
            (true, 60_001, 60_000, false, PlaceVerdict.take), (true, 60_000, 60_000, false, .contest),
            (true, 0, 60_000, false, .contest), (false, 0, 60_000, false, .take), (false, 0, 60_000, true, .take),
            // A silent button counts as present.
            (true, 60_001, 60_000, true, .contest),
        ] as [(Bool, Int64, Int64, Bool, PlaceVerdict)])
    func `who has a place gives it up when silent`(
        _ isHeld: Bool, _ quiet: Int64, _ limit: Int64, _ isSilentByNature: Bool, _ verdict: PlaceVerdict
    ) {
        let holder = PlaceVerdict.Holder(
            isHeld: isHeld, quiet: quiet, limit: limit, isSilentByNature: isSilentByNature)
        #expect(PlaceVerdict.of(holder) == verdict)
        #expect(PlaceVerdict.of(nil) == .take)
    }

    private static func standing(
        held: Bool = true, remembered: Bool = false, named: Bool = false, quiet: Int64 = 0, span: Int64 = 0
    ) -> PlaceBound.Standing {
        PlaceBound.Standing(isHeld: held, isRemembered: remembered, isNamed: named, quiet: quiet, span: span)
    }

    @Test func `one that never held its place goes first, then the silent one that spoke least`() {
        let silence: Int64 = 600_000
        func least(_ sensors: PlaceBound.Standing...) -> Int? { PlaceBound.leastWorthy(sensors, silence: silence) }
        #expect(least() == nil)
        #expect(least(Self.standing(quiet: silence)) == nil)
        #expect(least(Self.standing(quiet: silence + 1)) == 0)
        #expect(least(Self.standing(held: false, named: true), Self.standing(named: true, quiet: 1 << 40)) == nil)
        #expect(least(Self.standing(quiet: 1 << 40), Self.standing(held: false)) == 1)
        #expect(least(Self.standing(held: false, quiet: 1), Self.standing(held: false, quiet: 2)) == 1)
        #expect(
            least(
                Self.standing(quiet: 700_000, span: 90_000), Self.standing(quiet: 700_000, span: 10_000),
                Self.standing(remembered: true, quiet: 700_000)) == 1)
        #expect(least(Self.standing(remembered: true, quiet: 700_000), Self.standing(quiet: 1)) == 0)
    }
}
