import AudioGraph
import Foundation
import SystemSupport
import TestSupport
import Testing

@testable import JackIO

/// A process of a server that does not start, or does not end, in time.
@Suite(.ownProcess("starts programs, takes signals"), .serialized) struct ServerProcessTests {
    /// The process's standard output.
    private let pipe = Pipe()

    private func start(_ words: [String]) throws(JackError) -> JackIO.ChildProcess {
        let output = pipe.fileHandleForWriting
        defer { try? output.close() }
        return try JackIO.ChildProcess(
            words, variables: [], output: output.fileDescriptor, errors: STDERR_FILENO)
    }

    /// A program with a tracer. The kernel hides the end of a traced process from its parent until
    /// the tracer has seen that end (ptrace(2)), and this tracer never looks: so the process
    /// behaves as if SIGKILL did not end it.
    private static let traced = """
        ctypes, os, signal = map(__import__, ["ctypes", "os", "signal"])
        libc = ctypes.CDLL(None, use_errno=True)
        # PR_SET_PTRACER, PR_SET_PTRACER_ANY: needed where Yama lets only a parent trace.
        libc.prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)
        if os.fork() == 0:
            # PTRACE_SEIZE
            code = libc.ptrace(0x4206, os.getppid(), None, None)
            print(os.getpid() if code == 0 else -ctypes.get_errno(), flush=True)
            os.close(1)
        while True: signal.pause()
        """

    @Test func whatSIGKILLDoesNotEndIsLeftBehind() throws {
        let process = try start(["/usr/bin/env", "python3", "-c", Self.traced])
        let line = pipe.fileHandleForReading.availableData
        let tracer = try #require(
            Int32(String(decoding: line, as: UTF8.self).filter { !$0.isNewline }))
        try #require(tracer > 0, "errno \(-tracer)")
        #expect(BoundedCall.answer(milliseconds: 30_000) { process.stop() } == 128 + SIGKILL)
        #expect(!process.hasEnded(within: 0))
        kill(tracer, SIGKILL)
        #expect(process.hasEnded(within: 30_000))
        var status: Int32 = 0
        #expect(waitpid(process.processID, &status, 0) == process.processID)
    }

    /// The program's file cannot be read while this test has a lease on it (fcntl(2)), as on a disk
    /// that hangs.
    @Test func whatStartsTooLateIsEnded() throws {
        let folder = try TemporaryFolder()
        let program = folder.url.appendingPathComponent("sleep").path
        try FileManager.default.copyItem(atPath: "/bin/sleep", toPath: program)
        let before = signal(SIGIO, SIG_IGN)
        defer { signal(SIGIO, before) }
        let file = open(program, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        // F_SETLEASE, a GNU extension.
        try #require(fcntl(file, 1024, Int32(F_WRLCK)) == 0, "errno \(errno)")
        #expect(
            throws: JackError.system(attempt: "starting \(program)", code: ETIMEDOUT)
        ) { try start([program, "1000"]) }
        #expect(fcntl(file, 1024, Int32(F_UNLCK)) == 0)
        // The process has ended: no process holds the other end of the pipe any more.
        var end = pollfd(
            fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        try #require(Glibc.poll(&end, 1, 30_000) == 1)
        #expect(pipe.fileHandleForReading.availableData.isEmpty)
    }
}
