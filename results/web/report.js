// Draws the charts of report.html from the result that the page carries. Everything else on the page stands without it.
(() => {
  'use strict';
  const result = JSON.parse(document.getElementById('result').textContent);
  if (!result || !window.echarts) return;
  const points = result.points || [];
  const summary = result.summary || {};
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const print = matchMedia('print');

  const palettes = {
    light: {text: '#1c2430', quiet: '#5c6675', rule: '#e4e8ec', page: '#ffffff', mean: '#1f5fbf', p95: '#9dbce8', p99: '#c9b3e3', limit: '#b3261e', ort: '#1a7f4b', warmup: '#f1f3f5'},
    dark: {text: '#e3e7ec', quiet: '#9aa4b2', rule: '#2d343e', page: '#14181e', mean: '#7fb0ff', p95: '#466a9e', p99: '#6d5788', limit: '#ff8a80', ort: '#5fcf94', warmup: '#1f262f'},
  };
  const palette = () => (dark.matches && !print.matches ? palettes.dark : palettes.light);

  const number = (value, digits) => value.toLocaleString('en-US', {maximumFractionDigits: digits});
  const rate = (value) => number(value, value < 100 ? 1 : 0);
  const ms = (value) => (value === undefined || value === null ? '–' : number(value, value < 10 ? 3 : value < 100 ? 2 : 1));

  // A tooltip is built from text nodes: no string of the result is ever read as markup.
  const tooltip = (title, lines) => {
    const box = document.createElement('div');
    box.className = 'tip';
    const head = document.createElement('b');
    head.textContent = title;
    box.append(head);
    for (const line of lines) {
      const row = document.createElement('div');
      row.textContent = line;
      box.append(row);
    }
    return box;
  };

  const axis = (p, name, gap) => ({
    name, nameLocation: 'middle', nameGap: gap, min: 0, type: 'value',
    nameTextStyle: {color: p.quiet, fontSize: 13},
    axisLabel: {color: p.quiet, hideOverlap: true},
    axisLine: {show: true, lineStyle: {color: p.quiet}},
    splitLine: {lineStyle: {color: p.rule}},
  });
  const tooltipStyle = (p) => ({backgroundColor: p.page, borderColor: p.rule, textStyle: {color: p.text}, confine: true, transitionDuration: 0});
  const legend = (p) => ({top: 0, left: 0, itemGap: 20, icon: 'roundRect', itemWidth: 16, itemHeight: 3, textStyle: {color: p.quiet, fontSize: 13}, inactiveColor: p.rule});

  const reasons = (point) => (point.findings || []).filter((f) => f.severity === 'INVALID').map((f) => f.message);

  const pointTooltip = (point) => tooltip(
    `Load point ${point.index}${point.index === summary.peak_point ? ' · peak' : ''}`,
    [`${rate(point.achieved_ops_per_sec)} ops/s of ${rate(point.requested_ops_per_sec)} requested`,
      `mean ${ms(point.mean_response_ms)} ms, p95 ${ms(point.p95_ms)}, p99 ${ms(point.p99_ms)}`,
      ...(point.valid ? (point.within_limit ? [] : ['over the limit']) : ['not valid'].concat(reasons(point)))]);

  const curveOption = (p) => {
    const xy = (field) => points.map((point) => [point.achieved_ops_per_sec, point[field] === undefined ? null : point[field]]);
    const lighter = (name, field, color) => ({
      name, type: 'line', data: xy(field), symbol: 'circle', symbolSize: 4, z: 1,
      lineStyle: {color, width: 1.5}, itemStyle: {color}, emphasis: {disabled: true},
    });
    const mean = points.map((point) => ({
      value: [point.achieved_ops_per_sec, point.mean_response_ms],
      itemStyle: point.valid ? {color: p.mean} : {color: p.page, borderColor: p.limit, borderWidth: 2},
      label: {show: !point.valid, formatter: String(point.index), color: p.limit, position: 'bottom', distance: 6},
      symbolSize: point.index === summary.peak_point ? 12 : 9,
    }));
    const lines = [];
    const line = (value, text, color) => lines.push({
      yAxis: value, lineStyle: {color, type: 'dashed', width: 1.5},
      label: {formatter: text, color, position: 'insideStartTop', fontSize: 13, distance: [4, 4]},
    });
    if (summary.limit_ms > 0) line(summary.limit_ms, `limit ${ms(summary.limit_ms)} ms`, p.limit);
    if (summary.peak_point > 0) line(summary.overall_response_time_ms, `ORT ${number(summary.overall_response_time_ms, 2)} ms`, p.ort);
    const highest = Math.max(...points.flatMap((point) => [point.mean_response_ms, point.p95_ms || 0, point.p99_ms || 0]), 0);
    const y = axis(p, 'response time, ms', 44);
    if (summary.limit_ms > highest) y.max = Math.ceil(summary.limit_ms * 1.15);
    return {
      animation: false, textStyle: {fontFamily: 'inherit'}, legend: legend(p),
      grid: {left: 64, right: 24, top: 36, bottom: 52},
      tooltip: {...tooltipStyle(p), trigger: 'item', formatter: (at) => (at.componentType === 'series' ? pointTooltip(points[at.dataIndex]) : '')},
      xAxis: axis(p, 'achieved, ops/s', 30), yAxis: y,
      series: [
        {name: 'mean', type: 'line', data: mean, symbol: 'circle', showSymbol: true, z: 3, lineStyle: {color: p.mean, width: 2.5}, itemStyle: {color: p.mean},
          markLine: {silent: true, symbol: 'none', data: lines}},
        lighter('p95', 'p95_ms', p.p95), lighter('p99', 'p99_ms', p.p99),
      ],
    };
  };

  const timeOption = (p, point) => {
    const at = (i) => i.start_seconds + i.length_seconds / 2;
    const intervals = point.intervals;
    const warmup = intervals.filter((i) => !i.measured);
    const end = warmup.length ? warmup[warmup.length - 1].start_seconds + warmup[warmup.length - 1].length_seconds : 0;
    const last = intervals[intervals.length - 1];
    const series = (name, field, yAxisIndex, color) => ({
      name, type: 'line', yAxisIndex, showSymbol: intervals.length === 1, data: intervals.map((i) => [at(i), i[field] === undefined ? null : i[field]]),
      lineStyle: {color, width: 1.5}, itemStyle: {color}, emphasis: {disabled: true},
    });
    const right = axis(p, 'ms', 40);
    right.splitLine = {show: false};
    return {
      animation: false, textStyle: {fontFamily: 'inherit'}, legend: legend(p),
      grid: {left: 72, right: 64, top: 36, bottom: 52},
      tooltip: {...tooltipStyle(p), trigger: 'axis', formatter: (rows) => {
        const i = intervals[rows[0].dataIndex];
        return tooltip(`second ${number(i.start_seconds, 1)}${i.measured ? '' : ' · warm-up'}`,
          [`${rate(i.ops_per_sec)} ops/s`, `mean ${ms(i.mean_ms)} ms, p99 ${ms(i.p99_ms)}`, `errors ${number(i.error_count, 0)}`]);
      }},
      xAxis: {...axis(p, 'seconds from the start of the load point', 30), max: last.start_seconds + last.length_seconds},
      yAxis: [axis(p, 'ops/s', 54), right],
      series: [
        {...series('ops/s', 'ops_per_sec', 0, p.quiet),
          markArea: {silent: true, itemStyle: {color: p.warmup}, label: {color: p.quiet, position: 'insideTop'}, data: end > 0 ? [[{name: 'warm-up', xAxis: 0}, {xAxis: end}]] : []}},
        series('mean', 'mean_ms', 1, p.mean), series('p99', 'p99_ms', 1, p.p99),
      ],
    };
  };

  const observedOf = (point, name) => (point.observed || []).find((figure) => figure.name === name && !figure.error);
  const observedOption = (p, name) => {
    const seen = points.filter((point) => observedOf(point, name));
    const series = (title, field, color) => ({
      name: title, type: 'line', symbol: 'circle', symbolSize: 7, lineStyle: {color, width: 1.5}, itemStyle: {color}, emphasis: {disabled: true},
      data: seen.map((point) => [point.achieved_ops_per_sec, observedOf(point, name)[field]]),
    });
    return {
      animation: false, textStyle: {fontFamily: 'inherit'}, legend: legend(p),
      grid: {left: 84, right: 24, top: 36, bottom: 52},
      tooltip: {...tooltipStyle(p), trigger: 'item', formatter: (at) => {
        const point = seen[at.dataIndex];
        const figure = observedOf(point, name);
        return tooltip(`load point ${point.index}`, [`${rate(point.achieved_ops_per_sec)} ops/s, ${ms(point.mean_response_ms)} ms`,
          `mean ${number(figure.mean, 3)}, max ${number(figure.max, 3)}`]);
      }},
      xAxis: axis(p, 'achieved, ops/s', 30), yAxis: {...axis(p, name, 66), min: ({min}) => Math.min(0, min)},
      series: [series('mean', 'mean', p.mean), series('max', 'max', p.p99)],
    };
  };

  const charts = [];
  const add = (id, option) => {
    const chart = echarts.init(document.getElementById(id), null, {renderer: 'svg'});
    charts.push({chart, draw: () => chart.setOption(option(palette()), true)});
  };
  const redraw = () => charts.forEach(({chart, draw}) => { chart.resize(); draw(); });

  if (points.length) add('curve-chart', curveOption);
  const timed = points.filter((point) => point.intervals && point.intervals.length);
  if (timed.length) {
    const select = document.getElementById('time-point');
    for (const point of timed) {
      const option = document.createElement('option');
      option.value = String(point.index);
      option.textContent = `${point.index}: ${rate(point.achieved_ops_per_sec)} ops/s`;
      option.selected = point.index === summary.peak_point;
      select.append(option);
    }
    document.getElementById('time').hidden = false;
    add('time-chart', (p) => timeOption(p, timed.find((point) => String(point.index) === select.value)));
    select.addEventListener('change', redraw);
  }
  const observed = [...new Set(points.flatMap((point) => (point.observed || []).filter((figure) => !figure.error).map((figure) => figure.name)))];
  if (observed.length) {
    const select = document.getElementById('observed-name');
    for (const name of observed) {
      const option = document.createElement('option');
      option.value = option.textContent = name;
      select.append(option);
    }
    document.getElementById('observed-figure').hidden = false;
    add('observed-chart', (p) => observedOption(p, select.value));
    select.addEventListener('change', redraw);
  }
  redraw();
  window.addEventListener('resize', () => charts.forEach(({chart}) => chart.resize()));
  dark.addEventListener('change', redraw);
  print.addEventListener('change', redraw);
  // Paper cannot be unfolded: open the points for printing. A shared name would let only one be open.
  window.addEventListener('beforeprint', () => document.querySelectorAll('details[name=point]').forEach((d) => { d.removeAttribute('name'); d.open = true; }));
})();
