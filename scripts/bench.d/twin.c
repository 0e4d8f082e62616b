// Does the work of the default graph as a C programmer would write it: the same arithmetic in the
// same order, so that both outputs are equal to the bit, in as few passes as seem natural.
//
// usage: twin SONG MIC OUT PERIOD PASSES      as render-bench default
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xmmintrin.h>

#define RATE 48000
#define RING 16384
#define FILL 12000
#define RESERVE 256

// The mean square as eight sums, one for every eighth frame: see MeterChannel.swift.
typedef struct {
    float peak, mean_square, squares[8];
    int32_t hold;
} channel;
typedef struct {
    channel left, right;
    int lane;
} meter;
typedef struct {
    float gains[4];
    meter meter;
} bus;

static const int32_t hold_frames = RATE / 2;
static float fall, kept_in_eight, weights[8], recovery;
static _Atomic float ceiling, volume = 1, levels[3][4];

// The song's ring: one thread writes, one reads.
static float ring[RING][2];
static _Atomic int64_t written, read_;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool exceeds(float limit, const float *restrict x, int n) {
    int32_t bound, bits, signs = 0;
    memcpy(&bound, &limit, 4);
    for (int i = 0; i < n; i++) {
        memcpy(&bits, x + i, 4);
        signs |= bound - (bits & 0x7fffffff);
    }
    return signs < 0;
}

static float magnitude(float x) {
    x = fabsf(x);
    return x < 0x1p20f ? x : 0x1p20f;
}
static void follow(channel *c, const float *restrict x, float highest, int n) {
    int held = c->hold < n ? c->hold : n;
    float peak = c->peak;
    if (highest < peak) {
        for (int i = held; i < n; i++) peak *= fall;
        if (highest < peak) {
            c->peak = peak;
            c->hold -= held;
            return;
        }
    }
    peak = c->peak;
    int32_t hold = c->hold;
    for (int i = 0; i < n; i++) {
        float size = magnitude(x[i]);
        if (size >= peak) {
            peak = size;
            hold = hold_frames;
        } else if (hold > 0) {
            hold--;
        } else {
            peak *= fall;
        }
    }
    c->peak = peak;
    c->hold = hold;
}
static void measure_channel(channel *c, const float *restrict x, int n, int lane) {
    float squares[8], high[8] = {0}, highest = 0;
    memcpy(squares, c->squares, sizeof squares);
    int i = 0;
    for (; i < n && (lane + i) & 7; i++) {
        float size = magnitude(x[i]), *square = &squares[(lane + i) & 7];
        *square = *square * kept_in_eight + size * size;
        if (size > highest) highest = size;
    }
    for (; i + 8 <= n; i += 8) {
        for (int k = 0; k < 8; k++) {
            float size = magnitude(x[i + k]);
            squares[k] = squares[k] * kept_in_eight + size * size;
            high[k] = size > high[k] ? size : high[k];
        }
    }
    for (int k = 0; i < n; i++, k++) {
        float size = magnitude(x[i]);
        squares[k] = squares[k] * kept_in_eight + size * size;
        if (size > highest) highest = size;
    }
    memcpy(c->squares, squares, sizeof squares);
    c->mean_square = 0;
    for (int age = 0; age < 8; age++)
        c->mean_square += squares[(lane + n - 1 - age) & 7] * weights[7 - age];
    for (int k = 0; k < 8; k++) highest = high[k] > highest ? high[k] : highest;
    follow(c, x, highest, n);
}
static void measure(meter *m, const float *restrict left, const float *restrict right, int n,
                    int place) {
    measure_channel(&m->left, left, n, m->lane);
    measure_channel(&m->right, right, n, m->lane);
    m->lane = (m->lane + n) & 7;
    float values[4] = {m->left.peak, m->right.peak, m->left.mean_square, m->right.mean_square};
    for (int i = 0; i < 4; i++)
        atomic_store_explicit(&levels[place][i], values[i], memory_order_relaxed);
}

static void mix_stereo(bus *b, const float (*restrict in)[2], float *restrict left,
                       float *restrict right, int n) {
    const float *g = b->gains;
    for (int i = 0; i < n; i++) {
        left[i] = in[i][0] * g[0] + in[i][1] * g[1];
        right[i] = in[i][0] * g[2] + in[i][1] * g[3];
    }
}
static void mix_mono(bus *b, const float *restrict in, float *restrict left, float *restrict right,
                     int n) {
    const float *g = b->gains;
    for (int i = 0; i < n; i++) {
        left[i] = in[i] * g[0];
        right[i] = in[i] * g[2];
    }
}
static void add(const float *restrict x, float *restrict sum, int n) {
    for (int i = 0; i < n; i++) sum[i] += x[i];
}
static void guard(float *restrict x, int n) {
    if (!exceeds(0x1p20f, x, n)) return;
    for (int i = 0; i < n; i++)
        x[i] = isfinite(x[i]) ? fminf(fmaxf(x[i], -0x1p20f), 0x1p20f) : 0;
}

static float gain = 1;
static bool limit(float *restrict left, float *restrict right, float *restrict curve, int n) {
    float c = atomic_load_explicit(&ceiling, memory_order_relaxed);
    if (gain == 1 && !exceeds(c, left, n) && !exceeds(c, right, n)) return false;
    for (int i = 0; i < n; i++) {
        float l = fabsf(left[i]), r = fabsf(right[i]), peak = l > r ? l : r;
        curve[i] = peak > c ? c / peak : 1;
    }
    float g = gain;
    for (int i = 0; i < n; i++) {
        float back = g + recovery;
        curve[i] = g = curve[i] < back ? curve[i] : back;
    }
    for (int i = 0; i < n; i++) {
        float l = left[i] * curve[i], r = right[i] * curve[i];
        l = l > -c ? l : -c;
        r = r > -c ? r : -c;
        l = l < c ? l : c;
        r = r < c ? r : c;
        left[i] = curve[i] < 1 ? l : left[i];
        right[i] = curve[i] < 1 ? r : right[i];
    }
    gain = g;
    return true;
}

static struct {
    int32_t frames;
    float mic, others;
    bool tripped;
} feedback;
static void detect(const float (*restrict song)[2], const float *restrict mic,
                   const float *restrict curve, const bus *s, const bus *m, int n) {
    if (feedback.tripped) return;
    float song_power = 0, mic_power = 0;
    for (int k = 0; k < 4; k++) {
        song_power += s->gains[k] * s->gains[k];
        mic_power += m->gains[k] * m->gains[k];
    }
    for (int i = 0; i < n; i++) {
        if (curve[i] >= 0.5011872f) {
            feedback.frames = 0;
            feedback.mic = feedback.others = 0;
            continue;
        }
        feedback.mic += fminf((mic[i] * mic[i] + mic[i] * mic[i]) / 2 * mic_power, 0x1p40f);
        feedback.others +=
            fminf((song[i][0] * song[i][0] + song[i][1] * song[i][1]) / 2 * song_power, 0x1p40f);
        if (++feedback.frames < RATE) continue;
        feedback.tripped = feedback.mic > feedback.others;
        feedback.frames = 0;
        feedback.mic = feedback.others = 0;
    }
}

static bus song_bus, mic_bus;
static meter out_meter;

static void render(const float *mic, float *left, float *right, int n) {
    static float song[4096][2], scratch[2][4096], curve[4096];
    int64_t from = atomic_load_explicit(&read_, memory_order_relaxed);
    int64_t there = atomic_load_explicit(&written, memory_order_acquire) - from - RESERVE;
    if (there < n) abort(); // the bench sees to it that this never is
    int start = from & (RING - 1), first = n < RING - start ? n : RING - start;
    memcpy(song, ring[start], first * sizeof song[0]);
    memcpy(song + first, ring[0], (n - first) * sizeof song[0]);
    atomic_store_explicit(&read_, from + n, memory_order_release);

    mix_stereo(&song_bus, song, left, right, n);
    measure(&song_bus.meter, left, right, n, 0);
    mix_mono(&mic_bus, mic, scratch[0], scratch[1], n);
    measure(&mic_bus.meter, scratch[0], scratch[1], n, 1);
    add(scratch[0], left, n);
    add(scratch[1], right, n);
    float v = atomic_load_explicit(&volume, memory_order_relaxed);
    if (v != 1)
        for (int i = 0; i < n; i++) left[i] *= v, right[i] *= v;
    guard(left, n);
    guard(right, n);
    if (limit(left, right, curve, n))
        detect(song, mic, curve, &song_bus, &mic_bus, n);
    else
        feedback.frames = 0, feedback.mic = feedback.others = 0;
    measure(&out_meter, left, right, n, 2);
}

static float *load(const char *path, long *count) {
    FILE *file = fopen(path, "r");
    if (!file) exit(66);
    fseek(file, 0, SEEK_END);
    *count = ftell(file) / 4;
    rewind(file);
    float *samples = malloc(*count * 4);
    if (fread(samples, 4, *count, file) != (size_t)*count) exit(66);
    fclose(file);
    return samples;
}
static int order(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words) {
    if (count != 6) return 64;
    long song_count, frames;
    float *song = load(words[1], &song_count), *mic = load(words[2], &frames);
    int period = atoi(words[4]), passes = atoi(words[5]);
    frames = frames / period * period;
    float *out = malloc(frames * 8), *left = malloc(period * 4), *right = malloc(period * 4);
    int64_t *times = malloc(passes * sizeof *times);

    fall = pow(10, -10.5 / 20 / RATE);
    double kept = exp(-1 / (0.3 * RATE));
    kept_in_eight = pow(kept, 8);
    for (int k = 0; k < 8; k++) weights[k] = (1 - kept) * pow(kept, 7 - k);
    recovery = 1 / (0.2 * RATE);
    double exact = pow(10, -0.3 / 20);
    float c = exact;
    ceiling = c > exact ? nextafterf(c, 0) : c;
    // Both in the centre: a stereo bus, and a mono bus with −3 dB to each side.
    float side = sqrt(0.5), unity[4] = {1, 0, 0, 1}, mono[4] = {side, 0, side, 0};
    memcpy(song_bus.gains, unity, sizeof unity);
    memcpy(mic_bus.gains, mono, sizeof mono);
    _mm_setcsr(_mm_getcsr() | 0x8040);

    int64_t pushed = 0;
    for (int pass = 0; pass <= passes; pass++) {
        int64_t taken = 0;
        for (long done = 0; done < frames;) {
            while (pushed - read_ + period <= FILL) {
                for (int i = 0; i < period; i++, pushed++)
                    memcpy(ring[pushed & (RING - 1)], song + 2 * (pushed % frames), 8);
                atomic_store_explicit(&written, pushed, memory_order_release);
            }
            long rounds = (pushed - read_ - RESERVE) / period;
            int64_t start = now();
            for (; rounds > 0 && done < frames; rounds--, done += period) {
                render(mic + done, left, right, period);
                for (int i = 0; pass == 0 && i < period; i++) {
                    out[2 * (done + i)] = left[i];
                    out[2 * (done + i) + 1] = right[i];
                }
            }
            taken += now() - start;
        }
        // The first pass also keeps what it made.
        if (pass > 0) times[pass - 1] = taken;
    }
    FILE *file = fopen(words[3], "w");
    if (!file || fwrite(out, 8, frames, file) != (size_t)frames || fclose(file)) return 73;
    qsort(times, passes, sizeof *times, order);
    printf("%.4f\n", (double)times[passes / 2] / frames);
    return 0;
}
