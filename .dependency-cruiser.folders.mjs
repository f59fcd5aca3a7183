import arrows from './.dependency-cruiser.mjs';

/** What holds between folders. Tests are left out: they stand next to what they test and reach everywhere. */
export default {
  forbidden: [
    {
      name: 'no-folder-cycle',
      comment: 'Two folders that need each other are one folder, or hide a third.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...arrows.options, exclude: { path: '[.](test|rows)[.]ts$' } },
};
