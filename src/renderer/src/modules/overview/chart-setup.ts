import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

// Only what these charts draw with.
use([BarChart, LineChart, GridComponent, TooltipComponent, CanvasRenderer]);

export { default as VChart } from 'vue-echarts';
