/** A chart as a drawing with axes, values under the mouse and by arrow keys, and a table behind it. */

import { columnOf, columnPaths, highest, labelled, pointAt, ticks } from "./chart_shape.js";
import { fill, h, s } from "./dom.js";
import { go } from "./router.js";

const HEIGHT = 170;
const LABEL_WIDTH = 74;
const MARGIN = { top: 10, right: 6, bottom: 22 };

let charts = 0;

export class Chart {
  /** `{title, unit, series: [{name, tone}], format, empty, isWhole}`; the values of a point are stacked. */
  constructor(options) {
    charts += 1;
    this.options = { isWhole: options.unit !== "dollars", ...options };
    this.points = [];
    this.at = null;
    this.titleId = `chart-${charts}`;
    this.tip = h("div", { class: "tip", role: "status", hidden: true });
    this.legend = h("ul", { class: "legend" });
    this.drawing = h("div", { class: "drawing" });
    this.tableSlot = h("div", { class: "behind", hidden: true, tabindex: "0", role: "group", "aria-label": `${options.title}: table` });
    this.toggle = h("button", { type: "button", class: "link-button", "aria-expanded": "false", on: { click: () => this.toggleTable() } }, "Table");
    const head = h("div", { class: "chart-head" }, h("h3", { id: this.titleId }, options.title), this.toggle);
    this.plot = h("div", { class: "plot" }, this.drawing, this.tip);
    this.node = h("figure", { class: "chart", "aria-labelledby": this.titleId }, head, this.legend, this.plot, this.tableSlot);
    this.width = 0;
    new ResizeObserver(([entry]) => this.resized(entry.contentRect.width)).observe(this.drawing);
    this.showLegend();
  }

  /** Show points: `[{label, title, values: [number or null], href}]`. */
  update(points) {
    this.points = points;
    if (this.at !== null && this.at >= points.length) this.leave();
    this.draw();
    if (!this.tableSlot.hidden) this.showTable();
    if (this.at !== null) this.showTip();
  }

  setSeries(series) {
    this.options.series = series;
    this.showLegend();
  }

  showLegend() {
    const { series } = this.options;
    const shown = series.length > 1 ? series : [];
    fill(this.legend, shown.map((each) => h("li", h("span", { class: `mark ${each.tone}`, "aria-hidden": "true" }), each.name)));
  }

  resized(width) {
    if (Math.abs(width - this.width) < 1) return;
    this.width = width;
    this.draw();
  }

  get isEmpty() {
    return !this.points.some((point) => point.values.some((value) => value !== null && value !== undefined && value !== 0));
  }

  draw() {
    if (this.isEmpty) {
      this.toggle.hidden = true;
      this.legend.hidden = true;
      fill(this.drawing, h("p", { class: "quiet nothing" }, this.options.empty));
      return;
    }
    this.toggle.hidden = false;
    this.legend.hidden = false;
    if (!this.width) return;
    const scale = ticks(highest(this.points), this.options.isWhole);
    const widest = Math.max(...scale.map((value) => this.options.format(value).length));
    const left = 10 + widest * 7;
    this.area = { left, width: this.width - left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom, bottom: HEIGHT - MARGIN.bottom };
    const on = {
      pointermove: (event) => this.pointed(event),
      pointerleave: () => this.leave(),
      keydown: (event) => this.pressed(event),
      blur: () => this.leave(),
      click: (event) => this.clicked(event),
    };
    const label = `${this.options.title}, ${this.points.length} values. Arrow keys read them; the table has them all.`;
    const size = { width: this.width, height: HEIGHT, viewBox: `0 0 ${this.width} ${HEIGHT}` };
    const svg = s("svg", { ...size, class: "chart-drawing", role: "img", tabindex: "0", "aria-label": label, on }, this.axes(scale), this.columns(scale), s("rect", { class: "cursor", y: MARGIN.top, height: this.area.height, width: 0 }));
    fill(this.drawing, svg);
  }

  axes(scale) {
    const { area } = this;
    const top = scale.at(-1);
    const lines = scale.map((value) => {
      const y = area.bottom - (value / top) * area.height;
      const text = s("text", { x: area.left - 6, y: y + 4, class: "tick end" }, this.options.format(value));
      return [s("line", { class: value ? "grid" : "axis", x1: area.left, x2: area.left + area.width, y1: y, y2: y }), text];
    });
    const labels = labelled(this.points, area.width, LABEL_WIDTH).map((index, nth, all) => {
      const isLast = nth === all.length - 1 && nth > 0;
      const isFirst = nth === 0 && all.length > 1;
      const column = columnOf(index, this.points, area);
      const x = isFirst ? column.left : isLast && index === this.points.length - 1 ? column.left + column.wide : column.middle;
      const place = isFirst ? "start" : isLast && index === this.points.length - 1 ? "end" : "middle";
      return s("text", { x, y: HEIGHT - 6, class: `tick ${place}` }, this.points[index].label);
    });
    return s("g", { "aria-hidden": "true" }, lines, labels);
  }

  columns(scale) {
    const { series } = this.options;
    const paths = columnPaths(this.points, series.length, this.area, scale.at(-1));
    return s("g", paths.map((d, index) => s("path", { d, class: `column ${series[index].tone}` })));
  }

  pointed(event) {
    const x = event.clientX - this.drawing.getBoundingClientRect().left;
    this.choose(pointAt(x, this.points, this.area));
  }

  clicked(event) {
    this.pointed(event);
    this.open();
  }

  pressed(event) {
    const last = this.points.length - 1;
    const here = this.at ?? (event.key === "ArrowLeft" ? last + 1 : -1);
    const next = { ArrowRight: Math.min(last, here + 1), ArrowLeft: Math.max(0, here - 1), Home: 0, End: last }[event.key];
    if (next !== undefined) this.choose(next);
    else if (event.key === "Escape") this.leave();
    else if (event.key === "Enter") this.open();
    else return;
    event.preventDefault();
  }

  open() {
    const href = this.at === null ? null : this.points[this.at].href;
    if (href) go(href);
  }

  choose(index) {
    if (index === this.at && !this.tip.hidden) return;
    this.at = index;
    this.showTip();
  }

  showTip() {
    const { series, format } = this.options;
    const point = this.points[this.at];
    const rows = series.map((each, index) =>
      h("li", h("span", { class: `mark ${each.tone}`, "aria-hidden": "true" }), `${each.name}: ${format(point.values[index])}`),
    );
    fill(this.tip, h("strong", point.title ?? point.label), h("ul", rows));
    this.tip.hidden = false;
    const column = columnOf(this.at, this.points, this.area);
    const cursor = this.drawing.querySelector(".cursor");
    cursor?.setAttribute("x", column.left);
    cursor?.setAttribute("width", column.wide);
    const most = this.width - this.tip.offsetWidth;
    this.tip.style.setProperty("--x", `${Math.max(0, Math.min(most, column.middle - this.tip.offsetWidth / 2))}px`);
  }

  leave() {
    this.at = null;
    this.tip.hidden = true;
    this.drawing.querySelector(".cursor")?.setAttribute("width", 0);
  }

  toggleTable() {
    this.tableSlot.hidden = !this.tableSlot.hidden;
    this.toggle.setAttribute("aria-expanded", String(!this.tableSlot.hidden));
    if (!this.tableSlot.hidden) this.showTable();
  }

  showTable() {
    const { series, format, title, unit } = this.options;
    const heads = ["", ...series.map((each) => each.name)].map((name) => h("th", { scope: "col" }, name || "at"));
    const rows = this.points.map((point) =>
      h("tr", h("th", { scope: "row" }, point.title ?? point.label), point.values.map((value) => h("td", { class: "number" }, format(value)))),
    );
    const caption = h("caption", { class: "unseen" }, `${title}, in ${unit}`);
    fill(this.tableSlot, h("table", { class: "rows small" }, caption, h("thead", h("tr", heads)), h("tbody", rows)));
  }
}
