// Starts the page: a picture of one execution, or the report of a campaign.

const THEMES = {light: "dark", dark: "light"};

function systemTheme() { return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"; }

function preferredTheme() {
  try {
    const kept = localStorage.getItem("heddle-theme");
    if (THEMES[kept]) return kept;
  } catch { /* pages from a file may have no storage */ }
  return systemTheme();
}

function setTheme(theme, button) {
  document.documentElement.dataset.theme = theme;
  button.textContent = theme === "dark" ? "light" : "dark";
  button.setAttribute("aria-label", `use ${THEMES[theme]} colours`);
}

function themeButton() {
  const button = element("button", {type: "button", class: "theme"});
  button.addEventListener("click", () => {
    const theme = THEMES[document.documentElement.dataset.theme];
    setTheme(theme, button);
    try {
      if (theme === systemTheme()) localStorage.removeItem("heddle-theme");
      else localStorage.setItem("heddle-theme", theme);
    } catch { /* it lasts until the page is closed */ }
  });
  setTheme(preferredTheme(), button);
  return button;
}

function runFacts(report) {
  const facts = [["model", report.model], ["strategy", report.strategy], ["seed", report.seed]];
  return facts.filter(([, value]) => value !== undefined && value !== "").map(([name, value]) => `${name} ${value}`);
}

function pageHeader(verdict, tone, title, facts) {
  return element("header", {class: "page-header"},
      element("div", {}, element("span", {class: `pill ${tone}`}, verdict), element("h1", {}, prose(title)),
          element("p", {class: "meta"}, facts.map((fact) => element("span", {}, fact)))),
      themeButton());
}

function pageFooter(report) {
  return element("footer", {}, `heddle ${report.version}. Drawn with d3, whose licence is in the source of this page.`);
}

function executionPage(data) {
  const {report} = data;
  const [entry] = data.pictures;
  const finding = report.findings.find((candidate) => candidate.key === entry.key);
  const {view, node} = makeExecution(finding, entry.picture, data.relations);
  const counts = finding.explanation && finding.explanation.minimal;
  const facts = [[report.program, ...report.args].map(shellWord).join(" "), ...runFacts(report),
                 count(entry.picture.eventsOfExecution, "event")];
  if (counts) facts.push(count(counts.switches, "context switch", "context switches"), count(counts.stale_reads, "stale read"));
  const commands = finding.trace ? element("div", {class: "commands"}, commandLine(`heddle replay ${shellWord(finding.trace)}`)) : null;
  // Without a focus anywhere else, keys step through the only picture.
  document.addEventListener("keydown", (event) => { if (event.target === document.body) view.onKey(event); });
  return {page: [pageHeader(finding.kind, "bad", finding.headline, facts), element("main", {}, node, commands), pageFooter(report)],
          ready: () => view.draw()};
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const {page, ready} = data.kind === "campaign" ? campaignPage(data) : executionPage(data);
  replaceContent(document.getElementById("page"), ...page);
  ready();
}

start();
