// Does the work of a song's thread as a C programmer would write it: an MP3 is decoded by libmpg123,
// converted by libsoxr, and put into a ring of frames that another thread empties.
//
// usage: songtwin FILE RATE
#include <mpg123.h>
#include <pthread.h>
#include <soxr.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define RING 65536
#define BYTES 16384
#define FRAMES 4096

static float ring[RING][2];
static _Atomic int64_t written, taken;
static _Atomic int is_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static const char *path;
static int rate;

static void fail(const char *what) {
    fprintf(stderr, "songtwin: %s\n", what);
    exit(70);
}

static void signal_change(void) {
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&change);
    pthread_mutex_unlock(&lock);
}

static void push(const float *frames, size_t count) {
    while (count > 0) {
        int64_t at = atomic_load_explicit(&written, memory_order_relaxed);
        pthread_mutex_lock(&lock);
        while (at - atomic_load_explicit(&taken, memory_order_acquire) == RING) {
            pthread_cond_wait(&change, &lock);
        }
        pthread_mutex_unlock(&lock);
        size_t room = RING - (at - atomic_load_explicit(&taken, memory_order_acquire));
        size_t part = RING - at % RING;
        part = part < room ? part : room;
        part = part < count ? part : count;
        __builtin_memcpy(ring[at % RING], frames, part * sizeof *ring);
        atomic_store_explicit(&written, at + part, memory_order_release);
        signal_change();
        frames += 2 * part;
        count -= part;
    }
}

static void *play(void *unused) {
    static unsigned char bytes[BYTES];
    static float frames[2 * FRAMES], converted[4 * FRAMES];
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot open the file");
    mpg123_handle *decoder = mpg123_new(NULL, NULL);
    mpg123_param(decoder, MPG123_FLAGS,
                 MPG123_QUIET | MPG123_GAPLESS | MPG123_FORCE_FLOAT | MPG123_FORCE_STEREO, 0);
    mpg123_open_feed(decoder);
    soxr_t converter = NULL;
    for (;;) {
        size_t done = 0;
        int code = mpg123_read(decoder, frames, sizeof frames, &done);
        if (code == MPG123_NEW_FORMAT) {
            long own;
            int channels, encoding;
            mpg123_getformat(decoder, &own, &channels, &encoding);
            soxr_quality_spec_t quality = soxr_quality_spec(SOXR_20_BITQ, 0);
            if (own != rate) converter = soxr_create(own, rate, 2, NULL, NULL, &quality, NULL);
        } else if (code == MPG123_NEED_MORE) {
            size_t count = fread(bytes, 1, sizeof bytes, file);
            if (count == 0 && done == 0) break;
            mpg123_feed(decoder, bytes, count);
        } else if (code != MPG123_OK) {
            break;
        }
        size_t count = done / sizeof *ring, used = 0;
        if (!converter) push(frames, count);
        while (converter && used < count) {
            size_t took, made;
            soxr_process(converter, frames + 2 * used, count - used, &took, converted, 2 * FRAMES,
                         &made);
            used += took;
            push(converted, made);
        }
    }
    for (size_t made = 1; converter && made > 0;) {
        soxr_process(converter, NULL, 0, NULL, converted, 2 * FRAMES, &made);
        push(converted, made);
    }
    atomic_store(&is_over, 1);
    signal_change();
    return unused;
}

int main(int count, char **words) {
    if (count != 3) return 64;
    path = words[1];
    rate = atoi(words[2]);
    mpg123_init();
    pthread_t thread;
    if (pthread_create(&thread, NULL, play, NULL)) fail("no thread");
    // What a renderer does with the frames is not measured.
    int64_t at = 0;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (atomic_load(&written) == at && !atomic_load(&is_over)) {
            pthread_cond_wait(&change, &lock);
        }
        pthread_mutex_unlock(&lock);
        int64_t end = atomic_load_explicit(&written, memory_order_acquire);
        if (end == at && atomic_load(&is_over)) break;
        at = end;
        atomic_store_explicit(&taken, at, memory_order_release);
        signal_change();
    }
    pthread_join(thread, NULL);
    printf("%lld\n", (long long)at);
    return 0;
}
