// Declares style sheets as modules, for tsc.

declare module "*.css";
