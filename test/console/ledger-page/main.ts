import { createApp, h, reactive } from 'vue';
import LedgerSigner from '../../../src/renderer/src/modules/signing/LedgerSigner.vue';
import AppTheme from '../../../src/renderer/src/shell/AppTheme.vue';
import { timerKey, windowTimer } from '../../../src/renderer/src/timer.ts';
import { type Transport, transportKey } from '../../../src/renderer/src/transport/transport.ts';
import '../../../src/renderer/src/ui/tokens.css';

/** A page with nothing on it but a signer; the test sets what it gets, and reads what it emits. */

const signer = reactive<Record<string, unknown>>({ purpose: 'message', message: 'Hello' });
const told: unknown[] = [];
Object.assign(window, { signer, told });

const onAccount = (account: unknown): void => void told.push({ account });
const onSigned = (signed: unknown): void => void told.push({ signed });

createApp(() => h(AppTheme, () => h(LedgerSigner, { ...signer, onAccount, onSigned })))
  .provide(transportKey, {} as Transport)
  .provide(timerKey, windowTimer)
  .mount('#app');
