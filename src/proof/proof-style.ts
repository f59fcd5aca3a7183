/** What the page of a proof adds to the style of the other pages. */
export const PROOF_STYLE = `
.verdict{margin:20px 0;padding:16px 20px;border-radius:8px;border:1px solid}
.verdict h1{font-size:22px}
.verdict.sound{background:#eef8f1;border-color:#a9d8b9;color:#0f5630}
.verdict.unsound{background:#fdf0ee;border-color:#eebbb4;color:#8c1d14}
.checks{list-style:none;margin:12px 0 0;padding:0}
.checks li{display:grid;grid-template-columns:22px 130px minmax(0,1fr);padding:6px 0;border-top:1px solid #0001}
.checks b{font-weight:600}
.checks .true i{color:#17713f}.checks .false i{color:#b3261e}.checks .null i{color:#59616e}
.checks i{font-style:normal;font-weight:700}
.given{display:grid;gap:6px;margin:12px 0;padding:14px 20px;border:1px solid #e2e5ea;border-radius:8px}
.given input{width:100%;box-sizing:border-box;padding:7px 10px;border:1px solid #858d99;border-radius:6px;
  font:12.5px ui-monospace,'Noto Sans Mono','DejaVu Sans Mono',monospace}
.given input:focus-visible,summary:focus-visible{outline:2px solid #2563c9;outline-offset:2px}
.given .match{color:#0f5630;font-weight:600}.given .mismatch{color:#8c1d14;font-weight:600}
details{margin:10px 0}summary{cursor:pointer;font-weight:600}
details pre{max-height:420px;overflow:auto}
@media (max-width:600px){body{padding:16px 14px}.checks li{grid-template-columns:22px minmax(0,1fr)}
  .checks li span{grid-column:2}.trace th,.trace td{display:block;width:auto!important;border:0;padding:2px 0}
  .trace tr{display:block;padding:6px 0;border-bottom:1px solid #e2e5ea}}
`;
