@preconcurrency import Glibc

/// Runs before `main` of every program of tests: what a test prints leaves the process line by line, so
/// that it is in the log when the process crashes, or is killed at a limit.
@section(".init_array") @used
private let buffersLines: @convention(c) () -> Void = { setvbuf(stdout, nil, _IOLBF, 0) }
