// The code of the page "For readers of the Audio Unit documents".
import Glibc

try useAGraph()
try useUnits()
try useCallbacks()
try useEffects()
try placeAndProcess()
try scheduleBuffers()
if CommandLine.arguments.count > 1 {
    do { try scheduleFile(CommandLine.arguments[1]) } catch {
        print(error)
        exit(1)
    }
}
try convertAndHandOver()
try useAQueue()
