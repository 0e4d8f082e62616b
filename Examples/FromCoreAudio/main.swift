// The code of the page "For readers of the Audio Unit documents".
try useAGraph()
try useUnits()
try useCallbacks()
try useEffects()
try placeAndProcess()
try scheduleBuffers()
try convertAndHandOver()
try useAQueue()
