"use strict";
/* Classes of cells, their colours and words. The picture of a day has the same (feed_page_picture.c). */
(function () {
    const warm = ["#ffc866", "#ff6900", "#9e0000", "#2d0000"], cold = ["#9ecae1", "#4292c6", "#08519c", "#08204d"];

    /* In this order in the legend. hatch: the colour of its lines. */
    SST.CLASSES = {
        calm: { colour: "#eef4f8", name: "no heatwave", text: "within what is usual for the season" },
        moderate: { name: "I moderate", text: "above the threshold: one to two times as far from the mean as that" },
        strong: { name: "II strong", text: "two to three times as far" },
        severe: { name: "III severe", text: "three to four times as far" },
        extreme: { name: "IV extreme", text: "four times as far and more" },
        bridged: { colour: "#f6e3c3", name: "bridged", text: "a short pause within a heatwave" },
        candidate: { colour: "#e3dcee", hatch: "#b5a6d0", name: "candidate", text: "above the threshold, for too few days so far to be a heatwave" },
        awaiting: { colour: "#f2f2f2", hatch: "#707078", name: "awaiting", text: "in a heatwave before a day that is missing: neither in one nor out of it until that comes" },
        missing: { colour: "#ffffff", hatch: "#c4c4c4", name: "no value", text: "nothing is known of this day" },
        ice: { colour: "#c3d4de", name: "ice", text: "sea ice, on the day or usual there: no category" },
        variance: { colour: "#dfe2e2", name: "not judged", text: "the threshold is too near to the mean for a category" },
        land: { colour: "#b4aea4", name: "land", text: "or sea without a climatology" }
    };

    /* Water of which a layer has no number. */
    SST.UNTOLD = { colour: "#cfcfcf", name: "not known", text: "no number is stated for this cell" };

    SST.setCold = function () {
        const isCold = SST.fields.about.cold, colours = isCold ? cold : warm, classes = SST.CLASSES;
        ["moderate", "strong", "severe", "extreme"].forEach((name, i) => { classes[name].colour = colours[i]; });
        if (!isCold)
            return;
        classes.calm.colour = "#f6f5f0";
        classes.bridged.colour = "#d4e6f1";
        for (const one of Object.values(classes)) {
            one.name = one.name.replace("heatwave", "cold spell");
            one.text = one.text.replace(/heatwave/g, "cold spell").replace(/above/g, "below");
        }
    };

    SST.categoryClass = (category) => ["moderate", "strong", "severe", "extreme"][category - 1];

    SST.classOf = function (state) {
        if (state.surface === "land" || state.surface === "ice")
            return state.surface;
        if (state.surface === "no variance")
            return "variance";
        if (state.label === "awaiting")
            return "awaiting";
        if (state.surface === "missing" || state.label === "unknown")
            return "missing";
        if (state.label === "event")
            return state.category > 0 ? SST.categoryClass(state.category) : "bridged";
        return state.label === "none" ? "calm" : state.label;
    };

    SST.rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

    /* Colour at a share of a list of colours. */
    function along(colours, share) {
        const at = Math.min(Math.max(share, 0), 1) * (colours.length - 1), i = Math.min(Math.floor(at), colours.length - 2);
        const from = SST.rgb(colours[i]), to = SST.rgb(colours[i + 1]);
        return from.map((value, c) => Math.round(value + (to[c] - value) * (at - i)));
    }

    /* Scales of layers of numbers. None of them has a heatwave's colour where there is no heatwave. */
    const unease = ["#ffffff", "#eef4f8", "#d5d9e6", "#c3bfd6"];
    const both = ["#0b4080", "#4a8fc4", "#a9cde4", "#f7f7f7", "#eebfd8", "#d0629f", "#7d0a52"];
    const error = ["#f2f7ec", "#b5dcc5", "#62b3b0", "#2a7a93", "#173a63"];
    SST.LAYERS = {
        severity: {
            title: "Severity: how many times the distance from mean to threshold; coloured where there is a heatwave",
            low: 0, high: 5, unit: "",
            colour: (value, state) => state.category > 0
                ? along(["moderate", "strong", "severe", "extreme"].map((name) => SST.CLASSES[name].colour), (value - 1) / 3.5)
                : along(unease, value / 1.5)
        },
        anomaly: { title: "Anomaly: difference from the mean of the season", low: -5, high: 5, unit: "°C", colour: (value) => along(both, (value + 5) / 10) },
        bound: { title: "Error of the threshold: half width of its interval", low: 0, high: 0.5, unit: "°C", colour: (value) => along(error, value / 0.5) }
    };

    SST.valueOf = (layer, code) => {
        const scale = SST.fields.about.map[layer];
        return code === 0 ? NaN : (code - scale.zero) * scale.step;
    };
}());
