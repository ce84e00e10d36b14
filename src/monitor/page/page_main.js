"use strict";
/* The page: what is chosen, and the words about it. */
(function () {
    const make = SST.make, byId = (id) => document.getElementById(id), fixed = SST.fixed;
    const SERIES_DAYS = 31, FEW_AREAS = 15, HOUR = 3600, STALE_HOURS = 36;
    const chosen = { day: 0, layer: "category", region: 0, allAreas: false };
    let about, index, words, turn = 0;

    SST.chosen = chosen;

    function start() {
        about = SST.fields.about;
        index = SST.fields.index;
        if (!about || !index)
            return trouble("about.js or index.js of this feed could not be read; the page needs them beside it.");
        if (typeof DecompressionStream === "undefined")
            return trouble("This browser cannot unpack the maps (it lacks DecompressionStream). The pictures of the days (map.png), areas.csv and the netCDF files hold the same.");
        SST.setCold();
        words = about.cold ? { one: "cold spell", many: "cold spells", beyond: "below" } : { one: "heatwave", many: "heatwaves", beyond: "above" };
        byId("main").hidden = false;
        fillHead();
        fillWords();
        fillFiles();
        SST.startMap();
        fillRegions();
        fillAreas();
        listen();
        const newest = index.days.findIndex((one) => one.day === index.newest);
        chooseDay(newest >= 0 ? newest : index.days.length - 1);
        drawLegend();
        drawStrip();
    }

    function trouble(text) {
        const place = byId("trouble");
        place.hidden = false;
        place.textContent = text;
    }

    /* --- head ----------------------------------------------------------------------------------------------------- */

    function agoText(hours) {
        if (hours < 1)
            return "less than an hour ago";
        const rounded = hours < 48 ? Math.round(hours) : Math.round(hours / 24), unit = hours < 48 ? "hour" : "day";
        return rounded + " " + unit + (rounded === 1 ? "" : "s") + " ago";
    }

    function fillHead() {
        byId("title").textContent = document.title = about.title;
        const [first, last] = about.baseline;
        byId("rule").textContent = [about.product, "percentile " + about.percentile + (first ? " of " + first + "–" + last : ""),
            "at least " + about.minDuration + " days, pauses up to " + about.maxGap, about.estimator && "threshold by " + about.estimator,
            about.climatology && "climatology " + about.climatology].filter(Boolean).join(" · ");
        tellAges();
        setInterval(tellAges, 60000);
    }

    function tellAges() {
        const now = Date.now() / 1000, since = Math.max(now - index.generated, 0) / HOUR, lines = [];
        const newest = index.days.find((one) => one.day === index.newest);
        if (newest) {
            const age = index.ageDays === null ? "" : " It ended " + agoText(index.ageDays * 24 + since) + ".";
            lines.push(["", "Newest day: " + SST.dayText(newest.day) + (newest.preliminary ? ", preliminary: it will change when the final fields come." : ", final.") +
                age + (index.newestFinal && newest.preliminary ? " Newest final day: " + SST.dayText(index.newestFinal) + "." : "")]);
        } else {
            lines.push(["late", "No day has come yet."]);
        }
        if (index.late)
            lines.push(["late", "Late: " + (index.expected ? SST.dayText(index.expected) + " was expected by now and has not come." : "a day that was expected by now has not come.")]);
        const absent = index.days.filter((one) => one.absent);
        if (absent.length)
            lines.push(["late", "Missing: no file came of " + listText(absent.map((one) => SST.dayText(one.day))) + ". Events that wait for such a day are shown as awaiting."]);
        const isStale = since > STALE_HOURS;
        lines.push([isStale ? "late" : "", "This page was made " + agoText(since) + (isStale ? ": the service that makes it may have stopped, or this is an old copy." : ".")]);
        const news = byId("news"), text = lines.map((line) => line.join("|")).join("\n");
        if (news.dataset.text === text)
            return;
        news.dataset.text = text;
        news.replaceChildren(...lines.map(([kind, line]) => make("p", kind ? { class: kind } : {}, line)));
    }

    const listText = (items) => items.length > 6 ? items.slice(-5).join(", ") + " and " + (items.length - 5) + " days before" : items.join(", ");

    /* --- days ----------------------------------------------------------------------------------------------------- */

    const listed = () => index.days[chosen.day];

    async function chooseDay(at) {
        if (!index.days.length)
            return;
        chosen.day = Math.min(Math.max(at, 0), index.days.length - 1);
        const one = listed(), mine = ++turn, slider = byId("day");
        slider.max = index.days.length - 1;
        slider.value = chosen.day;
        slider.setAttribute("aria-valuetext", SST.dayText(one.day));
        byId("day-name").value = SST.dayText(one.day);
        byId("day-before").disabled = chosen.day === 0;
        byId("day-after").disabled = chosen.day === index.days.length - 1;
        byId("day-facts").textContent = "Revision " + one.revision + ", " + (one.absent ? "no file came" : one.preliminary ? "preliminary" : "final") +
            ", published " + new Date(one.published * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC.";
        fillDayFiles();
        tellDay();
        try {
            const map = await SST.mapOf(one);
            if (mine !== turn)
                return;
            byId("map-note").textContent = one.absent ? "No file of this day has come: only what waits for it is shown." : one.preliminary ? "preliminary" : "";
            SST.paintMap(map, chosen.layer);
        } catch (error) {
            if (mine !== turn)
                return;
            byId("map-note").textContent = "The map of this day could not be read (" + error.message + ").";
            SST.clearMap();
        }
        byId("map").dataset.day = mine === turn ? one.day : "";
    }

    /* The day in words, for those who do not see the map. */
    function tellDay() {
        const row = index.regions.find((one) => one[0] === listed().day), region = about.regions[chosen.region];
        if (!row || !region) {
            byId("day-text").textContent = SST.dayText(listed().day) + ": nothing is summed up for this day.";
            return;
        }
        byId("day-text").textContent = SST.dayText(listed().day) + ", " + region.title + ": " + sharesText(sharesOf(row, chosen.region));
    }

    function sharesText(one) {
        if (!Number.isFinite(one.total))
            return "nothing is known of this day.";
        const names = ["moderate", "strong", "severe", "extreme"].map((name, i) => name + " " + fixed(one.categories[i + 1], 1) + " %");
        return fixed(one.total, 1) + " % of the known sea is in a " + words.one + " (" + names.join(", ") +
            (one.categories[0] > 0.05 ? ", pausing " + fixed(one.categories[0], 1) + " %" : "") + "); candidates " + fixed(one.candidate, 1) +
            " %; unknown " + fixed(one.unknown, 1) + " % of the sea that is judged.";
    }

    function drawStrip() {
        const n = index.days.length, svg = make("svg", { viewBox: "0 0 " + n + " 1", preserveAspectRatio: "none", role: "img",
            "aria-label": "Status of the days kept: dark final, light preliminary, orange no file" });
        index.days.forEach((one, i) => svg.append(make("rect", { x: i + 0.05, y: 0, width: 0.9, height: 1, fill: one.absent ? "#d55e00" : one.preliminary ? "#a9cde4" : "#00548f" },
            make("title", {}, SST.dayText(one.day) + ": " + (one.absent ? "no file" : one.preliminary ? "preliminary" : "final") + ", revision " + one.revision))));
        const key = [["#00548f", "final"], ["#a9cde4", "preliminary"], ["#d55e00", "no file came"]].flatMap(([colour, name]) => [swatch(colour), name + "  "]);
        byId("day-strip").replaceChildren(svg, make("p", { class: "small" }, ...key));
    }

    const swatch = (colour) => make("span", { class: "key", style: "background:" + colour });

    /* --- legend and words ------------------------------------------------------------------------------------------ */

    function patch(look) {
        const svg = make("svg", { width: 22, height: 16, "aria-hidden": "true" }, make("rect", { width: 22, height: 16, fill: look.colour }));
        for (let x = -16; look.hatch && x < 22; x += 6)
            svg.append(make("line", { x1: x, y1: 16, x2: x + 16, y2: 0, stroke: look.hatch, "stroke-width": 1.5 }));
        return svg;
    }

    function drawLegend() {
        const layer = SST.LAYERS[chosen.layer], place = byId("legend");
        const names = Object.keys(SST.CLASSES).filter((name) => !layer || ["awaiting", "missing", "ice", "land"].includes(name) || (chosen.layer === "severity" && name === "candidate"));
        const looks = names.map((name) => SST.CLASSES[name]).concat(layer && chosen.layer !== "severity" ? [SST.UNTOLD] : []);
        const list = make("ul", {}, ...looks.map((look) => make("li", {}, patch(look), make("span", {}, make("b", {}, look.name), ": " + look.text))));
        place.replaceChildren(...layer ? [scaleBar(layer)] : [], list);
        if (about.map.block > 1)
            place.append(make("p", { class: "small" }, "The map shows blocks of " + about.map.block + " × " + about.map.block + " cells, each by its highest category; a click gives the cell itself."));
    }

    function scaleBar(layer) {
        const svg = make("svg", { viewBox: "0 0 400 46", class: "chart scale", role: "img", "aria-label": layer.title }), n = 60;
        const state = (value) => ({ category: chosen.layer === "severity" && value >= 1 ? Math.min(Math.floor(value), 4) : 0 });
        for (let i = 0; i < n; ++i) {
            const value = layer.low + (i + 0.5) / n * (layer.high - layer.low);
            svg.append(make("rect", { x: 10 + i * 380 / n, y: 2, width: 380 / n + 0.3, height: 18, fill: "rgb(" + layer.colour(value, state(value)).join(",") + ")" }));
        }
        for (let i = 0; i <= 5; ++i) {
            const value = layer.low + i / 5 * (layer.high - layer.low), decimals = layer.high < 1 ? 1 : 0;
            svg.append(make("text", { x: 10 + i * 76, y: 36, "text-anchor": i === 0 ? "start" : i === 5 ? "end" : "middle" }, fixed(value, decimals) + (layer.unit ? " " + layer.unit : "")));
        }
        return make("div", {}, make("p", {}, layer.title + "."), svg);
    }

    function fillWords() {
        const [first, last] = about.baseline, share = SST.expectedText();
        const lines = [
            [words.many[0].toUpperCase() + words.many.slice(1), "Days in a row, at least " + about.minDuration + ", on which the sea is " + words.beyond + " the threshold of its place and season; pauses of up to " + about.maxGap + " days do not end it (Hobday et al. 2016)."],
            ["Threshold", "The percentile " + about.percentile + " of the days of the baseline" + (first ? " " + first + "–" + last : "") + " round the same date. By construction about " + share.replace(" expected", " of days and cells lie beyond it") + "; a warmer sea since then has more. Feeds with other baselines give other shares."],
            ["Category", "How far beyond: the distance of the temperature from the mean, in multiples of the distance of the threshold from the mean. I from 1, II from 2, III from 3, IV from 4 (Hobday et al. 2018). Severity is that number itself."],
            ["Error", "The threshold is an estimate. Where the climatology states its error, the band shows where the exact percentile of the same days is expected; “robust” means that the category is the same at both ends of it. It holds neither the error of the temperatures nor that of having few years."],
            ["Preliminary and final", "Producers replace their first fields after days or weeks. Then the days here are made anew, with a higher revision."],
            ["Candidate", "Beyond the threshold, but for too few days so far. It may become a " + words.one + ", and is not counted as one."],
            ["Awaiting", "A day is missing for which an open " + words.one + " waits, up to " + about.holdMissing + " days: neither in one nor out of it."],
            ["Shares", "Of the area of the sea whose state is known. What is unknown stands beside it. Ice, and sea whose threshold is too near to its mean, are in no share."]
        ];
        byId("words").replaceChildren(...lines.flatMap(([word, text]) => [make("dt", {}, word), make("dd", {}, text)]));
    }

    /* --- files ----------------------------------------------------------------------------------------------------- */

    function fillFiles() {
        const links = [["latest.json", "the newest day and how late it is"], ["index.json", "all files with their checksums"], ["areas.csv", "areas as a table"],
            ["events.geojson", "areas as outlines"], ["regions.geojson", "regions with their newest numbers"], ["feed.atom", "news, for feed readers"], ["feed.json", "the same as JSON"]];
        byId("files").replaceChildren(make("li", { id: "day-files" }), ...links.map(([name, text]) => make("li", {}, make("a", { href: name }, name), ": " + text)));
        if (about.sibling)
            byId("files").append(make("li", {}, make("a", { href: "../" + encodeURIComponent(about.sibling) + "/index.html" }, about.sibling), ": the same by another climatology"));
    }

    function fillDayFiles() {
        const folder = SST.folderOf(listed().day);
        byId("day-files").replaceChildren(SST.dayText(listed().day) + ": ", make("a", { href: folder + "mhw.nc" }, "mhw.nc"), " (netCDF), ", make("a", { href: folder + "map.png" }, "map.png"), " (a picture to share)");
    }

    /* --- a place --------------------------------------------------------------------------------------------------- */

    let cellTurn = 0;

    async function pickCell(cell) {
        if (!cell)
            return;
        SST.picked = cell;
        SST.drawMap();
        const mine = ++cellTurn, days = index.days.slice(-SERIES_DAYS), cells = days.map(() => null), failed = [];
        byId("cell-now").replaceChildren(make("p", {}, placeText(cell)), make("p", {}, "Reading its days …"));
        byId("cell-events").replaceChildren();
        byId("cell-chart").replaceChildren();
        for (let i = days.length - 1; i >= 0; --i) {
            try {
                cells[i] = await SST.cellOf(days[i], cell.row, cell.col);
            } catch (error) {
                failed.push(days[i].day);
            }
            if (mine !== cellTurn)
                return;
            if (i === days.length - 1 || i % 8 === 0)
                showCell(cell, days, cells, failed, i === 0);
        }
    }

    const placeText = (cell) => SST.latText(about.lat[cell.row]) + ", " + SST.lonText(about.lon[cell.col]);

    function showCell(cell, days, cells, failed, isWhole) {
        const last = [...cells].reverse().find((one) => one);
        byId("cell-details").hidden = false;
        SST.drawSeries(byId("cell-chart"), days, cells);
        byId("cell-now").replaceChildren(make("p", {}, make("b", {}, placeText(cell))), ...last ? nowOf(last) : []);
        if (failed.length)
            byId("cell-now").append(make("p", { class: "small" }, "Days that could not be read: " + failed.map(SST.dayText).join(", ") + "."));
        fillEvents(cells);
        fillCellTable(cells);
        byId("cell-now").dataset.whole = isWhole ? placeText(cell) : "";
    }

    const ROBUST = ["the category may be another within the error of the threshold", "robust: the same category within the error of the threshold", ""];

    function nowOf(one) {
        const look = SST.CLASSES[SST.classOf(one)];
        const text = SST.dayText(one.listed.day) + ": " + (Number.isFinite(one.sst) ? fixed(one.sst, 2) + " °C, " + signed(one.anomaly) + " °C from the mean of " + fixed(one.mean, 2) + " °C. Threshold " + fixed(one.threshold, 2) + " °C" + (Number.isFinite(one.bound) ? " ± " + fixed(one.bound, 2) : ", its error is not known") + "." : "no value.");
        const state = make("p", {}, patch(look), " ", make("b", {}, look.name), one.above > 0 ? ", " + one.above + (one.above === 1 ? " day " : " days in a row ") + words.beyond + " the threshold" : "",
            one.category > 0 && ROBUST[one.robust] ? "; " + ROBUST[one.robust] : "", one.listed.preliminary ? " (preliminary)" : "");
        return [make("p", {}, text), state];
    }

    const signed = (value) => (value > 0 ? "+" : "") + fixed(value, 2);

    /* Events of the days read: those with one start are one. */
    SST.eventsOf = function (cells) {
        const events = new Map();
        for (const one of cells) {
            if (!one || one.since === null || !["event", "bridged", "awaiting"].includes(one.label))
                continue;
            const first = one.listed.number - one.since;
            const event = events.get(first) || { first, last: one, peak: null, category: 0, open: false };
            event.last = one;
            if (Number.isFinite(one.anomaly) && one.label === "event" && (!event.peak || Math.abs(one.anomaly) > Math.abs(event.peak.anomaly)))
                event.peak = one;
            event.category = Math.max(event.category, one.category);
            events.set(first, event);
        }
        const newest = cells.length ? cells[cells.length - 1] : null;
        for (const event of events.values())
            event.open = event.last === newest;
        return [...events.values()];
    };

    function fillEvents(cells) {
        const events = SST.eventsOf(cells), place = byId("cell-events");
        if (!events.length)
            return place.replaceChildren(make("p", {}, "No " + words.one + " in these days."));
        place.replaceChildren(make("h3", {}, "Its " + words.many + " in these days"), make("ul", {}, ...events.map((event) => {
            const first = SST.dayOfNumber(event.first), days = event.last.listed.number - event.first + 1;
            return make("li", {}, (first ? "From " + SST.dayText(first) : days + " days") + (event.open ? ", day " + days + " on " : ", " + days + " days, last day ") + SST.dayText(event.last.listed.day) +
                (event.last.label === "awaiting" ? ", awaiting a missing day" : "") + (event.peak ? "; strongest of these days " + signed(event.peak.anomaly) + " °C on " + SST.dayText(event.peak.listed.day) : "") +
                (event.category > 0 ? ", category " + SST.CLASSES[SST.categoryClass(event.category)].name : "") + ".");
        })));
    }

    function table(place, heads, rows, caption) {
        place.replaceChildren(make("caption", {}, caption), make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))),
            make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((value, i) => make(i === 0 ? "th" : "td", i === 0 ? { scope: "row" } : {}, value))))));
    }

    function fillCellTable(cells) {
        const rows = cells.filter((one) => one).reverse().map((one) => [one.listed.day, fixed(one.sst, 2), fixed(one.mean, 2), fixed(one.threshold, 2), fixed(one.bound, 3),
            fixed(one.anomaly, 2), SST.CLASSES[SST.classOf(one)].name, one.category > 0 ? ["no", "yes", "–"][one.robust] : "–", one.listed.absent ? "no file" : one.listed.preliminary ? "preliminary" : "final"]);
        table(byId("cell-table"), ["day", "temperature", "mean", "threshold", "± error", "anomaly", "state", "robust", "field"], rows, "Degrees Celsius, newest day first. –: not known.");
    }

    /* --- regions --------------------------------------------------------------------------------------------------- */

    /* Shares of a region on a day in percent: [known, unknown, beside, candidate, category 0..4, mean anomaly, greatest] in index.js. */
    function sharesOf(row, region) {
        const [known, unknown, , candidate, ...rest] = row[region + 1], categories = rest.slice(0, 5).map((km2) => 100 * km2 / known);
        const one = index.days.find((day) => day.day === row[0]);
        return { day: row[0], number: one ? one.number : 0, categories, total: known > 0 ? categories.reduce((a, b) => a + b, 0) : NaN, candidate: 100 * candidate / known,
            unknown: known + unknown > 0 ? 100 * unknown / (known + unknown) : NaN, anomaly: rest[5] === null ? NaN : rest[5], greatest: rest[6] === null ? NaN : rest[6] };
    }

    function fillRegions() {
        byId("region").replaceChildren(...about.regions.map((region, i) => make("option", { value: i }, region.title)));
        if (about.regions.length)
            chooseRegion(0);
    }

    function chooseRegion(at) {
        chosen.region = at;
        SST.outlined = at > 0 ? about.regions[at] : null;
        drawRegion();
        SST.drawMap();
        byId("region-note").replaceChildren(SST.expectedText() + ", by construction, on any day. Hatched: sea whose state is unknown that day. Ice is in no share. File: ",
            make("a", { href: "regions/" + about.regions[at].name + ".csv" }, about.regions[at].name + ".csv"), ".");
        const rows = index.regions, all = rows.map((row) => sharesOf(row, at));
        byId("region-text").textContent = all.length ? SST.dayText(all[all.length - 1].day) + ": " + sharesText(all[all.length - 1]) : "Nothing is summed up yet.";
        table(byId("region-table"), ["day", "in a " + words.one + " %", "moderate %", "strong %", "severe %", "extreme %", "candidate %", "unknown %", "mean anomaly °C", "greatest °C"],
            all.reverse().map((one) => [one.day, fixed(one.total, 1), ...one.categories.slice(1).map((share) => fixed(share, 1)), fixed(one.candidate, 1), fixed(one.unknown, 1), fixed(one.anomaly, 2), fixed(one.greatest, 2)]),
            "Shares of the known sea. " + SST.expectedText() + ".");
        if (index.days.length && byId("day-name").value)
            tellDay();
    }

    function drawRegion() {
        SST.drawRegion(byId("region-chart"), index.regions.map((row) => sharesOf(row, chosen.region)));
    }

    /* --- areas ----------------------------------------------------------------------------------------------------- */

    function fillAreas() {
        const order = { ongoing: 0, merged: 1, ended: 1 };
        const areas = [...index.areas].sort((a, b) => order[a.status] - order[b.status] || b.km2 - a.km2), shown = chosen.allAreas ? areas : areas.slice(0, FEW_AREAS);
        byId("area-note").textContent = areas.length ? "Cells that touch are one area. First those of the newest day, then those that ended or merged in the days kept; by size." : "No area is in a " + words.one + ".";
        const rows = shown.map((area) => {
            const go = make("button", { type: "button", "aria-label": "show " + area.id + " on the map" }, Math.abs(area.lat).toFixed(0) + "°" + (area.lat < 0 ? "S" : "N") + " " + Math.abs(area.lon).toFixed(0) + "°" + (area.lon < 0 ? "W" : "E"));
            go.addEventListener("click", () => { SST.centreOn(area.lat, area.lon, 4); byId("map").scrollIntoView({ block: "center" }); });
            return [go, area.status + (area.into ? " into " + area.into : ""), area.first, area.status === "ongoing" ? "–" : area.last, String(area.days), thousands(area.km2), thousands(area.mostKm2),
                area.highest > 0 ? SST.CLASSES[SST.categoryClass(area.highest)].name : "–", signed(area.peak) + " on " + area.peakDay];
        });
        table(byId("area-table"), ["middle", "status", "first day", "last day", "days", "10³ km²", "at most", "highest category", "strongest °C"], rows, "Areas in a " + words.one + ".");
        const more = byId("area-more");
        more.hidden = areas.length <= FEW_AREAS;
        more.textContent = chosen.allAreas ? "Show the largest " + FEW_AREAS : "Show all " + areas.length;
    }

    const thousands = (km2) => km2 < 10000 ? fixed(km2 / 1000, 1) : fixed(km2 / 1000, 0).replace(/\B(?=(\d{3})+$)/g, " ");

    /* --- what the reader does -------------------------------------------------------------------------------------- */

    function hover(cell) {
        const one = cell && SST.mapCell(cell);
        if (!one)
            return byId("pointer").replaceChildren();
        const numbers = one.surface !== "water" ? "" : [Number.isFinite(one.anomaly) ? "anomaly about " + fixed(one.anomaly, 1) + " °C" : "", Number.isFinite(one.severity) ? "severity about " + fixed(one.severity, 1) : "",
            Number.isFinite(one.bound) ? "error about " + fixed(one.bound, 2) + " °C" : ""].filter(Boolean).join(", ");
        byId("pointer").textContent = placeText(cell) + ": " + SST.CLASSES[SST.classOf(one)].name + (numbers ? "; " + numbers : "");
    }

    function listen() {
        SST.listenToMap(pickCell, hover);
        byId("day").addEventListener("input", (event) => chooseDay(Number(event.target.value)));
        byId("day-before").addEventListener("click", () => chooseDay(chosen.day - 1));
        byId("day-after").addEventListener("click", () => chooseDay(chosen.day + 1));
        byId("zoom-in").addEventListener("click", () => SST.zoom(1.5));
        byId("zoom-out").addEventListener("click", () => SST.zoom(1 / 1.5));
        byId("zoom-all").addEventListener("click", () => { SST.showAll(); SST.drawMap(); });
        byId("region").addEventListener("change", (event) => chooseRegion(Number(event.target.value)));
        byId("area-more").addEventListener("click", () => { chosen.allAreas = !chosen.allAreas; fillAreas(); });
        byId("layers").addEventListener("change", (event) => { chosen.layer = event.target.value; drawLegend(); chooseDay(chosen.day); });
        document.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.altKey || event.metaKey || (event.key !== "[" && event.key !== "]"))
                return;
            chooseDay(chosen.day + (event.key === "[" ? -1 : 1));
        });
        new ResizeObserver(drawRegion).observe(byId("region-chart"));
    }

    document.addEventListener("DOMContentLoaded", start);
}());
