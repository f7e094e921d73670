// The results of the requests of this page per second, as a chart and as a table.

const SECONDS = 60;

const totals = { allowed: 0, rejected: 0 };
const seconds = new Map();
const canvas = document.querySelector('canvas');
const rows = document.querySelector('#seconds tbody');

const chart = new Chart(canvas, {
  type: 'bar',
  data: {
    labels: Array.from({ length: SECONDS }, (_, i) => SECONDS - 1 - i),
    datasets: [{ label: 'Allowed' }, { label: 'Rejected', borderWidth: 1 }],
  },
  options: {
    animation: false,
    maintainAspectRatio: false,
    barPercentage: 1,
    categoryPercentage: 0.8,
    plugins: {
      legend: { display: false },
      tooltip: { mode: 'index', callbacks: { title: ([item]) => ago(item.label) } },
    },
    scales: {
      x: { stacked: true, grid: { display: false }, ticks: { autoSkip: false, maxRotation: 0, callback: tick } },
      y: { stacked: true, suggestedMax: 20, ticks: { precision: 0, maxTicksLimit: 5 }, border: { display: false } },
    },
  },
});

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', paint);
paint();

/** Counts a response: 'allowed' or 'rejected'. */
export function record(what) {
  const second = seconds.get(now()) ?? { allowed: 0, rejected: 0 };
  second[what]++;
  seconds.set(now(), second);
  totals[what]++;
  document.getElementById(what).textContent = totals[what];
  draw();
}

/** Draws the minute up to now. */
export function draw() {
  const from = now() - SECONDS + 1;
  for (const old of [...seconds.keys()].filter((second) => second < from)) {
    seconds.delete(old);
  }
  ['allowed', 'rejected'].forEach((what, i) => {
    chart.data.datasets[i].data = Array.from({ length: SECONDS }, (_, second) => seconds.get(from + second)?.[what] ?? 0);
  });
  chart.update();
  tabulate();
}

/** Updates the table only if it changes, since a user may be reading it. */
function tabulate() {
  const cells = [...seconds].map(([second, { allowed, rejected }]) =>
    [new Date(second * 1000).toLocaleTimeString(), allowed, rejected]);
  if (rows.dataset.cells !== String(cells)) {
    rows.dataset.cells = String(cells);
    rows.replaceChildren(...cells.reverse().map(row));
  }
}

function row(texts) {
  const row = document.createElement('tr');
  texts.forEach((text) => row.insertCell().append(text));
  return row;
}

function paint() {
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  const [allowed, rejected] = chart.data.datasets;
  allowed.backgroundColor = color('accent');
  rejected.backgroundColor = hatch(color('rejected'), color('rejected-soft'));
  rejected.borderColor = color('rejected');
  Object.values(chart.options.scales).forEach((scale) => {
    scale.ticks.color = color('muted');
    scale.ticks.font = { family: style.fontFamily, size: 13 };
    scale.grid.color = color('line');
  });
  chart.update();
}

/** Rejections also have a pattern, not only a color. */
function hatch(ink, paper) {
  const tile = new OffscreenCanvas(16, 16);
  const brush = tile.getContext('2d');
  brush.fillStyle = paper;
  brush.fillRect(0, 0, 16, 16);
  brush.strokeStyle = ink;
  brush.lineWidth = 4;
  brush.stroke(new Path2D('M-4 4L4 -4M-4 20L20 -4M12 20L20 12'));
  const pattern = brush.createPattern(tile, 'repeat');
  pattern.setTransform(new DOMMatrix().scale(0.5));
  return pattern;
}

function tick(index) {
  const passed = SECONDS - 1 - index;
  return passed === 0 ? 'now' : passed % 15 === 0 ? `${passed} s ago` : null;
}

function ago(passed) {
  return Number(passed) === 0 ? 'now' : `${passed} s ago`;
}

function now() {
  return Math.floor(Date.now() / 1000);
}
