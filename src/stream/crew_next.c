/* The program's side at work: tasks go out, replies come in, readers that die or hang are replaced. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "core/timings.h"
#include "stream/crew_private.h"

/* [ms] The longest wait without asking whether the run is cancelled. */
enum { TURN_MILLISECONDS = 250 };

static enum sst_status launcher_is_gone(struct sst_error *err)
{
    return sst_fail(err, SST_ERR_INTERNAL, "the process that starts the readers was killed from outside. Run it again");
}

/* [s] The longest stretch that counts in full: a program that was stopped has not seen its readers be late. */
static double longest_gap(const struct sst_crew *crew) { return crew->options.task_seconds / 4; }

void sst_crew_look(struct sst_crew *crew)
{
    const double now = sst_timings_now();
    const double gap = now - crew->looked_at;
    crew->watched += gap < longest_gap(crew) ? gap : longest_gap(crew);
    crew->looked_at = now;
}

static int pop(const struct sst_crew *crew, struct sst_crew_queue *queue)
{
    const int slot = queue->first;
    if (slot != SST_CREW_NONE)
        queue->first = crew->hands[slot].next;
    return slot;
}

/* The oldest task of a seat that its process has not got, taken from the common ones where it has none of its own. */
static int next_to_send(struct sst_crew *crew, struct sst_crew_seat *seat)
{
    int slot = seat->queue.first;
    for (int i = 0; i < seat->n_sent && slot != SST_CREW_NONE; ++i)
        slot = crew->hands[slot].next;
    if (slot == SST_CREW_NONE && (slot = pop(crew, &crew->common)) != SST_CREW_NONE)
        sst_crew_queue_push(crew, &seat->queue, slot);
    return slot;
}

enum sst_status sst_crew_tell(struct sst_crew *crew, enum sst_crew_order_kind kind, int reader, struct sst_error *err)
{
    struct sst_crew_order order;
    memset(&order, 0, sizeof order);
    order.kind = kind;
    order.reader = reader;
    order.generation = reader >= 0 ? crew->seats[reader].generation : 0;
    const struct sst_crew_piece piece = {&order, sizeof order};
    return sst_crew_send(crew->orders, &piece, 1, NULL, 0) == 0 ? SST_OK : launcher_is_gone(err);
}

/* The order to start what the crew's options say. */
static void write_start(const struct sst_crew *crew, int reader, struct sst_crew_order *out)
{
    memset(out, 0, sizeof *out);
    out->kind = SST_CREW_ORDER_START;
    out->reader = reader;
    out->generation = crew->seats[reader].generation;
    out->layout = crew->layout;
    out->memory_bytes = crew->options.memory_bytes;
    out->is_short = crew->options.is_short;
    out->prefault = crew->options.prefault;
}

bool sst_crew_seat_renew(struct sst_crew *crew, int reader)
{
    const struct sst_crew_seat *seat = &crew->seats[reader];
    struct sst_crew_request request;
    struct sst_crew_order order;
    if (!seat->has_process || seat->is_ended || seat->fd < 0)
        return false;
    memset(&request, 0, sizeof request);
    request.serial = SST_CREW_SERIAL_RENEWED;
    write_start(crew, reader, &order);
    const struct sst_crew_piece pieces[] = {{&request, sizeof request}, {&order, sizeof order}};
    const struct sst_crew_files files = {1, {crew->memory_fd}};
    return sst_crew_send(seat->fd, pieces, 2, &files, MSG_DONTWAIT) == 0;
}

enum sst_status sst_crew_seat_start(struct sst_crew *crew, int reader, struct sst_error *err)
{
    struct sst_crew_seat *seat = &crew->seats[reader];
    struct sst_crew_order order;
    int theirs = -1;
    int failed = sst_crew_pair(&seat->fd, &theirs);
    if (failed)
        return sst_fail(err, SST_ERR_NOMEM, "no socket for reader %d: %s", reader + 1, strerror(failed));
    seat->generation = ++crew->last_generation;
    write_start(crew, reader, &order);
    const struct sst_crew_piece piece = {&order, sizeof order};
    const struct sst_crew_files files = {2, {theirs, crew->memory_fd}};
    failed = sst_crew_send(crew->orders, &piece, 1, &files, 0);
    sst_crew_close(&theirs);
    if (failed)
        return launcher_is_gone(err);
    seat->has_process = true;
    seat->is_ended = false;
    seat->n_sent = 0;
    seat->stop = SST_CREW_NOT_STOPPED;
    seat->since = crew->watched;
    return SST_OK;
}

/* A reader that is gone, or whose socket is full, is no error: the task stays where it is. */
static enum sst_status send_task(struct sst_crew *crew, struct sst_crew_seat *seat, int slot, struct sst_error *err)
{
    const struct sst_crew_hand *hand = &crew->hands[slot];
    struct sst_crew_request request;
    memset(&request, 0, sizeof request);
    request.serial = hand->serial;
    request.slot = (size_t)slot;
    const struct sst_crew_piece pieces[] = {{&request, sizeof request}, {hand->request, hand->request_bytes}};
    const int failed = sst_crew_send(seat->fd, pieces, 2, NULL, MSG_DONTWAIT);
    if (failed == EPIPE || failed == ECONNRESET || failed == ENOTCONN || failed == EAGAIN)
        return SST_OK;
    if (failed)
        return sst_fail(err, SST_ERR_NOMEM, "a reader's request of %zu bytes cannot be sent: %s", hand->request_bytes,
                        strerror(failed));
    if (seat->n_sent++ == 0)
        seat->since = crew->watched;
    return SST_OK;
}

enum sst_status sst_crew_hand_out(struct sst_crew *crew, struct sst_error *err)
{
    const int most_sent = crew->options.is_short ? 1 : SST_CREW_SENT_AHEAD;
    for (int reader = 0; reader < crew->options.n_readers; ++reader)
        if (!crew->seats[reader].has_process && next_to_send(crew, &crew->seats[reader]) != SST_CREW_NONE)
            SST_TRY(sst_crew_seat_start(crew, reader, err));
    for (int n_sent = 0; n_sent < most_sent; ++n_sent) {
        for (int reader = 0; reader < crew->options.n_readers; ++reader) {
            struct sst_crew_seat *seat = &crew->seats[reader];
            if (seat->fd < 0 || seat->n_sent != n_sent)
                continue;
            const int slot = next_to_send(crew, seat);
            if (slot != SST_CREW_NONE)
                SST_TRY(send_task(crew, seat, slot, err));
        }
    }
    return SST_OK;
}

/* The oldest task of a seat becomes a result. */
static void finish(struct sst_crew *crew, struct sst_crew_seat *seat, enum sst_crew_fate fate,
                   struct sst_crew_result *out)
{
    const int slot = pop(crew, &seat->queue);
    const struct sst_crew_hand *hand = &crew->hands[slot];
    --crew->n_in_hand;
    out->tag = hand->tag;
    out->fate = fate;
    out->status = fate == SST_CREW_DONE ? SST_OK : SST_ERR_INPUT;
    sst_error_clear(&out->error);
    out->n_deaths = hand->n_deaths;
    out->slot = (size_t)slot;
    out->values = (uint8_t *)crew->memory + (size_t)slot * crew->layout.stride;
    out->reply_bytes = 0;
}

/* Whether a packet is the reply to a seat's oldest task; a reader out of its mind may send anything. */
static bool makes_sense(const struct sst_crew *crew, const struct sst_crew_seat *seat,
                        const struct sst_crew_reply *reply, size_t n_bytes)
{
    return n_bytes >= sizeof *reply && seat->n_sent > 0 && reply->serial == crew->hands[seat->queue.first].serial &&
           (unsigned)reply->status <= SST_ERR_INTERRUPTED && reply->text_bytes < SST_ERROR_TEXT_SIZE &&
           reply->reply_bytes <= SST_CREW_MAX_REPLY &&
           n_bytes == sizeof *reply + reply->text_bytes + reply->reply_bytes;
}

static enum sst_status take_reply(struct sst_crew *crew, int reader, const uint8_t *packet, size_t n_bytes,
                                  struct sst_crew_result *out, bool *has_result, struct sst_error *err)
{
    struct sst_crew_seat *seat = &crew->seats[reader];
    struct sst_crew_reply reply;
    memset(&reply, 0, sizeof reply);
    memcpy(&reply, packet, n_bytes < sizeof reply ? n_bytes : sizeof reply);
    if (!makes_sense(crew, seat, &reply, n_bytes)) {
        seat->stop = SST_CREW_STOPPED_SENSELESS;
        seat->since = crew->watched;
        sst_crew_close(&seat->fd);
        return sst_crew_tell(crew, SST_CREW_ORDER_KILL, reader, err);
    }
    finish(crew, seat, SST_CREW_DONE, out);
    --seat->n_sent;
    seat->since = crew->watched;
    if (crew->options.is_short)
        sst_crew_close(&seat->fd); /* it gets no more, and owes its end */
    out->status = reply.status;
    if (reply.status != SST_OK) {
        out->error.code = reply.status;
        memcpy(out->error.text, packet + sizeof reply, reply.text_bytes);
        out->error.text[reply.text_bytes] = '\0';
    }
    out->reply_bytes = reply.reply_bytes;
    memcpy(out->reply, packet + sizeof reply + reply.text_bytes, reply.reply_bytes);
    *has_result = true;
    return SST_OK;
}

/* How a reader ended, after the words "its reader". */
static void describe_end(const struct sst_crew_seat *seat, char text[SST_CREW_END_TEXT_SIZE])
{
    const int signal_number = WIFSIGNALED(seat->wait_status) ? WTERMSIG(seat->wait_status) : 0;
    if (seat->stop == SST_CREW_STOPPED_SENSELESS)
        (void)snprintf(text, SST_CREW_END_TEXT_SIZE, "sent a reply that makes no sense");
    else if (signal_number == SIGKILL)
        (void)snprintf(text, SST_CREW_END_TEXT_SIZE,
                       "was killed by signal 9 (by the system for want of memory, or by hand)");
    else if (signal_number != 0)
        (void)snprintf(text, SST_CREW_END_TEXT_SIZE, "was killed by signal %d (%s)", signal_number,
                       strsignal(signal_number));
    else
        (void)snprintf(text, SST_CREW_END_TEXT_SIZE, "ended with code %d", WEXITSTATUS(seat->wait_status));
}

/* A process is gone and all that it sent is read. What it had in work was its end; what waited behind that was not. */
static void conclude(struct sst_crew *crew, struct sst_crew_seat *seat, struct sst_crew_result *out, bool *has_result)
{
    char text[SST_CREW_END_TEXT_SIZE];
    const bool was_at_work = seat->n_sent > 0;
    seat->has_process = seat->is_ended = false;
    seat->n_sent = 0;
    seat->pid = 0;
    if (!was_at_work)
        return;
    struct sst_crew_hand *hand = &crew->hands[seat->queue.first];
    if (seat->stop == SST_CREW_STOPPED_LATE) {
        if (hand->serial != seat->stopped_serial)
            return;
        ++hand->n_deaths;
        finish(crew, seat, SST_CREW_TIMED_OUT, out);
        (void)sst_fail(&out->error, out->status, "its reader was not done after %g s, and was stopped",
                       crew->options.task_seconds);
        *has_result = true;
        return;
    }
    describe_end(seat, text);
    if (++hand->n_deaths == 1) {
        memcpy(hand->first_end, text, sizeof text);
        return;
    }
    finish(crew, seat, SST_CREW_DIED, out);
    if (strcmp(text, hand->first_end) == 0)
        (void)sst_fail(&out->error, out->status, "its reader %s, twice", text);
    else
        (void)sst_fail(&out->error, out->status, "its first reader %s; its second %s", hand->first_end, text);
    *has_result = true;
}

/* Takes one thing from a seat: a reply, or its process's end. */
static enum sst_status hear_seat(struct sst_crew *crew, int reader, struct sst_crew_result *out, bool *has_result,
                                 struct sst_error *err)
{
    uint8_t packet[SST_CREW_LARGEST_REPLY];
    struct sst_crew_seat *seat = &crew->seats[reader];
    if (seat->fd >= 0) {
        const ssize_t n = sst_crew_receive(seat->fd, packet, sizeof packet, NULL, MSG_DONTWAIT);
        if (n > 0)
            return take_reply(crew, reader, packet, (size_t)n, out, has_result, err);
        if (n == -EAGAIN && !seat->is_ended)
            return SST_OK;
        sst_crew_close(&seat->fd);
        seat->since = crew->watched;
    }
    if (seat->is_ended)
        conclude(crew, seat, out, has_result);
    return SST_OK;
}

enum sst_status sst_crew_hear_launcher(struct sst_crew *crew, int flags, bool *is_there,
                                       enum sst_crew_report_kind *kind, struct sst_error *err)
{
    struct sst_crew_report report;
    const ssize_t n = sst_crew_receive(crew->orders, &report, sizeof report, NULL, flags);
    *is_there = n != -EAGAIN;
    if (!*is_there)
        return SST_OK;
    if (n != (ssize_t)sizeof report)
        return launcher_is_gone(err);
    *kind = report.kind;
    if (report.reader < 0 || report.generation != crew->seats[report.reader].generation)
        return SST_OK;
    struct sst_crew_seat *seat = &crew->seats[report.reader];
    switch (report.kind) {
    case SST_CREW_STARTED:
        seat->pid = report.value;
        break;
    case SST_CREW_NOT_STARTED:
        sst_crew_close(&seat->fd);
        seat->has_process = false;
        seat->n_sent = 0;
        return sst_fail(err, SST_ERR_NOMEM, "no process for reader %d: %s. Use fewer readers", report.reader + 1,
                        strerror(report.value));
    case SST_CREW_ENDED:
        seat->is_ended = true;
        seat->wait_status = report.value;
        break;
    case SST_CREW_ALL_ENDED:
        break;
    }
    return SST_OK;
}

/* [ms] Until something is due. */
static int time_to_wait(const struct sst_crew *crew)
{
    double seconds = longest_gap(crew);
    for (int reader = 0; reader < crew->options.n_readers; ++reader) {
        const struct sst_crew_seat *seat = &crew->seats[reader];
        if (seat->is_ended)
            return 0;
        const double left = seat->since + crew->options.task_seconds - crew->watched;
        if (seat->n_sent > 0 && seat->stop == SST_CREW_NOT_STOPPED && left < seconds)
            seconds = left > 0 ? left : 0;
    }
    return seconds * 1000 < TURN_MILLISECONDS ? (int)(seconds * 1000) + 1 : TURN_MILLISECONDS;
}

/* A reader owes the reply to its oldest task or, with its socket closed, its end. */
static enum sst_status stop_if_late(struct sst_crew *crew, int reader, struct sst_error *err)
{
    struct sst_crew_seat *seat = &crew->seats[reader];
    const bool is_due = seat->has_process && !seat->is_ended && (seat->n_sent > 0 || seat->fd < 0);
    if (!is_due || seat->stop != SST_CREW_NOT_STOPPED || crew->watched - seat->since < crew->options.task_seconds)
        return SST_OK;
    seat->stop = SST_CREW_STOPPED_LATE;
    seat->stopped_serial = seat->n_sent > 0 ? crew->hands[seat->queue.first].serial : 0;
    return sst_crew_tell(crew, SST_CREW_ORDER_KILL, reader, err);
}

/* Waits for a while, then hears launcher and readers, each reader being the first in its turn. */
static enum sst_status hear(struct sst_crew *crew, struct sst_crew_result *out, bool *has_result, struct sst_error *err)
{
    const int n = crew->options.n_readers;
    struct pollfd sockets[SST_CREW_MAX_READERS + 1];
    for (int reader = 0; reader < n; ++reader)
        sockets[reader] = (struct pollfd){.fd = crew->seats[reader].fd, .events = POLLIN};
    sockets[n] = (struct pollfd){.fd = crew->orders, .events = POLLIN};
    const bool is_looked = poll(sockets, (nfds_t)n + 1, time_to_wait(crew)) >= 0;
    sst_crew_look(crew);
    if (!is_looked)
        return SST_OK; /* a signal: the caller asks whether it cancels the run */
    for (bool is_there = sockets[n].revents != 0; is_there;) {
        enum sst_crew_report_kind kind = SST_CREW_STARTED;
        SST_TRY(sst_crew_hear_launcher(crew, MSG_DONTWAIT, &is_there, &kind, err));
    }
    for (int i = 0; i < n; ++i) {
        const int reader = (crew->first_heard + i) % n;
        const bool has_news = sockets[reader].revents != 0 || crew->seats[reader].is_ended;
        if (!has_news)
            SST_TRY(stop_if_late(crew, reader, err));
        else if (!*has_result)
            SST_TRY(hear_seat(crew, reader, out, has_result, err));
    }
    crew->first_heard = (crew->first_heard + 1) % n;
    return SST_OK;
}

enum sst_status sst_crew_next(struct sst_crew *crew, struct sst_crew_result *out, bool (*cancelled)(void *user),
                              void *user, struct sst_error *err)
{
    bool has_result = false;
    if (crew->n_in_hand == 0)
        return sst_fail(err, SST_ERR_INTERNAL, "no task of the readers is in hand");
    sst_crew_look(crew);
    SST_TRY(sst_crew_hand_out(crew, err));
    while (!has_result) {
        if (cancelled && cancelled(user))
            return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted while files were read");
        SST_TRY(hear(crew, out, &has_result, err));
        SST_TRY(sst_crew_hand_out(crew, err));
    }
    return SST_OK;
}
