"""The song as data: tempo, harmony, melody and words. Nothing here makes a sound."""

RATE = 44_100
BEAT = 60 / 100  # seconds: 100 beats a minute
BARS = 16
SECONDS = BARS * 4 * BEAT + 2.6  # the last chord and the reverb ring out
TRANSPOSE = -3  # semitones: written in C, sung in A, where an alto is at home

INTRO, VERSE, CHORUS, ENDING = range(0, 2), range(2, 6), range(6, 14), range(14, 16)

# Roots and voicings as MIDI notes: bass note, then the chord around middle C.
A_MINOR = (45, (57, 60, 64, 69))
C_MAJOR = (48, (55, 60, 64, 67))
E_MINOR = (52, (55, 59, 64, 67))
F_MAJOR = (53, (57, 60, 65, 69))
G_MAJOR = (43, (55, 59, 62, 67))

# One list per bar of (chord, beats).
HARMONY = (
    [[(F_MAJOR, 4)], [(G_MAJOR, 4)]]
    + [[(A_MINOR, 4)], [(F_MAJOR, 4)], [(C_MAJOR, 4)], [(G_MAJOR, 4)]]
    + [[(F_MAJOR, 4)], [(G_MAJOR, 4)], [(A_MINOR, 4)], [(E_MINOR, 4)]]
    + [[(F_MAJOR, 4)], [(G_MAJOR, 4)], [(C_MAJOR, 4)], [(C_MAJOR, 2), (E_MINOR, 2)]]
    + [[(F_MAJOR, 2), (G_MAJOR, 2)], [(C_MAJOR, 4)]]
)

# The lead alone, before the voice: the chorus' first line, so that the singer knows it.
HOOK = [(69, 1), (69, 0.5), (72, 2), (None, 0.5), (71, 1), (69, 0.5), (74, 1.5), (None, 1)]

# The sung line from bar 2 on: (MIDI note or None, beats, onset, vowels, coda).
# Onsets and codas are the few that formants do well; vowels glide from the first to the last.
MELODY = [
    # Low and slow, the night is long
    (64, 1, "l", "ou", ""), (62, 0.5, "", "a", "n"), (64, 1.5, "sl", "ou", ""),
    (None, 0.5, "", "", ""), (60, 0.5, "d", "e", ""),
    (69, 1, "n", "ai", ""), (67, 0.5, "", "i", "n"), (65, 2, "l", "o", "n"),
    (None, 0.5, "", "", ""),
    # All we need is one more song
    (64, 1, "", "o", "l"), (62, 0.5, "w", "i", ""), (64, 1.5, "n", "i", "d"),
    (None, 0.5, "", "", ""), (67, 0.5, "", "i", "n"),
    (71, 1, "w", "a", "n"), (69, 0.5, "m", "o", ""), (67, 2, "s", "o", "n"),
    (None, 0.5, "", "", ""),
    # Sing along, sing along
    (69, 1, "s", "i", "n"), (69, 0.5, "", "a", ""), (72, 2, "l", "o", "n"),
    (None, 0.5, "", "", ""),
    (71, 1, "s", "i", "n"), (69, 0.5, "", "a", ""), (74, 2, "l", "o", "n"),
    (None, 0.5, "", "", ""),
    # Left is me and right is you
    (72, 1, "l", "e", "d"), (71, 0.5, "", "i", ""), (69, 1.5, "m", "i", ""),
    (67, 0.5, "", "a", "n"), (None, 0.5, "", "", ""),
    (67, 1, "r", "ai", ""), (69, 0.5, "", "i", ""), (64, 2, "y", "u", ""),
    (None, 0.5, "", "", ""),
    # Sing along, all night long
    (69, 1, "s", "i", "n"), (69, 0.5, "", "a", ""), (72, 2, "l", "o", "n"),
    (None, 0.5, "", "", ""),
    (71, 1, "", "o", "l"), (72, 0.5, "n", "ai", ""), (74, 2, "l", "o", "n"),
    (None, 0.5, "", "", ""),
    # La la la la, la
    (76, 1, "l", "a", ""), (74, 0.5, "l", "a", ""), (72, 1.5, "l", "a", ""),
    (74, 0.5, "l", "a", ""), (None, 0.5, "", "", ""),
    (72, 3, "l", "a", ""), (None, 1, "", "", ""),
    # Sing along
    (69, 1, "s", "i", "n"), (69, 1, "", "a", ""), (71, 2, "l", "o", ""),
    (72, 3.5, "", "o", "n"), (None, 0.5, "", "", ""),
]

# The words, a piece a note (not for rests); an empty piece is a note that holds the one before.
LINES = [
    "Low| and| slow,| the| night| is| long",
    "All| we| need| is| one| more| song",
    "Sing| a|long,| sing| a|long",
    "Left| is| me| and| right| is| you",
    "Sing| a|long,| all| night| long",
    "La| la| la| la,| la",
    "Sing| a|long|",
]


def hertz(note):
    """Equal temperament, A4 = 440 Hz, transposed to the song's key."""
    return 440.0 * 2.0 ** ((note + TRANSPOSE - 69) / 12.0)


def frame(beats):
    """The frame on which this many beats from the start begin."""
    return round(beats * BEAT * RATE)
