/* feed.atom by libxml2's writer, which escapes; texts are made UTF-8 and XML's characters before (core/text.h). */
#include <libxml/xmlwriter.h>
#include <math.h>
#include <stdio.h>

#include "core/mem.h"
#include "monitor/feed_news.h"
#include "monitor/feed_words.h"

/* A failure sticks, and is asked for once. Every call of libxml2 here fails for want of memory alone. */
struct atom {
    xmlTextWriterPtr writer;
    bool has_failed;
    struct sst_text text; /* of the element in the making */
};

static const xmlChar *as_xml(const char *text) { return (const xmlChar *)text; }

static void check(struct atom *atom, int result) { atom->has_failed = atom->has_failed || result < 0; }

static void open_element(struct atom *atom, const char *name)
{
    check(atom, xmlTextWriterStartElement(atom->writer, as_xml(name)));
}

static void close_element(struct atom *atom) { check(atom, xmlTextWriterEndElement(atom->writer)); }

static void put_attribute(struct atom *atom, const char *name, const char *value)
{
    check(atom, xmlTextWriterWriteAttribute(atom->writer, as_xml(name), as_xml(value)));
}

static void put_element(struct atom *atom, const char *name, const char *value)
{
    check(atom, xmlTextWriterWriteElement(atom->writer, as_xml(name), as_xml(value)));
}

/* The text at hand, which is then empty again. */
static const char *taken(struct atom *atom)
{
    atom->has_failed = atom->has_failed || atom->text.failed != SST_OK;
    atom->text.size = 0;
    return atom->text.data && !atom->has_failed ? atom->text.data : "";
}

/* "": no such attribute */
static void put_link(struct atom *atom, const char *relation, const char *type, const char *address)
{
    open_element(atom, "link");
    put_attribute(atom, "rel", relation);
    if (*type)
        put_attribute(atom, "type", type);
    put_attribute(atom, "href", address);
    close_element(atom);
}

static void put_time(struct atom *atom, const char *name, int64_t seconds)
{
    char text[SST_FEED_TIME_TEXT_SIZE];
    put_element(atom, name, sst_feed_time_text(seconds, text));
}

static void put_tag(struct atom *atom, const struct sst_feed_about *about, const char *id)
{
    sst_feed_add_tag(&atom->text, about, id);
    put_element(atom, "id", taken(atom));
}

static void put_category(struct atom *atom, const char *term)
{
    open_element(atom, "category");
    put_attribute(atom, "term", term);
    close_element(atom);
}

/* GeoRSS simple: latitude before longitude. A box across 180 degrees has no form there, so such an entry has its point alone. */
static void put_place(struct atom *atom, const struct sst_feed_announcement *item)
{
    sst_text_addf(&atom->text, "%.4f %.4f", item->area.lat, item->area.lon);
    put_element(atom, "georss:point", taken(atom));
    if (!(item->west <= item->east && item->south <= item->north))
        return;
    sst_text_addf(&atom->text, "%.4f %.4f %.4f %.4f", item->south, item->west, item->north, item->east);
    put_element(atom, "georss:box", taken(atom));
}

static void put_entry(struct atom *atom, const struct sst_feed_about *about, const struct sst_feed_announcement *item)
{
    open_element(atom, "entry");
    put_tag(atom, about, item->id);
    sst_feed_add_headline(&atom->text, about, item);
    put_element(atom, "title", taken(atom));
    put_time(atom, "published", item->time);
    put_time(atom, "updated", item->time);
    sst_feed_add_link(&atom->text, about, "index.html");
    put_link(atom, "alternate", "text/html", taken(atom));
    if (*item->former) {
        open_element(atom, "thr:in-reply-to");
        sst_feed_add_tag(&atom->text, about, item->former);
        put_attribute(atom, "ref", taken(atom));
        close_element(atom);
    }
    put_category(atom, sst_feed_news_name(item->news));
    put_category(atom, item->is_preliminary ? "preliminary" : "final");
    open_element(atom, "content");
    put_attribute(atom, "type", "text");
    sst_feed_add_story(&atom->text, about, item);
    check(atom, xmlTextWriterWriteString(atom->writer, as_xml(taken(atom))));
    close_element(atom);
    put_place(atom, item);
    close_element(atom);
}

static void put_head(struct atom *atom, const struct sst_feed_entries *entries)
{
    const struct sst_feed_about *about = entries->about;
    put_attribute(atom, "xmlns", "http://www.w3.org/2005/Atom");
    put_attribute(atom, "xmlns:georss", "http://www.georss.org/georss");
    put_attribute(atom, "xmlns:thr", "http://purl.org/syndication/thread/1.0");
    put_attribute(atom, "xml:lang", "en");
    put_tag(atom, about, "");
    sst_text_add_clean(&atom->text, about->title);
    put_element(atom, "title", taken(atom));
    sst_feed_add_definition(&atom->text, about);
    put_element(atom, "subtitle", taken(atom));
    put_time(atom, "updated", entries->n > 0 ? entries->items[entries->n - 1].time : entries->started);
    open_element(atom, "author");
    sst_text_add_clean(&atom->text, *about->title ? about->title : "sststream");
    put_element(atom, "name", taken(atom));
    close_element(atom);
    if (*about->link) {
        sst_feed_add_link(&atom->text, about, "feed.atom");
        put_link(atom, "self", "application/atom+xml", taken(atom));
    }
    sst_feed_add_link(&atom->text, about, "index.html");
    put_link(atom, "alternate", "text/html", taken(atom));
    open_element(atom, "generator");
    put_attribute(atom, "version", sst_version());
    check(atom, xmlTextWriterWriteString(atom->writer, as_xml("sststream")));
    close_element(atom);
}

static void put_feed(struct atom *atom, const struct sst_feed_entries *entries)
{
    const size_t n = entries->n < entries->most ? entries->n : entries->most;
    check(atom, xmlTextWriterSetIndent(atom->writer, 1));
    check(atom, xmlTextWriterStartDocument(atom->writer, "1.0", "UTF-8", NULL));
    open_element(atom, "feed");
    put_head(atom, entries);
    for (size_t i = 0; i < n; ++i)
        put_entry(atom, entries->about, &entries->items[entries->n - 1 - i]);
    close_element(atom);
    check(atom, xmlTextWriterEndDocument(atom->writer));
}

/* Else libxml2 says on standard error that there is no memory. */
static void say_nothing(void *user, xmlErrorPtr error)
{
    (void)user;
    (void)error;
}

enum sst_status sst_feed_atom(const struct sst_feed_entries *entries, struct sst_text *out, struct sst_error *err)
{
    struct atom atom = {0};
    const xmlStructuredErrorFunc listener = xmlStructuredError; /* of this thread */
    void *const listener_user = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(NULL, say_nothing);
    xmlBufferPtr buffer = xmlBufferCreate();
    atom.writer = buffer ? xmlNewTextWriterMemory(buffer, 0) : NULL;
    atom.has_failed = !atom.writer;
    if (atom.writer)
        put_feed(&atom, entries);
    xmlFreeTextWriter(atom.writer); /* what it holds back goes into the buffer */
    if (!atom.has_failed)
        sst_text_add_bytes(out, (const char *)xmlBufferContent(buffer), (size_t)xmlBufferLength(buffer));
    if (buffer)
        xmlBufferFree(buffer);
    xmlSetStructuredErrorFunc(listener_user, listener);
    sst_text_clear(&atom.text);
    if (atom.has_failed)
        return sst_fail(err, SST_ERR_NOMEM, "no memory for feed.atom");
    return sst_text_check(out, err);
}
