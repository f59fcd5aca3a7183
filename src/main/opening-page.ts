import { html } from '../shared/markup.ts';

/** Data URL of a page that says that a file is being opened. It contains no scripts and loads nothing. */
export const openingPage = (name: string): string => {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>Opening ${name}</title>
        <style>
          :root {
            color-scheme: light dark;
            background: light-dark(#f6f7f9, #15171b);
            color: light-dark(#1b1f26, #e6e8eb);
            font:
              14px/1.5 system-ui,
              sans-serif;
          }
          main {
            display: grid;
            gap: 12px;
            max-width: 480px;
            margin: 30vh auto 0;
            padding: 24px;
          }
          h1,
          p {
            margin: 0;
            overflow-wrap: anywhere;
          }
          h1 {
            font-size: 17px;
          }
          p {
            color: light-dark(#59616e, #9aa3af);
          }
          progress {
            width: 100%;
            accent-color: light-dark(#3552c8, #93a8ff);
          }
        </style>
      </head>
      <body>
        <main role="status">
          <h1>Opening ${name}</h1>
          <progress aria-label="Reading"></progress>
          <p>
            The whole file is read and checked before it is shown. Gasdesk continues to decide. To cancel, close this
            window.
          </p>
        </main>
      </body>
    </html>`;
  return `data:text/html;charset=utf-8,${encodeURIComponent(page.text)}`;
};
