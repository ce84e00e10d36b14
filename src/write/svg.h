/* The few pieces of SVG that charts and maps are made of: numbers of one decimal, texts, boxes, lines. */
#ifndef SST_WRITE_SVG_H
#define SST_WRITE_SVG_H

#include <stdbool.h>

#include "core/text.h"
#include "write/colour.h"

/* Sizes of text [px]. */
enum { SST_SVG_TICK_SIZE = 12, SST_SVG_LABEL_SIZE = 13 };

/* Opens a picture that fills its column up to its own width, with what readers who hear the page are told. */
void sst_svg_begin(struct sst_text *out, double width, double height, const char *title, const char *description);
void sst_svg_end(struct sst_text *out);

/* A coordinate in tenths, as short as can be; NaN is 0 and what is far outside any picture stays there. */
void sst_svg_number(struct sst_text *out, double value);
/* " name="value"" */
void sst_svg_attribute(struct sst_text *out, const char *name, double value);
void sst_svg_colour(struct sst_text *out, struct sst_colour colour);

struct sst_svg_label {
    double x, y; /* of the anchor: base line, or the middle of the letters where is_centred */
    double size;
    const char *anchor; /* start, middle, end */
    const char *text; /* from outside: escaped here */
    bool is_centred; /* in height */
    bool is_upwards; /* turned by 90 degrees to the left */
    double room; /* [px] the letters are made smaller to fit, but stay readable; 0: as much as it takes */
};
void sst_svg_label(struct sst_text *out, const struct sst_svg_label *label);

/* What a text takes, near enough to leave room for it; for no text 0. */
double sst_svg_text_width(const char *text, double size);

/* <path>: style is a list of attributes; then the data are added, then sst_svg_path_end. */
void sst_svg_path_begin(struct sst_text *out, const char *style);
void sst_svg_path_end(struct sst_text *out);
/* One command of a path with a point, as "M1.5 2". */
void sst_svg_point(struct sst_text *out, char command, double x, double y);

/* A line within a path. */
void sst_svg_line(struct sst_text *out, double x0, double y0, double x1, double y1);

/* A closed box within a path. */
void sst_svg_box(struct sst_text *out, double left, double top, double width, double height);

#endif
