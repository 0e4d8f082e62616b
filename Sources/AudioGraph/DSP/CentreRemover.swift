/// Takes away what is the same on both sides, by a crossfade: x·(1 − a) + a·(L − R)/2 for each side
/// x, the amount a being 0…1.
///
/// Half of the difference, so that no frame becomes louder than full scale; sox's `oops` does the
/// same.
enum CentreRemover {
    /// Changes `count` frames in place. Of a mono bus, whose sides are the same, nothing is left.
    @_noLocks static func process(_ samples: StereoSamples, amount: Ramp, count: Int) {
        let (left, right) = unsafe (samples.left, samples.right)
        for i in 0..<count {
            let a = amount.value(at: i)
            let (l, r) = unsafe (left[i], right[i])
            let difference = (l - r) / 2
            // Of a mono bus both lines write the same sample.
            unsafe left[i] = l * (1 - a) + difference * a
            unsafe right[i] = r * (1 - a) + difference * a
        }
    }
}
