import { contextBridge, ipcRenderer } from 'electron';
import {
  type ConsoleBridge,
  type EngineAnswer,
  ENGINE_CALL,
  SHELL_COPY,
  SHELL_PRINT,
} from '../shared/console-bridge.ts';

contextBridge.exposeInMainWorld('gasdesk', {
  call: (name, input) => ipcRenderer.invoke(ENGINE_CALL, name, input) as Promise<EngineAnswer>,
  copy: (text) => ipcRenderer.invoke(SHELL_COPY, text) as Promise<void>,
  print: (filter) => ipcRenderer.invoke(SHELL_PRINT, filter) as Promise<void>,
} satisfies ConsoleBridge);
