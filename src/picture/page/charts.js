// The charts of a campaign, with the scales, axes and curves of d3.

const CHART = {width: 560, height: 260, left: 56, right: 18, top: 14, bottom: 44};

function chartSvg(label) {
  return d3.create("svg").attr("class", "chart").attr("viewBox", `0 0 ${CHART.width} ${CHART.height}`)
      .attr("role", "img").attr("aria-label", label);
}

function addAxes(svg, x, y, xLabel, yLabel) {
  const bottom = CHART.height - CHART.bottom;
  const isWhole = (value) => Number.isInteger(value);
  const format = d3.format("~s");
  const ticks = (scale, number) => (scale.ticks ? scale.ticks(number).filter(isWhole) : null);
  svg.append("g").attr("class", "grid").selectAll("line").data(ticks(y, 5)).join("line")
      .attr("x1", CHART.left).attr("x2", CHART.width - CHART.right).attr("y1", y).attr("y2", y);
  const bottomAxis = d3.axisBottom(x).tickSizeOuter(0);
  if (x.ticks) bottomAxis.tickValues(ticks(x, 6)).tickFormat(format);
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`).call(bottomAxis);
  svg.append("g").attr("class", "axis").attr("transform", `translate(${CHART.left},0)`)
      .call(d3.axisLeft(y).tickSizeOuter(0).tickValues(ticks(y, 5)).tickFormat(format));
  svg.append("text").attr("class", "axis-label").attr("text-anchor", "middle").attr("x", (CHART.left + CHART.width - CHART.right) / 2)
      .attr("y", CHART.height - 8).text(xLabel);
  svg.append("text").attr("class", "axis-label").attr("text-anchor", "middle")
      .attr("transform", `translate(14,${(CHART.top + bottom) / 2}) rotate(-90)`).text(yLabel);
}

/** How many distinct graphs the executions had shown. */
function graphCurve(points, executions) {
  const all = [{executions: 0, graphs: 0}, ...points];
  const last = all[all.length - 1];
  if (last.executions < executions) all.push({executions, graphs: last.graphs});
  const svg = chartSvg(`distinct graphs over executions: ${last.graphs} graphs after ${executions} executions`);
  const x = d3.scaleLinear().domain([0, Math.max(executions, 1)]).range([CHART.left, CHART.width - CHART.right]);
  const y = d3.scaleLinear().domain([0, Math.max(last.graphs, 1)]).nice().range([CHART.height - CHART.bottom, CHART.top]);
  addAxes(svg, x, y, "executions", "distinct graphs");
  const line = d3.line().x((point) => x(point.executions)).y((point) => y(point.graphs)).curve(d3.curveStepAfter);
  const area = d3.area().x((point) => x(point.executions)).y0(y(0)).y1((point) => y(point.graphs))
      .curve(d3.curveStepAfter);
  svg.append("path").attr("class", "area").attr("d", area(all));
  svg.append("path").attr("class", "curve").attr("d", line(all));
  svg.append("g").selectAll("circle").data(all.slice(1)).join("circle").attr("class", "point").attr("r", 3.5)
      .attr("cx", (point) => x(point.executions)).attr("cy", (point) => y(point.graphs)).append("title")
      .text((point) => `${count(point.graphs, "graph")} after ${count(point.executions, "execution")}`);
  return svg.node();
}

/** How often the most frequent graphs occurred, on a logarithmic scale. */
function frequencyBars(frequencies) {
  const most = frequencies[0];
  const svg = chartSvg(`frequencies of graphs: the most frequent one occurred in ${most} executions`);
  const x = d3.scaleBand().domain(frequencies.map((_, i) => i + 1)).range([CHART.left, CHART.width - CHART.right])
      .padding(0.2);
  const y = d3.scaleLog().domain([0.8, Math.max(most, 10)]).range([CHART.height - CHART.bottom, CHART.top]);
  const every = Math.ceil(frequencies.length / 12);
  const powers = d3.range(0, Math.ceil(Math.log10(Math.max(most, 10))) + 1).map((power) => 10 ** power)
      .filter((value) => value <= Math.max(most, 10));
  svg.append("g").attr("class", "grid").selectAll("line").data(powers).join("line")
      .attr("x1", CHART.left).attr("x2", CHART.width - CHART.right).attr("y1", y).attr("y2", y);
  const bottom = CHART.height - CHART.bottom;
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`)
      .call(d3.axisBottom(x).tickSizeOuter(0).tickValues(x.domain().filter((i) => (i - 1) % every === 0)));
  svg.append("g").attr("class", "axis").attr("transform", `translate(${CHART.left},0)`)
      .call(d3.axisLeft(y).tickSizeOuter(0).tickValues(powers).tickFormat(d3.format("~s")));
  svg.append("text").attr("class", "axis-label").attr("text-anchor", "middle").attr("x", (CHART.left + CHART.width - CHART.right) / 2)
      .attr("y", CHART.height - 8).text("graphs, the most frequent first");
  svg.append("text").attr("class", "axis-label").attr("text-anchor", "middle")
      .attr("transform", `translate(14,${(CHART.top + bottom) / 2}) rotate(-90)`).text("executions (log)");
  svg.append("g").selectAll("rect").data(frequencies).join("rect").attr("class", "bar").attr("rx", 1.5)
      .attr("x", (_, i) => x(i + 1)).attr("width", Math.max(x.bandwidth(), 0.5)).attr("y", (value) => y(value))
      .attr("height", (value) => bottom - y(value)).append("title")
      .text((value, i) => `graph ${i + 1}: ${count(value, "execution")}`);
  return svg.node();
}
