"use strict";
/* Takes in what the feed's scripts carry, and unpacks it. Scripts are the only files that a page from a disk may load. */
var SST = {};
(function () {
    const maps = new Map(), tiles = new Map(), loading = new Map();
    const MOST_MAPS = 8, MOST_TILES = 128;

    SST.fields = { about: null, index: null };
    SST.about = (about) => { SST.fields.about = about; };
    SST.index = (index) => { SST.fields.index = index; };
    SST.map = (key, map) => { keep(maps, key, map, MOST_MAPS); };
    SST.tile = (key, row, col, tile) => { keep(tiles, key + "/" + row + "/" + col, tile, MOST_TILES); };

    /* The latest `most` of them. */
    function keep(store, key, value, most) {
        store.delete(key);
        store.set(key, value);
        while (store.size > most)
            store.delete(store.keys().next().value);
    }

    function load(address) {
        if (!loading.has(address)) {
            loading.set(address, new Promise((resolve, reject) => {
                const script = document.createElement("script");
                script.src = address;
                script.onload = () => { script.remove(); loading.delete(address); resolve(); };
                script.onerror = () => { script.remove(); loading.delete(address); reject(new Error(address + " could not be loaded")); };
                document.head.append(script);
            }));
        }
        return loading.get(address);
    }

    /* "2026-11-30" as it stands in names */
    SST.keyOf = (day) => day.split("-").join("");
    SST.folderOf = (day) => "days/" + day.slice(0, -6) + "/" + SST.keyOf(day) + "/";

    /* Base64 of a zlib stream. */
    SST.inflate = async function (text) {
        const binary = atob(text), packed = new Uint8Array(binary.length);
        for (let i = 0; i < packed.length; ++i)
            packed[i] = binary.charCodeAt(i);
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
        return new Uint8Array(await new Response(stream).arrayBuffer());
    };

    /* Differences of bytes, in place. */
    function sumBytes(codes) {
        for (let i = 1; i < codes.length; ++i)
            codes[i] += codes[i - 1];
        return codes;
    }

    /* Differences of 16 bits, low bytes before high ones. */
    function sumWords(codes) {
        const n = codes.length / 2, words = new Uint16Array(n);
        for (let i = 0, word = 0; i < n; ++i)
            words[i] = word = word + codes[i] + (codes[n + i] << 8) & 0xffff;
        return words;
    }

    /* The planes of a day's map: codes of a byte for each cell. */
    SST.mapOf = async function (listed) {
        const key = SST.keyOf(listed.day);
        let map = maps.get(key);
        if (!map || map.revision !== listed.revision) {
            await load(SST.folderOf(listed.day) + "map.js?r=" + listed.revision);
            map = maps.get(key);
        }
        if (!map.planes) {
            const [state, severity, anomaly, bound] = await Promise.all(
                [map.state, map.severity, map.anomaly, map.bound].map(SST.inflate));
            map.planes = { state, severity: sumBytes(severity), anomaly: sumBytes(anomaly), bound: sumBytes(bound) };
            map.state = map.severity = map.anomaly = map.bound = null;
        }
        return map;
    };

    function temperature(plane, words, at) {
        const code = words[at] << 16 >> 16;
        return code === -32768 ? NaN : plane.base + code * plane.step;
    }

    /* The numbers of one cell on one day. */
    SST.cellOf = async function (listed, row, col) {
        const size = SST.fields.about.tile, tileRow = Math.floor(row / size), tileCol = Math.floor(col / size);
        const key = SST.keyOf(listed.day) + "/" + tileRow + "/" + tileCol;
        let tile = tiles.get(key);
        if (!tile || tile.revision !== listed.revision) {
            await load(SST.folderOf(listed.day) + "tile_" + tileRow + "_" + tileCol + ".js?r=" + listed.revision);
            tile = tiles.get(key);
        }
        if (!tile.planes) {
            const names = ["state", "robust", "above", "since"], floats = ["sst", "mean", "spread", "bound"];
            const bytes = await Promise.all(names.map((name) => SST.inflate(tile[name])).concat(
                floats.map((name) => SST.inflate(tile[name].codes))));
            tile.planes = { state: bytes[0], robust: bytes[1] };
            ["above", "since", ...floats].forEach((name, i) => { tile.planes[name] = sumWords(bytes[2 + i]); });
        }
        const at = (row % size) * tile.cols + col % size, planes = tile.planes;
        const sst = temperature(tile.sst, planes.sst, at), mean = temperature(tile.mean, planes.mean, at);
        return Object.assign(SST.stateOf(planes.state[at]), {
            listed, sst, mean, anomaly: sst - mean,
            threshold: mean + temperature(tile.spread, planes.spread, at), bound: temperature(tile.bound, planes.bound, at),
            robust: planes.robust[at], above: planes.above[at], since: planes.since[at] === 0xffff ? null : planes.since[at]
        });
    };

    SST.SURFACES = ["water", "land", "missing", "ice", "no variance"];
    SST.LABELS = ["none", "candidate", "event", "bridged", "unknown", "awaiting"];

    SST.stateOf = function (code) {
        const { surfaces, labels } = SST.fields.about.state;
        return {
            surface: SST.SURFACES[code % surfaces], label: SST.LABELS[Math.floor(code / surfaces) % labels],
            category: Math.floor(code / surfaces / labels) - 1
        };
    };

    /* --- days and places ------------------------------------------------------------------------------------------ */

    const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December"];

    /* "2026-11-30" as people write it */
    SST.dayText = function (day) {
        const [, year, month, of] = /^(-?\d+)-(\d+)-(\d+)$/.exec(day);
        return Number(of) + " " + MONTHS[month - 1] + " " + Number(year);
    };

    /* The day of a number of days since 1970, where the calendar is the everyday one or the feed lists it. */
    SST.dayOfNumber = function (number) {
        const listed = SST.fields.index.days.find((one) => one.number === number);
        if (listed)
            return listed.day;
        const isEveryday = /^(standard|gregorian|proleptic_gregorian)$/.test(SST.fields.about.calendar);
        return isEveryday ? new Date(number * 864e5).toISOString().slice(0, 10) : null;
    };

    SST.latText = (lat) => Math.abs(lat).toFixed(2) + "° " + (lat < 0 ? "S" : "N");
    SST.lonText = function (lon) {
        const turned = ((lon + 180) % 360 + 360) % 360 - 180;
        return Math.abs(turned).toFixed(2) + "° " + (turned < 0 ? "W" : "E");
    };
    SST.fixed = (value, decimals) => Number.isFinite(value) ? value.toFixed(decimals).replace("-", "−") : "–";

    /* An element with attributes and children; texts are texts, whatever they hold. */
    SST.make = function (name, attributes, ...children) {
        const isDrawing = SST.DRAWN.has(name);
        const element = isDrawing ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
        for (const [key, value] of Object.entries(attributes || {}))
            element.setAttribute(key, value);
        element.append(...children);
        return element;
    };
    SST.DRAWN = new Set(["svg", "g", "path", "rect", "line", "circle", "text", "title", "desc", "defs", "pattern"]);
}());
