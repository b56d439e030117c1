"use strict";
(() => {
  const source = document.getElementById("map-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const card = document.getElementById("map-card");
  const picture = card.querySelector("svg");
  const words = card.querySelector("div");
  const maps = [...document.querySelectorAll(".map svg")];
  const SVG = "http://www.w3.org/2000/svg";
  let current = -1;

  const make = (name, attributes, parent) => {
    const node = document.createElementNS(SVG, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    parent.appendChild(node);
    return node;
  };

  const rings = maps.map((map) =>
    make("circle", { r: 15, class: "ring", visibility: "hidden" }, map));

  const bond = (parent, x1, y1, x2, y2, code) => {
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const nx = -(y2 - y1) / length, ny = (x2 - x1) / length;
    const line = (offset, shrink = 0) => make("line", {
      x1: x1 + nx * offset + (x2 - x1) * shrink, y1: y1 + ny * offset + (y2 - y1) * shrink,
      x2: x2 + nx * offset - (x2 - x1) * shrink, y2: y2 + ny * offset - (y2 - y1) * shrink,
    }, parent);
    if (code === 5) {
      make("path", { class: "wedge", d: `M${x1} ${y1}L${x2 + nx * 1.6} ${y2 + ny * 1.6}` +
        `L${x2 - nx * 1.6} ${y2 - ny * 1.6}Z` }, parent);
    } else if (code === 6) {
      line(0).setAttribute("stroke-dasharray", "1 1");
    } else if (code === 2) {
      line(0.9); line(-0.9);
    } else if (code === 3) {
      line(0); line(1.7, 0.12); line(-1.7, 0.12);
    } else {
      line(0);
    }
  };

  const draw = (sketch) => {
    picture.replaceChildren();
    const xs = sketch.p.filter((_, i) => i % 2 === 0), ys = sketch.p.filter((_, i) => i % 2);
    const width = Math.max(...xs) + 16, height = Math.max(...ys) + 14;
    const w = Math.max(width, 70), h = Math.max(height, 50);
    picture.setAttribute("viewBox",
      `${-8 - (w - width) / 2} ${-7 - (h - height) / 2} ${w} ${h}`);
    for (let i = 0; i < sketch.b.length; i += 3) {
      const a = sketch.b[i], b = sketch.b[i + 1];
      bond(picture, xs[a], ys[a], xs[b], ys[b], sketch.b[i + 2]);
    }
    for (const atom in sketch.t) {
      const element = sketch.t[atom].replace(/[^A-Za-z]/g, "").replace(/H$/, "") || "C";
      make("text", { x: xs[atom], y: ys[atom], class: `atom ${element}` }, picture)
        .textContent = sketch.t[atom];
    }
  };

  const named = (task, value) => task.classes.length ? task.classes[Number(value)] : value;

  const facts = (index) => data.tasks.filter((task) => task.measured[index] !== null).map((task) => {
    const predicted = Object.entries(task.predicted).map(([split, values]) => {
      const value = values[index];
      const text = task.ranked ? `${value} for ${task.classes[1]}` : named(task, value);
      return `${text} (${split} split)`;
    });
    return `${task.name}: measured ${named(task, task.measured[index])}, predicted ` +
      predicted.join(", ");
  });

  const show = (index) => {
    if (index === current) return;
    current = index;
    for (const ring of rings) {
      ring.setAttribute("cx", data.x[index]);
      ring.setAttribute("cy", data.y[index]);
      ring.setAttribute("visibility", "visible");
    }
    if (data.sketches.length) draw(data.sketches[index]);
    words.replaceChildren();
    const lines = [`Row ${data.row[index]}`, ...facts(index), ...data.splits.map((split) =>
      `${split.name} split: fold ${split.fold[index] + 1}, highest similarity to training ` +
      split.nearest[index].toFixed(2))];
    for (const line of lines) {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      words.appendChild(paragraph);
    }
    card.classList.add("filled");
  };

  const nearest = (x, y, from = -1, dx = 0, dy = 0) => {
    let best = -1, least = Infinity;
    for (let i = 0; i < data.x.length; i++) {
      const ax = data.x[i] - x, ay = data.y[i] - y;
      if (from >= 0) {
        const along = ax * dx + ay * dy, across = Math.abs(ax * dy - ay * dx);
        if (i === from || along <= 0 || across > along) continue;
      }
      const distance = ax * ax + ay * ay;
      if (distance < least) { least = distance; best = i; }
    }
    return best;
  };

  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  for (const map of maps) {
    map.addEventListener("pointermove", (event) => {
      const box = map.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width * 1000;
      const y = (event.clientY - box.top) / box.height * 1000;
      const index = nearest(x, y);
      if (index >= 0 && Math.hypot(data.x[index] - x, data.y[index] - y) < 40) show(index);
    });
    map.setAttribute("tabindex", "0");
    map.addEventListener("focus", () => {
      if (current < 0) show(nearest(500, 500));
    });
    map.addEventListener("keydown", (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const next = nearest(data.x[current], data.y[current], current, ...step);
      if (next >= 0) show(next);
    });
  }
  card.hidden = false;
})();
