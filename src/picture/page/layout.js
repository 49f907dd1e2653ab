// Where the boxes and arrows of a picture are. d3 has the scales and the paths.
//
// Each event has a row of its own. So an arrow leaves its box to the side, runs down or up in the space between two lanes,
// and then along the row of its target, where no other box is. Arrows that run in the same space have tracks of their own.

const CHARACTER = 7.3;  // the width of a character of the labels, in pixels
const ROW = 50;
const GAP_ROW = 28;
const BOX = 38;
const BADGE = 24;         // the number of a story's step, inside the box
const LEFT_MARGIN = 14;
const TRACK = 11;         // between two arrows
const TRACK_MARGIN = 30;  // between a box and the first track: room for an arrowhead and its label
const SHORTEST_LABEL = 10;
const LONGEST_LABEL = 32, NARROW_LABEL = 24;  // the second one if the lanes do not fit

// Arrows of different relations end at different heights of a box.
const PORTS = {rf: -8, mo: -14, fr: 14, sw: 8, hb: 2, missed: 5, unordered: -3};

const RELATIONS = ["rf", "mo", "fr", "sw", "hb"];  // that can be switched
const MARKS = ["missed", "unordered"];             // that are always shown
const TRANSITIVE = new Set(["mo", "hb"]);

/** The second line of a box. */
function detailOf(event) {
  const parts = [event.order, event.place].filter(Boolean);
  if (event.missed) parts.push("stale");
  return parts.join(" · ");
}

/** From top to bottom: boxes of shown events, and a narrow row for each run of hidden ones. */
function makeRows(picture, isShown) {
  const rows = new Map();
  const gaps = [];
  let y = 4, hidden = [];
  const closeGap = () => {
    if (hidden.length > 0) {
      gaps.push({y: y + GAP_ROW / 2, events: hidden});
      y += GAP_ROW;
    }
    hidden = [];
  };
  picture.events.forEach((event, i) => {
    if (!isShown(i)) {
      if (picture.lanes[event.lane].kind !== "initial") hidden.push(i);
      return;
    }
    closeGap();
    rows.set(i, y + ROW / 2);
    y += ROW;
  });
  closeGap();
  return {rows, gaps, height: y + 4};
}

/** Gives each edge the number of the lane at the left of its space, and a track there. Returns the
 * number of tracks of each space. */
function assignTracks(picture, lanes, rows, edges) {
  const position = new Map(lanes.map((lane, i) => [lane, i]));
  const spaces = new Map();
  for (const edge of edges) {
    const from = position.get(picture.events[edge.from].lane), to = position.get(picture.events[edge.to].lane);
    edge.side = from === to ? 0 : from < to ? 1 : -1;
    edge.space = edge.side < 0 ? from - 1 : from;
    edge.y1 = rows.get(edge.from) + PORTS[edge.relation];
    edge.y2 = rows.get(edge.to) + PORTS[edge.relation];
    if (!spaces.has(edge.space)) spaces.set(edge.space, []);
    spaces.get(edge.space).push(edge);
  }
  for (const inSpace of spaces.values()) {
    const ends = [];  // of the last arrow of each track
    inSpace.sort((a, b) => Math.min(a.y1, a.y2) - Math.min(b.y1, b.y2) || Math.abs(a.y1 - a.y2) - Math.abs(b.y1 - b.y2));
    for (const edge of inSpace) {
      const track = ends.findIndex((end) => end + 4 < Math.min(edge.y1, edge.y2));
      edge.track = track >= 0 ? track : ends.length;
      ends[edge.track] = Math.max(edge.y1, edge.y2);
    }
    inSpace.tracks = ends.length;
  }
  return lanes.map((_, i) => (spaces.has(i) ? spaces.get(i).tracks : 0));
}

/** The path of an edge, and where its label is: near its end, or along it if the label is a word. */
function routeEdge(edge, picture, layout) {
  const outward = edge.side === 0 ? 1 : edge.side, inward = edge.side === 0 ? -1 : edge.side;
  const x1 = layout.x(edge.from) + outward * layout.boxWidth(edge.from) / 2;
  const x2 = layout.x(edge.to) - inward * (layout.boxWidth(edge.to) / 2 + 6);
  const track = layout.rightOf(layout.lanes[edge.space]) + TRACK_MARGIN + layout.track * edge.track;
  const radius = Math.min(7, Math.abs(edge.y2 - edge.y1) / 2, Math.abs(track - x1), Math.abs(track - x2));
  const path = d3.path();
  path.moveTo(x1 + (edge.relation === "unordered" ? outward * 6 : 0), edge.y1);
  path.arcTo(track, edge.y1, track, edge.y2, radius);
  path.arcTo(track, edge.y2, x2, edge.y2, radius);
  path.lineTo(x2, edge.y2);
  edge.path = path.toString();
  const isWord = MARKS.includes(edge.relation);
  edge.label = isWord ? {x: track, y: (edge.y1 + edge.y2) / 2, turned: true}
                      : {x: x2 + Math.sign(track - x2) * 12, y: edge.y2, turned: false};
}

/**
 * The places of everything: {lanes, rows, gaps, width, height, laneX(lane), boxWidth(index), x(index), y(index)}. The edges
 * get their paths.
 */
function layOut(picture, isShown, edges, availableWidth) {
  const {rows, gaps, height} = makeRows(picture, isShown);
  const shown = [...rows.keys()].map((i) => picture.events[i]);
  const used = new Set(shown.map((event) => event.lane));
  const lanes = picture.lanes.map((_, i) => i).filter((i) => used.has(i));
  const tracks = assignTracks(picture, lanes, rows, edges);
  const track = Math.max(3, Math.min(TRACK, 260 / Math.max(...tracks, 1)));
  const spaces = tracks.map((number, i) => (number === 0 && i === lanes.length - 1 ? LEFT_MARGIN
      : 2 * TRACK_MARGIN + track * Math.max(number - 1, 0)));
  const longest = new Map(lanes.map((lane) => [lane, SHORTEST_LABEL]));
  for (const event of shown)
    longest.set(event.lane, Math.max(longest.get(event.lane), event.label.length, detailOf(event).length));
  const boxesFor = (most) => lanes.map((lane) => Math.min(longest.get(lane), most) * CHARACTER + BADGE + 20);
  const widthOf = (boxes) => LEFT_MARGIN + d3.sum(boxes) + d3.sum(spaces);
  const wide = boxesFor(LONGEST_LABEL);
  const boxes = widthOf(wide) <= availableWidth ? wide : boxesFor(NARROW_LABEL);
  const smallest = widthOf(boxes);
  const width = Math.max(smallest, Math.min(availableWidth, smallest * 1.25));
  const extra = (width - smallest) / Math.max(lanes.length, 1);
  const boxWidth = d3.scaleOrdinal(lanes, boxes.map((box) => box + extra));
  const centres = lanes.map((lane, i) => LEFT_MARGIN + d3.sum(boxes.slice(0, i)) + d3.sum(spaces.slice(0, i)) + extra * i +
                                         boxWidth(lane) / 2);
  const laneX = d3.scaleOrdinal(lanes, centres);
  const layout = {
    lanes, rows, gaps, width, height, track, laneX,
    boxWidth: (i) => boxWidth(picture.events[i].lane),
    rightOf: (lane) => laneX(lane) + boxWidth(lane) / 2,
    x: (i) => laneX(picture.events[i].lane),
    y: (i) => rows.get(i),
  };
  for (const edge of edges) routeEdge(edge, picture, layout);
  return layout;
}

/** The edges of a relation between shown events. Transitive relations lead past hidden events. */
function shownEdges(picture, relation, isShown) {
  const edges = picture.relations[relation].edges;
  if (!TRANSITIVE.has(relation)) return edges.filter(([from, to]) => isShown(from) && isShown(to));
  const next = picture.successors[relation];
  const found = [];
  picture.events.forEach((_, from) => {
    if (!isShown(from) || !next.has(from)) return;
    const seen = new Set();
    const waiting = [...next.get(from)];
    while (waiting.length > 0) {
      const at = waiting.pop();
      if (seen.has(at)) continue;
      seen.add(at);
      if (isShown(at)) found.push([from, at]);
      else waiting.push(...(next.get(at) || []));
    }
  });
  return relation === "hb" ? withoutImplied(picture, found) : found;
}

/** hb edges between lanes that do not follow from the others. */
function withoutImplied(picture, edges) {
  const next = new Map();
  for (const [from, to] of edges) {
    if (!next.has(from)) next.set(from, []);
    next.get(from).push(to);
  }
  const follows = (start, goal) => {
    const seen = new Set();
    const waiting = next.get(start).filter((to) => to !== goal);
    while (waiting.length > 0) {
      const at = waiting.pop();
      if (at === goal) return true;
      if (at > goal || seen.has(at)) continue;
      seen.add(at);
      waiting.push(...(next.get(at) || []));
    }
    return false;
  };
  const across = edges.filter(([from, to]) => picture.events[from].lane !== picture.events[to].lane);
  // The check is quadratic: with very many arrows, an implied one more does no harm.
  return across.length > 400 ? across : across.filter(([from, to]) => !follows(from, to));
}
