"use strict";
/* Charts as SVG: the last days of a place, the shares of a region. */
(function () {
    const make = SST.make, LEFT = 44, RIGHT = 10, TOP = 12, BOTTOM = 36;

    function ticks(low, high, wanted) {
        const raw = (high - low) / wanted, power = Math.pow(10, Math.floor(Math.log10(raw)));
        const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw), out = [];
        for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
            out.push(Number((i * step).toPrecision(12)));
        return out;
    }

    /* A frame with axes: x in days, y in `unit`. */
    function frame(place, spec) {
        const width = Math.max(place.clientWidth, 280), height = spec.height;
        const x = (day) => LEFT + (day - spec.first + 0.5) / (spec.last - spec.first + 1) * (width - LEFT - RIGHT);
        const y = (value) => TOP + (spec.high - value) / (spec.high - spec.low) * (height - TOP - BOTTOM);
        const svg = make("svg", { viewBox: "0 0 " + width + " " + height, class: "chart", role: "img", "aria-label": spec.title });
        svg.append(make("title", {}, spec.title), make("desc", {}, spec.description));
        svg.append(make("defs", {}, make("pattern", { id: spec.name + "-hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse",
            patternTransform: "rotate(45)" }, make("rect", { width: 6, height: 6, fill: "#ffffff" }), make("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: "#9a9a9a", "stroke-width": 2 }))));
        const values = ticks(spec.low, spec.high, 5), decimals = values.length > 1 && values[1] - values[0] < 1 ? 1 : 0;
        for (const value of values) {
            svg.append(make("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value), stroke: "#e2e5e8" }));
            svg.append(make("text", { x: LEFT - 5, y: y(value) + 4, "text-anchor": "end" }, SST.fixed(value, decimals)));
        }
        const every = Math.ceil((spec.last - spec.first + 1) / Math.max(2, Math.floor((width - LEFT - RIGHT) / 75)));
        for (let day = spec.last; day >= spec.first; day -= every) {
            const name = SST.dayOfNumber(day);
            svg.append(make("line", { x1: x(day), x2: x(day), y1: height - BOTTOM, y2: height - BOTTOM + 4, stroke: "#555" }));
            if (name)
                svg.append(make("text", { x: Math.min(Math.max(x(day), LEFT), width - RIGHT - 18), y: height - BOTTOM + 17, "text-anchor": "middle" }, shortDay(name)));
        }
        svg.append(make("text", { x: LEFT, y: height - 4 }, spec.unit));
        return { svg, x, y, width, height, half: (x(1) - x(0)) / 2 };
    }

    const shortDay = (day) => SST.dayText(day).replace(/^(\d+) (\w{3})\w* .*/, "$1 $2");

    /* Path data through points; NaN breaks it. */
    function path(points) {
        let isOpen = false;
        return points.map(([x, y]) => {
            const isThere = Number.isFinite(y), out = isThere ? (isOpen ? "L" : "M") + x.toFixed(1) + "," + y.toFixed(1) : "";
            isOpen = isThere;
            return out;
        }).join("");
    }

    /* Runs of items for which all of `values` are known. */
    function runs(items, ...values) {
        const out = [[]];
        for (const item of items) {
            if (values.every((value) => Number.isFinite(value(item))))
                out[out.length - 1].push(item);
            else if (out[out.length - 1].length)
                out.push([]);
        }
        return out.filter((run) => run.length);
    }

    function addBand(chart, cells, low, high, look) {
        for (const run of runs(cells, low, high)) {
            const points = [...run.map((cell) => [cell, high(cell)]), ...[...run].reverse().map((cell) => [cell, low(cell)])];
            chart.svg.append(make("path", Object.assign({ d: path(points.map(([cell, value]) => [chart.x(cell.listed.number), chart.y(value)])) + "Z" }, look)));
        }
    }

    /* cells: of each day in order, null where it is not loaded. */
    SST.drawSeries = function (place, days, cells) {
        const there = cells.filter((cell) => cell), numbers = there.flatMap((cell) => [cell.sst, cell.mean, cell.threshold + (cell.bound || 0), cell.threshold - (cell.bound || 0)]).filter(Number.isFinite);
        place.replaceChildren();
        if (!numbers.length)
            return;
        const low = Math.min(...numbers), high = Math.max(...numbers), room = Math.max((high - low) * 0.06, 0.2);
        const chart = frame(place, {
            name: "cell", height: 260, first: days[0].number, last: days[days.length - 1].number, low: low - room, high: high + room,
            unit: "sea-surface temperature (°C)", title: "Temperature of the place day by day",
            description: "The table below has the same numbers."
        });
        const bottom = chart.height - BOTTOM;
        for (const cell of there) {
            const name = SST.classOf(cell), isIn = ["moderate", "strong", "severe", "extreme", "bridged"].includes(name);
            const left = chart.x(cell.listed.number) - chart.half, width = 2 * chart.half;
            if (isIn)
                chart.svg.append(make("rect", { class: "in-event", x: left, y: TOP, width, height: bottom - TOP, fill: SST.CLASSES[name].colour, "fill-opacity": 0.22 }));
            if (isIn)
                chart.svg.append(make("rect", { x: left, y: bottom - 7, width, height: 7, fill: SST.CLASSES[name].colour }));
            if (!Number.isFinite(cell.sst))
                chart.svg.append(make("rect", { class: "gap", x: left, y: TOP, width, height: bottom - TOP, fill: "url(#cell-hatch)", "fill-opacity": 0.35 }));
        }
        addBand(chart, there, (cell) => cell.threshold - cell.bound, (cell) => cell.threshold + cell.bound, { fill: "#00548f", "fill-opacity": 0.2, class: "band" });
        const line = (value) => path(cells.map((cell, i) => [chart.x(days[i].number), cell ? chart.y(value(cell)) : NaN]));
        chart.svg.append(make("path", { d: line((cell) => cell.mean), fill: "none", stroke: "#6a6f76", "stroke-width": 1.5 }));
        chart.svg.append(make("path", { d: line((cell) => cell.threshold), fill: "none", stroke: "#00548f", "stroke-width": 1.5, "stroke-dasharray": "6 3" }));
        chart.svg.append(make("path", { class: "sst", d: line((cell) => cell.sst), fill: "none", stroke: "#1a1a1a", "stroke-width": 2 }));
        for (const cell of there) {
            if (Number.isFinite(cell.sst))
                chart.svg.append(make("circle", { class: cell.listed.preliminary ? "preliminary" : "final", cx: chart.x(cell.listed.number), cy: chart.y(cell.sst), r: 2.8, fill: cell.listed.preliminary ? "#ffffff" : "#1a1a1a", stroke: "#1a1a1a", "stroke-width": 1.3 }));
        }
        place.append(chart.svg, seriesKey());
    };

    function seriesKey() {
        const about = SST.fields.about, side = about.cold ? "cold spell" : "heatwave";
        return make("p", { class: "small" }, "Black: the temperature (open dots: preliminary). Grey: the mean of the season. Blue, dashed: the threshold (percentile " +
            about.percentile + "), its band the error interval. Tinted days: in a " + side + ", the strip below by category. Hatched: no value.");
    }

    /* shares: of each day; stacked by category, and above them in a strip of their own what is unknown. */
    SST.drawRegion = function (place, shares) {
        place.replaceChildren();
        if (!shares.length)
            return;
        const expected = expectedShare(), strip = 16;
        const top = Math.max(...shares.map((one) => one.total).filter(Number.isFinite), expected * 1.3);
        const chart = frame(place, {
            name: "region", height: 230, first: shares[0].number, last: shares[shares.length - 1].number, low: 0, high: Math.min(100, top * 1.25),
            unit: "share of the known sea (%)", title: "Share of the region by category, day by day", description: "The table below has the same numbers."
        });
        for (const one of shares) {
            const x = chart.x(one.number) - chart.half, width = 2 * chart.half + 0.3, hatch = { x, width, fill: "url(#region-hatch)" };
            let below = 0;
            one.categories.forEach((share, i) => {
                if (!(share > 0))
                    return;
                const fill = i === 0 ? SST.CLASSES.bridged.colour : SST.CLASSES[SST.categoryClass(i)].colour;
                chart.svg.append(make("rect", { class: "share", x, width, y: chart.y(below + share), height: chart.y(below) - chart.y(below + share), fill }));
                below += share;
            });
            if (!Number.isFinite(one.total))
                chart.svg.append(make("rect", Object.assign({ class: "unknown", y: TOP, height: chart.height - BOTTOM - TOP }, hatch)));
            else if (one.unknown > 0)
                chart.svg.append(make("rect", Object.assign({ class: "unknown", y: TOP, height: one.unknown / 100 * strip }, hatch)));
        }
        chart.svg.append(make("rect", { x: LEFT, y: TOP, width: chart.width - LEFT - RIGHT, height: strip, fill: "none", stroke: "#9a9a9a", "stroke-width": 0.5 }));
        chart.svg.append(make("text", Object.assign({ x: LEFT + 4, y: TOP + strip - 4 }, HALO), "unknown (strip: 0 to 100 %)"));
        chart.svg.append(make("line", { class: "expected", x1: LEFT, x2: chart.width - RIGHT, y1: chart.y(expected), y2: chart.y(expected), stroke: "#1a1a1a", "stroke-dasharray": "2 3", "stroke-width": 1.5 }));
        chart.svg.append(make("text", Object.assign({ x: LEFT + 4, y: chart.y(expected) - 4 }, HALO), SST.expectedText()));
        place.append(chart.svg);
    };

    const HALO = { style: "paint-order:stroke;stroke:#fff;stroke-width:3px" };

    function expectedShare() {
        const about = SST.fields.about;
        return about.cold ? about.percentile : 100 - about.percentile;
    }

    SST.expectedText = function () {
        const [first, last] = SST.fields.about.baseline;
        const share = SST.fixed(expectedShare(), 1).replace(/\.0$/, "");
        return share + " % expected " + (first ? "within the baseline " + first + "–" + last : "within the baseline");
    };
}());
