// What stands beside a picture: the story, the diagnosis, the selected event, the values of memory, the source.

/** What is known about an event, as a list of terms. */
function eventFacts(picture, index) {
  const event = picture.events[index];
  const location = event.location === undefined ? null : picture.locations[event.location];
  const facts = [];
  const add = (name, ...content) => facts.push(element("dt", {}, name), element("dd", {}, ...content));
  add("thread", picture.lanes[event.lane].label);
  add("operation", event.kind + (event.order ? `, ${event.order}` : ""));
  if (location) add("location", element("code", {}, location.name), location.type ? ` ${location.type}` : "");
  if (event.read !== undefined) add("reads", element("code", {}, event.read), readSource(picture, event));
  if (event.written !== undefined) add("writes", element("code", {}, event.written));
  if (event.missed)
    add("stale", `missed ${count(event.missed, "newer write")}; the newest is `,
        element("code", {}, newestMissed(picture, index)));
  if (event.options) add("choice", `among ${event.options} writes that the memory model allows`);
  if (event.place) add("place", event.place + (event.function ? ` in ${event.function}` : ""));
  if (event.switch) add("schedule", "another thread ran before it");
  add("event", `${event.number}`);
  return element("dl", {class: "facts"}, facts);
}

function readSource(picture, event) {
  if (event.readsFrom === undefined) return "";
  const write = picture.events[event.readsFrom];
  return ` from ${picture.lanes[write.lane].label}${write.place ? ", " + write.place : ""}`;
}

function newestMissed(picture, index) {
  const edge = picture.relations.missed.edges.find(([from]) => from === index);
  return edge ? picture.events[edge[1]].label : "not in this page";
}

/** The value of each location after the events up to `index`: that of the newest write in modification order. */
function valuesAfter(picture, index) {
  const newest = new Map();
  picture.events.slice(0, index + 1).forEach((event, i) => {
    if (event.location === undefined || event.written === undefined) return;
    const known = newest.get(event.location);
    const ranks = picture.locations[event.location].ranks;
    if (known === undefined || !ranks.has(i) || !ranks.has(known) || ranks.get(i) > ranks.get(known))
      newest.set(event.location, i);
  });
  return newest;
}

/** Lines of the source around places. `marks` has the numbers of story steps by line. */
function sourceExcerpt(file, lines, marks, currentLine) {
  const rows = [];
  let previous = null;
  for (const line of lines) {
    if (file.lines[line] === undefined) continue;
    if (previous !== null && line !== previous + 1) rows.push(element("div", {class: "skip"}, "⋯"));
    previous = line;
    const numbers = marks.get(line) || [];
    rows.push(element("div", {class: line === currentLine ? "line current" : numbers.length ? "line marked" : "line"},
        element("span", {class: "marks"}, numbers.map((number) => element("b", {}, number))),
        element("span", {class: "line-number"}, line), element("code", {}, file.lines[line])));
  }
  return element("figure", {class: "source"}, element("figcaption", {}, file.path), rows);
}

/** The text on a finding that is not in the picture: story, diagnosis, cause, advice. */
class StoryPanel {
  constructor(finding, picture) {
    this.finding = finding;
    this.picture = picture;
    for (const location of picture.locations) location.ranks = new Map();
    for (const [from, to] of picture.relations.mo.edges) {
      const {ranks} = picture.locations[picture.events[to].location];
      if (!ranks.has(from)) ranks.set(from, ranks.size);
      ranks.set(to, ranks.size);
    }
    this.selected = element("section", {class: "card selected", "aria-live": "polite"});
    this.source = element("section", {class: "card"});
    this.node = element("aside", {class: "story", "aria-label": "the story"});
    this.below = element("div", {class: "below"});
  }

  /** After the picture exists: steps select events in it. */
  fill(view) {
    this.view = view;
    append(this.node, [this.makeStory(), this.makeDiagnosis(), this.selected]);
    append(this.below, [this.source, this.makeOutput()]);
    this.show(null);
  }

  makeStory() {
    const explanation = this.finding.explanation;
    if (!explanation || explanation.why_not || explanation.steps.length === 0)
      return element("section", {class: "card"}, element("h2", {}, "What happens"),
          element("p", {}, explanation?.why_not ? `There is no story: ${explanation.why_not}.`
                                                : "There is no story for this finding. The picture shows the end of the execution."));
    const indexOf = new Map(this.picture.events.flatMap((event, i) => (event.steps || []).map((step) => [step, i])));
    this.steps = explanation.steps.map((step, i) => {
      const place = step.place.file ? `${step.place.file.split("/").pop()}:${step.place.line}` : "";
      const index = indexOf.get(i + 1);
      return element("li", {class: step.stale ? "stale" : ""},
          element("button", {type: "button", disabled: index === undefined, "data-step": i + 1,
                             onclick: () => this.view.select(index)},
              element("b", {}, step.thread ? step.thread + " " : ""), prose(step.text),
              element("small", {}, place)));
    });
    return element("section", {class: "card"}, element("h2", {}, "What happens"),
        element("ol", {class: "steps"}, this.steps));
  }

  makeDiagnosis() {
    const {explanation} = this.finding;
    if (!explanation || explanation.why_not) return null;
    const parts = [element("h2", {}, "Diagnosis"), element("p", {}, prose(capital(explanation.diagnosis) + "."))];
    if (explanation.cause) parts.push(element("h3", {}, "Why"), element("p", {}, prose(capital(explanation.cause))));
    if (explanation.advice)
      parts.push(element("h3", {}, explanation.fix && !explanation.fix.checked ? "Possible fix, not checked" : "Fix"),
                 element("p", {class: "fix"}, prose(capital(explanation.advice))));
    return element("section", {class: "card"}, parts);
  }

  makeOutput() {
    if (!this.finding.output) return null;
    return element("section", {class: "card"}, element("h2", {}, "The program printed"),
        element("pre", {class: "output"}, this.finding.output));
  }

  /** The event that is selected in the picture. */
  show(index) {
    for (const [i, step] of (this.steps || []).entries())
      step.classList.toggle("current", index !== null && (this.picture.events[index].steps || []).includes(i + 1));
    if (index === null)
      replaceContent(this.selected, element("h2", {}, "Step through it"), element("p", {class: "hint"},
          "Press ", element("kbd", {}, "j"), " or ", element("kbd", {}, "↓"), " for the next event, ",
          element("kbd", {}, "k"), " or ", element("kbd", {}, "↑"), " for the one before, ", element("kbd", {}, "n"),
          " and ", element("kbd", {}, "p"), " for steps of the story, ", element("kbd", {}, "1"), " to ",
          element("kbd", {}, "5"), " for relations, ", element("kbd", {}, "a"), " for all events. Point at an event for its values."));
    else
      replaceContent(this.selected, element("h2", {}, this.picture.events[index].label), eventFacts(this.picture, index),
          this.memory(index));
    this.showSource(index);
  }

  memory(index) {
    const {picture, view} = this;
    const values = valuesAfter(picture, index);
    const wanted = new Set([...view.layout.rows.keys()].map((i) => picture.events[i].location));
    const rows = [...values].filter(([location]) => wanted.has(location)).slice(0, 16).map(([location, write]) =>
        element("tr", {class: write === index ? "changed" : ""},
            element("th", {scope: "row"}, element("code", {}, picture.locations[location].name)),
            element("td", {}, element("code", {}, picture.events[write].written)),
            element("td", {}, picture.lanes[picture.events[write].lane].label)));
    if (rows.length === 0) return null;
    return element("table", {class: "memory"}, element("caption", {}, "memory after this event"),
        element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "location"),
            element("th", {scope: "col"}, "value"), element("th", {scope: "col"}, "written by"))),
        element("tbody", {}, rows));
  }

  showSource(index) {
    const {picture} = this;
    const byFile = new Map();
    const add = (event, numbers) => {
      if (event.file === undefined) return;
      if (!byFile.has(event.file)) byFile.set(event.file, new Map());
      const marks = byFile.get(event.file);
      marks.set(event.line, [...(marks.get(event.line) || []), ...numbers]);
    };
    for (const event of picture.events) if (event.steps) add(event, event.steps);
    const current = index === null ? null : picture.events[index];
    if (current) add(current, []);
    const excerpts = [...byFile].map(([file, marks]) => {
      const lines = new Set([...marks.keys()].flatMap((line) => [line - 1, line, line + 1]));
      return sourceExcerpt(picture.files[file], [...lines].sort((a, b) => a - b), marks,
                           current && current.file === file ? current.line : null);
    });
    this.source.hidden = excerpts.length === 0;
    replaceContent(this.source, element("h2", {}, "Source"), excerpts);
  }
}

function capital(text) { return text.charAt(0).toUpperCase() + text.slice(1); }

/** A picture with its story beside it. */
function makeExecution(finding, picture, relations) {
  const panel = new StoryPanel(finding, picture);
  const view = new PictureView(picture, relations, (index) => panel.show(index));
  panel.fill(view);
  return {view, node: element("div", {class: "execution"}, element("div", {class: "left"}, view.node, panel.below), panel.node)};
}
