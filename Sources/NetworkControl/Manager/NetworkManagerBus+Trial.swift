// SPDX-License-Identifier: Apache-2.0

extension NetworkManagerBus {
    /// Seconds by which NetworkManager's own checkpoint outlasts the trial; the checkpoint serves after the death of a
    /// helper.
    private static let grace = 10
    /// A network is activated as soon as IPv4 or IPv6 is; its addresses are reported a moment later.
    private static let addressPatience = Duration.seconds(5)

    /// How long the search for an unheard network goes on.
    private static let searchLimit = Duration.seconds(40)

    /// NM_CHECKPOINT_CREATE_FLAG_DELETE_NEW_CONNECTIONS. NetworkManager takes …_DISCONNECT_NEW_DEVICES (4) only in
    /// checkpoints of all devices.
    private static let checkpointFlags: UInt32 = 2

    func join(
        _ settings: WirelessSettings, limit: Duration, whileQuiet connection: Int32, progress: (NetworkStep) -> Void
    ) throws(NetworkTrouble) -> NetworkStatus {
        guard trial == nil else { throw NetworkTrouble(.busy, "a network is being tried already") }
        let end = ContinuousClock.now + limit
        let profile = try ConnectionProfile(settings, uuid: RandomUUID.next())
        let radio = try usableRadio()
        let accessPoint = try find(
            profile.ssid, isHidden: settings.isHidden, on: radio.path,
            end: ContinuousClock.now + min(limit / 2, Self.searchLimit), connection: connection)
        let sections = try profile.settings(for: accessPoint)

        let file = try lockTrials()
        let checkpoint = try createCheckpoint(radio.path, seconds: Int(limit.components.seconds) + 1 + Self.grace)
        file?.write(owner: try owner(), checkpoint: checkpoint)
        trial = Trial(device: radio.path, checkpoint: checkpoint, uuid: profile.uuid, end: end, file: file)
        do throws(NetworkTrouble) {
            try match(
                "type='signal',sender='\(Self.service)',interface='\(Self.service).Device',member='StateChanged',"
                    + "path='\(radio.path)'")
            while try nextSignal() != nil {}
            let answer = try call(
                Self.manager, "", "AddAndActivateConnection2",
                [sections, .path(radio.path), .path("/"), .options(["persist": .string("memory")])])
            trial?.connection = answer.first?.text
            var machine = TrialMachine()
            machine.isHeardWithWPA3 = accessPoint?.security == .wpa3
            try awaitActivation(by: &machine, of: radio.path, end: end, connection: connection, progress: progress)
            return try awaitAddress(of: radio.path, end: end, connection: connection)
        } catch {
            rollBack()
            throw error
        }
    }

    /// Nil for a hidden network. One scan does not prove that a network is absent: right after a trial was taken back,
    /// NetworkManager looks for the former network alone.
    private func find(
        _ name: [UInt8], isHidden: Bool, on device: String, end: ContinuousClock.Instant, connection: Int32
    ) throws(NetworkTrouble) -> AccessPoint? {
        if let known = try accessPoints(of: device).strongest(of: name) { return known }
        guard !isHidden else { return nil }
        while true {
            _ = try refresh(device)
            if let found = try accessPoints(of: device).strongest(of: name) { return found }
            let next = ContinuousClock.now + .seconds(1)
            while ContinuousClock.now < next {
                while try nextSignal() != nil {}
                try pause(
                    until: end, connection: connection, step: next - ContinuousClock.now,
                    late: NetworkTrouble(.networkNotFound, "the network is not heard"))
            }
        }
    }

    private func createCheckpoint(_ device: String, seconds: Int) throws(NetworkTrouble) -> String {
        do throws(NetworkTrouble) {
            let answer = try call(
                Self.manager, "", "CheckpointCreate",
                [.array(of: "o", [.path(device)]), .uint32(UInt32(seconds)), .uint32(Self.checkpointFlags)])
            guard let path = answer.first?.text else {
                throw NetworkTrouble(.failed, "CheckpointCreate: no checkpoint")
            }
            return path
        } catch {
            // The checkpoint of another program, which we must not end.
            let others = try properties(of: Self.manager, "")["Checkpoints"]?.elements ?? []
            guard error.failure == .failed, !others.isEmpty else { throw error }
            throw NetworkTrouble(.busy, error.words)
        }
    }

    private func awaitActivation(
        by machine: inout TrialMachine, of device: String, end: ContinuousClock.Instant, connection: Int32,
        progress: (NetworkStep) -> Void
    ) throws(NetworkTrouble) {
        while true {
            while let signal = try nextSignal() {
                guard signal.path == device, signal.member == "StateChanged", signal.arguments.count == 3,
                    let state = signal.arguments[0].integer, let reason = signal.arguments[2].integer
                else { continue }
                switch machine.changed(to: DeviceState(rawValue: state), reason: DeviceReason(rawValue: reason)) {
                case .step(let step)?: progress(step)
                case .activated?: return
                case .failed(let failure, let words)?: throw NetworkTrouble(failure, words)
                case nil: break
                }
            }
            try pause(until: end, connection: connection, late: machine.late)
        }
    }

    private func awaitAddress(
        of device: String, end: ContinuousClock.Instant, connection: Int32
    ) throws(NetworkTrouble) -> NetworkStatus {
        let end = min(end, ContinuousClock.now + Self.addressPatience)
        while true {
            let radio = Device(path: device, state: .activated, properties: try properties(of: device, "Device"))
            if try !addresses(of: radio).isEmpty { return try status() }
            while try nextSignal() != nil {}
            try pause(
                until: end, connection: connection, step: .milliseconds(200),
                late: NetworkTrouble(.noAddress, "the network has no address for us"))
        }
    }

    private func pause(
        until end: ContinuousClock.Instant, connection: Int32, step: Duration = .seconds(60), late: NetworkTrouble
    ) throws(NetworkTrouble) {
        let left = end - ContinuousClock.now
        guard left > .zero else { throw late }
        if try bus().wait(alsoFor: connection, limit: min(left, step)) {
            throw NetworkTrouble(.failed, "the client has gone, or has another request")
        }
    }

    // MARK: The end of a trial

    func keep() throws(NetworkTrouble) -> String {
        guard let trial, let path = trial.connection else {
            throw NetworkTrouble(.timedOut, "there is no trial (any more)")
        }
        do throws(NetworkTrouble) {
            // The tried network must still be in use: it may have gone since the trial succeeded.
            let active = try properties(of: trial.device, "Device")["ActiveConnection"]?.text ?? "/"
            guard active != "/", try properties(of: active, "Connection.Active")["Uuid"]?.text == trial.uuid else {
                throw NetworkTrouble(.failed, "the network on trial is not in use any more")
            }
            // To disk, unchanged: before it is settled, no restart joins it.
            _ = try call(path, "Settings.Connection", "Update2", [.settings([:]), .uint32(1), .options([:])])
            try synchronize(path)
            _ = try call(Self.manager, "", "CheckpointDestroy", [.path(trial.checkpoint)])
        } catch {
            rollBack()
            throw error
        }
        trial.file?.clear()
        self.trial = nil
        return trial.uuid
    }

    func revert(_ kept: String?) throws(NetworkTrouble) {
        rollBack()
        if let kept { try forget(kept) }
    }

    /// Brings the former network back. NetworkManager does this, at the end of the checkpoint's time at the latest.
    private func rollBack() {
        guard let trial else { return }
        self.trial = nil
        do {
            let answer = try call(
                Self.manager, "", "CheckpointRollback", [.path(trial.checkpoint)], limit: .seconds(20))
            for (device, result) in answer.first?.entries ?? [:] where result.integer != 0 {
                say("\(device) could not be brought back (result \(result.integer ?? -1))")
            }
        } catch {
            say(error.words)
        }
        trial.file?.clear()
        // A restarted NetworkManager has lost the checkpoint, but not the profile.
        do {
            try forget(trial.uuid)
        } catch {
            say(error.words)
        }
    }
}
