// The page of a campaign: summary, findings with their pictures, charts, strategies.

function percent(part, whole) {
  if (!whole) return "0%";
  const value = 100 * part / whole;
  return `${value > 0 && value < 0.1 ? "<0.1" : value.toFixed(value < 10 ? 1 : 0)}%`;
}

function isBug(finding) { return finding.kind !== "limit"; }

/** What the campaign says about the program: a word, and a class for its colour. */
function verdictOf(report) {
  const bugs = report.findings.filter(isBug).length;
  if (bugs > 0) return {text: count(bugs, "bug"), tone: "bad"};
  if (report.failure || report.stopped_by_limit || report.interrupted || report.findings.length > 0)
    return {text: "no bug, but incomplete", tone: "warn"};
  if (report.all_explored) return {text: "no bug: every execution explored", tone: "good"};
  return {text: "no bug found", tone: "good"};
}

function tile(value, label) {
  return element("div", {class: "tile"}, element("strong", {}, value), element("span", {}, label));
}

function summaryTiles(report) {
  const number = (value) => value.toLocaleString("en");
  return element("div", {class: "tiles"},
      tile(number(report.executions), "executions"),
      tile(percent(report.buggy, report.executions), `buggy (${number(report.buggy)})`),
      tile(number(report.findings.filter(isBug).length), "bugs"),
      tile(number(report.distinct_graphs), "distinct graphs"),
      tile(`${report.seconds < 10 ? report.seconds.toFixed(2) : report.seconds.toFixed(0)} s`, "time"),
      tile(number(Math.round(report.rate)), "executions a second"));
}

/** Sentences that limit the result. */
function notices(report) {
  const texts = [report.failure, report.stopped_by_limit, report.warning, report.isolation_reason].filter(Boolean);
  if (report.interrupted) texts.push("The campaign was interrupted before all executions were done.");
  return texts.map((text) => element("p", {class: "notice"}, text));
}

function findingCard(data, finding, number) {
  const {report} = data;
  const entry = data.pictures.find((candidate) => candidate.key === finding.key);
  const content = element("div", {class: "finding-content"});
  const card = element("details", {class: "finding", id: `finding-${number}`},
      element("summary", {}, element("span", {class: `pill ${isBug(finding) ? "bad" : "warn"}`}, finding.kind),
          element("span", {class: "headline"}, prose(finding.headline)),
          element("span", {class: "frequency"},
              element("span", {class: "meter", "aria-hidden": "true"}, meter(finding.count, report.executions)),
              `${finding.count.toLocaleString("en")} of ${count(report.executions, "execution")}`)),
      content);
  let isFilled = false;
  const fill = () => {
    if (isFilled || !card.open) return;
    isFilled = true;
    append(content, findingContent(data, finding, entry));
  };
  card.addEventListener("toggle", fill);
  return {card, open: () => { card.open = true; fill(); }};
}

function meter(part, whole) {
  const width = whole ? Math.max(2, 60 * part / whole) : 0;
  return svgElement("svg", {width: 60, height: 8}, svgElement("rect", {class: "track", width: 60, height: 8, rx: 4}),
      svgElement("rect", {class: "level", width, height: 8, rx: 4}));
}

function findingContent(data, finding, entry) {
  const first = `First in execution ${finding.first_execution.toLocaleString("en")}` +
      (finding.strategy ? `, by ${finding.strategy}.` : ".");
  const parts = [element("p", {class: "meta"}, first)];
  const consequences = (finding.leads_to || []).map(
    (next) => `leads to: ${next.message}, in ${next.count} execution${next.count === 1 ? "" : "s"}`);
  for (const note of [...consequences, finding.needs, ...(finding.notes || [])].filter(Boolean))
    parts.push(element("p", {class: "notice"}, note));
  if (entry) parts.push(makeExecution(entry.report ? entry.report.findings[0] : finding, entry.picture, data.relations).node);
  else parts.push(element("p", {}, "This page has no picture of it."));
  if (finding.variants)
    parts.push(element("p", {}, `${count(finding.variants.length, "finding")} with the same root: ` +
        finding.variants.map((variant) => variant.headline).join("; ")));
  if (finding.trace)
    parts.push(commandLine(`heddle replay ${shellWord(finding.trace)}`), commandLine(`heddle show ${shellWord(finding.trace)}`));
  return parts;
}

function shellWord(text) {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The strategies that a learning strategy chose from, or the parameters of one: one row for each value. */
function learntTable(caption, parts) {
  const total = parts.reduce((sum, part) => sum + part.executions, 0);
  const rows = [...parts].sort((a, b) => b.executions - a.executions).map((part) => element("tr", {},
      element("th", {scope: "row"}, element("code", {}, part.value)),
      element("td", {class: "share"}, meter(part.executions, total), percent(part.executions, total)),
      element("td", {}, part.executions.toLocaleString("en")), element("td", {}, part.buggy.toLocaleString("en")),
      element("td", {}, part.executions ? percent(part.buggy, part.executions) : "–"),
      element("td", {}, part.new_graphs.toLocaleString("en"))));
  return element("table", {class: "figures"}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ["value", "share", "executions", "buggy", "of its executions", "new graphs"]
          .map((name) => element("th", {scope: "col"}, name)))),
      element("tbody", {}, rows));
}

function strategySection(report) {
  const learnt = Object.entries(report.learnt || {}).filter(([, parts]) => Array.isArray(parts));
  const section = element("section", {class: "card"}, element("h2", {}, "Strategies"));
  const strategies = learnt.find(([name]) => name === "strategy");
  if (strategies) section.append(learntTable("How the executions were shared between strategies", strategies[1]));
  else section.append(element("p", {}, "All executions used the strategy ", element("code", {}, report.strategy), "."));
  if (report.search)
    section.append(element("p", {}, `An exhaustive search took part: ${count(report.search.executions, "execution")}, ` +
        `${count(report.search.graphs, "graph")}, ${report.search.finished ? "finished" : "not finished"}` +
        `${report.search.left_out ? `; it leaves out ${report.search.left_out}` : ""}.`));
  const others = learnt.filter(([name]) => name !== "strategy");
  if (others.length > 0)
    section.append(element("details", {}, element("summary", {}, "Values of parameters"),
        others.map(([name, parts]) => learntTable(name, parts))));
  return section;
}

function coverageSections(report) {
  const {coverage} = report;
  if (!coverage)
    return [element("section", {class: "card"}, element("h2", {}, "Graphs over executions"),
        element("p", {}, "The exhaustive search explores each execution graph once, so there is no curve."))];
  const sections = [];
  const facts = [];
  if (coverage.chance_of_new_graph !== undefined)
    facts.push(`The chance that the next execution shows a new graph is about ${(100 * coverage.chance_of_new_graph).toPrecision(2)}%.`);
  if (coverage.unseen_graphs_at_least !== undefined)
    facts.push(`About ${count(Math.round(coverage.unseen_graphs_at_least), "graph")} or more are unseen.`);
  facts.push(`The newest graph came in execution ${coverage.last_new_graph.toLocaleString("en")}.`);
  sections.push(element("section", {class: "card"}, element("h2", {}, "Graphs over executions"),
      graphCurve(coverage.over_time, report.executions), element("p", {class: "meta"}, facts.join(" "))));
  const {frequencies} = coverage;
  const histogram = element("section", {class: "card"}, element("h2", {}, "Frequencies of graphs"));
  if (frequencies && frequencies.length > 0)
    append(histogram, [frequencyBars(frequencies), element("p", {class: "meta"},
        `${count(coverage.seen_once, "graph was", "graphs were")} seen once, ${coverage.seen_twice.toLocaleString("en")} twice, of ` +
        `${count(report.distinct_graphs, "graph")}. The ${frequencies.length.toLocaleString("en")} most frequent are drawn.`)]);
  else histogram.append(element("p", {}, "Frequencies were not counted in this campaign."));
  sections.push(histogram);
  return sections;
}

/** Everything else that the report says about the run: its options. */
function runTable(report) {
  const rows = Object.entries(report)
      .filter(([name, value]) => value !== "" && !["executions", "buggy", "distinct_graphs", "seconds", "rate", "version",
                                                  "schema_version", "warning", "failure"].includes(name) &&
              ["string", "number", "boolean"].includes(typeof value))
      .map(([name, value]) => element("tr", {}, element("th", {scope: "row"}, name.replaceAll("_", " ")),
                                      element("td", {}, element("code", {}, String(value)))));
  return element("section", {class: "card wide"}, element("details", {}, element("summary", {}, element("h2", {}, "The run")),
      element("table", {class: "figures run"}, element("tbody", {}, rows))));
}

function campaignPage(data) {
  const {report} = data;
  const verdict = verdictOf(report);
  const cards = report.findings.map((finding, i) => findingCard(data, finding, i + 1));
  const findings = cards.length > 0 ? cards.map((entry) => entry.card)
                                    : [element("p", {}, "There is no finding.")];
  const [curve, ...others] = coverageSections(report);
  const page = [
    pageHeader(verdict.text, verdict.tone, [report.program, ...report.args].map(shellWord).join(" "), runFacts(report)),
    element("main", {class: "campaign"}, notices(report), summaryTiles(report),
        element("section", {class: "findings", "aria-label": "findings"}, element("h2", {}, "Findings"), findings),
        element("div", {class: "columns"}, curve, others), strategySection(report), runTable(report)),
    pageFooter(report)];
  return {page, ready: () => { if (cards.length > 0) cards[0].open(); }};
}
