/// An error whose event was written already: what remains is the line for people and the code.
struct ReportedError: Error {
    let error: DuetError
}
