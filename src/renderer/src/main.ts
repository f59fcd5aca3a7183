import { createPinia } from 'pinia';
import { createApp, defineAsyncComponent } from 'vue';
import type { ConsoleBridge } from '../../shared/console-bridge.ts';
import App from './App.vue';
import { createConsoleRouter } from './router.ts';
import { enterTokenKey, keepToken, startGate } from './shell/gate.ts';
import { timerKey, windowTimer } from './timer.ts';
import { electronTransport } from './transport/electron.ts';
import { httpTransport } from './transport/http.ts';
import { type Transport, transportKey } from './transport/transport.ts';
import './ui/fonts.css';
import './ui/tokens.css';

declare global {
  interface Window {
    /** Present only in the desktop window. */
    readonly gasdesk?: ConsoleBridge;
  }
}

const consoleOf = (transport: Transport) =>
  createApp(App)
    .use(createPinia())
    .use(createConsoleRouter())
    .provide(transportKey, transport)
    .provide(timerKey, windowTimer);

const consoleUrl = new URL('.', window.location.href).href;

const enter = (token: string): void => {
  const app = consoleOf(httpTransport(consoleUrl, token));
  app.provide(enterTokenKey, (next, keep) => {
    app.unmount();
    keepToken(window, next, keep);
    enter(next);
  });
  app.mount('#app');
};

if (window.gasdesk !== undefined) consoleOf(electronTransport(window.gasdesk)).mount('#app');
else {
  startGate(window, {
    // Without a token, the page can only explain how to get one.
    prompt: (open) => {
      const gate = createApp(
        defineAsyncComponent(() => import('./shell/TokenGate.vue')),
        {
          onToken: (token: string, keep: boolean) => {
            gate.unmount();
            open(token, keep);
          },
        },
      );
      gate.mount('#app');
    },
    enter,
  });
}
