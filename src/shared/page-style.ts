/** The style of pages that are read and printed without Gasdesk. */
export const PAGE_STYLE = `
:root{color-scheme:light}
body{max-width:900px;margin:0 auto;padding:32px 24px;background:#fff;color:#1b1f26;
  font:14px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif;
  font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
h1{margin:0;font-size:24px}h2{margin:28px 0 8px;font-size:17px}h3{margin:0 0 4px;font-size:14px}
p{margin:4px 0}.lead{font-size:16px}.quiet,.label{color:#59616e}
code,pre{font:12.5px ui-monospace,'Noto Sans Mono','DejaVu Sans Mono',monospace}
pre{margin:4px 0;padding:6px;background:#f1f3f6;white-space:pre-wrap}
table{width:100%;border-collapse:collapse}
th,td{padding:4px 8px;border-bottom:1px solid #e2e5ea;text-align:left;vertical-align:top;font-weight:400}
thead th{color:#59616e;font-size:12.5px}.number{text-align:right;overflow-wrap:normal}
.trace{margin:6px 0;font-size:12.5px}.trace th{width:130px}.trace td:nth-child(2){width:130px}
.trace .deny th,.trace .deny td:nth-child(2){color:#9a5200;font-weight:600}.trace .skip{color:#59616e}
article{margin:12px 0;padding:12px 16px;border:1px solid #e2e5ea;border-left-width:4px;border-radius:6px}
article.sponsored{border-left-color:#17713f}article.denied{border-left-color:#9a5200}
article.error{border-left-color:#b3261e}
.sponsored .outcome{color:#17713f}.denied .outcome{color:#9a5200}.error .outcome{color:#b3261e}
svg{width:100%}rect.sponsored{fill:#17713f}rect.denied{fill:#d68a2e}rect.error{fill:#b3261e}
line{stroke:#858d99}text{fill:#59616e;font-size:11px}text.end{text-anchor:end}
.key span{margin-right:16px}.key i{display:inline-block;width:10px;height:10px;margin-right:5px}
.key .sponsored i{background:#17713f}.key .denied i{background:#d68a2e}.key .error i{background:#b3261e}
@media print{body{max-width:none;padding:0;font-size:11px}article{break-inside:auto;margin:8px 0}
  h2,h3,thead{break-after:avoid}tr{break-inside:avoid}rect,i{print-color-adjust:exact}@page{margin:16mm}}
`;
