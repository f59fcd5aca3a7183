import { type RouteRecordRaw, type Router, createRouter, createWebHashHistory } from 'vue-router';
import OverviewPage from './modules/overview/OverviewPage.vue';
import { pages } from './shell/pages.ts';

const components: Readonly<Record<string, RouteRecordRaw['component']>> = {
  overview: OverviewPage,
  decisions: () => import('./modules/decisions/DecisionsPage.vue'),
  paymasters: () => import('./modules/paymasters/PaymastersPage.vue'),
  rules: () => import('./modules/rules/RulesPage.vue'),
  contracts: () => import('./modules/contracts/ContractsPage.vue'),
  webhooks: () => import('./modules/webhooks/WebhooksPage.vue'),
  tank: () => import('./modules/gas-tank/GasTankPage.vue'),
  tokens: () => import('./modules/tokens/TokensPage.vue'),
  log: () => import('./modules/log/LogPage.vue'),
  settings: () => import('./modules/settings/SettingsPage.vue'),
};

/** The pages by their addresses. A decision has its own, so that it can be linked and opened in a new window. */
export const createConsoleRouter = (): Router => {
  const router = createRouter({
    history: createWebHashHistory(),
    routes: [
      ...pages.map(
        ({ name, path, title }): RouteRecordRaw =>
          ({ name, path, component: components[name], meta: { title } }) as RouteRecordRaw,
      ),
      { path: '/:unknown(.*)*', redirect: '/' },
    ],
  });
  router.afterEach(({ meta }) => {
    document.title = typeof meta['title'] === 'string' ? `${meta['title']} · Gasdesk` : 'Gasdesk';
  });
  return router;
};
