/* Capital letters, digits and a few marks, 5 x 7 pixels, for the legend of a picture. */
#ifndef SST_MONITOR_FEED_PAGE_FONT_H
#define SST_MONITOR_FEED_PAGE_FONT_H

#include <stdint.h>

enum { SST_FONT_WIDTH = 5, SST_FONT_HEIGHT = 7 };

/* SST_FONT_HEIGHT rows from the top, bit 4 at the left; small letters as capitals, what is not there as a blank. */
const uint8_t *sst_feed_page_glyph(char letter);

#endif
