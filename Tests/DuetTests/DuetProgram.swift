import TestSupport

/// The program that the system tests start, too: `Duet` is a type of duet's own here.
typealias DuetProgram = Rig.Duet
