/// The connections that a `Patchbay` wants to be made and removed.
struct PatchbayWork: Equatable {
    var connect: [JackWire] = []
    var disconnect: [JackWire] = []
    var warnings: [JackWarning] = []
}
