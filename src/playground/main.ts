import { createApp } from 'vue';
import PlaygroundPage from './PlaygroundPage.vue';
import '../renderer/src/ui/fonts.css';
import '../renderer/src/ui/tokens.css';
import './playground.css';

createApp(PlaygroundPage).mount('#app');
