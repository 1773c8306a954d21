/**
 * @typedef {string | Node | null | undefined | false} Child
 */

/**
 * Makes an element. Texts become text nodes and nothing else, so whatever a record holds, it is
 * shown and never run.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, any>} [properties] `class`, `data`, `on` with listeners; others are
 *   properties where the element has them, else attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (key === "class") made.className = value;
    else if (key === "data") Object.assign(made.dataset, value);
    else if (key === "on") {
      for (const [type, listener] of Object.entries(value)) made.addEventListener(type, listener);
    } else if (key in made) /** @type {any} */ (made)[key] = value;
    else made.setAttribute(key, String(value));
  }
  made.append(...children.filter((child) => child || child === "").map(asNode));
  return made;
}

/** @param {any} child */
const asNode = (child) => (typeof child === "string" ? document.createTextNode(child) : child);

/**
 * A drawing of the page's own sheet of symbols.
 * @param {string} name
 */
export function symbol(name) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("class", "symbol");
  drawing.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", `symbols.svg#${name}`);
  drawing.append(use);
  return drawing;
}

/**
 * A field of a form with its label and, where given, a hint.
 * @param {string} label
 * @param {HTMLElement} control
 * @param {string} [hint]
 */
export function field(label, control, hint) {
  control.id ||= `control-${(count += 1)}`;
  const help = hint ? element("p", { class: "hint", id: `${control.id}-hint` }, hint) : null;
  if (help) control.setAttribute("aria-describedby", help.id);
  return element(
    "div", { class: "field" }, element("label", { htmlFor: control.id }, label), control, help,
  );
}

let count = 0;

/**
 * A choice of a list of values.
 * @param {[string, string][]} options value and label
 * @param {string} chosen
 * @param {(value: string) => void} onChoice
 */
export function choice(options, chosen, onChoice) {
  const select = element("select", { on: { change: () => onChoice(select.value) } });
  for (const [value, label] of options) {
    select.append(element("option", { value, selected: value === chosen }, label));
  }
  return select;
}

/**
 * A button.
 * @param {string} label
 * @param {() => void} action
 * @param {string} [look] its class
 * @param {Record<string, any>} [more]
 */
export function button(label, action, look = "", more = {}) {
  return element("button", { type: "button", class: look, on: { click: action }, ...more }, label);
}
