// The names of cards in other languages, where a source gives the printed name. A catalogue with names
// of its own (`name_de`) has priority.
//
// German: the craftsmen, places and the tax exemption of Die Säulen der Erde (2006), by section and id without the number
// of its round. For events and most advantages only keywords are known, not the titles; they stay in English.

const GERMAN: Record<string, string> = {
  "starting_craftsmen/mortar_mixer": "Mörtelmischer",
  "starting_craftsmen/woodworker": "Schreiner",
  "starting_craftsmen/stonecutter": "Steinmetz",
  "craftsmen/toolmaker": "Werkzeugmacher",
  "craftsmen/master_woodworker": "Schreiner",
  "craftsmen/mortar_mixer": "Mörtelmischer",
  "craftsmen/mason": "Maurer",
  "craftsmen/carpenter": "Zimmermann",
  "craftsmen/potter": "Töpfer",
  "craftsmen/architect": "Statiker",
  "craftsmen/sculptor": "Bildhauer",
  "craftsmen/glassblower": "Glasbläser",
  "craftsmen/goldsmith": "Goldschmied",
  "craftsmen/organ_builder": "Orgelbauer",
  "craftsmen/bell_maker": "Glockengießer",
  "resource_cards/sand": "Kiesgrube",
  "resource_cards/wood": "Wald",
  "resource_cards/stone": "Steinbruch",
  "advantage_cards/tax_exemption": "Steuerfreiheit",
};

const NAMES: Record<string, Record<string, string>> = { de: GERMAN };

/** The name of a card in a language; undefined if there is no source. */
export function printedName(language: string, section: string, id: string): string | undefined {
  return NAMES[language]?.[`${section}/${id.replace(/_\d+$/, "")}`];
}
