/// What a `Patchbay` wants to be done.
struct PatchbayWork: Equatable {
    var connect: [JackWire] = []
    var disconnect: [JackWire] = []
    var warnings: [JackWarning] = []
}
