import './prepare-safe.mjs';
