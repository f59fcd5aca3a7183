import { type RouteRecordRaw, type Router, createRouter, createWebHashHistory } from 'vue-router';
import { type DappTab, LAST_DAPP, dappPlace } from './desk/dapp-place.ts';
import OverviewPage from './modules/overview/OverviewPage.vue';
import { pages } from './shell/pages.ts';

const components: Readonly<Record<string, RouteRecordRaw['component']>> = {
  overview: OverviewPage,
  decisions: () => import('./modules/decisions/DecisionsPage.vue'),
  dapps: () => import('./modules/dapps/DappsPage.vue'),
  costs: () => import('./modules/costs/CostsPage.vue'),
  tokens: () => import('./modules/tokens/TokensPage.vue'),
  events: () => import('./modules/events/EventsPage.vue'),
  activity: () => import('./modules/activity/ActivityPage.vue'),
  inspect: () => import('./modules/inspect/InspectPage.vue'),
  setup: () => import('./modules/setup/SetupPage.vue'),
  settings: () => import('./modules/settings/SettingsPage.vue'),
};

/** Former pages that are now tabs of a DApp. Their old addresses redirect to the tabs. */
const moved: Readonly<Record<string, DappTab>> = {
  '/rules': 'policy',
  '/contracts': 'policy',
  '/webhooks': 'webhooks',
  '/gas-tank': 'tank',
};

const redirects: RouteRecordRaw[] = [
  ...Object.entries(moved).map(([path, tab]): RouteRecordRaw => ({
    path,
    redirect: ({ query: { dapp } }) => dappPlace(typeof dapp === 'string' ? dapp : LAST_DAPP, tab),
  })),
  {
    path: '/paymasters',
    redirect: ({ query: { dapp } }) => (typeof dapp === 'string' ? dappPlace(dapp) : { path: '/dapps', query: {} }),
  },
  { path: '/log', redirect: '/activity/service' },
  { path: '/:unknown(.*)*', redirect: '/' },
];

/** Creates the router. Each decision has its own address, for links and new windows. */
export const createConsoleRouter = (): Router => {
  const router = createRouter({
    history: createWebHashHistory(),
    routes: [
      ...pages.map(
        ({ name, path, title }): RouteRecordRaw =>
          ({ name, path, component: components[name], meta: { title } }) as RouteRecordRaw,
      ),
      ...redirects,
    ],
  });
  router.afterEach(({ meta }) => {
    document.title = typeof meta['title'] === 'string' ? `${meta['title']} · Gasdesk` : 'Gasdesk';
  });
  return router;
};
