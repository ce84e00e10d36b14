"""What bench/portability needs to measure a machine, and to draw rooflines."""
import html
import json
import math
import subprocess
import sys

# What one item, a cell and day, needs at least, whatever the form: bytes that come from and go to memory once, and
# operations. A form that moves or computes more is so much less efficient. Of add, keep and tail_add the day is of one year.
#
#   add      a code is read (2), and a bin of 30 years written once (30 / 30); 3 products, 6 sums, 1 comparison
#   window   a bin is read (30), mean, percentile (8 each), count (2) are written; 10 sums of the window, then they are
#            shifted in 64-bit integers (22) and finished in fp64 (46), of which the latter are counted
#   keep     a code is read and written; it is looked at once, whether it is missing
#   exact    30 codes of a day are read (60), mean, percentile and count written; each of 330 members is looked at once
#   tail_add a code is read, and a list of 16 with its sums written once for 30 years (38 / 30); 16 of 30 values in order take
#            71 comparisons at least (log2 of 30! / 14!), 2.4 a value, and there are a sum and a count
#   tail     16 codes of 11 days' lists are looked at (176); a list with its sums is read (38), 27 bytes are written
ITEMS = {
    "add": {"bytes_per_item": 3, "operations_per_item": 10, "operation": "int32"},
    "window": {"bytes_per_item": 48, "operations_per_item": 46, "operation": "fp64"},
    "keep": {"bytes_per_item": 4, "operations_per_item": 1, "operation": "int16"},
    "exact": {"bytes_per_item": 78, "operations_per_item": 330, "operation": "int16"},
    "tail_add": {"bytes_per_item": 2 + 38 / 30, "operations_per_item": 4.4, "operation": "int16"},
    "tail": {"bytes_per_item": 65, "operations_per_item": 176, "operation": "int16"},
}

# What the device's benches are told: all kernels in less than a minute, or few cells for a processor that plays device.
DAYS = ["--days", "62", "--runs", "5"]
SMALL_DAYS = ["--lon", "96", "--lat", "24", "--days", "13", "--runs", "1"]
DEVICE_OPTIONS = {"gpu_moments": ["--bins", "62", "--runs", "5"], "gpu_exact": DAYS, "gpu_tail": DAYS}
SMALL_OPTIONS = {
    "gpu_moments": ["--lon", "48", "--lat", "32", "--bins", "32", "--runs", "1", "--copy-mb", "8"],
    "gpu_exact": SMALL_DAYS,
    "gpu_tail": SMALL_DAYS,
}
SMALL_CELLS = 768


def row(kernel, form, seconds_per_item, is_taken):
    return {"kernel": kernel, "form": form, "seconds_per_item": seconds_per_item, "is_taken": is_taken, **ITEMS[kernel]}


# --- measuring --------------------------------------------------------------------------------------------------------

def add_measure_options(parser):
    parser.add_argument("--json", required=True, help="file to write")
    parser.add_argument("--name", help="the platform's name (default: as the machine calls itself)")
    parser.add_argument("--kernel-bench", help="the processor: the program of that name")
    parser.add_argument("--ceilings", help="the processor: the program of that name")
    parser.add_argument("--cells", type=int, default=691200, help="the processor: cells with values")
    parser.add_argument("--threads", type=int, default=0, help="the processor: threads (default: all)")
    parser.add_argument("--plugin", help="the device: sststream_gpu_*.so")
    parser.add_argument("--gpu-moments", help="the device: the program of that name")
    parser.add_argument("--gpu-exact", help="the device: the program of that name")
    parser.add_argument("--gpu-tail", help="the device: the program of that name")
    parser.add_argument("--gpu-ceilings", help="the device: the program of that name")
    parser.add_argument("--small", action="store_true",
                        help="few cells, in a second: shows that all works, also where a processor plays device")


def by_kernel(rows):
    """Forms of a kernel beside each other."""
    return sorted(rows, key=lambda found: list(ITEMS).index(found["kernel"]))


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit("%s: exit %d: %s" % (" ".join(command), done.returncode, done.stderr.strip() or done.stdout[-400:]))
    return done.stdout


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def processor_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return "a processor"


def processor_rows(found):
    """The rows of kernel_bench, level by level; the widest is what the program takes."""
    ns = {(r["kernel"], r["level"]): r["ns_per_cell_and_item"] for r in found["kernels"]}
    levels = [level for level in ("plain", "avx2", "avx512") if ("batch8", level) in ns]
    rows = []
    for level in levels:
        is_widest = level == levels[-1]
        rows.append(row("add", level + " one by one", 1e-9 * ns["add1", level], False))
        rows.append(row("add", level + " by eight", 1e-9 * ns["batch8", level], is_widest))
        rows.append(row("window", level, 1e-9 * (ns["window", level] + ns["finish_cf", level]), is_widest))
    rows.append(row("keep", "tiles", 1e-9 * ns["exact_add", "chosen"], True))
    rows.append(row("exact", "cold start", 1e-9 * ns["exact_cold", "chosen"], False))
    rows.append(row("exact", "warm start", 1e-9 * ns["exact_one", "chosen"], True))
    rows.append(row("tail_add", "by eight", 1e-9 * ns["tail_add", "chosen"], True))
    rows.append(row("tail", "lists", 1e-9 * ns["tail_one", "chosen"], True))
    return by_kernel(rows)


def measure_processor(args):
    path = args.json + ".kernels"
    threads = ["--threads", str(args.threads)] if args.threads else []
    size = ["--cells", str(SMALL_CELLS), "--runs", "3"] if args.small else ["--cells", str(args.cells)]
    run([args.kernel_bench, *size, "--json", path, *threads])
    with open(path, encoding="utf-8") as file:
        found = json.load(file)
    ceilings = json.loads(run([args.ceilings, *threads, *(["--small", "1"] if args.small else [])]))
    name = args.name or "%s, %d threads" % (processor_name(), found["threads"])
    return {"name": name, "ceilings": ceilings, "kernels": processor_rows(found)}


def device_rows(lines):
    """Rows that the device's benches print: {"kernel", "form", "seconds_per_item", "is_taken"}; other lines are not for us."""
    return by_kernel(row(line["kernel"], line["form"], line["seconds_per_item"], line["is_taken"])
                     for line in lines if "seconds_per_item" in line)


def measure_device(args):
    lines, name = [], args.name
    options = SMALL_OPTIONS if args.small else DEVICE_OPTIONS
    for bench, program in (("gpu_moments", args.gpu_moments), ("gpu_exact", args.gpu_exact), ("gpu_tail", args.gpu_tail)):
        if program:
            lines += json_lines(run([program, "--plugin", args.plugin, *options[bench]]))
    for line in lines:
        name = name or line.get("device")
    ceilings = json.loads(run([args.gpu_ceilings, *(["--small"] if args.small else [])]))
    return {"name": name or "a device", "ceilings": ceilings, "kernels": device_rows(lines)}


def command_measure(args):
    if args.plugin and args.gpu_ceilings:
        platform = measure_device(args)
    elif args.kernel_bench and args.ceilings:
        platform = measure_processor(args)
    else:
        sys.exit("measure: name --kernel-bench and --ceilings, or --plugin, --gpu-ceilings and the device's benches")
    with open(args.json, "w", encoding="utf-8") as file:
        json.dump(platform, file, indent=1)
    print("%s: %d kernels and forms, in %s" % (platform["name"], len(platform["kernels"]), args.json))


# --- drawing ----------------------------------------------------------------------------------------------------------

PANEL_WIDTH, PANEL_HEIGHT, LEFT, TOP = 420, 300, 64, 34
COLOURS = {"fp64": "#0072b2", "int32": "#d55e00", "int16": "#009e73"}  # told apart by the colour-blind
KINDS = ("int16", "int32", "fp64")


class Axes:
    """Log-log: operations a byte against operations a second."""

    def __init__(self, platform, left):
        rates = list(platform["ceilings"]["operations_per_second"].values())
        points = [(r["operations_per_item"] / r["bytes_per_item"], r["operations_per_item"] / r["seconds_per_item"])
                  for r in platform["rows"]]
        self.x0, self.x1 = math.log10(0.2), math.log10(30.0)
        self.y1 = math.ceil(math.log10(max(rates)) + 0.2)
        self.y0 = math.floor(min(math.log10(min(y for _, y in points)), self.y1 - 3))
        self.left, self.platform = left, platform

    def x(self, value):
        return self.left + (math.log10(value) - self.x0) / (self.x1 - self.x0) * PANEL_WIDTH

    def y(self, value):
        return TOP + (self.y1 - math.log10(value)) / (self.y1 - self.y0) * PANEL_HEIGHT


def text(x, y, words, anchor="middle", size=11, colour="#333"):
    return '<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d" fill="%s">%s</text>' % (
        x, y, anchor, size, colour, html.escape(words))


def line(x0, y0, x1, y1, colour, width=1.0):
    return '<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-width="%.1f"/>' % (x0, y0, x1, y1, colour, width)


def grid(axes):
    out = []
    for decade in range(axes.y0, axes.y1 + 1):
        y = axes.y(10.0 ** decade)
        out += [line(axes.left, y, axes.left + PANEL_WIDTH, y, "#ddd"),
                text(axes.left - 6, y + 4, "%g" % (10.0 ** (decade - 9)), "end")]
    for value in (0.5, 1, 2, 5, 10, 20):
        x = axes.x(value)
        out += [line(x, TOP, x, TOP + PANEL_HEIGHT, "#ddd"), text(x, TOP + PANEL_HEIGHT + 16, "%g" % value)]
    middle = axes.left + PANEL_WIDTH / 2
    return out + [text(middle, TOP + PANEL_HEIGHT + 34, "operations a byte"),
                  text(middle, TOP - 14, axes.platform["name"], size=13),
                  text(axes.left, TOP - 10, "Gop/s", "end")]


def roofs(axes):
    """One roof for each kind of operation: memory's slope up to the ceiling of that kind."""
    out, memory, named = [], axes.platform["ceilings"]["bytes_per_second"], []
    least = 10.0 ** axes.x0
    for kind in (k for k in KINDS if k in axes.platform["ceilings"]["operations_per_second"]):
        rate = axes.platform["ceilings"]["operations_per_second"][kind]
        knee = min(max(rate / memory, least), 10.0 ** axes.x1)
        y_knee = min(rate, memory * knee)
        out += [line(axes.x(least), axes.y(min(rate, memory * least)), axes.x(knee), axes.y(y_knee), "#777", 1.5),
                line(axes.x(knee), axes.y(y_knee), axes.left + PANEL_WIDTH, axes.y(y_knee), COLOURS[kind], 1.5),
                text(axes.left + PANEL_WIDTH - 4 - 40 * sum(abs(y - axes.y(y_knee)) < 12 for y in named),
                     axes.y(y_knee) - 4, kind, "end", colour=COLOURS[kind])]
        named.append(axes.y(y_knee))
    return out


def points(axes):
    """Forms that are taken are filled and named."""
    out = []
    for item in axes.platform["rows"]:
        x = axes.x(item["operations_per_item"] / item["bytes_per_item"])
        y = axes.y(item["operations_per_item"] / item["seconds_per_item"])
        colour = COLOURS[item["operation"]]
        out.append('<circle cx="%.1f" cy="%.1f" r="4" stroke="%s" fill="%s"><title>%s</title></circle>' % (
            x, y, colour, colour if item["is_taken"] else "none",
            html.escape("%s, %s: %.0f %% of its roof" % (item["kernel"], item["form"], 100.0 * item["architectural"]))))
        if item["is_taken"]:
            out.append(text(x + 8, y + 4, item["kernel"], "start", colour=colour))
    return out


def roofline_svg(joined):
    """A panel for each platform."""
    parts, width = [], 0
    for platform in joined["platforms"]:
        axes = Axes(platform, width + LEFT)
        parts += grid(axes) + roofs(axes) + points(axes)
        width += LEFT + PANEL_WIDTH + 20
    height = TOP + PANEL_HEIGHT + 46
    return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif">\n'
            '<title>Rooflines: filled points are the forms that the program takes</title>\n'
            '<rect width="100%%" height="100%%" fill="white"/>\n%s\n</svg>\n' % (width, height, "\n".join(parts)))
