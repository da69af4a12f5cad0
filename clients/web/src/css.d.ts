// Declares style sheets and catalogues as modules, for tsc.

declare module "*.css";
declare module "*.catalogue.js" {
  const catalogue: object;
  export default catalogue;
}
