/** For tools that do not read single-file components; vue-tsc reads the files themselves. */
declare module '*.vue' {
  import type { DefineComponent } from 'vue';
  const component: DefineComponent;
  export default component;
}

declare module '*.css';
