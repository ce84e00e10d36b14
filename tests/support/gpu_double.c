/* Streams as queues whose work is done when someone waits for it, or now and then. */
#include "gpu_double.h"

#include <check.h>
#include <stdlib.h>

#include "random.h"

enum { MAX_STREAMS = 64, FAILURE_CODE = 700, STARVED_FOR = 100 };

enum kind {
    WAIT,
    RECORD,
    COPY_IN,
    COPY_OUT,
    ZERO,
    FILL,
    ADD_MOMENTS,
    WINDOW,
    KEEP,
    BLOCKED,
    NAIVE,
    SORTED,
    ADD_TAIL,
    TAIL
};

struct event {
    void *real;
    long n_asked, n_done; /* records */
};

struct work {
    enum kind kind;
    struct event *event;
    long n_record; /* of the event, that is waited for or made */
    void *to;
    const void *from;
    size_t n;
    union {
        struct gpu_moments_add add_moments;
        struct gpu_window window;
        struct gpu_keep keep;
        struct gpu_exact exact;
        struct gpu_sorted sorted;
        struct gpu_tail_add add_tail;
        struct gpu_tail tail;
    } args;
};

struct stream {
    void *real;
    int device;
    struct work *queue;
    size_t first, end, capacity;
};

static const struct gpu_api *real_api;
static struct gpu_api api;
static struct gpu_double_plan plan;
static struct test_random random_state;
static struct stream *streams[MAX_STREAMS];
static size_t n_streams;
static int selected;
static long n_calls, n_held;
static unsigned launched; /* a bit for each kind of work that was done */

static int must_fail(void) { return ++n_calls == plan.failing_call ? FAILURE_CODE : 0; }

#define FAIL_OR(call)                                                                                                  \
    do {                                                                                                               \
        const int code_ = must_fail();                                                                                 \
        if (code_ != 0)                                                                                                \
            return code_;                                                                                              \
        return call;                                                                                                   \
    } while (0)

/* --- queues ------------------------------------------------------------------------------------------------------- */

static int do_work(const struct work *work, void *stream)
{
    launched |= 1U << work->kind;
    switch (work->kind) {
    case WAIT:
        return real_api->stream_wait(stream, work->event->real);
    case RECORD:
        work->event->n_done = work->n_record;
        return real_api->event_record(work->event->real, stream);
    case COPY_IN:
        return real_api->copy_in(work->to, work->from, work->n, stream);
    case COPY_OUT:
        return real_api->copy_out(work->to, work->from, work->n, stream);
    case ZERO:
        return real_api->zero(work->to, work->n, stream);
    case FILL:
        return real_api->fill_missing(work->to, work->n, stream);
    case ADD_MOMENTS:
        return real_api->moments_add(&work->args.add_moments, stream);
    case WINDOW:
        return real_api->window(&work->args.window, stream);
    case KEEP:
        return real_api->keep(&work->args.keep, stream);
    case BLOCKED:
        return real_api->exact_blocked(&work->args.exact, stream);
    case NAIVE:
        return real_api->exact_naive(&work->args.exact, stream);
    case SORTED:
        return real_api->exact_sorted(&work->args.sorted, stream);
    case ADD_TAIL:
        return real_api->tail_add(&work->args.add_tail, stream);
    case TAIL:
        return real_api->tail(&work->args.tail, stream);
    }
    return FAILURE_CODE;
}

static bool can_go_on(const struct stream *stream)
{
    if (stream->first == stream->end)
        return false;
    const struct work *work = &stream->queue[stream->first];
    return work->kind != WAIT || work->event->n_done >= work->n_record;
}

static void work_on(struct stream *stream)
{
    const int codes[] = {real_api->select(stream->device), do_work(&stream->queue[stream->first++], stream->real),
                         real_api->select(selected)};
    if (codes[0] != 0 || codes[1] != 0 || codes[2] != 0)
        ck_abort_msg("work of a stream failed: %d %d %d", codes[0], codes[1], codes[2]);
}

/*
 * Does the next piece of work of a stream that can go on, whichever it is; but for a while always the same one only when no
 * other can, so that its work is done as late as may be. Returns whether there was one.
 */
static bool go_on(void)
{
    static size_t chosen, n_done;
    if (n_streams == 0)
        return false;
    chosen = n_done++ % STARVED_FOR == 0 ? (size_t)test_random_below(&random_state, MAX_STREAMS) : chosen;
    const size_t late = chosen % n_streams, first = (size_t)test_random_below(&random_state, (int)n_streams);
    for (size_t i = 0; i < n_streams; ++i) {
        struct stream *stream = streams[(first + i) % n_streams];
        if (stream == streams[late] || !can_go_on(stream))
            continue;
        work_on(stream);
        return true;
    }
    if (!can_go_on(streams[late]))
        return false;
    work_on(streams[late]);
    return true;
}

static int give(void *to, struct work work)
{
    struct stream *stream = to;
    const int code = must_fail();
    if (code != 0)
        return code;
    if (!stream || stream->device != selected)
        ck_abort_msg("a stream is given work while another device is selected");
    if (stream->first == stream->end)
        stream->first = stream->end = 0;
    if (stream->end == stream->capacity) {
        stream->capacity = 2 * stream->capacity + 16;
        stream->queue = realloc(stream->queue, stream->capacity * sizeof *stream->queue);
    }
    stream->queue[stream->end++] = work;
    while ((plan.seed == 0 || test_random_below(&random_state, 8) == 0) && go_on())
        ;
    return 0;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static int n_devices(int *n) { FAIL_OR(real_api->n_devices(n)); }
static int info(int device, struct gpu_device_info *out) { FAIL_OR(real_api->info(device, out)); }

static int select_device(int device)
{
    const int code = must_fail();
    if (code == 0)
        selected = device;
    return code == 0 ? real_api->select(device) : code;
}

static const char *error_text(int code) { return code == FAILURE_CODE ? "planted" : real_api->error_text(code); }

static int count(int code, long n)
{
    n_held += code == 0 ? n : 0;
    return code;
}

static int alloc(size_t n_bytes, void **out) { FAIL_OR(count(real_api->alloc(n_bytes, out), 1)); }
static int release(void *memory) { return count(real_api->release(memory), -1); }
static int host_alloc(size_t n_bytes, void **out) { FAIL_OR(count(real_api->host_alloc(n_bytes, out), 1)); }
static int host_release(void *memory) { return count(real_api->host_release(memory), -1); }
static int host_lock(void *memory, size_t n_bytes) { FAIL_OR(count(real_api->host_lock(memory, n_bytes), 1)); }
static int host_unlock(void *memory) { return count(real_api->host_unlock(memory), -1); }

static int stream_open(void **out)
{
    const int code = must_fail();
    if (code != 0)
        return code;
    struct stream *stream = calloc(1, sizeof *stream);
    ck_assert_uint_lt(n_streams, MAX_STREAMS);
    stream->device = selected;
    streams[n_streams++] = stream;
    *out = stream;
    return count(real_api->stream_open(&stream->real), 1);
}

static int stream_close(void *closed)
{
    struct stream *stream = closed;
    ck_assert_uint_eq(stream->first, stream->end);
    for (size_t i = 0; i < n_streams; ++i)
        if (streams[i] == stream)
            streams[i] = streams[--n_streams];
    const int code = count(real_api->stream_close(stream->real), -1);
    free(stream->queue);
    free(stream);
    return code;
}

static int event_open(void **out)
{
    const int code = must_fail();
    if (code != 0)
        return code;
    struct event *event = calloc(1, sizeof *event);
    *out = event;
    return count(real_api->event_open(&event->real), 1);
}

static int event_close(void *closed)
{
    struct event *event = closed;
    const int code = count(real_api->event_close(event->real), -1);
    free(event);
    return code;
}

static int stream_wait(void *stream, void *of)
{
    struct event *event = of;
    return give(stream, (struct work){.kind = WAIT, .event = event, .n_record = event->n_asked});
}

static int event_record(void *of, void *stream)
{
    struct event *event = of;
    const int code = give(stream, (struct work){.kind = RECORD, .event = event, .n_record = event->n_asked + 1});
    event->n_asked += code == 0;
    return code;
}

/* Waiting goes on where a failure was planted: work must be done before memory is given back. */
static int stream_sync(void *of)
{
    const struct stream *stream = of;
    while (stream->first < stream->end)
        if (!go_on())
            ck_abort_msg("a stream waits for what never comes");
    return must_fail();
}

static int event_sync(void *of)
{
    const struct event *event = of;
    while (event->n_done < event->n_asked)
        if (!go_on())
            ck_abort_msg("an event waits for what never comes");
    return must_fail();
}

static int event_elapsed(void *begin, void *end, double *seconds)
{
    const struct event *from = begin, *to = end;
    if (from->n_done < from->n_asked || to->n_done < to->n_asked)
        ck_abort_msg("the time of what is not done yet");
    FAIL_OR(real_api->event_elapsed(from->real, to->real, seconds));
}

static int copy_in(void *device, const void *host, size_t n_bytes, void *stream)
{
    return give(stream, (struct work){.kind = COPY_IN, .to = device, .from = host, .n = n_bytes});
}

static int copy_out(void *host, const void *device, size_t n_bytes, void *stream)
{
    return give(stream, (struct work){.kind = COPY_OUT, .to = host, .from = device, .n = n_bytes});
}

static int zero(void *memory, size_t n_bytes, void *stream)
{
    return give(stream, (struct work){.kind = ZERO, .to = memory, .n = n_bytes});
}

static int fill_missing(int16_t *codes, size_t n, void *stream)
{
    return give(stream, (struct work){.kind = FILL, .to = codes, .n = n});
}

#define LAUNCH(function, type, of_kind, member)                                                                        \
    static int function(const struct type *args, void *stream)                                                         \
    {                                                                                                                  \
        return give(stream, (struct work){.kind = of_kind, .args = {.member = *args}});                                \
    }

LAUNCH(moments_add, gpu_moments_add, ADD_MOMENTS, add_moments)
LAUNCH(window, gpu_window, WINDOW, window)
LAUNCH(keep, gpu_keep, KEEP, keep)
LAUNCH(exact_blocked, gpu_exact, BLOCKED, exact)
LAUNCH(exact_naive, gpu_exact, NAIVE, exact)
LAUNCH(exact_sorted, gpu_sorted, SORTED, sorted)
LAUNCH(tail_add, gpu_tail_add, ADD_TAIL, add_tail)
LAUNCH(tail, gpu_tail, TAIL, tail)

const struct gpu_api *gpu_double(const struct gpu_api *real, struct gpu_double_plan wanted)
{
    real_api = real;
    plan = wanted;
    random_state.state = wanted.seed;
    n_calls = n_held = 0;
    launched = 0;
    ck_assert_uint_eq(n_streams, 0);
    api = *real;
    api.n_devices = n_devices;
    api.info = info;
    api.select = select_device;
    api.error_text = error_text;
    api.alloc = alloc;
    api.release = release;
    api.host_alloc = host_alloc;
    api.host_release = host_release;
    api.host_lock = host_lock;
    api.host_unlock = host_unlock;
    api.stream_open = stream_open;
    api.stream_close = stream_close;
    api.stream_wait = stream_wait;
    api.stream_sync = stream_sync;
    api.event_open = event_open;
    api.event_close = event_close;
    api.event_record = event_record;
    api.event_sync = event_sync;
    api.event_elapsed = event_elapsed;
    api.copy_in = copy_in;
    api.copy_out = copy_out;
    api.copy_within = NULL; /* not used, so not stood in for */
    api.zero = zero;
    api.fill_missing = fill_missing;
    api.moments_add = moments_add;
    api.window = window;
    api.keep = keep;
    api.exact_blocked = exact_blocked;
    api.exact_naive = exact_naive;
    api.exact_sorted = exact_sorted;
    api.tail_add = tail_add;
    api.tail = tail;
    return &api;
}

struct sst_gpu_devices gpu_double_devices(const struct gpu_api *of, size_t n)
{
    struct sst_gpu_devices devices = {.n = n};
    int n_real = 0;
    ck_assert_int_eq(real_api->n_devices(&n_real), 0);
    for (size_t i = 0; i < n; ++i) {
        struct sst_gpu_device *device = &devices.list[i];
        device->api = of;
        device->index = (int)i % n_real;
        device->number = (int)i;
        ck_assert_int_eq(real_api->info(device->index, &device->info), 0);
    }
    return devices;
}

bool gpu_double_launched_all(void)
{
    const unsigned all =
        1U << ADD_MOMENTS | 1U << WINDOW | 1U << KEEP | 1U << BLOCKED | 1U << SORTED | 1U << ADD_TAIL | 1U << TAIL;
    return (launched & all) == all;
}

long gpu_double_calls(void) { return n_calls; }
long gpu_double_held(void) { return n_held; }
