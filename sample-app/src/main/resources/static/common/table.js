// A table that follows data. Rows and cells that have not changed stay, since a user may be reading them or have the focus
// there. If the row with the focus disappears, the heading of the section has the focus. All values are added as text, and
// isolated: callers control keys and names.

export class Table {

  /**
   * idOf(item) identifies a row. Each column is a function that returns the lines of a cell: strings, or { text, kind }
   * with a class. actions(item) returns the buttons of the last cell: { label, of, run }.
   */
  constructor(element, idOf, columns, actions) {
    this.heading = element.closest('section').querySelector('h2');
    this.body = element.tBodies[0];
    this.labels = [...element.tHead.rows[0].cells].map((cell) => cell.textContent);
    this.idOf = idOf;
    this.columns = columns;
    this.actions = actions;
    this.rows = new Map();
  }

  show(items) {
    const focused = document.activeElement;
    const inside = this.body.contains(focused);
    const shown = new Map();
    for (const item of items) {
      const row = this.rows.get(this.idOf(item)) ?? this.newRow();
      this.fill(row, item);
      shown.set(this.idOf(item), row);
    }
    const rows = [...shown.values()];
    [...this.rows.values()].filter((row) => !rows.includes(row)).forEach((row) => row.element.remove());
    rows.filter((row, i) => this.body.rows[i] !== row.element).forEach((row) => {
      this.body.insertBefore(row.element, this.body.rows[rows.indexOf(row)] ?? null);
    });
    this.rows = shown;
    if (inside && focused !== document.activeElement) {
      (focused.isConnected ? focused : this.heading).focus();
    }
  }

  /** On narrow screens a style sheet shows the cells below each other, so their roles are explicit. */
  newRow() {
    const element = document.createElement('tr');
    element.role = 'row';
    const cells = this.labels.map((label, i) => {
      const cell = document.createElement(i === 0 ? 'th' : 'td');
      cell.role = i === 0 ? 'rowheader' : 'cell';
      if (i === 0) {
        cell.scope = 'row';
      }
      cell.dataset.label = label;
      element.append(cell);
      return cell;
    });
    return { element, cells, shown: [], actions: [] };
  }

  fill(row, item) {
    this.columns.forEach((lines, i) => this.write(row, i, lines(item), line));
    if (this.actions) {
      row.actions = this.actions(item);
      this.write(row, this.columns.length, row.actions, (action, i) => button(action, () => row.actions[i].run()));
    }
  }

  write(row, i, content, create) {
    const text = JSON.stringify(content);
    if (row.shown[i] !== text) {
      row.shown[i] = text;
      row.cells[i].replaceChildren(...content.map(create));
    }
  }

}

function line(content) {
  const { text, kind } = content?.text === undefined ? { text: content } : content;
  const element = document.createElement('div');
  const isolated = document.createElement('bdi');
  isolated.textContent = text;
  element.append(isolated);
  element.className = kind ?? '';
  return element;
}

/** An action without a function is shown as text, which states why the action is not available. */
function button({ label, of, run }, click) {
  if (!run) {
    return line({ text: label, kind: 'muted' });
  }
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = label;
  if (of) {
    element.ariaLabel = `${label} ${of}`;
  }
  element.addEventListener('click', click);
  return element;
}
