import type { EChartsCoreOption } from 'echarts/core';
import type { Palette } from '../../ui/palette.ts';
import { shortTime } from '../../ui/time.ts';
import type { TrialResult } from './use-trial.ts';

export const trialChart = (
  { from, stepMs, steps }: TrialResult['series'],
  { quiet, line, surface, text, accent }: Palette,
): EChartsCoreOption => {
  const axisLabel = { color: quiet, fontSize: 11, hideOverlap: true, alignMaxLabel: 'right' };
  const series = (name: string, color: string, data: number[], dashed: boolean) => ({
    name,
    type: 'line',
    step: 'middle',
    symbol: 'none',
    itemStyle: { color },
    data,
    lineStyle: { color, width: 1.5, type: dashed ? 'dashed' : 'solid' },
    ...(!dashed && { areaStyle: { color, opacity: 0.12 } }),
  });
  return {
    animation: false,
    textStyle: { fontFamily: 'inherit' },
    grid: { left: 2, right: 4, top: 8, bottom: 2, outerBoundsMode: 'same' },
    tooltip: {
      trigger: 'axis',
      renderMode: 'richText',
      backgroundColor: surface,
      borderColor: line,
      textStyle: { color: text, fontSize: 12 },
    },
    xAxis: {
      type: 'category',
      data: steps.map((_, index) => shortTime(from + index * stepMs)),
      axisLine: { lineStyle: { color: line } },
      axisTick: { show: false },
      axisLabel,
    },
    yAxis: { type: 'value', splitNumber: 2, minInterval: 1, axisLabel, splitLine: { lineStyle: { color: line } } },
    series: [
      series(
        'With the change',
        accent,
        steps.map(({ after }) => after),
        false,
      ),
      series(
        'As it was',
        quiet,
        steps.map(({ before }) => before),
        true,
      ),
    ],
  };
};
