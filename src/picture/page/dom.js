// Elements. All texts become text nodes: nothing that comes from a program is read as HTML.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** An HTML element. Attributes whose name begins with "on" are listeners; false and null attributes are left out. */
function element(tag, attributes = {}, ...children) {
  return withContent(document.createElement(tag), attributes, children);
}

/** An SVG element. */
function svgElement(tag, attributes = {}, ...children) {
  return withContent(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

function withContent(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
}

function replaceContent(node, ...children) {
  node.replaceChildren();
  append(node, children);
}

/** "1 event", "2 events". */
function count(number, one, many = one + "s") {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Text with `names` in backquotes, which become code elements. */
function prose(text) {
  return text.split("`").map((part, i) => (i % 2 === 1 ? element("code", {}, part) : part));
}

/** The text, with its middle left out if it has more than `most` characters. */
function shortened(text, most) {
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const tail = Math.floor(most / 3);
  return characters.slice(0, most - tail - 1).join("") + "…" + characters.slice(-tail).join("");
}

/** A button that copies a command. */
function commandLine(command) {
  const button = element("button", {type: "button", class: "copy", "aria-label": "copy the command"}, "copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = "copied";
    } catch {
      button.textContent = "select it by hand";
    }
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  return element("div", {class: "command"}, element("code", {}, command), button);
}
