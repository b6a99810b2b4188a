/** The geometry of a chart: a readable scale, stacked columns of any number of points, and labels that fit. */

const ROUND = [1, 2, 2.5, 5, 10];

/** Round numbers from 0 to at least `most`, about four of them; whole numbers for things that are counted. */
export function ticks(most, isWhole) {
  if (!(most > 0)) return isWhole ? [0, 1] : [0, 0.01];
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fitting = ROUND.map((each) => each * power).find((each) => each >= rough * 0.999);
  const step = isWhole ? Math.max(1, Math.ceil(fitting)) : fitting;
  const found = [];
  for (let value = 0; value < most + step * 0.999; value += step) found.push(Number(value.toPrecision(12)));
  return found;
}

/** The highest column: the values of a point are stacked. */
export const highest = (points) => Math.max(0, ...points.map((point) => total(point.values)));

const total = (values) => values.reduce((sum, value) => sum + (value ?? 0), 0);

/** One path for each series, stacked. A path stays one element, however many points it has. */
export function columnPaths(points, seriesCount, area, top) {
  const wide = area.width / points.length;
  const gap = wide > 6 ? Math.min(8, wide * 0.25) : 0;
  const y = (value) => area.bottom - (value / top) * area.height;
  return Array.from({ length: seriesCount }, (_, series) => {
    const parts = points.map((point, index) => {
      const value = point.values[series] ?? 0;
      if (!value) return "";
      const base = total(point.values.slice(0, series));
      const left = area.left + index * wide + gap / 2;
      return `M${fixed(left)} ${fixed(y(base))}V${fixed(y(base + value))}h${fixed(wide - gap)}V${fixed(y(base))}z`;
    });
    return parts.join("");
  });
}

const fixed = (number) => Number(number.toFixed(2));

/** The points whose labels fit below the chart: the first, the last, and some between, evenly. */
export function labelled(points, width, labelWidth) {
  const most = Math.max(2, Math.floor(width / labelWidth));
  if (points.length <= most) return points.map((_, index) => index);
  const step = Math.ceil((points.length - 1) / (most - 1));
  const found = [];
  for (let index = 0; index < points.length; index += step) found.push(index);
  return found;
}

/** The point below a horizontal position. */
export function pointAt(x, points, area) {
  const index = Math.floor(((x - area.left) / area.width) * points.length);
  return Math.min(points.length - 1, Math.max(0, index));
}

/** The left edge, the middle and the width of the column of a point. */
export function columnOf(index, points, area) {
  const wide = area.width / points.length;
  const left = area.left + index * wide;
  return { left, middle: left + wide / 2, wide };
}
