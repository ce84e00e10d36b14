"use strict";
/* The map: an image of one pixel a cell, drawn to the canvas as the view asks. */
(function () {
    const image = document.createElement("canvas");
    const view = { lon: 0, lat: 0, zoom: 1 }; /* the middle, and pixels as a multiple of what shows all */
    const MOST_ZOOM = 64, HATCH = 4;
    let canvas, box, shown = null, isWaiting = false;

    SST.view = view;
    SST.picked = null; /* { row, col } */
    SST.outlined = null; /* a region */

    function edges(values) {
        const n = values.length, out = new Float64Array(n + 1);
        const step = n > 1 ? values[1] - values[0] : 1;
        for (let i = 1; i < n; ++i)
            out[i] = (values[i - 1] + values[i]) / 2;
        out[0] = values[0] - step / 2;
        out[n] = values[n - 1] + (n > 1 ? values[n - 1] - values[n - 2] : 1) / 2;
        return out;
    }

    /* Index of the interval that holds `at`, of edges that go one way. */
    function find(of, at) {
        const isUp = of[of.length - 1] > of[0];
        let low = 0, high = of.length - 1;
        if (isUp ? at < of[0] || at >= of[high] : at > of[0] || at <= of[high])
            return -1;
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            if (isUp ? of[middle] <= at : of[middle] >= at)
                low = middle;
            else
                high = middle;
        }
        return low;
    }

    SST.startMap = function () {
        const about = SST.fields.about;
        canvas = document.getElementById("map");
        const lat = edges(about.lat).map((value) => Math.min(Math.max(value, -90), 90)), lon = edges(about.lon);
        box = {
            lat, lon, west: lon[0], east: lon[lon.length - 1], south: Math.min(lat[0], lat[lat.length - 1]),
            north: Math.max(lat[0], lat[lat.length - 1])
        };
        box.turns = box.east - box.west > 359.9;
        image.width = about.map.cols;
        image.height = about.map.rows;
        box.colOf = table(image.width, (share) => find(lon, box.west + share * (box.east - box.west)));
        box.rowOf = table(image.height, (share) => find(lat, box.north - share * (box.north - box.south)));
        SST.showAll();
        new ResizeObserver(SST.resizeMap).observe(canvas.parentElement);
        SST.resizeMap();
    };

    /* For each pixel of the image the map's row or column: grids of uneven steps are drawn evenly. */
    function table(n, cellAt) {
        const block = SST.fields.about.map.block;
        return Int32Array.from({ length: n }, (_, i) => Math.max(0, Math.floor(cellAt((i + 0.5) / n) / block)));
    }

    SST.resizeMap = function () {
        const width = canvas.parentElement.clientWidth - 2, ratio = window.devicePixelRatio || 1;
        const aspect = Math.min(Math.max((box.north - box.south) / (box.east - box.west), 0.4), 1.2);
        canvas.style.height = Math.round(width * aspect) + "px";
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(width * aspect * ratio);
        SST.drawMap();
    };

    /* [pixels of the canvas] of a degree */
    function scale() {
        return Math.min(canvas.width / (box.east - box.west), canvas.height / (box.north - box.south)) * view.zoom;
    }

    SST.showAll = function () {
        view.zoom = 1;
        view.lon = (box.west + box.east) / 2;
        view.lat = (box.south + box.north) / 2;
    };

    function clamp() {
        view.zoom = Math.min(Math.max(view.zoom, 1), MOST_ZOOM);
        const half = canvas.height / scale() / 2, middle = (box.south + box.north) / 2;
        const room = Math.max((box.north - box.south) / 2 - half, 0);
        view.lat = Math.min(Math.max(view.lat, middle - room), middle + room);
        if (box.turns) {
            view.lon = box.west + ((view.lon - box.west) % 360 + 360) % 360;
        } else {
            const centre = (box.west + box.east) / 2, free = Math.max((box.east - box.west) / 2 - canvas.width / scale() / 2, 0);
            view.lon = Math.min(Math.max(view.lon, centre - free), centre + free);
        }
    }

    /* Moves by shares of what is seen. */
    SST.pan = function (east, north) {
        view.lon += east * canvas.width / scale();
        view.lat += north * canvas.height / scale();
        SST.drawMap();
    };

    /* Zooms; the place under a pixel of the canvas stays. */
    SST.zoom = function (factor, x = canvas.width / 2, y = canvas.height / 2) {
        const lon = view.lon + (x - canvas.width / 2) / scale(), lat = view.lat - (y - canvas.height / 2) / scale();
        view.zoom = Math.min(Math.max(view.zoom * factor, 1), MOST_ZOOM);
        view.lon = lon - (x - canvas.width / 2) / scale();
        view.lat = lat + (y - canvas.height / 2) / scale();
        SST.drawMap();
    };

    SST.centreOn = function (lat, lon, zoom) {
        Object.assign(view, { lat, lon, zoom: Math.max(view.zoom, zoom) });
        SST.drawMap();
    };

    /* Pixels of the page, from the canvas' corner, of a place; and back. */
    SST.pixelOf = function (lat, lon) {
        const ratio = canvas.width / canvas.clientWidth;
        const turned = box.turns ? view.lon + ((lon - view.lon + 180) % 360 + 360) % 360 - 180 : lon;
        return { x: (canvas.width / 2 + (turned - view.lon) * scale()) / ratio, y: (canvas.height / 2 - (lat - view.lat) * scale()) / ratio };
    };

    SST.cellAt = function (x, y) {
        const ratio = canvas.width / canvas.clientWidth;
        let lon = view.lon + (x * ratio - canvas.width / 2) / scale();
        if (box.turns)
            lon = box.west + ((lon - box.west) % 360 + 360) % 360;
        const row = find(box.lat, view.lat - (y * ratio - canvas.height / 2) / scale()), col = find(box.lon, lon);
        return row < 0 || col < 0 ? null : { row, col };
    };

    SST.middle = () => SST.cellAt(canvas.clientWidth / 2, canvas.clientHeight / 2);

    /* What the day's map says of a cell: its state and the layers' values. */
    SST.mapCell = function (cell) {
        if (!shown)
            return null;
        const { block, cols } = SST.fields.about.map;
        const at = Math.floor(cell.row / block) * cols + Math.floor(cell.col / block), planes = shown.map.planes;
        const out = SST.stateOf(planes.state[at]);
        for (const layer of ["severity", "anomaly", "bound"])
            out[layer] = SST.valueOf(layer, planes[layer][at]);
        return out;
    };

    /* Colours of all states, or of states by codes of a layer. */
    function painter(layer, planes) {
        const { surfaces, labels } = SST.fields.about.state, CATEGORIES = 6; /* none told, 0 .. 4 */
        const states = Array.from({ length: surfaces * labels * CATEGORIES }, (_, code) => {
            const state = SST.stateOf(code), name = SST.classOf(state), look = SST.CLASSES[name];
            return { state, name, colour: SST.rgb(look.colour), hatch: look.hatch ? SST.rgb(look.hatch) : null };
        });
        const byClass = (at, onLine) => {
            const one = states[planes.state[at]];
            return onLine && one.hatch ? one.hatch : one.colour;
        };
        if (layer === "category")
            return byClass;
        const cache = new Map(), untold = SST.rgb(SST.UNTOLD.colour);
        return (at, onLine) => {
            const code = planes[layer][at], one = states[planes.state[at]];
            if (["land", "ice", "missing", "awaiting"].includes(one.name) || (code === 0 && layer === "severity"))
                return byClass(at, onLine);
            if (code === 0)
                return untold;
            if (layer === "severity" && onLine && one.name === "candidate")
                return one.hatch;
            const key = code * 8 + Math.max(one.state.category, 0);
            if (!cache.has(key))
                cache.set(key, SST.LAYERS[layer].colour(SST.valueOf(layer, code), one.state));
            return cache.get(key);
        };
    }

    SST.paintMap = function (map, layer) {
        const { rows, cols } = SST.fields.about.map, context = image.getContext("2d");
        const pixels = context.createImageData(cols, rows), paint = painter(layer, map.planes);
        shown = { map, layer };
        for (let y = 0, to = 0; y < rows; ++y) {
            for (let x = 0; x < cols; ++x, to += 4) {
                const [red, green, blue] = paint(box.rowOf[y] * cols + box.colOf[x], (x + y) % HATCH === 0);
                pixels.data[to] = red;
                pixels.data[to + 1] = green;
                pixels.data[to + 2] = blue;
                pixels.data[to + 3] = 255;
            }
        }
        context.putImageData(pixels, 0, 0);
        SST.drawMap();
    };

    SST.clearMap = function () {
        shown = null;
        SST.drawMap();
    };

    SST.drawMap = function () {
        clamp();
        if (isWaiting)
            return;
        isWaiting = true;
        requestAnimationFrame(() => { isWaiting = false; draw(canvas.getContext("2d")); });
    };

    function draw(context) {
        const turns = box.turns ? [-360, 0, 360] : [0], per = scale();
        context.fillStyle = "#f3f6f9";
        context.fillRect(0, 0, canvas.width, canvas.height);
        context.imageSmoothingEnabled = false;
        for (const turn of turns) {
            const x = canvas.width / 2 + (box.west + turn - view.lon) * per, y = canvas.height / 2 - (box.north - view.lat) * per;
            const width = (box.east - box.west) * per;
            if (shown && x < canvas.width && x + width > 0)
                context.drawImage(image, x, y, width, (box.north - box.south) * per);
        }
        const ratio = canvas.width / canvas.clientWidth;
        drawNet(context, ratio);
        if (SST.outlined)
            drawRings(context, SST.outlined.rings, ratio);
        if (SST.picked)
            drawMark(context, ratio);
        if (canvas.matches(":focus-visible"))
            drawCross(context, ratio);
    }

    function place(lat, lon) {
        return { x: canvas.width / 2 + (lon - view.lon) * scale(), y: canvas.height / 2 - (lat - view.lat) * scale() };
    }

    /* Meridians and parallels, named at the edge. */
    function drawNet(context, ratio) {
        const steps = [60, 30, 20, 10, 5, 2, 1, 0.5], seen = canvas.width / scale(), step = steps.find((one) => seen / one >= 4) || 0.5;
        const west = view.lon - seen / 2, south = view.lat - canvas.height / scale() / 2, north = view.lat + canvas.height / scale() / 2;
        context.strokeStyle = "rgba(40, 50, 60, .22)";
        context.fillStyle = "rgba(20, 20, 20, .8)";
        context.lineWidth = ratio;
        context.font = 11 * ratio + "px system-ui, 'DejaVu Sans', sans-serif";
        context.beginPath();
        for (let lon = Math.ceil(west / step) * step; lon < west + seen; lon += step) {
            const { x } = place(0, lon), turned = ((lon + 180) % 360 + 360) % 360 - 180;
            context.moveTo(x, 0);
            context.lineTo(x, canvas.height);
            context.fillText(Math.abs(turned) + "°" + (turned === 0 || turned === -180 ? "" : turned < 0 ? "W" : "E"), x + 3 * ratio, canvas.height - 4 * ratio);
        }
        for (let lat = Math.ceil(south / step) * step; lat < north; lat += step) {
            const { y } = place(lat, 0);
            context.moveTo(0, y);
            context.lineTo(canvas.width, y);
            context.fillText(Math.abs(lat) + "°" + (lat === 0 ? "" : lat < 0 ? "S" : "N"), 3 * ratio, y - 3 * ratio);
        }
        context.stroke();
    }

    function drawRings(context, rings, ratio) {
        for (const [width, colour] of [[4, "rgba(255,255,255,.8)"], [1.5, "#00548f"]]) {
            context.lineWidth = width * ratio;
            context.strokeStyle = colour;
            for (const turn of [-720, -360, 0, 360, 720]) {
                for (const ring of rings) {
                    context.beginPath();
                    ring.forEach(([lon, lat], i) => {
                        const { x, y } = place(lat, lon + turn);
                        i === 0 ? context.moveTo(x, y) : context.lineTo(x, y);
                    });
                    context.closePath();
                    context.stroke();
                }
            }
        }
    }

    function drawMark(context, ratio) {
        const about = SST.fields.about, { x, y } = SST.pixelOf(about.lat[SST.picked.row], about.lon[SST.picked.col]);
        for (const [width, colour] of [[5, "#ffffff"], [2, "#1a1a1a"]]) {
            context.lineWidth = width * ratio;
            context.strokeStyle = colour;
            context.beginPath();
            context.arc(x * ratio, y * ratio, 8 * ratio, 0, 2 * Math.PI);
            context.stroke();
        }
    }

    function drawCross(context, ratio) {
        const x = canvas.width / 2, y = canvas.height / 2, arm = 10 * ratio;
        for (const [width, colour] of [[4, "rgba(255,255,255,.9)"], [1.5, "#1a1a1a"]]) {
            context.lineWidth = width * ratio;
            context.strokeStyle = colour;
            context.beginPath();
            context.moveTo(x - arm, y);
            context.lineTo(x + arm, y);
            context.moveTo(x, y - arm);
            context.lineTo(x, y + arm);
            context.stroke();
        }
    }

    /* Mouse, fingers and keys. */
    SST.listenToMap = function (pick, hover) {
        const fingers = new Map();
        let moved = 0;
        const spread = () => {
            const [a, b] = [...fingers.values()];
            return Math.hypot(a.x - b.x, a.y - b.y);
        };
        canvas.addEventListener("pointerdown", (event) => {
            canvas.setPointerCapture(event.pointerId);
            fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
            moved = fingers.size > 1 ? Infinity : 0;
        });
        canvas.addEventListener("pointermove", (event) => {
            const before = fingers.get(event.pointerId), ratio = canvas.width / canvas.clientWidth;
            if (!before)
                return hover(SST.cellAt(event.offsetX, event.offsetY));
            const wide = fingers.size === 2 ? spread() : 0;
            fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
            moved += Math.hypot(event.offsetX - before.x, event.offsetY - before.y);
            if (fingers.size === 2)
                SST.zoom(spread() / Math.max(wide, 1), event.offsetX * ratio, event.offsetY * ratio);
            else if (moved > 4)
                SST.pan((before.x - event.offsetX) / canvas.clientWidth, (event.offsetY - before.y) / canvas.clientHeight);
        });
        canvas.addEventListener("pointerup", (event) => {
            fingers.delete(event.pointerId);
            if (moved <= 4)
                pick(SST.cellAt(event.offsetX, event.offsetY));
        });
        canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
        canvas.addEventListener("wheel", (event) => {
            if (!event.ctrlKey && !event.metaKey)
                return;
            event.preventDefault();
            const ratio = canvas.width / canvas.clientWidth;
            SST.zoom(event.deltaY < 0 ? 1.25 : 0.8, event.offsetX * ratio, event.offsetY * ratio);
        }, { passive: false });
        canvas.addEventListener("focus", SST.drawMap);
        canvas.addEventListener("blur", SST.drawMap);
        const keys = {
            ArrowLeft: () => SST.pan(-0.1, 0), ArrowRight: () => SST.pan(0.1, 0), ArrowUp: () => SST.pan(0, 0.1),
            ArrowDown: () => SST.pan(0, -0.1), "+": () => SST.zoom(1.5), "=": () => SST.zoom(1.5), "-": () => SST.zoom(1 / 1.5),
            0: () => { SST.showAll(); SST.drawMap(); }, Enter: () => pick(SST.middle())
        };
        canvas.addEventListener("keydown", (event) => {
            if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key])
                return;
            event.preventDefault();
            keys[event.key]();
            hover(SST.middle());
        });
    };
}());
