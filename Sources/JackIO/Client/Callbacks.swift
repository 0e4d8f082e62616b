import CJack
import CRealtime
import Glibc
import Synchronization

// The functions that libjack calls, each with the client's `LiveContext`. All are nonisolated C
// functions: a closure formed in actor-isolated code would trap on JACK's threads. Most
// run on the notification thread, which may block briefly; the others name their thread.

/// Realtime-safe. Process thread.
@c(duet_jack_process)
@_noLocks nonisolated func duetProcess(
    _ frames: jack_nframes_t, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument = unsafe argument else { return 0 }
    let context = unsafe argument.assumingMemoryBound(to: LiveContext.self)
    // Sequentially consistent on both sides. Either this cycle sees that the client is gone or has
    // another driver, or the control thread, which changed that, sees this cycle and waits for its
    // end before it frees the graph.
    unsafe context.pointee.isInCycle.store(true, ordering: .sequentiallyConsistent)
    if let driver = unsafe context.pointee.driver.load(ordering: .sequentiallyConsistent),
        unsafe !context.pointee.isClientClosed.load(ordering: .sequentiallyConsistent)
    {
        unsafe driver.pointee.process(frames: Int(frames))
    }
    unsafe context.pointee.isInCycle.store(false, ordering: .releasing)
    return 0
}

/// The sync callback: JACK calls it before the process callback of every cycle while the transport
/// is about to roll or was located. The transport waits while a client returns 0, up to a time that
/// the server sets (2 s). Realtime-safe. Process thread.
@c(duet_jack_sync)
@_noLocks nonisolated func duetSync(
    _ state: jack_transport_state_t, _ position: UnsafeMutablePointer<jack_position_t>?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let argument = unsafe argument, let position = unsafe position else { return 1 }
    let context = unsafe argument.assumingMemoryBound(to: LiveContext.self)
    unsafe context.pointee.isInCycle.store(true, ordering: .sequentiallyConsistent)
    var isReady = true
    if let driver = unsafe context.pointee.driver.load(ordering: .sequentiallyConsistent),
        unsafe !context.pointee.isClientClosed.load(ordering: .sequentiallyConsistent)
    {
        isReady = unsafe driver.pointee.isReady(at: Int64(position.pointee.frame))
    }
    unsafe context.pointee.isInCycle.store(false, ordering: .releasing)
    return isReady ? 1 : 0
}

/// Makes denormals zero on the process thread, as each would cost hundreds of processor cycles.
/// libjack calls this on its other threads too, and on the thread that activates the client.
@c(duet_jack_thread_init)
nonisolated func duetThreadInit(_ argument: UnsafeMutableRawPointer?) {
    _ = crealtime_flush_denormals()
}

@c(duet_jack_xrun)
nonisolated func duetXrun(_ argument: UnsafeMutableRawPointer?) -> Int32 {
    guard let context = unsafe liveContext(argument) else { return 0 }
    let delay = unsafe jack_get_xrun_delayed_usecs(context.pointee.client)
    unsafe context.pointee.xrunMicroseconds.store(
        delay.isFinite ? Int(max(0, min(delay, 1e9))) : 0, ordering: .relaxed)
    unsafe context.pointee.xruns.add(1, ordering: .releasing)
    unsafe context.pointee.wake()
    return 0
}

@c(duet_jack_buffer_size)
nonisolated func duetBufferSize(
    _ frames: jack_nframes_t, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe liveContext(argument) else { return 0 }
    unsafe context.pointee.period.store(frames, ordering: .releasing)
    unsafe context.pointee.wake()
    // jackd begins cycles of the new length only when this returns. Songs may first have to decode
    // more frames for the longer cycles, so this waits up to 200 ms for the control thread.
    var waits = unsafe context.pointee.periodWaits ? 200 : 0
    while waits > 0, frames > 2048,
        unsafe context.pointee.periodTaken.load(ordering: .acquiring) != frames
    {
        usleep(1000)
        waits -= 1
    }
    return 0
}

@c(duet_jack_sample_rate)
nonisolated func duetSampleRate(
    _ rate: jack_nframes_t, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe liveContext(argument) else { return 0 }
    unsafe context.pointee.sampleRate.store(rate, ordering: .releasing)
    unsafe context.pointee.wake()
    return 0
}

@c(duet_jack_freewheel)
nonisolated func duetFreewheel(_ starting: Int32, _ argument: UnsafeMutableRawPointer?) {
    guard let context = unsafe liveContext(argument) else { return }
    unsafe context.pointee.isFreewheeling.store(starting != 0, ordering: .releasing)
    unsafe context.pointee.wake()
}

/// Sets flags and writes to an eventfd, nothing else: jack.h requires that the shutdown callback is
/// written as a signal handler.
@c(duet_jack_shutdown)
nonisolated func duetShutdown(
    _ status: jack_status_t, _ reason: UnsafePointer<CChar>?,
    _ argument: UnsafeMutableRawPointer?
) {
    guard let context = unsafe liveContext(argument) else { return }
    unsafe context.pointee.shutdownStatus.store(status.rawValue, ordering: .relaxed)
    unsafe context.pointee.isShutDown.store(true, ordering: .releasing)
    unsafe context.pointee.wake()
}

/// The latency callback. An output has the capture latency of the inputs and what the graph adds on
/// the way to it, or none where nothing of an input is heard; the inputs have the playback latency of
/// the mix's outputs, and what the graph adds.
@c(duet_jack_latency)
nonisolated func duetLatency(
    _ mode: jack_latency_callback_mode_t, _ argument: UnsafeMutableRawPointer?
) {
    guard let context = unsafe liveContext(argument) else { return }
    let isCapture = mode == JackCaptureLatency
    let known = unsafe isCapture ? context.pointee.inputs : context.pointee.mixOutputs
    let told = unsafe isCapture ? context.pointee.outputs : context.pointee.inputs
    let outside = unsafe LatencyRange.union(of: known, mode: mode)
    for index in unsafe told.indices {
        let added = unsafe context.pointee.addedLatency(toOutput: isCapture ? index : 0)
        var range = (added.map { outside + $0 } ?? .zero).jackRange
        unsafe jack_port_set_latency_range(told[index], mode, &range)
    }
    unsafe context.pointee.latencyChanges.add(1, ordering: .releasing)
    unsafe context.pointee.wake()
}

@c(duet_jack_port_registration)
nonisolated func duetPortRegistration(
    _ port: jack_port_id_t, _ registered: Int32, _ argument: UnsafeMutableRawPointer?
) {
    guard let context = unsafe liveContext(argument) else { return }
    if registered == 0 {
        // The port's name may be gone by now, so it is not noted: the control thread looks which
        // ports are still there.
        unsafe context.pointee.note(.unregistered)
    } else if let name = unsafe portName(port, context) {
        unsafe context.pointee.note(.registered(name))
    }
}

@c(duet_jack_port_connect)
nonisolated func duetPortConnect(
    _ a: jack_port_id_t, _ b: jack_port_id_t, _ connected: Int32,
    _ argument: UnsafeMutableRawPointer?
) {
    guard let context = unsafe liveContext(argument),
        let first = unsafe jack_port_by_id(context.pointee.client, a),
        let second = unsafe jack_port_by_id(context.pointee.client, b),
        unsafe jack_port_is_mine(context.pointee.client, first) != 0
            || jack_port_is_mine(context.pointee.client, second) != 0,
        let from = unsafe portName(a, context), let to = unsafe portName(b, context)
    else { return }
    unsafe context.pointee.note(
        connected != 0 ? .connected(from: from, to: to) : .disconnected(from: from, to: to))
}

private func liveContext(
    _ argument: UnsafeMutableRawPointer?
) -> UnsafeMutablePointer<LiveContext>? {
    unsafe argument?.assumingMemoryBound(to: LiveContext.self)
}

private func portName(
    _ port: jack_port_id_t, _ context: UnsafeMutablePointer<LiveContext>
) -> String? {
    guard let handle = unsafe jack_port_by_id(context.pointee.client, port),
        let name = unsafe jack_port_name(handle)
    else { return nil }
    return unsafe String(cString: name)
}
