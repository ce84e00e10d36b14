/* Numbers are rounded once, here, so that pictures are small and the same everywhere. */
#include "write/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No picture is so large [px]. */
#define FARTHEST 100000.0
/* Below this letters are too small to print [px]. */
#define SMALLEST_SIZE 8.0
/* Mean advance of a letter of a sans-serif font, in sizes; digits are 0.56. */
#define LETTER_WIDTH 0.56

void sst_svg_number(struct sst_text *out, double value)
{
    const double kept = isnan(value) ? 0.0 : fmin(fmax(value, -FARTHEST), FARTHEST);
    const long tenths = lround(kept * 10.0), whole = labs(tenths) / 10, rest = labs(tenths) % 10;
    sst_text_addf(out, rest ? "%s%ld.%ld" : "%s%ld", tenths < 0 ? "-" : "", whole, rest);
}

void sst_svg_attribute(struct sst_text *out, const char *name, double value)
{
    sst_text_addf(out, " %s=\"", name);
    sst_svg_number(out, value);
    sst_text_add(out, "\"");
}

void sst_svg_colour(struct sst_text *out, struct sst_colour colour)
{
    sst_text_addf(out, "#%02x%02x%02x", colour.red, colour.green, colour.blue);
}

void sst_svg_begin(struct sst_text *out, double width, double height, const char *title, const char *description)
{
    sst_text_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 ");
    sst_svg_number(out, width);
    sst_text_add(out, " ");
    sst_svg_number(out, height);
    sst_text_add(out, "\" style=\"display:block;width:100%;max-width:");
    sst_svg_number(out, width);
    sst_text_add(out, "px;height:auto\" font-family=\"Helvetica,Arial,sans-serif\" fill=\"#222\">\n<title>");
    sst_text_add_escaped(out, title);
    sst_text_add(out, "</title>\n");
    if (description) {
        sst_text_add(out, "<desc>");
        sst_text_add_escaped(out, description);
        sst_text_add(out, "</desc>\n");
    }
}

void sst_svg_end(struct sst_text *out) { sst_text_add(out, "</svg>\n"); }

double sst_svg_text_width(const char *text, double size)
{
    size_t n_letters = 0;
    for (const char *at = text; at && *at; ++at)
        n_letters += ((unsigned char)*at & 0xC0) != 0x80; /* not in the middle of a character of UTF-8 */
    return (double)n_letters * LETTER_WIDTH * size;
}

void sst_svg_label(struct sst_text *out, const struct sst_svg_label *label)
{
    if (!label->text || !*label->text)
        return;
    const double wanted = sst_svg_text_width(label->text, label->size);
    const bool is_tight = label->room > 0.0 && wanted > label->room;
    const double size = is_tight ? fmax(label->size * label->room / wanted, SMALLEST_SIZE) : label->size;
    const double down = label->is_centred ? 0.35 * size : 0.0; /* half the height of digits and capitals */
    sst_text_add(out, "<text");
    if (label->is_upwards) {
        sst_text_add(out, " transform=\"translate(");
        sst_svg_number(out, label->x + down);
        sst_text_add(out, " ");
        sst_svg_number(out, label->y);
        sst_text_add(out, ")rotate(-90)\"");
    } else {
        sst_svg_attribute(out, "x", label->x);
        sst_svg_attribute(out, "y", label->y + down);
    }
    sst_svg_attribute(out, "font-size", size);
    if (label->anchor && strcmp(label->anchor, "start") != 0)
        sst_text_addf(out, " text-anchor=\"%s\"", label->anchor);
    sst_text_add(out, ">");
    sst_text_add_escaped(out, label->text);
    sst_text_add(out, "</text>\n");
}

void sst_svg_path_begin(struct sst_text *out, const char *style) { sst_text_addf(out, "<path %s d=\"", style); }

void sst_svg_path_end(struct sst_text *out) { sst_text_add(out, "\"/>\n"); }

void sst_svg_point(struct sst_text *out, char command, double x, double y)
{
    sst_text_addf(out, "%c", command);
    sst_svg_number(out, x);
    sst_text_add(out, " ");
    sst_svg_number(out, y);
}

void sst_svg_line(struct sst_text *out, double x0, double y0, double x1, double y1)
{
    sst_svg_point(out, 'M', x0, y0);
    if (x0 == x1) {
        sst_text_add(out, "V");
        sst_svg_number(out, y1);
    } else if (y0 == y1) {
        sst_text_add(out, "H");
        sst_svg_number(out, x1);
    } else {
        sst_svg_point(out, 'L', x1, y1);
    }
}

void sst_svg_box(struct sst_text *out, double left, double top, double width, double height)
{
    sst_svg_point(out, 'M', left, top);
    sst_text_add(out, "h");
    sst_svg_number(out, width);
    sst_text_add(out, "v");
    sst_svg_number(out, height);
    sst_text_add(out, "h");
    sst_svg_number(out, -width);
    sst_text_add(out, "z");
}
