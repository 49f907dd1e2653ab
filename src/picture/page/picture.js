// The picture of an execution: lanes, boxes and arrows, the switches above them, and stepping.

const MOST_ROWS = 1200;    // at once: more make a browser slow
const EXPANDED_ROWS = 40;  // of a run of hidden events, at a time

let pictureCount = 0;  // the ids of arrowheads differ between pictures

class PictureView {
  /** `onSelect(index or null)` is called when another event is selected. */
  constructor(picture, relations, onSelect) {
    this.picture = picture;
    this.onSelect = onSelect;
    this.id = `picture${++pictureCount}`;
    this.relations = new Set(relations);
    this.location = null;
    this.showsAll = false;
    this.expanded = new Set();
    this.current = null;
    this.story = picture.events.map((_, i) => i).filter((i) => picture.events[i].steps);
    this.prepareRelations();
    this.node = element("section", {class: "picture", "aria-label": "the picture of the execution"});
    this.makeToolbar();
    this.makeCanvas();
    this.node.append(this.toolbar, this.note, this.canvas);
    this.node.addEventListener("keydown", (event) => this.onKey(event));
    this.update();
  }

  prepareRelations() {
    const {picture} = this;
    picture.successors = {};
    picture.predecessors = {};
    for (const relation of TRANSITIVE) {
      const next = new Map(), previous = new Map();
      for (const [from, to] of picture.relations[relation].edges) {
        if (!next.has(from)) next.set(from, []);
        if (!previous.has(to)) previous.set(to, []);
        next.get(from).push(to);
        previous.get(to).push(from);
      }
      picture.successors[relation] = next;
      picture.predecessors[relation] = previous;
    }
  }

  // ---- the switches ---------------------------------------------------------------------------------------------

  makeToolbar() {
    const {picture} = this;
    this.edgeButtons = new Map(RELATIONS.map((relation, i) => {
      const number = picture.relations[relation].edges.length;
      const button = element("button", {
        type: "button", class: `edge-switch ${relation}`, "data-relation": relation,
        title: `${picture.relations[relation].meaning} (key ${i + 1})`, disabled: number === 0,
        onclick: () => this.toggleRelation(relation),
      }, svgElement("svg", {width: 22, height: 10, "aria-hidden": "true"},
                    svgElement("path", {d: "M1,5 h20", class: `edge ${relation}`})),
      element("b", {}, relation), element("span", {class: "meaning"}, picture.relations[relation].meaning));
      return [relation, button];
    }));
    this.filter = element("select", {"aria-label": "show only events on this location",
                                     onchange: () => this.setLocation(this.filter.value)},
                          element("option", {value: ""}, "all locations"),
                          this.usedLocations().map((i) => element("option", {value: i},
                                                                  shortened(picture.locations[i].name, 40))));
    this.modeButton = element("button", {type: "button", class: "mode", title: "key a", onclick: () => this.toggleAll()});
    this.position = element("output", {class: "position", "aria-live": "polite"});
    const step = (label, title, action) =>
        element("button", {type: "button", title, "aria-label": title, onclick: action}, label);
    this.toolbar = element("div", {class: "toolbar", role: "toolbar", "aria-label": "what the picture shows"},
        element("div", {class: "group", role: "group", "aria-label": "relations"}, [...this.edgeButtons.values()]),
        element("div", {class: "group"}, this.filter, this.modeButton),
        element("div", {class: "group stepper", role: "group", "aria-label": "step through the execution"},
            step("↑", "the event before (key k or arrow up)", () => this.move(-1)),
            step("↓", "the next event (key j or arrow down)", () => this.move(1)), this.position));
  }

  usedLocations() {
    const counts = new Map();
    for (const event of this.picture.events)
      if (event.location !== undefined) counts.set(event.location, (counts.get(event.location) || 0) + 1);
    return [...counts.keys()].sort((a, b) => a - b);
  }

  toggleRelation(relation) {
    if (!this.relations.delete(relation)) this.relations.add(relation);
    this.update();
  }

  setLocation(value) {
    this.location = value === "" || value === null ? null : Number(value);
    this.filter.value = this.location === null ? "" : String(this.location);
    if (this.current !== null && !this.isShown(this.current)) this.select(null);
    this.update();
  }

  toggleAll() {
    this.showsAll = !this.showsAll;
    if (!this.showsAll) this.expanded.clear();
    if (this.current !== null && !this.computeShown().has(this.current)) this.select(null);
    this.update();
  }

  // ---- what is shown --------------------------------------------------------------------------------------------

  computeShown() {
    const {events} = this.picture;
    const all = events.map((_, i) => i);
    if (this.location !== null) return this.limited(all.filter((i) => events[i].location === this.location));
    if (this.showsAll) return this.limited(all);
    return new Set(all.filter((i) => events[i].matters || this.expanded.has(i)));
  }

  /** Of very many events, those around the selected one, or around the end of the story. */
  limited(indices) {
    this.isLimited = indices.length > MOST_ROWS;
    if (!this.isLimited) return new Set(indices);
    const centre = this.current ?? this.story[this.story.length - 1] ?? indices[indices.length - 1];
    const at = indices.findIndex((i) => i >= centre);
    const start = Math.max(0, Math.min((at < 0 ? indices.length : at) - MOST_ROWS / 2, indices.length - MOST_ROWS));
    return new Set(indices.slice(start, start + MOST_ROWS));
  }

  isShown(i) { return this.shown.has(i); }

  noteText() {
    const {events, eventsOfExecution} = this.picture;
    const parts = [];
    if (eventsOfExecution > events.length)
      parts.push(`The execution has ${count(eventsOfExecution, "event")}. This page holds the ` +
                 `${events.length.toLocaleString("en")} that are nearest to the story.`);
    if (this.isLimited)
      parts.push(`${MOST_ROWS.toLocaleString("en")} events are drawn at once, around the selected one.`);
    return parts.join(" ");
  }

  // ---- drawing --------------------------------------------------------------------------------------------------

  makeCanvas() {
    this.note = element("p", {class: "note", role: "status"});
    this.header = svgElement("svg", {class: "lanes", "aria-hidden": "true"});
    this.svg = svgElement("svg", {class: "drawing", role: "group", "aria-label": "events, time downwards"});
    this.tip = element("div", {class: "tip", role: "tooltip", hidden: true});
    this.canvas = element("div", {class: "canvas", tabindex: 0, role: "group",
                                  "aria-label": "the execution; step with the keys j and k"},
                          this.header, this.svg, this.tip);
    const watcher = new ResizeObserver(() => {
      if (Math.abs(this.canvas.clientWidth - this.drawnWidth) > 8) this.draw();
    });
    watcher.observe(this.canvas);
  }

  update() {
    this.isLimited = false;
    this.shown = this.computeShown();
    for (const [relation, button] of this.edgeButtons)
      button.setAttribute("aria-pressed", String(this.relations.has(relation)));
    this.modeButton.textContent = this.showsAll ? "only the story" : "all events";
    this.modeButton.setAttribute("aria-pressed", String(this.showsAll));
    this.modeButton.disabled = this.location !== null;
    this.note.textContent = this.noteText();
    this.note.hidden = this.note.textContent === "";
    this.draw();
    this.scrollToCurrent();
  }

  draw() {
    const {picture} = this;
    this.drawnWidth = this.canvas.clientWidth;
    const isShown = (i) => this.shown.has(i);
    const names = [...RELATIONS.filter((relation) => this.relations.has(relation)), ...MARKS];
    this.edges = names.flatMap((relation) => shownEdges(picture, relation, isShown).map(
        ([from, to]) => ({relation, from, to})));
    const layout = layOut(picture, isShown, this.edges, (this.drawnWidth || 900) - 2);
    this.layout = layout;
    this.drawHeader(layout);
    const drawing = d3.select(this.svg).attr("width", layout.width).attr("height", layout.height)
        .attr("viewBox", `0 0 ${layout.width} ${layout.height}`);
    drawing.selectAll("*").remove();
    this.drawArrowheads(drawing);
    drawing.append("g").attr("class", "rails").selectAll("line").data(layout.lanes).join("line")
        .attr("x1", layout.laneX).attr("x2", layout.laneX).attr("y1", 0).attr("y2", layout.height);
    this.edgeLayer = drawing.append("g").attr("class", "edges");
    this.drawGaps(drawing.append("g").attr("class", "gaps"), layout);
    this.drawEvents(drawing.append("g").attr("class", "events"), layout);
    this.labelLayer = drawing.append("g").attr("class", "edge-labels").attr("aria-hidden", "true");
    this.drawEdges();
    this.markSelection();
  }

  drawHeader(layout) {
    const header = d3.select(this.header).attr("width", layout.width).attr("height", 30)
        .attr("viewBox", `0 0 ${layout.width} 30`);
    header.selectAll("*").remove();
    header.selectAll("text").data(layout.lanes).join("text").attr("x", layout.laneX).attr("y", 20)
        .text((lane) => this.picture.lanes[lane].label);
  }

  drawArrowheads(drawing) {
    const markers = drawing.append("defs").selectAll("marker").data([...RELATIONS, ...MARKS]).join("marker")
        .attr("id", (relation) => `${this.id}-${relation}`).attr("viewBox", "0 0 8 8").attr("refX", 3).attr("refY", 4)
        .attr("markerWidth", 8).attr("markerHeight", 8).attr("markerUnits", "userSpaceOnUse")
        .attr("orient", "auto-start-reverse");
    markers.append("path").attr("d", "M0,0 L8,4 L0,8 z").attr("class", (relation) => `head ${relation}`);
  }

  drawGaps(layer, layout) {
    const rows = layer.selectAll("g").data(layout.gaps).join("g").attr("class", "gap")
        .attr("transform", (gap) => `translate(0,${gap.y})`);
    const canExpand = this.location === null && !this.showsAll;
    rows.append("line").attr("x1", 4).attr("x2", layout.width - 4);
    const text = (gap) => `⋯ ${count(gap.events.length, "event")} ${canExpand ? "– show" : "hidden"}`;
    const centre = layout.lanes.length > 0 ? layout.laneX(layout.lanes[0]) : layout.width / 2;
    const labels = rows.append("g").attr("class", "gap-label")
        .attr("transform", (gap) => `translate(${Math.max(centre, text(gap).length * 3.6 + 10)},0)`);
    labels.append("rect").attr("x", (gap) => -text(gap).length * 3.6 - 8).attr("y", -10).attr("height", 20).attr("rx", 10)
        .attr("width", (gap) => text(gap).length * 7.2 + 16);
    labels.append("text").attr("y", 4).text(text);
    if (!canExpand) return;
    labels.attr("tabindex", 0).attr("role", "button").attr("aria-label", (gap) => `show ${count(gap.events.length, "hidden event")}`)
        .on("click", (gap) => this.expand(gap))
        .on("keydown", (gap) => {
          if (d3.event.key !== "Enter" && d3.event.key !== " ") return;
          d3.event.preventDefault();
          this.expand(gap);
        });
  }

  /** Shows the hidden events of a gap; of a long one, those next to its two ends. */
  expand(gap) {
    const {events} = gap;
    const half = EXPANDED_ROWS / 2;
    const chosen = events.length <= EXPANDED_ROWS ? events : [...events.slice(0, half), ...events.slice(-half)];
    for (const i of chosen) this.expanded.add(i);
    this.update();
    this.canvas.focus({preventScroll: true});
  }

  drawEvents(layer, layout) {
    const {picture} = this;
    const left = (i) => -layout.boxWidth(i) / 2;
    const most = (i) => Math.floor((layout.boxWidth(i) - BADGE - 18) / CHARACTER);
    const boxes = layer.selectAll("g").data([...layout.rows.keys()]).join("g")
        .attr("class", (i) => this.classesOf(picture.events[i]))
        .attr("data-event", (i) => i).attr("tabindex", -1).attr("role", "button")
        .attr("aria-label", (i) => this.spokenText(picture.events[i]))
        .attr("transform", (i) => `translate(${layout.x(i)},${layout.y(i)})`)
        .on("click", (i) => { this.select(i); this.canvas.focus({preventScroll: true}); })
        .on("mouseenter", (i) => this.showTip(i)).on("mouseleave", () => { this.tip.hidden = true; });
    boxes.append("rect").attr("class", "box").attr("x", left).attr("y", -BOX / 2).attr("width", layout.boxWidth)
        .attr("height", BOX).attr("rx", 7);
    boxes.append("text").attr("class", "label").attr("x", (i) => left(i) + BADGE + 10)
        .attr("y", (i) => (detailOf(picture.events[i]) === "" ? 4 : -3))
        .text((i) => shortened(picture.events[i].label, most(i)));
    boxes.append("text").attr("class", "detail").attr("x", (i) => left(i) + BADGE + 10).attr("y", 12)
        .text((i) => shortened(detailOf(picture.events[i]), most(i) + 2));
    const numbered = boxes.filter((i) => picture.events[i].steps);
    numbered.append("circle").attr("cx", (i) => left(i) + BADGE / 2 + 4).attr("r", 10);
    numbered.append("text").attr("class", "number").attr("x", (i) => left(i) + BADGE / 2 + 4).attr("y", 4)
        .text((i) => picture.events[i].steps[0]);
  }

  classesOf(event) {
    const classes = ["event", `kind-${event.kind.replace(/[^a-z]+/g, "-")}`];
    if (event.missed) classes.push("stale");
    if (event.steps) classes.push("step");
    if (this.picture.lanes[event.lane].kind === "initial") classes.push("initial");
    return classes.join(" ");
  }

  spokenText(event) {
    const step = event.steps ? `step ${event.steps[0]}: ` : "";
    const stale = event.missed ? ", a stale read" : "";
    return `${step}${this.picture.lanes[event.lane].label} ${event.action.replaceAll("`", "")}` +
        `${event.place ? ", " + event.place : ""}${stale}`;
  }

  drawEdges() {
    const {picture, edges} = this;
    const end = (edge) => `url(#${this.id}-${edge.relation})`;
    this.edgeLayer.selectAll("path").data(edges).join("path").attr("class", (edge) => `edge ${edge.relation}`)
        .attr("d", (edge) => edge.path).attr("marker-end", end)
        .attr("marker-start", (edge) => (edge.relation === "unordered" ? end(edge) : null))
        .attr("data-relation", (edge) => edge.relation)
        .append("title").text((edge) => `${edge.relation}: ${picture.relations[edge.relation].meaning}`);
    const labelled = edges.length <= 80 ? edges : edges.filter((edge) => MARKS.includes(edge.relation));
    this.labelLayer.selectAll("text").data(labelled).join("text").attr("class", (edge) => `edge-label ${edge.relation}`)
        .attr("transform", ({label}) => `translate(${label.x},${label.y})${label.turned ? " rotate(-90)" : ""}`)
        .attr("y", 4).text((edge) => (edge.relation === "unordered" ? "not ordered" : edge.relation));
  }

  // ---- selection and steps --------------------------------------------------------------------------------------

  select(index) {
    this.current = index;
    if (index !== null && !this.shown.has(index)) {
      this.location = null;
      this.filter.value = "";
      this.expanded.add(index);
      this.update();
    }
    this.markSelection();
    this.scrollToCurrent();
    this.onSelect(index);
  }

  /** The next or previous of the shown events. */
  move(direction) {
    const order = [...this.layout.rows.keys()];
    if (order.length === 0) return;
    const at = this.current === null ? (direction > 0 ? -1 : order.length) : order.indexOf(this.current);
    this.select(order[Math.max(0, Math.min(order.length - 1, at + direction))]);
  }

  /** The next or previous step of the story. */
  moveInStory(direction) {
    const {story} = this;
    if (story.length === 0) return;
    const here = this.current ?? (direction > 0 ? -1 : this.picture.events.length);
    const next = direction > 0 ? story.find((i) => i > here) : story.filter((i) => i < here).pop();
    if (next !== undefined) this.select(next);
  }

  markSelection() {
    const {current} = this;
    const past = current === null ? null : this.reachable(current, this.picture.predecessors.hb);
    const future = current === null ? null : this.reachable(current, this.picture.successors.hb);
    const marksHistory = current !== null && this.relations.has("hb");
    for (const node of this.svg.querySelectorAll(".event")) {
      const i = Number(node.dataset.event);
      node.classList.toggle("current", i === current);
      node.classList.toggle("later", current !== null && i > current);
      node.classList.toggle("in-past", marksHistory && past.has(i));
      node.classList.toggle("in-future", marksHistory && future.has(i));
      if (i === current) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
    }
    for (const path of this.edgeLayer.selectAll("path").nodes()) {
      const {from, to} = path.__data__;
      path.classList.toggle("touching", current !== null && (from === current || to === current));
      path.classList.toggle("faint", current !== null && from !== current && to !== current);
    }
    const order = [...this.layout.rows.keys()];
    this.position.textContent = current === null ? count(order.length, "event")
                                                 : `${order.indexOf(current) + 1} of ${order.length}`;
  }

  reachable(start, next) {
    const seen = new Set();
    const waiting = [...(next.get(start) || [])];
    while (waiting.length > 0) {
      const at = waiting.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      waiting.push(...(next.get(at) || []));
    }
    return seen;
  }

  scrollToCurrent() {
    const {canvas, layout, current: index} = this;
    if (index === null || !layout.rows.has(index)) return;
    const y = layout.y(index) + this.header.clientHeight;
    if (y - ROW < canvas.scrollTop + this.header.clientHeight) canvas.scrollTop = y - ROW - this.header.clientHeight;
    else if (y + ROW > canvas.scrollTop + canvas.clientHeight) canvas.scrollTop = y + ROW - canvas.clientHeight;
    const x = layout.x(index), half = layout.boxWidth(index) / 2 + 20;
    if (x - half < canvas.scrollLeft) canvas.scrollLeft = x - half;
    else if (x + half > canvas.scrollLeft + canvas.clientWidth) canvas.scrollLeft = x + half - canvas.clientWidth;
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select, input")) return;
    const actions = {
      j: () => this.move(1), ArrowDown: () => this.move(1), k: () => this.move(-1), ArrowUp: () => this.move(-1),
      n: () => this.moveInStory(1), p: () => this.moveInStory(-1), a: () => this.toggleAll(),
      Escape: () => this.select(null), Home: () => { this.current = null; this.move(1); },
      End: () => { this.current = null; this.move(-1); },
    };
    RELATIONS.forEach((relation, i) => { actions[String(i + 1)] = () => this.toggleRelation(relation); });
    if (!actions[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  // ---- values on hover ------------------------------------------------------------------------------------------

  showTip(index) {
    replaceContent(this.tip, eventFacts(this.picture, index));
    this.tip.hidden = false;
    const {canvas, layout, tip} = this;
    const below = layout.y(index) + this.header.clientHeight + BOX / 2 + 8;
    const above = layout.y(index) + this.header.clientHeight - BOX / 2 - 8 - tip.offsetHeight;
    const fitsBelow = below + tip.offsetHeight < canvas.scrollTop + canvas.clientHeight;
    tip.style.top = `${fitsBelow || above < canvas.scrollTop ? below : above}px`;
    const left = layout.x(index) - layout.boxWidth(index) / 2;
    tip.style.left = `${Math.max(8, Math.min(left, canvas.scrollLeft + canvas.clientWidth - tip.offsetWidth - 12))}px`;
  }
}
