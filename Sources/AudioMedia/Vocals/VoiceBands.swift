import Glibc

/// The bands in which `VoiceContext` hears a window, and how what it says of them reaches the bins.
/// For one thread.
final class VoiceBands {
    private let band: Range<Int>
    /// The band of each bin of `band`, and the bins of each band.
    private let bandOf: [Int]
    private let counts: [Float]
    /// For each bin the band whose middle lies below it, and how far the next one is, 0…1.
    private let (below, part): ([Int], [Float])

    /// For bins `spacing` Hz apart, of which those of `band`, in vectors, count.
    init(band: Range<Int>, spacing: Double) {
        self.band = band
        let count = VoiceContext.bandCount
        let octaves = log2(VoiceContext.highest / VoiceContext.lowest)
        /// Where a bin lies among the bands, from 0 at the beginning of the lowest one.
        func place(_ bin: Int) -> Double {
            let frequency = max(Double(bin), 1) * spacing
            return log2(frequency / VoiceContext.lowest) / octaves * Double(count)
        }
        let bins = band.lowerBound * BinRow.width..<band.upperBound * BinRow.width
        bandOf = bins.map { min(max(Int(nearest: place($0).rounded(.down)), 0), count - 1) }
        var counts = [Float](repeating: 0, count: count)
        for number in bandOf { counts[number] += 1 }
        self.counts = counts.map { max($0, 1) }
        let places = bins.map { min(max(place($0) - 0.5, 0), Double(count - 1)) }
        let below = places.map { min(Int(nearest: $0.rounded(.down)), count - 2) }
        (self.below, part) = (below, zip(places, below).map { Float($0 - Double($1)) })
    }

    /// The mean of each row in each band: of the lowest band all, then of the next.
    func means(of rows: [BinRow]) -> [Float] {
        var means = [Float](repeating: 0, count: counts.count * rows.count)
        for (number, row) in rows.enumerated() {
            for (n, bin) in (band.lowerBound * BinRow.width..<band.upperBound * BinRow.width)
                .enumerated()
            {
                means[bandOf[n] * rows.count + number] += row[bin]
            }
        }
        for n in means.indices { means[n] /= counts[n / rows.count] }
        return means
    }

    /// Writes to each row one value of the bands, drawn from band to band.
    func spread(_ values: [Float], to rows: [BinRow]) {
        let count = rows.count
        for (number, row) in rows.enumerated() {
            for (n, bin) in (band.lowerBound * BinRow.width..<band.upperBound * BinRow.width)
                .enumerated()
            {
                let (low, next) = (
                    values[below[n] * count + number], values[(below[n] + 1) * count + number]
                )
                row[bin] = low + part[n] * (next - low)
            }
        }
    }
}
