import type { Template } from './template.ts';

const SATURDAY_AND_SUNDAY = 'time.getDayOfWeek() in [0, 6]';

/** Sponsors only on Saturdays and Sundays, or on all other days. */
export const weekend: Template<'sponsored' | 'message'> = {
  name: 'weekend',
  title: 'Weekend',
  purpose: 'Sponsors operations only on Saturdays and Sundays, or only on the other days. Days start at 00:00 UTC.',
  fields: {
    sponsored: {
      label: 'Sponsor',
      kind: 'choice',
      default: 'on',
      options: { on: 'only on weekends', off: 'only from Monday to Friday' },
    },
    message: { label: 'Message to a denied user', kind: 'id', default: '', optional: true },
  },
  make({ sponsored, message }) {
    const isOn = sponsored === 'on';
    const usual = `Sponsored only ${isOn ? 'on Saturdays and Sundays' : 'from Monday to Friday'} (UTC).`;
    const expression = isOn ? SATURDAY_AND_SUNDAY : `!(${SATURDAY_AND_SUNDAY})`;
    const data = { expression, message: message === '' ? usual : message };
    return { rules: [{ name: isOn ? 'Weekend' : 'Monday to Friday', type: 'CONDITION', data }] };
  },
  leaves: () => [
    'It limits no cost: on those days, anyone may spend until another rule or the gas tank stops them.',
    'Weekends are those of UTC: elsewhere they begin and end up to 14 hours earlier or 12 hours later.',
    'The day counts on which the operation is signed. It can be mined until it expires.',
  ],
};
