import { createPinia } from 'pinia';
import { createApp } from 'vue';
import type { ConsoleBridge } from '../../shared/console-bridge.ts';
import App from './App.vue';
import { timerKey, windowTimer } from './timer.ts';
import { electronTransport } from './transport/electron.ts';
import { transportKey } from './transport/transport.ts';
import './ui/tokens.css';

declare global {
  interface Window {
    readonly gasdesk: ConsoleBridge;
  }
}

createApp(App)
  .use(createPinia())
  .provide(transportKey, electronTransport(window.gasdesk))
  .provide(timerKey, windowTimer)
  .mount('#app');
