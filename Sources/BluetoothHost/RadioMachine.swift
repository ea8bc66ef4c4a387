// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Which of scanning, initiating and advertising has the radio, and whether the controller scans. What a controller does
/// not bear is remembered as long as the host uses this controller, through every reset of it.
struct RadioMachine: Sendable {
    private var schedule = RadioSchedule()
    private(set) var scanner = ScanControlMachine()
    /// What this controller does not bear, whatever it says.
    private var learned = LearnedCombinations()
    /// A scan is wanted as a sign of life alone.
    private(set) var isProbing = false
    /// The links that the controller bears; nil until it has refused one more.
    private(set) var linkLimit: Int?
    /// Connections in a row that ended as only directed advertising may.
    private var strangeFailures = 0
    /// The commands that this controller does not carry out, whatever it claims.
    private(set) var commands = LearnedCommands()
    /// When the newest link came up, and how many there were then.
    private var newestLink: MonotonicTime?
    private var linksWithNewest = 0
    /// Hardware errors by the number of links with which they came.
    private var breakdowns: [Int: Int] = [:]
    /// With so many links it breaks down.
    private var breaksAt: Int?
    /// The controller that ``learned`` and ``linkLimit`` are about.
    private var learnedOf: ControllerInformation.Identity?

    /// The controller is given up: nothing is on any more.
    mutating func giveUp() { (schedule, scanner) = (RadioSchedule(), ScanControlMachine()) }

    /// A controller is set up. Of another one than before nothing is known.
    mutating func restart(with controller: ControllerInformation) {
        commands.settle(isSame: learnedOf == controller.identity)
        guard learnedOf != controller.identity else { return }
        learnedOf = controller.identity
        learned = LearnedCombinations(companyIdentifier: controller.companyIdentifier)
        linkLimit = nil
        strangeFailures = 0
        (newestLink, breakdowns, breaksAt) = (nil, [:], nil)
    }

    /// When to plan again though nothing happened.
    var deadline: MonotonicTime? {
        guard let sliceEnd = schedule.sliceEnd, let retry = scanner.deadline else {
            return schedule.sliceEnd ?? scanner.deadline
        }
        return min(sliceEnd, retry)
    }

    // MARK: Turns

    /// Who may use the radio; `conflicts`: pairs that cannot do so together.
    mutating func turn(of wanted: RadioUsers, conflicts: Set<RadioUsers>, at now: MonotonicTime) -> RadioUsers {
        schedule.turn(of: wanted, conflicts: conflicts, at: now)
    }

    /// Pairs that the controller says, or has shown, not to bear. `kinds`: what is to be advertised; `scan`: how it scans.
    func conflicts(
        of kinds: [AdvertisingKind], and scan: LEStates.Activity, with controller: ControllerInformation
    ) -> Set<RadioUsers> {
        var pairs = learned.conflicts
        if !controller.scansWhileInitiating { pairs.insert([.scan, .initiate]) }
        func bears(_ activity: LEStates.Activity) -> Bool {
            kinds.allSatisfy { controller.states.contains(.advertising($0, and: activity)) }
        }
        if !bears(scan) { pairs.insert([.scan, .advertise]) }
        if !bears(.initiating) { pairs.insert([.initiate, .advertise]) }
        return pairs
    }

    // MARK: Scanning

    /// The controller scans, or may be doing so.
    var mayScan: Bool { scanner.running != nil || scanner.isChanging }

    /// The controller says that it scans.
    var isScanning: Bool { scanner.running != nil && !scanner.isChanging }

    /// The controller has granted the last scan, which need not run now: others have the radio in turns.
    var grantsScans: Bool { scanner.works }

    mutating func probe(_ isWanted: Bool) { isProbing = isWanted }

    mutating func renewScan() { scanner.renew() }

    mutating func nextScan(wanted setup: ScanSetup?, at now: MonotonicTime) -> ScanControlMachine.Effect? {
        scanner.next(wanted: setup, at: now)
    }

    /// Takes the status of a command of the scanner; `users`: what the controller does.
    mutating func scanAnswered(
        _ status: HCIStatus, beside users: RadioUsers, at now: MonotonicTime
    ) -> ScanControlMachine.Refusal? {
        let isAlone = users == .scan
        let refusal = scanner.answered(status, isAlone: isAlone, at: now)
        if let refusal, refusal.effect != .stop, status == .commandDisallowed, !isAlone {
            learned.refused(.scan, beside: users)
        }
        if scanner.works { commands.granted(.scan) }
        return refusal
    }

    // MARK: What the controller does not bear

    /// A command for `user` was disallowed while `others` used the radio.
    mutating func refused(_ user: RadioUsers, beside others: RadioUsers) { learned.refused(user, beside: others) }

    /// A connection ended with Advertising Timeout, which is for directed advertising: some chips of Broadcom do so for good
    /// once they have initiated while they advertised. True when it is the third in a row: the controller is out of order.
    mutating func failedToInitiate() -> Bool {
        learned.wedged(.initiate, beside: .advertise)
        strangeFailures += 1
        guard strangeFailures >= Self.strangeFailureLimit else { return false }
        strangeFailures = 0
        return true
    }

    /// A connection came up; `links`: with it.
    mutating func initiated(links: Int, at now: MonotonicTime) {
        strangeFailures = 0
        (newestLink, linksWithNewest) = (now, links)
    }

    /// The controller reported a hardware error. Where that comes with the same number of links again, it does not bear so
    /// many, although it takes them.
    mutating func brokeDown(at now: MonotonicTime) {
        guard let newestLink, linksWithNewest > 1, now - newestLink <= Self.breakdownWindow else { return }
        breakdowns[linksWithNewest, default: 0] += 1
        guard breakdowns[linksWithNewest, default: 0] >= LearnedCombinations.strikeLimit else { return }
        breaksAt = min(breaksAt ?? linksWithNewest, linksWithNewest)
        linkLimit = linksWithNewest - 1
    }

    /// It has not broken down twice with one link more than these.
    func bearsAnother(beside links: Int) -> Bool { breaksAt.map { links + 1 < $0 } ?? true }

    private static let breakdownWindow: Duration = .seconds(1)

    private static let strangeFailureLimit = 3

    /// A command that `user` needs was refused for good; `links`: there are so many.
    mutating func refused(
        _ user: RadioUsers, _ opcode: HCIOpcode, _ status: HCIStatus, by controller: ControllerInformation, links: Int,
        at now: MonotonicTime
    ) -> LearnedCommands.Remedy {
        let remedy = commands.refused(user, opcode, status, by: controller, hasLinks: links > 0)
        if user == .scan, remedy == .plainPHY { scanner.startAnew() }
        if remedy == .patience { scanner.bePatient(at: now) }
        return remedy
    }

    /// A command that `user` needs was granted.
    mutating func granted(_ user: RadioUsers) { commands.granted(user) }

    mutating func useLegacyCommands(of controller: ControllerInformation) { commands.useLegacy(of: controller) }

    mutating func answered(_ opcode: HCIOpcode) { commands.answered(opcode) }

    /// A command was not answered in time.
    mutating func unanswered(
        _ opcode: HCIOpcode, beside users: RadioUsers, by controller: ControllerInformation, isInSetUp: Bool
    ) -> LearnedCommands.Silence {
        wedged(opcode, beside: users)
        return commands.unanswered(opcode, by: controller, isInSetUp: isInSetUp)
    }

    /// The controller did not answer a command in time: if it began to do two things at once, it does not bear that.
    private mutating func wedged(_ opcode: HCIOpcode, beside users: RadioUsers) {
        switch opcode {
        case .leCreateConnection, .leExtendedCreateConnection, .leCreateConnectionCancel:
            learned.wedged(.initiate, beside: users)
        case .leSetAdvertisingEnable, .leSetExtendedAdvertisingEnable:
            learned.wedged(.advertise, beside: users.intersection(.initiate))
        default:
            // The other commands do not begin anything on the radio.
            break
        }
    }

    /// It has never refused to be connectable beside so many links.
    func isConnectable(beside links: Int) -> Bool { learned.isConnectable(beside: links) }

    mutating func refusedConnectable(beside links: Int) { learned.refusedConnectable(beside: links) }

    /// The controller had no room for a link beside so many. Without any, it is out of order rather than full.
    mutating func refusedLink(beside links: Int) { if links > 0 { linkLimit = links } }

    /// There are so many links: what was taken for the limit may have been a moment of want.
    mutating func bears(_ links: Int) { linkLimit = linkLimit.map { max($0, links) } }
}
