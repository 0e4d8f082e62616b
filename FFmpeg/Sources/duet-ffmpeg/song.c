#include "song.h"

#include <libavutil/avstring.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

// Demuxers whose time stamps count samples, and whose seeks arrive at them. In all others a seek
// decodes on from where it is, or from the beginning: some hundred times as fast as the song plays.
static const char exact_formats[] = "aac,ape,mov,tta,wv";
// Frames that are decoded and thrown away before a seek's target, so that the decoder's state no
// longer depends on where it began.
enum { PREROLL = 1 << 14 };
// No song is longer, in frames: this is a year at 1.1 MHz. Sums of such numbers do not overflow.
static const int64_t longest = (int64_t)1 << 45;

struct song {
    struct source source;
    AVFormatContext *format;
    AVCodecContext *codec;
    int stream;
    // The stream that was asked for; -1: the best one.
    int64_t wanted;
    AVPacket *packet;
    AVFrame *frame;

    struct SwrContext *converter;
    // What `converter` was made for.
    AVChannelLayout layout;
    int sample_format;

    // Of the newest frame, in Hz; 0 before the first.
    int rate;
    int channels;
    // WIRE_FORMAT has told of them.
    bool has_told_format;
    // Time stamps count samples.
    bool is_exact;
    // The song's frame 0 was decoded since it was opened, and `origin` and `end` are known.
    bool has_begun;
    // The time stamp of the first packet, in the stream's unit.
    int64_t first_stamp;
    // The time stamp of frame 0, in samples.
    int64_t origin;
    // Frames from here on are padding; `longest` where none is known.
    int64_t end;

    // The frame of the song that is decoded next.
    int64_t next;
    // No packet comes any more; and the last bytes were none.
    bool is_draining, has_bad_end;
    // `next` has to be found by the time stamp of what is decoded next.
    bool is_lost;
    // Frames before it are thrown away.
    int64_t target;
    // Frames that were decoded and not sent: `block` from `first` to `count`.
    float *block;
    int block_size, first, count;
    // The frame of the song that `block` begins with.
    int64_t block_begin;
};

struct song *song_new(const struct wire_song *facts) {
    struct song *song = calloc(1, sizeof *song);
    if (!song) fail(AVERROR(ENOMEM));
    song->source.facts = *facts;
    song->wanted = -1;
    return song;
}

void song_choose(struct song *song, uint32_t number) { song->wanted = number; }

// MARK: Opening

static AVStream *stream(const struct song *song) { return song->format->streams[song->stream]; }

// Whether every sample has a time stamp of its own, or every second one: HE-AAC may count the samples
// before they are doubled.
static bool counts_samples(const struct song *song) {
    AVRational unit = stream(song)->time_base;
    int rate = song->codec->sample_rate;
    return av_match_list(song->format->iformat->name, exact_formats, ',') > 0 && unit.num == 1
           && rate > 0 && (unit.den % rate == 0 || (int64_t)unit.den * 2 == rate);
}

static void open_song(struct song *song) {
    song->format = reader_open(&song->source);
    song->stream = reader_choose(song->format, song->wanted);
    song->codec = reader_open_decoder(stream(song));
    song->packet = av_packet_alloc();
    song->frame = av_frame_alloc();
    if (!song->packet || !song->frame) fail(AVERROR(ENOMEM));
    song->is_exact = counts_samples(song);
    song->has_begun = song->is_draining = song->has_bad_end = false;
    song->first_stamp = AV_NOPTS_VALUE;
    song->origin = 0;
    song->end = longest;
    song->next = song->target = 0;
    song->is_lost = false;
    song->first = song->count = 0;
}

static void close_song(struct song *song) {
    av_frame_free(&song->frame);
    av_packet_free(&song->packet);
    avcodec_free_context(&song->codec);
    reader_close(&song->format);
}

static bool is_mov(const struct song *song) {
    return av_match_list(song->format->iformat->name, "mov", ',') > 0;
}

// A time in samples.
static int64_t samples(const struct song *song, int64_t time, AVRational unit) {
    int64_t count = av_rescale_q(time, unit, (AVRational){1, song->rate});
    return av_clip64(count, -longest, longest);
}

// The song's own text `key`; NULL where it has none.
static const char *text(const struct song *song, const char *key) {
    const AVDictionaryEntry *entry =
        av_dict_get(song->format->metadata, key, NULL, AV_DICT_IGNORE_SUFFIX);
    if (!entry) entry = av_dict_get(stream(song)->metadata, key, NULL, AV_DICT_IGNORE_SUFFIX);
    return entry ? entry->value : NULL;
}

// The song's lyrics, which fields of many names hold, with a language behind some of them: words with
// times before words without.
static const char *lyrics(const struct song *song) {
    static const char *const names[] = {
        "syncedlyrics", "lyrics", "unsynced lyrics", "unsyncedlyrics", "unsynchronizedlyrics",
        "unsynchronisedlyrics", "WM/Lyrics_Synchronised", "WM/Lyrics",
    };
    const char *first = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *found = text(song, names[i]);
        if (!found) continue;
        for (const char *mark = strchr(found, '['); mark; mark = strchr(mark + 1, '['))
            if (mark[1] >= '0' && mark[1] <= '9') return found;
        if (!first) first = found;
    }
    return first;
}

// Where the sound of an M4A ends, whose last packet is filled up with padding. Its packets name a
// length to the sample, and so does iTunes in a tag; that of the whole file is rounded up, and counts
// where it is shorter.
static int64_t sound_end(const struct song *song) {
    int64_t duration = stream(song)->duration;
    if (!song->is_exact || !is_mov(song) || duration <= 0 || song->first_stamp == AV_NOPTS_VALUE)
        return longest;
    AVRational unit = stream(song)->time_base;
    int64_t end =
        samples(song, song->first_stamp, unit) + samples(song, duration, unit) - song->origin;
    if (end <= 0) return longest;
    unsigned long long tagged;
    const char *gaps = text(song, "iTunSMPB");
    if (gaps && sscanf(gaps, " %*x %*x %*x %llx", &tagged) == 1 && tagged > 0
        && tagged <= (unsigned long long)end)
        return (int64_t)tagged;
    int64_t whole = song->format->duration;
    if (whole > 0) end = FFMIN(end, samples(song, whole, AV_TIME_BASE_Q) - song->origin);
    return end > 0 && end < longest ? end : longest;
}

// How many samples the song has, as its head says; -1 where it does not. Sets `is_sure` to whether that is
// no guess.
static int64_t told_length(const struct song *song, bool *is_sure) {
    *is_sure = song->end < longest;
    if (*is_sure) return song->end;
    if (stream(song)->duration > 0) {
        *is_sure = song->is_exact
                   && song->format->duration_estimation_method != AVFMT_DURATION_FROM_BITRATE;
        return samples(song, stream(song)->duration, stream(song)->time_base);
    }
    if (song->format->duration <= 0) return -1;
    return samples(song, song->format->duration, AV_TIME_BASE_Q);
}

// Whether what the head promises has come: bytes that follow are no damage.
static bool has_all(const struct song *song) {
    bool is_sure;
    int64_t length = told_length(song, &is_sure);
    // A live stream promises no end.
    if (length < 0) return song->has_begun && song->source.facts.is_seekable;
    return song->has_begun && song->next >= length - (is_sure ? 0 : song->rate / 2);
}

// MARK: Decoding

// Decodes the next frame of FFmpeg into `frame`; false at the end. Packets that cannot be decoded are
// passed over.
static bool receive_frame(struct song *song) {
    for (;;) {
        int error = avcodec_receive_frame(song->codec, song->frame);
        if (error >= 0) return true;
        if (error == AVERROR_EOF) {
            if (song->has_bad_end && !has_all(song)) fail(AVERROR_INVALIDDATA);
            return false;
        }
        if (error == AVERROR(ENOMEM)) fail(error);
        error = av_read_frame(song->format, song->packet);
        if (error == AVERROR(EAGAIN)) continue;
        // Tags and zeros behind the last packet are no packets, but the decoder may hold frames.
        if (error == AVERROR_EOF || (error == AVERROR_INVALIDDATA && !song->is_draining)) {
            song->is_draining = true;
            song->has_bad_end = error != AVERROR_EOF;
            avcodec_send_packet(song->codec, NULL);
            continue;
        }
        if (error < 0) fail(error);
        if (song->packet->stream_index == song->stream) {
            if (song->first_stamp == AV_NOPTS_VALUE) song->first_stamp = song->packet->pts;
            error = avcodec_send_packet(song->codec, song->packet);
            if (error == AVERROR(ENOMEM)) fail(error);
        }
        av_packet_unref(song->packet);
    }
}

// What `count` channels are where nothing says: left and right, or as FLAC orders them.
static void name_channels(AVChannelLayout *layout, int count) {
    static const uint64_t masks[] = {
        [3] = AV_CH_LAYOUT_SURROUND,
        [4] = AV_CH_LAYOUT_QUAD,
        [5] = AV_CH_LAYOUT_5POINT0_BACK,
        [6] = AV_CH_LAYOUT_5POINT1_BACK,
        [7] = AV_CH_LAYOUT_6POINT1,
        [8] = AV_CH_LAYOUT_7POINT1,
    };
    if (count < 3 || count > 8)
        av_channel_layout_default(layout, count);
    else
        av_channel_layout_from_mask(layout, masks[count]);
}

// Makes the converter from the frame's samples to floats: of one channel one, else two. More channels are
// mixed as duet mixes those of its own formats: -3 dB for the centre and behind, none for low frequencies,
// and all softer by as much as keeps full scale on all of them at full scale.
static void make_converter(struct song *song) {
    const AVFrame *frame = song->frame;
    int channels = frame->ch_layout.nb_channels;
    if (song->converter && song->sample_format == frame->format
        && av_channel_layout_compare(&song->layout, &frame->ch_layout) == 0)
        return;
    AVChannelLayout from = {0}, to = {0};
    av_channel_layout_default(&to, channels == 1 ? 1 : 2);
    // Two channels are left and right, whatever they are called.
    if (channels <= 2 || frame->ch_layout.order == AV_CHANNEL_ORDER_UNSPEC)
        name_channels(&from, channels);
    else if (av_channel_layout_copy(&from, &frame->ch_layout) < 0)
        fail(AVERROR(ENOMEM));
    swr_free(&song->converter);
    int error = swr_alloc_set_opts2(&song->converter, &to, AV_SAMPLE_FMT_FLT, song->rate, &from,
                                    frame->format, song->rate, 0, NULL);
    if (error >= 0) error = av_opt_set_double(song->converter, "rematrix_maxval", 1, 0);
    if (error >= 0) error = swr_init(song->converter);
    if (error >= 0) error = av_channel_layout_copy(&song->layout, &frame->ch_layout);
    if (error < 0) fail(error);
    song->sample_format = frame->format;
    av_channel_layout_uninit(&from);
}

// Converts the frame's samples into `block`.
static void convert(struct song *song) {
    const AVFrame *frame = song->frame;
    int count = frame->nb_samples;
    make_converter(song);
    if (count > song->block_size) {
        float *block = realloc(song->block, sizeof *block * 2 * (size_t)count);
        if (!block) fail(AVERROR(ENOMEM));
        song->block = block;
        song->block_size = count;
    }
    uint8_t *output = (uint8_t *)song->block;
    int converted = swr_convert(song->converter, &output, count,
                                (const uint8_t **)frame->extended_data, count);
    if (converted != count) fail(converted < 0 ? converted : AVERROR_BUG);
#ifdef DUET_PLANT
    // A fault for scripts/fuzz to find.
    if (frame->sample_rate != 44100) song->block[2 * song->block_size] = 0;
#endif
    if (song->channels > 1) return;
    for (int i = count - 1; i >= 0; i--)
        song->block[2 * i] = song->block[2 * i + 1] = song->block[i];
}

// Finds out where in the song the frame is. False where that is not known.
static bool locate(struct song *song) {
    bool has_stamp = song->is_exact && song->frame->pts != AV_NOPTS_VALUE;
    int64_t stamp = has_stamp ? samples(song, song->frame->pts, stream(song)->time_base) : 0;
    if (!song->has_begun) {
        // What an M4A holds before its time 0 is not to be heard.
        song->origin = is_mov(song) && stamp < 0 ? 0 : stamp;
        song->next = stamp - song->origin;
        song->end = sound_end(song);
        song->has_begun = true;
    } else if (song->is_lost) {
        if (!has_stamp) return false;
        song->next = stamp - song->origin;
        song->is_lost = false;
    }
    return true;
}

// Decodes until there are frames in `block`. False at the end, and where a seek of the demuxer has led
// to no known place before the target.
static bool fill_block(struct song *song) {
    while (song->next < song->end && receive_frame(song)) {
        AVFrame *frame = song->frame;
        if (frame->nb_samples <= 0 || frame->sample_rate <= 0 || frame->ch_layout.nb_channels <= 0)
            continue;
        if (frame->sample_rate != song->rate) {
            // Time stamps do not count the samples of two rates.
            if (song->has_begun) song->is_exact = false;
            song->rate = frame->sample_rate;
            song->has_told_format = false;
            swr_free(&song->converter);
        }
        song->channels = frame->ch_layout.nb_channels;
        bool was_lost = song->is_lost;
        if (!locate(song) || (was_lost && song->next > song->target)) {
            song->is_lost = true;
            return false;
        }
        int64_t begin = song->block_begin = song->next;
        song->next += frame->nb_samples;
        song->first = (int)av_clip64(song->target - begin, 0, frame->nb_samples);
        song->count = (int)av_clip64(song->end - begin, 0, frame->nb_samples);
        if (song->first < song->count) {
            convert(song);
            return true;
        }
    }
    song->first = song->count = 0;
    return false;
}

// The frame of the song that is sent next.
static int64_t place(const struct song *song) {
    if (song->first < song->count) return song->block_begin + song->first;
    return FFMIN(song->next, song->end);
}

// MARK: Seeking

// Whether the decoder's state depends on no more than PREROLL. Of AAC only the noise does that it
// leaves to its decoder.
static bool forgets(const struct song *song) {
    enum AVCodecID codec = song->codec->codec_id;
    return codec != AV_CODEC_ID_OPUS && codec != AV_CODEC_ID_AC3 && codec != AV_CODEC_ID_EAC3;
}

// Opens the song once more, and decodes up to `target`.
static void begin_again(struct song *song, int64_t target) {
    if (!song->source.facts.is_seekable) fail_with("it cannot go back in a live stream");
    close_song(song);
    open_song(song);
    song->target = target;
    fill_block(song);
}

// Lets the demuxer go to before `target`. False where it cannot.
static bool jump(struct song *song, int64_t target) {
    int64_t place = FFMAX(0, target - PREROLL) + song->origin;
    int64_t stamp = av_rescale_q(place, (AVRational){1, song->rate}, stream(song)->time_base);
    if (av_seek_frame(song->format, song->stream, stamp, AVSEEK_FLAG_BACKWARD) < 0) return false;
    // A flush leaves something of the past in the AAC decoder, which would be heard at the beginning.
    avcodec_free_context(&song->codec);
    song->codec = reader_open_decoder(stream(song));
    song->is_draining = song->has_bad_end = false;
    song->is_lost = true;
    song->next = 0;
    song->target = target;
    song->first = song->count = 0;
    fill_block(song);
    return !song->is_lost;
}

void song_seek(struct song *song, int64_t frame) {
    if (!song->format) open_song(song);
    if (!song->has_begun) fill_block(song);
    int64_t target = FFMIN(av_clip64(frame, 0, longest), song->end);
    bool can_jump = song->is_exact && song->source.facts.is_seekable && forgets(song);
    int64_t here = place(song);
    if (target >= here && target < song->block_begin + song->count) {
        song->first = (int)(target - song->block_begin);
    } else if (target >= here && (!can_jump || target - here <= PREROLL)) {
        song->target = target;
        fill_block(song);
    } else if (!can_jump || !jump(song, target)) {
        begin_again(song, target);
    }
    here = place(song);
    wire_send(WIRE_PLACE, &here, sizeof here);
}

// MARK: Answers

// What the song is encoded as, for people.
static const char *codec_name(const struct song *song, char *name, size_t size) {
    const char *profile = avcodec_profile_name(song->codec->codec_id, song->codec->profile);
    if (song->codec->codec_id == AV_CODEC_ID_AAC && profile && strncmp(profile, "HE", 2) == 0)
        return profile;
    switch (song->codec->codec_id) {
    case AV_CODEC_ID_AC3: return "AC-3";
    case AV_CODEC_ID_EAC3: return "E-AC-3";
    case AV_CODEC_ID_DTS: return "DTS";
    default: break;
    }
    const AVCodecDescriptor *codec = avcodec_descriptor_get(song->codec->codec_id);
    if (!codec) return "";
    snprintf(name, size, "%s", codec->long_name ? codec->long_name : codec->name);
    // As "AAC (Advanced Audio Coding)".
    char *remark = strstr(name, " (");
    if (remark) *remark = 0;
    return name;
}

static void tell_format(struct song *song) {
    int64_t bitrate = song->codec->bit_rate > 0 ? song->codec->bit_rate : song->format->bit_rate;
    struct wire_format format = {
        .rate = (uint32_t)song->rate,
        .channels = (uint32_t)song->channels,
        .bitrate = (uint32_t)av_clip64(bitrate / 1000, 0, UINT32_MAX),
    };
    bool is_sure;
    format.length = told_length(song, &is_sure);
    format.is_length_sure = is_sure;
    char name[100];
    // The album's gain counts where the song has none, and its own peak with it.
    bool is_album = !text(song, "replaygain_track_gain");
    const char *peak = is_album ? text(song, "replaygain_album_peak") : NULL;
    const char *texts[WIRE_TEXT_COUNT] = {
        codec_name(song, name, sizeof name), text(song, "title"),
        text(song, "artist"), text(song, "album"), lyrics(song),
        text(song, is_album ? "replaygain_album_gain" : "replaygain_track_gain"),
        peak ? peak : text(song, "replaygain_track_peak"),
    };
    static char body[WIRE_TEXT_COUNT * (sizeof(uint32_t) + WIRE_LONGEST_TEXT)];
    size_t size = 0;
    for (int i = 0; i < WIRE_TEXT_COUNT; i++) {
        uint32_t count = texts[i] ? (uint32_t)strnlen(texts[i], WIRE_LONGEST_TEXT) : 0;
        memcpy(body + size, &count, sizeof count);
        size += sizeof count;
        if (count) memcpy(body + size, texts[i], count);
        size += count;
    }
    wire_send2(WIRE_FORMAT, &format, sizeof format, body, size);
    song->has_told_format = true;
}

void song_decode(struct song *song) {
    if (!song->format) open_song(song);
    if (song->first == song->count && !fill_block(song)) {
        if (song->rate == 0) fail_with("there is no sound in it");
        wire_send(WIRE_END, NULL, 0);
    } else if (!song->has_told_format) {
        tell_format(song);
    } else {
        int count = FFMIN(song->count - song->first, WIRE_MOST_FRAMES);
        const float *frames = song->block + 2 * song->first;
        wire_send(WIRE_FRAMES, frames, sizeof *frames * 2 * (size_t)count);
        song->first += count;
    }
}
