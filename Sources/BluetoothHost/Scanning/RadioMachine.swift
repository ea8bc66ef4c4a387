// SPDX-License-Identifier: Apache-2.0

import BluetoothCore
import HCI

/// Decides which of scanning, initiating and advertising has the radio, and whether the controller scans. Known limits
/// of the controller are remembered as long as the host uses this controller, through every reset.
struct RadioMachine: Sendable {
    private var schedule = RadioSchedule()
    private(set) var scanner = ScanControlMachine()
    /// Combinations that this controller does not bear, whatever its claims.
    private var learned = LearnedCombinations()
    /// A scan is wanted as a sign of life alone.
    private(set) var isProbing = false
    /// The number of links that the controller bears; nil before it has refused a link.
    private(set) var linkLimit: Int?
    /// Consecutive connections that ended as only directed advertising may.
    private var strangeFailures = 0
    /// Commands that this controller does not carry out, whatever its claims.
    private(set) var commands = LearnedCommands()
    /// When the newest link came up, and the number of links then.
    private var newestLink: MonotonicTime?
    private var linksWithNewest = 0
    /// Hardware errors, by the number of links at the error.
    private var breakdowns: [Int: Int] = [:]
    /// The controller breaks down with this number of links.
    private var breaksAt: Int?
    /// The controller to which ``learned`` and ``linkLimit`` belong.
    private var learnedOf: ControllerInformation.Identity?

    /// The controller is given up: nothing is on any more.
    mutating func giveUp() { (schedule, scanner) = (RadioSchedule(), ScanControlMachine()) }

    /// A controller is set up. For a new controller, all learned limits are dropped.
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

    /// Gives the radio to users. `conflicts`: pairs that cannot use the radio together.
    mutating func turn(of wanted: RadioUsers, conflicts: Set<RadioUsers>, at now: MonotonicTime) -> RadioUsers {
        schedule.turn(of: wanted, conflicts: conflicts, at: now)
    }

    /// Pairs that the controller does not bear, by its own claim or by experience. `kinds`: advertisements to send.
    /// `scan`: how the controller scans.
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

    /// The controller has reported that the scan is on.
    var isScanning: Bool { scanner.running != nil && !scanner.isChanging }

    /// The controller has granted the last scan. The scan need not run now, because other users have the radio in
    /// turns.
    var grantsScans: Bool { scanner.works }

    mutating func probe(_ isWanted: Bool) { isProbing = isWanted }

    mutating func renewScan() { scanner.renew() }

    mutating func nextScan(wanted setup: ScanSetup?, at now: MonotonicTime) -> ScanControlMachine.Effect? {
        scanner.next(wanted: setup, at: now)
    }

    /// Takes the status of a command of the scanner. `users`: present uses of the controller.
    mutating func scanAnswered(
        _ status: HCIStatus, beside users: RadioUsers, at now: MonotonicTime
    ) -> ScanControlMachine.Refusal? {
        let refusal = scanner.answered(status, isAlone: users == .scan, at: now)
        if refusal?.isOfCombination == true { learned.refused(.scan, beside: users) }
        if scanner.works { commands.granted(.scan) }
        return refusal
    }

    // MARK: Limits of the controller

    /// A command for `user` was disallowed while `others` used the radio.
    mutating func refused(_ user: RadioUsers, beside others: RadioUsers) { learned.refused(user, beside: others) }

    /// A connection ended with Advertising Timeout, a status for directed advertising. After initiating while
    /// advertising, some chips of Broadcom end every connection with this status. True at the third such end in a row:
    /// the controller is out of order.
    mutating func failedToInitiate() -> Bool {
        learned.wedged(.initiate, beside: .advertise)
        strangeFailures += 1
        guard strangeFailures >= Self.strangeFailureLimit else { return false }
        strangeFailures = 0
        return true
    }

    /// A connection came up. `links` includes it.
    mutating func initiated(links: Int, at now: MonotonicTime) {
        strangeFailures = 0
        (newestLink, linksWithNewest) = (now, links)
    }

    /// The controller reported a hardware error. A second error with this number of links means that the controller
    /// does not bear so many links, although it accepts them.
    mutating func brokeDown(at now: MonotonicTime) {
        guard let newestLink, linksWithNewest > 1, now - newestLink <= Self.breakdownWindow else { return }
        breakdowns[linksWithNewest, default: 0] += 1
        guard breakdowns[linksWithNewest, default: 0] >= LearnedCombinations.strikeLimit else { return }
        breaksAt = min(breaksAt ?? linksWithNewest, linksWithNewest)
        linkLimit = linksWithNewest - 1
    }

    /// The controller has not broken down twice with a further link.
    func bearsAnother(beside links: Int) -> Bool { breaksAt.map { links + 1 < $0 } ?? true }

    private static let breakdownWindow: Duration = .seconds(1)

    private static let strangeFailureLimit = 3

    /// A command for `user` was refused for good. `links`: the present number of links.
    mutating func refused(
        _ user: RadioUsers, _ opcode: HCIOpcode, _ status: HCIStatus, by controller: ControllerInformation, links: Int,
        at now: MonotonicTime
    ) -> LearnedCommands.Remedy {
        let remedy = commands.refused(user, opcode, status, by: controller, hasLinks: links > 0)
        if user == .scan, remedy == .plainPHY { scanner.startAnew() }
        if remedy == .patience { scanner.bePatient(at: now) }
        return remedy
    }

    /// A command for `user` was granted.
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

    /// The controller did not answer a command in time. If the command began a second use of the radio, the controller
    /// does not bear the pair.
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

    /// The controller has never refused to be connectable beside this number of links.
    func isConnectable(beside links: Int) -> Bool { learned.isConnectable(beside: links) }

    mutating func refusedConnectable(beside links: Int) { learned.refusedConnectable(beside: links) }

    /// The controller had no room for a link beside `links`. A refusal without any link shows a fault, not a limit.
    mutating func refusedLink(beside links: Int) { if links > 0 { linkLimit = links } }

    /// There are `links` links, so a lower limit was only a passing shortage.
    mutating func bears(_ links: Int) { linkLimit = linkLimit.map { max($0, links) } }
}
