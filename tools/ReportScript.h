// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The style and the script of a report.

#ifndef REPRISE_TOOLS_REPORTSCRIPT_H
#define REPRISE_TOOLS_REPORTSCRIPT_H

namespace reprise {

inline constexpr const char *kReportStyle = R"(
:root{color-scheme:light dark;--paper:#fff;--ink:#24292f;--soft:#57606a;--rule:#d8dee4;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#9aa4af;--rule:#2b323b;--card:#161b22}}
body{margin:0 auto;max-width:1000px;padding:16px 20px 40px;background:var(--paper);color:var(--ink);
font:15px/1.45 system-ui,sans-serif}
h1{font-size:24px;margin:8px 0}h2{font-size:18px;margin:32px 0 4px}p{margin:4px 0 8px;color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:14px 0}
.card{background:var(--card);border:1px solid var(--rule);border-radius:6px;padding:8px 12px}
.card b{display:block;font-size:19px;font-weight:600}.card span{color:var(--soft);font-size:13px}
svg.chart{width:100%;height:auto;display:block}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:13px}
th{font-weight:600;text-align:left;border-bottom:2px solid var(--rule);padding:4px 8px;white-space:nowrap}
td{border-bottom:1px solid var(--rule);padding:3px 8px}td.n,th.n{text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
#memory{position:relative}#hair{position:absolute;width:1px;background:var(--soft);pointer-events:none;display:none}
#tip{position:absolute;display:none;pointer-events:none;background:var(--card);border:1px solid var(--rule);
border-radius:6px;padding:6px 10px;font-size:12px;max-width:340px;white-space:pre-line;z-index:1;overflow-wrap:anywhere}
)";

/// Shows what is resident at the column under the pointer.
inline constexpr const char *kReportScript = R"(
'use strict';
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const box = document.getElementById('memory'), svg = box.querySelector('svg');
  const hair = document.getElementById('hair'), tip = document.getElementById('tip');
  const size = bytes => {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let at = 0;
    while (bytes >= 1024 && at + 1 < units.length) { bytes /= 1024; ++at; }
    return (at ? bytes.toFixed(2) : bytes) + ' ' + units[at];
  };
  const show = event => {
    const frame = svg.getBoundingClientRect(), scale = frame.width / data.width;
    const run = (event.clientX - frame.left - data.left * scale) /
                ((data.right - data.left) * scale) * data.runs;
    const column = Math.floor(run / data.planRuns * data.columns.length);
    if (run < 0 || !(column < data.columns.length)) return hide();
    const [step, node, usage, held, more] = data.columns[column];
    const base = data.baseline[Math.floor(run / data.baselineRuns * data.baseline.length)];
    let text = 'step ' + step + ': ' + data.names[node] + '\n' + size(usage) + ' in use';
    if (base !== undefined) text += ', ' + size(base) + ' with nothing recomputed';
    for (const [tensor, bytes] of held) text += '\n' + size(bytes) + '  ' + data.names[tensor];
    if (more) text += '\n... and ' + more + ' more';
    tip.textContent = text;
    const x = event.clientX - frame.left;
    hair.style.cssText = `display:block;left:${x}px;top:${data.top * scale}px;height:${(data.bottom - data.top) * scale}px`;
    tip.style.display = 'block';
    tip.style.left = (x > frame.width / 2 ? Math.max(0, x - tip.offsetWidth - 12) : x + 12) + 'px';
    tip.style.top = data.top * scale + 8 + 'px';
  };
  const hide = () => { hair.style.display = tip.style.display = 'none'; };
  box.addEventListener('pointermove', show);
  box.addEventListener('pointerleave', hide);
})();
)";

} // namespace reprise

#endif // REPRISE_TOOLS_REPORTSCRIPT_H
