import { createPinia } from 'pinia';
import { createApp } from 'vue';
import type { ConsoleBridge } from '../../shared/console-bridge.ts';
import App from './App.vue';
import { createConsoleRouter } from './router.ts';
import { startGate } from './shell/gate.ts';
import TokenGate from './shell/TokenGate.vue';
import { timerKey, windowTimer } from './timer.ts';
import { electronTransport } from './transport/electron.ts';
import { httpTransport } from './transport/http.ts';
import { type Transport, transportKey } from './transport/transport.ts';
import './ui/tokens.css';

declare global {
  interface Window {
    /** There in the desktop window only. */
    readonly gasdesk?: ConsoleBridge;
  }
}

const startConsole = (transport: Transport): void => {
  createApp(App)
    .use(createPinia())
    .use(createConsoleRouter())
    .provide(transportKey, transport)
    .provide(timerKey, windowTimer)
    .mount('#app');
};

const consoleUrl = new URL('.', window.location.href).href;

if (window.gasdesk !== undefined) startConsole(electronTransport(window.gasdesk));
else {
  startGate(window, {
    // Without a token there is nothing to show but how to get one.
    ask: (enter) => {
      const gate = createApp(TokenGate, {
        onToken: (token: string) => {
          gate.unmount();
          enter(token);
        },
      });
      gate.mount('#app');
    },
    enter: (token) => startConsole(httpTransport(consoleUrl, token)),
  });
}
