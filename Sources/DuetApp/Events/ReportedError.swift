/// An error whose event was written already. The program still has to write its line for people,
/// and to end with its exit code.
struct ReportedError: Error {
    let error: DuetError
}
