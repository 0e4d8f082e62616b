import CFuzzer
import Glibc

// Runs the attack that DUET_ATTACK names; the arguments are libFuzzer's. Its children, of -merge
// and the like, inherit both.
//
// With DUET_PLANT set, input that begins with "duet" counts as a fault: if it is found, so would
// others be.

let name = getenv("DUET_ATTACK").map { String(cString: $0) } ?? ""
nonisolated let attack = Attack(rawValue: name)
nonisolated let programAttack = ProgramAttack(rawValue: name)
guard attack != nil || programAttack != nil else {
    let names = Attack.allCases.map(\.rawValue) + ProgramAttack.allCases.map(\.rawValue)
    print("DUET_ATTACK must be one of: \(names.joined(separator: " "))")
    exit(64)
}
nonisolated let isPlanted = getenv("DUET_PLANT") != nil

/// One comparison, whose two sides libFuzzer sees.
func beginsWithDuet(_ input: [UInt8]) -> Bool {
    input.withUnsafeBytes { $0.count >= 4 && $0.loadUnaligned(as: UInt32.self) == 0x7465_7564 }
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let status = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
    let input = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    if isPlanted && beginsWithDuet(input) { fatalError("the planted fault") }
    do { try attack?.run(input) } catch { fatalError("\(error)") }
    if let rule = programAttack?.brokenRule(by: input) { fatalError(rule) }
    return 0
}
exit(status)
